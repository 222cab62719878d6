// Pictures for ParaView: one PolyData file a frame with the surfaces of all shapes, one with the contacts, one with the
// chains of force, and a list (.pvd) of each with the times.
//
// Arrays are inline base64: a count of bytes (32 bits), then the numbers, little-endian as memory holds them. A list
// always ends with its closing tags: the next entry is written over them in one go, so that it is whole at any moment.
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file_lock.h"
#include "base/plain_numbers.h"
#include "base/whole_file.h"
#include "cardhouse/disk.h"
#include "cardhouse/record.h"
#include "cardhouse/shape.h"
#include "cardhouse/soft.h"
#include "cardhouse/text.h"

enum { PATH_SIZE = 4096, MANY_SHAPES = 2000 };
static const char TAIL[] = "</Collection></VTKFile>\n";
enum { LISTS = 3 };
static const char* const lists[LISTS] = {"world", "contacts", "chains"};

struct ChVtk {
  char* folder;
  int every;
  ChArena* arena;
  ChPatches* patches;  // of each shape
  ChLock* lock;
  FILE* list[LISTS];
  long end[LISTS];  // where the closing tags of a list begin
};

// --- arrays ----------------------------------------------------------------------------------------------------------

// The count of bytes and the bytes are one stream of digits: readers that seek a part of an array rely on it. Six bytes
// make eight digits without a remainder.
static void put_array(FILE* file, const char* type, const char* name, int components, size_t bytes, const void* data) {
  uint32_t head = (uint32_t)bytes;
  unsigned char first[6];
  size_t lead = bytes < 2 ? bytes : 2;
  memcpy(first, &head, sizeof head);
  memcpy(first + sizeof head, data, lead);
  fprintf(file, "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" format=\"binary\">", type, name,
          components);
  ch_base64_write(file, first, sizeof head + lead);
  ch_base64_write(file, (const unsigned char*)data + lead, bytes - lead);
  fputs("</DataArray>\n", file);
}

static void put_vectors(FILE* file, const char* name, long count, const float* data) {
  put_array(file, "Float32", name, 3, 3 * (size_t)count * sizeof *data, data);
}

static void put_float3(float* out, ChVec3 value) {
  out[0] = (float)value.x, out[1] = (float)value.y, out[2] = (float)value.z;
}

static void put_cells(FILE* file, const char* tag, long cells, const int* ends, long corners, const int* corner) {
  fprintf(file, "<%s>\n", tag);
  put_array(file, "Int32", "connectivity", 1, (size_t)corners * sizeof *corner, corner);
  put_array(file, "Int32", "offsets", 1, (size_t)cells * sizeof *ends, ends);
  fprintf(file, "</%s>\n", tag);
}

static void put_head(FILE* file, long points, long verts, long lines, long polys) {
  fprintf(file,
          "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" "
          "header_type=\"UInt32\">\n<PolyData><Piece NumberOfPoints=\"%ld\" NumberOfVerts=\"%ld\" "
          "NumberOfLines=\"%ld\" NumberOfStrips=\"0\" NumberOfPolys=\"%ld\">\n",
          points, verts, lines, polys);
}

// --- surfaces --------------------------------------------------------------------------------------------------------

// Everything of a frame in arrays; [0] polylines, [1] polygons.
typedef struct Frame {
  long points, cells[2], corners[2];
  float *point, *velocity;
  float* displacement;    // from where a rigid body would be; NULL: no body deforms
  float *stress, *mises;  // xx yy zz xy yz xz; NULL as well
  int *corner[2], *end[2], *body[2];
} Frame;

static void take_frame(ChArena* arena, const ChVtk* vtk, int shapes, bool deforms, Frame* f) {
  *f = (Frame){0};
  for (int k = 0; k < shapes; ++k) {
    const ChPatches* p = &vtk->patches[k];
    f->points += p->point_count;
    f->cells[!p->line] += p->cell_count;
    f->corners[!p->line] += p->corner_count;
  }
  f->point = CH_TAKE(arena, 3 * f->points, float);
  f->velocity = CH_TAKE(arena, 3 * f->points, float);
  if (deforms) {
    f->displacement = CH_TAKE(arena, 3 * f->points, float);
    f->stress = CH_TAKE(arena, 6 * f->points, float);
    f->mises = CH_TAKE(arena, f->points, float);
  }
  for (int j = 0; j < 2; ++j) {
    f->corner[j] = CH_TAKE(arena, f->corners[j], int);
    f->end[j] = CH_TAKE(arena, f->cells[j], int);
    f->body[j] = CH_TAKE(arena, f->cells[0] + f->cells[1], int);
  }
  f->points = f->cells[0] = f->cells[1] = f->corners[0] = f->corners[1] = 0;
}

static void add_cells(Frame* f, const ChPatches* p, const ChShapeView* shape) {
  int j = !p->line;
  for (int k = 0; k < p->corner_count; ++k) f->corner[j][f->corners[j] + k] = (int)f->points + p->corners[k];
  for (int k = 0; k < p->cell_count; ++k) {
    f->corners[j] += p->sizes[k];
    f->body[j][f->cells[j]] = shape->body;
    f->end[j][f->cells[j]++] = (int)f->corners[j];
  }
}

static ChFrame frame_of(const ChBodyView* body) { return (ChFrame){body->position, body->orientation}; }

static void add_points(Frame* f, const ChPatches* p, const ChShapeView* shape, const ChBodyView* body) {
  ChFrame frame = ch_frame_compose(frame_of(body), shape->local);
  for (int k = 0; k < p->point_count; ++k, ++f->points) {
    ChVec3 at = ch_frame_point(frame, p->points[k]);
    put_float3(f->point + 3 * f->points, at);
    put_float3(f->velocity + 3 * f->points, ch_add(body->velocity, ch_cross(body->omega, ch_sub(at, body->position))));
  }
}

// x = p + R y,  dx/dt = v + omega x R y + R U qd,  y = X + U q
static void add_skin(Frame* f, const ChSoftView* soft, const double* q, const double* qd, const ChBodyView* body) {
  for (int v = 0; v < soft->skin->vertex_count; ++v, ++f->points) {
    ChVec3 rest = soft->skin->rest[v];
    ChVec3 bent = ch_rotate(body->orientation, ch_sub(ch_soft_point(soft, v, q), rest));
    ChVec3 arm = ch_add(ch_rotate(body->orientation, rest), bent);
    ChVec3 rate = ch_rotate(body->orientation, ch_sub(ch_soft_point(soft, v, qd), rest));
    put_float3(f->point + 3 * f->points, ch_add(body->position, arm));
    put_float3(f->velocity + 3 * f->points, ch_add(ch_add(body->velocity, ch_cross(body->omega, arm)), rate));
    put_float3(f->displacement + 3 * f->points, bent);
  }
}

// R sigma R', along the axes of the world. Rigid bodies keep 0.
static void add_stress(Frame* f, ChArena* arena, const ChSimulation* s, int body, ChQuat turn, int count) {
  double* stress = CH_TAKE(arena, 6L * count, double);
  ch_simulation_soft_stress(s, ch_world_body_at(ch_simulation_world(s), body), stress);
  for (int v = 0; v < count; ++v, stress += 6) {
    const ChVec3 a = ch_rotate(turn, ch_vec(stress[0], stress[3], stress[5])),  // columns of R sigma
        b = ch_rotate(turn, ch_vec(stress[3], stress[1], stress[4])),
                 c = ch_rotate(turn, ch_vec(stress[5], stress[4], stress[2])),
                 x = ch_rotate(turn, ch_vec(a.x, b.x, c.x)), y = ch_rotate(turn, ch_vec(a.y, b.y, c.y)),
                 z = ch_rotate(turn, ch_vec(a.z, b.z, c.z));
    const double six[6] = {x.x, y.y, z.z, x.y, y.z, x.z};
    for (int k = 0; k < 6; ++k) f->stress[6 * (f->points + v) + k] = (float)six[k];
    f->mises[f->points + v] = (float)ch_von_mises(stress);
  }
}

static void add_shape(Frame* f, ChArena* arena, const ChPatches* p, const ChShapeView* shape, const ChSimulation* s) {
  const ChWorld* world = ch_simulation_world(s);
  const ChBodyView body = ch_simulation_body_at(s, shape->body);
  ChSoftView soft;
  add_cells(f, p, shape);
  if (!ch_world_soft(world, shape->body, &soft)) {
    add_points(f, p, shape, &body);
    return;
  }
  add_stress(f, arena, s, shape->body, body.orientation, soft.skin->vertex_count);
  int modes;
  const ChBodyId id = ch_world_body_at(world, shape->body);
  add_skin(f, &soft, ch_simulation_modes(s, id, &modes), ch_simulation_rates(s, id, &modes), &body);
}

static void put_world(FILE* file, ChArena* arena, const ChVtk* vtk, const ChSimulation* s) {
  const ChWorld* world = ch_simulation_world(s);
  const int shapes = ch_world_shape_count(world);
  Frame f;
  take_frame(arena, vtk, shapes, ch_world_mode_count(world) > 0, &f);
  for (int k = 0; k < shapes; ++k) {
    const ChShapeView shape = ch_world_shape(world, k);
    add_shape(&f, arena, &vtk->patches[k], &shape, s);
  }
  memcpy(f.body[0] + f.cells[0], f.body[1], (size_t)f.cells[1] * sizeof(int));  // lines before polygons, as cells count
  put_head(file, f.points, 0, f.cells[0], f.cells[1]);
  fputs("<PointData Vectors=\"velocity\">\n", file);
  put_vectors(file, "velocity", f.points, f.velocity);
  if (f.displacement) {
    put_vectors(file, "displacement", f.points, f.displacement);
    put_array(file, "Float32", "von_mises", 1, (size_t)f.points * sizeof *f.mises, f.mises);
    put_array(file, "Float32", "stress", 6, 6 * (size_t)f.points * sizeof *f.stress, f.stress);
  }
  fputs("</PointData>\n<CellData Scalars=\"body\">\n", file);
  put_array(file, "Int32", "body", 1, (size_t)(f.cells[0] + f.cells[1]) * sizeof(int), f.body[0]);
  fputs("</CellData>\n<Points>\n", file);
  put_vectors(file, "points", f.points, f.point);
  fputs("</Points>\n", file);
  put_cells(file, "Lines", f.cells[0], f.end[0], f.corners[0], f.corner[0]);
  put_cells(file, "Polys", f.cells[1], f.end[1], f.corners[1], f.corner[1]);
  fputs("</Piece></PolyData></VTKFile>\n", file);
}

// --- contacts --------------------------------------------------------------------------------------------------------

static void put_contacts(FILE* file, ChArena* arena, const ChSimulation* s) {
  int count = 0;
  const ChContactView* contacts = ch_simulation_contacts(s, &count);
  float *vectors[6], *gap = CH_TAKE(arena, count, float);  // point, normal, force, slip, moment, spin
  int *corner = CH_TAKE(arena, count, int), *end = CH_TAKE(arena, count, int), *bodies = CH_TAKE(arena, 2 * count, int);
  int* branch = CH_TAKE(arena, count, int);
  for (int a = 0; a < 6; ++a) vectors[a] = CH_TAKE(arena, 3 * count, float);
  for (int k = 0; k < count; ++k) {
    const ChContactView* c = &contacts[k];
    const ChVec3 values[6] = {c->point, c->normal, c->force, c->slip, c->moment, c->spin};
    for (int a = 0; a < 6; ++a) put_float3(vectors[a] + 3 * k, values[a]);
    gap[k] = (float)c->gap;
    branch[k] = c->branch;
    bodies[2 * k] = c->body[0], bodies[2 * k + 1] = c->body[1];
    corner[k] = k, end[k] = k + 1;
  }
  put_head(file, count, count, 0, 0);
  fputs("<PointData Vectors=\"force\">\n", file);
  put_vectors(file, "force", count, vectors[2]);
  put_vectors(file, "slip", count, vectors[3]);
  put_vectors(file, "normal", count, vectors[1]);
  if (ch_world_has_moments(ch_simulation_world(s))) {
    put_vectors(file, "moment", count, vectors[4]);
    put_vectors(file, "spin", count, vectors[5]);
  }
  if (ch_world_has_friction_over_speed(ch_simulation_world(s)))
    put_array(file, "Int32", "branch", 1, (size_t)count * sizeof *branch, branch);
  put_array(file, "Float32", "gap", 1, (size_t)count * sizeof *gap, gap);
  put_array(file, "Int32", "bodies", 2, 2 * (size_t)count * sizeof *bodies, bodies);
  fputs("</PointData>\n<Points>\n", file);
  put_vectors(file, "points", count, vectors[0]);
  fputs("</Points>\n", file);
  put_cells(file, "Verts", count, end, count, corner);
  fputs("</Piece></PolyData></VTKFile>\n", file);
}

// --- chains of force -------------------------------------------------------------------------------------------------

// The end of a line at a body: its centre, or the point of contact where the body does not move.
static ChVec3 chain_end(const ChSimulation* s, const ChContactView* c, int side) {
  const ChWorld* world = ch_simulation_world(s);
  bool moves = ch_world_body_info(world, ch_world_body_at(world, c->body[side])).kind == CH_BODY_DYNAMIC;
  return moves ? ch_simulation_body_at(s, c->body[side]).position : c->point;
}

// A line for each pair of shapes that press: contacts of one pair follow each other. Its force is their normal one.
static void put_chains(FILE* file, ChArena* arena, const ChSimulation* s) {
  int count = 0, lines = 0;
  const ChContactView* contacts = ch_simulation_contacts(s, &count);
  float *points = CH_TAKE(arena, 6 * count, float), *force = CH_TAKE(arena, 2 * count, float);
  int *corner = CH_TAKE(arena, 2 * count, int), *end = CH_TAKE(arena, count, int);
  for (int k = 0; k < count;) {
    const ChContactView* c = &contacts[k];
    double sum = 0.0;
    for (; k < count && contacts[k].shape[0] == c->shape[0] && contacts[k].shape[1] == c->shape[1]; ++k)
      sum += ch_dot(contacts[k].force, contacts[k].normal);
    if (!(sum > 0.0)) continue;
    for (int side = 0; side < 2; ++side) {
      put_float3(points + 6 * lines + 3 * side, chain_end(s, c, side));
      force[2 * lines + side] = (float)sum;
      corner[2 * lines + side] = 2 * lines + side;
    }
    end[lines] = 2 * lines + 2;
    ++lines;
  }
  put_head(file, 2 * lines, 0, lines, 0);
  fputs("<PointData Scalars=\"force\">\n", file);
  put_array(file, "Float32", "force", 1, 2 * (size_t)lines * sizeof *force, force);
  fputs("</PointData>\n<Points>\n", file);
  put_vectors(file, "points", 2 * lines, points);
  fputs("</Points>\n", file);
  put_cells(file, "Lines", lines, end, 2 * lines, corner);
  fputs("</Piece></PolyData></VTKFile>\n", file);
}

// --- frames and lists ------------------------------------------------------------------------------------------------

typedef struct Shot {
  ChArena* arena;
  ChVtk* vtk;
  const ChSimulation* simulation;
  int which;  // of the lists
} Shot;

static void put_frame(FILE* file, const void* state) {
  const Shot* f = state;
  if (f->which == 0)
    put_world(file, f->arena, f->vtk, f->simulation);
  else if (f->which == 1)
    put_contacts(file, f->arena, f->simulation);
  else
    put_chains(file, f->arena, f->simulation);
}

static ChStatus write_frame(ChContext* context, ChArena* arena, ChVtk* vtk, const ChSimulation* s, int which) {
  char path[PATH_SIZE];
  snprintf(path, sizeof path, "%s/%s-%08ld.vtp", vtk->folder, lists[which], ch_simulation_step_count(s));
  return ch_whole_file_print(context, path, put_frame, &(Shot){arena, vtk, s, which});
}

static ChStatus list_failed(ChContext* context, const ChVtk* vtk, int which) {
  int error = errno;
  return ch_fail(context, ch_file_status(error ? error : EIO), "%s/%s.pvd: cannot be written: %s%s", vtk->folder,
                 lists[which], strerror(error ? error : EIO), ch_file_hint(error));
}

static ChStatus list_frame(ChContext* context, ChVtk* vtk, const ChSimulation* s, int which) {
  FILE* file = vtk->list[which];
  errno = 0;
  if (fseek(file, vtk->end[which], SEEK_SET) != 0) return list_failed(context, vtk, which);
  locale_t before = ch_plain_numbers_begin();
  int size = fprintf(file, "<DataSet timestep=\"%.17g\" file=\"%s-%08ld.vtp\"/>\n", ch_simulation_time(s), lists[which],
                     ch_simulation_step_count(s));
  ch_plain_numbers_end(before);
  fputs(TAIL, file);
  if (fflush(file) != 0 || size < 0) return list_failed(context, vtk, which);
  vtk->end[which] += size;
  return CH_OK;
}

static ChStatus add_frame(ChContext* context, ChVtk* vtk, const ChSimulation* s) {
  ChArena* volatile arena = NULL;
  jmp_buf landing;
  if (setjmp(landing) || !(arena = ch_arena_create(NULL))) {
    ch_arena_destroy(arena);
    return ch_fail(context, CH_ERR_MEMORY, "%s: out of memory for a picture", vtk->folder);
  }
  ch_arena_set_landing(arena, &landing);
  ChStatus status = CH_OK;
  for (int which = 0; which < LISTS && status == CH_OK; ++which) {
    status = write_frame(context, arena, vtk, s, which);
    if (status == CH_OK) status = list_frame(context, vtk, s, which);
  }
  ch_arena_destroy(arena);
  return status;
}

ChStatus ch_vtk_add(ChContext* context, ChVtk* vtk, const ChSimulation* s) {
  return ch_simulation_step_count(s) % vtk->every == 0 ? add_frame(context, vtk, s) : CH_OK;
}

// --- life ------------------------------------------------------------------------------------------------------------

// Where the entries of steps up to `last` end in a list that is there.
static long entries_end(FILE* file, long last) {
  char line[256];
  long end = 0, step;
  while (fgets(line, sizeof line, file)) {
    const char* dash = strstr(line, "\" file=\"");
    dash = dash ? strchr(dash, '-') : NULL;
    bool entry = strncmp(line, "<DataSet", 8) == 0 && dash && sscanf(dash + 1, "%ld", &step) == 1;
    if (strchr(line, '\n') == NULL || strncmp(line, "</", 2) == 0 || (entry && step > last)) break;
    end = ftell(file);
  }
  return end;
}

static ChStatus open_list(ChContext* context, ChVtk* vtk, const ChSimulation* s, bool resume, int which) {
  char path[PATH_SIZE];
  snprintf(path, sizeof path, "%s/%s.pvd", vtk->folder, lists[which]);
  bool goes_on = resume && access(path, F_OK) == 0;
  errno = 0;
  FILE* file = vtk->list[which] = fopen(path, goes_on ? "r+" : "w");
  if (!file) return list_failed(context, vtk, which);
  vtk->end[which] = goes_on ? entries_end(file, ch_simulation_step_count(s)) : 0;
  if (ftruncate(fileno(file), vtk->end[which]) != 0 || fseek(file, vtk->end[which], SEEK_SET) != 0)
    return list_failed(context, vtk, which);
  if (vtk->end[which] == 0)
    vtk->end[which] = fprintf(file,
                              "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" "
                              "byte_order=\"LittleEndian\">\n<Collection>\n");
  fputs(TAIL, file);
  return fflush(file) == 0 ? CH_OK : list_failed(context, vtk, which);
}

// Where a shape is at the start.
static ChFrame start_of(const ChWorld* world, const ChShapeView* shape) {
  return ch_frame_compose(ch_world_body_start(world, shape->body, NULL), shape->local);
}

static void free_patches(void* patches) { ch_patches_free(patches); }

static void take_patches(ChVtk* vtk, const ChWorld* world) {
  const int shapes = ch_world_shape_count(world);
  ChVec3 centre;
  ChSurfaceView view = {.reach = 2.0 * ch_world_ball(world, &centre), .facets = shapes > MANY_SHAPES ? 8 : 24};
  vtk->patches = CH_TAKE(vtk->arena, shapes, ChPatches);
  for (int k = 0; k < shapes; ++k) {
    const ChShapeView shape = ch_world_shape(world, k);
    view.about = ch_frame_local(start_of(world, &shape), centre);
    if (ch_world_shape_surface(NULL, world, k, &view, &vtk->patches[k]) != CH_OK) ch_arena_fail(vtk->arena);
    ch_arena_defer(vtk->arena, free_patches, &vtk->patches[k]);
  }
}

static ChStatus start(ChContext* context, ChVtk* vtk, const ChSimulation* s, bool resume) {
  jmp_buf landing;
  if (!vtk->arena || setjmp(landing)) return ch_fail(context, CH_ERR_MEMORY, "%s: out of memory", vtk->folder);
  ch_arena_set_landing(vtk->arena, &landing);
  take_patches(vtk, ch_simulation_world(s));
  ch_arena_set_landing(vtk->arena, NULL);
  ChStatus status = ch_folder_make(context, vtk->folder);
  if (status == CH_OK) status = ch_lock_folder(context, vtk->folder, &vtk->lock);
  for (int which = 0; which < LISTS && status == CH_OK; ++which) status = open_list(context, vtk, s, resume, which);
  if (status == CH_OK && !resume) status = add_frame(context, vtk, s);
  return status;
}

ChStatus ch_vtk_create(ChContext* context, const char* folder, const ChSimulation* simulation, int every, bool resume,
                       ChVtk** out) {
  *out = NULL;
  if (every < 1)
    return ch_fail(context, CH_ERR_RANGE, "%s: a picture every %d steps, must be 1 or more", folder, every);
  if (strlen(folder) > PATH_SIZE - 64) return ch_fail(context, CH_ERR_FILE, "%s: the name is too long", folder);
  ChVtk* vtk = calloc(1, sizeof *vtk);
  if (vtk) vtk->folder = strdup(folder);
  if (!vtk || !vtk->folder) {
    free(vtk);
    return ch_fail(context, CH_ERR_MEMORY, "%s: out of memory", folder);
  }
  vtk->every = every;
  vtk->arena = ch_arena_create(NULL);
  ChStatus status = start(context, vtk, simulation, resume);
  if (status == CH_OK)
    *out = vtk;
  else
    ch_vtk_close(NULL, vtk);
  return status;
}

ChStatus ch_vtk_close(ChContext* context, ChVtk* vtk) {
  (void)context;  // every list was flushed with its last entry
  if (!vtk) return CH_OK;
  for (int which = 0; which < LISTS; ++which)
    if (vtk->list[which]) fclose(vtk->list[which]);
  ch_lock_release(vtk->lock);
  ch_arena_destroy(vtk->arena);
  free(vtk->folder);
  free(vtk);
  return CH_OK;
}

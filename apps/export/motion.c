// Recorded runs for other programs: see motion.h.
#include "export/motion.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/by_row.h"

enum { FACETS = 24, FACETS_OF_MANY = 8, MANY_SHAPES = 2000 };

// --- rows ------------------------------------------------------------------------------------------------------------

// From row to row at least 1 / rate, on a grid of that width, so that rounding does not add up.
static bool is_due(const ChExportChoice* choice, double time, double* next) {
  if (choice->rate <= 0.0) return true;
  if (time < *next - 1e-6 / choice->rate) return false;
  *next = choice->from + (floor((time - choice->from) * choice->rate + 1e-6) + 1.0) / choice->rate;
  return true;
}

static ChStatus choose_rows(ChContext* context, const ChExportChoice* choice, ChExport* m) {
  long count;
  m->steps = ch_trajectory_reader_steps(m->reader, &count);
  m->frames = malloc((size_t)count * sizeof *m->frames);
  if (!m->frames) return ch_fail(context, CH_ERR_MEMORY, "%s: out of memory for %ld rows", m->path, count);
  double slack = 1e-9 * (1.0 + fabs(m->steps[count - 1].time)), next = -INFINITY;
  for (long k = 0; k < count; ++k) {
    double time = m->steps[k].time;
    if (time >= choice->from - slack && time <= choice->to + slack && is_due(choice, time, &next))
      m->frames[m->frame_count++] = k;
  }
  if (m->frame_count > 0) return CH_OK;
  return ch_fail(context, CH_ERR_RANGE,
                 "%s: no row lies between --from %g and --to %g; the recording is from %g to %g s", m->path,
                 choice->from, choice->to, m->steps[0].time, m->steps[count - 1].time);
}

// --- surfaces --------------------------------------------------------------------------------------------------------

static bool same_patches(const ChPatches* a, const ChPatches* b) {
  return a->line == b->line && a->point_count == b->point_count && a->cell_count == b->cell_count &&
         a->corner_count == b->corner_count &&
         memcmp(a->points, b->points, (size_t)a->point_count * sizeof *a->points) == 0 &&
         memcmp(a->sizes, b->sizes, (size_t)a->cell_count * sizeof *a->sizes) == 0 &&
         memcmp(a->corners, b->corners, (size_t)a->corner_count * sizeof *a->corners) == 0;
}

// Equal grains share a surface: it is written once.
static bool same_paint(const ChExport* m, int shape, int other) {
  double a[3], b[3], size[2];
  ch_export_colour(m, shape, a);
  ch_export_colour(m, other, b);
  return memcmp(a, b, sizeof a) == 0 &&
         ch_export_texture(m, shape, &size[0]) == ch_export_texture(m, other, &size[1]) && size[0] == size[1];
}

static int find_patch(const ChExport* m, int shape, const ChPatches* p) {
  for (int k = m->patch_count - 1; k >= 0; --k)
    if (same_paint(m, shape, m->shape_of[k]) && same_patches(p, &m->patches[k])) return k;
  return -1;
}

static ChStatus add_patch(ChContext* context, ChExport* m, int shape, ChSurfaceView* view, ChVec3 centre) {
  const ChShapeView s = ch_world_shape(m->world, shape);
  ChPatches p;
  view->about = ch_frame_local(ch_frame_compose(ch_world_body_start(m->world, s.body, NULL), s.local), centre);
  ChStatus status = ch_world_shape_surface(context, m->world, shape, view, &p);
  if (status != CH_OK) return status;
  int known = find_patch(m, shape, &p);
  m->patch_of[shape] = known >= 0 ? known : m->patch_count;
  if (known >= 0) {
    ch_patches_free(&p);
  } else {
    m->shape_of[m->patch_count] = shape;
    m->patches[m->patch_count++] = p;
  }
  return CH_OK;
}

static ChStatus make_patches(ChContext* context, ChExport* m) {
  size_t count = (size_t)m->shape_count + 1;
  m->patches = calloc(count, sizeof *m->patches);
  m->patch_of = calloc(count, sizeof *m->patch_of);
  m->shape_of = calloc(count, sizeof *m->shape_of);
  if (!m->patches || !m->patch_of || !m->shape_of)
    return ch_fail(context, CH_ERR_MEMORY, "%s: out of memory for %d surfaces", m->path, m->shape_count);
  ChVec3 centre;
  ChSurfaceView view = {.reach = 2.0 * ch_world_ball(m->world, &centre),
                        .facets = m->shape_count > MANY_SHAPES ? FACETS_OF_MANY : FACETS};
  ChStatus status = CH_OK;
  for (int k = 0; k < m->shape_count && status == CH_OK; ++k) status = add_patch(context, m, k, &view, centre);
  return status;
}

// --- life ------------------------------------------------------------------------------------------------------------

static ChStatus open_parts(ChContext* context, const ChExportChoice* choice, ChExport* m) {
  ChStatus status = ch_scene_of_trajectory(context, m->path, &m->scene);
  if (status != CH_OK) return status;
  m->world = m->scene->world;
  m->body_count = ch_world_body_count(m->world);
  m->shape_count = ch_world_shape_count(m->world);
  status = ch_trajectory_reader_open(context, m->path, m->world, &m->reader);
  if (status == CH_OK) status = choose_rows(context, choice, m);
  return status == CH_OK ? make_patches(context, m) : status;
}

ChStatus ch_export_open(ChContext* context, const char* path, const ChExportChoice* choice, ChExport* out) {
  *out = (ChExport){.path = path};
  ChStatus status = open_parts(context, choice, out);
  if (status != CH_OK) ch_export_close(out);
  return status;
}

void ch_export_close(ChExport* m) {
  for (int k = 0; k < m->patch_count; ++k) ch_patches_free(&m->patches[k]);
  free(m->patches);
  free(m->patch_of);
  free(m->shape_of);
  free(m->frames);
  ch_trajectory_reader_close(m->reader);
  ch_scene_destroy(m->scene);
  *m = (ChExport){0};
}

// --- questions -------------------------------------------------------------------------------------------------------

double ch_export_time(const ChExport* m, long frame) { return m->steps[m->frames[frame]].time; }

ChStatus ch_export_row(ChContext* context, const ChExport* m, long frame, ChTrajectoryRow* out) {
  return ch_trajectory_reader_row(context, m->reader, m->frames[frame], out);
}

bool ch_export_moves(const ChExport* m, int body) {
  return ch_world_body_info(m->world, ch_world_body_at(m->world, body)).kind != CH_BODY_FIXED;
}

const char* ch_export_name(const ChExport* m, int body) { return ch_row_name(m->world, body); }

// x = p + R (X + U q)
ChVec3 ch_export_point(const ChExport* m, int shape, int k, ChFrame body, const double* amplitudes) {
  const ChShapeView s = ch_world_shape(m->world, shape);
  ChSoftView soft;
  if (ch_world_soft(m->world, s.body, &soft))
    return ch_frame_point(body, ch_soft_point(&soft, k, amplitudes + soft.first_mode));
  return ch_frame_point(ch_frame_compose(body, s.local), m->patches[m->patch_of[shape]].points[k]);
}

static void take_places(const ChExport* m, const ChTrajectoryRow* row, ChFrame* out) {
  for (int b = 0; b < m->body_count; ++b) out[b] = (ChFrame){row->bodies[b].position, row->bodies[b].orientation};
}

ChStatus ch_export_tracks(ChContext* context, const ChExport* m, ChExportTracks* out) {
  *out = (ChExportTracks){.motion = m, .modes = ch_world_mode_count(m->world)};
  size_t frames = (size_t)m->frame_count;
  out->places = calloc(frames * (size_t)m->body_count + 1, sizeof *out->places);
  out->amplitudes = calloc(frames * (size_t)out->modes + 1, sizeof *out->amplitudes);
  ChStatus status = CH_OK;
  if (!out->places || !out->amplitudes)
    status = ch_fail(context, CH_ERR_MEMORY, "%s: out of memory for %ld frames of %d bodies; use a lower --fps",
                     m->path, m->frame_count, m->body_count);
  for (long k = 0; k < m->frame_count && status == CH_OK; ++k) {
    ChTrajectoryRow row;
    status = ch_export_row(context, m, k, &row);
    if (status != CH_OK) break;
    take_places(m, &row, out->places + k * m->body_count);
    if (out->modes > 0)
      memcpy(out->amplitudes + k * out->modes, row.amplitudes, (size_t)out->modes * sizeof *row.amplitudes);
  }
  if (status != CH_OK) ch_export_tracks_free(out);
  return status;
}

void ch_export_tracks_free(ChExportTracks* t) {
  free(t->places);
  free(t->amplitudes);
  *t = (ChExportTracks){0};
}

// Neighbours in the list differ, also for whoever tells red from green badly (Okabe and Ito's eight).
void ch_export_colour(const ChExport* m, int shape, double colour[3]) {
  static const double palette[][3] = {{0.00, 0.45, 0.70}, {0.90, 0.62, 0.00}, {0.00, 0.62, 0.45}, {0.80, 0.40, 0.00},
                                      {0.34, 0.71, 0.91}, {0.80, 0.47, 0.65}, {0.94, 0.89, 0.26}};
  static const double still[3] = {0.62, 0.62, 0.60};
  const ChShapeView s = ch_world_shape(m->world, shape);
  const ChLook look = ch_world_look(m->world, s.body);
  const int count = (int)(sizeof palette / sizeof *palette);
  if (look.coloured || look.texture > 0) {
    const unsigned rgb = look.coloured ? look.colour : 0xffffffu;
    for (int k = 0; k < 3; ++k) colour[k] = (double)(rgb >> (16 - 8 * k) & 0xffu) / 255.0;
    return;
  }
  memcpy(colour, ch_export_moves(m, s.body) ? palette[s.material % count] : still, sizeof still);
}

int ch_export_texture(const ChExport* m, int shape, double* size) {
  const ChLook look = ch_world_look(m->world, ch_world_shape(m->world, shape).body);
  *size = look.texture_size;
  return look.texture;
}

ChExportWorth ch_export_worth(const ChExport* m) {
  ChExportWorth worth = {.tolerance = ch_trajectory_reader_head(m->reader)->tolerance};
  for (long k = m->frames[0]; k <= m->frames[m->frame_count - 1]; ++k)
    if (!(m->steps[k].natural <= worth.natural)) worth.natural = m->steps[k].natural;  // NaN stays
  return worth;
}

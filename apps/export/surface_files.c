// A frame a file: Wavefront OBJ, and PLY (binary, little-endian; vertices, faces and the body of each face).
#include <stdint.h>
#include <string.h>

#include "cardhouse/disk.h"
#include "export/formats.h"

enum { PATH_SIZE = 4096 };

typedef struct Shot {
  const ChExport* motion;
  const ChTrajectoryRow* row;
  long frame;
} Shot;

static ChVec3 point_of(const Shot* shot, int shape, int k) {
  const ChBodyView* body = &shot->row->bodies[ch_world_shape(shot->motion->world, shape).body];
  return ch_export_point(shot->motion, shape, k, (ChFrame){body->position, body->orientation}, shot->row->amplitudes);
}

// --- OBJ -------------------------------------------------------------------------------------------------------------

// A name ends with its line; what would end it is left out.
static void put_name(FILE* file, const char* name) {
  for (; *name; ++name) fputc((unsigned char)*name < ' ' ? '_' : *name, file);
}

static void put_obj(FILE* file, const void* state) {
  const Shot* shot = state;
  const ChExport* m = shot->motion;
  long first = 1;
  fprintf(file, "# t = %.9g s, metres, z up\n", ch_export_time(m, shot->frame));
  for (int shape = 0; shape < m->shape_count; ++shape) {
    const ChPatches* p = &m->patches[m->patch_of[shape]];
    fputs("o ", file);
    put_name(file, ch_export_name(m, ch_world_shape(m->world, shape).body));
    fputc('\n', file);
    for (int k = 0; k < p->point_count; ++k) {
      ChVec3 x = point_of(shot, shape, k);
      fprintf(file, "v %.9g %.9g %.9g\n", x.x, x.y, x.z);
    }
    const int* corner = p->corners;
    for (int k = 0; k < p->cell_count; corner += p->sizes[k++]) {
      fputc(p->line ? 'l' : 'f', file);
      for (int j = 0; j < p->sizes[k]; ++j) fprintf(file, " %ld", first + corner[j]);
      fputc('\n', file);
    }
    first += p->point_count;
  }
}

// --- PLY -------------------------------------------------------------------------------------------------------------

static void put_bytes(FILE* file, const void* bytes, size_t size) {
  fwrite(bytes, 1, size, file);  // what fails shows in ferror, which the caller asks
}

static void put_ply_head(FILE* file, const ChExport* m, double time) {
  long points = 0, faces = 0;
  for (int k = 0; k < m->shape_count; ++k) {
    const ChPatches* p = &m->patches[m->patch_of[k]];
    points += p->point_count;
    faces += p->line ? 0 : p->cell_count;
  }
  fprintf(file,
          "ply\nformat binary_little_endian 1.0\ncomment t = %.9g s, metres, z up\nelement vertex %ld\n"
          "property float x\nproperty float y\nproperty float z\nelement face %ld\n"
          "property list uchar int vertex_indices\nproperty int body\nend_header\n",
          time, points, faces);
}

static void put_ply_face(FILE* file, int size, const int* corner, int32_t first, int32_t body) {
  unsigned char count = (unsigned char)size;
  put_bytes(file, &count, 1);
  for (int j = 0; j < size; ++j) {
    int32_t index = first + corner[j];
    put_bytes(file, &index, sizeof index);
  }
  put_bytes(file, &body, sizeof body);
}

// Lines have no place in it.
static void put_ply(FILE* file, const void* state) {
  const Shot* shot = state;
  const ChExport* m = shot->motion;
  put_ply_head(file, m, ch_export_time(m, shot->frame));
  for (int shape = 0; shape < m->shape_count; ++shape)
    for (int k = 0; k < m->patches[m->patch_of[shape]].point_count; ++k) {
      ChVec3 x = point_of(shot, shape, k);
      float point[3] = {(float)x.x, (float)x.y, (float)x.z};
      put_bytes(file, point, sizeof point);
    }
  int32_t first = 0;
  for (int shape = 0; shape < m->shape_count; ++shape) {
    const ChPatches* p = &m->patches[m->patch_of[shape]];
    const int* corner = p->corners;
    for (int k = 0; k < p->cell_count && !p->line; corner += p->sizes[k++])
      put_ply_face(file, p->sizes[k], corner, first, ch_world_shape(m->world, shape).body);
    first += p->point_count;
  }
}

// --- sequences -------------------------------------------------------------------------------------------------------

static ChStatus write_sequence(ChContext* context, const ChExport* m, const char* folder, const char* ending,
                               void (*put)(FILE* file, const void* shot)) {
  char path[PATH_SIZE];
  if (strlen(folder) > PATH_SIZE - 64) return ch_fail(context, CH_ERR_FILE, "%s: the name is too long", folder);
  ChStatus status = ch_folder_make(context, folder);
  for (long k = 0; k < m->frame_count && status == CH_OK; ++k) {
    ChTrajectoryRow row;
    status = ch_export_row(context, m, k, &row);
    snprintf(path, sizeof path, "%s/frame-%06ld.%s", folder, k, ending);
    if (status == CH_OK) status = ch_whole_file_print(context, path, put, &(Shot){m, &row, k});
  }
  return status;
}

ChStatus ch_export_obj(ChContext* context, const ChExport* m, const char* folder) {
  return write_sequence(context, m, folder, "obj", put_obj);
}

ChStatus ch_export_ply(ChContext* context, const ChExport* m, const char* folder) {
  return write_sequence(context, m, folder, "ply", put_ply);
}

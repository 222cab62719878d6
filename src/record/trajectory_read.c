// Reading trajectories: see cardhouse/trajectory.h. The columns with one number a row are read at once, bodies and
// contacts one row at a time, so that a long run needs little memory.
#include "record/trajectory_read.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/check.h"
#include "cardhouse/shape.h"
#include "files/hdf5_file.h"
#include "record/soft_group.h"
#include "record/trajectory_columns.h"

struct ChTrajectoryReader {
  const ChWorld* world;
  ChArena* arena;
  char* path;
  ChHdf5 file;
  ChReadColumns columns;
  ChTrajectoryHead head;
  long rows;
  ChTrajectoryStep* steps;
  int64_t* offsets;
  ChBodyView* bodies;
  double *amplitudes, *rates;
  size_t contact_room;
  ChContactView* contacts;
};

// --- opening -------------------------------------------------------------------------------------------------------

bool ch_trajectory_is_headless(const ChWholeFile* file) {
  static const char nothing[8];
  return file->regular && !file->hdf5 && file->size >= sizeof nothing && memcmp(file->text, nothing, 8) == 0;
}

bool ch_trajectory_is_one(const char* path) {
  ChContext unread = {0};
  ChWholeFile file;
  ChArena* arena = ch_arena_create(NULL);
  // A pipe is left alone: it can be read once, and holds text where it holds anything.
  struct stat info;
  const bool regular = stat(path, &info) == 0 && S_ISREG(info.st_mode);
  const bool read = regular && arena && ch_whole_file_read(&unread, path, false, arena, &file) == CH_OK;
  const bool is = read && (file.hdf5 || ch_trajectory_is_headless(&file));
  ch_arena_destroy(arena);
  return is;
}

static ChStatus incomplete(ChContext* context, const char* path) {
  return ch_fail(context, CH_ERR_FORMAT,
                 "%s: an incomplete trajectory: the run that wrote it ended before its first rows were flushed", path);
}

static ChStatus open_file(ChContext* context, const char* path, ChArena* arena, ChHdf5* h) {
  ChWholeFile whole;
  ChStatus status = ch_whole_file_read(context, path, false, arena, &whole);
  if (status != CH_OK) return status;
  if (ch_trajectory_is_headless(&whole)) return incomplete(context, path);
  if (!whole.hdf5) return ch_fail(context, CH_ERR_FORMAT, "%s: not a trajectory: it is not an HDF5 file", path);
  ch_hdf5_open(h, context, path, arena);
  ch_trajectory_check_format(h);
  return h->status;
}

ChStatus ch_trajectory_scene(ChContext* context, const char* path, char** scene) {
  *scene = NULL;
  ChArena* arena = ch_arena_create(NULL);
  if (!arena) return ch_fail(context, CH_ERR_MEMORY, "%s: out of memory", path);
  ChHdf5 h = CH_HDF5_CLOSED;
  ChStatus status = open_file(context, path, arena, &h);
  const char* text = status == CH_OK && ch_hdf5_has_attribute(&h, "scene") ? ch_hdf5_attribute_text(&h, "scene") : "";
  if (status == CH_OK) status = h.status;
  if (status == CH_OK && !*text) status = incomplete(context, path);
  if (status == CH_OK && !(*scene = strdup(text))) status = ch_fail(context, CH_ERR_MEMORY, "%s: out of memory", path);
  ch_hdf5_close(&h);
  ch_arena_destroy(arena);
  return status;
}

static ChStatus get_softs(ChContext* context, const char* path, ChArena* arena, ChHdf5* h, ChRecordedSofts** out) {
  jmp_buf landing;
  ch_arena_set_landing(arena, &landing);
  if (setjmp(landing)) return ch_fail(context, CH_ERR_MEMORY, "%s: out of memory", path);
  ChRecordedSofts* softs = CH_TAKE(arena, 1, ChRecordedSofts);
  softs->memory = arena;
  ChStatus status = open_file(context, path, arena, h);
  if (status == CH_OK) {
    ch_soft_group_get(h, softs);
    status = h->status;
  }
  ch_arena_set_landing(arena, NULL);
  *out = softs;
  return status;
}

ChStatus ch_trajectory_softs(ChContext* context, const char* path, ChRecordedSofts** softs) {
  *softs = NULL;
  ChArena* arena = ch_arena_create(NULL);
  if (!arena) return ch_fail(context, CH_ERR_MEMORY, "%s: out of memory", path);
  ChHdf5 h = CH_HDF5_CLOSED;
  ChStatus status = get_softs(context, path, arena, &h, softs);
  ch_hdf5_close(&h);
  if (status == CH_OK) return CH_OK;
  ch_arena_destroy(arena);
  *softs = NULL;
  return status;
}

void ch_recorded_softs_destroy(ChRecordedSofts* softs) {
  if (softs) ch_arena_destroy(softs->memory);  // which holds `softs` too
}

static ChStatus count_rows(ChContext* context, ChTrajectoryReader* r) {
  long rows = 0, contacts;
  if (!ch_read_columns_until(&r->columns, HUGE_VAL, &rows, &contacts)) return r->file.status;
  if (rows == 0 || rows > INT_MAX)
    return ch_fail(context, CH_ERR_FORMAT, "%s: the trajectory has no readable row", r->path);
  r->rows = rows;
  return CH_OK;
}

// --- columns with one number a row -----------------------------------------------------------------------------------

static ChStatus cannot_read(ChContext* context, const ChTrajectoryReader* r, ChTrajectoryColumn c) {
  if (r->file.status != CH_OK) return r->file.status;
  return ch_fail(context, CH_ERR_FORMAT, "%s: /%s cannot be read: the file is damaged", r->path,
                 ch_trajectory_column_name(c));
}

// Into the member of every step that lies `offset` bytes into it. Counts are 64 bits wide, as reals are.
static bool read_member(ChTrajectoryReader* r, ChTrajectoryColumn c, bool count, size_t offset, void* scratch) {
  if (!ch_read_rows_into(&r->columns, c, 0, r->rows, scratch)) return false;
  for (long k = 0; k < r->rows; ++k) {
    char* member = (char*)&r->steps[k] + offset;
    if (count)
      *(long*)member = (long)((int64_t*)scratch)[k];
    else
      *(double*)member = ((double*)scratch)[k];
  }
  return true;
}

static ChStatus read_steps(ChContext* context, ChTrajectoryReader* r) {
  static const struct {
    ChTrajectoryColumn column;
    size_t offset;
    bool count;
  } members[] = {
      {CH_COLUMN_TIME, offsetof(ChTrajectoryStep, time), false},
      {CH_COLUMN_CERTIFICATE, offsetof(ChTrajectoryStep, natural), false},
      {CH_COLUMN_KINETIC, offsetof(ChTrajectoryStep, kinetic), false},
      {CH_COLUMN_POTENTIAL, offsetof(ChTrajectoryStep, potential), false},
      {CH_COLUMN_SECONDS, offsetof(ChTrajectoryStep, seconds), false},
      {CH_COLUMN_PENETRATION, offsetof(ChTrajectoryStep, penetration), false},
      {CH_COLUMN_CONTACTS, offsetof(ChTrajectoryStep, contacts), true},
      {CH_COLUMN_ITERATIONS, offsetof(ChTrajectoryStep, iterations), true},
      {CH_COLUMN_OVERLAP, offsetof(ChTrajectoryStep, overlap), false},
      {CH_COLUMN_GAIN, offsetof(ChTrajectoryStep, gain), false},
      {CH_COLUMN_UNCOVERED, offsetof(ChTrajectoryStep, uncovered), false},
      {CH_COLUMN_BOUNDS, offsetof(ChTrajectoryStep, bounds), true},
  };
  void* scratch = CH_TAKE(r->arena, r->rows, double);
  for (size_t m = 0; m < sizeof members / sizeof *members; ++m)
    if (r->columns.column[members[m].column].there &&
        !read_member(r, members[m].column, members[m].count, members[m].offset, scratch))
      return cannot_read(context, r, members[m].column);
  if (!ch_read_rows_into(&r->columns, CH_COLUMN_OFFSET, 0, r->rows + 1, r->offsets))
    return cannot_read(context, r, CH_COLUMN_OFFSET);
  return CH_OK;
}

// --- life ------------------------------------------------------------------------------------------------------------

static ChStatus open_in_arena(ChContext* context, ChTrajectoryReader* r) {
  jmp_buf landing;
  ch_arena_set_landing(r->arena, &landing);
  if (setjmp(landing)) return ch_fail(context, CH_ERR_MEMORY, "%s: out of memory", r->path);
  ChTrajectoryMade made = {0};
  ChStatus status = open_file(context, r->path, r->arena, &r->file);
  if (status == CH_OK) {
    ch_trajectory_check_world(&r->file, r->world);
    ch_trajectory_get_made(&r->file, &made);
    ch_read_columns_open(&r->columns, &r->file, r->world);
    status = r->file.status;
  }
  if (status == CH_OK) status = count_rows(context, r);
  if (status == CH_OK) {
    r->head = (ChTrajectoryHead){.h = made.h, .tolerance = made.tolerance};
    snprintf(r->head.method, sizeof r->head.method, "%s", made.method);
    snprintf(r->head.contact, sizeof r->head.contact, "%s", made.contact);
    r->steps = CH_TAKE(r->arena, r->rows, ChTrajectoryStep);
    r->offsets = CH_TAKE(r->arena, r->rows + 1, int64_t);
    r->bodies = CH_TAKE(r->arena, ch_world_body_count(r->world), ChBodyView);
    r->amplitudes = CH_TAKE(r->arena, ch_world_mode_count(r->world), double);
    r->rates = CH_TAKE(r->arena, ch_world_mode_count(r->world), double);
    status = read_steps(context, r);
  }
  ch_arena_set_landing(r->arena, NULL);
  return status;
}

ChStatus ch_trajectory_reader_open(ChContext* context, const char* path, const ChWorld* world,
                                   ChTrajectoryReader** out) {
  *out = NULL;
  ChTrajectoryReader* r = calloc(1, sizeof *r);
  if (!r) return ch_fail(context, CH_ERR_MEMORY, "%s: out of memory", path);
  r->world = world;
  r->file = CH_HDF5_CLOSED;
  r->path = strdup(path);
  r->arena = ch_arena_create(NULL);
  ChStatus status =
      r->path && r->arena ? open_in_arena(context, r) : ch_fail(context, CH_ERR_MEMORY, "%s: out of memory", path);
  if (status == CH_OK)
    *out = r;
  else
    ch_trajectory_reader_close(r);
  return status;
}

void ch_trajectory_reader_close(ChTrajectoryReader* r) {
  if (!r) return;
  ch_read_columns_close(&r->columns);
  ch_hdf5_close(&r->file);
  if (r->arena) ch_arena_destroy(r->arena);
  free(r->contacts);
  free(r->path);
  free(r);
}

const ChTrajectoryHead* ch_trajectory_reader_head(const ChTrajectoryReader* r) { return &r->head; }

const ChTrajectoryStep* ch_trajectory_reader_steps(const ChTrajectoryReader* r, long* rows) {
  *rows = r->rows;
  return r->steps;
}

long ch_trajectory_reader_row_at(const ChTrajectoryReader* r, double time) {
  long low = 0, high = r->rows;  // the answer is in [low, high)
  while (high - low > 1) {
    long middle = low + (high - low) / 2;
    if (r->steps[middle].time <= time)
      low = middle;
    else
      high = middle;
  }
  return low;
}

// --- one row ---------------------------------------------------------------------------------------------------------

static ChVec3 vector_of(const double* numbers, int dimension) {
  return (ChVec3){numbers[0], numbers[1], dimension == 3 ? numbers[2] : 0.0};
}

static bool finite_vector(ChVec3 v) { return isfinite(v.x) && isfinite(v.y) && isfinite(v.z); }

static void put_turns(ChTrajectoryReader* r, const double* numbers) {
  for (int b = 0; b < ch_world_body_count(r->world); ++b) {
    const double* q = numbers + 4 * (size_t)b;
    if (ch_world_dimension(r->world) == 3) {
      r->bodies[b].orientation = (ChQuat){q[0], q[1], q[2], q[3]};
      continue;
    }
    double angle = r->bodies[b].angle = numbers[b];
    r->bodies[b].orientation = (ChQuat){cos(0.5 * angle), 0.0, 0.0, sin(0.5 * angle)};
  }
}

static void put_spins(ChTrajectoryReader* r, const double* numbers) {
  for (int b = 0; b < ch_world_body_count(r->world); ++b)
    r->bodies[b].omega =
        ch_world_dimension(r->world) == 3 ? vector_of(numbers + 3 * (size_t)b, 3) : (ChVec3){0.0, 0.0, numbers[b]};
}

static ChStatus read_bodies(ChContext* context, ChTrajectoryReader* r, long row) {
  static const ChTrajectoryColumn order[] = {CH_COLUMN_POSITION, CH_COLUMN_ORIENTATION, CH_COLUMN_VELOCITY,
                                             CH_COLUMN_OMEGA};
  int d = ch_world_dimension(r->world), count = ch_world_body_count(r->world);
  for (int k = 0; k < 4; ++k) {
    const double* numbers = ch_read_rows(&r->columns, order[k], row, 1);
    if (!numbers) return cannot_read(context, r, order[k]);
    for (int b = 0; b < count && k == 0; ++b) r->bodies[b].position = vector_of(numbers + (size_t)d * b, d);
    for (int b = 0; b < count && k == 2; ++b) r->bodies[b].velocity = vector_of(numbers + (size_t)d * b, d);
    if (k == 1) put_turns(r, numbers);
    if (k == 3) put_spins(r, numbers);
  }
  for (int b = 0; b < count; ++b) {
    ChQuat q = r->bodies[b].orientation;
    double norm = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
    if (!(finite_vector(r->bodies[b].position) && fabs(norm - 1.0) <= 1e-3 && finite_vector(r->bodies[b].velocity) &&
          finite_vector(r->bodies[b].omega)))
      return ch_fail(context, CH_ERR_FORMAT, "%s: row %ld: body '%s' has no place in space", r->path, row,
                     ch_world_body_name(r->world, ch_world_body_at(r->world, b)));
  }
  return CH_OK;
}

static ChStatus read_modes(ChContext* context, ChTrajectoryReader* r, long row) {
  static const ChTrajectoryColumn order[] = {CH_COLUMN_AMPLITUDES, CH_COLUMN_RATES};
  double* const out[] = {r->amplitudes, r->rates};
  for (int k = 0; k < 2 && ch_world_mode_count(r->world) > 0; ++k) {
    const double* modes = ch_read_rows(&r->columns, order[k], row, 1);
    if (!modes || !ch_all_finite(modes, ch_world_mode_count(r->world))) return cannot_read(context, r, order[k]);
    memcpy(out[k], modes, (size_t)ch_world_mode_count(r->world) * sizeof *modes);
  }
  return CH_OK;
}

static bool reserve_contacts(ChTrajectoryReader* r, size_t count) {
  if (count <= r->contact_room) return true;
  size_t room = count + count / 2;
  free(r->contacts);
  r->contacts = malloc(room * sizeof *r->contacts);
  r->contact_room = r->contacts ? room : 0;
  return r->contacts != NULL;
}

static ChStatus read_contact_column(ChContext* context, ChTrajectoryReader* r, ChTrajectoryColumn c, long first,
                                    int count, size_t offset) {
  const int d = ch_world_dimension(r->world);
  const bool turns = d == 2 && (c == CH_COLUMN_MOMENT || c == CH_COLUMN_SPIN);  // about the axis out of the plane
  const double* numbers = ch_read_rows(&r->columns, c, first, count);
  if (!numbers) return cannot_read(context, r, c);
  for (int k = 0; k < count; ++k) {
    ChVec3 value = turns ? ch_vec(0.0, 0.0, numbers[k]) : vector_of(numbers + (size_t)d * k, d);
    if (!finite_vector(value)) return cannot_read(context, r, c);
    *(ChVec3*)((char*)&r->contacts[k] + offset) = value;
  }
  return CH_OK;
}

static ChStatus read_pairs(ChContext* context, ChTrajectoryReader* r, long first, int count) {
  const int32_t* pairs = ch_read_rows(&r->columns, CH_COLUMN_BODIES, first, count);
  if (!pairs) return cannot_read(context, r, CH_COLUMN_BODIES);
  const double* gaps = ch_read_rows(&r->columns, CH_COLUMN_GAP, first, count);
  if (!gaps) return cannot_read(context, r, CH_COLUMN_GAP);
  for (int k = 0; k < count; ++k) {
    if (!isfinite(gaps[k])) return cannot_read(context, r, CH_COLUMN_GAP);
    r->contacts[k] = (ChContactView){.gap = gaps[k]};
    for (int side = 0; side < 2; ++side) {
      int body = pairs[2 * (size_t)k + side];
      if (body < 0 || body >= ch_world_body_count(r->world))
        return ch_fail(context, CH_ERR_FORMAT, "%s: /contact/bodies: there is no body %d", r->path, body);
      int shape;
      r->contacts[k].body[side] = body;
      r->contacts[k].shape[side] = ch_world_body_shapes(r->world, body, &shape) > 0 ? shape : -1;
    }
  }
  return CH_OK;
}

static ChStatus read_branches(ChContext* context, ChTrajectoryReader* r, long first, int count) {
  if (!r->columns.column[CH_COLUMN_BRANCH].there) return CH_OK;
  const int64_t* branches = ch_read_rows(&r->columns, CH_COLUMN_BRANCH, first, count);
  if (!branches) return cannot_read(context, r, CH_COLUMN_BRANCH);
  for (int k = 0; k < count; ++k) {
    if (branches[k] < 0 || branches[k] >= CH_BRANCH_COUNT) return cannot_read(context, r, CH_COLUMN_BRANCH);
    r->contacts[k].branch = (ChBranch)branches[k];
  }
  return CH_OK;
}

static ChStatus read_contacts(ChContext* context, ChTrajectoryReader* r, long row, int* count) {
  long first = (long)r->offsets[row];
  *count = (int)(r->offsets[row + 1] - r->offsets[row]);
  if (*count == 0) return CH_OK;
  if (!reserve_contacts(r, (size_t)*count))
    return ch_fail(context, CH_ERR_MEMORY, "%s: out of memory for %d contacts", r->path, *count);
  static const struct {
    ChTrajectoryColumn column;
    size_t offset;
  } members[] = {
      {CH_COLUMN_POINT, offsetof(ChContactView, point)},   {CH_COLUMN_NORMAL, offsetof(ChContactView, normal)},
      {CH_COLUMN_FORCE, offsetof(ChContactView, force)},   {CH_COLUMN_SLIP, offsetof(ChContactView, slip)},
      {CH_COLUMN_MOMENT, offsetof(ChContactView, moment)}, {CH_COLUMN_SPIN, offsetof(ChContactView, spin)}};
  ChStatus status = read_pairs(context, r, first, *count);
  for (size_t m = 0; status == CH_OK && m < sizeof members / sizeof *members; ++m)
    if (r->columns.column[members[m].column].there)
      status = read_contact_column(context, r, members[m].column, first, *count, members[m].offset);
  return status == CH_OK ? read_branches(context, r, first, *count) : status;
}

ChStatus ch_trajectory_reader_row(ChContext* context, ChTrajectoryReader* r, long row, ChTrajectoryRow* out) {
  *out = (ChTrajectoryRow){0};
  if (row < 0 || row >= r->rows)
    return ch_fail(context, CH_ERR_RANGE, "%s: row %ld, must be in [0, %ld)", r->path, row, r->rows);
  r->file.context = context;  // that of the opening may be gone
  if (r->file.status != CH_OK)
    return ch_fail(context, r->file.status, "%s: cannot be read further: a part of it is damaged", r->path);
  int count = 0;
  ChStatus status = read_bodies(context, r, row);
  if (status == CH_OK) status = read_modes(context, r, row);
  if (status == CH_OK) status = read_contacts(context, r, row, &count);
  if (status == CH_OK)
    *out = (ChTrajectoryRow){.bodies = r->bodies,
                             .amplitudes = r->amplitudes,
                             .rates = r->rates,
                             .contact_count = count,
                             .contacts = r->contacts};
  return status;
}

// Reading trajectories: see trajectory_read.h. The columns with one number a row are read at once, bodies and contacts
// one row at a time, so that a long run needs little memory.
#include "record/trajectory_read.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "problem/hdf5_file.h"
#include "record/soft_group.h"
#include "record/trajectory_file.h"

struct ChTrajectoryReader {
  const ChWorld* world;
  ChArena* arena;
  char* path;
  ChHdf5 file;
  ChColumn columns[CH_TRAJECTORY_COLUMNS];
  ChTrajectoryHead head;
  long rows;
  ChTrajectoryStep* steps;
  int64_t* offsets;
  ChBodyView* bodies;
  double* numbers;  // four a body
  double *amplitudes, *rates;
  size_t contact_room;
  ChContactView* contacts;
  double* contact_numbers;  // three a contact
  int32_t* pairs;
};

// --- opening -------------------------------------------------------------------------------------------------------

bool ch_trajectory_is_headless(const ChWholeFile* file) {
  static const char nothing[8];
  return file->regular && !file->hdf5 && file->size >= sizeof nothing && memcmp(file->text, nothing, 8) == 0;
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
  if (!whole.hdf5) return ch_fail(context, CH_ERR_FORMAT, "%s: not a trajectory: it is no HDF5 file", path);
  status = ch_hdf5_open_here(h, context, path, arena);
  return status == CH_OK ? ch_trajectory_check_format(context, path, h->file) : status;
}

ChStatus ch_trajectory_scene(ChContext* context, const char* path, char** scene) {
  *scene = NULL;
  ChArena* arena = ch_arena_create(NULL);
  if (!arena) return ch_fail(context, CH_ERR_MEMORY, "%s: out of memory", path);
  ChHdf5 h = {.file = H5I_INVALID_HID, .channel = -1};
  ChStatus status = open_file(context, path, arena, &h);
  bool there = status == CH_OK && ch_trajectory_get_scene(h.file, scene);
  if (status == CH_OK && !(there && **scene)) status = incomplete(context, path);
  if (status != CH_OK) {
    free(*scene);
    *scene = NULL;
  }
  ch_hdf5_close(&h);
  ch_arena_destroy(arena);
  return status;
}

static ChStatus get_softs(ChContext* context, const char* path, ChArena* arena, ChHdf5* h, ChRecordedSofts** out) {
  jmp_buf landing;
  ch_arena_set_landing(arena, &landing);
  if (setjmp(landing)) return ch_fail(context, CH_ERR_MEMORY, "%s: out of memory", path);
  ChRecordedSofts* softs = CH_TAKE(arena, 1, ChRecordedSofts);
  softs->arena = arena;
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
  ChHdf5 h = {.file = H5I_INVALID_HID, .channel = -1};
  ChStatus status = get_softs(context, path, arena, &h, softs);
  ch_hdf5_close(&h);
  if (status == CH_OK) return CH_OK;
  ch_arena_destroy(arena);
  *softs = NULL;
  return status;
}

// Every column is where it should be, in this file, with the extents that the world asks for.
static ChStatus open_columns(ChContext* context, ChTrajectoryReader* r) {
  for (int c = 0; c < CH_TRAJECTORY_COLUMNS; ++c) {
    const char* name = ch_trajectory_column_name((ChTrajectoryColumn)c);
    if (!ch_trajectory_column_is_there(r->file.file, r->world, (ChTrajectoryColumn)c)) continue;
    if (!ch_hdf5_has(&r->file, name)) ch_hdf5_fail(&r->file, CH_ERR_FORMAT, "dataset /%s is missing", name);
    if (r->file.status != CH_OK) return r->file.status;
  }
  if (!ch_trajectory_columns_open(r->file.file, r->world, r->columns))
    return ch_fail(context, CH_ERR_FORMAT, "%s: its columns do not fit its scene", r->path);
  for (int c = 0; c < CH_TRAJECTORY_COLUMNS; ++c) {
    const ChColumn* column = &r->columns[c];
    double bytes = (double)column->extents[0] * (double)column->row_bytes;
    const char* name = ch_trajectory_column_name((ChTrajectoryColumn)c);
    if (bytes > 0.0 && !ch_hdf5_storage_holds(&r->file, name, column->set, bytes)) return r->file.status;
  }
  return CH_OK;
}

static ChStatus count_rows(ChContext* context, ChTrajectoryReader* r) {
  hsize_t rows = 0;
  long contacts;
  if (!ch_trajectory_rows_until(r->columns, HUGE_VAL, &rows, &contacts) || rows == 0 || rows > INT_MAX)
    return ch_fail(context, CH_ERR_FORMAT, "%s: the trajectory has no row that could be read", r->path);
  r->rows = (long)rows;
  return CH_OK;
}

// --- columns with one number a row -----------------------------------------------------------------------------------

static ChStatus cannot_read(ChContext* context, const ChTrajectoryReader* r, ChTrajectoryColumn c) {
  return ch_fail(context, CH_ERR_FORMAT, "%s: /%s cannot be read: the file is damaged", r->path,
                 ch_trajectory_column_name(c));
}

// Numbers of any type as they stand in the file, into the member of every step that lies `offset` bytes into it.
static bool read_reals(const ChTrajectoryReader* r, ChTrajectoryColumn c, double* scratch, size_t offset) {
  if (!ch_column_read(&r->columns[c], 0, (hsize_t)r->rows, scratch)) return false;
  for (long k = 0; k < r->rows; ++k) *(double*)((char*)&r->steps[k] + offset) = scratch[k];
  return true;
}

static bool read_counts(const ChTrajectoryReader* r, ChTrajectoryColumn c, int64_t* scratch, size_t offset) {
  if (!ch_column_read(&r->columns[c], 0, (hsize_t)r->rows, scratch)) return false;
  for (long k = 0; k < r->rows; ++k) *(long*)((char*)&r->steps[k] + offset) = (long)scratch[k];
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
  };
  void* scratch = CH_TAKE(r->arena, r->rows, double);
  for (size_t m = 0; m < sizeof members / sizeof *members; ++m) {
    ChTrajectoryColumn c = members[m].column;
    bool done =
        members[m].count ? read_counts(r, c, scratch, members[m].offset) : read_reals(r, c, scratch, members[m].offset);
    if (!done) return cannot_read(context, r, c);
  }
  if (!ch_column_read(&r->columns[CH_COLUMN_OFFSET], 0, (hsize_t)r->rows + 1, r->offsets))
    return cannot_read(context, r, CH_COLUMN_OFFSET);
  for (long k = 0; k < r->rows; ++k) {
    int64_t count = r->offsets[k + 1] - r->offsets[k];
    if (r->offsets[k] < 0 || count < 0 || count > INT_MAX / 8)
      return ch_fail(context, CH_ERR_FORMAT, "%s: /contact/offset[%ld] is not in order", r->path, k + 1);
    if (!(isfinite(r->steps[k].time) && (k == 0 || r->steps[k].time >= r->steps[k - 1].time)))
      return ch_fail(context, CH_ERR_FORMAT, "%s: /time[%ld] is not in order", r->path, k);
  }
  return CH_OK;
}

// --- life ------------------------------------------------------------------------------------------------------------

static ChStatus open_in_arena(ChContext* context, ChTrajectoryReader* r) {
  jmp_buf landing;
  ch_arena_set_landing(r->arena, &landing);
  if (setjmp(landing)) return ch_fail(context, CH_ERR_MEMORY, "%s: out of memory", r->path);
  ChStatus status = open_file(context, r->path, r->arena, &r->file);
  if (status == CH_OK) status = ch_trajectory_check_world(context, r->path, r->file.file, r->world);
  ChTrajectoryHead* head = &r->head;
  if (status == CH_OK &&
      !ch_trajectory_get_numbers(r->file.file, &head->h, &head->tolerance, head->method, sizeof head->method))
    status = ch_fail(context, CH_ERR_FORMAT, "%s: the trajectory does not tell its time step", r->path);
  if (status == CH_OK) status = open_columns(context, r);
  if (status == CH_OK) status = count_rows(context, r);
  if (status == CH_OK) {
    r->steps = CH_TAKE(r->arena, r->rows, ChTrajectoryStep);
    r->offsets = CH_TAKE(r->arena, r->rows + 1, int64_t);
    r->bodies = CH_TAKE(r->arena, r->world->body_count, ChBodyView);
    r->numbers = CH_TAKE(r->arena, 4 * (size_t)r->world->body_count, double);
    r->amplitudes = CH_TAKE(r->arena, r->world->mode_count, double);
    r->rates = CH_TAKE(r->arena, r->world->mode_count, double);
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
  r->file = (ChHdf5){.file = H5I_INVALID_HID, .channel = -1};
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
  for (int c = 0; c < CH_TRAJECTORY_COLUMNS; ++c) ch_column_close(&r->columns[c]);
  ch_hdf5_close(&r->file);
  if (r->arena) ch_arena_destroy(r->arena);
  free(r->contacts);
  free(r->contact_numbers);
  free(r->pairs);
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

static void put_turns(ChTrajectoryReader* r) {
  for (int b = 0; b < r->world->body_count; ++b) {
    const double* q = r->numbers + 4 * b;
    if (r->world->dimension == 3) {
      r->bodies[b].orientation = (ChQuat){q[0], q[1], q[2], q[3]};
      continue;
    }
    double angle = r->bodies[b].angle = r->numbers[b];
    r->bodies[b].orientation = (ChQuat){cos(0.5 * angle), 0.0, 0.0, sin(0.5 * angle)};
  }
}

static void put_spins(ChTrajectoryReader* r) {
  for (int b = 0; b < r->world->body_count; ++b)
    r->bodies[b].omega =
        r->world->dimension == 3 ? vector_of(r->numbers + 3 * b, 3) : (ChVec3){0.0, 0.0, r->numbers[b]};
}

static ChStatus read_bodies(ChContext* context, ChTrajectoryReader* r, long row) {
  static const ChTrajectoryColumn order[] = {CH_COLUMN_POSITION, CH_COLUMN_ORIENTATION, CH_COLUMN_VELOCITY,
                                             CH_COLUMN_OMEGA};
  int d = r->world->dimension, count = r->world->body_count;
  for (int k = 0; k < 4; ++k) {
    if (!ch_column_read(&r->columns[order[k]], (hsize_t)row, 1, r->numbers)) return cannot_read(context, r, order[k]);
    for (int b = 0; b < count && k == 0; ++b) r->bodies[b].position = vector_of(r->numbers + d * b, d);
    for (int b = 0; b < count && k == 2; ++b) r->bodies[b].velocity = vector_of(r->numbers + d * b, d);
    if (k == 1) put_turns(r);
    if (k == 3) put_spins(r);
  }
  for (int b = 0; b < count; ++b) {
    ChQuat q = r->bodies[b].orientation;
    double norm = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
    if (!(finite_vector(r->bodies[b].position) && fabs(norm - 1.0) <= 1e-3))
      return ch_fail(context, CH_ERR_FORMAT, "%s: row %ld: body '%s' has no place in space", r->path, row,
                     ch_world_body_name(r->world, b));
  }
  return CH_OK;
}

static ChStatus read_modes(ChContext* context, ChTrajectoryReader* r, long row) {
  static const ChTrajectoryColumn order[] = {CH_COLUMN_AMPLITUDES, CH_COLUMN_RATES};
  double* const out[] = {r->amplitudes, r->rates};
  for (int k = 0; k < 2 && r->world->mode_count > 0; ++k) {
    bool done = ch_column_read(&r->columns[order[k]], (hsize_t)row, 1, out[k]);
    if (!done || !ch_all_finite(out[k], r->world->mode_count)) return cannot_read(context, r, order[k]);
  }
  return CH_OK;
}

static bool reserve_contacts(ChTrajectoryReader* r, size_t count) {
  if (count <= r->contact_room) return true;
  size_t room = count + count / 2;
  free(r->contacts);
  free(r->contact_numbers);
  free(r->pairs);
  r->contacts = malloc(room * sizeof *r->contacts);
  r->contact_numbers = malloc(3 * room * sizeof *r->contact_numbers);
  r->pairs = malloc(2 * room * sizeof *r->pairs);
  bool done = r->contacts && r->contact_numbers && r->pairs;
  r->contact_room = done ? room : 0;
  return done;
}

static ChStatus read_contact_column(ChContext* context, ChTrajectoryReader* r, ChTrajectoryColumn c, hsize_t first,
                                    int count, size_t offset) {
  int d = r->world->dimension;
  if (!ch_column_read(&r->columns[c], first, (hsize_t)count, r->contact_numbers)) return cannot_read(context, r, c);
  for (int k = 0; k < count; ++k) {
    ChVec3 value = vector_of(r->contact_numbers + d * k, d);
    if (!finite_vector(value)) return cannot_read(context, r, c);
    *(ChVec3*)((char*)&r->contacts[k] + offset) = value;
  }
  return CH_OK;
}

static ChStatus read_pairs(ChContext* context, ChTrajectoryReader* r, hsize_t first, int count) {
  if (!ch_column_read(&r->columns[CH_COLUMN_BODIES], first, (hsize_t)count, r->pairs))
    return cannot_read(context, r, CH_COLUMN_BODIES);
  if (!ch_column_read(&r->columns[CH_COLUMN_GAP], first, (hsize_t)count, r->contact_numbers))
    return cannot_read(context, r, CH_COLUMN_GAP);
  for (int k = 0; k < count; ++k) {
    if (!isfinite(r->contact_numbers[k])) return cannot_read(context, r, CH_COLUMN_GAP);
    r->contacts[k] = (ChContactView){.gap = r->contact_numbers[k]};
    for (int side = 0; side < 2; ++side) {
      int body = r->pairs[2 * k + side];
      if (body < 0 || body >= r->world->body_count)
        return ch_fail(context, CH_ERR_FORMAT, "%s: /contact/bodies: there is no body %d", r->path, body);
      const ChBody* b = &r->world->bodies[body];
      r->contacts[k].body[side] = body;
      r->contacts[k].shape[side] = b->shape_count > 0 ? b->first_shape : -1;
    }
  }
  return CH_OK;
}

static ChStatus read_contacts(ChContext* context, ChTrajectoryReader* r, long row, int* count) {
  hsize_t first = (hsize_t)r->offsets[row];
  *count = (int)(r->offsets[row + 1] - r->offsets[row]);
  if (*count == 0) return CH_OK;
  if (!reserve_contacts(r, (size_t)*count))
    return ch_fail(context, CH_ERR_MEMORY, "%s: out of memory for %d contacts", r->path, *count);
  static const struct {
    ChTrajectoryColumn column;
    size_t offset;
  } members[] = {{CH_COLUMN_POINT, offsetof(ChContactView, point)},
                 {CH_COLUMN_NORMAL, offsetof(ChContactView, normal)},
                 {CH_COLUMN_FORCE, offsetof(ChContactView, force)},
                 {CH_COLUMN_SLIP, offsetof(ChContactView, slip)}};
  ChStatus status = read_pairs(context, r, first, *count);
  for (int m = 0; status == CH_OK && m < 4; ++m)
    status = read_contact_column(context, r, members[m].column, first, *count, members[m].offset);
  return status;
}

ChStatus ch_trajectory_reader_row(ChContext* context, ChTrajectoryReader* r, long row, ChTrajectoryRow* out) {
  *out = (ChTrajectoryRow){0};
  if (row < 0 || row >= r->rows)
    return ch_fail(context, CH_ERR_RANGE, "%s: row %ld, must be in [0, %ld)", r->path, row, r->rows);
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

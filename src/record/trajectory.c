// The trajectory file: see docs/trajectory.md. A table of columns says what it holds; every row gathers in memory, and
// twice a second all columns are written and flushed.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/check.h"
#include "cardhouse/clock.h"
#include "cardhouse/disk.h"
#include "record/column.h"
#include "record/joint_group.h"
#include "record/steady_file.h"
#include "record/trajectory_copy.h"
#include "record/trajectory_file.h"

enum { PENDING_MOST = 1 << 22 };
static const double FLUSH_SECONDS = 0.5;

struct ChTrajectory {
  char* path;
  int every;
  long revision;  // of the world: rows of bodies must stay what they are
  ChSteady file;
  ChColumn columns[CH_TRAJECTORY_COLUMNS];
  long contacts;  // rows of /contact so far
  ChRowSum since;
  double flushed;
  bool failed;  // said so already
  H5E_auto2_t handler;
  void* handler_data;
};

// HDF5 prints its errors unless told not to; whoever calls us may have told it otherwise.
static void hush(ChTrajectory* t) {
  H5Eget_auto2(H5E_DEFAULT, &t->handler, &t->handler_data);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}
static void unhush(ChTrajectory* t) { H5Eset_auto2(H5E_DEFAULT, t->handler, t->handler_data); }

static ChStatus write_failed(ChContext* context, ChTrajectory* t) {
  int error = t->file.file >= 0 ? ch_steady_error(&t->file) : errno;
  for (int c = 0; c < CH_TRAJECTORY_COLUMNS; ++c)
    if (t->columns[c].starved) return ch_fail(context, CH_ERR_MEMORY, "%s: out of memory for its rows", t->path);
  t->failed = true;
  return ch_fail(context, ch_file_status(error), "%s: cannot be written: %s%s", t->path,
                 error ? strerror(error) : "HDF5 gives no reason", ch_file_hint(error));
}

// --- rows ----------------------------------------------------------------------------------------------------------

static void put(ChTrajectory* t, ChTrajectoryColumn c, double value) {
  double* row = ch_column_row(&t->columns[c]);
  if (row) *row = value;
}

static void put_count(ChTrajectory* t, ChTrajectoryColumn c, long value) {
  int64_t* row = ch_column_row(&t->columns[c]);
  if (row) *row = value;
}

static void put_vector(ChTrajectory* t, ChTrajectoryColumn c, int dimension, ChVec3 value) {
  double* row = ch_column_row(&t->columns[c]);
  for (int a = 0; row && a < dimension; ++a) row[a] = ch_component(value, a);
}

// A file from before there were momenta is continued without, and so is one without the certificate's `rigid`.
static void put_momenta(ChTrajectory* t, int dimension, const ChStepInfo* info) {
  if (t->columns[CH_COLUMN_MOMENTUM].set > 0) put_vector(t, CH_COLUMN_MOMENTUM, dimension, info->momentum);
  if (!(t->columns[CH_COLUMN_ANGULAR_MOMENTUM].set > 0)) return;
  if (dimension == 3)
    put_vector(t, CH_COLUMN_ANGULAR_MOMENTUM, 3, info->angular_momentum);
  else
    put(t, CH_COLUMN_ANGULAR_MOMENTUM, info->angular_momentum.z);
}

static void put_bodies(ChTrajectory* t, const ChSimulation* s) {
  int d = ch_world_dimension(ch_simulation_world(s)), count = ch_world_body_count(ch_simulation_world(s));
  double* position = ch_column_row(&t->columns[CH_COLUMN_POSITION]);
  double* orientation = ch_column_row(&t->columns[CH_COLUMN_ORIENTATION]);
  double* velocity = ch_column_row(&t->columns[CH_COLUMN_VELOCITY]);
  double* omega = ch_column_row(&t->columns[CH_COLUMN_OMEGA]);
  if (!position || !orientation || !velocity || !omega) return;
  for (int b = 0; b < count; ++b) {
    ChBodyView view = ch_simulation_body_at(s, b);
    for (int a = 0; a < d; ++a) {
      position[d * b + a] = ch_component(view.position, a);
      velocity[d * b + a] = ch_component(view.velocity, a);
    }
    if (d == 2) {
      orientation[b] = view.angle;
      omega[b] = view.omega.z;
    } else {
      ChQuat q = view.orientation;
      memcpy(orientation + 4 * b, (double[4]){q.w, q.x, q.y, q.z}, 4 * sizeof *orientation);
      for (int a = 0; a < 3; ++a) omega[3 * b + a] = ch_component(view.omega, a);
    }
  }
}

static void put_modes(ChTrajectory* t, const ChSimulation* s) {
  const ChWorld* world = ch_simulation_world(s);
  if (ch_world_mode_count(world) == 0) return;
  double* amplitudes = ch_column_row(&t->columns[CH_COLUMN_AMPLITUDES]);
  double* rates = ch_column_row(&t->columns[CH_COLUMN_RATES]);
  if (!amplitudes || !rates) return;
  for (int b = 0; b < ch_world_body_count(world); ++b) {
    ChSoftView soft;
    int count;
    if (!ch_world_soft(world, b, &soft)) continue;
    const ChBodyId body = ch_world_body_at(world, b);
    const size_t bytes = (size_t)soft.modes * sizeof(double);
    memcpy(amplitudes + soft.first_mode, ch_simulation_modes(s, body, &count), bytes);
    memcpy(rates + soft.first_mode, ch_simulation_rates(s, body, &count), bytes);
  }
}

// A file from before joints were recorded is continued without.
static void put_joints(ChTrajectory* t, const ChSimulation* s) {
  if (!(t->columns[CH_COLUMN_JOINT_POSITION].set > 0) || !(t->columns[CH_COLUMN_JOINT_SPEED].set > 0) ||
      !(t->columns[CH_COLUMN_JOINT_FORCE].set > 0))
    return;
  double* position = ch_column_row(&t->columns[CH_COLUMN_JOINT_POSITION]);
  double* speed = ch_column_row(&t->columns[CH_COLUMN_JOINT_SPEED]);
  double* force = ch_column_row(&t->columns[CH_COLUMN_JOINT_FORCE]);
  if (position && speed && force) ch_joint_group_row(s, position, speed, force);
}

static void put_moment(ChTrajectory* t, ChTrajectoryColumn c, int dimension, ChVec3 value) {
  if (!(t->columns[c].set > 0)) return;
  if (dimension == 3)
    put_vector(t, c, 3, value);
  else
    put(t, c, value.z);
}

static void put_contacts(ChTrajectory* t, const ChSimulation* s) {
  int count = 0, d = ch_world_dimension(ch_simulation_world(s));
  const ChContactView* contacts = ch_simulation_contacts(s, &count);
  for (int k = 0; k < count; ++k) {
    const ChContactView* view = &contacts[k];
    int32_t* bodies = ch_column_row(&t->columns[CH_COLUMN_BODIES]);
    if (bodies) bodies[0] = view->body[0], bodies[1] = view->body[1];
    put_vector(t, CH_COLUMN_POINT, d, view->point);
    put_vector(t, CH_COLUMN_NORMAL, d, view->normal);
    put(t, CH_COLUMN_GAP, view->gap);
    put_vector(t, CH_COLUMN_FORCE, d, view->force);
    put_vector(t, CH_COLUMN_SLIP, d, view->slip);
    put_moment(t, CH_COLUMN_MOMENT, d, view->moment);
    put_moment(t, CH_COLUMN_SPIN, d, view->spin);
    if (t->columns[CH_COLUMN_BRANCH].set > 0) put_count(t, CH_COLUMN_BRANCH, view->branch);
  }
  t->contacts += count;
  put_count(t, CH_COLUMN_OFFSET, t->contacts);
}

static void put_bounds(ChTrajectory* t) {
  const ChRowSum* since = &t->since;
  if (t->columns[CH_COLUMN_OVERLAP].set > 0) put(t, CH_COLUMN_OVERLAP, since->overlap);
  if (t->columns[CH_COLUMN_GAIN].set > 0) put(t, CH_COLUMN_GAIN, since->gain);
  if (t->columns[CH_COLUMN_UNCOVERED].set > 0) put(t, CH_COLUMN_UNCOVERED, since->uncovered);
  if (t->columns[CH_COLUMN_BOUNDS].set > 0) put_count(t, CH_COLUMN_BOUNDS, since->bounds);
}

static void put_row(ChTrajectory* t, const ChSimulation* s) {
  ChStepInfo info = ch_simulation_info(s);
  int contacts = 0;
  ch_simulation_contacts(s, &contacts);
  put(t, CH_COLUMN_TIME, ch_simulation_time(s));
  put_bodies(t, s);
  put_modes(t, s);
  put_joints(t, s);
  put_count(t, CH_COLUMN_CONTACTS, contacts);
  put_count(t, CH_COLUMN_ITERATIONS, t->since.iterations);
  put(t, CH_COLUMN_SECONDS, t->since.seconds);
  put(t, CH_COLUMN_PENETRATION, t->since.penetration);
  put(t, CH_COLUMN_KINETIC, info.kinetic);
  put(t, CH_COLUMN_POTENTIAL, info.potential);
  put_bounds(t);
  put_momenta(t, ch_world_dimension(ch_simulation_world(s)), &info);
  int column = CH_COLUMN_CERTIFICATE;
#define X(name, text)                                                                            \
  if (t->columns[column].set > 0) put(t, (ChTrajectoryColumn)column, t->since.certificate.name); \
  ++column;
  CH_CERTIFICATE_FIELDS(X)
#undef X
  put_contacts(t, s);
  t->since = (ChRowSum){0};
}

static size_t pending_bytes(const ChTrajectory* t) {
  size_t bytes = 0;
  for (int c = 0; c < CH_TRAJECTORY_COLUMNS; ++c) bytes += t->columns[c].used;
  return bytes;
}

// The time last, when all else is on its way: a reader that takes its length finds the rest there, whenever a kill
// came.
static bool write_columns(ChTrajectory* t) {
  bool done = true;
  for (int c = CH_COLUMN_TIME + 1; c < CH_TRAJECTORY_COLUMNS; ++c) done = ch_column_write(&t->columns[c]) && done;
  done = done && H5Fflush(t->file.file, H5F_SCOPE_LOCAL) >= 0;
  done = done && ch_column_write(&t->columns[CH_COLUMN_TIME]) && H5Fflush(t->file.file, H5F_SCOPE_LOCAL) >= 0;
  return done && ch_steady_error(&t->file) == 0;
}

static ChStatus flush(ChContext* context, ChTrajectory* t, bool durable) {
  hush(t);
  bool done = write_columns(t) && (!durable || ch_steady_sync(&t->file));
  ChStatus status = done ? CH_OK : write_failed(context, t);
  unhush(t);
  t->flushed = ch_clock_seconds();
  return status;
}

ChStatus ch_trajectory_flush(ChContext* context, ChTrajectory* t) { return flush(context, t, true); }

ChStatus ch_trajectory_add(ChContext* context, ChTrajectory* t, const ChSimulation* s) {
  if (ch_world_revision(ch_simulation_world(s)) != t->revision)
    return ch_fail(
        context, CH_ERR_UNSUPPORTED,
        "%s: bodies or joints were added or removed since the recording began; record the rest in another file",
        t->path);
  ChStepInfo info = ch_simulation_info(s);
  ChRowSum* since = &t->since;
#define X(name, text) since->certificate.name = ch_max(since->certificate.name, info.certificate.name);
  CH_CERTIFICATE_FIELDS(X)
#undef X
  since->iterations += info.iterations;
  since->seconds += info.seconds_collide + info.seconds_assemble + info.seconds_solve;
  since->penetration = ch_max(since->penetration, info.penetration);
  since->overlap = ch_max(since->overlap, info.overlap);
  since->gain = ch_max(since->gain, info.gain);
  since->uncovered = ch_max(since->uncovered, info.uncovered);
  since->bounds |= info.bounds;
  if (info.step % t->every == 0) put_row(t, s);
  bool due = ch_clock_seconds() - t->flushed >= FLUSH_SECONDS || pending_bytes(t) >= PENDING_MOST;
  return due ? flush(context, t, false) : CH_OK;
}

ChRowSum ch_trajectory_since(const ChTrajectory* t) { return t->since; }
void ch_trajectory_set_since(ChTrajectory* t, const ChRowSum* since) { t->since = *since; }

// --- life ----------------------------------------------------------------------------------------------------------

static void destroy(ChTrajectory* t) {
  for (int c = 0; c < CH_TRAJECTORY_COLUMNS; ++c) ch_column_close(&t->columns[c]);
  ch_steady_close(&t->file);
  free(t->path);
  free(t);
}

static bool create_file(ChTrajectory* t, const ChSimulation* s, const char* scene) {
  const ChSimulationOptions* o = ch_simulation_options(s);
  ChTrajectoryMade made = {.h = o->h,
                           .tolerance = o->solve.tolerance,
                           .method = o->solve.method,
                           .scene = scene,
                           .contact = ch_contact_law_name(o->contact)};
  if (!ch_steady_create(&t->file, t->path) || !ch_trajectory_put_head(t->file.file, ch_simulation_world(s), &made))
    return false;
  if (!ch_trajectory_columns_create(t->file.file, ch_simulation_world(s), NULL, t->columns)) return false;
  put_count(t, CH_COLUMN_OFFSET, 0);
  put_row(t, s);
  return write_columns(t) && H5Fstart_swmr_write(t->file.file) >= 0 && write_columns(t);
}

static ChStatus resume_file(ChContext* context, ChTrajectory* t, const ChSimulation* s) {
  ChStatus status = ch_trajectory_copy(context, t->path, ch_simulation_world(s), ch_simulation_time(s), &t->file,
                                       t->columns, &t->contacts);
  if (status != CH_OK) return status;
  return write_columns(t) && H5Fstart_swmr_write(t->file.file) >= 0 ? CH_OK : write_failed(context, t);
}

static ChStatus start(ChContext* context, ChTrajectory* t, const ChSimulation* s, const char* scene, bool resume) {
  if (ch_world_body_count(ch_simulation_world(s)) == 0)
    return ch_fail(context, CH_ERR_ARGUMENT, "%s: a world without bodies has no trajectory", t->path);
  if (resume && access(t->path, F_OK) == 0) return resume_file(context, t, s);
  errno = 0;
  if (create_file(t, s, scene)) return CH_OK;
  if (errno == EWOULDBLOCK && t->file.file < 0)
    return ch_fail(context, CH_ERR_FILE, "%s: another run is writing it", t->path);
  return write_failed(context, t);
}

ChStatus ch_trajectory_create(ChContext* context, const char* path, const ChSimulation* simulation, const char* scene,
                              int every, bool resume, ChTrajectory** out) {
  *out = NULL;
  if (every < 1) return ch_fail(context, CH_ERR_RANGE, "%s: a row every %d steps, must be 1 or more", path, every);
  ChTrajectory* t = calloc(1, sizeof *t);
  if (t) t->path = strdup(path);
  if (!t || !t->path) {
    free(t);
    return ch_fail(context, CH_ERR_MEMORY, "%s: out of memory", path);
  }
  t->every = every;
  t->revision = ch_world_revision(ch_simulation_world(simulation));
  t->file = CH_STEADY_CLOSED;
  t->flushed = ch_clock_seconds();
  hush(t);
  ChStatus status = start(context, t, simulation, scene ? scene : "", resume);
  H5E_auto2_t handler = t->handler;
  void* data = t->handler_data;
  if (status == CH_OK)
    *out = t;
  else
    destroy(t);
  H5Eset_auto2(H5E_DEFAULT, handler, data);
  return status;
}

ChStatus ch_trajectory_close(ChContext* context, ChTrajectory* t) {
  if (!t) return CH_OK;
  ChStatus status = t->failed ? CH_OK : ch_trajectory_flush(context, t);
  hush(t);
  H5E_auto2_t handler = t->handler;
  void* data = t->handler_data;
  destroy(t);
  H5Eset_auto2(H5E_DEFAULT, handler, data);
  return status;
}

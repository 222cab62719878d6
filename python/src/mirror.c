// Views: arrays that show what the engine has and take what it shall have.
//
// The engine keeps bodies as structs, with spins in their own frames; users want plain arrays in the world frame. So an
// array that somebody asked for is a block that is filled after every step and compared, before the next one, with
// what it was filled with. What differs was written by the user: it is checked and handed over, or refused as a whole.
// Arrays that nobody asked for cost nothing.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"

typedef enum Rows { BODIES, JOINTS, FREEDOMS, MODES } Rows;

// Columns in space and in the plane; 0: the array has one dimension.
static const struct {
  const char* name;
  Rows rows;
  int space, plane;
  bool writable;
} arrays[CORE_ARRAY_COUNT] = {
    [CORE_POSITION] = {"position", BODIES, 3, 2, true},
    [CORE_ORIENTATION] = {"orientation", BODIES, 4, 0, true},
    [CORE_VELOCITY] = {"velocity", BODIES, 3, 2, true},
    [CORE_SPIN] = {"spin", BODIES, 3, 0, true},
    [CORE_WRENCH] = {"wrench", BODIES, 6, 3, true},
    [CORE_JOINT_POSITION] = {"joint_position", FREEDOMS, 0, 0, false},
    [CORE_JOINT_SPEED] = {"joint_speed", FREEDOMS, 0, 0, false},
    [CORE_JOINT_FORCE] = {"joint_force", FREEDOMS, 0, 0, false},
    [CORE_JOINT_WRENCH] = {"joint_wrench", JOINTS, 6, 6, false},
    [CORE_TARGET] = {"target", FREEDOMS, 0, 0, true},
    [CORE_MODES] = {"modes", MODES, 0, 0, true},
    [CORE_RATES] = {"rates", MODES, 0, 0, true},
};

static const ChWorld* world_of(const CoreSimulation* self) { return ch_simulation_world(self->simulation); }

static double* data_of(const CoreSimulation* self, CoreArray array) {
  return self->blocks[array] ? self->blocks[array]->data : NULL;
}

static int freedoms_of(const ChWorld* world, int joint) {
  ChJointDef def;
  if (ch_world_joint_def(NULL, world, ch_world_joint_at(world, joint), &def) != CH_OK) return 0;
  return ch_joint_info(def.type)->freedoms;
}

static Py_ssize_t rows_of(const CoreSimulation* self, Rows rows) {
  const ChWorld* world = world_of(self);
  int joints = ch_world_joint_count(world);
  if (rows == BODIES) return ch_world_body_count(world);
  if (rows == JOINTS) return joints;
  if (rows == MODES) return ch_world_mode_count(world);
  Py_ssize_t freedoms = 0;
  for (int j = 0; j < joints; ++j) freedoms += freedoms_of(world, j);
  return freedoms;
}

// --- from the engine -------------------------------------------------------------------------------------------------

static void pull_bodies(CoreSimulation* self) {
  double *position = data_of(self, CORE_POSITION), *orientation = data_of(self, CORE_ORIENTATION);
  double *velocity = data_of(self, CORE_VELOCITY), *spin = data_of(self, CORE_SPIN);
  if (position || orientation || velocity || spin)
    ch_simulation_get_bodies(self->simulation, position, orientation, velocity, spin);
}

static void pull_joints(CoreSimulation* self) {
  double *position = data_of(self, CORE_JOINT_POSITION), *speed = data_of(self, CORE_JOINT_SPEED);
  double *force = data_of(self, CORE_JOINT_FORCE), *wrench = data_of(self, CORE_JOINT_WRENCH);
  if (!position && !speed && !force && !wrench) return;
  const ChWorld* world = world_of(self);
  for (int j = 0, f = 0; j < ch_world_joint_count(world); ++j) {
    ChJointView view = ch_simulation_joint(self->simulation, ch_world_joint_at(world, j));
    for (int k = 0; k < view.freedoms; ++k, ++f) {
      if (position) position[f] = view.position[k];
      if (speed) speed[f] = view.speed[k];
      if (force) force[f] = view.drive[k] + view.limit[k] + view.friction[k];
    }
    if (wrench) memcpy(wrench + 6 * j, &view.force, 3 * sizeof(double));
    if (wrench) memcpy(wrench + 6 * j + 3, &view.torque, 3 * sizeof(double));
  }
}

// NaN where a freedom is not driven.
static void pull_targets(CoreSimulation* self) {
  double* target = data_of(self, CORE_TARGET);
  if (!target) return;
  const ChWorld* world = world_of(self);
  double time = ch_simulation_time(self->simulation);
  for (int j = 0, f = 0; j < ch_world_joint_count(world); ++j) {
    ChJointDef def;
    if (ch_world_joint_def(NULL, world, ch_world_joint_at(world, j), &def) != CH_OK) continue;
    for (int k = 0; k < ch_joint_info(def.type)->freedoms; ++k, ++f)
      target[f] = def.axes[k].drive == CH_DRIVE_NONE ? (double)NAN : ch_signal_value(&def.axes[k].target, time);
  }
}

static void pull_modes(CoreSimulation* self) {
  double *modes = data_of(self, CORE_MODES), *rates = data_of(self, CORE_RATES);
  if (!modes && !rates) return;
  const ChWorld* world = world_of(self);
  for (int b = 0; b < ch_world_body_count(world); ++b) {
    ChSoftView soft;
    if (!ch_world_soft(world, b, &soft)) continue;
    int count = 0;
    const double* q = ch_simulation_modes(self->simulation, ch_world_body_at(world, b), &count);
    if (modes && q) memcpy(modes + soft.first_mode, q, (size_t)count * sizeof *q);
    const double* dq = ch_simulation_rates(self->simulation, ch_world_body_at(world, b), &count);
    if (rates && dq) memcpy(rates + soft.first_mode, dq, (size_t)count * sizeof *dq);
  }
}

static void keep_all(CoreSimulation* self) {
  for (int k = 0; k < CORE_ARRAY_COUNT; ++k)
    if (self->blocks[k] && arrays[k].writable) core_block_keep(self->blocks[k]);
}

void core_mirror_pull(CoreSimulation* self) {
  pull_bodies(self);
  pull_joints(self);
  pull_targets(self);
  pull_modes(self);
  keep_all(self);
}

// --- to the engine ---------------------------------------------------------------------------------------------------

static bool is_changed(const CoreSimulation* self, CoreArray array) {
  return self->blocks[array] && core_block_is_changed(self->blocks[array]);
}

static ChStatus check_units(ChContext* context, CoreSimulation* self) {
  const double* q = data_of(self, CORE_ORIENTATION);
  const ChWorld* world = world_of(self);
  if (!q || ch_world_dimension(world) == 2) return CH_OK;
  for (int b = 0; b < ch_world_body_count(world); ++b, q += 4) {
    double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (!(fabs(length - 1.0) <= 1e-6))
      return ch_fail(context, CH_ERR_RANGE,
                     "orientation[%d], of body '%.100s', is (%g, %g, %g, %g), must be a unit quaternion (w, x, y, z)",
                     b, ch_world_body_name(world, ch_world_body_at(world, b)), q[0], q[1], q[2], q[3]);
  }
  return CH_OK;
}

static ChStatus push_bodies(ChContext* context, CoreSimulation* self) {
  bool changed = false;
  for (CoreArray k = CORE_POSITION; k <= CORE_SPIN; ++k) changed |= is_changed(self, k);
  if (!changed) return CH_OK;
  ChStatus status = check_units(context, self);
  if (status != CH_OK) return status;
  return ch_simulation_set_bodies(context, self->simulation, data_of(self, CORE_POSITION),
                                  data_of(self, CORE_ORIENTATION), data_of(self, CORE_VELOCITY),
                                  data_of(self, CORE_SPIN));
}

// The joint and the axis of a freedom, counted over all joints; false where there is none.
static bool find_freedom(const ChWorld* world, long freedom, ChJointId* joint, int* axis) {
  if (freedom < 0) return false;
  for (int j = 0; j < ch_world_joint_count(world); ++j) {
    int freedoms = freedoms_of(world, j);
    *joint = ch_world_joint_at(world, j);
    *axis = (int)freedom;
    if (freedom < freedoms) return true;
    freedom -= freedoms;
  }
  return false;
}

ChStatus core_mirror_steer(ChContext* context, CoreSimulation* self, long freedom, double target) {
  const ChWorld* world = world_of(self);
  ChJointId joint;
  int axis;
  if (!find_freedom(world, freedom, &joint, &axis))
    return ch_fail(context, CH_ERR_RANGE, "there is no freedom %ld of a joint", freedom);
  if (!self->steered) self->steered = calloc((size_t)rows_of(self, FREEDOMS), 1);
  if (!self->steered) return ch_fail(context, CH_ERR_MEMORY, "out of memory for targets");
  ChStatus status = ch_simulation_set_target(context, self->simulation, joint, axis, target);
  if (status == CH_OK) self->steered[freedom] = 1;
  return status;
}

void core_mirror_unsteer(CoreSimulation* self) {
  free(self->steered);
  self->steered = NULL;
}

PyObject* core_mirror_steered(CoreSimulation* self) {
  const ChWorld* world = world_of(self);
  PyObject* list = PyList_New(0);
  for (long f = 0, count = rows_of(self, FREEDOMS); list && self->steered && f < count; ++f) {
    ChJointId joint;
    ChJointDef def;
    int axis;
    if (!self->steered[f] || !find_freedom(world, f, &joint, &axis)) continue;
    if (ch_world_joint_def(NULL, world, joint, &def) != CH_OK || def.axes[axis].drive == CH_DRIVE_NONE) continue;
    PyObject* pair = Py_BuildValue("(ld)", f, def.axes[axis].target.base);
    if (!pair || PyList_Append(list, pair) != 0) Py_CLEAR(list);
    Py_XDECREF(pair);
  }
  return list;
}

static bool is_rewritten(const CoreBlock* block, Py_ssize_t k) {
  return memcmp(&block->data[k], &block->known[k], sizeof *block->data) != 0;
}

static ChStatus check_targets(ChContext* context, CoreSimulation* self) {
  if (!is_changed(self, CORE_TARGET)) return CH_OK;
  const CoreBlock* block = self->blocks[CORE_TARGET];
  for (Py_ssize_t f = 0; f < block->shape[0]; ++f) {
    if (!is_rewritten(block, f) || (isfinite(block->data[f]) && !isnan(block->known[f]))) continue;
    return ch_fail(context, CH_ERR_RANGE, "target[%ld] is %g: %s", (long)f, block->data[f],
                   isnan(block->known[f]) ? "the freedom is not driven, set_drive comes first" : "must be finite");
  }
  return CH_OK;
}

static ChStatus push_targets(ChContext* context, CoreSimulation* self) {
  if (!is_changed(self, CORE_TARGET)) return CH_OK;
  const CoreBlock* block = self->blocks[CORE_TARGET];
  ChStatus status = CH_OK;
  for (Py_ssize_t f = 0; f < block->shape[0] && status == CH_OK; ++f)
    if (is_rewritten(block, f)) status = core_mirror_steer(context, self, f, block->data[f]);
  return status;
}

static ChStatus check_modes(ChContext* context, CoreSimulation* self) {
  for (CoreArray k = CORE_MODES; k <= CORE_RATES; ++k) {
    const CoreBlock* block = is_changed(self, k) ? self->blocks[k] : NULL;
    for (Py_ssize_t m = 0; block && m < block->shape[0]; ++m)
      if (!isfinite(block->data[m]))
        return ch_fail(context, CH_ERR_RANGE, "%s[%ld] is %g, must be finite", arrays[k].name, (long)m, block->data[m]);
  }
  return CH_OK;
}

static ChStatus push_modes(ChContext* context, CoreSimulation* self) {
  if (!is_changed(self, CORE_MODES) && !is_changed(self, CORE_RATES)) return CH_OK;
  const double *modes = data_of(self, CORE_MODES), *rates = data_of(self, CORE_RATES);
  const ChWorld* world = world_of(self);
  ChStatus status = CH_OK;
  for (int b = 0; b < ch_world_body_count(world) && status == CH_OK; ++b) {
    ChSoftView soft;
    if (!ch_world_soft(world, b, &soft)) continue;
    status = ch_simulation_set_modes(context, self->simulation, ch_world_body_at(world, b),
                                     modes ? modes + soft.first_mode : NULL, rates ? rates + soft.first_mode : NULL);
  }
  return status;
}

static ChStatus check_wrenches(ChContext* context, CoreSimulation* self) {
  if (!is_changed(self, CORE_WRENCH)) return CH_OK;
  const CoreBlock* block = self->blocks[CORE_WRENCH];
  const ChWorld* world = world_of(self);
  const double* row = block->data;
  for (int b = 0; b < block->shape[0]; ++b, row += block->shape[1]) {
    bool finite = true, acts = false;
    for (int k = 0; k < block->shape[1]; ++k) finite = finite && isfinite(row[k]), acts = acts || row[k] != 0.0;
    ChBodyInfo info = ch_world_body_info(world, ch_world_body_at(world, b));
    if (!finite) return ch_fail(context, CH_ERR_RANGE, "wrench[%d], on body '%.100s', must be finite", b, info.name);
    if (acts && (info.kind != CH_BODY_DYNAMIC || info.soft))
      return ch_fail(context, CH_ERR_ARGUMENT,
                     "wrench[%d]: body '%.100s' %s, wrenches act on rigid bodies that move freely", b, info.name,
                     info.soft ? "is deformable" : "does not move freely");
  }
  return CH_OK;
}

// What is refused is taken back: every array is as the engine has it, wrenches are as they were.
static void take_back(CoreSimulation* self) {
  CoreBlock* wrench = self->blocks[CORE_WRENCH];
  if (wrench) memcpy(wrench->data, wrench->known, wrench->bytes);
  core_mirror_pull(self);
}

bool core_mirror_push(CoreSimulation* self) {
  ChContext context;
  context.status = CH_OK, context.message[0] = '\0', context.notice = NULL;
  ChStatus status = check_wrenches(&context, self);
  if (status == CH_OK) status = check_targets(&context, self);
  if (status == CH_OK) status = check_modes(&context, self);
  if (status == CH_OK) status = push_bodies(&context, self);  // all or nothing; the rest is fine by now
  if (status == CH_OK) status = push_targets(&context, self);
  if (status == CH_OK) status = push_modes(&context, self);
  if (status == CH_OK) {
    if (self->blocks[CORE_WRENCH]) core_block_keep(self->blocks[CORE_WRENCH]);  // what the next steps apply
    return true;
  }
  take_back(self);
  core_raise(&context, status);
  return false;
}

// The engine keeps wrenches until a step has ended: after one that was stopped only what changed since is added.
ChStatus core_mirror_apply(ChContext* context, CoreSimulation* self) {
  const CoreBlock* block = self->blocks[CORE_WRENCH];
  if (!block) return CH_OK;
  const ChWorld* world = world_of(self);
  Py_ssize_t wide = block->shape[1];
  for (int b = 0; b < block->shape[0]; ++b) {
    // Checked when they were written: `known`, which no other thread writes to meanwhile.
    const double* wanted = block->known + b * wide;
    double *has = self->applied + b * wide, w[6];
    for (Py_ssize_t k = 0; k < wide; ++k) w[k] = wanted[k] - has[k];
    ChVec3 force = wide == 6 ? ch_vec(w[0], w[1], w[2]) : ch_vec(w[0], w[1], 0.0);
    ChVec3 torque = wide == 6 ? ch_vec(w[3], w[4], w[5]) : ch_vec(0.0, 0.0, w[2]);
    if (ch_vec_is_zero(force) && ch_vec_is_zero(torque)) continue;
    ChVec3 at = ch_simulation_body_at(self->simulation, b).position;
    ChStatus status = ch_simulation_apply(context, self->simulation, ch_world_body_at(world, b), force, torque, at);
    if (status != CH_OK) return status;
    memcpy(has, wanted, (size_t)wide * sizeof *has);
  }
  return CH_OK;
}

void core_mirror_end_step(CoreSimulation* self) {
  if (self->blocks[CORE_WRENCH]) memset(self->applied, 0, self->blocks[CORE_WRENCH]->bytes);
}

// --- blocks ----------------------------------------------------------------------------------------------------------

static void forget(CoreSimulation* self, CoreArray array) {
  Py_CLEAR(self->blocks[array]);
  if (array != CORE_WRENCH) return;
  free(self->applied);
  self->applied = NULL;
}

void core_mirror_clear(CoreSimulation* self) {
  core_mirror_unsteer(self);
  for (CoreArray k = 0; k < CORE_ARRAY_COUNT; ++k) forget(self, k);
}

static int columns_of(const CoreSimulation* self, CoreArray array) {
  return ch_world_dimension(world_of(self)) == 2 ? arrays[array].plane : arrays[array].space;
}

void core_mirror_fit(CoreSimulation* self) {
  for (CoreArray k = 0; k < CORE_ARRAY_COUNT; ++k) {
    const CoreBlock* block = self->blocks[k];
    if (block && (block->shape[0] != rows_of(self, arrays[k].rows) || block->shape[1] != columns_of(self, k)))
      forget(self, k);
  }
}

static CoreBlock* make_block(CoreSimulation* self, CoreArray array) {
  int columns = columns_of(self, array);
  CoreBlock* block = core_block_new(rows_of(self, arrays[array].rows), columns, arrays[array].writable);
  if (!block || array != CORE_WRENCH) return block;
  self->applied = calloc(1, block->bytes + sizeof(double));
  if (self->applied) return block;
  Py_DECREF((PyObject*)block);
  return (CoreBlock*)PyErr_NoMemory();
}

PyObject* core_mirror_array(CoreSimulation* self, const char* name) {
  CoreArray k = 0;
  while (k < CORE_ARRAY_COUNT && strcmp(arrays[k].name, name) != 0) ++k;
  if (k == CORE_ARRAY_COUNT) {
    PyErr_Format(PyExc_ValueError, "there is no array '%s'", name);
    return NULL;
  }
  if (!self->blocks[k]) {
    if (!core_mirror_push(self)) return NULL;
    self->blocks[k] = make_block(self, k);
    if (!self->blocks[k]) return NULL;
    core_mirror_pull(self);
  }
  return Py_NewRef((PyObject*)self->blocks[k]);
}

// What the files of cardhouse._core share. Everything here is called with the GIL held unless it says otherwise.
#ifndef CARDHOUSE_PYTHON_CORE_H
#define CARDHOUSE_PYTHON_CORE_H

#ifndef PY_SSIZE_T_CLEAN
#define PY_SSIZE_T_CLEAN
#endif
#include <Python.h>
#include <stdbool.h>
#include <structmember.h>

#include "cardhouse/cardhouse.h"

// --- errors (error_types.c) ------------------------------------------------------------------------------------------

extern PyObject* core_error;        // cardhouse.Error
extern PyObject* core_scene_error;  // cardhouse.SceneError

// Raises cardhouse.Error with the context's message and returns NULL, so that `return core_raise(...)` reads as one
// step. CH_ERR_MEMORY raises MemoryError.
PyObject* core_raise(const ChContext* context, ChStatus status);
// The same with SceneError.
PyObject* core_raise_scene(const ChContext* context, ChStatus status);

// --- arguments (python_values.c): each raises and returns false where the value is not of its kind
// -------------------------

// A finite number, a number that may be infinite, a whole number within bounds.
bool core_finite(PyObject* value, const char* name, double* out);
bool core_number(PyObject* value, const char* name, double* out);
bool core_whole(PyObject* value, const char* name, long lowest, long highest, long* out);
// A sequence of `count` finite numbers; NaN and infinity are refused.
bool core_numbers(PyObject* value, const char* name, int count, double* out);
// 3 finite numbers; 2 in the plane, and z is 0 then.
bool core_vector(PyObject* value, const char* name, int dimension, ChVec3* out);
// A new tuple of a vector: 3 floats, 2 in the plane.
PyObject* core_from_vector(ChVec3 v, int dimension);
// The text of a str, without zero bytes in it; it lives as long as the object.
const char* core_text(PyObject* value, const char* name);

// --- blocks of numbers (block.c) -------------------------------------------------------------------------------------

// Memory that numpy arrays look into: rows x columns doubles (columns 0: one dimension). It outlives whoever made it.
typedef struct CoreBlock {
  PyObject_HEAD Py_ssize_t shape[2], strides[2];
  int dimensions;
  bool writable;
  size_t bytes;
  double* data;
  double* known;  // a copy as it was last handed out: what differs from it was written by the user
} CoreBlock;

CoreBlock* core_block_new(Py_ssize_t rows, Py_ssize_t columns, bool writable);
// Whether somebody wrote to it since core_block_keep.
bool core_block_is_changed(const CoreBlock* block);
void core_block_keep(CoreBlock* block);

// --- simulations (simulation_object.c, mirror.c)
// -------------------------------------------------------

typedef enum CoreArray {
  CORE_POSITION,
  CORE_ORIENTATION,
  CORE_VELOCITY,
  CORE_SPIN,
  CORE_WRENCH,
  CORE_JOINT_POSITION,
  CORE_JOINT_SPEED,
  CORE_JOINT_FORCE,
  CORE_JOINT_WRENCH,
  CORE_TARGET,
  CORE_MODES,
  CORE_RATES,
  CORE_ARRAY_COUNT
} CoreArray;

typedef struct CoreSimulation {
  PyObject_HEAD ChSimulation* simulation;  // NULL: not made yet, or closed
  bool busy;                               // a thread steps it with the GIL released
  bool stop;                               // asks the engine to end the step at hand
  unsigned long thread;                    // that steps
  PyThreadState* released;                 // of that thread
  double until;                            // when a run ends by the scene, s
  double looked;                           // when signals were last looked for, on ch_clock_seconds
  long epoch;                              // how often the world was made anew with other rows: handles compare it
  ChTrajectory* record;                    // that every step is added to, or NULL
  ChFeed* feed;                            // that pages follow, or NULL
  long feeder;                             // the process that began it: a fork leaves it alone
  bool lost;                               // the feed failed: to be told, once
  unsigned char* steered;                  // freedoms whose target the user has set; NULL: none
  double* applied;                         // wrenches that the engine has for a step that did not end
  CoreBlock* blocks[CORE_ARRAY_COUNT];     // NULL until somebody asks for it
} CoreSimulation;

extern PyTypeObject* core_simulation_type;

// The engine's simulation of a Python object; raises and returns NULL where the object is none, is closed, or is being
// stepped by another thread.
ChSimulation* core_simulation(PyObject* object);
// For calls that change something: as core_simulation, and what was written to views is with the engine. What they
// return goes through core_changed, which shows in the views what they did: None, or NULL with an exception.
ChSimulation* core_simulation_to_change(PyObject* object);
PyObject* core_changed(PyObject* object, const ChContext* context, ChStatus status);

// A body or a joint by its row, name or handle (handles.c); raises where it is none of this simulation, or stale.
bool core_body(CoreSimulation* self, PyObject* value, ChBodyId* out);
bool core_joint(CoreSimulation* self, PyObject* value, ChJointId* out);

// Views: written values are checked and handed to the engine (before a step), and the engine's are shown (after it).
bool core_mirror_push(CoreSimulation* self);
void core_mirror_pull(CoreSimulation* self);
// Wrenches of the array, for the step to come; and what is over with a step. Called without the GIL.
ChStatus core_mirror_apply(ChContext* context, CoreSimulation* self);
void core_mirror_end_step(CoreSimulation* self);
// Freedoms whose targets the user has set, as (freedom, target); setting one; forgetting which were.
PyObject* core_mirror_steered(CoreSimulation* self);
ChStatus core_mirror_steer(ChContext* context, CoreSimulation* self, long freedom, double target);
void core_mirror_unsteer(CoreSimulation* self);
PyObject* core_mirror_array(CoreSimulation* self, const char* name);
// Forgets all arrays, or those that no longer have the world's rows.
void core_mirror_clear(CoreSimulation* self);
void core_mirror_fit(CoreSimulation* self);

// What pages that follow the simulation are shown (feeding.c): a step, now and then the state after it; the state now;
// nothing any more. core_feed_step is called without the GIL.
void core_feed_step(CoreSimulation* self, bool last);
void core_feed_show(CoreSimulation* self);
void core_feed_end(CoreSimulation* self);
// A warning where pages could not be told, once; false where that is an exception.
bool core_feed_warn(CoreSimulation* self);

// The report of `steps` steps (step_report.c).
PyObject* core_report(const ChStepInfo* info, long steps, long missed);
PyObject* core_certificate(const ChCertificate* certificate);

// A heap type of the module, added to it under its name; NULL where that fails.
PyTypeObject* core_add_type(PyObject* module, PyType_Spec* spec);

#endif

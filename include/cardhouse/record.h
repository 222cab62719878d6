// Records of a run: the trajectory file (HDF5), tables (CSV), pictures for ParaView (VTK), problems, checkpoints, and
// the summary. docs/trajectory.md describes the files.
#ifndef CARDHOUSE_RECORD_H
#define CARDHOUSE_RECORD_H

#include "cardhouse/api.h"
#include "cardhouse/simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

// What a row of a trajectory tells of the steps since the row before.
typedef struct ChRowSum {
  ChCertificate certificate;        // worst, figure by figure
  long iterations;                  // all
  double seconds;                   // spent in these steps
  double penetration;               // largest
  double overlap, gain, uncovered;  // largest
  long bounds;                      // sum of ChBound, of any of them
} ChRowSum;

typedef struct ChTrajectory ChTrajectory;

// Creates the file and writes row 0. `scene` is the scene's JSON text, kept in the file; `every`: steps per row.
// With `resume` an existing file is continued: rows later than the simulation's time are dropped.
CH_API ChStatus ch_trajectory_create(ChContext* context, const char* path, const ChSimulation* simulation,
                                     const char* scene, int every, bool resume, ChTrajectory** out);
// To be called after every step; writes a row every `every` steps, with the worst certificate since the last row.
// CH_ERR_UNSUPPORTED where bodies or joints came or went since the file was begun.
CH_API ChStatus ch_trajectory_add(ChContext* context, ChTrajectory* trajectory, const ChSimulation* simulation);
// Puts the rows so far into the file now; otherwise that is done twice a second.
CH_API ChStatus ch_trajectory_flush(ChContext* context, ChTrajectory* trajectory);
// Writes what is pending, closes and frees; the file is good at any moment before, too, up to the last flush.
CH_API ChStatus ch_trajectory_close(ChContext* context, ChTrajectory* trajectory);
// What the steps since the last row add up to: a checkpoint between two rows needs it.
CH_API ChRowSum ch_trajectory_since(const ChTrajectory* trajectory);
CH_API void ch_trajectory_set_since(ChTrajectory* trajectory, const ChRowSum* since);

enum { CH_DECADES = 10 };

// The whole run in one struct of plain values.
typedef struct ChSummary {
  long steps, missed;
  long substeps, rejected;         // that the steps are made of; tries that were undone
  double shortest;                 // substep, seconds
  long missed_within[CH_DECADES];  // of the missed: those that 10, 100, ... times the tolerance would have passed
  long missed_contacts;            // their contacts, in all
  double time;
  int bodies;  // that move freely
  int contacts_max;
  long iterations_max, contacts_sum, iterations_sum;
  ChCertificate worst, sum;  // over the steps
  double penetration, joint_error;
  double overlap;                                 // largest, over the radius of the smaller moving body
  double stored;                                  // in compliant contacts at the end, joule; part of energy_end
  double deferred;                                // largest part of an overlap left for later steps, metres
  double relaxed;                                 // largest part of an overlap that others opposed, metres
  long relaxed_steps;                             // in how many steps some did
  double energy_start, energy_end, largest_gain;  // joule
  double gain_sum;                                // unexplained gains of all steps, joule
  double exchanged, work_sum;  // what they are compared with: the most that a step exchanged, and all work, joule
  double uncovered;            // largest motion that met something where no contact was looked for, metres
  long out_of_bounds;          // steps
  int bounds;                  // sum of ChBound, of any step and of the whole run
  int locked;                  // most contacts of a step that were left out for want of a freedom
  double locked_overlap;       // the largest overlap of these, metres
  ChVec3 momentum_start, momentum_end, angular_momentum_start, angular_momentum_end;
  double displacement;  // largest distance of a centre of mass from where it started
  int displaced;        // the body of that distance, or -1
  // Deformable bodies are looked at every hundredth of a second: whether one is turned inside out somewhere, which one
  // was first (-1: none), and when.
  long looks, looks_folded;
  int folded;
  double folded_at, looked_at;
  double seconds_collide, seconds_assemble, seconds_solve;
} ChSummary;

// Begun before the first step, added to after every step. Plain values: it is copied freely and needs no freeing.
CH_API ChSummary ch_summary_begin(const ChSimulation* simulation);
CH_API void ch_summary_add(ChSummary* summary, const ChSimulation* simulation);

typedef struct ChTable ChTable;  // CSV, one line a step; worlds with deformable bodies have a column more
// With `resume` an existing table is continued: lines of later steps are dropped.
CH_API ChStatus ch_table_create(ChContext* context, const char* path, const ChSimulation* simulation, bool resume,
                                ChTable** out);
CH_API ChStatus ch_table_add(ChContext* context, ChTable* table, const ChSimulation* simulation);
CH_API ChStatus ch_table_flush(ChContext* context, ChTable* table);  // otherwise that is done twice a second
CH_API ChStatus ch_table_close(ChContext* context, ChTable* table);

// DIR/world-00000042.vtp, DIR/contacts-00000042.vtp and DIR/world.pvd, DIR/contacts.pvd that list them, readable while
// the run goes on. The folder is made where it is missing; a resumed run goes on with the lists that are there.
typedef struct ChVtk ChVtk;
CH_API ChStatus ch_vtk_create(ChContext* context, const char* folder, const ChSimulation* simulation, int every,
                              bool resume, ChVtk** out);
CH_API ChStatus ch_vtk_add(ChContext* context, ChVtk* vtk, const ChSimulation* simulation);
CH_API ChStatus ch_vtk_close(ChContext* context, ChVtk* vtk);

// DIR/step-00000042.hdf5: the step's contact problem in FCLIB's global form, with the answer. The folder is made where
// it is missing.
CH_API ChStatus ch_problem_record(ChContext* context, const char* folder, const ChSimulation* simulation);

// What a run keeps beside the simulation, so that its records go on as if it had not stopped.
typedef struct ChRecordState {
  ChSummary summary;
  ChRowSum since;
  long every;  // steps from row to row; 0: no rows were written
} ChRecordState;

// A checkpoint is written beside and then renamed: a kill at any moment leaves the old or the new one, whole.
CH_API ChStatus ch_checkpoint_write(ChContext* context, const char* path, const ChSimulation* simulation,
                                    const char* scene, const ChRecordState* records);
// The same of what ch_simulation_save left before a step that has not ended: it may be called on another thread
// meanwhile.
CH_API ChStatus ch_checkpoint_write_saved(ChContext* context, const char* path, const ChSimulation* simulation,
                                          const char* scene, const ChRecordState* records, const void* saved,
                                          size_t size);
// `simulation` is of the same scene, which is checked by its text and by the corners of its meshes and hulls.
CH_API ChStatus ch_checkpoint_read(ChContext* context, const char* path, ChSimulation* simulation, const char* scene,
                                   ChRecordState* records);
// Which options of the simulation, or frictions of its world, differ from those with which the checkpoint was written:
// "h was 0.001, is 0.002; ...", or NULL. The caller frees it. A run that goes on with others is not the same to the
// bit.
CH_API ChStatus ch_checkpoint_changes(ChContext* context, const char* path, const ChSimulation* simulation,
                                      char** changes);
// The scene's text that a checkpoint carries; the caller frees it.
CH_API ChStatus ch_checkpoint_scene(ChContext* context, const char* path, char** scene);

#ifdef __cplusplus
}
#endif
#endif

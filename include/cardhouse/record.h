// Records of a run: the trajectory file (HDF5), tables (CSV), pictures for ParaView (VTK), problems, checkpoints and
// the summary. docs/trajectory.md describes the files.
#ifndef CARDHOUSE_RECORD_H
#define CARDHOUSE_RECORD_H

#include "cardhouse/api.h"
#include "cardhouse/simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

// What a row of a trajectory says about the steps since the row before.
typedef struct ChRowSum {
  ChCertificate certificate;        // worst, figure by figure
  long iterations;                  // all
  double seconds;                   // spent in these steps
  double penetration;               // largest
  double overlap, gain, uncovered;  // largest
  long bounds;                      // sum of the ChBound that any of the steps exceeded
} ChRowSum;

typedef struct ChTrajectory ChTrajectory;

// Creates the file and writes row 0. `scene` is the scene's JSON text, kept in the file; `every` is the number of steps
// per row. With `resume` an existing file is continued, and rows later than the simulation's time are removed.
CH_API ChStatus ch_trajectory_create(ChContext* context, const char* path, const ChSimulation* simulation,
                                     const char* scene, int every, bool resume, ChTrajectory** out);
// Call it after every step. Writes a row every `every` steps, with the worst certificate since the last row.
// CH_ERR_UNSUPPORTED if bodies or joints were added or removed since the file was begun.
CH_API ChStatus ch_trajectory_add(ChContext* context, ChTrajectory* trajectory, const ChSimulation* simulation);
// Writes the rows so far to the file now; otherwise that happens twice a second.
CH_API ChStatus ch_trajectory_flush(ChContext* context, ChTrajectory* trajectory);
// Writes pending rows, closes and frees. A file that was never closed is valid up to its last flush.
CH_API ChStatus ch_trajectory_close(ChContext* context, ChTrajectory* trajectory);
// Return and set the sums over the steps since the last row, which a checkpoint between two rows needs.
CH_API ChRowSum ch_trajectory_since(const ChTrajectory* trajectory);
CH_API void ch_trajectory_set_since(ChTrajectory* trajectory, const ChRowSum* since);

enum { CH_DECADES = 10 };

// The whole run in one struct of plain values.
typedef struct ChSummary {
  long steps, missed;
  long substeps, rejected;         // substeps of all steps; attempts that were undone
  double shortest;                 // substep, seconds
  long missed_within[CH_DECADES];  // missed steps that would have met 10, 100, ... times the tolerance
  long missed_contacts;            // their contacts, in all
  double time;
  int bodies;  // that move freely
  int contacts_max;
  long iterations_max, contacts_sum, iterations_sum;
  ChCertificate worst, sum;  // over the steps
  double penetration, joint_error;
  double overlap;      // largest overlap over the radius of the smaller moving body
  double stored;       // energy in compliant contacts at the end, joules; part of energy_end
  double deferred;     // largest part of an overlap left for later steps, metres
  double relaxed;      // largest part of an overlap that stays because other overlaps oppose its removal, metres
  long relaxed_steps;  // number of steps that had such a part
  double energy_start, energy_end, largest_gain;  // joule
  double heat;                                    // total heat of damping inside deformable bodies, joules
  double gain_sum;                                // sum of the unexplained gains of all steps, joules
  double exchanged, work_sum;  // the scale for gains: the largest `exchanged` of a step, and all work, joules
  double uncovered;            // largest motion through another body where a step had looked for no contact, metres
  long out_of_bounds;          // steps
  int bounds;                  // sum of the ChBound that any step or the whole run exceeded
  int locked;  // the largest number of contacts that a step left out because both bodies are locked along their normals
  double locked_overlap;  // their largest overlap, metres
  ChVec3 momentum_start, momentum_end, angular_momentum_start, angular_momentum_end;
  double displacement;  // largest distance of a centre of mass from its start
  int displaced;        // the body that moved that distance, or -1
  // Every hundredth of a second the run checks deformable bodies for parts that are turned inside out: the number of
  // checks, how many found such a part, the first such body (-1: none), and when it was found.
  long looks, looks_folded;
  int folded;
  double folded_at, looked_at;
  double seconds_collide, seconds_assemble, seconds_solve;
} ChSummary;

// Call ch_summary_begin before the first step and ch_summary_add after every step. A summary holds plain values: copy
// it freely; there is nothing to free.
CH_API ChSummary ch_summary_begin(const ChSimulation* simulation);
CH_API void ch_summary_add(ChSummary* summary, const ChSimulation* simulation);

typedef struct ChTable ChTable;  // CSV, one line a step; worlds with deformable bodies have one more column
// With `resume` an existing table is continued, and lines beyond the simulation's present step are removed.
CH_API ChStatus ch_table_create(ChContext* context, const char* path, const ChSimulation* simulation, bool resume,
                                ChTable** out);
CH_API ChStatus ch_table_add(ChContext* context, ChTable* table, const ChSimulation* simulation);
CH_API ChStatus ch_table_flush(ChContext* context, ChTable* table);  // otherwise twice a second
CH_API ChStatus ch_table_close(ChContext* context, ChTable* table);

// Writes DIR/world-00000042.vtp, DIR/contacts-00000042.vtp and the lists DIR/world.pvd, DIR/contacts.pvd, which are
// readable during the run. Makes a missing folder; a continued run extends the existing lists.
typedef struct ChVtk ChVtk;
CH_API ChStatus ch_vtk_create(ChContext* context, const char* folder, const ChSimulation* simulation, int every,
                              bool resume, ChVtk** out);
CH_API ChStatus ch_vtk_add(ChContext* context, ChVtk* vtk, const ChSimulation* simulation);
CH_API ChStatus ch_vtk_close(ChContext* context, ChVtk* vtk);

// Writes DIR/step-00000042.hdf5: the step's contact problem in FCLIB's global form, with the answer. Makes a missing
// folder.
CH_API ChStatus ch_problem_record(ChContext* context, const char* folder, const ChSimulation* simulation);

// The state of a run's records. With it, a continued run writes the same records as an uninterrupted run.
typedef struct ChRecordState {
  ChSummary summary;
  ChRowSum since;
  long every;  // steps from row to row; 0: no rows were written
} ChRecordState;

// Writes a checkpoint to a temporary file and renames it: if the program is killed, either the old or the new
// checkpoint is there, complete.
CH_API ChStatus ch_checkpoint_write(ChContext* context, const char* path, const ChSimulation* simulation,
                                    const char* scene, const ChRecordState* records);
// Writes a checkpoint from the block that ch_simulation_save wrote before the present step. Another thread may call it
// while that step runs.
CH_API ChStatus ch_checkpoint_write_saved(ChContext* context, const char* path, const ChSimulation* simulation,
                                          const char* scene, const ChRecordState* records, const void* saved,
                                          size_t size);
// Loads a checkpoint into a simulation of the same scene. Scenes are the same if their texts are equal, and the corners
// of their meshes and hulls.
CH_API ChStatus ch_checkpoint_read(ChContext* context, const char* path, ChSimulation* simulation, const char* scene,
                                   ChRecordState* records);
// Lists the options of the simulation, and the frictions of its world, that differ from those of the checkpoint: "h was
// 0.001, is 0.002; ...", or NULL. The caller frees it. A run that continues with other options does not repeat the bits
// of the first.
CH_API ChStatus ch_checkpoint_changes(ChContext* context, const char* path, const ChSimulation* simulation,
                                      char** changes);
// Returns the scene's text from a checkpoint; the caller frees it.
CH_API ChStatus ch_checkpoint_scene(ChContext* context, const char* path, char** scene);

#ifdef __cplusplus
}
#endif
#endif

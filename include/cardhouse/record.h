// Records of a run: the trajectory file (HDF5), tables (CSV), pictures for ParaView (VTK), problems, checkpoints.
#ifndef CARDHOUSE_RECORD_H
#define CARDHOUSE_RECORD_H

#include "cardhouse/simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ChTrajectory ChTrajectory;

// Creates the file and writes row 0. `scene` is the scene's JSON text, kept in the file; `every`: steps per row.
// With `resume` an existing file is continued: rows later than the simulation's time are dropped.
ChStatus ch_trajectory_create(ChContext* context, const char* path, const ChSimulation* simulation, const char* scene,
                              int every, bool resume, ChTrajectory** out);
// To be called after every step; writes a row every `every` steps, with the worst certificate since the last row.
ChStatus ch_trajectory_add(ChContext* context, ChTrajectory* trajectory, const ChSimulation* simulation);
// Writes what is pending, closes and frees; the file is good at any moment before, too, up to the last flush.
ChStatus ch_trajectory_close(ChContext* context, ChTrajectory* trajectory);

typedef struct ChTable ChTable;  // CSV, one line a step
ChStatus ch_table_create(ChContext* context, const char* path, bool resume, ChTable** out);
ChStatus ch_table_add(ChContext* context, ChTable* table, const ChSimulation* simulation);
ChStatus ch_table_close(ChContext* context, ChTable* table);

// DIR/world-00000042.vtu and the like with a DIR/world.pvd that lists them, readable while the run goes on.
typedef struct ChVtk ChVtk;
ChStatus ch_vtk_create(ChContext* context, const char* folder, const ChSimulation* simulation, int every, ChVtk** out);
ChStatus ch_vtk_add(ChContext* context, ChVtk* vtk, const ChSimulation* simulation);
ChStatus ch_vtk_close(ChContext* context, ChVtk* vtk);

// DIR/step-00000042.hdf5: the step's contact problem in FCLIB's global form, with the answer.
ChStatus ch_problem_record(ChContext* context, const char* folder, const ChSimulation* simulation);

// A checkpoint is written beside and then renamed: a kill at any moment leaves the old or the new one, whole.
ChStatus ch_checkpoint_write(ChContext* context, const char* path, const ChSimulation* simulation, const char* scene);
ChStatus ch_checkpoint_read(ChContext* context, const char* path, ChSimulation* simulation);
// The scene's text that a checkpoint carries; the caller frees it.
ChStatus ch_checkpoint_scene(ChContext* context, const char* path, char** scene);

#ifdef __cplusplus
}
#endif
#endif

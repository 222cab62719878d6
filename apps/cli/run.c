// `cardhouse run`: opens a scene, steps it to its end, records, and says how exactly every step was solved.
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cardhouse/clock.h"
#include "cardhouse/disk.h"
#include "cardhouse/scene.h"
#include "cardhouse/shape.h"
#include "cli/commands.h"
#include "cli/option_choices.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/realtime.h"
#include "cli/run_report.h"
#include "cli/scene_choice.h"
#include "cli/scene_findings.h"
#include "cli/scene_open.h"
#include "cli/signals.h"
#include "cli/together.h"

enum { WRITING_SECONDS = 1 };  // that a step's files may take when the run is asked to end

#define RUN_OPTIONS(X)                                                                                                \
  X(TEXT, method, NULL, "NAME", 0, 0, "method of the steps; `cardhouse methods` lists them")                          \
  X(TEXT, inner, NULL, "NAME", 0, 0, "convex solver inside relaxed, successive and staggered")                        \
  X(TEXT, cone, NULL, "CONE", 0, 0, "circular, elliptic (as in the scene), polygon:M, outer-polygon:M")               \
  X(TEXT, pose, NULL, "POSE", 0, 0, "coulomb (exact), relaxed (convex) or frictionless")                              \
  X(TEXT, contact, NULL, "LAW", 0, 0, "rigid, or compliant: bodies yield where they touch (docs/granular.md)")        \
  CH_PARAM_ROW(X)                                                                                                     \
  X(REAL, tol, 0.0, "T", 1e-16, 1.0, "tolerance on every step's certificate")                                         \
  X(REAL, h, 0.0, "H", 1e-12, 1e3, "time step, seconds")                                                              \
  X(REAL, until, -1.0, "T", 0.0, 1e12, "simulated time at which it ends, seconds")                                    \
  X(TEXT, integrator, NULL, "NAME", 0, 0, "time stepping scheme; `cardhouse methods --integrators` lists them")       \
  X(REAL, midpoint, -1.0, "A", 0.0, 1.0,                                                                              \
    "integrator midpoint: where forces are evaluated, 0 (start of the step) to 1 (end)")                              \
  X(REAL, push_out, 0.0, "V", 1e-12, 1e12, "largest speed at which overlapping bodies are parted, metres a second")   \
  X(TEXT, adaptive, NULL, "miss|off", 0, 0, "when to undo a step and repeat it as shorter ones")                      \
  X(COUNT, threads, 0, "N", 1, 1024, "number of threads; the motion does not depend on it")                           \
  X(TEXT, warm, NULL, "on|off", 0, 0, "whether a step starts from the reactions of the last one")                     \
  X(TEXT, rest, NULL, "on|off", 0, 0, "whether a certified state of rest is kept without solving")                    \
  X(FLAG, distributed, false, NULL, 0, 0, "shares the world with the processes of `mpirun -n N`")                     \
  X(REAL, patience, 0.0, "S", 0.1, 1e6, "seconds that a process of --distributed waits for the others (300)")         \
  X(COUNT, together, 0, "N", 1, 1000000000, "processes solve a heap together if it has more balls than this (2000)")  \
  X(FLAG, realtime, false, NULL, 0, 0, "follows the clock: waits when early, and limits every step to 6 h")           \
  X(REAL, lag, -1.0, "MS", 0.0, 1e6, "largest delay of --realtime behind the clock, milliseconds (500)")              \
  X(REAL, step_limit, 0.0, "MS", 0.01, 1e6, "time limit of a step, milliseconds; then it uses the best answer found") \
  X(LIST, set, {0}, "NAME=VALUE", 0, 0, "an option of a method; `cardhouse methods --options` lists them")            \
  X(TEXT, out, NULL, "FILE.h5", 0, 0, "writes the trajectory (HDF5)")                                                 \
  X(COUNT, every, 1, "K", 1, 1e9, "steps per row of the trajectory and per VTK file (1)")                             \
  X(TEXT, csv, NULL, "FILE", 0, 0, "writes a table with one line per step")                                           \
  X(TEXT, vtk, NULL, "DIR", 0, 0, "writes files for ParaView")                                                        \
  X(TEXT, problems, NULL, "DIR", 0, 0, "writes the contact problems of the steps, for `cardhouse solve`")             \
  X(COUNT, problems_every, 1, "K", 1, 1e9, "steps from problem to problem (1)")                                       \
  X(TEXT, checkpoint, NULL, "FILE", 0, 0, "keeps a checkpoint to resume from")                                        \
  X(COUNT, checkpoint_every, 1000, "K", 1, 1e9, "steps from checkpoint to checkpoint (1000)")                         \
  X(TEXT, resume, NULL, "FILE", 0, 0, "continues from a checkpoint and its files, bit for bit")                       \
  X(FLAG, json, false, NULL, 0, 0, "one JSON object instead of text")                                                 \
  X(FLAG, quiet, false, NULL, 0, 0, "no text and no progress bar")                                                    \
  X(FLAG, strict, false, NULL, 0, 0, "exit status 1 if a step misses its tolerance or is out of bounds")

typedef struct Arguments {
  RUN_OPTIONS(CH_ARG_MEMBER)
} Arguments;

static const ChArgRow rows[] = {RUN_OPTIONS(CH_ARG_ROW)};

// Everything that one run needs and yields.
typedef struct Job {
  Arguments arguments;
  const char* name;
  ChSceneParameters parameters;
  ChContext context;
  ChScene* scene;
  ChSimulationOptions options;
  ChSetting* settings;  // of options.solve
  char cone[32];
  char* checkpoint;  // where an interrupted run leaves one; NULL: nowhere
  ChSimulation* simulation;
  ChTrajectory* trajectory;
  ChTable* table;
  ChVtk* vtk;
  ChLock *checkpoint_lock, *problems_lock;
  ChRecordState records;
  pthread_mutex_t turn;  // held but for the time of a step: who has it may write files
  void* saved;           // the simulation before that step
  size_t saved_size, saved_room;
  const ChCommand* self;
  double began;  // on the clock
  double from, until, seconds_record;
  ChRealtime realtime;
  bool asked;  // to stop
  ChTogetherCosts costs;
  ChDistributed* together;  // with other processes; NULL: by itself
  bool started;             // steps were made: what fails from now on is no bad usage
  bool interrupted;
} Job;

// --- from words to options -------------------------------------------------------------------------------------------

static bool check_switch(const ChCommand* self, const char* what, const char* word, const char* on) {
  const char* const known[] = {on, "off"};
  return !word || ch_word_check(self, what, word, 2, known);
}

static bool check_lag(const ChCommand* self, const Arguments* a) {
  if (a->realtime || a->lag < 0.0) return true;
  ch_complain(self, "--lag %g: needs --realtime; a run without it does not follow the clock", a->lag);
  return false;
}

// What several processes cannot do yet, or have no use for.
static bool check_together(const ChCommand* self, const Arguments* a, const char* scene) {
  if (!a->distributed && a->patience > 0.0) {
    ch_complain(self, "--patience %g: needs --distributed; a single process waits for nobody", a->patience);
    return false;
  }
  if (!a->distributed && a->together > 0) {
    ch_complain(self, "--together %ld: needs --distributed; a single process solves all islands", a->together);
    return false;
  }
  const char* word = a->problems           ? "--problems"
                     : a->realtime         ? "--realtime"
                     : a->step_limit > 0.0 ? "--step-limit"
                                           : NULL;
  if (a->distributed && word) {
    ch_complain(self, "%s: does not go with --distributed, a run of many processes", word);
    return false;
  }
  if (a->distributed && scene && strcmp(scene, "-") == 0) {
    ch_complain(self,
                "-: with --distributed every process reads the scene itself, so the scene must be a file or built in");
    return false;
  }
  return true;
}

static bool check_words(const ChCommand* self, const Arguments* a) {
  ChPose pose;
  return check_lag(self, a) && ch_method_check(self, a->method, a->inner) && ch_cone_check(self, a->cone) &&
         ch_contact_check(self, a->contact) && ch_pose_read(self, a->pose, &pose) &&
         check_switch(self, "word for --warm", a->warm, "on") && check_switch(self, "word for --rest", a->rest, "on") &&
         check_switch(self, "word for --adaptive", a->adaptive, "miss") && ch_place_check(self, "out", a->out) &&
         ch_place_check(self, "csv", a->csv) && ch_place_check(self, "checkpoint", a->checkpoint);
}

// No file is written over another one of the same run.
static bool check_apart(const ChCommand* self, const Arguments* a, const char* scene) {
  const struct {
    const char *name, *path;
  } files[] = {{"the scene", scene},
               {"--resume", a->resume},
               {"--out", a->out},
               {"--csv", a->csv},
               {"--checkpoint", a->checkpoint}};
  const int count = sizeof files / sizeof *files, written = 2;
  for (int k = written; k < count; ++k)
    for (int j = 0; j < k; ++j) {
      bool goes_on = files[j].path == a->resume && files[k].path == a->checkpoint;
      if (!files[k].path || !files[j].path || goes_on || !ch_same_file(files[k].path, files[j].path)) continue;
      ch_complain(self, "%s %s: is %s, too; each needs its own file", files[k].name, files[k].path, files[j].name);
      return false;
    }
  return true;
}

static bool is_on(const char* word) { return strcmp(word, "on") == 0; }

// Those of the scene, and those of the command line after them, which overrule them.
static bool add_settings(const ChCommand* self, Job* job) {
  const Arguments* a = &job->arguments;
  ChSolveOptions* o = &job->options.solve;
  job->settings = calloc((size_t)(o->setting_count + a->set.count) + 1, sizeof *job->settings);
  if (!job->settings) {
    ch_complain(self, "out of memory for options");
    return false;
  }
  for (int k = 0; k < o->setting_count; ++k) job->settings[k] = o->settings[k];
  o->settings = job->settings;
  for (int k = 0; k < a->set.count; ++k)
    if (!ch_setting_read(self, (char*)a->set.item[k], &job->settings[o->setting_count++])) return false;
  return true;
}

static bool override_options(const ChCommand* self, Job* job) {
  const Arguments* a = &job->arguments;
  ChSimulationOptions* o = &job->options;
  if (a->method) o->solve.method = a->method;
  if (a->inner) o->solve.inner = a->inner;
  if (a->tol > 0.0) o->solve.tolerance = a->tol;
  if (a->h > 0.0) o->h = a->h;
  if (a->until >= 0.0) job->until = a->until;
  if (a->integrator) o->integrator = a->integrator;
  if (a->midpoint >= 0.0) o->midpoint = a->midpoint;
  if (a->push_out > 0.0) o->push_out = a->push_out;
  if (a->adaptive) o->adaptive = strcmp(a->adaptive, "miss") == 0 ? CH_ADAPTIVE_MISS : CH_ADAPTIVE_OFF;
  if (a->threads > 0) o->threads = (int)a->threads;
  if (a->realtime) o->step_limit = ch_pace_felt(o->h, 1.0).limit;
  if (a->step_limit > 0.0) o->step_limit = 1e-3 * a->step_limit;
  if (a->warm) o->warm = is_on(a->warm);
  if (a->rest) o->rest = is_on(a->rest);
  if (!add_settings(self, job)) return false;
  return ch_pose_read(self, a->pose, &o->solve.pose);
}

static void settle_cone(Job* job) {
  ChSimulationOptions* o = &job->options;
  const char* wanted = job->arguments.cone;
  if (wanted) {
    o->cone_sides = 0;
    o->cone_outer = false;
    ch_cone_polygon(wanted, &o->cone_outer, &o->cone_sides);
    if (o->cone_sides == 0) o->cone_outer = false;
    if (strcmp(wanted, "circular") == 0) ch_world_make_isotropic(job->scene->world);  // as `cardhouse solve` does
  }
  if (o->cone_sides > 0)
    snprintf(job->cone, sizeof job->cone, "%spolygon:%d", o->cone_outer ? "outer-" : "", o->cone_sides);
  else
    snprintf(job->cone, sizeof job->cone, "%s", ch_world_is_elliptic(job->scene->world) ? "elliptic" : "circular");
}

// --- files -----------------------------------------------------------------------------------------------------------

static long rows_every(const Arguments* a) { return a->out || a->vtk ? a->every : 0; }

static ChStatus open_files(Job* job) {
  const Arguments* a = &job->arguments;
  ChContext* c = &job->context;
  bool resume = a->resume != NULL;
  if (!ch_together_speaks(job->together)) return CH_OK;
  ChStatus status = a->checkpoint ? ch_lock_beside(c, a->checkpoint, &job->checkpoint_lock) : CH_OK;
  if (status == CH_OK && a->out)
    status =
        ch_trajectory_create(c, a->out, job->simulation, job->scene->text, (int)a->every, resume, &job->trajectory);
  if (job->trajectory) ch_trajectory_set_since(job->trajectory, &job->records.since);
  if (status == CH_OK && a->csv) status = ch_table_create(c, a->csv, job->simulation, resume, &job->table);
  if (status == CH_OK && a->vtk) status = ch_vtk_create(c, a->vtk, job->simulation, (int)a->every, resume, &job->vtk);
  if (status == CH_OK && a->problems) status = ch_folder_make(c, a->problems);
  if (status == CH_OK && a->problems) status = ch_lock_folder(c, a->problems, &job->problems_lock);
  return status;
}

// The files first: a checkpoint must not be ahead of them. `before`: of the step that is being made, which is left out.
static ChStatus write_checkpoint(Job* job, const char* path, bool before) {
  ChStatus status = before ? CH_OK : ch_together_gather(&job->context, job->together, &job->records.summary);
  if (status != CH_OK || !ch_together_speaks(job->together)) return status;
  if (job->trajectory) {
    job->records.since = ch_trajectory_since(job->trajectory);
    status = ch_trajectory_flush(&job->context, job->trajectory);
  }
  if (status == CH_OK && job->table) status = ch_table_flush(&job->context, job->table);
  if (status != CH_OK) return status;
  if (before)
    return ch_checkpoint_write_saved(&job->context, path, job->simulation, job->scene->text, &job->records, job->saved,
                                     job->saved_size);
  return ch_checkpoint_write(&job->context, path, job->simulation, job->scene->text, &job->records);
}

static ChStatus record_rows(Job* job) {
  const Arguments* a = &job->arguments;
  ChContext* c = &job->context;
  long step = ch_simulation_step_count(job->simulation);
  bool is_row = (a->out || a->vtk) && step % a->every == 0;
  ChStatus status = is_row ? ch_together_gather(c, job->together, &job->records.summary) : CH_OK;
  if (status != CH_OK || !ch_together_speaks(job->together)) return status;
  if (job->trajectory) status = ch_trajectory_add(c, job->trajectory, job->simulation);
  if (status == CH_OK && job->table) status = ch_table_add(c, job->table, job->simulation);
  if (status == CH_OK && job->vtk) status = ch_vtk_add(c, job->vtk, job->simulation);
  if (status == CH_OK && a->problems && step % a->problems_every == 0)
    status = ch_problem_record(c, a->problems, job->simulation);
  return status;
}

static ChStatus record_step(Job* job) {
  const Arguments* a = &job->arguments;
  long step = ch_simulation_step_count(job->simulation);
  ch_summary_add(&job->records.summary, job->simulation);
  ChStatus status = ch_together_agree(&job->context, job->together, record_rows(job));
  if (status == CH_OK && a->checkpoint && step % a->checkpoint_every == 0)
    status = ch_together_agree(&job->context, job->together, write_checkpoint(job, a->checkpoint, false));
  return status;
}

static ChStatus first_failure(ChContext* context, ChStatus before, ChStatus (*close)(ChContext*, void*), void* object) {
  ChContext own = {0};
  ChStatus status = close(&own, object);
  if (before != CH_OK || status == CH_OK) return before;
  *context = own;
  return status;
}

static ChStatus close_trajectory(ChContext* c, void* object) { return ch_trajectory_close(c, object); }
static ChStatus close_table(ChContext* c, void* object) { return ch_table_close(c, object); }
static ChStatus close_vtk(ChContext* c, void* object) { return ch_vtk_close(c, object); }

// Closes all files; of several failures the first is told.
static ChStatus close_files(Job* job, ChStatus status) {
  status = first_failure(&job->context, status, close_trajectory, job->trajectory);
  status = first_failure(&job->context, status, close_table, job->table);
  status = first_failure(&job->context, status, close_vtk, job->vtk);
  job->trajectory = NULL;
  job->table = NULL;
  job->vtk = NULL;
  ch_lock_release(job->checkpoint_lock);
  ch_lock_release(job->problems_lock);
  job->checkpoint_lock = job->problems_lock = NULL;
  return status;
}

// --- the run ---------------------------------------------------------------------------------------------------------

// What is probably a mistake; it keeps no run from starting.
static void warn(const ChCommand* self, const Job* job) {
  if (job->arguments.quiet || job->arguments.resume) return;
  ChSceneFindings findings;
  ch_scene_warnings(job->scene, job->options.h, job->until, &findings);
  for (int k = 0; k < findings.finding_count; ++k)
    ch_complain(self, "warning (%s): %s", findings.findings[k].kind, findings.findings[k].text);
  if (findings.more > 0) ch_complain(self, "and %d more warnings: `cardhouse scene check` lists them", findings.more);
}

static ChStatus open_scene(const ChCommand* self, Job* job, bool* understood) {
  ch_notices_show(self, &job->context, !job->arguments.quiet);
  ch_signals_end();
  ChStatus status = ch_scene_open_telling(self, &job->context, job->name, &job->parameters.choice, &job->scene);
  status = ch_together_agree(&job->context, job->together, status);
  if (status != CH_OK) return status;
  job->options = job->scene->options;
  job->until = job->scene->until;
  *understood = override_options(self, job);
  if (!*understood) return CH_ERR_ARGUMENT;
  settle_cone(job);
  job->options.solve.stop = ch_stop_asked_by;
  ChWorld* world = job->scene->world;
  if (!job->arguments.quiet && !isatty(STDERR_FILENO))  // on a terminal it was said as it was done
    for (int k = 0; ch_world_note(world, k); ++k) ch_complain(self, "%s", ch_world_note(world, k));
  warn(self, job);
  job->scene->world = NULL;
  return ch_together_agree(&job->context, job->together,
                           ch_simulation_create(&job->context, world, &job->options, &job->simulation));
}

// Options may be changed on purpose; that the run then is another one must not go unsaid.
static ChStatus tell_changes(const ChCommand* self, Job* job) {
  const Arguments* a = &job->arguments;
  char* changes;
  ChStatus status = ch_checkpoint_changes(&job->context, a->resume, job->simulation, &changes);
  if (changes)
    ch_complain(self, "continued with other options, so the bits differ from those of one long run: %s", changes);
  free(changes);
  long before = job->records.every, now = rows_every(a);
  if (before > 0 && now > 0 && before != now)
    ch_complain(self, "resumed with --every %ld, was %ld: the rows before and after have different spacing", now,
                before);
  return status;
}

// A run that has come to its end may be taken up there, with nothing left to do; one that is past it has no such end.
static ChStatus check_end(Job* job) {
  double time = ch_simulation_time(job->simulation);
  if (time <= job->until + 0.01 * job->options.h) return CH_OK;
  return ch_fail(&job->context, CH_ERR_RANGE, "%s: the checkpoint is at %g s, --until must be later%s",
                 job->arguments.resume, time, job->arguments.until < 0.0 ? "; the scene ends earlier" : "");
}

static ChStatus begin(const ChCommand* self, Job* job) {
  const Arguments* a = &job->arguments;
  job->records.summary = ch_summary_begin(job->simulation);
  if (a->resume) {
    ChStatus status = ch_checkpoint_read(&job->context, a->resume, job->simulation, job->scene->text, &job->records);
    if (status == CH_OK) status = check_end(job);
    if (status == CH_OK && ch_together_speaks(job->together)) status = tell_changes(self, job);
    status = ch_together_agree(&job->context, job->together, status);
    if (status != CH_OK) return status;
    ChSummary* s = &job->records.summary;  // seconds are those of this run
    s->seconds_collide = s->seconds_assemble = s->seconds_solve = 0.0;
  }
  job->records.every = rows_every(a);
  job->from = ch_simulation_time(job->simulation);
  ChStatus status = ch_together_share(&job->context, job->together, job->simulation);
  return status == CH_OK ? ch_together_agree(&job->context, job->together, open_files(job)) : status;
}

// A hundredth of a step is far more than what the sum of all steps may be off by.
static bool is_over(const Job* job) {
  return ch_simulation_time(job->simulation) >= job->until - 0.01 * job->options.h;
}

static ChPace pace_of(const Job* job) {
  const Arguments* a = &job->arguments;
  ChPaceTerms terms = ch_pace_felt(job->options.h, 1.0);
  terms.limit = job->options.step_limit;
  if (a->lag >= 0.0) terms.lag = 1e-3 * a->lag;
  return (ChPace){.speed = a->realtime ? 1.0 : 0.0, .terms = terms};
}

// What a step that does not end leaves a checkpoint of.
static ChStatus save_state(Job* job) {
  size_t size = 0;
  if (!job->checkpoint || job->together) return CH_OK;  // together nobody can write alone
  ChStatus status = ch_simulation_save(&job->context, job->simulation, NULL, &size);
  if (status == CH_OK && size > job->saved_room) {
    void* larger = realloc(job->saved, 2 * size);
    if (!larger) return ch_fail(&job->context, CH_ERR_MEMORY, "out of memory for the state of the run");
    job->saved = larger;
    job->saved_room = 2 * size;
  }
  job->saved_size = size;
  return status == CH_OK ? ch_simulation_save(&job->context, job->simulation, job->saved, &job->saved_size) : status;
}

// One step, during which the watch may end the run in this thread's place. CH_STOPPED: it was asked to end before it
// was done, and is left out.
static ChStatus step_once(Job* job, ChStepInfo* info) {
  ChStatus status = save_state(job);
  if (status != CH_OK) return status;
  pthread_mutex_unlock(&job->turn);
  status = ch_together_step(&job->context, job->together, job->simulation, info);
  pthread_mutex_lock(&job->turn);
  return status;
}

// Together all stop where one is asked to.
static bool is_stopped(Job* job) {
  bool asked = ch_stop_asked();
  ch_together_any(&job->context, job->together, &asked);
  job->asked = asked;
  return asked;
}

static ChStatus step_through(Job* job) {
  const Arguments* a = &job->arguments;
  ChProgress progress = ch_progress_begin(!a->quiet, job->from, job->until);
  ChStatus status = CH_OK;
  job->started = true;
  job->realtime = ch_realtime_begin(pace_of(job));
  while (status == CH_OK && !is_over(job) && !is_stopped(job)) {
    ChStepInfo info;
    double began = ch_clock_seconds();
    double end = ch_simulation_time(job->simulation) + job->options.h;
    status = ch_simulation_set_step_limit(&job->context, job->simulation, ch_realtime_allowance(&job->realtime, end));
    if (status == CH_OK) status = step_once(job, &info);
    if (status != CH_OK) break;
    double before = ch_clock_seconds();
    status = record_step(job);
    job->seconds_record += ch_clock_seconds() - before;
    ch_progress_step(&progress, job->simulation, job->records.summary.missed);
    ch_realtime_step(&job->realtime, info.time, info.h, before - began, !info.missed);
  }
  ch_progress_end(&progress);
  if (status == CH_STOPPED && (ch_stop_asked() || job->together)) status = CH_OK;
  job->interrupted = status == CH_OK && !is_over(job);
  const char* checkpoint = job->interrupted ? job->checkpoint : a->checkpoint;
  if (status == CH_OK && checkpoint)
    status = ch_together_agree(&job->context, job->together, write_checkpoint(job, checkpoint, false));
  if (status == CH_OK && !checkpoint) status = ch_together_gather(&job->context, job->together, &job->records.summary);
  if (status == CH_OK) status = ch_together_costs(&job->context, job->together, &job->costs);
  return status;
}

static ChExit report(const ChCommand* self, const Job* job, double seconds) {
  const Arguments* a = &job->arguments;
  ChRunReport r = {.scene = job->scene->name,
                   .simulation = job->simulation,
                   .options = job->options,
                   .cone = job->cone,
                   .summary = job->records.summary,
                   .from = job->from,
                   .seconds_total = seconds,
                   .seconds_record = job->seconds_record,
                   .interrupted = job->interrupted,
                   .realtime = &job->realtime,
                   .out = a->out,
                   .csv = a->csv,
                   .vtk = a->vtk,
                   .problems = a->problems,
                   .checkpoint = job->interrupted ? job->checkpoint : a->checkpoint,
                   .costs = &job->costs};
  ChExit printed = CH_EXIT_DONE;
  bool speaks = ch_together_speaks(job->together);
  if (a->json && speaks)
    printed = ch_run_print_json(self, &r);
  else if (!a->quiet && speaks)
    ch_run_print_text(&r);
  if (printed != CH_EXIT_DONE) return printed;
  if (job->interrupted) {
    if (speaks)
      ch_complain(self, "interrupted at t = %.9g s; %s%s", job->records.summary.time,
                  job->checkpoint ? "to continue, repeat the command with --resume "
                                  : "a run without --checkpoint or --out cannot be resumed",
                  job->checkpoint ? job->checkpoint : "");
    enum { KILLED = 128 };  // another process was asked, and this one stops with it
    return ch_stop_status() > KILLED ? (ChExit)ch_stop_status() : (ChExit)(KILLED + SIGTERM);
  }
  const ChSummary* s = &job->records.summary;
  return a->strict && (s->missed > 0 || s->bounds != 0) ? CH_EXIT_SHORT : CH_EXIT_DONE;
}

// A file that cannot be written once the run goes is a fault of the machine, not of the command line.
static ChExit failure(const ChCommand* self, const Job* job, ChStatus status) {
  bool speaks = ch_together_speaks(job->together);
  if (!speaks) return job->started && status == CH_ERR_FILE ? CH_EXIT_FAULT : ch_failure_status(status);
  ChExit exit_status = ch_failure_exit(self, &job->context, status);
  if (!job->started) return exit_status;
  ch_complain(self, "the run ended at step %ld, t = %.9g s", ch_simulation_step_count(job->simulation),
              ch_simulation_time(job->simulation));
  const ChSummary* s = &job->records.summary;
  const ChWorld* world = ch_simulation_world(job->simulation);
  if (s->folded >= 0)
    ch_complain(self, "'%s' was turned inside out at t = %.9g s, the first deformable body to do so",
                ch_world_body_name(world, ch_world_body_at(world, s->folded)), s->folded_at);
  return status == CH_ERR_FILE ? CH_EXIT_FAULT : exit_status;
}

static ChExit close_and_report(const ChCommand* self, Job* job, ChStatus status) {
  double closing = ch_clock_seconds();
  status = close_files(job, status);
  double end = ch_clock_seconds();
  job->seconds_record += end - closing;
  return status == CH_OK ? report(self, job, end - job->began) : failure(self, job, status);
}

// A ChLastFn: the step at hand does not end, and the run ends without it, with everything as it was before that step.
static bool end_in_step(void* user) {
  Job* job = user;
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += WRITING_SECONDS;
  if (pthread_mutex_timedlock(&job->turn, &until) != 0) return false;  // not in a step, but in writing what was asked
  if (!job->started) return false;
  if (isatty(STDERR_FILENO)) fputs("\r\033[K", stderr);
  job->interrupted = true;
  ChStatus status = job->checkpoint ? write_checkpoint(job, job->checkpoint, true) : CH_OK;
  close_and_report(job->self, job, status);
  fflush(stdout);
  return true;
}

// Together nobody can end a run alone: the others are waited for, and what they do not finish the launcher ends.
static bool wait_for_others(void* unread) {
  enum { MOST = 60 };
  (void)unread;
  sleep(MOST);
  return false;
}

static ChExit run_and_report(const ChCommand* self, Job* job) {
  bool understood = true;
  ChStatus status = open_scene(self, job, &understood);
  if (!understood) return CH_EXIT_USAGE;
  pthread_mutex_lock(&job->turn);
  if (job->together)
    ch_signals_heed(wait_for_others, NULL);
  else
    ch_signals_heed(end_in_step, job);
  if (status == CH_OK) status = begin(self, job);
  job->began = ch_clock_seconds();
  if (status == CH_OK) status = step_through(job);
  return close_and_report(self, job, status);
}

// Where a checkpoint goes when the run is interrupted: where one is kept anyway, or beside the trajectory.
static char* interrupted_checkpoint(const Arguments* a) {
  if (a->checkpoint) return strdup(a->checkpoint);
  char* path = NULL;
  return a->out && asprintf(&path, "%s.checkpoint", a->out) > 0 ? path : NULL;
}

static ChExit run_run(const ChCommand* self, int count, char** words) {
  Job job = {.arguments = {RUN_OPTIONS(CH_ARG_DEFAULT)}, .turn = PTHREAD_MUTEX_INITIALIZER, .self = self};
  ChStrayOptions strays = {0};
  ChParsed parsed = ch_arguments_parse_with_strays(self, count, words, &job.arguments, &job.name, &strays);
  if (parsed != CH_PARSED_RUN) return parsed == CH_PARSED_HELP ? CH_EXIT_DONE : CH_EXIT_USAGE;
  if (!ch_scene_choice_read(self, job.name, job.arguments.contact, &job.arguments.param, &strays, &job.parameters))
    return CH_EXIT_USAGE;
  if (!check_words(self, &job.arguments) || !check_apart(self, &job.arguments, job.name)) return CH_EXIT_USAGE;
  if (!check_together(self, &job.arguments, job.name)) return CH_EXIT_USAGE;
  job.checkpoint = interrupted_checkpoint(&job.arguments);
  if (job.arguments.distributed) {
    ChStatus joined =
        ch_together_begin(&job.context, job.arguments.patience, (int)job.arguments.together, &job.together);
    if (joined != CH_OK) return ch_failure_exit(self, &job.context, joined);
    if (!ch_together_speaks(job.together)) job.arguments.quiet = true;
  }
  ChExit status = run_and_report(self, &job);
  ch_together_end(job.together);
  free(job.costs.each);
  ch_simulation_destroy(job.simulation);
  ch_scene_destroy(job.scene);
  free(job.checkpoint);
  free(job.saved);
  free(job.settings);
  return status;
}

const ChCommand ch_command_run = {
    .name = "run",
    .summary = "simulates a scene (a file, -, or the name of a built-in scene) and certifies every step",
    .operand = "SCENE",
    .examples =
        "  cardhouse run cards\n"
        "  cardhouse run cards --until 60 --out cards.h5 --every 100\n"
        "  cardhouse run cards --levels 6 --until 5\n"
        "  cardhouse run scene.json --param mu=0.3 --param n=12\n"
        "  cardhouse run scene.json --h 1e-3 --tol 1e-10 --json --strict\n"
        "  cardhouse run scene.json --checkpoint state --out motion.h5     (killed?)\n"
        "  cardhouse run scene.json --checkpoint state --out motion.h5 --resume state\n",
    .row_count = sizeof rows / sizeof *rows,
    .rows = rows,
    .run = run_run,
};

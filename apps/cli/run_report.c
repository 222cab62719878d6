// What a run says when it ends: see run_report.h.
#include "cli/run_report.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cardhouse/recirculation.h"
#include "cardhouse/soft.h"
#include "cli/option_choices.h"
#include "cli/output.h"
#include "cli/run_hints.h"
#include "cli/soft_table.h"
#include "common/printable.h"

static double mean(double sum, long count) { return count > 0 ? sum / (double)count : 0.0; }

static double real_time_factor(const ChRunReport* r) {
  return r->seconds_total > 0.0 ? (r->summary.time - r->from) / r->seconds_total : 0.0;
}

static const char* body_name(const ChRunReport* r, int body) {
  const ChWorld* world = ch_simulation_world(r->simulation);
  return ch_world_body_name(world, ch_world_body_at(world, body));
}

// --- JSON ----------------------------------------------------------------------------------------------------------

static json_t* certificate_json(const ChSummary* s) {
  json_t* object = json_object();
#define X(name, text)  \
  json_object_set_new( \
      object, #name,   \
      json_pack("{s:o, s:o}", "max", ch_json_real(s->worst.name), "mean", ch_json_real(mean(s->sum.name, s->steps))));
  CH_CERTIFICATE_FIELDS(X)
#undef X
  return object;
}

static json_t* files_json(const ChRunReport* r) {
  const struct {
    const char *name, *path;
  } files[] = {{"trajectory", r->out},
               {"table", r->csv},
               {"vtk", r->vtk},
               {"problems", r->problems},
               {"checkpoint", r->checkpoint}};
  json_t* object = json_object();
  for (size_t k = 0; k < sizeof files / sizeof *files; ++k)
    if (files[k].path) json_object_set_new(object, files[k].name, ch_json_path(files[k].path));
  return object;
}

static json_t* pair_json(const char* a, json_t* x, const char* b, json_t* y) {
  return json_pack("{s:o, s:o}", a, x, b, y);
}

// In the plane momenta have two numbers and angular momenta one.
static json_t* vector_json(ChVec3 v, int dimension) {
  json_t* list = json_pack("[o, o]", ch_json_real(v.x), ch_json_real(v.y));
  if (dimension == 3) json_array_append_new(list, ch_json_real(v.z));
  return list;
}
static json_t* spin_json(ChVec3 v, int dimension) {
  return dimension == 3 ? vector_json(v, dimension) : ch_json_real(v.z);
}

static void set_momenta(json_t* object, const ChSummary* s, int dimension) {
  json_object_set_new(
      object, "momentum",
      pair_json("start", vector_json(s->momentum_start, dimension), "end", vector_json(s->momentum_end, dimension)));
  json_object_set_new(object, "angular_momentum",
                      pair_json("start", spin_json(s->angular_momentum_start, dimension), "end",
                                spin_json(s->angular_momentum_end, dimension)));
}

static json_t* realtime_json(const ChRealtime* r) {
  const ChPace* p = &r->pace;
  const ChLoopMeter* m = &r->meter;
  bool paced = p->speed > 0.0;
  json_t* object = json_pack("{s:o, s:b, s:o, s:o, s:o, s:o, s:o}", "seconds", ch_json_real(p->terms.limit), "realtime",
                             paced, "met_tolerance", ch_json_real(mean((double)m->met, m->steps)), "met_limit",
                             ch_json_real(mean((double)m->in_time, m->steps)), "met_both",
                             ch_json_real(mean((double)m->both, m->steps)), "steps_per_second",
                             ch_json_real(ch_realtime_rate(r)), "step_seconds",
                             pair_json("mean", ch_json_real(mean(m->busy, m->steps)), "max", ch_json_real(m->slowest)));
  if (!paced) return object;
  json_object_set_new(object, "lag", ch_json_real(p->terms.lag));
  json_object_set_new(object, "late", pair_json("steps", json_integer(m->late), "max", ch_json_real(m->behind)));
  return object;
}

static void set_head(json_t* object, const ChRunReport* r) {
  const ChSummary* s = &r->summary;
  json_object_set_new(object, "scene", ch_json_path(r->scene));
  json_object_set_new(object, "dimension", json_integer(ch_world_dimension(ch_simulation_world(r->simulation))));
  json_object_set_new(object, "bodies", json_integer(s->bodies));
  json_object_set_new(object, "steps", json_integer(s->steps));
  json_object_set_new(object, "time", ch_json_real(s->time));
  json_object_set_new(object, "h", ch_json_real(r->options.h));
  json_object_set_new(object, "integrator", json_string(r->options.integrator));
  json_object_set_new(object, "method", json_string(r->options.solve.method));
  json_object_set_new(object, "cone", json_string(r->cone));
  json_object_set_new(object, "contact", json_string(ch_contact_law_name(r->options.contact)));
  json_object_set_new(object, "pose", json_string(ch_pose_words[r->options.solve.pose]));
  json_object_set_new(object, "tolerance", ch_json_real(r->options.solve.tolerance));
}

static json_t* within(const ChSummary* s, int bound) { return json_string(s->bounds & bound ? "exceeded" : "ok"); }

static json_t* bounds_json(const ChSummary* s) {
  return json_pack("{s:o, s:o, s:o, s:I, s:o}", "penetration", within(s, CH_BOUND_PENETRATION), "energy",
                   within(s, CH_BOUND_ENERGY), "motion", within(s, CH_BOUND_MOTION), "steps",
                   (json_int_t)s->out_of_bounds, "uncovered", ch_json_real(s->uncovered));
}

static void set_mechanics(json_t* object, const ChRunReport* r) {
  const ChSummary* s = &r->summary;
  const char* name = body_name(r, r->summary.displaced);
  json_object_set_new(
      object, "contacts",
      pair_json("mean", ch_json_real(mean((double)s->contacts_sum, s->steps)), "max", json_integer(s->contacts_max)));
  json_object_set_new(object, "iterations",
                      pair_json("mean", ch_json_real(mean((double)s->iterations_sum, s->steps)), "max",
                                json_integer(s->iterations_max)));
  json_object_set_new(object, "certificate", certificate_json(s));
  if (ch_world_recirculation(ch_simulation_world(r->simulation)).radius > 0.0)
    json_object_set_new(object, "recirculated", json_integer(ch_simulation_recirculated(r->simulation)));
  json_object_set_new(object, "missed_steps", json_integer(s->missed));
  json_object_set_new(object, "substeps",
                      json_pack("{s:I, s:I, s:o, s:o}", "kept", (json_int_t)s->substeps, "rejected",
                                (json_int_t)s->rejected, "shortest", ch_json_real(s->shortest), "mean",
                                ch_json_real(mean(r->options.h * (double)s->steps, s->substeps))));
  json_object_set_new(object, "penetration",
                      json_pack("{s:o, s:o, s:o, s:o, s:I}", "max", ch_json_real(s->penetration), "relative",
                                ch_json_real(s->overlap), "deferred", ch_json_real(s->deferred), "relaxed",
                                ch_json_real(s->relaxed), "relaxed_steps", (json_int_t)s->relaxed_steps));
  json_object_set_new(object, "bounds", bounds_json(s));
  json_object_set_new(object, "locked",
                      json_pack("{s:i, s:o}", "contacts", s->locked, "overlap", ch_json_real(s->locked_overlap)));
  json_object_set_new(object, "joint_error", json_pack("{s:o}", "max", ch_json_real(s->joint_error)));
  json_object_set_new(
      object, "energy",
      json_pack("{s:o, s:o, s:o, s:o}", "start", ch_json_real(s->energy_start), "end", ch_json_real(s->energy_end),
                "stored", ch_json_real(s->stored), "largest_gain", ch_json_real(s->largest_gain)));
  json_object_set_new(json_object_get(object, "energy"), "gain", ch_json_real(s->gain_sum));
  json_object_set_new(json_object_get(object, "energy"), "heat", ch_json_real(s->heat));
  set_momenta(object, s, ch_world_dimension(ch_simulation_world(r->simulation)));
  json_object_set_new(object, "displacement",
                      pair_json("max", ch_json_real(s->displacement), "body", name ? ch_json_path(name) : json_null()));
  const char* folded = body_name(r, s->folded);
  if (ch_world_mode_count(ch_simulation_world(r->simulation)) > 0)
    json_object_set_new(object, "inside_out",
                        json_pack("{s:I, s:I, s:o, s:o}", "looks", (json_int_t)s->looks, "folded",
                                  (json_int_t)s->looks_folded, "body", folded ? ch_json_path(folded) : json_null(),
                                  "time", folded ? ch_json_real(s->folded_at) : json_null()));
}

static json_t* hints_json(const ChRunReport* r) {
  ChHints hints = ch_run_hints(r);
  json_t* list = json_array();
  for (int k = 0; k < hints.count; ++k) json_array_append_new(list, json_string(hints.text[k]));
  return list;
}

ChExit ch_run_print_json(const ChCommand* command, const ChRunReport* r) {
  const ChSummary* s = &r->summary;
  json_t* object = json_object();
  set_head(object, r);
  set_mechanics(object, r);
  json_object_set_new(object, "hints", hints_json(r));
  json_object_set_new(object, "seconds",
                      json_pack("{s:o, s:o, s:o, s:o, s:o}", "total", ch_json_real(r->seconds_total), "collide",
                                ch_json_real(s->seconds_collide), "assemble", ch_json_real(s->seconds_assemble),
                                "solve", ch_json_real(s->seconds_solve), "record", ch_json_real(r->seconds_record)));
  json_object_set_new(object, "real_time_factor", ch_json_real(real_time_factor(r)));
  json_t* soft = ch_soft_json(ch_simulation_world(r->simulation));
  if (soft) json_object_set_new(object, "soft", soft);
  if (r->realtime->pace.terms.limit > 0.0) json_object_set_new(object, "step_limit", realtime_json(r->realtime));
  if (r->costs->count > 0) json_object_set_new(object, "processes", ch_together_costs_json(r->costs));
  json_object_set_new(object, "resumed_at", ch_json_real(r->from));
  json_object_set_new(object, "interrupted", json_boolean(r->interrupted));
  json_object_set_new(object, "files", files_json(r));
  return ch_json_print(command, object);
}

// --- text ----------------------------------------------------------------------------------------------------------

static void print_certificate(const ChSummary* s) {
  printf("\ncertificate   worst      mean\n");
#define X(name, text)                                                                                                 \
  printf("  %-12s %8.2e  %8.2e  %s\n", #name, ch_plain_nan(s->worst.name), ch_plain_nan(mean(s->sum.name, s->steps)), \
         text);
  CH_CERTIFICATE_FIELDS(X)
#undef X
}

static void print_verdict(const ChRunReport* r) {
  const ChSummary* s = &r->summary;
  bool colour = isatty(STDOUT_FILENO) && !getenv("NO_COLOR");
  const char* shade = !colour ? "" : s->missed == 0 ? "\033[1;32m" : "\033[1;31m";
  const char* plain = colour ? "\033[0m" : "";
  if (s->missed == 0)
    printf("status        %severy step certified%s to %g in %s contact\n", shade, plain, r->options.solve.tolerance,
           ch_contact_law_name(r->options.contact));
  else
    printf("status        %s%ld of %ld steps MISSED%s the tolerance %g in %s contact\n", shade, s->missed, s->steps,
           plain, r->options.solve.tolerance, ch_contact_law_name(r->options.contact));
}

// Beside the certificate, which speaks of the law alone.
static void print_bounds(const ChRunReport* r) {
  const ChSummary* s = &r->summary;
  const ChSimulationOptions* o = &r->options;
  if (s->bounds == 0) return;
  bool colour = isatty(STDOUT_FILENO) && !getenv("NO_COLOR");
  printf("truth         %sOUT OF BOUNDS%s in %ld of %ld steps, whatever their certificates say (docs/run.md):\n",
         colour ? "\033[1;31m" : "", colour ? "\033[0m" : "", s->out_of_bounds, s->steps);
  if (s->bounds & CH_BOUND_PENETRATION)
    printf("              bodies overlap by up to %.3g %% of a radius; %.3g %% is the bound\n", 100.0 * s->overlap,
           100.0 * o->penetration_bound);
  if (s->bounds & CH_BOUND_ENERGY)
    printf("              %.3g J of energy are unexplained, up to %.3g J in a step; %.3g J is the bound\n", s->gain_sum,
           s->largest_gain, o->energy_bound * (s->exchanged + s->work_sum));
  if (s->bounds & CH_BOUND_MOTION)
    printf("              bodies moved by up to %.3g m through others, where the step had looked for no contact\n",
           s->uncovered);
}

static void print_locked(const ChSummary* s) {
  if (s->locked > 0)
    printf(
        "locked        up to %d contacts of a step were left out because neither body can move along their normals; "
        "they overlap by %.3g m at most\n",
        s->locked, s->locked_overlap);
}

static void print_hints(const ChRunReport* r) {
  ChHints hints = ch_run_hints(r);
  for (int k = 0; k < hints.count; ++k) printf("%-14s%s\n", k == 0 ? "what helps" : "", hints.text[k]);
}

// What no certificate speaks of: a body that is turned inside out touches as its skin says, and means nothing.
static void print_folds(const ChRunReport* r) {
  const ChSummary* s = &r->summary;
  if (s->folded < 0) return;
  printf(
      "warning       %s was the first body to turn inside out, at t = %.4g s. It happened at %ld of %ld checks, a\n"
      "              hundredth of a second apart: bodies are too soft for their loads (docs/soft_bodies.md)\n",
      CH_SHOWN(body_name(r, s->folded)), s->folded_at, s->looks_folded, s->looks);
}

static void print_mechanics(const ChRunReport* r) {
  const ChSummary* s = &r->summary;
  const char* name = body_name(r, r->summary.displaced);
  printf("\ndisplacement  %.3g m%s%s%s, the farthest that a centre of mass moved from its start\n", s->displacement,
         name ? " (" : "", name ? CH_SHOWN(name) : "", name ? ")" : "");
  printf("penetration   %.3g m at most, %.3g %% of a radius; joints off by %.3g at most\n", s->penetration,
         100.0 * s->overlap, s->joint_error);
  if (r->options.contact == CH_CONTACT_COMPLIANT)
    printf("contact       compliant: bodies yield where they touch, and %.3g J are stored there (docs/granular.md)\n",
           s->stored);
  if (s->deferred > 0.0)
    printf("push-out      overlaps are removed gradually: up to %.3g m of an overlap was left for later steps\n",
           s->deferred);
  if (s->relaxed_steps > 0)
    printf(
        "tight fits    in %ld steps overlaps oppose each other: up to %.3g m of an overlap stays, the smallest "
        "relaxation\n",
        s->relaxed_steps, s->relaxed);
  printf("energy        %.9g J at the start, %.9g J at the end; unexplained gain in a step %.3g J at most\n",
         s->energy_start, s->energy_end, s->largest_gain);
  if (s->heat > 0.0) printf("heat          %.6g J went into damping inside deformable bodies\n", s->heat);
}

static void print_recirculated(const ChRunReport* r) {
  if (!(ch_world_recirculation(ch_simulation_world(r->simulation)).radius > 0.0)) return;
  printf("recirculated  %ld bodies left below and came back above\n", ch_simulation_recirculated(r->simulation));
}

static void print_substeps(const ChRunReport* r) {
  const ChSummary* s = &r->summary;
  if (s->rejected == 0) return;
  printf("substeps      %ld, %ld more were undone; %.3g s long on average, %.3g s at least\n", s->substeps, s->rejected,
         mean(r->options.h * (double)s->steps, s->substeps), s->shortest);
}

static void print_realtime(const ChRealtime* r) {
  const ChPace* p = &r->pace;
  const ChLoopMeter* m = &r->meter;
  if (!(p->terms.limit > 0.0)) return;
  printf("step limit    %.4g ms: %.2f %% of the steps kept it, %.2f %% met the tolerance, %.2f %% both\n",
         1e3 * p->terms.limit, 100.0 * mean((double)m->in_time, m->steps), 100.0 * mean((double)m->met, m->steps),
         100.0 * mean((double)m->both, m->steps));
  printf("              %.4g steps a second; a step took %.3g ms on average, %.3g ms at most\n", ch_realtime_rate(r),
         1e3 * mean(m->busy, m->steps), 1e3 * m->slowest);
  if (p->speed > 0.0)
    printf("real time     %ld steps ended behind the clock, by %.3g ms at most; %.4g ms are allowed\n", m->late,
           1e3 * m->behind, 1e3 * p->terms.lag);
}

static void print_files(const ChRunReport* r) {
  if (r->out) printf("trajectory    %s (HDF5, docs/trajectory.md)\n", CH_SHOWN(r->out));
  if (r->csv) printf("table         %s\n", CH_SHOWN(r->csv));
  if (r->vtk) printf("pictures      %s/world.pvd and contacts.pvd, for ParaView\n", CH_SHOWN(r->vtk));
  if (r->problems) printf("problems      %s/step-*.hdf5, for `cardhouse solve`\n", CH_SHOWN(r->problems));
  if (r->checkpoint)
    printf("checkpoint    %s; the same command with --resume %s continues\n", CH_SHOWN(r->checkpoint),
           CH_SHOWN(r->checkpoint));
}

void ch_run_print_text(const ChRunReport* r) {
  const ChSummary* s = &r->summary;
  const ChSimulationOptions* o = &r->options;
  int all = ch_world_body_count(ch_simulation_world(r->simulation));
  printf("scene         %s: %d moving bodies, %d others, %s\n", CH_SHOWN(r->scene), s->bodies, all - s->bodies,
         ch_world_dimension(ch_simulation_world(r->simulation)) == 2 ? "plane" : "space");
  ch_soft_print(ch_simulation_world(r->simulation), "              ");
  printf("run           %ld steps%s, t = %.9g s, h = %g s, %s\n", s->steps,
         r->interrupted ? " until it was INTERRUPTED" : "", s->time, o->h, o->integrator);
  printf("method        %s, pose %s, %s cones\n", o->solve.method, ch_pose_words[o->solve.pose], r->cone);
  printf("contacts      %.1f on average, %d at most; iterations %.1f and %ld\n",
         mean((double)s->contacts_sum, s->steps), s->contacts_max, mean((double)s->iterations_sum, s->steps),
         s->iterations_max);
  print_substeps(r);
  print_recirculated(r);
  print_verdict(r);
  print_bounds(r);
  print_locked(s);
  print_hints(r);
  print_folds(r);
  print_certificate(s);
  print_mechanics(r);
  printf("time          %.3g s, %.3g times real time (collide %.3g, assemble %.3g, solve %.3g, record %.3g)\n",
         r->seconds_total, real_time_factor(r), s->seconds_collide, s->seconds_assemble, s->seconds_solve,
         r->seconds_record);
  print_realtime(r->realtime);
  ch_together_costs_print(r->costs);
  print_files(r);
}

// See check_command.h.
#include "cli/check_command.h"

#include <jansson.h>
#include <stdio.h>

#include "cardhouse/body.h"
#include "cardhouse/joint.h"
#include "cardhouse/soft.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/scene_choice.h"
#include "cli/scene_findings.h"
#include "cli/scene_open.h"
#include "cli/signals.h"
#include "cli/soft_table.h"
#include "common/by_row.h"
#include "common/json.h"
#include "common/printable.h"

enum { SHOWN_CLEARANCES = 5 };

#define CHECK_OPTIONS(X)                                              \
  CH_PARAM_ROW(X)                                                     \
  X(FLAG, json, false, NULL, 0, 0, "one JSON object instead of text") \
  X(FLAG, strict, false, NULL, 0, 0, "exit status 1 when there is a warning")

typedef struct Arguments {
  CHECK_OPTIONS(CH_ARG_MEMBER)
} Arguments;

static const ChArgRow rows[] = {CHECK_OPTIONS(CH_ARG_ROW)};

const ChCommand ch_command_scene_check = {
    .name = "scene check",
    .summary =
        "reads a scene as `run` would and reports overlaps, clearances, costly and thin shapes, doubtful sizes, and "
        "bodies that fall for ever",
    .operand = "FILE",
    .examples = "  cardhouse scene check house.json\n  cardhouse scene check house.json --strict --json\n",
    .row_count = sizeof rows / sizeof *rows,
    .rows = rows,
};

typedef struct Counts {
  int bodies, moving, clamped;
} Counts;

// A clamped body bends, but goes nowhere.
static Counts count_bodies(const ChWorld* world) {
  Counts c = {.bodies = ch_world_body_count(world)};
  for (int k = 0; k < c.bodies; ++k) {
    ChSoftView soft;
    bool held = ch_world_soft(world, k, &soft) && soft.clamped;
    c.clamped += held;
    c.moving += ch_row_moves(world, k) && !held;
  }
  return c;
}

// --- text ------------------------------------------------------------------------------------------------------------

static void print_counts(const char* name, const ChWorld* world) {
  Counts c = count_bodies(world);
  printf("%s: good, in %s\n  %d bodies, %d of them moving freely", CH_SHOWN(name),
         ch_world_dimension(world) == 2 ? "the plane" : "space", c.bodies, c.moving);
  if (c.clamped > 0) printf(", %d clamped", c.clamped);
  printf("; %d shapes, %d joints, %d forces\n", ch_world_shape_count(world), ch_world_joint_count(world),
         ch_world_force_count(world));
}

static void print_gaps(const ChWorld* world, const ChSceneFindings* f) {
  printf("  margin %.3g m; a body falls %.3g m from rest in a step\n", f->margin, f->fall);
  if (f->deepest >= 0)
    printf("  overlaps: %d contacts, %.3g m at most\n", f->overlap_count, f->overlaps[f->deepest].depth);
  int shown = 0;
  for (int k = 0; k < f->clearance_count && shown < SHOWN_CLEARANCES; ++k) {
    const ChClearance* c = &f->clearances[k];
    if (c->gap <= 1e-6) continue;  // they touch
    printf("  %s %-10.3g m  %s, %s\n", shown++ == 0 ? "clearance" : "         ", c->gap,
           CH_SHOWN(ch_row_name(world, c->body[0])), CH_SHOWN(ch_row_name(world, c->body[1])));
  }
}

static void print_text(const ChScene* scene, const ChSceneFindings* f) {
  const ChWorld* world = scene->world;
  print_counts(scene->name, world);
  ch_soft_print(world, "  ");
  printf("  %g s in steps of %g s, method %s to %g\n", scene->until, scene->options.h, scene->options.solve.method,
         scene->options.solve.tolerance);
  for (int k = 0; ch_world_note(world, k); ++k) printf("  %s\n", CH_SHOWN(ch_world_note(world, k)));
  print_gaps(world, f);
  for (int k = 0; k < f->finding_count; ++k)
    printf("  warning (%s): %s\n", f->findings[k].kind, CH_SHOWN(f->findings[k].text));
  if (f->more > 0) printf("  and %d more warnings\n", f->more);
}

// --- JSON ------------------------------------------------------------------------------------------------------------

static json_t* names_of(const ChWorld* world, const int body[2]) {
  return json_pack("[o, o]", ch_json_path(ch_row_name(world, body[0])), ch_json_path(ch_row_name(world, body[1])));
}

static json_t* gaps_json(const ChWorld* world, const ChSceneFindings* f) {
  json_t* list = json_array();
  for (int k = 0; k < f->clearance_count && k < CH_FINDINGS_MAX; ++k)
    json_array_append_new(list, json_pack("{s:o, s:o}", "gap", ch_json_real(f->clearances[k].gap), "bodies",
                                          names_of(world, f->clearances[k].body)));
  return list;
}

static ChExit print_json(const ChScene* scene, const ChSceneFindings* f) {
  const ChWorld* world = scene->world;
  Counts c = count_bodies(world);
  json_t *warnings = json_array(), *healed = json_array();
  for (int k = 0; k < f->finding_count; ++k)
    json_array_append_new(
        warnings, json_pack("{s:s, s:o}", "kind", f->findings[k].kind, "text", ch_json_path(f->findings[k].text)));
  for (int k = 0; ch_world_note(world, k); ++k) json_array_append_new(healed, ch_json_path(ch_world_note(world, k)));
  json_t* overlap = json_null();
  if (f->deepest >= 0)
    overlap =
        json_pack("{s:i, s:o, s:o}", "contacts", f->overlap_count, "max", ch_json_real(f->overlaps[f->deepest].depth),
                  "bodies", names_of(world, f->overlaps[f->deepest].body));
  return ch_json_print(
      &ch_command_scene_check,
      json_pack("{s:o, s:i, s:i, s:i, s:i, s:i, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:i}", "scene",
                ch_json_path(scene->name), "dimension", ch_world_dimension(world), "bodies", c.bodies, "moving",
                c.moving, "shapes", ch_world_shape_count(world), "joints", ch_world_joint_count(world), "forces",
                ch_world_force_count(world), "margin", ch_json_real(f->margin), "fall", ch_json_real(f->fall),
                "overlap", overlap, "clearances", gaps_json(world, f), "healed", healed, "warnings", warnings, "more",
                f->more));
}

// --- the command -----------------------------------------------------------------------------------------------------

static ChExit check(const Arguments* a, const ChScene* scene) {
  ChContext context = {0};
  ChSceneFindings findings;
  ChStatus status = ch_scene_findings(&context, scene, &findings);
  ChExit exit = CH_EXIT_DONE;
  if (status != CH_OK)
    exit = ch_failure_exit(&ch_command_scene_check, &context, status);
  else if (a->json)
    exit = print_json(scene, &findings);
  else
    print_text(scene, &findings);
  if (exit == CH_EXIT_DONE && a->strict && findings.finding_count > 0) exit = CH_EXIT_SHORT;
  ch_scene_findings_free(&findings);
  return exit;
}

ChExit ch_scene_check_run(int count, char** words) {
  Arguments arguments = {CHECK_OPTIONS(CH_ARG_DEFAULT)};
  const char* file = NULL;
  ChParsed parsed = ch_arguments_parse(&ch_command_scene_check, count, words, &arguments, &file);
  if (parsed != CH_PARSED_RUN) return parsed == CH_PARSED_HELP ? CH_EXIT_DONE : CH_EXIT_USAGE;
  ChContext context = {0};
  ChScene* scene;
  ch_notices_show(&ch_command_scene_check, &context, true);
  ch_signals_end();
  ChSceneParameters parameters;
  const ChStrayOptions none = {0};
  if (!ch_scene_choice_read(&ch_command_scene_check, file, NULL, &arguments.param, &none, &parameters))
    return CH_EXIT_USAGE;
  ChStatus status = ch_scene_open_telling(&ch_command_scene_check, &context, file, &parameters.choice, &scene);
  if (status != CH_OK) return ch_failure_exit(&ch_command_scene_check, &context, status);
  ChExit exit = check(&arguments, scene);
  ch_scene_destroy(scene);
  return exit;
}

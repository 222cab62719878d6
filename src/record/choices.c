// What a run was told, as text: see choices.h. Threads are left out, for nothing depends on them.
#include "record/choices.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain_numbers.h"
#include "cardhouse/shape.h"
#include "cardhouse/soft.h"

uint64_t ch_sum_bytes(uint64_t sum, const void* bytes, size_t size) {
  const unsigned char* at = bytes;
  for (size_t k = 0; k < size; ++k) sum = (sum ^ at[k]) * 0x100000001b3u;
  return sum;
}

static const char* word(bool on) { return on ? "on" : "off"; }

static void write_step(FILE* file, const ChSimulationOptions* o) {
  static const char* const modes[] = {"on", "linearized", "contacts", "off"};
  static const char* const laws[] = {"newton", "poisson"};
  static const char* const occasions[] = {"off", "gap", "miss", "large"};
  fprintf(file, "h %.15g\nintegrator %s\nstabilization %s\ngamma %.15g\nproject %s\nrestitution %s\n", o->h,
          o->integrator, modes[o->stabilization], o->gamma, word(o->project), laws[o->restitution]);
  if (strcmp(o->integrator, "midpoint") == 0) fprintf(file, "midpoint %.15g\n", o->midpoint);
  if (o->deformation_weight != 0.5) fprintf(file, "deformation_weight %.15g\n", o->deformation_weight);
  if (o->push_out > 0.0) fprintf(file, "push_out %.15g\n", o->push_out);
  if (o->contact != CH_CONTACT_RIGID)
    fprintf(file, "contact %s\noverlap %.15g\n", ch_contact_law_name(o->contact), o->overlap);
  if (o->margin >= 0.0) fprintf(file, "margin %.15g\n", o->margin);
  fprintf(file, "look_ahead %s\nreduce_contacts %s\n", word(o->look_ahead), word(o->reduce_contacts));
  fprintf(file, "adaptive %s\n", occasions[o->adaptive]);
  if (o->overlap_tolerance >= 0.0) fprintf(file, "overlap_tolerance %.15g\n", o->overlap_tolerance);
  if (o->adaptive == CH_ADAPTIVE_GAP) fprintf(file, "gap_tolerance %.15g\n", o->gap_tolerance);
  if (o->adaptive >= CH_ADAPTIVE_MISS)
    fprintf(file, "halvings %d\ngood_steps %d\ntrial_work %.15g\n", o->halvings, o->good_steps, o->trial_work);
  fprintf(file, "warm %s\nrest %s\n", word(o->warm), word(o->rest));
  if (!o->islands) fprintf(file, "islands off\n");
  if (o->step_limit > 0.0) fprintf(file, "step_limit %.15g\n", o->step_limit);
}

static void write_solve(FILE* file, const ChSimulationOptions* o) {
  static const char* const poses[] = {"coulomb", "relaxed", "frictionless"};
  const ChSolveOptions* s = &o->solve;
  fprintf(file, "method %s\ninner %s\npose %s\ntolerance %.15g\n", s->method, s->inner ? s->inner : "-", poses[s->pose],
          s->tolerance);
  fprintf(file, "max_iterations %ld\ntime_limit %.15g\nwork_limit %.15g\n", s->max_iterations, s->time_limit,
          s->work_limit);
  fprintf(file, "settings %s", s->setting_count ? "" : "-");
  for (int k = 0; k < s->setting_count; ++k) fprintf(file, "%s=%.15g ", s->settings[k].name, s->settings[k].value);
  fprintf(file, "\n");
  if (o->cone_sides > 0)
    fprintf(file, "cone %spolygon:%d\n", o->cone_outer ? "outer-" : "", o->cone_sides);
  else
    fprintf(file, "cone smooth\n");
}

// --cone circular makes the ellipses of the materials round.
static void write_curve(FILE* file, const ChFrictionCurve* curve) {
  for (int k = 0; k < curve->count; ++k) fprintf(file, "%.15g:%.15g ", curve->speed[k], curve->share[k]);
}

static void write_friction(FILE* file, const ChWorld* world) {
  fprintf(file, "friction ");
  for (int m = 0; m < ch_world_material_count(world); ++m) {
    const ChMaterialDef material = ch_world_material(world, m);
    fprintf(file, "%.15g/%.15g ", material.friction[0], material.friction[1]);
    write_curve(file, &material.curve);
    for (int k = 0; material.section && k < material.section->count; ++k)
      fprintf(file, "(%.15g,%.15g) ", material.section->corner[k][0], material.section->corner[k][1]);
  }
  for (int p = 0; p < ch_world_pair_count(world); ++p) {
    const ChPairDef pair = ch_world_pair(world, p);
    fprintf(file, "%.15g/%.15g ", pair.friction[0], pair.friction[1]);
    write_curve(file, &pair.curve);
  }
  fprintf(file, "\n");
}

char* ch_choices_text(const ChSimulation* simulation) {
  char* text = NULL;
  size_t size = 0;
  FILE* file = open_memstream(&text, &size);
  if (!file) return NULL;
  locale_t before = ch_plain_numbers_begin();
  write_step(file, ch_simulation_options(simulation));
  write_solve(file, ch_simulation_options(simulation));
  write_friction(file, ch_simulation_world(simulation));
  ch_plain_numbers_end(before);
  if (fclose(file) == 0) return text;
  free(text);
  return NULL;
}

// A line "name value" of a text that need not be terminated.
typedef struct Line {
  const char *name, *value;
  int name_size, value_size;
} Line;

// Takes the next line off the text; false at its end, and where it is no text of ours.
static bool next_line(const char** text, size_t* size, Line* line) {
  const char* end = memchr(*text, '\n', *size);
  const char* space = end ? memchr(*text, ' ', (size_t)(end - *text)) : NULL;
  if (!space) return false;
  *line = (Line){*text, space + 1, (int)(space - *text), (int)(end - space) - 1};
  *size -= (size_t)(end + 1 - *text);
  *text = end + 1;
  return true;
}

// The value of that name in a text; "-" where it is not there: some choices are written only where they are unusual.
static Line find_line(const char* text, size_t size, const Line* wanted) {
  Line line;
  while (next_line(&text, &size, &line))
    if (line.name_size == wanted->name_size && memcmp(line.name, wanted->name, (size_t)line.name_size) == 0)
      return line;
  return (Line){wanted->name, "-", wanted->name_size, 1};
}

static bool has_value(const Line* line) { return line->value_size != 1 || line->value[0] != '-'; }

static void tell(FILE* file, bool* first, const Line* was, const Line* is) {
  if (was->value_size == is->value_size && memcmp(was->value, is->value, (size_t)is->value_size) == 0) return;
  fprintf(file, "%s%.*s was %.*s, is %.*s", *first ? "" : "; ", is->name_size, is->name, was->value_size, was->value,
          is->value_size, is->value);
  *first = false;
}

char* ch_choices_compare(const char* before, size_t size, const char* now) {
  char* text = NULL;
  size_t length = 0;
  FILE* file = open_memstream(&text, &length);
  if (!file) return NULL;
  bool first = true;
  Line line;
  const char* at = now;
  for (size_t left = strlen(now); next_line(&at, &left, &line);) {
    Line was = find_line(before, size, &line);
    tell(file, &first, &was, &line);
  }
  at = before;
  for (size_t left = size; next_line(&at, &left, &line);) {
    Line is = find_line(now, strlen(now), &line);
    if (!has_value(&is)) tell(file, &first, &line, &is);
  }
  if (fclose(file) == 0 && length > 0) return text;
  free(text);
  return NULL;
}

static uint64_t sum_soft(uint64_t sum, const ChSoftView* soft) {  // its basis says all of mesh, material and modes
  const ChSoftSkin* skin = soft->skin;
  const size_t numbers = (size_t)skin->vertex_count * 3 * (size_t)soft->modes;
  sum = ch_sum_bytes(sum, skin->rest, (size_t)skin->vertex_count * sizeof *skin->rest);
  sum = ch_sum_bytes(sum, skin->shape, numbers * sizeof *skin->shape);
  return ch_sum_bytes(sum, soft->frequency, (size_t)soft->modes * sizeof(double));
}

uint64_t ch_shapes_sum(const ChSimulation* simulation) {
  const ChWorld* world = ch_simulation_world(simulation);
  uint64_t sum = CH_SUM_START;
  for (int k = 0; k < ch_world_shape_count(world); ++k) {
    const ChShapeView shape = ch_world_shape(world, k);
    ChSoftView soft;
    sum = ch_sum_bytes(sum, shape.points, (size_t)shape.point_count * sizeof *shape.points);
    sum = ch_sum_bytes(sum, shape.cells, (size_t)shape.cell_count * (size_t)shape.cell_size * sizeof *shape.cells);
    if (ch_shape_info(shape.type)->skin && ch_world_soft(world, shape.body, &soft)) sum = sum_soft(sum, &soft);
  }
  return sum;
}

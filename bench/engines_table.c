// Tables and CSV of the engines: a line for every engine and step size, a column for every case of the scene.
#include "engines_table.h"

#include <math.h>
#include <string.h>

ChTrialResult* ch_engine_result(const ChEngineResults* all, int what, int row) {
  return &all->results[(size_t)what * (size_t)all->row_count + (size_t)row];
}

int ch_engine_scene_end(const ChEngineResults* all, int first) {
  int end = first + 1;
  while (end < all->case_count && !strcmp(all->cases[end].scene, all->cases[first].scene)) ++end;
  return end;
}

// Metres in the unit that suits them.
static void length_text(char* text, size_t size, double metres) {
  static const struct {
    double unit;
    const char* name;
  } units[] = {{1.0, "m"}, {1e-3, "mm"}, {1e-6, "um"}, {1e-9, "nm"}};
  int k = 0;
  while (k < 3 && metres < units[k].unit) ++k;
  if (metres == 0.0)
    snprintf(text, size, "0");
  else if (k == 3)
    snprintf(text, size, "%.1g m", metres);
  else
    snprintf(text, size, "%.3g %s", metres / units[k].unit, units[k].name);
}

static void figure_text(char* text, size_t size, const ChTrialCase* what, const ChTrialResult* result) {
  char figure[32];
  if (what->kind == CH_TRIAL_SLIDE)
    snprintf(figure, sizeof figure, "%.1g", result->figure);
  else if (what->kind == CH_TRIAL_SETTLE)
    snprintf(figure, sizeof figure, "%.0f us", result->late_us);
  else
    length_text(figure, sizeof figure, result->figure);
  switch (result->ending) {
    case CH_TRIAL_NOT_RUN:
      snprintf(text, size, "-");
      break;
    case CH_TRIAL_FAILED:
      snprintf(text, size, "failed @%.3g s", result->time);
      break;
    case CH_TRIAL_FELL:
      snprintf(text, size, "falls @%.3g s", result->time);
      break;
    case CH_TRIAL_CAPPED:
      snprintf(text, size, "%s @%.3g s", figure, result->time);
      break;
    case CH_TRIAL_DONE:
      snprintf(text, size, "%s", figure);
      break;
  }
}

static void head(const ChEngineResults* all, int first, int end, double h, FILE* out) {
  fprintf(out, "| %-16s | h     |", "engine");
  for (int c = first; c < end; ++c)
    if (all->cases[c].h == h) fprintf(out, " %-18s |", all->cases[c].name);
  fprintf(out, " overlap | us/step | ratio | certificate | missed |\n|%s|------:|", "-----------------:");
  for (int c = first; c < end; ++c)
    if (all->cases[c].h == h) fprintf(out, "-------------------:|");
  fprintf(out, "--------:|--------:|------:|------------:|-------:|\n");
}

// The larger of two; what is no number is worse than any.
static double worse(double a, double b) { return isnan(a) || a >= b ? a : b; }

// What a step takes: while spheres fall and jam, too, else once all has come to rest.
static double step_us(const ChTrialCase* what, const ChTrialResult* result) {
  return what->kind == CH_TRIAL_SETTLE ? result->cpu_us : result->late_us;
}

// The cases of one scene with one step size: [first, end) of the list, those with another h left out.
typedef struct Group {
  const ChEngineResults* all;
  int first, end;
  double h;
} Group;

// A time that may be compared: the timed scene was neither given up nor fell, and where steps are graded none of the
// row was missed.
static bool comparable(const Group* g, int row) {
  bool timed = true;
  for (int c = g->first; c < g->end; ++c) {
    const ChTrialResult* result = ch_engine_result(g->all, c, row);
    if (g->all->cases[c].h != g->h) continue;
    if (timed && (result->steps == 0 || (result->ending != CH_TRIAL_DONE && result->ending != CH_TRIAL_CAPPED)))
      return false;
    timed = false;
    if (!result->report.graded) continue;
    if (result->report.missed != 0 || isnan(result->report.certificate)) return false;
  }
  return !timed;
}

static void ratio_text(char* text, size_t size, const Group* g, int timed, int row) {
  bool both = comparable(g, row) && comparable(g, 0);
  const ChTrialCase* what = &g->all->cases[timed];
  double ratio =
      step_us(what, ch_engine_result(g->all, timed, row)) / step_us(what, ch_engine_result(g->all, timed, 0));
  snprintf(text, size, both ? "%.2g" : "-", ratio);
}

// Time is that of the first case; overlap, certificate and missed steps are the worst of all.
static void line(const ChEngineResults* all, int first, int end, double h, int row, FILE* out) {
  int timed = -1;
  double overlap = 0.0, certificate = 0.0;
  long missed = 0;
  bool graded = false;
  fprintf(out, "| %-16s | %5g |", all->rows[row]->name, h);
  for (int c = first; c < end; ++c) {
    if (all->cases[c].h != h) continue;
    const ChTrialResult* result = ch_engine_result(all, c, row);
    char text[48];
    figure_text(text, sizeof text, &all->cases[c], result);
    fprintf(out, " %18s |", text);
    if (timed < 0) timed = c;
    overlap = worse(overlap, result->penetration);
    if (result->report.graded) certificate = worse(certificate, result->report.certificate);
    graded |= result->report.graded;
    missed += result->report.missed;
  }
  char depth[32], ratio[32];
  length_text(depth, sizeof depth, overlap);
  ratio_text(ratio, sizeof ratio, &(Group){all, first, end, h}, timed, row);
  if (ch_engine_result(all, timed, row)->steps > 0)
    fprintf(out, " %7s | %7.0f | %5s |", depth, step_us(&all->cases[timed], ch_engine_result(all, timed, row)), ratio);
  else
    fprintf(out, " %7s | %7s | %5s |", "-", "-", "-");
  if (graded)
    fprintf(out, " %11.1e | %6ld |\n", certificate, missed);
  else
    fprintf(out, " %11s | %6s |\n", "-", "-");
}

void ch_engine_table(const ChEngineResults* all, int first, FILE* out) {
  int end = ch_engine_scene_end(all, first);
  fprintf(out, "\n### %s, %g s\n\n", all->cases[first].scene, all->cases[first].until);
  if (all->cases[first].kind == CH_TRIAL_SETTLE)
    fprintf(out, "From the first step on, while spheres fall and jam; `settled`: of the second half.\n\n");
  head(all, first, end, all->cases[first].h, out);
  for (int row = 0; row < all->row_count; ++row)
    for (int c = first; c < end; ++c)
      if (c == first || all->cases[c].h != all->cases[c - 1].h) line(all, first, end, all->cases[c].h, row, out);
  fflush(out);
}

bool ch_engine_csv(const ChEngineResults* all, const char* path) {
  static const char* const kinds[] = {"displacement", "creep", "acceleration", "settled"};
  static const char* const endings[] = {"not run", "done", "fell", "capped", "failed"};
  FILE* out = fopen(path, "w");
  if (!out) return false;
  fprintf(out,
          "scene,case,kind,h,engine,ending,time,steps,figure,penetration,cpu_us,late_us,wall_us,worst_us,contacts,"
          "certificate,missed,resting_steps\n");
  for (int c = 0; c < all->case_count; ++c)
    for (int row = 0; row < all->row_count; ++row) {
      const ChTrialCase* what = &all->cases[c];
      const ChTrialResult* r = ch_engine_result(all, c, row);
      fprintf(out, "%s,%s,%s,%g,%s,%s,%.9g,%ld,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%d,%.6g,%ld,%ld\n", what->scene,
              what->name, kinds[what->kind], what->h, all->rows[row]->name, endings[r->ending], r->time, r->steps,
              r->figure, r->penetration, r->cpu_us, r->late_us, r->wall_us, r->worst_us, r->report.contacts,
              r->report.certificate, r->report.missed, r->report.resting_steps);
    }
  return fclose(out) == 0;
}

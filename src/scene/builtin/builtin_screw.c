// Built-in scene screw: a screw goes down its nut by its thread.
//
// A thread is a profile r(phase), phase = z / pitch - theta / (2 pi), taken along a helix: the rows of its mesh are
// helices, so that its crests are edges. Without friction a screw of mass m and moment of inertia I that stands in its
// nut accelerates with g / (1 + I (2 pi / pitch)^2 / m).
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "scene/builtin/surface_form.h"

enum { PROFILE = 4 };

typedef struct Thread {
  double pitch, low, high;  // along the axis, z
  double phase[PROFILE], radius[PROFILE];
  int around;
} Thread;

static double turns_at(const Thread* t, int row) {
  int turn = (int)floor((double)row / PROFILE);
  return turn + t->phase[row - PROFILE * turn];
}

static double radius_at(const Thread* t, int row) {
  return t->radius[row - PROFILE * (int)floor((double)row / PROFILE)];
}

// A point of row `row` at angle number i. What lies beyond an end is moved to where the surface meets the end.
static ChVec3 thread_at(const Thread* t, int row, int i) {
  double angle = (double)i / t->around, z = t->pitch * (turns_at(t, row) + angle), r = radius_at(t, row);
  double end = fmin(fmax(z, t->low), t->high);
  if (end != z) {
    int step = z < end ? 1 : -1, k = row;
    double from, to;
    do {
      from = t->pitch * (turns_at(t, k) + angle);
      to = t->pitch * (turns_at(t, k + step) + angle);
      k += step;
    } while ((to - end) * step < 0.0);
    double share = (end - from) / (to - from);
    r = (1.0 - share) * radius_at(t, k - step) + share * radius_at(t, k);
  }
  return ch_vec(r * cos(2.0 * M_PI * angle), r * sin(2.0 * M_PI * angle), end);
}

typedef struct ThreadRows {
  int first, count;  // rows from first on, wide enough that the first and the last lie beyond the ends
  int* index;        // of each point, count times around + 1
} ThreadRows;

static bool is_beyond(const Thread* t, int row, int i, int side) {
  double z = t->pitch * (turns_at(t, row) + (double)i / t->around);
  return side < 0 ? z <= t->low : z >= t->high;
}

// All rows below the lower end share one point an angle, and all above the upper end.
static bool add_points(ChSurfaceForm* f, const Thread* t, ThreadRows* rows) {
  rows->first = PROFILE * ((int)floor(t->low / t->pitch) - 2);
  rows->count = PROFILE * ((int)ceil(t->high / t->pitch) + 2) - rows->first + 1;
  rows->index = malloc(sizeof(int) * (size_t)rows->count * (size_t)(t->around + 1));
  if (!rows->index) return false;
  for (int i = 0; i < t->around; ++i)
    for (int k = 0; k < rows->count; ++k) {
      int row = rows->first + k, *here = &rows->index[k * (t->around + 1) + i];
      bool same = k > 0 && ((is_beyond(t, row - 1, i, -1) && is_beyond(t, row, i, -1)) ||
                            (is_beyond(t, row - 1, i, 1) && is_beyond(t, row, i, 1)));
      *here = same ? here[-(t->around + 1)] : ch_form_point(f, thread_at(t, row, i));
    }
  for (int k = 0; k < rows->count; ++k) {  // a turn further, a pitch higher
    int above = k + PROFILE < rows->count ? k + PROFILE : rows->count - 1;
    rows->index[k * (t->around + 1) + t->around] = rows->index[above * (t->around + 1)];
  }
  return true;
}

// The surface of the thread, facing outwards or, a nut's, inwards.
static void add_surface(ChSurfaceForm* f, const Thread* t, const ThreadRows* rows, bool inwards) {
  int width = t->around + 1;
  for (int k = 0; k + 1 < rows->count; ++k)
    for (int i = 0; i < t->around; ++i) {
      const int *low = &rows->index[k * width + i], *high = low + width;
      if (inwards)
        ch_form_hollow(f, low[0], high[0], high[1], low[1]);
      else
        ch_form_hollow(f, low[0], low[1], high[1], high[0]);
    }
}

static void add_screw_mesh(ChBuild* b, const Thread* t) {
  ChSurfaceForm f;
  ThreadRows rows;
  ch_form_begin(&f, b);
  if (add_points(&f, t, &rows)) {
    const int *bottom = rows.index, *top = rows.index + (rows.count - 1) * (t->around + 1);
    int below = ch_form_point(&f, ch_vec(0.0, 0.0, t->low)), above = ch_form_point(&f, ch_vec(0.0, 0.0, t->high));
    add_surface(&f, t, &rows, false);
    for (int i = 0; i < t->around; ++i) {
      ch_form_triangle(&f, below, bottom[i + 1], bottom[i]);
      ch_form_triangle(&f, above, top[i], top[i + 1]);
    }
  } else {
    b->failed = true;
  }
  free(rows.index);
  ch_form_end(&f, "screw");
}

// The radius of a hexagon at an angle, `flat` being that of its inscribed circle.
static double hexagon(double flat, double angle) {
  double sixth = M_PI / 3.0;
  return flat / cos(angle - sixth * floor(angle / sixth) - 0.5 * sixth);
}

static void add_nut_mesh(ChBuild* b, const Thread* t, double flat) {
  ChSurfaceForm f;
  ThreadRows rows;
  ch_form_begin(&f, b);
  if (add_points(&f, t, &rows)) {
    const int *bottom = rows.index, *top = rows.index + (rows.count - 1) * (t->around + 1);
    int outer = f.count, n = t->around;
    for (int i = 0; i < n; ++i) {
      double angle = 2.0 * M_PI * i / n, r = hexagon(flat, angle);
      ch_form_point(&f, ch_vec(r * cos(angle), r * sin(angle), t->low));
      ch_form_point(&f, ch_vec(r * cos(angle), r * sin(angle), t->high));
    }
    add_surface(&f, t, &rows, true);
    for (int i = 0; i < n; ++i) {
      int here = outer + 2 * i, next = outer + 2 * ((i + 1) % n);
      ch_form_quad(&f, here, next, next + 1, here + 1);
      ch_form_quad(&f, here, bottom[i], bottom[i + 1], next);
      ch_form_quad(&f, here + 1, next + 1, top[i + 1], top[i]);
    }
  } else {
    b->failed = true;
  }
  free(rows.index);
  ch_form_end(&f, "nut");
}

static void add_head_mesh(ChBuild* b, double flat, double half) {
  ChVec3 outline[6];
  for (int k = 0; k < 6; ++k) {
    double angle = M_PI / 3.0 * k, r = hexagon(flat, angle);
    outline[k] = ch_vec(r * sin(angle), 0.0, r * cos(angle));
  }
  ch_form_prism(b, "head", 6, outline, half);
}

// --------------------------------------------------------------------------------------------------------------- scene

enum { PITCH, TURNS, NUT_TURNS, AROUND, MU };

static const ChSceneParameter parameters[] = {
    CH_NUMBER("pitch", "0.005", 0.003, 0.01, "pitch of the thread, m; its diameter is 20 mm"),
    CH_NUMBER("turns", "8", 3, 40, "turns of the screw's thread"),
    CH_NUMBER("nut", "3", 1, 20, "turns of the nut's thread"),
    CH_WHOLE("around", "24", 18, 120, "corners of the thread per turn, a multiple of 6"),
    CH_NUMBER("mu", "0", 0, 10, "friction coefficient; the thread holds by itself above about 0.09"),
    CH_PARAMETERS_END,
};

static void make_screw(ChBuild* b) {
  const double root = 0.008, crest = 0.01, clearance = 2e-4, play = 0.02, flat = 0.016, head = 0.004;
  double pitch = b->number[PITCH], length = pitch * b->number[TURNS], height = pitch * b->number[NUT_TURNS];
  int around = (int)b->number[AROUND];
  if (around % 6 != 0) {
    snprintf(b->why, sizeof b->why, "around is %d, must be a multiple of 6: the nut is a hexagon", around);
    return;
  }
  Thread screw = {.pitch = pitch,
                  .low = -0.5 * length,
                  .high = 0.5 * length,
                  .around = around,
                  .phase = {0.0, 0.49, 0.5, 0.99},
                  .radius = {root, root, crest, crest}};
  Thread nut = {.pitch = pitch,
                .low = -0.5 * height,
                .high = 0.5 * height,
                .around = around,
                .phase = {play, 0.49 - play, 0.5 - play, 0.99 + play},
                .radius = {root + clearance, root + clearance, crest + clearance, crest + clearance}};
  ch_build_begin(b, "screw", "A screw goes down its nut by its thread.", 3);
  ch_build_step(b, 2.5e-3, 0.8, 5e-4);
  ch_build_material(b, "steel", 7800.0, b->number[MU], 0.0);
  add_screw_mesh(b, &screw);
  add_nut_mesh(b, &nut, flat);
  add_head_mesh(b, flat, head);
  json_t* fixed = ch_build_body(b, "nut", ch_vec(0.0, 0.0, 0.0));
  ch_build_fixed(b, fixed);
  ch_build_mesh(b, fixed, "nut", "steel");
  double raised = pitch * floor(0.5 * (length - height) / pitch);  // whole turns: thread stays in thread
  json_t* moving = ch_build_body(b, "screw", ch_vec(0.0, 0.0, raised));
  ch_build_mesh(b, moving, "screw", "steel");
  json_t* cap = ch_build_mesh(b, moving, "head", "steel");
  ch_build_set(b, cap, "at", ch_build_vector(b, ch_vec(0.0, 0.0, 0.5 * length + head)));
  ch_build_turned(b, cap, ch_vec(1.0, 0.0, 0.0), 90.0);
}

const ChBuiltin ch_builtin_screw = {"screw", "a screw that goes down its nut by its thread", parameters, make_screw};

// section: Coulomb's law with a convex polygon D for the disc of friction, dissipation maximal: anisotropic, and not
// the same forwards and backwards where D is not. Rows as contact's.
//
//   K = { r : r_n >= 0, r_T in r_n D };   K contains r, K* contains u + sigma(u_T) n, orthogonal
//   sigma(u_T) = max over corners p of -p . u_T
//
// The corners are those of ChBlock.section. One block is solved exactly by going through its faces: with u_n = 0 the
// tangent sticks (r = -W^-1 q within K), or slides along a side's normal (r_T on that side), or in a corner's normal
// cone (r_T = r_n p), and each is a linear system of its own.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "base/friction_section.h"
#include "linalg/small.h"
#include "problem/laws/cone_over.h"
#include "problem/laws/local.h"

#define LARGEST_COMPLIANCE 1e100
#define STANDS 1e-13  // of W_ii, which is scaled to 1: a row that nothing moves
#define SLACK 1e-12   // by which a face may miss its own conditions

// --- what the certificate reads: faces of the cone, one by one -------------------------------------------------------

static double dot3(const double* a, const double* b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

// Keeps y in `best` where it is nearer to x.
static void keep_nearer(const double* x, const double* y, double* least, double* best) {
  const double d[3] = {x[0] - y[0], x[1] - y[1], x[2] - y[2]}, size = dot3(d, d);
  if (!(size < *least)) return;
  *least = size;
  memcpy(best, y, 3 * sizeof *best);
}

// Onto the ray of a corner, a point of K always.
static void try_ray(const double* corner, const double* x, double* least, double* best) {
  const double ray[3] = {1.0, corner[0], corner[1]};
  const double along = ch_max(dot3(ray, x) / dot3(ray, ray), 0.0), y[3] = {along, along * ray[1], along * ray[2]};
  keep_nearer(x, y, least, best);
}

// Onto the plane of a side, where the foot lies between its two rays. Returns how far x is outside of that plane.
static double try_side(const double* a, const double* b, const double* x, double* least, double* best) {
  double out[3] = {a[1] * b[0] - a[0] * b[1], b[1] - a[1], a[0] - b[0]};
  const double size = sqrt(dot3(out, out));
  for (int k = 0; k < 3; ++k) out[k] /= size;
  const double height = dot3(out, x), y[3] = {x[0] - height * out[0], x[1] - height * out[1], x[2] - height * out[2]};
  const double width[2] = {b[0] - a[0], b[1] - a[1]},
               along = width[0] * (y[1] - y[0] * a[0]) + width[1] * (y[2] - y[0] * a[1]);
  if (along >= 0.0 && along <= y[0] * (width[0] * width[0] + width[1] * width[1])) keep_nearer(x, y, least, best);
  return height;
}

static void project_given(const ChBlock* block, ChPose pose, const double* x, double* y) {
  const ChFrictionSection* s = block->section;
  double best[3] = {0.0, 0.0, 0.0}, least = dot3(x, x), outside = -INFINITY;
  const bool measurable = isfinite(least);  // otherwise no face is nearest, and nothing is told by a number
  if (!measurable || pose == CH_POSE_FRICTIONLESS) {
    y[0] = measurable ? ch_max(x[0], 0.0) : NAN, y[1] = y[2] = measurable ? 0.0 : NAN;
    return;
  }
  for (int k = 0; k < s->count; ++k) {
    try_ray(s->corner[k], x, &least, best);
    outside = ch_max(outside, try_side(s->corner[k], s->corner[(k + 1) % s->count], x, &least, best));
  }
  memmove(y, outside <= 0.0 ? x : best, 3 * sizeof *y);
}

static double support_given(const ChBlock* block, ChPose pose, const double* u) {
  double most = -INFINITY;
  for (int k = 0; k < block->section->count; ++k)
    most = ch_max(most, -(block->section->corner[k][0] * u[1] + block->section->corner[k][1] * u[2]));
  return pose == CH_POSE_FRICTIONLESS ? 0.0 * most : most;
}

static ChLawTerms terms(const ChBlock* block, ChPose pose, double diagonal, const double* r, const double* u) {
  const double given = support_given(block, pose, u) * r[0] + r[1] * u[1] + r[2] * u[2];
  return (ChLawTerms){.signorini = fabs(ch_min(diagonal * r[0], u[0])), .dissipation = fabs(given)};
}

static ChStatus check(ChContext* context, const ChBlock* block, int i) {
  char what[32];
  snprintf(what, sizeof what, "section %d", i);
  return ch_friction_section_check(context, what, block->section);
}

// --- from the problem to the scaled system ---------------------------------------------------------------------------

// One scale for all rows, so that the section stays what it is.
static void keep(const ChBlock* block, const ChKeepFacts* facts, ChKeptBlock* kept) {
  const bool smooth = facts->pose == CH_POSE_FRICTIONLESS;
  kept->block.dim = smooth ? 1 : 3;
  kept->block.mu = smooth ? 0.0 : 1.0;  // slips are measured in sigma itself
  kept->block.section = block->section;
  if (smooth) kept->block.law = &ch_law_unilateral;
  for (int a = 0; a < kept->block.dim; ++a) kept->rows[a] = block->row + a, kept->g[a] = facts->d;
}

// --- what solvers use ------------------------------------------------------------------------------------------------

static double turn(const double* a, const double* b, const double* t) {
  return (b[0] - a[0]) * (t[1] - a[1]) - (b[1] - a[1]) * (t[0] - a[0]);
}

// The nearest point of the polygon. `side`: on the inside of side k from corner k on; -1: within, or at a corner.
static void nearest(const ChFrictionSection* s, const double* t, double* p, int* side, bool* within) {
  double least = INFINITY;
  *within = true, *side = -1;
  p[0] = p[1] = t[0] + t[1];  // a NaN stays one
  for (int k = 0; k < s->count; ++k) {
    const double *a = s->corner[k], *b = s->corner[(k + 1) % s->count], w[2] = {b[0] - a[0], b[1] - a[1]};
    if (turn(a, b, t) >= 0.0) continue;
    *within = false;
    const double along = (w[0] * (t[0] - a[0]) + w[1] * (t[1] - a[1])) / (w[0] * w[0] + w[1] * w[1]);
    const double share = ch_clamp(along, 0.0, 1.0), x = a[0] + share * w[0], y = a[1] + share * w[1];
    const double size = (t[0] - x) * (t[0] - x) + (t[1] - y) * (t[1] - y);
    if (!(size < least)) continue;
    least = size, p[0] = x, p[1] = y;
    *side = along > 0.0 && along < 1.0 ? k : -1;
  }
  if (*within && !isnan(p[0])) p[0] = t[0], p[1] = t[1];
}

static void project_polygon(const void* data, const double* t, double* p) {
  int side;
  bool within;
  double y[2];
  nearest(data, t, y, &side, &within);
  p[0] = y[0], p[1] = y[1];
}

static void polygon_derivative(const void* data, const double* t, double* J) {
  const ChFrictionSection* s = data;
  int side;
  bool within;
  double p[2];
  nearest(s, t, p, &side, &within);
  J[0] = J[3] = within ? 1.0 : 0.0, J[1] = J[2] = 0.0;
  if (side < 0) return;
  const double *a = s->corner[side], *b = s->corner[(side + 1) % s->count], w[2] = {b[0] - a[0], b[1] - a[1]};
  const double size = w[0] * w[0] + w[1] * w[1];
  J[0] = w[0] * w[0] / size, J[1] = J[2] = w[0] * w[1] / size, J[3] = w[1] * w[1] / size;
}

static double polygon_support(const void* data, const double* u, double* gradient) {
  const ChFrictionSection* s = data;
  double most = -INFINITY;
  for (int k = 0; k < s->count; ++k) {
    const double value = -(s->corner[k][0] * u[0] + s->corner[k][1] * u[1]);
    if (value <= most) continue;
    most = value;
    if (gradient) gradient[0] = -s->corner[k][0], gradient[1] = -s->corner[k][1];
  }
  return most;
}

static ChConeSection map_of(const ChScaledBlock* b) {
  return (ChConeSection){2, b->section, project_polygon, polygon_derivative, polygon_support};
}

static void interval(const ChScaledBlock* b, double* lo, double* hi) {
  (void)b;
  *lo = 0.0, *hi = INFINITY;
}

static double clamp(const ChScaledBlock* b, int row, double x, const double* r) {
  const ChConeSection map = map_of(b);
  return ch_cone_over_clamp(&map, row, x, r);
}

static void project(const ChScaledBlock* b, const double* x, double* y) {
  const ChConeSection map = map_of(b);
  ch_cone_over_project(&map, x, y);
}

static void derivative(const ChScaledBlock* b, const double* x, double* D) {
  const ChConeSection map = map_of(b);
  ch_cone_over_derivative(&map, x, D);
}

static void alart_curnier(const ChScaledBlock* b, const double* x, double* y) {
  const ChConeSection map = map_of(b);
  ch_cone_over_alart_curnier(&map, x, y);
}

static void alart_curnier_derivative(const ChScaledBlock* b, const double* x, double* D) {
  const ChConeSection map = map_of(b);
  ch_cone_over_alart_curnier_derivative(&map, x, D);
}

static double slip(const ChScaledBlock* b, const double* u, double* gradient) {
  if (gradient) gradient[0] = 0.0;
  return polygon_support(b->section, u + 1, gradient ? gradient + 1 : NULL);
}

// --- the exact solution of one block ---------------------------------------------------------------------------------

static void prepare_local(ChArena* arena, const ChScaledBlock* b, const double* W, ChLocalBlock* l) {
  (void)arena, (void)b, (void)W, (void)l;
}

static void velocity(const double* W, const double* q, const double* r, double* u) {
  ch_small_multiply(3, W, r, u);
  for (int a = 0; a < 3; ++a) u[a] += q[a];
}

// u = 0: r = -W^-1 q.
static bool sticks(const ChFrictionSection* s, const double* W, const double* q, double* r) {
  double inverse[9];
  if (!ch_small_invert_3(W, inverse)) return false;
  ch_small_multiply(3, inverse, q, r);
  for (int a = 0; a < 3; ++a) r[a] = -r[a];
  if (!(r[0] >= 0.0)) return false;
  for (int k = 0; k < s->count; ++k) {
    const double *a = s->corner[k], *b = s->corner[(k + 1) % s->count];
    if (!((b[0] - a[0]) * (r[2] - r[0] * a[1]) - (b[1] - a[1]) * (r[1] - r[0] * a[0]) >= 0.0)) return false;
  }
  return true;
}

// r_T = r_n a + y (b - a), u_n = 0 and u_T . (b - a) = 0, with 0 <= y <= r_n; what slides goes inwards.
static bool slides_along(const double* a, const double* b, const double* W, const double* q, double* r) {
  const double e[3] = {0.0, b[0] - a[0], b[1] - a[1]}, ray[3] = {1.0, a[0], a[1]};
  double along_ray[3], along_e[3], u[3];
  ch_small_multiply(3, W, ray, along_ray);
  ch_small_multiply(3, W, e, along_e);
  const double A[4] = {along_ray[0], along_e[0], dot3(e, along_ray), dot3(e, along_e)};
  const double det = A[0] * A[3] - A[1] * A[2], size = fabs(A[0] * A[3]) + fabs(A[1] * A[2]);
  if (!(fabs(det) > 1e-14 * size)) return false;
  const double n = (-q[0] * A[3] + dot3(e, q) * A[1]) / det, y = (-dot3(e, q) * A[0] + q[0] * A[2]) / det;
  if (!(n > 0.0 && y >= -SLACK * n && y <= n * (1.0 + SLACK))) return false;
  for (int k = 0; k < 3; ++k) r[k] = n * ray[k] + y * e[k];
  velocity(W, q, r, u);
  return u[1] * -e[2] + u[2] * e[1] >= 0.0;
}

// r_T = r_n p, u_n = 0, and no other corner would dissipate more.
static bool slides_at(const ChFrictionSection* s, int corner, const double* W, const double* q, double* r) {
  const double *p = s->corner[corner], ray[3] = {1.0, p[0], p[1]};
  const double slope = W[0] + W[1] * p[0] + W[2] * p[1], n = -q[0] / slope;
  double u[3];
  if (!(slope > 0.0)) return false;
  for (int k = 0; k < 3; ++k) r[k] = n * ray[k];
  velocity(W, q, r, u);
  const double given = -(p[0] * u[1] + p[1] * u[2]);
  return given >= polygon_support(s, u + 1, NULL) - SLACK * (fabs(u[1]) + fabs(u[2]));
}

// Every face in turn, the one of the last visit first. False where rounding hides all of them.
static bool solve_faces(const ChFrictionSection* s, const double* W, const double* q, double* root, double* r) {
  const int faces = 2 * s->count + 1, first = *root > 0.0 && *root < faces ? (int)*root : 0;
  for (int k = 0; k < faces; ++k) {
    const int face = (first + k) % faces, corner = (face - 1) / 2;
    double at[3];
    const bool met = face == 0       ? sticks(s, W, q, at)
                     : face % 2 == 1 ? slides_at(s, corner, W, q, at)
                                     : slides_along(s->corner[corner], s->corner[(corner + 1) % s->count], W, q, at);
    if (!met) continue;
    *root = face;
    memcpy(r, at, sizeof at);
    return true;
  }
  return false;
}

static void solve_slowly(const ChScaledBlock* b, const double* W, const double* q, double* r) {
  const ChConeSection map = map_of(b);
  ch_cone_over_solve_bracketed(&map, W, q, r);
}

static void solve_local(const ChScaledBlock* b, bool relaxed, const double* W, ChLocalBlock* l, const double* q,
                        double* r) {
  double S[9];
  memcpy(S, W, sizeof S);
  for (int a = 1; a < 3; ++a)
    if (!(S[4 * a] > STANDS)) S[4 * a] = STANDS;
  if (!relaxed && q[0] < 0.0 && solve_faces(b->section, S, q, &l->root, r)) return;
  ch_local_solve_cone(b, relaxed, S, q, solve_slowly, r);
}

const ChLawRow ch_law_section = {
    .info = {.name = "section",
             .plural = "contacts with a section",
             .statement = "r_T in r_n D, K* contains u + sigma(u_T) n, orthogonal",
             .dimension_lowest = 3,
             .dimension_highest = 3,
             .opens = true,
             .section = true,
             .compliance = offsetof(ChBlock, compliance),
             .parameter_count = 1,
             .parameter = {{"compliance", "compliance", offsetof(ChBlock, compliance), 0.0, LARGEST_COMPLIANCE}}},
    .check = check,
    .grade = {.project = project_given, .support = support_given, .terms = terms},
    .keep = keep,
    .together = true,
    .interval = interval,
    .clamp = clamp,
    .project = project,
    .derivative = derivative,
    .alart_curnier = alart_curnier,
    .alart_curnier_derivative = alart_curnier_derivative,
    .slip = slip,
    .prepare_local = prepare_local,
    .solve_local = solve_local};

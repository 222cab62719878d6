// cohesive: contact's friction with a normal that may pull, down to -c. Rows as contact's.
//
//   K_c = K_mu - c n:   r_n >= -c, |r_T| <= mu (r_n + c);     r + c n in K_mu, u + sigma(u_T) n in K_mu*, orthogonal
//
// It is contact's law of r' = r + c n, on u = W r' + (q - c W n): every function here shifts, calls contact's (or,
// where there is no friction, unilateral's) and shifts back. r = 0 is inside, so that a contact that nothing pulls is
// at rest.
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "problem/laws/law.h"

enum { PULL = 0 };  // place of c in `more`
#define LARGEST_MU 1e8
#define LARGEST_PULL 1e100
#define LARGEST_COMPLIANCE 1e100

// --- what the certificate reads --------------------------------------------------------------------------------------

static void project_given(const ChBlock* block, ChPose pose, const double* x, double* y) {
  double shifted[CH_BLOCK_MAX];
  memcpy(shifted, x, (size_t)block->dimension * sizeof *x);
  shifted[0] += block->more[PULL];
  ch_law_contact.grade.project(block, pose, shifted, y);
  y[0] -= block->more[PULL];
}

static double support(const ChBlock* block, ChPose pose, const double* u) {
  return ch_law_contact.grade.support(block, pose, u);
}

static ChLawTerms terms(const ChBlock* block, ChPose pose, double diagonal, const double* r, const double* u) {
  double shifted[CH_BLOCK_MAX];
  memcpy(shifted, r, (size_t)block->dimension * sizeof *r);
  shifted[0] += block->more[PULL];
  return ch_law_contact.grade.terms(block, pose, diagonal, shifted, u);
}

// --- from the problem to the scaled system ---------------------------------------------------------------------------

static void keep(const ChBlock* block, const ChKeepFacts* facts, ChKeptBlock* kept) {
  ch_law_contact.keep(block, facts, kept);
  kept->block.law = &ch_law_cohesive;
}

static void set_bounds(const ChBlock* block, double unit, ChScaledBlock* out) {
  out->more[PULL] = block->more[PULL] / unit;
}

// --- what solvers use ------------------------------------------------------------------------------------------------

static const ChLawRow* inner(const ChScaledBlock* b) { return b->dim == 1 ? &ch_law_unilateral : &ch_law_contact; }

// x + c n
static const double* shift(const ChScaledBlock* b, const double* x, double* out) {
  memcpy(out, x, (size_t)b->dim * sizeof *x);
  out[0] += b->more[PULL];
  return out;
}

static void interval(const ChScaledBlock* b, double* lo, double* hi) {
  *lo = -b->more[PULL];
  *hi = INFINITY;
}

static double clamp(const ChScaledBlock* b, int row, double x, const double* r) {
  double shifted[CH_BLOCK_MAX];
  if (row > 0) return inner(b)->clamp(b, row, x, shift(b, r, shifted));
  return ch_positive_part(x + b->more[PULL]) - b->more[PULL];
}

static void project(const ChScaledBlock* b, const double* x, double* y) {
  double shifted[CH_BLOCK_MAX];
  inner(b)->project(b, shift(b, x, shifted), y);
  y[0] -= b->more[PULL];
}

static void derivative(const ChScaledBlock* b, const double* x, double* D) {
  double shifted[CH_BLOCK_MAX];
  inner(b)->derivative(b, shift(b, x, shifted), D);
}

static void alart_curnier(const ChScaledBlock* b, const double* x, double* y) {
  double shifted[CH_BLOCK_MAX];
  inner(b)->alart_curnier(b, shift(b, x, shifted), y);
  y[0] -= b->more[PULL];
}

static void alart_curnier_derivative(const ChScaledBlock* b, const double* x, double* D) {
  double shifted[CH_BLOCK_MAX];
  inner(b)->alart_curnier_derivative(b, shift(b, x, shifted), D);
}

static double slip(const ChScaledBlock* b, const double* u, double* gradient) {
  if (b->dim > 1) return ch_law_contact.slip(b, u, gradient);
  if (gradient) gradient[0] = 0.0;
  return 0.0;
}

static void prepare_local(ChArena* arena, const ChScaledBlock* b, const double* W, ChLocalBlock* l) {
  inner(b)->prepare_local(arena, b, W, l);
}

// Of r' = r + c n: b' = b - c W n. Pose relaxed is a projected gradient on b's own set, which asks this law.
static void solve_local(const ChScaledBlock* b, bool relaxed, const double* W, ChLocalBlock* l, const double* q,
                        double* r) {
  double carried[CH_BLOCK_MAX];
  ChScaledBlock plain = *b;
  plain.law = inner(b);
  for (int a = 0; a < b->dim; ++a) carried[a] = q[a] - W[a * b->dim] * b->more[PULL];
  r[0] += b->more[PULL];
  plain.law->solve_local(&plain, relaxed, W, l, carried, r);
  r[0] -= b->more[PULL];
}

const ChLawRow ch_law_cohesive = {
    .info = {.name = "cohesive",
             .plural = "cohesive contacts",
             .statement = "K_mu contains r + c n, K_mu* contains u + mu |u_T| n, orthogonal",
             .opens = true,
             .friction = true,
             .compliance = offsetof(ChBlock, compliance),
             .shear = offsetof(ChBlock, shear),
             .parameter_count = 5,
             .parameter = {{"mu", "friction coefficient mu", offsetof(ChBlock, mu), 0.0, LARGEST_MU},
                           {"mu2", "friction coefficient mu", offsetof(ChBlock, mu) + sizeof(double), 0.0, LARGEST_MU},
                           {"pull", "largest pull c", offsetof(ChBlock, more[PULL]), 0.0, LARGEST_PULL},
                           {"compliance", "compliance", offsetof(ChBlock, compliance), 0.0, LARGEST_COMPLIANCE},
                           {"shear", "shear compliance", offsetof(ChBlock, shear), 0.0, LARGEST_COMPLIANCE}}},
    .grade = {.project = project_given, .support = support, .terms = terms},
    .keep = keep,
    .set_bounds = set_bounds,
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

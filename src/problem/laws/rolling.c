// rolling: Coulomb's friction with a rolling moment, and a drilling moment about the normal. Rows (normal, tangents,
// moments about the tangents, moment about the normal), as FCLIB's rolling problems have them.
//
//   K = { r : |r_T| <= mu r_n, |m_R| <= mu_r r_n, |m_N| <= mu_d r_n };   K contains r, K* contains u + sigma(u) n,
//   orthogonal;   sigma(u) = mu |u_T| + mu_r |w_R| + mu_d |w_N|
//
// dimension 3: the plane (normal, tangent, moment), 5: space without drilling, 6: with it.
// drilling: friction and drilling alone, dimension 4. ellipsoidal: the two share one limit, as over a patch of contact,
//
//   K = { r : |r_T|^2 / mu^2 + m_N^2 / mu_d^2 <= r_n^2 },   sigma(u) = sqrt(mu^2 |u_T|^2 + mu_d^2 w_N^2)
//
// Forces and moments differ in unit, and so does mu_r, a length, from mu. The certificate gives each group of rows its
// own weight, and so do solvers; the sets are then of the same kind with other coefficients. docs/theory/rolling.md.
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "problem/cones.h"
#include "problem/laws/balls.h"

enum { ROLL = 0, DRILL = 1 };  // places in `more`
#define LARGEST_MU 1e8
#define LARGEST_LENGTH 1e100
#define LARGEST_COMPLIANCE 1e100
#define OPEN_SHARE 1e-8  // of sigma(u), from which on u_n > 0 is beyond doubt

// The rows of a block: how many tangents, rolling and drilling moments there are after the normal.
typedef struct Rows {
  int tangents, rolls, drills;
} Rows;

static Rows rows_of(const ChBlock* block) {
  if (block->dimension == 3) return (Rows){1, 1, 0};
  if (block->dimension == 4) return (Rows){2, 0, 1};
  return (Rows){2, 2, block->dimension - 5};
}

static ChStatus check_rolling(ChContext* context, const ChBlock* block, int i) {
  if (block->dimension != 4) return CH_OK;
  return ch_fail(context, CH_ERR_SIZE, "rolling %d: dimension is 4, must be 3, 5 or 6; 4 is that of drilling", i);
}

// --- what the certificate reads --------------------------------------------------------------------------------------

static double length(int n, const double* x) {
  double sum = 0.0;
  for (int k = 0; k < n; ++k) sum += x[k] * x[k];
  return sqrt(sum);
}

// The three coefficients; none where the pose says so.
typedef struct Limits {
  double mu[3];
} Limits;

static Limits limits_of(const ChBlock* block, ChPose pose) {
  if (pose == CH_POSE_FRICTIONLESS) return (Limits){{0.0}};
  return (Limits){{block->mu[0], block->more[ROLL], block->more[DRILL]}};
}

// How far x is from K at the best choice of everything else, as a function of the normal n: it falls, then rises, and
// its slope is n - x_n - sum of mu (size - mu n) over what sticks out. Each of the eight sets of what sticks out gives
// one candidate; the one that agrees with its own set is the root.
static double normal_of(double x, const double mu[3], const double size[3]) {
  double best = 0.0, mismatch = INFINITY;
  for (int set = 0; set < 8; ++set) {
    double sum = x, weight = 1.0, wrong = 0.0;
    for (int k = 0; k < 3; ++k)
      if (set >> k & 1) sum += mu[k] * size[k], weight += mu[k] * mu[k];
    const double n = ch_max(sum / weight, 0.0);
    for (int k = 0; k < 3; ++k) wrong = ch_max(wrong, (set >> k & 1) ? mu[k] * n - size[k] : size[k] - mu[k] * n);
    if (isnan(wrong)) return NAN;
    if (wrong < mismatch) best = n, mismatch = wrong;
  }
  return best;
}

static void project_product(const ChBlock* block, ChPose pose, const double* x, double* y) {
  const Rows rows = rows_of(block);
  const Limits limits = limits_of(block, pose);
  const int count[3] = {rows.tangents, rows.rolls, rows.drills};
  double size[3];
  for (int k = 0, at = 1; k < 3; at += count[k++]) size[k] = length(count[k], x + at);
  bool inside = x[0] >= 0.0;
  for (int k = 0; k < 3; ++k) inside &= size[k] <= limits.mu[k] * x[0];
  const double n = inside ? x[0] : normal_of(x[0], limits.mu, size);
  for (int k = 0, at = 1; k < 3; at += count[k++]) {
    const double shrink = size[k] <= limits.mu[k] * n ? 1.0 : limits.mu[k] * n / size[k];
    for (int a = at; a < at + count[k]; ++a) y[a] = shrink * x[a];
  }
  y[0] = n;
}

static double support_of_product(const ChBlock* block, ChPose pose, const double* u) {
  const Rows rows = rows_of(block);
  const Limits limits = limits_of(block, pose);
  return limits.mu[0] * length(rows.tangents, u + 1) + limits.mu[1] * length(rows.rolls, u + 1 + rows.tangents) +
         limits.mu[2] * length(rows.drills, u + 1 + rows.tangents + rows.rolls);
}

// With |t| for t an elliptic cone of three rows.
static void project_ellipsoid(const ChBlock* block, ChPose pose, const double* x, double* y) {
  const Limits limits = limits_of(block, pose);
  const double mu[2] = {limits.mu[0], limits.mu[2]}, t = length(2, x + 1), flat[3] = {x[0], t, x[3]};
  double near[3];
  ch_project_elliptic(mu, flat, near);
  const double shrink = t > 0.0 ? near[1] / t : isnan(t) ? t : 0.0;
  y[0] = near[0], y[1] = shrink * x[1], y[2] = shrink * x[2], y[3] = near[2];
}

static double support_of_ellipsoid(const ChBlock* block, ChPose pose, const double* u) {
  const Limits limits = limits_of(block, pose);
  const double scaled[3] = {limits.mu[0] * u[1], limits.mu[0] * u[2], limits.mu[2] * u[3]};
  return length(3, scaled);
}

// No reaction, and parting so clearly that every figure is zero: as for contacts.
static bool is_apart(const ChBlock* block, ChPose pose, const double* rho, const double* r, double normal,
                     double support) {
  if (!(normal > 0.0) || pose != CH_POSE_COULOMB) return false;
  for (int k = 0; r && k < block->dimension; ++k)
    if (r[k] != 0.0) return false;
  return rho[0] > 0.0 && rho[0] < INFINITY && normal > OPEN_SHARE * support;
}

static bool product_is_open(const ChBlock* block, ChPose pose, const double* rho, const double* r, const double* u) {
  return is_apart(block, pose, rho, r, u[0], support_of_product(block, pose, u));
}

static bool ellipsoid_is_open(const ChBlock* block, ChPose pose, const double* rho, const double* r, const double* u) {
  return is_apart(block, pose, rho, r, u[0], support_of_ellipsoid(block, pose, u));
}

static double dot(int n, const double* x, const double* y) {
  double sum = 0.0;
  for (int k = 0; k < n; ++k) sum += x[k] * y[k];
  return sum;
}

// Each part dissipates as much as it may by itself: the gaps are summed without their signs.
static ChLawTerms terms_of_product(const ChBlock* block, ChPose pose, double diagonal, const double* r,
                                   const double* u) {
  const Rows rows = rows_of(block);
  const Limits limits = limits_of(block, pose);
  const int count[3] = {rows.tangents, rows.rolls, rows.drills};
  double gap = 0.0;
  for (int k = 0, at = 1; k < 3; at += count[k++])
    gap += fabs(limits.mu[k] * length(count[k], u + at) * r[0] + dot(count[k], r + at, u + at));
  return (ChLawTerms){.signorini = fabs(ch_min(diagonal * r[0], u[0])), .dissipation = gap};
}

static ChLawTerms terms_of_ellipsoid(const ChBlock* block, ChPose pose, double diagonal, const double* r,
                                     const double* u) {
  return (ChLawTerms){.signorini = fabs(ch_min(diagonal * r[0], u[0])),
                      .dissipation = fabs(support_of_ellipsoid(block, pose, u) * r[0] + dot(3, r + 1, u + 1))};
}

// Forces, rolling moments, the drilling moment.
static int groups(const ChBlock* block, int end[CH_BLOCK_MAX]) {
  const Rows rows = rows_of(block);
  int count = 0;
  end[count++] = 1 + rows.tangents;
  if (rows.rolls > 0) end[count++] = 1 + rows.tangents + rows.rolls;
  if (rows.drills > 0) end[count++] = block->dimension;
  return count;
}

static void stretch(const ChBlock* block, const double* g, ChBlock* out) {
  const Rows rows = rows_of(block);
  *out = *block;
  if (rows.rolls > 0) out->more[ROLL] *= g[0] / g[1 + rows.tangents];
  if (rows.drills > 0) out->more[DRILL] *= g[0] / g[block->dimension - 1];
}

// --- from the problem to the scaled system ---------------------------------------------------------------------------

// The scale of rows first .. first + count, which have one unit; `other` where nothing moves them.
static double scale_of(const ChKeepFacts* facts, int first, int count, double compliance, double other) {
  double trace = compliance;
  for (int a = first; a < first + count; ++a) trace += facts->diagonal[a];
  return trace > 0.0 ? sqrt(count / trace) : other;
}

// Rows of one group that something moves; returns how many.
static int keep_rows(const ChBlock* block, const ChKeepFacts* facts, int first, int count, double g, int at,
                     ChKeptBlock* kept) {
  int kept_rows = 0;
  for (int a = first; a < first + count; ++a) {
    if (facts->immovable[a]) continue;
    kept->rows[at + kept_rows] = block->row + a;
    kept->g[at + kept_rows++] = g;
  }
  return kept_rows;
}

static double keep_normal(const ChBlock* block, const ChKeepFacts* facts, ChKeptBlock* kept) {
  const double d = scale_of(facts, 0, 1 + rows_of(block).tangents, block->compliance, facts->d);
  kept->rows[0] = block->row;
  kept->g[0] = d;
  kept->block.dim = 1;
  return d;
}

// What is left may be a law of its own, which all methods know.
static void name_kept(ChKeptBlock* kept, bool moments) {
  if (kept->block.balls == 0) kept->block.law = &ch_law_unilateral;
  if (kept->block.balls == 0 || moments) return;
  kept->block.law = &ch_law_contact;
  kept->block.balls = 0;
  memset(kept->block.more, 0, sizeof kept->block.more);
}

static void keep_product(const ChBlock* block, const ChKeepFacts* facts, ChKeptBlock* kept) {
  const Rows rows = rows_of(block);
  const Limits limits = limits_of(block, facts->pose);
  const int count[3] = {rows.tangents, rows.rolls, rows.drills};
  const double d = keep_normal(block, facts, kept);
  bool moments = false;
  for (int k = 0, first = 1; k < 3; first += count[k++]) {
    if (!(limits.mu[k] > 0.0) || count[k] == 0) continue;
    const double g = k == 0 ? d : scale_of(facts, first, count[k], 0.0, d);
    const int moved = keep_rows(block, facts, first, count[k], g, kept->block.dim, kept);
    if (moved > 0) ch_balls_add(&kept->block, moved, limits.mu[k] * (d / g));
    moments |= k > 0 && moved > 0;
  }
  name_kept(kept, moments);
}

// One ball: the drilling row is stretched by mu_d / mu.
static void keep_ellipsoid(const ChBlock* block, const ChKeepFacts* facts, ChKeptBlock* kept) {
  const Limits limits = limits_of(block, facts->pose);
  const double d = keep_normal(block, facts, kept);
  int tangents = 0, drills = 0;
  if (limits.mu[0] > 0.0) tangents = keep_rows(block, facts, 1, 2, d, 1, kept);
  const double stretched = tangents > 0 ? d * (limits.mu[2] / limits.mu[0]) : scale_of(facts, 3, 1, 0.0, d);
  if (limits.mu[2] > 0.0) drills = keep_rows(block, facts, 3, 1, stretched, 1 + tangents, kept);
  if (tangents + drills > 0)
    ch_balls_add(&kept->block, tangents + drills, tangents > 0 ? limits.mu[0] : limits.mu[2] * (d / stretched));
  name_kept(kept, drills > 0);
}

// --- the rows --------------------------------------------------------------------------------------------------------

#define MU \
  { "mu", "friction coefficient mu", offsetof(ChBlock, mu), 0.0, LARGEST_MU }
#define ROLLING \
  { "rolling", "rolling coefficient mu_r", offsetof(ChBlock, more[ROLL]), 0.0, LARGEST_LENGTH }
#define DRILLING \
  { "drilling", "drilling coefficient mu_d", offsetof(ChBlock, more[DRILL]), 0.0, LARGEST_LENGTH }
#define COMPLIANCE \
  { "compliance", "compliance", offsetof(ChBlock, compliance), 0.0, LARGEST_COMPLIANCE }
#define BALLS                                                                                            \
  .together = true, .interval = ch_balls_interval, .clamp = ch_balls_clamp, .project = ch_balls_project, \
  .derivative = ch_balls_derivative, .alart_curnier = ch_balls_alart_curnier,                            \
  .alart_curnier_derivative = ch_balls_alart_curnier_derivative, .slip = ch_balls_slip,                  \
  .prepare_local = ch_balls_prepare_local, .solve_local = ch_balls_solve_local, .barrier = &ch_barrier_balls
#define PRODUCT_GRADE                      \
  .grade = {.groups = groups,              \
            .stretch = stretch,            \
            .project = project_product,    \
            .support = support_of_product, \
            .is_open = product_is_open,    \
            .terms = terms_of_product}

const ChLawRow ch_law_rolling = {
    .info = {.name = "rolling",
             .plural = "rolling contacts",
             .statement = "|r_T| <= mu r_n, |m_R| <= mu_r r_n, |m_N| <= mu_d r_n, dissipation maximal",
             .dimension_lowest = 3,
             .dimension_highest = 6,
             .opens = true,
             .rolls = true,
             .drills = true,
             .compliance = offsetof(ChBlock, compliance),
             .parameter_count = 4,
             .parameter = {MU, ROLLING, DRILLING, COMPLIANCE}},
    .check = check_rolling,
    PRODUCT_GRADE,
    .keep = keep_product,
    BALLS};

const ChLawRow ch_law_drilling = {.info = {.name = "drilling",
                                           .plural = "drilling contacts",
                                           .statement = "|r_T| <= mu r_n, |m_N| <= mu_d r_n, dissipation maximal",
                                           .dimension_lowest = 4,
                                           .dimension_highest = 4,
                                           .opens = true,
                                           .compliance = offsetof(ChBlock, compliance),
                                           .parameter_count = 3,
                                           .parameter = {MU, DRILLING, COMPLIANCE}},
                                  PRODUCT_GRADE,
                                  .keep = keep_product,
                                  BALLS};

const ChLawRow ch_law_ellipsoidal = {
    .info = {.name = "ellipsoidal",
             .plural = "ellipsoidal contacts",
             .statement = "|r_T|^2 / mu^2 + m_N^2 / mu_d^2 <= r_n^2, dissipation maximal",
             .dimension_lowest = 4,
             .dimension_highest = 4,
             .opens = true,
             .drills = true,
             .shares = true,
             .compliance = offsetof(ChBlock, compliance),
             .parameter_count = 3,
             .parameter = {MU, DRILLING, COMPLIANCE}},
    .grade = {.groups = groups,
              .stretch = stretch,
              .project = project_ellipsoid,
              .support = support_of_ellipsoid,
              .is_open = ellipsoid_is_open,
              .terms = terms_of_ellipsoid},
    .keep = keep_ellipsoid,
    BALLS};

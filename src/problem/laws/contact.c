// contact: Coulomb's friction and Signorini's law. Rows (normal, tangent 1[, tangent 2]).
// compliant: the same of u + c r_n n, so that the normal yields by c a unit of r_n. c does not touch u_T: it is
// contact's law on W + C, C diagonal, and whoever has W adds C to it (system/). See docs/theory/compliant.md.
//
//   K = { r : |r_T| <= mu r_n }, or an elliptic or polygonal section;   K contains r, K* contains u + sigma(u_T) n,
//   orthogonal;   sigma(u_T) = mu |u_T|, or the support function of the section
//
// The exact solution of one block in space: b_n >= 0 gives r = 0. Otherwise eliminate the normal row (u_n = 0),
//   Wt = W_TT - w w^T / W_nn,  qt = b_T - w b_n / W_nn,  w = W_Tn
// and solve the section (section.h). In the plane the root is explicit.
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "problem/cones.h"
#include "problem/laws/corners.h"
#include "problem/laws/local.h"
#include "problem/laws/section.h"
#include "problem/polygon.h"

// Beyond this a cone is flat to the last bit of a double, and its projection says nothing any more.
#define LARGEST_MU 1e8
#define LARGEST_COMPLIANCE 1e100  // so that sums and squares of it stay finite
#define OPEN_SHARE 1e-8           // of mu |u_T|, from which on u_n > 0 is beyond doubt

// --- what the certificate reads --------------------------------------------------------------------------------------

static void project_given(const ChBlock* block, ChPose pose, const double* x, double* y) {
  const double none[2] = {0.0, 0.0};
  const double* mu = pose == CH_POSE_FRICTIONLESS ? none : block->mu;
  if (block->dimension == 2) {
    ch_project_circular2(mu[0], x, y);
  } else if (block->sides > 0) {
    double corners[2 * CH_SIDES_MAX];
    ch_polygon_corners(block->sides, corners);
    ch_project_polygon(mu, block->sides, corners, x, y, NULL);
  } else {
    ch_project_elliptic(mu, x, y);
  }
}

static double support(const ChBlock* block, ChPose pose, const double* u) {
  if (pose == CH_POSE_FRICTIONLESS) return 0.0;
  if (block->dimension == 2) return block->mu[0] * fabs(u[1]);
  if (block->sides > 0) {
    double corners[2 * CH_SIDES_MAX];
    ch_polygon_corners(block->sides, corners);
    return ch_polygon_support(block->mu, block->sides, corners, u + 1, NULL);
  }
  const double a = block->mu[0] * u[1], b = block->mu[1] * u[2];
  return sqrt(a * a + b * b);
}

// A contact without reaction that parts, r = 0 and u_n > 0, is solved: -rho hat u lies in the polar cone, and here by
// far more than round-off, so that every figure of it is zero to the last bit.
static bool is_open(const ChBlock* block, ChPose pose, const double* rho, const double* r, const double* u) {
  if (!(u[0] > 0.0) || block->sides > 0 || pose != CH_POSE_COULOMB) return false;
  for (int k = 0; r && k < block->dimension; ++k)
    if (r[k] != 0.0) return false;
  return rho[0] > 0.0 && rho[0] < INFINITY && u[0] > OPEN_SHARE * support(block, pose, u);
}

static ChLawTerms terms(const ChBlock* block, ChPose pose, double diagonal, const double* r, const double* u) {
  double gap = support(block, pose, u) * r[0];
  for (int k = 1; k < block->dimension; ++k) gap += r[k] * u[k];
  return (ChLawTerms){.signorini = fabs(ch_min(diagonal * r[0], u[0])), .dissipation = fabs(gap)};
}

// --- from the problem to the scaled system ---------------------------------------------------------------------------

// With S = diag(1, m/mu_1, m/mu_2), m = sqrt(mu_1 mu_2), an elliptic cone becomes the circular one of friction m. A
// direction without friction or motion carries no reaction and drops out; without any, the contact is unilateral.
static void keep(const ChBlock* block, const ChKeepFacts* facts, ChKeptBlock* kept) {
  double mu1 = facts->pose == CH_POSE_FRICTIONLESS ? 0.0 : block->mu[0];
  double mu2 = facts->pose == CH_POSE_FRICTIONLESS || block->dimension == 2 ? 0.0 : block->mu[1];
  if (facts->immovable[1]) mu1 = 0.0;
  if (mu2 > 0.0 && facts->immovable[2]) mu2 = 0.0;
  bool rubs = mu1 > 0.0 || mu2 > 0.0;
  ChScaledBlock* b = &kept->block;
  kept->rows[0] = block->row;
  kept->g[0] = facts->d;
  b->dim = 1;
  if (!rubs) b->law = &ch_law_unilateral;
  double mean = mu1 == mu2 ? mu1 : mu1 > 0.0 && mu2 > 0.0 ? sqrt(mu1) * sqrt(mu2) : mu1 + mu2;
  b->mu = rubs ? mean : 0.0;
  for (int t = 0; t < 2; ++t) {
    double mu = t == 0 ? mu1 : mu2;
    if (!(mu > 0.0)) continue;
    kept->rows[b->dim] = block->row + 1 + t;
    kept->g[b->dim++] = mu == mean ? facts->d : facts->d * (mu / mean);
  }
  b->sides = b->dim == 3 ? block->sides : 0;
  if (b->dim == 2 && kept->rows[1] == block->row + 2 && block->sides % 4 == 2)
    b->mu *= cos(acos(-1.0) / block->sides);  // such a polygon has no corner on the second axis
}

// Directions of an elliptic section: corners of the polygon over their largest radius, so that the bound is one number.
static void as_given(ChArena* arena, const ChBlock* block, ChScaledBlock* out) {
  out->mu = block->dimension == 3 ? fmax(block->mu[0], block->mu[1]) : block->mu[0];
  out->sides = block->sides;
  if (block->dimension != 3) return;
  double* corners = CH_TAKE(arena, 2 * block->sides, double);
  ch_polygon_corners(block->sides, corners);
  for (int k = 0; out->mu > 0.0 && k < 2 * block->sides; ++k) corners[k] *= block->mu[k % 2] / out->mu;
  out->corners = corners;
}

// --- projection, slip and their derivatives --------------------------------------------------------------------------

static void interval(const ChScaledBlock* b, double* lo, double* hi) {
  (void)b;
  *lo = 0.0;
  *hi = INFINITY;
}

static double clamp(const ChScaledBlock* b, int row, double x, const double* r) {
  return row == 0 ? ch_positive_part(x) : ch_clamp(x, -b->mu * r[0], b->mu * r[0]);
}

static double tangent_size(int d, const double* x) { return d == 3 ? sqrt(x[1] * x[1] + x[2] * x[2]) : fabs(x[1]); }

static void project_on_polygon(const ChScaledBlock* b, const double* x, double* y, ChPolygonFace* face) {
  const double mu[2] = {b->mu, b->mu};
  ch_project_polygon(mu, b->sides, b->corners, x, y, face);
}

static void project(const ChScaledBlock* b, const double* x, double* y) {
  if (b->sides > 0)
    project_on_polygon(b, x, y, NULL);
  else if (b->dim == 3)
    ch_project_circular3(b->mu, x, y);
  else
    ch_project_circular2(b->mu, x, y);
}

static void polygon_derivative(const ChScaledBlock* b, const double* x, double* D) {
  double y[3];
  ChPolygonFace face;
  project_on_polygon(b, x, y, &face);
  memcpy(D, face.D, sizeof face.D);
}

static void derivative(const ChScaledBlock* b, const double* x, double* D) {
  if (b->sides > 0) {
    polygon_derivative(b, x, D);
    return;
  }
  int d = b->dim;
  double mu = b->mu, t = tangent_size(d, x), e[3] = {0.0};
  memset(D, 0, (size_t)(d * d) * sizeof *D);
  if (x[0] >= 0.0 && t <= mu * x[0]) {
    for (int a = 0; a < d; ++a) D[a * d + a] = 1.0;
    return;
  }
  if (mu * t <= -x[0]) return;
  double c = 1.0 / (1.0 + mu * mu), normal = c * (x[0] + mu * t);
  ch_section_direction(d, 1, x, t, e);
  D[0] = c;
  for (int a = 1; a < d; ++a) {
    D[a] = D[a * d] = c * mu * e[a];
    for (int k = 1; k < d; ++k) D[a * d + k] = c * mu * mu * e[a] * e[k];
  }
  ch_section_add_turning(d, 1, mu * normal / t, e, D);
}

static void alart_curnier(const ChScaledBlock* b, const double* x, double* y) {
  if (b->sides > 0) {
    project_on_polygon(b, x, y, NULL);
    return;
  }
  int d = b->dim;
  y[0] = x[0] <= 0.0 ? 0.0 : x[0];
  double t = tangent_size(d, x), radius = b->mu * y[0];
  double shrink = t <= radius ? 1.0 : radius / t;
  for (int a = 1; a < d; ++a) y[a] = shrink * x[a];
}

static void alart_curnier_derivative(const ChScaledBlock* b, const double* x, double* D) {
  if (b->sides > 0) {
    polygon_derivative(b, x, D);
    return;
  }
  int d = b->dim;
  memset(D, 0, (size_t)(d * d) * sizeof *D);
  if (x[0] <= 0.0) return;
  double mu = b->mu, t = tangent_size(d, x), e[3] = {0.0};
  D[0] = 1.0;
  if (t <= mu * x[0]) {
    for (int a = 1; a < d; ++a) D[a * d + a] = 1.0;
    return;
  }
  ch_section_direction(d, 1, x, t, e);
  ch_section_add_turning(d, 1, mu * x[0] / t, e, D);
  for (int a = 1; a < d; ++a) D[a * d] = mu * e[a];
}

static double slip(const ChScaledBlock* b, const double* u, double* gradient) {
  const double one[2] = {1.0, 1.0};
  int best = 0;
  double size = b->sides > 0 ? ch_polygon_support(one, b->sides, b->corners, u + 1, &best) : tangent_size(b->dim, u);
  if (!gradient) return size;
  for (int a = 0; a < b->dim; ++a) gradient[a] = a > 0 && size > 0.0 ? u[a] / size : 0.0;
  if (size > 0.0 && b->sides > 0) {
    gradient[1] = b->corners[2 * best];
    gradient[2] = b->corners[2 * best + 1];
  }
  return size;
}

// --- the exact solution of one block ---------------------------------------------------------------------------------

static void prepare_local(ChArena* arena, const ChScaledBlock* b, const double* W, ChLocalBlock* l) {
  double S[9] = {0.0};
  ch_section_split(arena, W, b->dim, S, l);
  l->normal_inverse = S[0] > 1e-14 ? 1.0 / S[0] : 1.0;
  if (b->dim == 3) {
    ch_section_prepare(S + 4, 3, S + 1, l->normal_inverse, l);
  } else {
    l->lever[0] = -S[1] * l->normal_inverse;
    l->value[0] = fmax(S[3] - S[1] * S[1] * l->normal_inverse, 1e-14);
  }
}

static void solve_space(const ChLocalBlock* l, const double* b, double mu, double* root, double* r) {
  if (b[0] >= 0.0) {
    r[0] = r[1] = r[2] = 0.0;
    return;
  }
  double w0 = -(l->cosine * l->lever[0] - l->sine * l->lever[1]);  // w / W_nn back from the eigenbasis
  double w1 = -(l->sine * l->lever[0] + l->cosine * l->lever[1]);
  ch_section_solve(l, b[1] - w0 * b[0], b[2] - w1 * b[0], -b[0] * l->normal_inverse, mu, root, &r[0], r + 1);
}

// In the plane the root is explicit: r_t = sign mu r_n with the sign that opposes the slip.
static void solve_plane(const ChLocalBlock* l, const double* b, double mu, double* r) {
  if (b[0] >= 0.0) {
    r[0] = r[1] = 0.0;
    return;
  }
  double base = -b[0] * l->normal_inverse;
  double t = -(b[1] + l->lever[0] * b[0]) / l->value[0], n = base + l->lever[0] * t;
  if (!(fabs(t) <= mu * n)) {
    double sign = t > 0.0 ? 1.0 : -1.0, divisor = 1.0 - sign * mu * l->lever[0];
    n = divisor > 0.0 ? base / divisor : 0.0;
    t = sign * mu * n;
  }
  r[0] = n, r[1] = t;
}

// Pose relaxed: min 1/2 r W r + q r over the cone, with W as it is.
static void solve_local(const ChScaledBlock* b, bool relaxed, const double* W, ChLocalBlock* l, const double* q,
                        double* r) {
  double carried[3];
  if (relaxed) {
    ch_local_minimize(b, W, q, r);
    return;
  }
  q = ch_section_carry(l, b->dim, q, r, carried);
  if (b->dim == 3)
    solve_space(l, q, b->mu, &l->root, r);
  else
    solve_plane(l, q, b->mu, r);
}

// The normals: without friction. The tangents: a disc, or an interval in the plane, whose size follows.
static void halve(const ChScaledBlock* whole, bool tangential, ChScaledBlock* half) {
  *half = (ChScaledBlock){.law = &ch_law_unilateral, .dim = 1, .compliance = whole->compliance};
  if (!tangential) return;
  *half = (ChScaledBlock){.law = whole->dim == 3 ? &ch_law_disc : &ch_law_limit,
                          .dim = whole->dim - 1,
                          .compliance = whole->shear[0],
                          .shear = {whole->shear[1]}};
  if (whole->dim != 3) return;
  half->sides = whole->sides;
  half->corners = whole->corners;
}

static bool curved(const ChScaledBlock* b) { return b->dim == 3 && b->sides == 0; }

// --- polygons --------------------------------------------------------------------------------------------------------

static int directions(const ChScaledBlock* b) { return b->dim == 2 ? 2 : b->sides; }

static double direction(const ChScaledBlock* b, int j, int axis) {
  if (b->dim == 2) return j == 0 ? 1.0 : -1.0;
  return b->corners[2 * j + axis];
}

static int variables(const ChScaledBlock* b) { return 2 + directions(b); }

static void list(const ChScaledBlock* b, const ChLcpPlace* place) {
  int m = directions(b), row = place->row, at = place->at;
  ch_entry_list_add(place->G, row, at, 1.0);
  ch_entry_list_add(place->C, at + 1 + m, at, b->mu);
  if (place->relaxed) ch_entry_list_add(place->C, at, at + 1 + m, -b->mu);
  for (int j = 0; j < m; ++j) {
    for (int a = 1; a < b->dim; ++a) ch_entry_list_add(place->G, row + a, at + 1 + j, direction(b, j, a - 1));
    ch_entry_list_add(place->C, at + 1 + j, at + 1 + m, 1.0);
    ch_entry_list_add(place->C, at + 1 + m, at + 1 + j, -1.0);
  }
}

static void bounds(const ChScaledBlock* b, unsigned char* free, double* base, double* bias) {
  (void)b;
  (void)free;
  (void)base;
  (void)bias;
}

// r_T as a non-negative sum of the two directions that enclose it.
static void split_tangent(const ChScaledBlock* b, const double* rt, double* beta) {
  if (b->dim == 2) {
    beta[rt[0] < 0.0] = fabs(rt[0]);
    return;
  }
  int m = b->sides;
  for (int j = 0; j < m; ++j) {
    const double *a = b->corners + 2 * j, *c = b->corners + 2 * ((j + 1) % m);
    double det = a[0] * c[1] - a[1] * c[0], along = (rt[0] * c[1] - rt[1] * c[0]) / det,
           next = (a[0] * rt[1] - a[1] * rt[0]) / det;
    if (!(along >= 0.0 && next >= 0.0)) continue;
    beta[j] = along;
    beta[(j + 1) % m] += next;
    return;
  }
}

static void point(const ChScaledBlock* b, const double* r, const double* u, double* y) {
  y[0] = r[0];
  split_tangent(b, r + 1, y + 1);
  y[1 + directions(b)] = slip(b, u, NULL);
}

static void fill(const ChScaledBlock* b, ChRayRows rows) {
  for (int j = 0; j < directions(b); ++j) {
    double* g = rows.G + CH_RAY_ROWS * j;
    g[0] = 1.0;
    if (b->dim == 2) g[1] = j == 0 ? b->mu : -b->mu;
    for (int a = 0; a < 2 && b->dim == 3; ++a) g[1 + a] = b->mu * b->corners[2 * j + a];
  }
}

// r = (n, t) in the fan of triangles (c_0, c_j, c_j+1): t - n mu c_0 = a (c_j - c_0) + b (c_j+1 - c_0). The triangle
// whose smallest weight is largest holds the point, or comes nearest.
static void split_fan(int sides, const double* corners, double mu, const double* r, double* y) {
  double best = -INFINITY, weight[3] = {r[0], 0.0, 0.0};
  int at = 1;
  for (int j = 1; j + 1 < sides; ++j) {
    const double *c0 = corners, *c1 = corners + 2 * j, *c2 = corners + 2 * j + 2;
    double edges[4] = {c1[0] - c0[0], c1[1] - c0[1], c2[0] - c0[0], c2[1] - c0[1]}, a, b;
    double t[2] = {r[1] / mu - r[0] * c0[0], r[2] / mu - r[0] * c0[1]};
    ch_corners_split_pair(t, edges, 0, 1, &a, &b);
    double least = fmin(fmin(a, b), r[0] - a - b);
    if (!(least > best)) continue;
    best = least;
    weight[0] = r[0] - a - b, weight[1] = a, weight[2] = b;
    at = j;
  }
  y[0] += weight[0], y[at] += weight[1], y[at + 1] += weight[2];
}

static void split(const ChScaledBlock* b, const double* base, const double* r, double* weight) {
  (void)base;
  if (b->dim == 3) {
    split_fan(b->sides, b->corners, b->mu, r, weight);
  } else {
    weight[0] = 0.5 * (r[0] + r[1] / b->mu);
    weight[1] = 0.5 * (r[0] - r[1] / b->mu);
  }
  ch_corners_sweep(directions(b), weight);
}

static const ChLawPolygon polygon = {.variables = variables,
                                     .list = list,
                                     .bounds = bounds,
                                     .point = point,
                                     .rays = directions,
                                     .fill = fill,
                                     .split = split};

// What both rows have: the sets are the same, and so is all that solvers do with them.
#define FRICTION_PARAMETERS                                                                   \
  {"mu", "friction coefficient mu", offsetof(ChBlock, mu), 0.0, LARGEST_MU}, {                \
    "mu2", "friction coefficient mu", offsetof(ChBlock, mu) + sizeof(double), 0.0, LARGEST_MU \
  }
#define COULOMB                                                                                                   \
  .grade = {.project = project_given, .support = support, .is_open = is_open, .terms = terms}, .keep = keep,      \
  .as_given = as_given, .cone = true, .together = true, .interval = interval, .clamp = clamp, .project = project, \
  .derivative = derivative, .alart_curnier = alart_curnier, .alart_curnier_derivative = alart_curnier_derivative, \
  .slip = slip, .prepare_local = prepare_local, .solve_local = solve_local, .barrier = &ch_barrier_lorentz,       \
  .halve = halve, .curved = curved, .polygon = &polygon

const ChLawRow ch_law_contact = {.info = {.name = "contact",
                                          .plural = "contacts",
                                          .statement = "K_mu contains r, K_mu* contains u + mu |u_T| n, orthogonal",
                                          .opens = true,
                                          .friction = true,
                                          .parameter_count = 2,
                                          .parameter = {FRICTION_PARAMETERS}},
                                 COULOMB};

const ChLawRow ch_law_compliant = {
    .info = {.name = "compliant",
             .plural = "compliant contacts",
             .statement =
                 "K_mu contains r, K_mu* contains u' + mu |u'_T| n, orthogonal, u' = u + C r, C = diag(c, c_t)",
             .opens = true,
             .friction = true,
             .compliance = offsetof(ChBlock, compliance),
             .shear = offsetof(ChBlock, shear),
             .parameter_count = 4,
             .parameter = {FRICTION_PARAMETERS,
                           {"compliance", "compliance", offsetof(ChBlock, compliance), 0.0, LARGEST_COMPLIANCE},
                           {"shear", "shear compliance", offsetof(ChBlock, shear), 0.0, LARGEST_COMPLIANCE}}},
    COULOMB};

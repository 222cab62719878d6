#include "collide/convex_distance.h"

enum { CORNERS = 4, STEPS = 200 };

// Corners of B - A with the points that they come from, and the weights of the nearest point.
typedef struct Simplex {
  int count;
  ChVec3 d[CORNERS], a[CORNERS], b[CORNERS];
  double weight[CORNERS];
} Simplex;

static double determinant(const double m[3][3]) {
  return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
         m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

// Weights of the point of the affine hull of some corners that is nearest to the origin: with edges e_k = d_k - d_0,
// sum_j (e_k . e_j) w_j = - e_k . d_0, by Cramer's rule. False when the corners are dependent or a weight is not
// positive.
static bool nearest_inside(int count, const ChVec3 d[CORNERS], double weight[CORNERS]) {
  double gram[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, right[3] = {0.0, 0.0, 0.0}, sum = 0.0, scale = 1.0;
  for (int k = 1; k < count; ++k) {
    const ChVec3 edge = ch_sub(d[k], d[0]);
    right[k - 1] = -ch_dot(edge, d[0]);
    for (int j = 1; j < count; ++j) gram[k - 1][j - 1] = ch_dot(edge, ch_sub(d[j], d[0]));
    scale *= gram[k - 1][k - 1];
  }
  const double whole = determinant((const double(*)[3])gram);
  if (!(whole > 1e-30 * scale)) return false;
  for (int k = 1; k < count; ++k) {
    double column[3][3];
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) column[i][j] = j == k - 1 ? right[i] : gram[i][j];
    weight[k] = determinant((const double(*)[3])column) / whole;
    sum += weight[k];
    if (!(weight[k] > 0.0)) return false;
  }
  weight[0] = 1.0 - sum;
  return weight[0] > 0.0;
}

// Keeps the corners that span the point nearest to the origin, and returns that point. The newest corner is among them:
// the others had their nearest point before, and it was not near enough.
static ChVec3 reduce(Simplex* simplex) {
  const int newest = 1 << (simplex->count - 1);
  double best = INFINITY, best_weight[CORNERS] = {1.0};
  int best_set = newest;
  ChVec3 nearest = simplex->d[simplex->count - 1];
  for (int set = newest; set < 2 * newest; ++set) {
    ChVec3 d[CORNERS], point = ch_vec(0.0, 0.0, 0.0);
    double weight[CORNERS] = {1.0};
    int count = 0;
    for (int k = 0; k < simplex->count; ++k)
      if (set >> k & 1) d[count++] = simplex->d[k];
    if (count > 1 && !nearest_inside(count, d, weight)) continue;
    for (int k = 0; k < count; ++k) point = ch_along(point, weight[k], d[k]);
    const double squared = ch_dot(point, point);
    if (!(squared < best)) continue;
    best = squared;
    best_set = set;
    nearest = point;
    for (int k = 0; k < count; ++k) best_weight[k] = weight[k];
  }
  int count = 0;
  for (int k = 0; k < simplex->count; ++k)
    if (best_set >> k & 1) {
      simplex->d[count] = simplex->d[k];
      simplex->a[count] = simplex->a[k];
      simplex->b[count] = simplex->b[k];
      simplex->weight[count] = best_weight[count];
      ++count;
    }
  simplex->count = count;
  return nearest;
}

static bool is_corner(const Simplex* simplex, ChVec3 d) {
  for (int k = 0; k < simplex->count; ++k)
    if (simplex->d[k].x == d.x && simplex->d[k].y == d.y && simplex->d[k].z == d.z) return true;
  return false;
}

static void add(Simplex* simplex, ChVec3 a, ChVec3 b) {
  const int k = simplex->count++;
  simplex->a[k] = a;
  simplex->b[k] = b;
  simplex->d[k] = ch_sub(b, a);
  simplex->weight[k] = simplex->count == 1 ? 1.0 : 0.0;
}

static void finish(const Simplex* simplex, ChClosest* closest) {
  closest->a = closest->b = ch_vec(0.0, 0.0, 0.0);
  for (int k = 0; k < simplex->count; ++k) {
    closest->a = ch_along(closest->a, simplex->weight[k], simplex->a[k]);
    closest->b = ch_along(closest->b, simplex->weight[k], simplex->b[k]);
  }
}

// The normal of the simplex's own edges is better than the difference of two near points: the difference loses digits
// as the distance goes to zero, the edges do not.
static ChVec3 sharpened(const Simplex* simplex, ChVec3 normal) {
  if (simplex->count == 1) return normal;
  const ChVec3 first = ch_sub(simplex->d[1], simplex->d[0]);
  if (simplex->count == 2) return ch_unit(ch_along(normal, -ch_dot(normal, first) / ch_dot(first, first), first));
  const ChVec3 cross = ch_unit(ch_cross(first, ch_sub(simplex->d[2], simplex->d[0])));
  return ch_dot(cross, normal) < 0.0 ? ch_neg(cross) : cross;
}

ChClosest ch_convex_distance(ChConvexSet a, ChConvexSet b, ChVec3 start, double enough, double size, double tolerance) {
  int hint_a = 0, hint_b = 0;
  ChClosest closest = {.apart = true, .distance = -INFINITY, .normal = ch_unit(start)};
  Simplex simplex = {0};
  add(&simplex, a.support(a.set, closest.normal, &hint_a), b.support(b.set, ch_neg(closest.normal), &hint_b));
  double last = INFINITY;
  for (int step = 0; step < STEPS; ++step) {
    const ChVec3 nearest = reduce(&simplex);
    const double upper = ch_norm(nearest);
    if (!(upper > 1e-15 * size) || simplex.count == CORNERS) {
      closest.apart = false;
      break;
    }
    if (!(upper < last)) break;  // rounding: no nearer than before
    last = upper;
    const ChVec3 normal = ch_scale(1.0 / upper, nearest);
    const ChVec3 point_a = a.support(a.set, normal, &hint_a), point_b = b.support(b.set, ch_neg(normal), &hint_b);
    const ChVec3 d = ch_sub(point_b, point_a);
    const double lower = ch_dot(normal, d);
    closest.normal = normal;
    if (lower > closest.distance) closest.distance = lower;
    if (closest.distance > enough || upper - lower <= tolerance * size || is_corner(&simplex, d)) break;
    add(&simplex, point_a, point_b);
  }
  finish(&simplex, &closest);
  if (!closest.apart || closest.distance > enough) return closest;
  const ChVec3 sharp = sharpened(&simplex, closest.normal);
  const ChVec3 end_a = a.support(a.set, sharp, &hint_a), end_b = b.support(b.set, ch_neg(sharp), &hint_b);
  const double lower = ch_dot(sharp, ch_sub(end_b, end_a));
  if (lower >= closest.distance - 1e-15 * size) {
    closest.distance = lower;
    closest.normal = sharp;
  }
  return closest;
}

// Hard disks: see hard_disks.h.
#include "reproduce/hard_disks.h"

#include <math.h>

#include "cardhouse/geometry.h"
#include "cardhouse/random.h"

ChRegion ch_hard_disks_region(int side, double fraction, bool periodic) {
  double length = side * sqrt(0.25 * M_PI / fraction);
  return (ChRegion){.dimension = 2, .periodic = periodic, .high = {length, length, 0.0}};
}

void ch_hard_disks_lattice(int side, const ChRegion* region, ChVec3* at) {
  double pitch = region->high.x / side;
  for (int k = 0; k < side * side; ++k) at[k] = ch_vec((k % side + 0.5) * pitch, (k / side + 0.5) * pitch, 0.0);
}

static double nearest(double d, double period) {
  return d > 0.5 * period ? d - period : d < -0.5 * period ? d + period : d;
}
static double wrapped(double x, double period) { return x < 0.0 ? x + period : x >= period ? x - period : x; }

static double square_distance(ChVec3 a, ChVec3 b, const ChRegion* r) {
  double dx = b.x - a.x, dy = b.y - a.y;
  if (r->periodic) dx = nearest(dx, r->high.x), dy = nearest(dy, r->high.y);
  return dx * dx + dy * dy;
}

static bool fits(int count, const ChVec3* at, int moved, ChVec3 to, const ChRegion* r) {
  if (!r->periodic && !(to.x >= 0.5 && to.x <= r->high.x - 0.5 && to.y >= 0.5 && to.y <= r->high.y - 0.5)) return false;
  for (int k = 0; k < count; ++k)
    if (k != moved && square_distance(to, at[k], r) < 1.0) return false;
  return true;
}

static ChVec3 moved_by(ChVec3 from, double stride, const ChRegion* r, uint64_t* seed) {
  double dx = stride * (2.0 * ch_random_unit(seed) - 1.0), dy = stride * (2.0 * ch_random_unit(seed) - 1.0);
  ChVec3 to = ch_vec(from.x + dx, from.y + dy, 0.0);
  return r->periodic ? ch_vec(wrapped(to.x, r->high.x), wrapped(to.y, r->high.y), 0.0) : to;
}

double ch_hard_disks_sweep(int count, ChVec3* at, const ChRegion* region, double stride, uint64_t* seed) {
  int accepted = 0;
  for (int k = 0; k < count; ++k) {
    ChVec3 to = moved_by(at[k], stride, region, seed);
    if (!fits(count, at, k, to, region)) continue;
    at[k] = to;
    ++accepted;
  }
  return (double)accepted / count;
}

// --- reconstruction --------------------------------------------------------------------------------------------------

typedef struct Annealing {
  int count, bins;
  ChVec3* at;
  const ChRegion* region;
  double width;
  const double* target;
  double *histogram, *change;  // pairs in each bin; what a move would add
  double* share;               // g of a bin is its pairs times this
} Annealing;

static void count_pairs(const Annealing* a, int point, ChVec3 place, double sign, double* bins) {
  double reach = (a->bins - 0.5) * a->width;
  for (int k = 0; k < a->count; ++k) {
    double square = k == point ? INFINITY : square_distance(place, a->at[k], a->region);
    if (square < reach * reach) bins[(int)(sqrt(square) / a->width + 0.5)] += sign;
  }
}

static double energy(const Annealing* a, const double* change) {
  double sum = 0.0;
  for (int b = 0; b < a->bins; ++b) {
    double miss = (a->histogram[b] + (change ? change[b] : 0.0)) * a->share[b] - a->target[b];
    sum += miss * miss;
  }
  return sum;
}

static bool prepare(Annealing* a, ChMeasureRoom* room, uint64_t* seed) {
  double length = a->region->high.x, density = a->count * (a->count - 1.0) / 2.0 / (length * length);
  double* three = ch_measure_room_take(room, 3 * (size_t)a->bins, sizeof *three);
  if (!three) return false;
  a->histogram = three, a->change = three + a->bins, a->share = three + 2 * a->bins;
  for (int b = 0; b < a->bins; ++b) {
    double inner = fmax(0.0, (b - 0.5) * a->width), outer = (b + 0.5) * a->width;
    a->share[b] = 1.0 / (density * M_PI * (outer * outer - inner * inner));
  }
  for (int k = 0; k < a->count; ++k) {
    // Before x, on a line of its own: the order of a call's arguments is the compiler's.
    double y = length * ch_random_unit(seed);
    a->at[k] = ch_vec(length * ch_random_unit(seed), y, 0.0);
  }
  for (int k = 0; k < a->count; ++k) count_pairs(a, k, a->at[k], 0.5, a->histogram);
  return true;
}

double ch_points_reconstruct(ChMeasureRoom* room, int count, ChVec3* at, const ChRegion* region, int bins, double width,
                             const double* target, long moves, uint64_t seed) {
  Annealing a = {.count = count, .bins = bins, .at = at, .region = region, .width = width, .target = target};
  if (!prepare(&a, room, &seed)) return NAN;
  double now = energy(&a, NULL), hot = 1e-3 * now, cooling = pow(1e-5, 1.0 / (double)moves);
  for (long move = 0; move < moves; ++move, hot *= cooling) {
    int k = (int)(count * ch_random_unit(&seed));
    double stride = 0.05 + 0.45 * ch_random_unit(&seed);
    ChVec3 to = moved_by(at[k], stride, region, &seed);
    for (int b = 0; b < bins; ++b) a.change[b] = 0.0;
    count_pairs(&a, k, at[k], -1.0, a.change);
    count_pairs(&a, k, to, 1.0, a.change);
    double then = energy(&a, a.change);
    if (!(then <= now || ch_random_unit(&seed) < exp((now - then) / hot))) continue;
    now = then;
    at[k] = to;
    for (int b = 0; b < bins; ++b) a.histogram[b] += a.change[b];
  }
  return sqrt(now / bins);
}

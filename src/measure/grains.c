// Grains: see grains.h.
#include "measure/grains.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cardhouse/shape.h"
#include "cardhouse/soft.h"
#include "measure/region.h"

static const double SAME_SIZE = 0.01;

// Of a deformable body as it is at rest.
static double soft_volume(const ChSoftSkin* skin) {
  double volume = 0.0;
  for (int t = 0; t < skin->triangle_count; ++t) {
    const int* corner = skin->triangles + 3 * t;
    volume += ch_dot(skin->rest[corner[0]], ch_cross(skin->rest[corner[1]], skin->rest[corner[2]])) / 6.0;
  }
  return volume;
}

static double body_volume(const ChWorld* world, int body) {
  ChSoftView soft;
  if (ch_world_soft(world, body, &soft)) return soft_volume(soft.skin);
  double volume = 0.0;
  int first;
  const int count = ch_world_body_shapes(world, body, &first);
  for (int k = first; k < first + count; ++k) volume += ch_world_shape_volume(world, k);
  return volume;
}

static double body_mass(const ChWorld* world, int body) {
  ChSoftView soft;
  const double given = ch_world_body_info(world, ch_world_body_at(world, body)).mass;
  if (ch_world_soft(world, body, &soft)) return soft.mass;
  if (given > 0.0) return given;
  double mass = 0.0;
  int first;
  const int count = ch_world_body_shapes(world, body, &first);
  for (int k = first; k < first + count; ++k)
    mass += ch_world_shape_volume(world, k) * ch_world_material(world, ch_world_shape(world, k).material).density;
  return mass;
}

static bool is_round(const ChWorld* world, int body) {
  int first;
  return ch_world_body_shapes(world, body, &first) == 1 && ch_shape_info(ch_world_shape(world, first).type)->ball;
}

// Whether it moves freely and has that name.
static bool may_be_grain(const ChWorld* world, int body, const char* prefix, size_t length) {
  ChSoftView soft;
  if (ch_world_soft(world, body, &soft) && soft.clamped) return false;
  const ChBodyInfo info = ch_world_body_info(world, ch_world_body_at(world, body));
  return info.kind == CH_BODY_DYNAMIC && (length == 0 || strncmp(info.name, prefix, length) == 0);
}

static double ball_radius(int dimension, double volume) {
  return dimension == 2 ? sqrt(volume / M_PI) : cbrt(0.75 * volume / M_PI);
}

static int ascending(const void* a, const void* b) {
  double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

// Upper ends of the species' radii; returns how many there are.
static int find_limits(ChArena* arena, const ChGrains* g, double split, double limits[CH_SPECIES_MAX]) {
  double* sorted = CH_TAKE(arena, g->count, double);
  memcpy(sorted, g->radius, (size_t)g->count * sizeof *sorted);
  qsort(sorted, (size_t)g->count, sizeof *sorted, ascending);
  int kinds = 0;
  double first = sorted[0];
  for (int k = 1; k < g->count && kinds < CH_SPECIES_MAX; ++k)
    if (sorted[k] > first * (1.0 + SAME_SIZE)) {
      limits[kinds++] = 0.5 * (sorted[k - 1] + sorted[k]);
      first = sorted[k];
    }
  if (kinds < CH_SPECIES_MAX && !(split > 0.0)) {
    limits[kinds] = INFINITY;
    return kinds + 1;
  }
  limits[0] = split > 0.0 ? split : 0.5 * (sorted[0] + sorted[g->count - 1]);
  limits[1] = INFINITY;
  return 2;
}

static void sort_species(ChArena* arena, ChGrains* g, double split) {
  double limits[CH_SPECIES_MAX] = {0}, sums[CH_SPECIES_MAX] = {0};
  int counts[CH_SPECIES_MAX] = {0};
  g->species_count = find_limits(arena, g, split, limits);
  for (int k = 0; k < g->count; ++k) {
    int s = 0;
    while (s + 1 < g->species_count && !(g->radius[k] < limits[s])) ++s;
    g->species[k] = s;
    sums[s] += g->radius[k];
    ++counts[s];
    g->mean_radius += g->radius[k] / g->count;
  }
  for (int s = 0; s < g->species_count; ++s) g->species_radius[s] = counts[s] > 0 ? sums[s] / counts[s] : 0.0;
}

static void take_arrays(ChArena* arena, int room, ChGrains* g) {
  g->body = CH_TAKE(arena, room, int);
  g->radius = CH_TAKE(arena, room, double);
  g->volume = CH_TAKE(arena, room, double);
  g->mass = CH_TAKE(arena, room, double);
  g->round = CH_TAKE(arena, room, bool);
  g->species = CH_TAKE(arena, room, int);
  g->at = CH_TAKE(arena, room, ChVec3);
  g->velocity = CH_TAKE(arena, room, ChVec3);
}

ChStatus ch_grains_of_world_in(ChContext* context, ChArena* arena, const ChWorld* world, const char* prefix,
                               double split, ChGrains* out) {
  size_t length = prefix ? strlen(prefix) : 0;
  const int bodies = ch_world_body_count(world);
  *out = (ChGrains){.dimension = ch_world_dimension(world), .periodic = ch_world_periodic(world)};
  take_arrays(arena, bodies, out);
  out->of_body = CH_TAKE(arena, bodies, int);
  for (int b = 0; b < bodies; ++b) {
    out->of_body[b] = -1;
    if (!may_be_grain(world, b, prefix, length)) continue;
    double volume = body_volume(world, b);
    if (!(volume > 0.0)) continue;
    int k = out->count++;
    out->of_body[b] = k;
    out->body[k] = b;
    out->volume[k] = volume;
    out->mass[k] = body_mass(world, b);
    out->radius[k] = ball_radius(out->dimension, volume);
    out->round[k] = is_round(world, b);
    out->at[k] = ch_periodic_wrap(&out->periodic, ch_world_body_start(world, b, &out->velocity[k]).at);
  }
  if (out->count == 0)
    return ch_fail(context, CH_ERR_ARGUMENT, "there is no moving body with a volume%s%s%s to measure",
                   length ? " whose name begins with '" : "", length ? prefix : "", length ? "'" : "");
  sort_species(arena, out, split);
  return CH_OK;
}

void ch_grains_of_points_in(ChArena* arena, int dimension, int count, const ChVec3* at, double radius, ChGrains* out) {
  *out = (ChGrains){.dimension = dimension, .count = count};
  take_arrays(arena, count, out);
  out->of_body = CH_TAKE(arena, count, int);
  for (int k = 0; k < count; ++k) {
    out->body[k] = out->of_body[k] = k;
    out->radius[k] = radius;
    out->volume[k] = ch_ball_volume(dimension, radius);
    out->round[k] = true;
    out->at[k] = at[k];
  }
  if (count > 0) sort_species(arena, out, 0.0);
}

void ch_grains_place(ChGrains* g, const ChBodyView* bodies) {
  for (int k = 0; k < g->count; ++k) {
    g->at[k] = ch_periodic_wrap(&g->periodic, bodies[g->body[k]].position);
    g->velocity[k] = bodies[g->body[k]].velocity;
  }
}

void ch_grains_follow(ChGrains* g, const ChSimulation* simulation) {
  for (int k = 0; k < g->count; ++k) {
    ChBodyView view = ch_simulation_body_at(simulation, g->body[k]);
    g->at[k] = ch_periodic_wrap(&g->periodic, view.position);
    g->velocity[k] = view.velocity;
  }
}

ChRegion ch_grains_bounds(const ChGrains* g) {
  ChRegion r = {
      .dimension = g->dimension, .low = {INFINITY, INFINITY, INFINITY}, .high = {-INFINITY, -INFINITY, -INFINITY}};
  for (int k = 0; k < g->count; ++k) {
    ChVec3 p = g->at[k];
    double a = g->radius[k];
    r.low = ch_vec(fmin(r.low.x, p.x - a), fmin(r.low.y, p.y - a), fmin(r.low.z, p.z - a));
    r.high = ch_vec(fmax(r.high.x, p.x + a), fmax(r.high.y, p.y + a), fmax(r.high.z, p.z + a));
  }
  if (g->dimension == 2) r.low.z = r.high.z = 0.0;
  const ChPeriodic* p = &g->periodic;
  if (p->axis[0]) r.low.x = p->low.x, r.high.x = p->high.x;
  if (p->axis[1]) r.low.y = p->low.y, r.high.y = p->high.y;
  if (p->axis[2]) r.low.z = p->low.z, r.high.z = p->high.z;
  for (int a = 0; a < 3; ++a) r.wraps[a] = p->axis[a];
  return r;
}

int ch_grain_images(const ChGrains* g, int k, ChVec3 at[CH_GRAIN_IMAGES]) {
  const ChPeriodic* p = &g->periodic;
  int count = 1;
  at[0] = g->at[k];
  for (int a = 0; a < 3; ++a) {
    if (!p->axis[a]) continue;
    double x = ch_component(g->at[k], a), low = ch_component(p->low, a), high = ch_component(p->high, a), by = 0.0;
    if (x - g->radius[k] < low) by = high - low;
    if (x + g->radius[k] > high) by = low - high;
    for (int m = count - 1; m >= 0 && by != 0.0; --m) at[count++] = ch_along(at[m], by, ch_axis(a));
  }
  return count;
}

double ch_grains_packing(const ChGrains* g, const ChRegion* region) {
  double solid = 0.0, volume = ch_region_volume(region);
  for (int k = 0; k < g->count; ++k) {
    ChVec3 at[CH_GRAIN_IMAGES];
    int images = ch_grain_images(g, k, at);
    for (int m = 0; m < images; ++m) solid += ch_region_ball(region, at[m], g->radius[k]);
  }
  return volume > 0.0 ? solid / volume : 0.0;
}

int ch_grains_inside(const ChGrains* g, const ChRegion* region) {
  int count = 0;
  for (int k = 0; k < g->count; ++k) count += ch_region_holds(region, g->at[k]);
  return count;
}

double ch_grains_temperature(const ChGrains* g, const ChRegion* region) {
  ChVec3 mean = {0};
  double sum = 0.0;
  int count = ch_grains_inside(g, region);
  if (count == 0) return 0.0;
  for (int k = 0; k < g->count; ++k)
    if (ch_region_holds(region, g->at[k])) mean = ch_along(mean, 1.0 / count, g->velocity[k]);
  for (int k = 0; k < g->count; ++k) {
    ChVec3 d = ch_sub(g->velocity[k], mean);
    if (ch_region_holds(region, g->at[k])) sum += ch_dot(d, d);
  }
  return sum / (count * g->dimension);
}

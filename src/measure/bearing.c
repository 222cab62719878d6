// Forces between grains (cardhouse/measure.h).
//
// A contact at x_c with the force f on its second body is a contact of both: with the arm x_c - x_g the grain g adds
// - (x_c - x_g) f_g^T / V to the stress, f_g = f for the second and - f for the first. In a periodic world the arm is
// the shortest one. A wall is no grain and has no arm.
#include <math.h>

#include "base/vector.h"
#include "measure/grains.h"

static const double SLIDING = 1e-3;  // of the friction that is left where a contact counts as sliding

static void add_product(double tensor[9], double factor, ChVec3 a, ChVec3 b) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) tensor[3 * i + j] += factor * ch_component(a, i) * ch_component(b, j);
}

// Which of its grains lie in the region; whether any does and it carries a force.
static bool is_borne(const ChGrains* g, const ChRegion* region, const ChContactView* c, bool inside[2]) {
  for (int side = 0; side < 2; ++side) {
    int grain = g->of_body[c->body[side]];
    inside[side] = grain >= 0 && ch_region_holds(region, g->at[grain]);
  }
  return (inside[0] || inside[1]) && !ch_vec_is_zero(c->force);
}

static void add_tensors(ChForces* f, const ChGrains* g, const ChContactView* c, const bool inside[2], double volume) {
  const bool between = g->of_body[c->body[0]] >= 0 && g->of_body[c->body[1]] >= 0;
  for (int side = 0; side < 2; ++side) {
    if (!inside[side]) continue;
    ChVec3 way = ch_sub(c->point, g->at[g->of_body[c->body[side]]]);
    ChVec3 arm = ch_periodic_shortest(&g->periodic, way);
    add_product(f->stress, (side == 0 ? 1.0 : -1.0) / volume, arm, c->force);
    if (!between) continue;
    add_product(f->fabric, 1.0, c->normal, c->normal);
    f->between += 1.0;
  }
}

static int bin_of(double share, double width, int last) {
  double bin = floor(share / width);
  return bin >= last ? last : bin > 0.0 ? (int)bin : 0;  // NaN: 0
}

static void add_friction(ChForces* f, const ChWorld* world, const ChContactView* c, double normal) {
  double mu = world ? ch_world_friction(world, c->shape[0], c->shape[1]) : 0.0;
  if (!(mu > 0.0 && normal > 0.0)) return;
  ChVec3 along = ch_sub(c->force, ch_scale(normal, c->normal));
  double used = fmin(ch_norm(along) / (mu * normal), 1.0);
  ++f->rubbing;
  f->mobilised += used;
  f->sliding += used >= 1.0 - SLIDING;
  ++f->by_mobilised[bin_of(used, 1.0 / CH_MOBILISED_BINS, CH_MOBILISED_BINS - 1)];
}

void ch_forces_add(ChForces* f, const ChGrains* g, const ChRegion* region, const ChWorld* world, int count,
                   const ChContactView* contacts) {
  const double volume = ch_region_volume(region);
  double sum = 0.0;
  long borne = 0;
  bool inside[2];
  f->dimension = g->dimension;
  ++f->moments;
  for (int k = 0; k < count; ++k) {
    const ChContactView* c = &contacts[k];
    if (!is_borne(g, region, c, inside)) continue;
    double normal = ch_dot(c->force, c->normal);
    ++borne;
    sum += normal;
    f->largest = fmax(f->largest, normal);
    add_tensors(f, g, c, inside, volume);
    add_friction(f, world, c, normal);
  }
  for (int k = 0; k < count && sum > 0.0; ++k) {
    if (!is_borne(g, region, &contacts[k], inside)) continue;
    double share = ch_dot(contacts[k].force, contacts[k].normal) * (double)borne / sum;
    ++f->by_force[bin_of(share, CH_FORCE_BIN_WIDTH, CH_FORCE_BINS)];
  }
  f->contacts += borne;
  f->normal += sum;
}

void ch_forces_stress(const ChForces* f, double out[9]) {
  for (int k = 0; k < 9; ++k) out[k] = f->moments > 0 ? f->stress[k] / (double)f->moments : NAN;
}

void ch_forces_fabric(const ChForces* f, double out[9]) {
  for (int k = 0; k < 9; ++k) out[k] = f->between > 0.0 ? f->fabric[k] / f->between : NAN;
}

double ch_forces_pressure(const ChForces* f) {
  double stress[9];
  ch_forces_stress(f, stress);
  return f->dimension == 2 ? 0.5 * (stress[0] + stress[4]) : (stress[0] + stress[4] + stress[8]) / 3.0;
}

double ch_forces_density(const ChForces* f, int bin) {
  return f->contacts > 0 ? (double)f->by_force[bin] / (double)f->contacts / CH_FORCE_BIN_WIDTH : NAN;
}

double ch_forces_mobilised_density(const ChForces* f, int bin) {
  return f->rubbing > 0 ? (double)f->by_mobilised[bin] / (double)f->rubbing * CH_MOBILISED_BINS : NAN;
}

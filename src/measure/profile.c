// Profiles: see profile.h.
#include "measure/profile.h"

#include <math.h>

#include "base/vector.h"
#include "measure/grains.h"
#include "measure/region.h"

const char* ch_profile_axis_name(ChProfileAxis axis) {
  static const char* const names[] = {"x", "y", "z", "r"};
  return names[axis];
}

ChStatus ch_profile_begin(ChContext* context, ChArena* arena, const ChGrains* grains, const ChRegion* region,
                          ChProfileAxis axis, int bins, ChProfile* out) {
  bool round = region->kind == CH_REGION_CYLINDER, plane = region->dimension == 2;
  bool has = axis == CH_PROFILE_R ? round : axis == CH_PROFILE_Z ? !plane : !round;
  if (!has)
    return ch_fail(context, CH_ERR_ARGUMENT, "a profile along %s: the region is %s, which has %s",
                   ch_profile_axis_name(axis),
                   round ? (plane ? "a disc" : "a cylinder") : (plane ? "a rectangle" : "a box"),
                   round ? (plane ? "r" : "r and z") : (plane ? "x and y" : "x, y and z"));
  *out = (ChProfile){.axis = axis,
                     .dimension = grains->dimension,
                     .species_count = grains->species_count,
                     .bins = bins,
                     .low = axis == CH_PROFILE_R ? 0.0 : ch_component(region->low, (int)axis),
                     .high = axis == CH_PROFILE_R ? region->radius : ch_component(region->high, (int)axis),
                     .bin = CH_TAKE(arena, bins, ChProfileBin)};
  return CH_OK;
}

static double edge(const ChProfile* p, int k) { return p->low + (p->high - p->low) * k / p->bins; }

// The region up to the far end of a bin for r, otherwise the bin alone.
static ChRegion part(const ChProfile* p, const ChRegion* region, int bin) {
  ChRegion slice = *region;
  double from = edge(p, bin), to = edge(p, bin + 1);
  switch (p->axis) {
    case CH_PROFILE_X:
      slice.low.x = from, slice.high.x = to;
      break;
    case CH_PROFILE_Y:
      slice.low.y = from, slice.high.y = to;
      break;
    case CH_PROFILE_Z:
      slice.low.z = from, slice.high.z = to;
      break;
    case CH_PROFILE_R:
      slice.radius = to;
      break;
  }
  return slice;
}

static double place(const ChProfile* p, const ChRegion* region, ChVec3 at) {
  return p->axis == CH_PROFILE_R ? hypot(at.x - region->x, at.y - region->y) : ch_component(at, (int)p->axis);
}

static int bin_of(const ChProfile* p, double value) {
  int bin = (int)floor((value - p->low) / (p->high - p->low) * p->bins);
  return bin < 0 ? 0 : bin >= p->bins ? p->bins - 1 : bin;
}

static void add_solid(ChProfile* p, const ChGrains* grains, const ChRegion* region, int k, ChVec3 centre) {
  double at = place(p, region, centre), reach = grains->radius[k];
  if (at + reach <= p->low || at - reach >= p->high) return;
  int first = bin_of(p, at - reach), last = bin_of(p, at + reach);
  double inner = 0.0;  // of shells: what lies within the one before
  for (int b = first; b <= last; ++b) {
    ChRegion slice = part(p, region, b);
    double volume = ch_region_volume(&slice), solid = ch_region_ball(&slice, centre, reach), whole = solid;
    if (p->axis == CH_PROFILE_R) {
      slice.radius = edge(p, b);
      volume -= ch_region_volume(&slice);
      solid -= inner;
      inner = whole;
    }
    p->bin[b].solid[grains->species[k]] += solid / volume;
  }
}

static void add_motion(ChArena* arena, ChProfile* p, const ChGrains* grains, const ChRegion* region) {
  ChProfileBin* now = CH_TAKE(arena, p->bins, ChProfileBin);
  for (int k = 0; k < grains->count; ++k) {
    if (!ch_region_holds(region, grains->at[k])) continue;
    ChProfileBin* bin = &now[bin_of(p, place(p, region, grains->at[k]))];
    ++bin->grains;
    bin->velocity = ch_add(bin->velocity, grains->velocity[k]);
    bin->fluctuation += ch_dot(grains->velocity[k], grains->velocity[k]);
  }
  for (int b = 0; b < p->bins; ++b) {
    if (now[b].grains == 0) continue;
    double spread = now[b].fluctuation - ch_dot(now[b].velocity, now[b].velocity) / (double)now[b].grains;
    p->bin[b].grains += now[b].grains;
    p->bin[b].velocity = ch_add(p->bin[b].velocity, now[b].velocity);
    p->bin[b].fluctuation += (spread <= 0.0 ? 0.0 : spread) / p->dimension;
  }
}

void ch_profile_add(ChArena* arena, ChProfile* p, const ChGrains* grains, const ChRegion* region) {
  ChArenaMark mark = ch_arena_mark(arena);
  for (int k = 0; k < grains->count; ++k) {
    ChVec3 at[CH_GRAIN_IMAGES];
    int images = ch_grain_images(grains, k, at);
    for (int m = 0; m < images; ++m) add_solid(p, grains, region, k, at[m]);
  }
  add_motion(arena, p, grains, region);
  ++p->moments;
  ch_arena_release(arena, mark);
}

double ch_profile_middle(const ChProfile* p, int bin) { return 0.5 * (edge(p, bin) + edge(p, bin + 1)); }

double ch_profile_species(const ChProfile* p, int bin, int species) {
  return p->moments > 0 ? p->bin[bin].solid[species] / (double)p->moments : 0.0;
}

double ch_profile_solid(const ChProfile* p, int bin) {
  double sum = 0.0;
  for (int s = 0; s < p->species_count; ++s) sum += ch_profile_species(p, bin, s);
  return sum;
}

double ch_profile_grains(const ChProfile* p, int bin) {
  return p->moments > 0 ? (double)p->bin[bin].grains / (double)p->moments : 0.0;
}

ChVec3 ch_profile_velocity(const ChProfile* p, int bin) {
  const ChProfileBin* b = &p->bin[bin];
  return b->grains > 0 ? ch_scale(1.0 / (double)b->grains, b->velocity) : ch_vec(NAN, NAN, NAN);
}

double ch_profile_temperature(const ChProfile* p, int bin) {
  const ChProfileBin* b = &p->bin[bin];
  return b->grains > 0 ? b->fluctuation / (double)b->grains : NAN;
}

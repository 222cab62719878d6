// See friction_curves.h. As with coefficients the rule is the geometric mean, at every speed that either curve names:
//
//   mu(s) = sqrt(mu_a(s) mu_b(s))        so that        share(s) = sqrt(share_a(s) share_b(s))
#include "model/friction_curves.h"

#include <math.h>
#include <string.h>

#include "base/check.h"

enum { KINDS_MOST = 64 };

const ChFrictionCurve* ch_world_keep_curve(ChWorld* world, const ChFrictionCurve* curve) {
  if (curve->count == 0) return NULL;
  ChFrictionCurve* copy = CH_TAKE(world->arena, 1, ChFrictionCurve);
  copy->count = curve->count;
  memcpy(copy->speed, curve->speed, (size_t)curve->count * sizeof *copy->speed);
  memcpy(copy->share, curve->share, (size_t)curve->count * sizeof *copy->share);
  return copy;
}

static bool same_curve(const ChFrictionCurve* a, const ChFrictionCurve* b) { return memcmp(a, b, sizeof *a) == 0; }

// Equal curves are one kind, from 1; `kinds` are their first holders.
static int find_kinds(ChWorld* world, const ChFrictionCurve** kinds) {
  int count = 0;
  for (int m = 0; m < world->material_count; ++m) {
    ChMaterial* material = &world->materials[m];
    material->kind = 0;
    if (!material->curve) continue;
    int k = 0;
    while (k < count && !same_curve(kinds[k], material->curve)) ++k;
    if (k == KINDS_MOST) return -1;
    if (k == count) kinds[count++] = material->curve;
    material->kind = k + 1;
  }
  return count;
}

static double share_at(const ChFrictionCurve* curve, double speed) {
  return curve ? ch_friction_share(curve, speed) : 1.0;
}

// False where both have more speeds than a curve may.
static bool combine(const ChFrictionCurve* a, const ChFrictionCurve* b, ChFrictionCurve* out) {
  *out = (ChFrictionCurve){0};
  int i = 0, j = 0, of_a = a ? a->count : 0, of_b = b ? b->count : 0;
  while (i < of_a || j < of_b) {
    const double s = fmin(i < of_a ? a->speed[i] : INFINITY, j < of_b ? b->speed[j] : INFINITY);
    if (out->count == CH_CURVE_POINTS) return false;
    const double x = share_at(a, s), y = share_at(b, s);
    out->speed[out->count] = s;
    out->share[out->count++] = x == y ? x : sqrt(x * y);
    i += i < of_a && a->speed[i] == s;
    j += j < of_b && b->speed[j] == s;
  }
  return true;
}

ChStatus ch_world_list_curves(ChContext* context, ChWorld* world) {
  const ChFrictionCurve* kinds[KINDS_MOST];
  const int count = find_kinds(world, kinds);
  int pairs = 0;
  if (count < 0)
    return ch_fail(context, CH_ERR_SIZE, "materials have more than %d different curves of friction over speed",
                   KINDS_MOST);
  for (int p = 0; p < world->pair_count; ++p) pairs += world->pairs[p].curve != NULL;
  world->kinds = count;
  world->curve_count = (count + 1) * (count + 1) - 1;
  if (world->curve_count + pairs == 0) return CH_OK;
  world->curves = CH_TAKE(world->arena, world->curve_count + pairs, ChFrictionCurve);
  for (int k = 1; k <= world->curve_count; ++k) {
    const int a = k / (count + 1), b = k % (count + 1);
    if (!combine(a > 0 ? kinds[a - 1] : NULL, b > 0 ? kinds[b - 1] : NULL, &world->curves[k - 1]))
      return ch_fail(context, CH_ERR_SIZE,
                     "the curves of friction over speed of two materials have more than %d speeds together: use fewer, "
                     "or give the pair its own curve",
                     CH_CURVE_POINTS);
  }
  for (int p = 0; p < world->pair_count; ++p) {
    if (!world->pairs[p].curve) continue;
    world->curves[world->curve_count++] = *world->pairs[p].curve;
    world->pairs[p].curve_place = world->curve_count;
  }
  return CH_OK;
}

int ch_world_curve_of(const ChWorld* world, const ChMaterial* a, const ChMaterial* b, const ChMaterialPair* pair) {
  if (pair && pair->friction[0] >= 0.0) return pair->curve_place;
  return a->kind * (world->kinds + 1) + b->kind;
}

bool ch_world_has_friction_over_speed(const ChWorld* world) { return world->curve_count > 0; }

void ch_world_forget_curves(ChWorld* world) {
  for (int m = 0; m < world->material_count; ++m) {
    world->materials[m].curve = NULL;
    world->materials[m].kind = 0;
  }
  for (int p = 0; p < world->pair_count; ++p) {
    world->pairs[p].curve = NULL;
    world->pairs[p].curve_place = 0;
  }
  world->curve_count = 0;
}

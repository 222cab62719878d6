// The list of generated problems.
//
// Why a velocity is unique: without friction the problem is a strictly convex programme in v (tower-slippery,
// disks-slippery, beads); a ball on a plane has W_nT = 0, so its normal and tangential parts can be solved one after
// the other (rain). Why an equilibrium exists: a semicircular arch stands above a thickness of 0.1075 of its radius
// with enough friction, the others carry their weight straight down or within friction (cards: half the cotangent of
// the leaning angle is far below mu); `incline-stick`: tan 20 degrees < mu.
#include "support/suite.h"

#include <stdio.h>
#include <string.h>

#define LOCAL CH_FORM_LOCAL
#define GLOBAL CH_FORM_GLOBAL
#define SMALL CH_CASE_SMALL
#define MEDIUM CH_CASE_MEDIUM
#define LARGE CH_CASE_LARGE
#define NONE CH_FACT_NONE
#define HARD CH_FACT_HARD
#define UNIQUE CH_FACT_UNIQUE
#define EQUILIBRIUM CH_FACT_EQUILIBRIUM
#define APART (CH_FACT_APART | CH_FACT_UNIQUE)

static const ChCase cases[] = {
    {"rain-1", "rain", "n=1", LOCAL, SMALL, UNIQUE},
    {"rain-12", "rain", "n=12 mu=0.3 noise=0.5", GLOBAL, SMALL, UNIQUE},
    {"incline-stick", "incline", "angle=20 mu=0.5", GLOBAL, SMALL, EQUILIBRIUM},
    {"incline-slide", "incline", "angle=35 mu=0.5", GLOBAL, SMALL, NONE},
    {"incline-heading", "incline", "n=3 angle=30 mu=0.4 heading=22.5", LOCAL, SMALL, NONE},
    {"tower-5", "tower", "n=5 mu=0.5", GLOBAL, SMALL, EQUILIBRIUM},
    {"tower-slippery", "tower", "n=5 mu=0", LOCAL, SMALL, UNIQUE | EQUILIBRIUM},
    {"tower-heavy-top", "tower", "n=5 mu=0.5 mass_ratio=1000", GLOBAL, SMALL, EQUILIBRIUM},
    {"tower-shaken", "tower", "n=6 mu=0.4 noise=0.02", GLOBAL, SMALL, NONE},
    {"tower-apart", "tower", "n=4 gap=0.1", GLOBAL, SMALL, APART},
    {"tower-weightless", "tower", "n=4 gravity=0", LOCAL, SMALL, APART | EQUILIBRIUM},
    {"cards-2", "cards", "n=2", GLOBAL, SMALL, EQUILIBRIUM},
    {"cards-4", "cards", "n=4", GLOBAL, SMALL, EQUILIBRIUM},
    {"cards-3-shaken", "cards", "n=3 noise=0.01", GLOBAL, SMALL, NONE},
    {"cards-3-local", "cards", "n=3 mu=0.6", LOCAL, SMALL, EQUILIBRIUM},
    {"arch-9", "arch", "n=9", GLOBAL, SMALL, EQUILIBRIUM},
    {"arch-27", "arch", "n=27", GLOBAL, SMALL, EQUILIBRIUM},
    {"arch-15-thin", "arch", "n=15 thickness=0.07", GLOBAL, SMALL, NONE},
    {"arch-15-catenary", "arch", "n=15 catenary=1 thickness=0.1", LOCAL, SMALL, EQUILIBRIUM},
    {"pile-5", "pile", "n=5 mu=0.8", GLOBAL, SMALL, EQUILIBRIUM},
    {"pile-6-slippery", "pile", "n=6 mu=0.05", GLOBAL, SMALL, NONE},
    {"pile-6-shaken", "pile", "n=6 mu=0.3 noise=0.05", LOCAL, SMALL, NONE},
    {"pyramid-4", "pyramid", "n=4 mu=0.6", GLOBAL, SMALL, NONE},
    {"wall-3", "wall", "n=3", GLOBAL, SMALL, EQUILIBRIUM},
    {"wall-3-shaken", "wall", "n=3 noise=0.02", LOCAL, SMALL, NONE},
    {"disks-6", "disks", "n=6 mu=0.8", GLOBAL, SMALL, EQUILIBRIUM},
    {"disks-slippery", "disks", "n=6 mu=0", LOCAL, SMALL, UNIQUE},
    {"disks-shaken", "disks", "n=7 mu=0.3 noise=0.05 gap=0.00001", LOCAL, SMALL, NONE},
    {"planar-wall-5", "planar-wall", "n=5", GLOBAL, SMALL, EQUILIBRIUM},
    {"planar-wall-shaken", "planar-wall", "n=4 noise=0.02", GLOBAL, SMALL, NONE},
    {"beads-6", "beads", "n=6", GLOBAL, SMALL, UNIQUE},
    {"beads-5-shaken", "beads", "n=5 noise=0.1", LOCAL, SMALL, UNIQUE},
    {"skates-6", "skates", "n=6 mu=0.6 mu2=0.2", GLOBAL, SMALL, NONE},
    {"skates-blades", "skates", "n=4 mu=0 mu2=0.9", LOCAL, SMALL, NONE},
    {"chain-8", "chain", "n=8", GLOBAL, SMALL, NONE},
    {"chain-8-heavy", "chain", "n=8 mass_ratio=100 noise=0.1", LOCAL, SMALL, NONE},
    {"door-2", "door", "n=2 mu=0.5", GLOBAL, SMALL, EQUILIBRIUM},
    {"door-2-shaken", "door", "n=2 mu=0.5 noise=0.1", LOCAL, SMALL, NONE},
    {"wheels-2", "wheels", "n=2", GLOBAL, SMALL, NONE},
    {"wheels-1-local", "wheels", "n=1 noise=0.1", LOCAL, SMALL, NONE},
    {"bag-12", "bag", "n=12 asymmetry=0.001", LOCAL, SMALL, CH_FACT_ASYMMETRIC},
    {"bag-20", "bag", "n=20 asymmetry=0.01 seed=5 mu=0.3", LOCAL, SMALL, CH_FACT_ASYMMETRIC},
    {"pile-6-rolling", "pile", "n=6 mu=0.5 rolling=0.01 noise=0.05", GLOBAL, SMALL, NONE},
    {"pyramid-3-rolling", "pyramid", "n=3 mu=0.4 rolling=0.002 drilling=0.005 noise=0.3", LOCAL, SMALL, NONE},
    {"disks-rolling", "disks", "n=5 mu=0.4 rolling=0.01 noise=0.05", GLOBAL, SMALL, NONE},
    {"pile-5-drilling", "pile", "n=5 mu=0.5 drilling=0.01 noise=0.3", GLOBAL, SMALL, NONE},
    {"tower-2-ellipsoidal", "tower", "n=2 mu=0.3 drilling=0.02 shared=1 noise=0.3", GLOBAL, SMALL, NONE},
    {"pile-5-cohesive", "pile", "n=5 mu=0.4 pull=0.05 noise=0.3", GLOBAL, SMALL, NONE},
    {"disks-cohesive", "disks", "n=5 mu=0.4 pull=2 noise=0.3", LOCAL, SMALL, NONE},
    {"pile-5-static-dynamic", "pile", "n=5 mu=0.5 noise=0.3 falls=0.6", GLOBAL, SMALL, NONE},
    {"disks-stribeck", "disks", "n=5 mu=0.5 noise=0.3 falls=0.5 over=0.1", LOCAL, SMALL, NONE},
    {"pile-5-section", "pile", "n=5 mu=0.4 corners=5 noise=0.3", GLOBAL, SMALL, NONE},
    {"tower-2-section", "tower", "n=2 mu=0.4 corners=4 noise=0.3", LOCAL, SMALL, NONE},
    {"wheels-1-springs", "wheels", "n=1 noise=0.1 spring=0.5", GLOBAL, SMALL, NONE},
    {"pile-6-compliant", "pile", "n=6 mu=0.3 noise=0.05 compliance=0.01", GLOBAL, SMALL, NONE},
    {"pile-6-sheared", "pile", "n=6 mu=0.3 noise=0.05 compliance=0.01 shear=0.03", GLOBAL, SMALL, NONE},
    {"disks-compliant", "disks", "n=7 mu=0.3 noise=0.05 compliance=0.1", LOCAL, SMALL, NONE},
    {"wall-3-compliant", "wall", "n=3 compliance=0.001", GLOBAL, SMALL, NONE},
    {"cards-10", "cards", "n=10", GLOBAL, MEDIUM, EQUILIBRIUM},
    {"cards-10-shaken", "cards", "n=10 noise=0.01", GLOBAL, MEDIUM, HARD},
    {"arch-100", "arch", "n=100", GLOBAL, MEDIUM, EQUILIBRIUM},
    {"pile-20", "pile", "n=20 mu=0.8", GLOBAL, MEDIUM, EQUILIBRIUM},
    {"pile-20-slippery", "pile", "n=20 mu=0.2", GLOBAL, MEDIUM, NONE},
    {"pile-25-shaken", "pile", "n=25 mu=0.5 noise=0.05", LOCAL, MEDIUM, HARD},
    {"pyramid-8", "pyramid", "n=8 mu=0.6", GLOBAL, MEDIUM, NONE},
    {"pyramid-8-shaken", "pyramid", "n=8 mu=0.4 noise=0.05", GLOBAL, MEDIUM, NONE},
    {"wall-12", "wall", "n=12", GLOBAL, MEDIUM, EQUILIBRIUM},
    {"tower-50", "tower", "n=50", GLOBAL, MEDIUM, EQUILIBRIUM},
    {"disks-25", "disks", "n=25 mu=0.8", GLOBAL, MEDIUM, EQUILIBRIUM},
    {"planar-wall-15", "planar-wall", "n=15 noise=0.01", GLOBAL, MEDIUM, NONE},
    {"bag-60", "bag", "n=60 asymmetry=0.005 seed=9", LOCAL, MEDIUM, CH_FACT_ASYMMETRIC},
    {"cards-30", "cards", "n=30", GLOBAL, LARGE, EQUILIBRIUM},
    {"cards-63", "cards", "n=63", GLOBAL, LARGE, EQUILIBRIUM},
    {"arch-600", "arch", "n=600", GLOBAL, LARGE, EQUILIBRIUM},
    {"pile-60", "pile", "n=60 mu=0.8", GLOBAL, LARGE, EQUILIBRIUM},
    {"pile-82-slippery", "pile", "n=82 mu=0.2", GLOBAL, LARGE, HARD},
    {"pile-115", "pile", "n=115 mu=0.8", GLOBAL, LARGE, EQUILIBRIUM},
    {"pyramid-12", "pyramid", "n=12 mu=0.6", GLOBAL, LARGE, NONE},
    {"pyramid-17", "pyramid", "n=17 mu=0.6", GLOBAL, LARGE, NONE},
    {"pyramid-21-shaken", "pyramid", "n=21 mu=0.4 noise=0.02", GLOBAL, LARGE, HARD},
    {"wall-35", "wall", "n=35", GLOBAL, LARGE, EQUILIBRIUM},
    {"wall-50", "wall", "n=50", GLOBAL, LARGE, EQUILIBRIUM},
};

int ch_case_count(void) { return (int)(sizeof cases / sizeof cases[0]); }
const ChCase* ch_case_at(int index) { return &cases[index]; }

ChStatus ch_case_generate(ChContext* context, const ChCase* item, ChProblem** out) {
  const ChFamily* family = ch_family_find(item->family);
  if (!family) return ch_fail(context, CH_ERR_ARGUMENT, "case %s: no family '%s'", item->name, item->family);
  ChRecipe recipe = ch_recipe_default(family);
  const char* at = item->settings;
  char name[32];
  double value;
  for (int used = 0; sscanf(at, " %31[^=]=%lf%n", name, &value, &used) == 2; at += used)
    if (!ch_recipe_set(&recipe, name, value))
      return ch_fail(context, CH_ERR_ARGUMENT, "case %s: no setting '%s'", item->name, name);
  return ch_family_generate(context, family, &recipe, item->form, out);
}

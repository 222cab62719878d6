// The built-in scene pebble-bed: what the pebbles of a reactor are, in number and size.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scene/builtin/filling.h"

static const double PI = 3.141592653589793;

enum { BED_N, BED_MU, BED_PACKING, BED_ACROSS, BED_CONTACT };

static const ChSceneParameter bed_parameters[] = {
    CH_WHOLE("n", "2000", 1, 1000000, "pebbles of radius 0.03 m"),
    CH_NUMBER("mu", "0.4", 0, 10, "friction coefficient"),
    CH_WORD("packing", "poured", "poured|random", "poured: they fall in layers; random: they lie, nearly at rest"),
    CH_NUMBER("across", "0", 0, 2000, "width of the vessel in pebbles; 0: as wide as deep"),
    CH_CONTACT_WORD,
    CH_PARAMETERS_END,
};

// A vessel with a conical bottom of 30 degrees and a cylinder as high as the filling needs.
static void put_poured(ChBuild* b, int n, double r, double wide, double bottom) {
  double layers = n / fmax(1.0, 0.5 * wide * wide / (r * r) / 1.21);
  const ChVesselCorner vessel[] = {{0.0, bottom}, {wide, 0.0}, {wide, 2.2 * r * (layers + 2.0) + 2.0 * r}};
  ch_grains_vessel(b, "vessel", 3, vessel, "pebble");
  ch_grains_column(b, "pebble", n, r, wide * cos(PI / CH_VESSEL_SIDES), r, "pebble");
}

static void put_packed(ChBuild* b, int n, double r, double wide, double bottom) {
  ChVesselCorner vessel[] = {{0.0, bottom}, {wide, 0.0}, {wide, wide}};
  ChVec3* centre = ch_grains_packed(n, r, 3, vessel);
  if (!centre) {
    b->failed = true;
    return;
  }
  for (int k = 0; k < n; ++k) vessel[2].z = fmax(vessel[2].z, centre[k].z + 4.0 * r);
  ch_grains_vessel(b, "vessel", 3, vessel, "pebble");
  ch_grains_put(b, "pebble", n, centre, r, "pebble");
  free(centre);
}

// As wide as is in proportion to the number of pebbles. The margin is as far as a falling pebble that is pushed aside
// gets in a step of 5 ms: with 2 mm pebbles overlapped by up to 37 mm.
static void make_bed(ChBuild* b) {
  const double r = 0.03;
  int n = (int)b->number[BED_N];
  double wide = r * fmax(4.0, b->number[BED_ACROSS] > 0.0 ? b->number[BED_ACROSS] : cbrt(n)),
         bottom = -wide * tan(PI / 6.0);
  ch_build_begin(b, "pebble-bed", "Pebbles of the size of tennis balls, loaded into a vessel.", 3);
  ch_grains_law(b, b->word[BED_CONTACT], 3.0, (ChGrainStep){2.5e-4, 0.1 * r}, (ChGrainStep){2e-3, 0.4 * r});
  ch_build_material(b, "pebble", 1700.0, b->number[BED_MU], 0.0);
  if (strcmp(b->word[BED_PACKING], "random") == 0)
    put_packed(b, n, r, wide, bottom);
  else
    put_poured(b, n, r, wide, bottom);
}

const ChBuiltin ch_builtin_pebble_bed = {"pebble-bed", "pebbles loaded into a vessel", bed_parameters, make_bed};

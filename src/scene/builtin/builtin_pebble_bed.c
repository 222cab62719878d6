// The built-in scene pebble-bed: what the pebbles of a reactor are, in number and size.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene/builtin/filling.h"

static const double PI = 3.141592653589793;

enum { BED_N, BED_MU, BED_PACKING, BED_ACROSS, BED_OUTLET, BED_OPENS, BED_CONTACT };

static const ChSceneParameter bed_parameters[] = {
    CH_WHOLE("n", "2000", 1, 1000000, "pebbles of radius 0.03 m"),
    CH_NUMBER("mu", "0.4", 0, 10, "friction coefficient"),
    CH_WORD("packing", "poured", "poured|random",
            "poured: the pebbles fall in layers; random: they start packed, nearly at rest"),
    CH_NUMBER("across", "0", 0, 2000, "width of the vessel in pebbles; 0: as wide as deep"),
    CH_NUMBER("outlet", "0", 0, 100,
              "width of the outlet in pebbles; pebbles that run out come back above; 0: closed. For random packing"),
    CH_NUMBER("opens", "0.05", 0, 1e6, "time at which the outlet opens, s"),
    CH_CONTACT_WORD,
    CH_PARAMETERS_END,
};

typedef struct Bed {
  int n;
  double r, wide, bottom;  // of a pebble, of the vessel; where the tip of the cone is
  double outlet;           // radius; 0: closed
} Bed;

// A vessel with a conical bottom of 30 degrees and a cylinder as high as the filling needs.
static void put_poured(ChBuild* b, const Bed* bed) {
  double r = bed->r, wide = bed->wide, layers = bed->n / fmax(1.0, 0.5 * wide * wide / (r * r) / 1.21);
  const ChVesselCorner vessel[] = {{0.0, bed->bottom}, {wide, 0.0}, {wide, 2.2 * r * (layers + 2.0) + 2.0 * r}};
  ch_grains_vessel(b, "vessel", 3, vessel, "pebble");
  ch_grains_column(b, "pebble", bed->n, r, wide * cos(PI / CH_VESSEL_SIDES), r, "pebble");
}

// A plate in the outlet, which goes down by a metre when it opens: faster than pebbles fall, and slower than half the
// margin a step.
static void put_plug(ChBuild* b, const Bed* bed, const ChVesselCorner* rim) {
  const double half = 0.5 * bed->r, opens = b->number[BED_OPENS], away = 1.0, speed = 5.0;
  json_t* plug = ch_build_body(b, "plug", ch_vec(0.0, 0.0, rim->z - half));
  ch_build_box(b, plug, ch_vec(rim->r, rim->r, half), "pebble");
  ch_build_set(b, plug, "motion",
               json_pack("[i,i,{s:[[f,f],[f,f]]}]", 0, 0, "table", opens, 0.0, opens + away / speed, -away));
}

// Out ten radii below the outlet, in four above the filling and clear of the wall.
static void put_inlet(ChBuild* b, const Bed* bed, const ChVesselCorner* rim, double top) {
  json_t* recirculate = json_pack("{s:f, s:f}", "below", rim->z - 10.0 * bed->r, "radius",
                                  bed->wide * cos(PI / CH_VESSEL_SIDES) - 2.0 * bed->r);
  ch_build_set(b, recirculate, "at", ch_build_vector(b, ch_vec(0.0, 0.0, top + 4.0 * bed->r)));
  ch_build_set(b, b->root, "recirculate", recirculate);
}

static void put_packed(ChBuild* b, const Bed* bed) {
  double share = bed->outlet / bed->wide;
  ChVesselCorner vessel[] = {{bed->outlet, (1.0 - share) * bed->bottom}, {bed->wide, 0.0}, {bed->wide, bed->wide}};
  ChVec3* centre = ch_grains_packed(bed->n, bed->r, 3, vessel);
  if (!centre) {
    b->failed = true;
    return;
  }
  double top = 0.0;
  for (int k = 0; k < bed->n; ++k) top = fmax(top, centre[k].z);
  vessel[2].z = fmax(bed->wide, top + (bed->outlet > 0.0 ? 8.0 : 4.0) * bed->r);
  ch_grains_vessel(b, "vessel", 3, vessel, "pebble");
  if (bed->outlet > 0.0) {
    put_plug(b, bed, &vessel[0]);
    put_inlet(b, bed, &vessel[0], top);
  }
  ch_grains_put(b, "pebble", bed->n, centre, bed->r, "pebble");
  free(centre);
}

// As wide as is in proportion to the number of pebbles. The margin is as far as a falling pebble that is pushed aside
// gets in a step of 5 ms: with 2 mm pebbles overlapped by up to 37 mm.
static void make_bed(ChBuild* b) {
  Bed bed = {.n = (int)b->number[BED_N], .r = 0.03};
  const double r = bed.r, across = b->number[BED_ACROSS];
  const bool packed = strcmp(b->word[BED_PACKING], "random") == 0;
  bed.wide = r * fmax(4.0, across > 0.0 ? across : cbrt(bed.n));
  bed.bottom = -bed.wide * tan(PI / 6.0);
  bed.outlet = r * b->number[BED_OUTLET];
  if (bed.outlet > 0.5 * bed.wide)
    snprintf(b->why, sizeof b->why, "outlet is %g pebbles wide, allowed up to half of the vessel's width, %g",
             b->number[BED_OUTLET], 0.5 * bed.wide / r);
  if (bed.outlet > 0.0 && !packed)
    snprintf(b->why, sizeof b->why, "outlet is for --packing random: poured pebbles would run out as they come");
  ch_build_begin(b, "pebble-bed", "Pebbles as large as tennis balls, loaded into a vessel.", 3);
  ch_grains_law(b, b->word[BED_CONTACT], 3.0, (ChGrainStep){2.5e-4, 0.1 * r}, (ChGrainStep){2e-3, 0.4 * r});
  ch_build_material(b, "pebble", 1700.0, b->number[BED_MU], 0.0);
  if (b->why[0] != '\0') return;
  if (packed)
    put_packed(b, &bed);
  else
    put_poured(b, &bed);
}

const ChBuiltin ch_builtin_pebble_bed = {"pebble-bed", "pebbles loaded into a vessel", bed_parameters, make_bed};

// Built-in scenes composite and thrown-composite: a mat woven from flattened strands of a stiff rubber, held together
// by friction alone (004 7.3.1, Figs 7.1 and 7.2; requirements H29, H30).
//
// A plain weave: warps (upright) and wefts (level) pass over and under each other in turn. A strand is waved as
//   y = a cos(pi s / p + k pi),   a = tight * t / 2,
// s along it, p the pitch of the weave, t the strand's thickness; opposed in phase from strand to strand and from warps
// to wefts. Its section is a lens, so that strands touch in the middle of a crossing. (With flat sections they touch at
// the corners of it, edge on edge, where a skin of vertices catches or does not as its vertices happen to lie.) With
// tight = 1 strands touch at rest and press on nothing; with less the weave bends them, and what they press on each
// other with grows with the modulus: stiffness times friction decides what holds.
//
// A strand with crossings at equal distances is in balance only if those next to its ends press with a third of the
// force F of the inner ones (of four: F/3, F, F, F/3). An outermost strand is held with a third of what holds the
// next, which is why the mat hangs by its second weft. Strands overlap at the start: gravity begins when they have
// settled.
#include <math.h>
#include <stdio.h>

#include "scene/builtin/builtin.h"

static const double PI = 3.141592653589793;
static const double PITCH = 0.1, WIDTH = 0.05, DENSITY = 1100.0, ROUND = 0.7, H = 3e-3;
static const double SETTLED = 0.15, FLIGHT = 0.06;  // s until gravity begins

enum { STRANDS, YOUNG, MU, TIGHT, THICKNESS, MODES, CELLS, OWN };

// What both scenes take, in the order of the enumeration above.
#define WEAVE(strands)                                                                                               \
  CH_WHOLE("strands", strands, 2, 12, "strands in each direction"),                                                  \
      CH_NUMBER("young", "6.5e7", 1e4, 1e12, "Young's modulus, Pa"),                                                 \
      CH_NUMBER("mu", "0.5", 0, 10, "friction coefficient"),                                                         \
      CH_NUMBER("tight", "0.8", 0.6, 1,                                                                              \
                "height of a strand's waves at rest, as a share of the height that the weave needs"),                \
      CH_NUMBER("thickness", "0.012", 0.002, 0.02, "of a strand, m"), CH_WHOLE("modes", "18", 1, 58, "of a strand"), \
      CH_WHOLE("cells", "8", 4, 20, "cells of a strand's mesh from crossing to crossing")

// A mat about the origin in the plane y = 0, carried to `at` by `turn`, all of it moving at `velocity` and turning.
typedef struct Mat {
  ChVec3 at, velocity, omega;
  ChQuat turn;
} Mat;

static void add_strand(ChBuild* b, const Mat* mat, bool warp, int k) {
  const int strands = (int)b->number[STRANDS], cells = (int)b->number[CELLS];
  const double middle = 0.5 * (strands - 1), t = b->number[THICKNESS], along = (k - middle) * PITCH;
  // Axis x of a strand runs up or to the side, its y across, its z out of the mat.
  const ChQuat own = warp ? (ChQuat){0.5, -0.5, -0.5, -0.5} : (ChQuat){sqrt(0.5), sqrt(0.5), 0.0, 0.0};
  const ChQuat turn = ch_quat_product(mat->turn, own);
  ChVec3 place = ch_rotate(mat->turn, warp ? ch_vec(along, 0.0, 0.0) : ch_vec(0.0, 0.0, along));
  json_t* strand = ch_build_numbered(b, warp ? "warp" : "weft", k + 1, ch_add(mat->at, place));
  ch_build_set(b, strand, "orientation", json_pack("[f,f,f,f]", turn.w, turn.x, turn.y, turn.z));
  ch_build_velocity(b, strand, ch_add(mat->velocity, ch_cross(mat->omega, place)));
  ch_build_set(b, strand, "omega", ch_build_vector(b, mat->omega));
  ch_build_soft(b, strand,
                &(ChBuildSoft){.model = "modal",
                               .shape = "strand",
                               .material = "rubber",
                               .size = ch_vec(strands * PITCH, WIDTH, t),
                               .cells = {strands * cells, cells / 2, 1},
                               .young = b->number[YOUNG],
                               .poisson = 0.4,
                               .modes = (int)b->number[MODES]});
  json_t* soft = json_object_get(strand, "soft");
  ch_build_set(b, soft, "damping", json_pack("{s:f, s:[f,f]}", "ratio", 0.1, "at", 5.0, 200.0));
  json_t* mesh = json_object_get(soft, "mesh");
  ch_build_set(b, mesh, "amplitude", json_real(b->number[TIGHT] * 0.5 * t));
  ch_build_set(b, mesh, "round", json_real(ROUND));
  ch_build_set(b, mesh, "period", json_real(2.0 * PITCH));
  ch_build_set(b, mesh, "phase", json_real(PI * (k + middle + 0.5)));
}

static void add_mat(ChBuild* b, const Mat* mat) {
  for (int warp = 1; warp >= 0; --warp)
    for (int k = 0; k < (int)b->number[STRANDS]; ++k) add_strand(b, mat, warp, k);
}

// A round bar along y.
static void add_peg(ChBuild* b, int number, ChVec3 at, double radius) {
  json_t* peg = ch_build_numbered(b, "peg", number, at);
  ch_build_fixed(b, peg);
  ch_build_turned(b, peg, ch_vec(1.0, 0.0, 0.0), 90.0);
  json_t* bar = ch_build_round(b, peg, "cylinder", radius, "rubber");
  ch_build_set(b, bar, "half_length", json_real(0.1));
}

static void begin(ChBuild* b, const char* name, const char* description, double settled, double until) {
  ch_build_begin(b, name, description, 3);
  ch_build_step(b, H, until, 4e-3);
  ch_build_tolerance(b, 1e-6);
  json_t* step = json_object_get(b->root, "step");
  ch_build_set(b, step, "overlap", json_real(0.01));  // of a weave that is not bent yet
  ch_build_set(b, step, "stabilization", json_real(0.2));
  ch_build_set(b, b->root, "gravity",
               json_pack("[i,i,{s:[[i,i],[f,i],[f,f]]}]", 0, 0, "table", 0, 0, settled, 0, settled + 0.01, -9.81));
  ch_build_material(b, "rubber", DENSITY, b->number[MU], 0.0);
}

// ----------------------------------------------------------------------------------------------------------- composite

enum { HUNG = OWN, PEGS };

static const ChSceneParameter hung_parameters[] = {
    WEAVE("4"),
    CH_WHOLE("hung", "2", 1, 12, "number of the weft that lies on the pegs, counted from above"),
    CH_WHOLE("pegs", "2", 1, 11, "under that weft, between warps"),
    CH_PARAMETERS_END,
};

static void make_composite(ChBuild* b) {
  const int strands = (int)b->number[STRANDS], pegs = (int)b->number[PEGS], spaces = strands - 1;
  const double radius = 0.15 * PITCH;
  begin(b, "composite", "A woven mat hangs on pegs by one weft; friction alone holds the rest.", SETTLED, 3.0);
  if ((int)b->number[HUNG] > strands) {
    snprintf(b->why, sizeof b->why, "there is no weft %d: the mat has only %d", (int)b->number[HUNG], strands);
    return;
  }
  if (pegs > spaces) {
    snprintf(b->why, sizeof b->why, "%d pegs do not fit: there are %d spaces between %d warps", pegs, spaces, strands);
    return;
  }
  add_mat(b, &(Mat){.turn = {1.0, 0.0, 0.0, 0.0}});
  for (int k = 0; k < pegs; ++k) {
    double space = pegs == 1 ? floor(0.5 * spaces) : round((double)k * (spaces - 1) / (pegs - 1));
    add_peg(b, k + 1,
            ch_vec((space + 0.5 - 0.5 * spaces) * PITCH, 0.0,
                   (0.5 * spaces - b->number[HUNG] + 1.0) * PITCH - 0.5 * WIDTH - radius - 1e-4),
            radius);
  }
}

const ChBuiltin ch_builtin_composite = {"composite", "a mat woven from rubber strands, hung on pegs", hung_parameters,
                                        make_composite};

// ---------------------------------------------------------------------------------------------------- thrown-composite

enum { SPEED = OWN, ANGLE, SHIFT, SPIN };

static const ChSceneParameter thrown_parameters[] = {
    WEAVE("4"),
    CH_NUMBER("speed", "4", 0, 40, "speed of the mat towards the pegs, m/s"),
    CH_NUMBER("angle", "0", -90, 90, "angle of the mat to the board, degrees: 0 flat, 90 edge first"),
    CH_NUMBER("shift", "0", -0.5, 0.5, "shift of the mat to the side, m"),
    CH_NUMBER("spin", "0", -100, 100, "spin of the mat about its own normal, radian/s"),
    CH_PARAMETERS_END,
};

// The board lies at the bottom; its pegs stand up in a square pattern.
static void add_board(ChBuild* b) {
  enum { ROWS = 3 };
  const double spacing = 0.2, height = 0.1, radius = 0.015;
  json_t* board = ch_build_body(b, "board", ch_vec(0.0, 0.0, -0.05));
  ch_build_fixed(b, board);
  ch_build_box(b, board, ch_vec(0.8, 0.8, 0.05), "rubber");
  for (int k = 0; k < ROWS * ROWS; ++k) {
    json_t* peg =
        ch_build_numbered(b, "peg", k + 1, ch_vec((k % ROWS - 1) * spacing, (k / ROWS - 1) * spacing, height));
    ch_build_fixed(b, peg);
    json_t* bar = ch_build_round(b, peg, "capsule", radius, "rubber");
    ch_build_set(b, bar, "half_length", json_real(height - radius));
  }
}

static void make_thrown(ChBuild* b) {
  const double tilt = b->number[ANGLE] * PI / 180.0, size = 0.5 * b->number[STRANDS] * PITCH;
  begin(b, "thrown-composite", "A woven mat is thrown at a board of pegs.", FLIGHT, 0.9);
  add_board(b);
  // Upright in its own frame: laid flat by a quarter turn, which the angle takes back. It arrives above the pegs when
  // gravity begins.
  Mat mat = {.at = ch_vec(b->number[SHIFT], 0.0, 0.25 + size * fabs(sin(tilt)) + FLIGHT * b->number[SPEED]),
             .velocity = ch_vec(0.0, 0.0, -b->number[SPEED]),
             .turn = ch_quat_about(ch_vec(1.0, 0.0, 0.0), tilt - 0.5 * PI)};
  mat.omega = ch_rotate(mat.turn, ch_vec(0.0, b->number[SPIN], 0.0));
  add_mat(b, &mat);
}

const ChBuiltin ch_builtin_thrown_composite = {"thrown-composite", "a woven mat thrown at a board of pegs",
                                               thrown_parameters, make_thrown};

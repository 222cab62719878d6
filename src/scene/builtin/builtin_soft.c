// Built-in scenes of deformable bodies.
#include "scene/builtin/builtin.h"

// A named mesh that fills a box; what else the body is made of is set on what comes back.
static json_t* add_soft(ChBuild* b, json_t* body, const char* shape, ChVec3 size, const int cells[3],
                        const char* material) {
  json_t* mesh = json_pack("{s:s, s:o, s:[i,i,i]}", "shape", shape, "size", ch_build_vector(b, size), "cells", cells[0],
                           cells[1], cells[2]);
  json_t* soft = json_pack("{s:o, s:s}", "mesh", mesh, "material", material);
  ch_build_set(b, body, "soft", soft);
  return soft;
}

// ------------------------------------------------------------------------------------------------------------ soft-bar

enum { MODEL, LENGTH, THICKNESS, YOUNG, MODES, CELLS, DAMPING, MU };

static const ChSceneParameter soft_bar_parameters[] = {
    CH_WORD("model", "modal", "modal|stvk", "small deformations, or large ones"),
    CH_NUMBER("length", "0.6", 0.05, 10, "of the bar, m"),
    CH_NUMBER("thickness", "0.06", 0.005, 5, "of the bar, m"),
    CH_NUMBER("young", "4e5", 1e3, 1e12, "Young's modulus, Pa"),
    CH_WHOLE("modes", "10", 1, 58, "of the bar"),
    CH_WHOLE("cells", "16", 2, 200, "along the bar"),
    CH_NUMBER("damping", "0.02", 0, 1, "damping at 5 and 50 Hz, as a share of critical damping"),
    CH_NUMBER("mu", "0.6", 0, 10, "friction coefficient"),
    CH_PARAMETERS_END,
};

static void make_soft_bar(ChBuild* b) {
  const double length = b->number[LENGTH], thickness = b->number[THICKNESS];
  ch_build_begin(b, "soft-bar", "A bar of rubber falls across the edge of a step, bends, and comes to rest on it.", 3);
  ch_build_step(b, 1e-3, 2.0, 5e-3);
  ch_build_material(b, "rubber", 1000.0, b->number[MU], 0.0);
  ch_build_floor(b, "rubber");
  json_t* step = ch_build_body(b, "step", ch_vec(-0.5 * length, 0.0, thickness));
  ch_build_fixed(b, step);
  ch_build_box(b, step, ch_vec(0.4 * length, 0.3 * length, thickness), "rubber");
  json_t* bar = ch_build_body(b, "bar", ch_vec(0.0, 0.0, 2.0 * thickness + 0.4 * length));
  json_t* soft = add_soft(b, bar, "bar", ch_vec(length, thickness, thickness),
                          (const int[3]){(int)b->number[CELLS], 2, 2}, "rubber");
  ch_build_set(b, soft, "model", json_string(b->word[MODEL]));
  ch_build_set(b, soft, "young", json_real(b->number[YOUNG]));
  ch_build_set(b, soft, "poisson", json_real(0.4));
  ch_build_set(b, soft, "modes", json_integer((int)b->number[MODES]));
  ch_build_set(b, soft, "damping", json_pack("{s:f, s:[f,f]}", "ratio", b->number[DAMPING], "at", 5.0, 50.0));
}

const ChBuiltin ch_builtin_soft_bar = {"soft-bar", "a bar of rubber that falls across a step", soft_bar_parameters,
                                       make_soft_bar};

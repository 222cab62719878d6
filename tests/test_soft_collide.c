// Facts about contacts of deformable bodies: the tree misses nothing, gaps are distances, their rates are those of the
// points that they name, thin strips are pushed out on the side that they came from.
#include "collide/sampling.h"
#include "support/shapes.h"
#include "support/slow_distance.h"
#include "support/soft_rig.h"

static ChTestSurface surface;

static ChQuat random_turn(ChRandom* r) { return ch_random_frame(r).orientation; }

// --- the tree --------------------------------------------------------------------------------------------------------

static void check_balls(const ChSkin* skin, int node, int first_ancestor, int* ancestors) {
  const ChSkinTree* tree = skin->tree;
  const ChSkinNode* n = &tree->nodes[node];
  ancestors[first_ancestor++] = node;
  if (n->count == 0) {
    check_balls(skin, n->first, first_ancestor, ancestors);
    check_balls(skin, n->first + 1, first_ancestor, ancestors);
    return;
  }
  for (int k = 0; k < 3 * n->count; ++k) {
    int v = tree->soft->skin.triangles[3 * tree->triangles[n->first + k / 3] + k % 3];
    assert_int_equal(v, tree->vertices[n->vertex_first + tree->corners[3 * n->first + k]]);
    for (int a = 0; a < first_ancestor; ++a) {
      ChBall ball = ch_skin_ball(skin, ancestors[a]);
      CHECK_AT_MOST(ch_norm(ch_sub(ch_soft_vertex(tree->soft, v, skin->q), ball.centre)), ball.radius);
    }
  }
}

static void E8_balls_hold_their_vertices_whatever_the_amplitudes(void** state) {
  SoftKit* kit = *state;
  const ChSoft* soft = soft_box(kit, (const int[3]){9, 4, 2}, ch_vec(1.0, 0.4, 0.1), 7);
  const ChSkinTree* tree = ch_skin_tree_create(kit->arena, soft);
  ChSkin skin;
  double q[7] = {0.0}, rates[7] = {0.0};
  ch_skin_init(kit->arena, tree, &skin);
  for (int trial = 0; trial < 20; ++trial) {
    int ancestors[64];
    for (int a = 0; a < 7; ++a) q[a] = trial * ch_random_uniform(&kit->random, -0.1, 0.1);
    ch_skin_move(&skin, q, rates);
    check_balls(&skin, 0, 0, ancestors);
    int owned = 0;
    for (int k = 0; k < tree->node_count; ++k) owned += tree->nodes[k].vertex_own;
    assert_int_equal(owned, soft->skin.vertex_count);
    for (int v = 0; v < soft->skin.vertex_count; ++v) {
      ChVec3 y = ch_soft_vertex(soft, v, q);
      CHECK_AT_MOST(ch_norm(ch_sub(ch_skin_vertex(&skin, v), y)), 1e-14);
      CHECK_AT_MOST(ch_box_distance2(&skin.box, y), 0.0);
      CHECK_AT_MOST(ch_norm(y), skin.bound);
    }
  }
}

// --- rigid shapes ----------------------------------------------------------------------------------------------------

// A body of this kind about the origin; a box-shaped mesh has the box's half sides.
static int add_rigid(SoftKit* kit, int which, ChBodyKind kind) {
  static const ChVec3 points[6] = {{0.5, 0, 0},    {-0.4, 0.1, 0}, {0, 0.6, 0},
                                   {0, -0.5, 0.1}, {0, 0, 0.4},    {0, 0.1, -0.5}};
  ChBodyDef body = CH_BODY_DEF;
  ChShapeDef shape = CH_SHAPE_DEF;
  body.kind = kind;
  shape.half = ch_vec(0.5, 0.3, 0.4);
  shape.radius = 0.3;
  shape.half_length = 0.4;
  shape.point_count = 6, shape.points = points;
  shape.type = (ChShapeType)which;
  if (which == CH_SHAPE_MESH) {
    ch_surface_of_cubes(&surface, 5, 3, "###############", 4, 0.2);
    shape = ch_surface_shape(&surface);
  }
  return ch_test_body(kit->world, &body, &shape);
}

// Distance of a point to the shape, by a routine that shares no code with the one tested.
static double slow_point_distance(SoftKit* kit, int shape, const ChBodyState* state, ChVec3 x) {
  ChShape dot = ch_sphere_shape(0.0), target = kit->world->shapes[shape], box;
  if (target.type == CH_SHAPE_MESH) {
    box = ch_box_shape(kit->arena, ch_vec(0.5, 0.3, 0.4));
    box.local = target.local;
    target = box;
  }
  ChPosed point = ch_posed(&dot, (ChFrame){x, ch_quat_identity()});
  ChPosed posed = ch_posed(&target, ch_shape_frame(&target, state));
  return ch_slow_gap(&point, &posed).gap;
}

static const ChGap* gap_of_vertex(const SoftKit* kit, int side, int v) {
  for (int k = 0; k < kit->count; ++k)
    if (kit->gaps[k].skin[side] == v) return &kit->gaps[k];
  return NULL;
}

// Every vertex within the margin is listed with its distance, and none beyond it. Which these are is asked of all
// vertices by the program's own distance, and that of the slow one for some.
static void check_vertices(SoftKit* kit, int soft, int rigid, double margin, double tolerance) {
  const ChShape* shape = &kit->world->shapes[kit->world->bodies[rigid].first_shape];
  ChPosed posed = ch_posed(shape, ch_shape_frame(shape, &kit->world->states[rigid]));
  ChProbe probe = ch_probe(&posed, posed.frame.at, 10.0);
  int side = soft > rigid;
  for (int v = 0; v < kit->world->bodies[soft].soft->skin.vertex_count; ++v) {
    ChVec3 x = vertex_in_world(kit, soft, v);
    ChProbeFoot foot = {0};
    const ChGap* found = gap_of_vertex(kit, side, v);
    bool near = probe.at(&probe, ch_frame_local(posed.frame, x), ch_axis(2), margin, &foot);
    assert_true(near == (found != NULL) || fabs(foot.distance - margin) < 1e-9);
    if (!found) continue;
    CHECK_NEAR(found->gap, foot.distance, 1e-12);
    assert_int_equal(found->skin[1 - side], -1);
    if (v % 9 == 0)
      CHECK_NEAR(found->gap, slow_point_distance(kit, (int)(shape - kit->world->shapes), &kit->world->states[rigid], x),
                 tolerance);
  }
}

static void vertices_against(SoftKit* kit, int which, ChBodyKind kind, double tolerance, bool soft_first) {
  const ChSoft* box = soft_box(kit, (const int[3]){4, 3, 3}, ch_vec(0.4, 0.3, 0.2), 4);
  int soft = soft_first ? add_soft(kit, box, ch_vec(0.0, 0.0, 0.0)) : -1, rigid = add_rigid(kit, which, kind);
  if (!soft_first) soft = add_soft(kit, box, ch_vec(0.0, 0.0, 0.0));
  seal_soft(kit);
  for (int trial = 0; trial < 6; ++trial) {
    ChBodyState* s = &kit->world->states[soft];
    s->orientation = random_turn(&kit->random);
    s->position = soft_random(&kit->random, trial < 3 ? 0.3 : 0.8);  // deep, then grazing
    bend(kit, soft, trial % 3 ? 0.2 : 0.0);
    double margin = trial % 2 ? 0.1 : 0.0;
    collide_soft(kit, margin, 0.0);
    check_vertices(kit, soft, rigid, margin, tolerance);
  }
  clear_soft_kit(kit);
}

static void E10_vertices_meet_every_rigid_shape_at_its_distance(void** state) {
  SoftKit* kit = *state;
  const ChShapeType convex[7] = {CH_SHAPE_SPHERE, CH_SHAPE_BOX,       CH_SHAPE_CAPSULE, CH_SHAPE_CYLINDER,
                                 CH_SHAPE_HULL,   CH_SHAPE_ELLIPSOID, CH_SHAPE_MESH};
  for (int k = 0; k < 7; ++k) vertices_against(kit, convex[k], CH_BODY_FIXED, 1e-9, k % 2);
  vertices_against(kit, CH_SHAPE_HALFSPACE, CH_BODY_FIXED, 1e-12, true);
  vertices_against(kit, CH_SHAPE_MESH, CH_BODY_DYNAMIC, 0.06 * 0.05, false);  // its field: a part of a cell
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(E8_balls_hold_their_vertices_whatever_the_amplitudes, make_soft_kit,
                                      drop_soft_kit),
      cmocka_unit_test_setup_teardown(E10_vertices_meet_every_rigid_shape_at_its_distance, make_soft_kit,
                                      drop_soft_kit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

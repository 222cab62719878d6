// Facts about contacts of deformable bodies: the tree misses nothing, gaps are distances, their rates are those of the
// points that they name, thin strips are pushed out on the side that they came from.
#include "collide/mesh/sampling.h"
#include "model/mesh/triangle_foot.h"
#include "support/shapes.h"
#include "support/slow_distance.h"
#include "support/soft_rig.h"

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
      ChBall room, ball = *ch_skin_ball(skin, ancestors[a], &room);
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
    ch_skin_move(&skin, q, rates, 0.0);
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

static ChVec3 random_point(ChRandom* r, double reach) {
  double x = ch_random_uniform(r, -reach, reach), y = ch_random_uniform(r, -reach, reach);
  return ch_vec(x, y, ch_random_uniform(r, -reach, reach));
}

// Every third triangle is a sliver: its figure may be too small, never too large.
static void a_leaf_tells_all_distances_to_its_slack(void** state) {
  SoftKit* kit = *state;
  for (int trial = 0; trial < 2000; ++trial) {
    ChVec3 corners[CH_SKIN_LEAF][3];
    uint8_t places[3 * CH_SKIN_LEAF];
    ChBox3 box = {ch_vec(4.9, -3.1, 1.9), ch_vec(5.1, -2.9, 2.1)};
    int count = 1 + trial % CH_SKIN_LEAF;
    for (int k = 0; k < count; ++k) {
      for (int i = 0; i < 3; ++i) corners[k][i] = ch_add(ch_vec(5.0, -3.0, 2.0), random_point(&kit->random, 0.1));
      ChVec3 along = ch_sub(corners[k][1], corners[k][0]);
      if (k % 3 == 0) corners[k][2] = ch_add(ch_along(corners[k][0], 0.7, along), random_point(&kit->random, 1e-5));
    }
    ChSkinLeaf leaf;
    float about2[CH_SKIN_LEAF];
    for (int k = 0; k < 3 * count; ++k) places[k] = (uint8_t)k;
    ch_skin_leaf_fill(count, places, corners[0], &box, &leaf);
    ChVec3 x = ch_add(leaf.middle, random_point(&kit->random, 0.3));
    ch_skin_leaf_distances(&leaf, x, about2);
    for (int k = 0; k < count; ++k) {
      ChVec3 foot = ch_triangle_foot(corners[k][0], corners[k][1], corners[k][2], x).point;
      double distance = ch_norm(ch_sub(x, foot)), slack = ch_skin_leaf_slack(&leaf, distance);
      CHECK_AT_MOST(sqrt(about2[k]) - distance, slack);
      if (k % 3 == 0) continue;
      ChVec3 e = ch_sub(corners[k][1], corners[k][0]), f = ch_sub(corners[k][2], corners[k][0]);
      double width = ch_norm(e) + ch_norm(f), near_border = 2e-3 * width;  // over the border the plane's will do
      double sine = ch_norm(ch_cross(e, f)) / (ch_norm(e) * ch_norm(f));
      if (sine > 0.1) CHECK_AT_MOST(distance - sqrt(about2[k]), slack + near_border);
    }
  }
}

// --- rigid shapes ----------------------------------------------------------------------------------------------------

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

// --- inside triangles and edges --------------------------------------------------------------------------------------

static double least_gap(const SoftKit* kit, int kind) {
  double least = INFINITY;
  for (int k = 0; k < kit->count; ++k)
    if (kind < 0 || kind_of(&kit->gaps[k]) == kind) least = fmin(least, kit->gaps[k].gap);
  return least;
}

// A cube of edge 2 with two triangles a side, its top at z = 0; a shape far from all vertices touches it in between.
static void place_on_top(SoftKit* kit, ChShapeDef shape, ChQuat turned, ChVec3 at) {
  ChBodyDef body = ch_body_def_default();
  clear_soft_kit(kit);
  add_soft(kit, soft_box(kit, (const int[3]){1, 1, 1}, ch_vec(1.0, 1.0, 1.0), 1), ch_vec(0.0, 0.0, -1.0));
  body.orientation = turned;
  body.position = at;
  ch_test_body(kit->world, &body, &shape);
  seal_soft(kit);
  collide_soft(kit, 0.05, 0.0);
}

static int count_near(const SoftKit* kit, double gap) {
  int count = 0;
  for (int k = 0; k < kit->count; ++k) {
    if (!(fabs(kit->gaps[k].gap - gap) < 1e-9)) continue;
    CHECK_NEAR(kit->gaps[k].normal.z, 1.0, 1e-9);
    CHECK_NEAR(kit->gaps[k].point.z, 0.5 * gap, 1e-9);
    ++count;
  }
  return count;
}

static void shapes_smaller_than_a_triangle_touch_inside_of_it(void** state) {
  SoftKit* kit = *state;
  ChShapeDef shape = ch_shape_def_default();
  shape.radius = 0.1, shape.half_length = 0.2, shape.half = ch_vec(0.2, 0.1, 0.15);
  ChQuat upright = ch_quat_identity(), lying = ch_quat_about(ch_axis(1), 1.5707963267948966);
  for (int deep = 0; deep < 3; ++deep) {
    double gap = 0.02 - 0.03 * deep;
    shape.type = CH_SHAPE_SPHERE;
    place_on_top(kit, shape, upright, ch_vec(0.3, -0.2, 0.1 + gap));
    assert_int_equal(count_near(kit, gap), 1);
    assert_int_equal(kit->count, 1);
    shape.type = CH_SHAPE_ELLIPSOID;
    place_on_top(kit, shape, upright, ch_vec(0.3, -0.2, 0.15 + gap));
    assert_int_equal(count_near(kit, gap), 1);
    shape.type = CH_SHAPE_CAPSULE;
    place_on_top(kit, shape, lying, ch_vec(0.3, -0.4, 0.1 + gap));
    assert_int_equal(count_near(kit, gap), 2);
    place_on_top(kit, shape, upright, ch_vec(0.3, -0.4, 0.3 + gap));
    assert_int_equal(count_near(kit, gap), 1);
    shape.type = CH_SHAPE_CYLINDER;
    place_on_top(kit, shape, lying, ch_vec(0.3, -0.4, 0.1 + gap));
    assert_int_equal(count_near(kit, gap), 2);
    place_on_top(kit, shape, upright, ch_vec(0.3, -0.4, 0.2 + gap));
    CHECK_AT_MOST(8, count_near(kit, gap));
    shape.type = CH_SHAPE_BOX;
    place_on_top(kit, shape, upright, ch_vec(0.3, -0.4, 0.15 + gap));
    CHECK_AT_MOST(4, count_near(kit, gap));
  }
}

// Cells are long and thin, so that corners are far from the middles of their triangles, and edges of all lengths meet.
static void E10_a_ball_meets_every_triangle_in_its_middle(void** state) {
  SoftKit* kit = *state;
  ChShapeDef shape = ch_shape_def_default();
  ChBodyDef body = ch_body_def_default();
  const double gap = 0.001;
  shape.type = CH_SHAPE_SPHERE, shape.radius = 0.01;
  ChSoft* soft = soft_box(kit, (const int[3]){2, 9, 5}, ch_vec(1.0, 0.3, 0.2), 1);
  add_soft(kit, soft, ch_vec(0.0, 0.0, 0.0));
  int ball = ch_test_body(kit->world, &body, &shape);
  seal_soft(kit);
  for (int t = 0; t < soft->skin.triangle_count; ++t) {
    ChVec3 p[3];
    for (int k = 0; k < 3; ++k) p[k] = soft->skin.rest[soft->skin.triangles[3 * t + k]];
    ChVec3 normal = ch_unit(ch_cross(ch_sub(p[1], p[0]), ch_sub(p[2], p[0])));
    ChVec3 middle = ch_scale(1.0 / 3.0, ch_add(p[0], ch_add(p[1], p[2])));
    kit->world->states[ball].position = ch_along(middle, shape.radius + gap, normal);
    collide_soft(kit, 2.0 * gap, 0.0);
    int inside = 0;
    for (int k = 0; k < kit->count; ++k)
      inside += kit->gaps[k].skin[0] == -2 - t && kind_of(&kit->gaps[k]) == CH_SAMPLE_FACE;
    assert_int_equal(inside, 1);
    CHECK_NEAR(least_gap(kit, CH_SAMPLE_FACE), gap, 1e-12);
  }
}

// An edge of a box across an edge of the cube, turned by an eighth about it: both far from any corner.
static void edges_that_cross_touch_where_they_do(void** state) {
  SoftKit* kit = *state;
  ChShapeDef shape = ch_shape_def_default();
  shape.type = CH_SHAPE_BOX, shape.half = ch_vec(0.5, 0.1, 0.1);
  ChQuat on_edge = ch_quat_about(ch_axis(0), 0.78539816339744831);
  for (int deep = 0; deep < 2; ++deep) {
    double gap = deep ? -0.01 : 0.01;
    // The box's lower edge runs along x over the cube's edge x = 1, and past it.
    place_on_top(kit, shape, on_edge, ch_vec(1.2, 0.3, 0.1 * sqrt(2.0) + gap));
    CHECK_NEAR(least_gap(kit, CH_SAMPLE_LOWEST), gap, 1e-6);
    shape.type = CH_SHAPE_CYLINDER, shape.radius = 0.1, shape.half_length = 0.5;
    place_on_top(kit, shape, ch_quat_about(ch_axis(1), 1.5707963267948966), ch_vec(1.2, 0.3, 0.1 + gap));
    CHECK_NEAR(least_gap(kit, CH_SAMPLE_LOWEST), gap, 1e-6);
    shape.type = CH_SHAPE_BOX;
  }
}

// Two bars, each standing on an edge, cross at right angles: both edges have the place inside.
static void E10_skins_meet_edge_to_edge(void** state) {
  SoftKit* kit = *state;
  const ChSoft* bar = soft_box(kit, (const int[3]){5, 1, 1}, ch_vec(1.0, 0.1, 0.1), 2);
  ChQuat on_edge = ch_quat_about(ch_axis(0), 0.78539816339744831);
  add_soft(kit, bar, ch_vec(0.0, 0.0, 0.0));
  add_soft(kit, bar, ch_vec(0.0, 0.0, 0.0));
  seal_soft(kit);
  for (int deep = 0; deep < 2; ++deep) {
    double gap = deep ? -0.01 : 0.01;
    kit->world->states[0].orientation = on_edge;
    kit->world->states[1].orientation = ch_quat_product(ch_quat_about(ch_axis(2), 1.5707963267948966), on_edge);
    kit->world->states[1].position = ch_vec(0.03, -0.02, 0.2 * sqrt(2.0) + gap);
    collide_soft(kit, 0.02, 0.0);
    CHECK_NEAR(least_gap(kit, CH_SAMPLE_LOWEST), gap, 1e-6);
    for (int k = 0; k < kit->count; ++k) CHECK_NEAR(kit->gaps[k].normal.z, 1.0, 1e-6);
  }
}

// --- rates -----------------------------------------------------------------------------------------------------------

static void move(SoftKit* kit, const ChBodyState* from, double t) {
  const ChWorld* world = kit->world;
  for (int b = 0; b < world->body_count; ++b) {
    ChBodyState* s = &kit->world->states[b];
    s->position = ch_along(from[b].position, t, s->velocity);
    s->orientation = ch_quat_product(from[b].orientation, ch_quat_exp(ch_scale(t, s->omega)));
  }
  const double *q = (const double*)(from + world->body_count), *rates = q + world->mode_count;
  double* moved = (double*)(kit->world->states + world->body_count);
  for (int a = 0; a < world->mode_count; ++a) moved[a] = q[a] + t * rates[a];
}

// Velocity of what a gap names on one side, by the skin's own shares.
static ChVec3 velocity_of(SoftKit* kit, const ChSkin* skins, const ChGap* g, int side) {
  const ChBodyState* s = &kit->world->states[g->body[side]];
  ChVec3 on = ch_along(g->point, (side ? 0.5 : -0.5) * g->gap, g->normal);
  ChFrame frame = ch_state_frame(kit->world->states, g->body[side]);
  ChVec3 velocity = ch_cross(s->omega, ch_frame_local(frame, on));
  if (g->skin[side] != -1)
    velocity = ch_add(velocity, ch_skin_displacement(&skins[g->body[side]], g->skin[side], ch_frame_local(frame, on),
                                                     rates_of(kit, g->body[side])));
  return ch_add(s->velocity, ch_rotate(s->orientation, velocity));
}

static const ChGap* same_gap(const SoftKit* kit, const ChGap* g) {
  for (int k = 0; k < kit->count; ++k)
    if (kit->gaps[k].key == g->key && kit->gaps[k].shape[0] == g->shape[0] && kit->gaps[k].shape[1] == g->shape[1])
      return &kit->gaps[k];
  return NULL;
}

// Central differences over a time short enough that few gaps pass from one feature to the next meanwhile.
static void check_rates(SoftKit* kit, double margin, int* right, int* all) {
  const ChWorld* world = kit->world;
  enum { MOST = 4000 };
  static ChGap list[MOST];
  const double t = 1e-6;
  ChBodyState* from = ch_states_take(kit->arena, world);
  memcpy(from, world->states, ch_world_state_bytes(world));
  ChSkin skins[4];
  for (int b = 0; b < world->body_count; ++b) {
    if (!world->bodies[b].soft) continue;
    ch_skin_init(kit->arena, ch_skin_tree_create(kit->arena, world->bodies[b].soft), &skins[b]);
    ch_skin_move(&skins[b], ch_state_modes(world, from, b), ch_state_rates(world, from, b), 0.0);
  }
  collide_soft(kit, margin, 0.0);
  int count = kit->count < MOST ? kit->count : MOST;
  memcpy(list, kit->gaps, (size_t)count * sizeof *list);
  double* rate = CH_TAKE(kit->arena, count, double);
  for (int sign = -1; sign <= 1; sign += 2) {
    move(kit, from, sign * t);
    collide_soft(kit, margin + 0.01, 0.0);
    for (int k = 0; k < count; ++k) {
      const ChGap* g = same_gap(kit, &list[k]);
      rate[k] += g ? 0.5 * sign * g->gap / t : NAN;
    }
  }
  memcpy(kit->world->states, from, ch_world_state_bytes(world));
  for (int k = 0; k < count; ++k) {
    const ChGap* g = &list[k];
    if (kind_of(g) == CH_SAMPLE_LOWEST && g->gap < 0.0) continue;  // along the mean of a crease's sides
    ChVec3 closing = ch_sub(velocity_of(kit, skins, g, 1), velocity_of(kit, skins, g, 0));
    *right += fabs(rate[k] - ch_dot(g->normal, closing)) < 1e-4;
    ++*all;
  }
}

static void shake(SoftKit* kit, int body) {
  ChBodyState* s = &kit->world->states[body];
  s->velocity = soft_random(&kit->random, 1.0);
  s->omega = soft_random(&kit->random, 1.0);
  if (!kit->world->bodies[body].soft) return;
  for (int a = 0; a < kit->world->bodies[body].soft->modes; ++a)
    rates_of(kit, body)[a] = ch_random_uniform(&kit->random, -1.0, 1.0);
}

static void E10_gaps_change_as_the_points_move_that_they_name(void** state) {
  SoftKit* kit = *state;
  const int others[8] = {CH_SHAPE_SPHERE,    CH_SHAPE_BOX,  CH_SHAPE_CAPSULE, CH_SHAPE_CYLINDER,
                         CH_SHAPE_ELLIPSOID, CH_SHAPE_HULL, CH_SHAPE_MESH,    CH_SHAPE_SOFT};
  for (int k = 0; k < 8; ++k) {
    int right = 0, all = 0;
    for (int trial = 0; trial < 6; ++trial) {
      clear_soft_kit(kit);
      const ChSoft* box = soft_box(kit, (const int[3]){4, 3, 3}, ch_vec(0.4, 0.3, 0.3), 4);
      add_soft(kit, box, ch_vec(0.0, 0.0, 0.0));
      if (others[k] == CH_SHAPE_SOFT)
        add_soft(kit, box, ch_vec(0.5, 0.1, 0.2));
      else
        add_rigid(kit, others[k], k % 2 || others[k] == CH_SHAPE_MESH ? CH_BODY_FIXED : CH_BODY_DYNAMIC);
      seal_soft(kit);
      for (int b = 0; b < 2; ++b) shake(kit, b);
      bend(kit, 0, 0.2);
      kit->world->states[0].orientation = random_turn(&kit->random);
      kit->world->states[0].position = ch_scale(0.5, ch_unit(soft_random(&kit->random, 1.0)));
      check_rates(kit, 0.1, &right, &all);
    }
    CHECK_AT_MOST(40, all);
    CHECK_AT_MOST(0.97 * all, right);
  }
}

// --- two skins -------------------------------------------------------------------------------------------------------

static double slow_side(const ChSoft* soft, const double* q, ChVec3 x) {
  double sum = 0.0;
  for (int t = 0; t < soft->skin.triangle_count; ++t) {
    ChVec3 p[3];
    for (int k = 0; k < 3; ++k) p[k] = ch_unit(ch_sub(ch_soft_vertex(soft, soft->skin.triangles[3 * t + k], q), x));
    sum += 2.0 * atan2(ch_dot(p[0], ch_cross(p[1], p[2])),
                       1.0 + ch_dot(p[0], p[1]) + ch_dot(p[1], p[2]) + ch_dot(p[2], p[0]));
  }
  return sum > 6.283185307179586 ? -1.0 : 1.0;
}

static double slow_triangle(const ChVec3 p[3], ChVec3 x) {
  ChVec3 n = ch_unit(ch_cross(ch_sub(p[1], p[0]), ch_sub(p[2], p[0])));
  double height = ch_dot(n, ch_sub(x, p[0])), least = INFINITY;
  bool inside = true;
  for (int k = 0; k < 3; ++k) {
    ChVec3 edge = ch_sub(p[(k + 1) % 3], p[k]), from = ch_sub(x, p[k]);
    inside = inside && ch_dot(ch_cross(edge, from), n) >= 0.0;
    double t = fmin(fmax(ch_dot(from, edge) / ch_dot(edge, edge), 0.0), 1.0);
    least = fmin(least, ch_norm(ch_along(from, -t, edge)));
  }
  return inside ? fabs(height) : least;
}

static double slow_skin_distance(const ChSoft* soft, const double* q, ChVec3 x) {
  double least = INFINITY;
  for (int t = 0; t < soft->skin.triangle_count; ++t) {
    ChVec3 p[3];
    for (int k = 0; k < 3; ++k) p[k] = ch_soft_vertex(soft, soft->skin.triangles[3 * t + k], q);
    least = fmin(least, slow_triangle(p, x));
  }
  return least * slow_side(soft, q, x);
}

// All triangles around a vertex, one after the other.
static ChVec3 slow_outward(const ChSoft* soft, const double* q, int v) {
  ChVec3 sum = ch_vec(0.0, 0.0, 0.0);
  for (int t = 0; t < soft->skin.triangle_count; ++t) {
    const int* c = &soft->skin.triangles[3 * t];
    if (c[0] != v && c[1] != v && c[2] != v) continue;
    ChVec3 p[3];
    for (int k = 0; k < 3; ++k) p[k] = ch_soft_vertex(soft, c[k], q);
    sum = ch_add(sum, ch_cross(ch_sub(p[1], p[0]), ch_sub(p[2], p[0])));
  }
  return ch_unit(sum);
}

// Vertices of one body against the skin of the other. Outside the gap is the distance; a vertex that is near and not
// listed faces the same way as what it is near to. Inside every vertex is listed, and as deep as it is at least.
static void check_skins(SoftKit* kit, int from, int to, double margin, int* listed) {
  const ChSoft *own = kit->world->bodies[from].soft, *other = kit->world->bodies[to].soft;
  ChFrame frame = ch_state_frame(kit->world->states, to);
  for (int v = 0; v < own->skin.vertex_count; ++v) {
    double distance =
        slow_skin_distance(other, modes_of(kit, to), ch_frame_local(frame, vertex_in_world(kit, from, v)));
    const ChGap* found = gap_of_vertex(kit, from > to, v);
    *listed += found != NULL;
    if (found && found->gap >= 0.0) CHECK_NEAR(found->gap, distance, 1e-9);
    if (found && found->gap < 0.0) CHECK_AT_MOST(found->gap, distance + 1e-9);
    if (found && found->gap < 0.0) CHECK_AT_MOST(9.0 * distance - 1e-9, found->gap);
    if (distance > margin) assert_null(found);
    if (distance < -1e-9) assert_non_null(found);
    if (found || distance > margin) continue;
    ChVec3 x = ch_frame_local(frame, vertex_in_world(kit, from, v)), slope;
    double step = 1e-6, d[3];
    for (int i = 0; i < 3; ++i)
      d[i] = (slow_skin_distance(other, modes_of(kit, to), ch_along(x, step, ch_axis(i))) - distance) / step;
    slope = ch_rotate(frame.orientation, ch_vec(d[0], d[1], d[2]));
    ChVec3 outward = ch_rotate(kit->world->states[from].orientation, slow_outward(own, modes_of(kit, from), v));
    CHECK_AT_MOST(0.49, ch_dot(slope, outward));
  }
}

static void E8_skins_meet_as_all_triangles_say(void** state) {
  SoftKit* kit = *state;
  int listed = 0;
  add_soft(kit, soft_box(kit, (const int[3]){4, 3, 2}, ch_vec(0.4, 0.3, 0.2), 4), ch_vec(0.0, 0.0, 0.0));
  add_soft(kit, soft_box(kit, (const int[3]){3, 3, 3}, ch_vec(0.3, 0.3, 0.3), 3), ch_vec(0.0, 0.0, 0.0));
  seal_soft(kit);
  for (int trial = 0; trial < 12; ++trial) {
    for (int b = 0; b < 2; ++b) {
      kit->world->states[b].orientation = random_turn(&kit->random);
      bend(kit, b, trial % 3 ? 0.2 : 0.0);
    }
    kit->world->states[1].position = ch_scale(trial % 2 ? 0.4 : 0.6, ch_unit(soft_random(&kit->random, 1.0)));
    double margin = trial % 4 ? 0.05 : 0.0;
    collide_soft(kit, margin, 0.0);
    check_skins(kit, 0, 1, margin, &listed);
    check_skins(kit, 1, 0, margin, &listed);
  }
  CHECK_AT_MOST(100, listed);
}

// --- strips ----------------------------------------------------------------------------------------------------------

// Three strips crossing at right angles, pressed into each other by this part of their thickness.
static void press_strips(SoftKit* kit, double part) {
  const double t = 0.02;
  const ChSoft* along = soft_box(kit, (const int[3]){20, 4, 1}, ch_vec(0.5, 0.1, 0.5 * t), 2);
  const ChSoft* across = soft_box(kit, (const int[3]){5, 19, 1}, ch_vec(0.1, 0.5, 0.5 * t), 2);
  clear_soft_kit(kit);
  for (int k = 0; k < 3; ++k) add_soft(kit, k == 1 ? across : along, ch_vec(0.003, -0.001, k * t * (1.0 - part)));
  seal_soft(kit);
  collide_soft(kit, 0.25 * t, 0.0);
}

static void strips_leave_each_other_on_the_side_that_they_came_from(void** state) {
  SoftKit* kit = *state;
  const double parts[5] = {-0.1, 0.0, 0.1, 0.4, 0.8};
  for (int p = 0; p < 5; ++p) {
    int pressed[2] = {0, 0};
    press_strips(kit, parts[p]);
    for (int k = 0; k < kit->count; ++k) {
      const ChGap* g = &kit->gaps[k];
      int lower = g->body[0];
      if (g->body[1] != lower + 1)
        continue;  // the outer ones come near through the middle one where it is pressed flat
      // Within the depth of the sides of a strip its way out may be sideways; nowhere down.
      if (fabs(g->normal.z) > 0.5) CHECK_NEAR(g->normal.z, 1.0, 1e-9);
      if (fabs(g->normal.z) > 0.5) CHECK_NEAR(g->gap, -0.02 * parts[p], 1e-9);
      pressed[lower] += fabs(g->normal.z) > 0.5;
    }
    CHECK_AT_MOST(2 * 9, pressed[0]);
    CHECK_AT_MOST(2 * 9, pressed[1]);
  }
}

// A strip that lies clear of another by more than the margin, however thin both are, touches nothing.
static void strips_that_are_apart_do_not_touch(void** state) {
  SoftKit* kit = *state;
  press_strips(kit, -0.3);
  assert_int_equal(kit->count, 0);
}

// --- lists -----------------------------------------------------------------------------------------------------------

static void fill_pile(SoftKit* kit) {
  const ChSoft* box = soft_box(kit, (const int[3]){4, 4, 4}, ch_vec(0.5, 0.5, 0.5), 5);
  ch_test_floor(kit->world);
  for (int k = 0; k < 27; ++k) add_soft(kit, box, ch_vec(0.98 * (k % 3), 0.98 * (k / 3 % 3), 0.49 + 0.98 * (k / 9)));
  add_rigid(kit, CH_SHAPE_BOX, CH_BODY_DYNAMIC);
  seal_soft(kit);
  for (int k = 1; k <= 27; ++k) bend(kit, k, 0.05);
}

static void skins_give_the_same_list_for_any_number_of_threads(void** state) {
  SoftKit* kit = *state;
  fill_pile(kit);
  ChCollideOptions options = {.margin = 0.02, .look_ahead = 0.01, .threads = 1};
  CHECK_OK(kit->context,
           ch_collide(&kit->context, kit->collider, kit->world->states, &options, &kit->gaps, &kit->count));
  int count = kit->count;
  CHECK_AT_MOST(200, count);
  ChGap* list = CH_TAKE(kit->arena, count, ChGap);
  memcpy(list, kit->gaps, (size_t)count * sizeof *list);
  for (options.threads = 2; options.threads < 6; ++options.threads) {
    CHECK_OK(kit->context,
             ch_collide(&kit->context, kit->collider, kit->world->states, &options, &kit->gaps, &kit->count));
    assert_int_equal(kit->count, count);
    assert_memory_equal(list, kit->gaps, (size_t)count * sizeof *list);
  }
  for (int k = 1; k < count; ++k) {
    const ChGap *a = &list[k - 1], *b = &list[k];
    bool same = a->shape[0] == b->shape[0] && a->shape[1] == b->shape[1];
    assert_true(!same || a->key < b->key);  // sorted, and no key twice
  }
}

static void a_steady_list_of_skins_takes_no_memory(void** state) {
  SoftKit* kit = *state;
  fill_pile(kit);
  collide_soft(kit, 0.02, 0.01);
  long before = ch_arena_allocations();
  for (int step = 0; step < 10; ++step) collide_soft(kit, 0.02, 0.01);
  assert_int_equal(ch_arena_allocations(), before);
}

// A body that rests on the floor and swings a little: its gaps keep their keys.
static void keys_of_vertices_stay_while_they_touch(void** state) {
  SoftKit* kit = *state;
  ch_test_floor(kit->world);
  int body = add_soft(kit, soft_box(kit, (const int[3]){4, 4, 4}, ch_vec(0.5, 0.5, 0.5), 5), ch_vec(0.0, 0.0, 0.49));
  seal_soft(kit);
  uint64_t keys[25];
  for (int step = 0; step < 20; ++step) {
    bend(kit, body, 0.01);
    collide_soft(kit, 0.05, 0.0);
    assert_int_equal(kit->count, 25);
    for (int k = 0; k < 25; ++k) {
      if (step == 0) keys[k] = kit->gaps[k].key;
      assert_true(keys[k] == kit->gaps[k].key);
    }
  }
}

// No frame moves, but a mode brings the lower side down: what it reaches within the look-ahead is listed.
static void modes_that_move_towards_the_floor_are_listed_ahead(void** state) {
  SoftKit* kit = *state;
  ch_test_floor(kit->world);
  ChSoft* soft = soft_box(kit, (const int[3]){2, 2, 2}, ch_vec(0.5, 0.5, 0.5), 1);
  for (int v = 0; v < soft->skin.vertex_count; ++v)
    for (int i = 0; i < 3; ++i) soft->skin.shape[3 * v + i] = i == 2 ? soft->skin.rest[v].z : 0.0;
  int body = add_soft(kit, soft, ch_vec(0.0, 0.0, 0.6));
  seal_soft(kit);
  collide_soft(kit, 0.01, 0.01);
  assert_int_equal(kit->count, 0);
  rates_of(kit, body)[0] = 19.0;  // the lower side moves at 9.5 m/s: 0.095 in the look-ahead
  collide_soft(kit, 0.01, 0.01);
  assert_int_equal(kit->count, 9);
  CHECK_NEAR(kit->gaps[0].closes, 0.095, 1e-12);
  rates_of(kit, body)[0] = 17.0;
  collide_soft(kit, 0.01, 0.01);
  assert_int_equal(kit->count, 0);
}

static void forms_that_are_not_finite_are_refused(void** state) {
  SoftKit* kit = *state;
  ChCollideOptions options = {.margin = 0.02};
  fill_pile(kit);
  modes_of(kit, 3)[2] = NAN;
  assert_int_equal(ch_collide(&kit->context, kit->collider, kit->world->states, &options, &kit->gaps, &kit->count),
                   CH_ERR_NUMERIC);
}

static void bodies_that_ignore_each_other_never_touch(void** state) {
  SoftKit* kit = *state;
  const ChSoft* box = soft_box(kit, (const int[3]){2, 2, 2}, ch_vec(0.5, 0.5, 0.5), 2);
  int a = add_soft(kit, box, ch_vec(0.0, 0.0, 0.0)), b = add_soft(kit, box, ch_vec(0.9, 0.1, 0.1));
  CHECK_OK(kit->context, ch_world_ignore_pair(&kit->context, kit->world, ch_body_id(a), ch_body_id(b)));
  seal_soft(kit);
  collide_soft(kit, 0.1, 0.0);
  assert_int_equal(kit->count, 0);
}

#define SOFT_TEST(f) cmocka_unit_test_setup_teardown(f, make_soft_kit, drop_soft_kit)

int main(void) {
  const struct CMUnitTest tests[] = {
      SOFT_TEST(E8_balls_hold_their_vertices_whatever_the_amplitudes),
      SOFT_TEST(a_leaf_tells_all_distances_to_its_slack),
      SOFT_TEST(E10_vertices_meet_every_rigid_shape_at_its_distance),
      SOFT_TEST(shapes_smaller_than_a_triangle_touch_inside_of_it),
      SOFT_TEST(E10_a_ball_meets_every_triangle_in_its_middle),
      SOFT_TEST(edges_that_cross_touch_where_they_do),
      SOFT_TEST(E10_skins_meet_edge_to_edge),
      SOFT_TEST(E10_gaps_change_as_the_points_move_that_they_name),
      SOFT_TEST(E8_skins_meet_as_all_triangles_say),
      SOFT_TEST(strips_leave_each_other_on_the_side_that_they_came_from),
      SOFT_TEST(strips_that_are_apart_do_not_touch),
      SOFT_TEST(skins_give_the_same_list_for_any_number_of_threads),
      SOFT_TEST(a_steady_list_of_skins_takes_no_memory),
      SOFT_TEST(keys_of_vertices_stay_while_they_touch),
      SOFT_TEST(modes_that_move_towards_the_floor_are_listed_ahead),
      SOFT_TEST(forms_that_are_not_finite_are_refused),
      SOFT_TEST(bodies_that_ignore_each_other_never_touch),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

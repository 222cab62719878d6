// A shape and a height field: the cells under the shape, made into a mesh, which has its routines already.
#include "base/check.h"
#include "collide/shape_box.h"
#include "model/mesh/height_field.h"

static ChArena* scratch_of(ChManifold* out) {
  if (!out->scratch) out->scratch = ch_arena_create(NULL);
  return out->scratch;
}

// In the field's frame; down to where a shape may have sunk.
static ChBox3 box_over(const ChPosed* a, const ChPosed* field, double margin) {
  ChBox3 box = ch_shape_box_in(a, field);
  double widen = margin + 1e-9 * a->shape->bound;
  ChVec3 reach = ch_vec(widen, widen, widen);
  return (ChBox3){ch_sub(box.low, reach), ch_add(box.high, reach)};
}

// With a landing in the arena.
static void collide_with_patch(const ChPosed* a, const ChPosed* b, double margin, ChArena* arena, ChManifold* out) {
  ChContext unread = {0};
  ChMesh* mesh = NULL;
  bool convex = !a->shape->mesh && !a->skin;
  ChBox3 under = box_over(a, b, margin);
  if (convex)
    mesh = ch_height_field_ground(arena, b->shape->field, &under);
  else if (ch_height_field_mesh(&unread, arena, b->shape->field, &under, !a->skin, &mesh) != CH_OK)
    return;
  if (!mesh) return;
  ChShape ground = *b->shape;
  ground.type = CH_SHAPE_MESH;
  ground.mesh = mesh;
  ChPosed posed = *b;
  posed.shape = &ground;
  struct ChLeafList* lists = out->lists;
  out->lists = NULL;  // they speak of another mesh in every step
  if (convex)
    ch_pair_convex_mesh(a, &posed, margin, out);
  else
    ch_pair_collide(a, &posed, margin, out);
  out->lists = lists;
}

void ch_pair_field(const ChPosed* a, const ChPosed* b, double margin, ChManifold* out) {
  CH_ASSERT(b->shape->field && !a->shape->field);
  ChArena* arena = scratch_of(out);
  jmp_buf landing;
  if (!arena || setjmp(landing)) {
    out->failed = true;
    return;
  }
  ch_arena_set_landing(arena, &landing);
  ChArenaMark mark = ch_arena_mark(arena);
  collide_with_patch(a, b, margin, arena, out);
  ch_arena_release(arena, mark);
  ch_arena_set_landing(arena, NULL);
}

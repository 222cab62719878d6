// Positions to signed gaps: boxes swept ahead, pairs of them that overlap, the routine of each pair. See collide.h.
//
// For a pair i, j and a look-ahead tau, no gap shrinks in that time by more than
//
//   tau (|v_i - v_j| + s_i + s_j),     s = |w| times the shape's largest distance from its body's centre of mass;
//
// (of a deformable body, plus what its modes can add: skin.h);
// routines search that far beyond the margin. A point found there is listed only where it can close in that time:
//
//   gap <= margin + tau max(0, (v_i - v_j) . n + s_i + s_j)
//
// so that a fast body is listed ahead of what it flies towards and not beside what it flies past. Samples of a moving
// mesh and points of a skin are listed one by one, each a point of its own body, so that what it closes is known: tau
// times the approach of both bodies' points along the normal. Modes swing back within a step, so what they add counts
// as an approach either way. Boxes are swept along v and widened by s and half the margin. Every thread works on one
// run of consecutive pairs, and the runs are put together in their order: the list does not depend on how many there
// are.
#include "collide/collide.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>

#include "base/check.h"
#include "collide/broad.h"
#include "collide/closing_speed.h"
#include "collide/gap_order.h"
#include "collide/images.h"
#include "collide/pairs.h"
#include "collide/reduce.h"
#include "collide/reserve.h"
#include "collide/seams.h"
#include "collide/shape_box.h"
#include "collide/skin/leaf_memory.h"
#include "collide/skin/self_touch.h"
#include "collide/skin/skin.h"
#include "collide/thin_out.h"
#include "model/mesh/sample_tree.h"

enum { PAIRS_PER_THREAD = 256 };  // fewer are not worth a second thread
enum { SOFT_PAIR = 128 };         // so many rigid pairs take as long as one of a skin

struct ChCollider {
  ChArena* arena;
  jmp_buf landing;
  const ChWorld* world;
  ChBroad* broad;
  ChImages* images;  // NULL: the world does not repeat itself
  ChVec3* origins;   // of shapes, where it does
  ChPosed* posed;    // of shapes
  ChAhead ahead;
  const ChCollideOptions* options;  // of the call at hand
  int skin_count;
  ChSkin* skins;         // of deformable bodies, in the order of their shapes
  double* spin;          // of shapes: s
  double** self_depths;  // of skins: self_touch.h; NULL where one does not touch itself
  int self_count;        // of those that do
  ChBroadPair* pairs;    // of the broad phase and of skins with themselves, where there are any
  int pair_room;
  ChBroadItem* items;
  ChBroadPlane* planes;
  int* ignored_start;  // per body: larger bodies that it ignores
  int* ignored;
  ChSeams seams;
  ChLeafMemory* memory;
  int thread_count;
  int* run_start;     // of threads and one more: pairs
  ChManifold* lists;  // of threads
};

// --- what never touches ----------------------------------------------------------------------------------------------

static void list_ignored(ChCollider* c) {
  const ChWorld* world = c->world;
  c->ignored_start = CH_TAKE(c->arena, world->body_count + 2, int);
  c->ignored = CH_TAKE(c->arena, world->ignored_count + 1, int);
  int* start = c->ignored_start + 1;
  for (int k = 0; k < world->ignored_count; ++k) {
    const int* pair = world->ignored[k];
    ++start[(pair[0] < pair[1] ? pair[0] : pair[1]) + 1];
  }
  for (int b = 0; b < world->body_count; ++b) start[b + 1] += start[b];
  for (int k = 0; k < world->ignored_count; ++k) {
    int a = world->ignored[k][0], b = world->ignored[k][1];
    c->ignored[start[a < b ? a : b]++] = a < b ? b : a;  // every start moves to the next one's: see the + 1 above
  }
}

static bool is_ignored(const ChCollider* c, int a, int b) {
  for (int k = c->ignored_start[a]; k < c->ignored_start[a + 1]; ++k)
    if (c->ignored[k] == b) return true;
  return false;
}

// --- creating --------------------------------------------------------------------------------------------------------

// One tree for all bodies of a skin.
static const ChSkinTree* tree_of(const ChCollider* c, int count, const ChSoft* soft) {
  for (int k = 0; k < count; ++k)
    if (c->skins[k].tree->soft == soft) return c->skins[k].tree;
  return ch_skin_tree_create(c->arena, soft);
}

static double* depths_of(const ChCollider* c, const ChSkinTree* tree) {
  for (int k = 0; k < c->skin_count; ++k)
    if (c->skins[k].tree == tree && c->self_depths[k]) return c->self_depths[k];
  return ch_self_depths(c->arena, tree);
}

static void make_skins(ChCollider* c) {
  int count = 0;
  for (int i = 0; i < c->world->shape_count; ++i) count += c->world->shapes[i].soft != NULL;
  c->skins = CH_TAKE(c->arena, count, ChSkin);
  c->self_depths = CH_TAKE(c->arena, count, double*);
  for (int i = 0; i < c->world->shape_count; ++i) {
    const ChSoft* soft = c->world->shapes[i].soft;
    if (!soft) continue;
    ch_skin_init(c->arena, tree_of(c, c->skin_count, soft), &c->skins[c->skin_count]);
    if (c->world->shapes[i].touches_itself) {
      c->self_depths[c->skin_count] = depths_of(c, c->skins[c->skin_count].tree);
      ++c->self_count;
    }
    c->posed[i].skin = &c->skins[c->skin_count++];
  }
}

static void free_lists(void* object) {
  ChCollider* c = object;
  for (int t = 0; t < c->thread_count; ++t) ch_manifold_free(&c->lists[t]);
}

ChStatus ch_collider_create(ChContext* context, const ChWorld* world, ChCollider** out) {
  CH_ASSERT(world->sealed);
  jmp_buf landing;
  *out = NULL;
  ChArena* arena = ch_arena_create(&landing);
  if (!arena || setjmp(landing)) {
    ch_arena_destroy(arena);
    return ch_fail(context, CH_ERR_MEMORY, "collision: no memory for %d shapes", world->shape_count);
  }
  ChCollider* c = CH_TAKE(arena, 1, ChCollider);
  c->arena = arena;
  c->world = world;
  c->broad = ch_broad_create(arena);
  if (ch_periodic_any(&world->periodic)) {
    c->images = ch_images_create(arena, world);
    c->origins = CH_TAKE(arena, world->shape_count, ChVec3);
  }
  c->posed = CH_TAKE(arena, world->shape_count, ChPosed);
  c->spin = CH_TAKE(arena, world->shape_count, double);
  c->items = CH_TAKE(arena, world->shape_count, ChBroadItem);
  c->planes = CH_TAKE(arena, world->shape_count, ChBroadPlane);
  list_ignored(c);
  make_skins(c);
  c->seams = ch_seams_find(arena, world);
  c->memory = ch_leaf_memory_create(arena);
  c->thread_count = omp_get_max_threads();
  c->lists = CH_TAKE(arena, c->thread_count, ChManifold);
  c->run_start = CH_TAKE(arena, c->thread_count + 1, int);
  ch_arena_defer(arena, free_lists, c);
  ch_arena_set_landing(arena, NULL);
  *out = c;
  return CH_OK;
}

void ch_collider_destroy(ChCollider* c) {
  if (c) ch_arena_destroy(c->arena);
}

// --- boxes -----------------------------------------------------------------------------------------------------------

static bool finite_vec(ChVec3 a) { return isfinite(a.x) && isfinite(a.y) && isfinite(a.z); }

static ChStatus check(ChContext* context, const ChWorld* world, const ChBodyState* states, const ChCollideOptions* o) {
  if (!(isfinite(o->margin) && o->margin >= 0.0))
    return ch_fail(context, CH_ERR_RANGE, "collision: margin is %g, must be finite and >= 0", o->margin);
  if (!(isfinite(o->look_ahead) && o->look_ahead >= 0.0))
    return ch_fail(context, CH_ERR_RANGE, "collision: look_ahead is %g, must be finite and >= 0", o->look_ahead);
  for (int b = 0; b < world->body_count; ++b) {
    if (o->near && !o->near[b]) continue;
    const ChBodyState* s = &states[b];
    const ChQuat q = s->orientation;
    if (!finite_vec(s->position) || !finite_vec(s->velocity) || !finite_vec(s->omega) ||
        !isfinite(q.w + q.x + q.y + q.z))
      return ch_fail(context, CH_ERR_NUMERIC, "body '%s': its position or velocity is not finite",
                     world->bodies[b].name);
    int modes = world->bodies[b].soft ? world->bodies[b].soft->modes : 0;
    if (!ch_all_finite(ch_state_modes(world, states, b), modes) ||
        !ch_all_finite(ch_state_rates(world, states, b), modes))
      return ch_fail(context, CH_ERR_NUMERIC, "body '%s': an amplitude or its rate is not finite",
                     world->bodies[b].name);
  }
  return CH_OK;
}

// The box swept in the look-ahead and widened by half the margin, and by what rounding could take from it.
static ChBox3 swept(ChBox3 box, ChVec3 step, double widen) {
  ChVec3 a = box.low, b = box.high;
  widen += 1e-12 * (fabs(a.x) + fabs(a.y) + fabs(a.z) + fabs(b.x) + fabs(b.y) + fabs(b.z));
  return (ChBox3){
      ch_vec(a.x + fmin(step.x, 0.0) - widen, a.y + fmin(step.y, 0.0) - widen, a.z + fmin(step.z, 0.0) - widen),
      ch_vec(b.x + fmax(step.x, 0.0) + widen, b.y + fmax(step.y, 0.0) + widen, b.z + fmax(step.z, 0.0) + widen)};
}

static bool is_plane(const ChShape* s) { return ch_shape_kind(s)->info.endless; }

static ChBroadPlane plane_of(int item, const ChPosed* posed, ChVec3 step, double widen) {
  ChVec3 normal = ch_mat_apply(&posed->turn, posed->shape->normal);
  double at = ch_dot(normal, posed->frame.at), offset = posed->shape->offset + at;
  offset += ch_positive_part(ch_dot(normal, step)) + widen + 1e-12 * (fabs(offset) + fabs(at));
  return (ChBroadPlane){item, normal, offset};
}

// Puts a shape where its body is; a skin also takes the body's form.
static void pose(ChCollider* c, int i, const ChBodyState* states) {
  const ChShape* shape = &c->world->shapes[i];
  const ChBodyState* state = &states[shape->body];
  ChPosed* posed = &c->posed[i];
  double rate = ch_norm(state->omega), reach = ch_norm(shape->local.at) + shape->bound;
  posed->shape = shape;
  posed->ahead = &c->ahead;
  posed->frame = shape->soft ? ch_state_frame(states, shape->body) : ch_shape_frame(shape, state);
  posed->turn = ch_mat_from_quat(posed->frame.orientation);
  ChSkin* skin = shape->soft ? &c->skins[posed->skin - c->skins] : NULL;
  if (skin) {
    ch_skin_move(skin, ch_state_modes(c->world, states, shape->body), ch_state_rates(c->world, states, shape->body),
                 c->ahead.time);
    reach = skin->bound;
  }
  c->spin[i] = (rate > 0.0 ? rate * reach : 0.0) + (skin ? skin->speed : 0.0);  // reach may be infinite
}

static bool touched(const void* past, const ChShape* a, const ChShape* b, uint64_t key) {
  const ChCollider* c = past;
  int i = (int)(a - c->world->shapes), j = (int)(b - c->world->shapes);  // a routine may have them the other way round
  return c->options->touched(c->options->past, i < j ? i : j, i < j ? j : i, key);
}

// Frames, boxes and planes; returns how many planes.
static int place_shapes(ChCollider* c, const ChBodyState* states, const ChCollideOptions* o) {
  int planes = 0;
  c->options = o;
  c->ahead = (ChAhead){o->margin, o->look_ahead, states, o->touched ? touched : NULL, c};
  for (int i = 0; i < c->world->shape_count; ++i) {
    const ChShape* shape = &c->world->shapes[i];
    if (o->near && !o->near[shape->body]) {  // a plane that is not listed meets nobody
      c->items[i] = (ChBroadItem){.body = shape->body, .plane = true};
      continue;
    }
    pose(c, i, states);
    double widen = 0.5 * o->margin + (o->look_ahead > 0.0 ? o->look_ahead * c->spin[i] : 0.0);
    ChVec3 step = ch_scale(o->look_ahead, states[shape->body].velocity);
    bool moves = c->world->bodies[shape->body].kind == CH_BODY_DYNAMIC && (!o->mine || o->mine[shape->body]);
    c->items[i] = (ChBroadItem){.body = shape->body, .moves = moves, .plane = is_plane(shape)};
    if (c->items[i].plane)
      c->planes[planes++] = plane_of(i, &c->posed[i], step, widen);
    else
      c->items[i].box = swept(ch_shape_box(&c->posed[i]), step, widen);
  }
  return planes;
}

// --- pairs -----------------------------------------------------------------------------------------------------------

// Between samples, where both shapes are known by samples and distances; 0 where they are not. Skins keep all theirs.
static double sample_spacing(const ChShape* a, const ChShape* b) {
  if (a->soft || b->soft) return 0.0;
  const ChSampleTree *sa = a->mesh ? a->mesh->samples : NULL, *sb = b->mesh ? b->mesh->samples : NULL;
  return sa && sb ? fmin(sa->spacing, sb->spacing) : sa ? sa->spacing : sb ? sb->spacing : 0.0;
}

static double bound_of(const ChPosed* posed) { return posed->skin ? posed->skin->bound : posed->shape->bound; }

// The points of a pair, or of one image of it, behind those that there are.
static void collide_image(const ChCollider* c, const ChBodyState* states, const ChCollideOptions* o, int i, int j,
                          const ChPosed* b, ChManifold* out) {
  const ChPosed* a = &c->posed[i];
  int body_a = a->shape->body, body_b = b->shape->body;
  ChVec3 approach = ch_sub(states[body_a].velocity, states[body_b].velocity);
  double spin = c->spin[i] + c->spin[j], spacing = sample_spacing(a->shape, b->shape);
  double margin = o->margin + (o->look_ahead > 0.0 ? o->look_ahead * (ch_norm(approach) + spin) : 0.0);
  if (!(ch_norm(ch_sub(b->frame.at, a->frame.at)) <= (1.0 + 1e-9) * (bound_of(a) + bound_of(b)) + margin)) return;
  if (is_ignored(c, body_a, body_b) || !ch_pair_is_mine(c->world, o->mine, body_a, body_b)) return;
  bool one_by_one = spacing > 0.0 || a->skin || b->skin || (c->world->mesh_count > 0 && ch_pair_is_exact(a, b));
  int first = out->count, kept = first;
  ch_pair_collide(a, b, margin, out);
  for (int k = first; k < out->count; ++k) {
    ChGap* point = &out->points[k];
    point->shift = b->shift;
    if (o->look_ahead > 0.0 && (spacing > 0.0 || !(point->gap <= o->margin))) {
      double rate = one_by_one ? ch_closing_rate(a, b, states, point) : ch_dot(approach, point->normal) + spin;
      point->closes = o->look_ahead * ch_positive_part(rate);
    }
    if (!(point->gap <= o->margin + point->closes) || ch_seams_hide(&c->seams, c->posed, c->items, i, j, point))
      continue;
    point->body[0] = body_a;
    point->body[1] = body_b;
    point->shape[0] = i;
    point->shape[1] = j;
    if (kept != k) out->points[kept] = *point;
    ++kept;
  }
  out->count = spacing > 0.0 ? first + ch_thin_out(kept - first, out->points + first, spacing) : kept;
  if (o->reduce && out->count > first) out->count = first + ch_reduce_points(out->count - first, out->points + first);
}

// The points of a skin with itself. Its frame brings nothing together.
static void collide_self(const ChCollider* c, const ChBodyState* states, const ChCollideOptions* o, int i,
                         ChManifold* out) {
  const ChPosed* a = &c->posed[i];
  const int first = out->count, body = a->shape->body;
  int kept = first;
  if (o->mine && !o->mine[body]) return;
  ch_pair_soft_self(a, c->self_depths[a->skin - c->skins], o->margin + 2.0 * o->look_ahead * a->skin->speed, out);
  for (int k = first; k < out->count; ++k) {
    ChGap point = out->points[k];
    if (o->look_ahead > 0.0 && !(point.gap <= o->margin))
      point.closes = o->look_ahead * ch_positive_part(ch_closing_rate(a, a, states, &point));
    if (!(point.gap <= o->margin + point.closes)) continue;
    point.body[0] = point.body[1] = body;
    point.shape[0] = point.shape[1] = i;
    out->points[kept++] = point;
  }
  out->count = kept;
}

// Appends the points of one pair that can close in time, in their order.
static void collide_pair(const ChCollider* c, const ChBodyState* states, const ChCollideOptions* o, int i, int j,
                         ChManifold* out) {
  int first = out->count;
  if (i == j)
    collide_self(c, states, o, i, out);
  else
    collide_image(c, states, o, i, j, &c->posed[j], out);
  if (out->count > first) ch_order_by_key(out->count - first, out->points + first);
}

// The same for all images of pair k.
static void collide_images(const ChCollider* c, const ChBodyState* states, const ChCollideOptions* o,
                           const ChImagePairs* all, int k, ChManifold* out) {
  int i = all->pairs[k].item[0], j = all->pairs[k].item[1], first = out->count;
  for (int m = all->first[k]; m < all->first[k + 1]; ++m) {
    int from = out->count;
    ChPosed image = c->posed[j];
    image.shift = ch_image_shift(&c->world->periodic, &all->image[m]);
    image.frame.at = ch_add(image.frame.at, image.shift);
    collide_image(c, states, o, i, j, &image, out);
    for (int p = from; p < out->count; ++p) out->points[p].key = ch_image_key(&all->image[m], out->points[p].key);
  }
  if (out->count > first) ch_order_by_key(out->count - first, out->points + first);
}

// Runs of about equal work, one a thread; returns how many.
static int share_out(ChCollider* c, int pair_count, const ChBroadPair* pairs, int threads) {
  long all = 0, done = 0;
  for (int k = 0; k < pair_count; ++k)
    all += c->posed[pairs[k].item[0]].skin || c->posed[pairs[k].item[1]].skin ? SOFT_PAIR : 1;
  long most = 1 + all / PAIRS_PER_THREAD;
  if (threads > most) threads = (int)most;
  if (threads > c->thread_count) threads = c->thread_count;
  if (threads < 1) threads = 1;
  int run = 0;
  for (int k = 0; k < pair_count; ++k) {
    while (run < threads && done * threads >= all * run) c->run_start[run++] = k;
    done += c->posed[pairs[k].item[0]].skin || c->posed[pairs[k].item[1]].skin ? SOFT_PAIR : 1;
  }
  while (run <= threads) c->run_start[run++] = pair_count;
  return threads;
}

static void collide_run(const ChCollider* c, const ChBodyState* states, const ChCollideOptions* o, int first, int last,
                        const ChImagePairs* all, ChLeafList** lists, ChManifold* out) {
  out->count = 0;
  for (int k = first; k < last; ++k) {
    out->lists = lists[k];
    if (all->image)
      collide_images(c, states, o, all, k, out);
    else
      collide_pair(c, states, o, all->pairs[k].item[0], all->pairs[k].item[1], out);
  }
}

// Pairs that may meet, with their images where the world repeats itself.
static ChStatus find_pairs(ChContext* context, ChCollider* c, int planes, ChImagePairs* out) {
  *out = (ChImagePairs){.count = 0};
  if (!c->images) {
    out->count = ch_broad_find(c->broad, c->world->shape_count, c->items, planes, c->planes, &out->pairs);
    return CH_OK;
  }
  int lost = -1;
  for (int k = 0; k < c->world->shape_count; ++k) c->origins[k] = c->posed[k].frame.at;
  if (ch_images_find(c->images, c->broad, c->items, c->origins, planes, c->planes, out, &lost)) return CH_OK;
  return ch_fail(
      context, CH_ERR_NUMERIC,
      "body '%.100s': crosses the periodic cell more than %d times in one step, or has crossed it a billion times "
      "in all",
      c->world->bodies[c->world->shapes[lost].body].name, CH_IMAGES_MOST);
}

// Puts skins that touch themselves among the pairs, in their order.
static void add_selves(ChCollider* c, ChImagePairs* all) {
  if (c->self_count == 0) return;
  CH_ASSERT(!all->image);
  CH_RESERVE(c->arena, c->pairs, 0, all->count + c->self_count, c->pair_room);
  int count = 0, next = 0;
  for (int i = 0; i < c->world->shape_count; ++i) {
    while (next < all->count && all->pairs[next].item[0] < i) c->pairs[count++] = all->pairs[next++];
    const bool listed = !c->options->near || c->options->near[c->world->shapes[i].body];
    if (c->world->shapes[i].touches_itself && listed) c->pairs[count++] = (ChBroadPair){{i, i}};
  }
  while (next < all->count) c->pairs[count++] = all->pairs[next++];
  all->pairs = c->pairs, all->count = count;
}

// Behind the first thread's list go the others' in their order.
static bool join_lists(ChCollider* c, int threads) {
  ChManifold* all = &c->lists[0];
  for (int t = 1; t < threads; ++t)
    for (int k = 0; k < c->lists[t].count; ++k) {
      const ChGap* point = &c->lists[t].points[k];
      ch_manifold_add(all, point->point, point->normal, point->gap, point->key);
      if (!all->failed) all->points[all->count - 1] = *point;
    }
  bool failed = false;
  for (int t = 0; t < threads; ++t) failed = failed || c->lists[t].failed;
  return !failed;
}

static ChStatus no_memory(ChContext* context) {
  return ch_fail(context, CH_ERR_MEMORY, "collision: out of memory for the list of contacts");
}

ChStatus ch_collide(ChContext* context, ChCollider* c, const ChBodyState* states, const ChCollideOptions* options,
                    const ChGap** gaps, int* count) {
  CH_ASSERT(c->world->sealed && states && options && options->threads >= 0);
  *gaps = NULL;
  *count = 0;
  ChStatus status = check(context, c->world, states, options);
  if (status != CH_OK) return status;
  ch_arena_set_landing(c->arena, &c->landing);
  if (setjmp(c->landing)) {
    ch_arena_set_landing(c->arena, NULL);
    return no_memory(context);
  }
  ChImagePairs all;
  status = find_pairs(context, c, place_shapes(c, states, options), &all);
  if (status == CH_OK) add_selves(c, &all);
  ChLeafList** lists = ch_leaf_memory_match(c->memory, all.count, all.pairs, c->posed, c->world->mesh_count > 0);
  ch_arena_set_landing(c->arena, NULL);
  if (status != CH_OK) return status;
  int threads = share_out(c, all.count, all.pairs, options->threads);
  CH_ASSERT(threads >= 1 && threads <= c->thread_count && c->run_start[threads] == all.count);
  for (int t = 0; t < threads; ++t) c->lists[t].failed = false;
  for (int k = 0; k < c->skin_count; ++k) c->skins[k].alone = threads == 1;
#pragma omp parallel for num_threads(threads) schedule(static, 1) if (threads > 1)
  for (int t = 0; t < threads; ++t)
    collide_run(c, states, options, c->run_start[t], c->run_start[t + 1], &all, lists, &c->lists[t]);
  if (!join_lists(c, threads)) return no_memory(context);
  *gaps = c->lists[0].points;
  *count = c->lists[0].count;
  CH_ASSERT(*count >= 0 && (*count == 0 || *gaps));
  CH_ASSERT_SLOW(ch_gaps_are_sorted(*count, *gaps));
  return CH_OK;
}

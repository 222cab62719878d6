// The two projections of staggered.h cut into independent sets of contacts (Kaufman 2009, 7.9; requirement D27).
//
// A body without load on it connects nothing. In the friction problem contacts without normal reaction have no
// friction: the others, joined where W_TT couples them, fall into sets that are solved apart. In the contact problem it
// is not known who carries; what carried last time and whatever does not open by itself is taken for it, cut into sets
// and solved, and whatever is then pushed into is added, until nothing is:
//
//   r_i = 0, u_i >= 0   outside of the working set,     0 <= r_i _|_ u_i >= 0   inside,
//
// which is the contact problem itself. Only sets that got a new member are solved again. Where one set holds most of
// the contacts there is nothing to gain: the whole problem keeps its linear systems from projection to projection, a
// set that is cut out does not.
#include <math.h>
#include <string.h>

#include "cardhouse/union_find.h"
#include "solve/methods/staggered.h"

enum { ROUNDS = 60 };
static const double MOST = 0.7;    // of all contacts in one set: not worth cutting
static const double SHARE = 0.3;   // of the tolerance for one set: errors of sets add up
static const double PUSHED = 0.1;  // of the tolerance: the error that a contact left out may have

typedef struct Sets {
  int count;
  int* label;  // per block of the half; -1: in none
} Sets;

// Blocks of the half that are `in`, joined where W couples them.
static Sets find_sets(ChArena* arena, const ChSystem* s, const unsigned char* in) {
  Sets sets = {.label = CH_TAKE(arena, s->n, int)};
  int* parent = CH_TAKE(arena, s->n, int);
  ch_sets_init(s->n, parent);
  for (int i = 0; i < s->n; ++i)
    for (int e = s->W.start[i]; in[i] && e < s->W.start[i + 1]; ++e)
      if (in[s->W.column[e]]) ch_sets_join(parent, i, s->W.column[e]);
  for (int i = 0; i < s->n; ++i) {
    int root = ch_sets_root(parent, i);
    sets.label[i] = !in[i] ? -1 : root == i ? sets.count++ : sets.label[root];
  }
  return sets;
}

static bool worth_cutting(ChArena* arena, const ChSystem* s, const unsigned char* in) {
  ChArenaMark mark = ch_arena_mark(arena);
  Sets sets = find_sets(arena, s, in);
  int *size = CH_TAKE(arena, sets.count + 1, int), largest = 0;
  for (int i = 0; i < s->n; ++i)
    if (sets.label[i] >= 0 && ++size[sets.label[i]] > largest) largest = size[sets.label[i]];
  ch_arena_release(arena, mark);
  return largest <= MOST * s->n;
}

typedef struct Task {
  ChStaggered* g;
  const ChHalfSystem* half;
  bool friction;
  const double* given;  // friction: normal reactions
  const double* q;      // of the half
  double* r;            // of the half: start and answer
  double tolerance;
  ChDeadline deadline;
} Task;

// One set as a system of its own; its factorisations live as long as its solve.
static double solve_set(const Task* t, const unsigned char* keep) {
  ChStaggered* g = t->g;
  ChRun* run = g->run;
  ChArenaMark mark = ch_arena_mark(run->arena), shared = ch_arena_mark(run->shared->arena);
  ChHalfSystem part;
  ChConvexView view;
  if (t->friction)
    ch_half_tangential_of(run->arena, g->s, keep, &part);
  else
    ch_half_normal_of(run->arena, g->s, keep, &part);
  double* r = CH_TAKE(run->arena, part.system.rows, double);
  if (t->friction) ch_staggered_radii(g, &part, t->given);
  ch_convex_view_init(&view, run, &part.system);
  ch_half_scatter(t->half, t->q, g->u);
  ch_half_gather(&part, g->u, view.given.q);
  ch_half_scatter(t->half, t->r, g->r);
  ch_half_gather(&part, g->r, r);
  ch_system_project(&part.system, r, r);
  double error = ch_convex_view_solve(&view, SHARE * t->tolerance, t->deadline, r);
  ch_half_scatter(&part, r, g->r);
  ch_half_gather(t->half, g->r, t->r);
  ch_arena_release(run->shared->arena, shared);
  ch_arena_release(run->arena, mark);
  return error;
}

// All sets that hold a block marked `changed`. Returns the error of all of them together.
static double solve_sets(const Task* t, const Sets* sets, const unsigned char* changed) {
  const ChSystem* s = &t->half->system;
  ChArena* arena = t->g->run->arena;
  unsigned char *keep = CH_TAKE(arena, t->g->s->n, unsigned char), *due = CH_TAKE(arena, sets->count, unsigned char);
  double sum = 0.0;
  for (int i = 0; i < s->n; ++i)
    if (sets->label[i] >= 0 && changed[i]) due[sets->label[i]] = 1;
  for (int k = 0; k < sets->count; ++k) {
    if (!due[k]) continue;
    for (int i = 0; i < s->n; ++i) keep[t->half->block[i]] = sets->label[i] == k;
    double error = solve_set(t, keep);
    sum += error * error;
  }
  return sqrt(sum);
}

// Adds the contacts left out that the reactions push into; returns whether there were any.
static bool add_pushed(const Task* t, unsigned char* in, unsigned char* changed, double* u) {
  const ChSystem* s = &t->half->system;
  bool added = false;
  ch_system_apply(s, t->r, u);
  for (int i = 0; i < s->n; ++i) {
    int row = s->row[i];
    double size = sqrt(s->diagonal[s->diagonal_at[i]]);
    changed[i] = !in[i] && u[row] + t->q[row] < -PUSHED * t->tolerance * size;
    if (changed[i]) in[i] = added = true;
  }
  return added;
}

double ch_staggered_contact_apart(ChStaggered* g, const double* q, double tolerance, ChDeadline deadline) {
  ChArena* arena = g->run->arena;
  ChArenaMark mark = ch_arena_mark(arena);
  const ChSystem* s = &g->normal.system;
  Task t = {.g = g, .half = &g->normal, .q = q, .r = g->r_n, .tolerance = tolerance, .deadline = deadline};
  unsigned char *in = CH_TAKE(arena, s->n, unsigned char), *changed = CH_TAKE(arena, s->n, unsigned char);
  double *u = CH_TAKE(arena, s->rows, double), error = 0.0;
  for (int i = 0; i < s->n; ++i) {
    int row = s->row[i];
    in[i] = changed[i] = !s->block[i].law->info.opens || g->r_n[row] > 0.0 ||
                         q[row] <= PUSHED * tolerance * sqrt(s->diagonal[s->diagonal_at[i]]);
  }
  bool cut = worth_cutting(arena, s, in);
  for (int i = 0; cut && i < s->n; ++i)
    if (!in[i]) g->r_n[s->row[i]] = 0.0;
  for (int round = 0; cut && round < ROUNDS; ++round) {
    ChArenaMark inner = ch_arena_mark(arena);
    Sets sets = find_sets(arena, s, in);
    error = hypot(error, solve_sets(&t, &sets, changed));
    ch_arena_release(arena, inner);
    if (!add_pushed(&t, in, changed, u)) break;
  }
  ch_arena_release(arena, mark);
  return cut ? error : -1.0;
}

double ch_staggered_friction_apart(ChStaggered* g, const double* given, const double* q, double tolerance) {
  ChArena* arena = g->run->arena;
  ChArenaMark mark = ch_arena_mark(arena);
  const ChSystem* s = &g->tangential.system;
  Task t = {.g = g, .half = &g->tangential, .friction = true, .given = given, .q = q, .r = g->f};
  t.tolerance = tolerance, t.deadline = g->run->deadline;
  unsigned char* in = CH_TAKE(arena, s->n, unsigned char);
  ch_half_scatter(&g->normal, given, g->r);
  for (int i = 0; i < s->n; ++i) in[i] = g->r[g->s->row[g->tangential.block[i]]] > 0.0;
  double error = -1.0;
  if (worth_cutting(arena, s, in)) {
    for (int i = 0; i < s->n; ++i)
      for (int row = s->row[i]; !in[i] && row < s->row[i + 1]; ++row) g->f[row] = 0.0;
    Sets sets = find_sets(arena, s, in);
    error = solve_sets(&t, &sets, in);
  }
  ch_arena_release(arena, mark);
  return error;
}

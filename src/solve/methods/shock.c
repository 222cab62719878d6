// shock: shock propagation (Guendelman, Bridson and Fedkiw 2003; Erleben 2007, as in OpenTissue; Kaufman 2009, section
// 7.5.1).
//
//   height    of a body: contacts and joints from it down to a fixed body, 1 for what touches one
//   dynamics  sweeps of Gauss-Seidel with the share `fraction` of the loads, every body with its mass:
//                 u = W r_a + fraction q + (1 - fraction) q_0     q_0: velocities of the last step kept
//   shock     all loads; layer by layer upwards, blocks whose higher body has height l, with bodies below l of
//             infinite mass:   v_b += M_b^-1 H_ib dr_b   only where height(b) = l
//
// r = r_a + r_b is reported. A body does not feel r_b of the layer above it: that impulse is withheld, momentum is not
// kept, and the certificate's balance says by how much. With fraction 1 the shock only stops what the sweeps leave
// moving (Guendelman et al.); near 0 it does everything, which is how OpenTissue was made to hold stacks in the
// document.
#include <string.h>

#include "base/work.h"
#include "linalg/small.h"
#include "solve/contact/local_contact.h"
#include "solve/contact/sweeper.h"
#include "solve/method.h"

#define CH_OPTION_PREFIX "shock"
#define SHOCK_OPTIONS(X)                                                                   \
  X(int, sweeps, 10, 0, 100000, "sweeps over all blocks before the shock")                 \
  X(int, layer_sweeps, 10, 1, 100000, "sweeps over the blocks of each layer in the shock") \
  X(double, fraction, 1.0, 0.0, 1.0,                                                       \
    "share of the loads that the sweeps before the shock use; the shock uses all loads")
CH_OPTIONS(SHOCK_OPTIONS)

#define VISIT_WORK 100.0

typedef struct Shock {
  const ChSystem* s;
  int* height;     // of bodies; bodies that nothing connects to the ground have 0 and are a layer of their own
  int* layer;      // of blocks
  int layers;      // highest
  ChSystem upper;  // the same system; blocks of W as felt by the bodies of the block's own layer
  ChLocalBlock* local;
  double* v;  // velocities of the bodies, of reactions alone
} Shock;

// Whether nothing but the body itself is at the block: then the other side is fixed.
static bool is_grounded(const ChBodies* b, int i) { return b->start[i + 1] - b->start[i] == 1; }

// Breadth first: in every round the blocks that reach one body more are found. Heights do not depend on their order.
static void find_heights(Shock* k) {
  const ChBodies* b = k->s->bodies;
  for (int i = 0; i < k->s->n; ++i)
    if (is_grounded(b, i)) k->height[b->body[b->start[i]]] = 1;
  bool found = true;
  for (int h = 1; found; ++h) {
    found = false;
    for (int i = 0; i < k->s->n; ++i) {
      bool reached = false;
      for (int e = b->start[i]; e < b->start[i + 1]; ++e) reached |= k->height[b->body[e]] == h;
      for (int e = b->start[i]; reached && e < b->start[i + 1]; ++e)
        if (k->height[b->body[e]] == 0) k->height[b->body[e]] = h + 1, found = true;
    }
  }
  for (int i = 0; i < k->s->n; ++i) {
    for (int e = b->start[i]; e < b->start[i + 1]; ++e)
      if (k->height[b->body[e]] > k->layer[i]) k->layer[i] = k->height[b->body[e]];
    if (k->layer[i] > k->layers) k->layers = k->layer[i];
  }
}

static bool feels(const Shock* k, int i, int entry) { return k->height[k->s->bodies->body[entry]] == k->layer[i]; }

// W_ii with bodies below the layer fixed: sum of H^T M^-1 H over the others.
static void add_compliance(const ChBodies* b, int entry, int dim, double* W) {
  int body = b->body[entry], size = b->dim[body];
  const double *H = b->H + b->jacobian[entry], *inverse = b->inverse + b->offset[body];
  for (int x = 0; x < size; ++x)
    for (int y = 0; y < size; ++y)
      for (int a = 0; a < dim; ++a)
        for (int c = 0; c < dim; ++c) W[a * dim + c] += H[x * dim + a] * inverse[x * size + y] * H[y * dim + c];
}

static Shock shock_create(ChRun* run) {
  const ChSystem* s = run->system;
  Shock k = {.s = s,
             .height = CH_TAKE(run->arena, s->bodies->n, int),
             .layer = CH_TAKE(run->arena, s->n, int),
             .upper = *s,
             .local = CH_TAKE(run->arena, s->n, ChLocalBlock),
             .v = CH_TAKE(run->arena, s->bodies->dofs, double)};
  find_heights(&k);
  k.upper.diagonal = CH_TAKE(run->arena, s->diagonal_at[s->n], double);
  for (int i = 0; i < s->n; ++i) {
    for (int e = s->bodies->start[i]; e < s->bodies->start[i + 1]; ++e)
      if (feels(&k, i, e)) add_compliance(s->bodies, e, s->dim[i], k.upper.diagonal + s->diagonal_at[i]);
    ch_scaled_block_add_compliance(&s->block[i], s->dim[i], k.upper.diagonal + s->diagonal_at[i]);
    ch_local_prepare(run->arena, &k.upper, i, &k.local[i]);
  }
  return k;
}

static void push(const Shock* k, int i, const double* dr) {
  const ChBodies* b = k->s->bodies;
  for (int e = b->start[i]; e < b->start[i + 1]; ++e) {
    int body = b->body[e], size = b->dim[body];
    double p[CH_BODY_MAX] = {0.0}, dv[CH_BODY_MAX];
    if (!feels(k, i, e)) continue;
    ch_small_add(size, k->s->dim[i], b->H + b->jacobian[e], dr, p);
    ch_small_multiply(size, b->inverse + b->offset[body], p, dv);
    for (int x = 0; x < size; ++x) k->v[b->row[body] + x] += dv[x];
  }
}

static void visit(Shock* k, int i, double* r) {
  const ChSystem* s = k->s;
  int d = s->dim[i];
  double b[CH_BLOCK_MAX], own[CH_BLOCK_MAX], change[CH_BLOCK_MAX];
  ch_bodies_block_velocity(s->bodies, d, i, k->v, s->q + s->row[i], b);
  ch_system_add_block_compliance(s, i, r, b);
  ch_small_multiply(d, k->upper.diagonal + s->diagonal_at[i], r, own);
  for (int a = 0; a < d; ++a) b[a] -= own[a], change[a] = -r[a];
  ch_local_solve(&k->upper, i, &k->local[i], b, r);
  for (int a = 0; a < d; ++a) change[a] += r[a];
  push(k, i, change);
}

// r <- r_b, from the velocities that the sweeps left
static void propagate(Shock* k, ChRun* run, int sweeps, double* r) {
  for (int layer = 0; layer <= k->layers; ++layer)
    for (int sweep = 0; sweep < sweeps && !ch_run_late(run); ++sweep) {
      ch_work_add(VISIT_WORK * k->s->n / (k->layers + 1));
      for (int i = 0; i < k->s->n; ++i)
        if (k->layer[i] == layer) visit(k, i, r + k->s->row[i]);
    }
}

// r_a: sweeps with a share of the loads. A problem that comes from no step does not tell them: then with all.
static void sweep_first(ChRun* run, const Options* o, double* r) {
  const ChSystem* s = run->system;
  const ChStepFacts* step = run->options->step;
  ChSystem loaded = *s;
  long sweeps = run->max_iterations > 0 ? run->max_iterations : o->sweeps;
  loaded.q = CH_TAKE(run->arena, s->rows, double);
  for (int k = 0; k < s->rows; ++k) {
    const double *g = run->part->g + k, *coasts = step ? step->coasts : NULL;
    double light = coasts ? *g * coasts[run->part->source[k]] / run->part->c : s->q[k];
    loaded.q[k] = o->fraction * s->q[k] + (1.0 - o->fraction) * light;
  }
  ChSweeper* sweeper = ch_sweeper_create(run->arena, &loaded, false, 1);
  for (long sweep = 0; sweep < sweeps && !ch_run_late(run); ++sweep, ++run->outer) ch_sweeper_sweep(sweeper, 1.0, r);
}

static void withhold(const Shock* k, const double* r, double* withheld) {
  const ChBodies* b = k->s->bodies;
  for (int i = 0; i < k->s->n; ++i)
    for (int e = b->start[i]; e < b->start[i + 1]; ++e)
      if (!feels(k, i, e))
        ch_small_add(b->dim[b->body[e]], k->s->dim[i], b->H + b->jacobian[e], r + k->s->row[i],
                     withheld + b->row[b->body[e]]);
}

static void solve(ChRun* run) {
  const ChSystem* s = run->system;
  Options o = read_options(run->options);
  Shock k = shock_create(run);
  double *r = CH_TAKE(run->arena, s->rows, double), *shock = CH_TAKE(run->arena, s->rows, double);
  sweep_first(run, &o, r);
  ch_bodies_impulse_to_velocity(s->bodies, s->dim, s->row, s->n, r, k.v);
  propagate(&k, run, o.layer_sweeps, shock);
  run->outer += o.layer_sweeps;
  for (int a = 0; a < s->rows; ++a) r[a] += shock[a];
  if (ch_run_answer(run, r, CH_TAKE(run->arena, s->rows, double))) withhold(&k, shock, run->withheld);
  ch_run_note(run, run->outer, run->error);
}

const ChMethod ch_method_shock = {
    .name = "shock",
    .summary = "sweeps, then a pass layer by layer from the ground up, with infinite mass below",
    .document = "Kaufman 2009",
    .equation = "section 7.5.1",
    .literature = "Guendelman, Bridson and Fedkiw 2003; Erleben 2007",
    .takes = CH_TAKES_COULOMB | CH_TAKES_UNFORMED | CH_TAKES_UNSYMMETRIC | CH_IS_BASELINE | CH_NEEDS_BODIES,
    .engine_sweeps = 10,
    .options = option_rows,
    .option_count = CH_OPTION_COUNT,
    .solve = solve};

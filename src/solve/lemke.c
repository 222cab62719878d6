// lemke: Lemke's complementary pivoting on the Stewart-Trinkle problem (polygon_lcp.h).
//
//   w - A y - d y0 = b,  w, y >= 0,  w'y = 0.  y0 enters at the most negative b_i / d_i; then the complement of
//   whatever left enters, until y0 leaves (solved) or nothing can leave (a ray).
//
// The basis is kept factored (sparse LU) with product-form updates and is factored anew every so many pivots. Equal
// ratios would let the method cycle: b is perturbed by distinct small amounts, and the last basis is solved with b
// itself.
#include <math.h>
#include <string.h>

#include "linalg/sparse.h"
#include "linalg/sparse_lu.h"
#include "solve/method.h"
#include "solve/polygon_lcp.h"

#define CH_OPTION_PREFIX "lemke"
#define LEMKE_OPTIONS(X)                                                                            \
  X(double, tol_pivot, 1e-9, 0.0, 1.0, "smallest pivot accepted, relative to its column")           \
  X(double, perturbation, 1e-9, 0.0, 1e-3, "of b, against cycling, relative to |b|")                \
  X(int, crash, 200, 0, 100000, "splitting iterations that choose the first basis; 0 = all slacks") \
  X(int, refactor, 50, 1, 1000, "pivots between two factorisations of the basis")
CH_OPTIONS(LEMKE_OPTIONS)

// Variables are numbered w_0 .. w_{n-1}, y_0 .. y_{n-1}, y0.
typedef struct Lemke {
  ChRun* run;
  const ChSystem* s;
  Options o;
  ChPolygonLcp lcp;
  int n, updates;
  int* basic;         // variable of each basis position
  double *d, *b, *x;  // covering vector, perturbed b, values of basic variables
  double* eta;        // updates columns of n
  int* eta_row;
  ChSparse B;
  ChSparseLu* lu;
  ChArenaMark mark;
  double *column, *direction, *y, *r, *u;
} Lemke;

static void scatter_column(const Lemke* l, int variable, double sign, double* out) {
  if (variable < l->n) {
    out[variable] += sign;
  } else if (variable < 2 * l->n) {
    int j = variable - l->n;
    for (int k = l->lcp.A.start[j]; k < l->lcp.A.start[j + 1]; ++k) out[l->lcp.A.index[k]] -= sign * l->lcp.A.value[k];
  } else {
    for (int i = 0; i < l->n; ++i) out[i] -= sign * l->d[i];
  }
}

static int column_size(const Lemke* l, int variable) {
  if (variable < l->n) return 1;
  if (variable == 2 * l->n) return l->n;
  return l->lcp.A.start[variable - l->n + 1] - l->lcp.A.start[variable - l->n];
}

// Builds the basis as a sparse matrix and factors it. The memory of the last factorisation is given back first.
static bool factor_basis(Lemke* l) {
  ChArena* arena = l->run->arena;
  ch_arena_release(arena, l->mark);
  l->updates = 0;
  long count = 0;
  for (int k = 0; k < l->n; ++k) count += column_size(l, l->basic[k]);
  l->B = (ChSparse){.rows = l->n,
                    .columns = l->n,
                    .start = CH_TAKE(arena, l->n + 1, int),
                    .index = CH_TAKE(arena, count, int),
                    .value = CH_TAKE(arena, count, double)};
  int at = 0;
  for (int k = 0; k < l->n; ++k) {
    int v = l->basic[k];
    l->B.start[k] = at;
    if (v < l->n) {
      l->B.index[at] = v;
      l->B.value[at++] = 1.0;
    } else if (v == 2 * l->n) {
      for (int i = 0; i < l->n; ++i) {
        l->B.index[at] = i;
        l->B.value[at++] = -l->d[i];
      }
    } else {
      for (int e = l->lcp.A.start[v - l->n]; e < l->lcp.A.start[v - l->n + 1]; ++e) {
        l->B.index[at] = l->lcp.A.index[e];
        l->B.value[at++] = -l->lcp.A.value[e];
      }
    }
  }
  l->B.start[l->n] = at;
  ++l->run->factorizations;
  l->lu = ch_sparse_lu_create(arena, &l->B);
  return l->lu != NULL;
}

// out = basis^-1 in
static void solve_basis(const Lemke* l, const double* in, double* out) {
  ch_sparse_lu_solve_plain(l->lu, in, out);
  for (int k = 0; k < l->updates; ++k) {
    const double* eta = l->eta + (long)k * l->n;
    double pivot = out[l->eta_row[k]] / eta[l->eta_row[k]];
    if (pivot != 0.0)
      for (int i = 0; i < l->n; ++i) out[i] -= eta[i] * pivot;
    out[l->eta_row[k]] = pivot;
  }
}

// Replaces the variable at basis position `row` by `entering`, whose column in the basis is l->direction.
static bool exchange(Lemke* l, int row, int entering) {
  l->basic[row] = entering;
  if (l->updates == l->o.refactor) {
    if (!factor_basis(l)) return false;
    solve_basis(l, l->b, l->x);
    return true;
  }
  double step = l->x[row] / l->direction[row];
  for (int i = 0; i < l->n; ++i) l->x[i] -= step * l->direction[i];
  l->x[row] = step;
  memcpy(l->eta + (long)l->updates * l->n, l->direction, (size_t)l->n * sizeof(double));
  l->eta_row[l->updates++] = row;
  return true;
}

static bool is_free(const Lemke* l, int variable) {
  return variable >= l->n && variable < 2 * l->n && l->lcp.free[variable - l->n];
}

static int complement(const Lemke* l, int variable) { return variable < l->n ? variable + l->n : variable - l->n; }

// The position that blocks the entering variable first, -1 on a ray. y0 leaves whenever it can.
static int ratio_test(const Lemke* l) {
  double largest = 0.0, best = INFINITY;
  for (int i = 0; i < l->n; ++i) largest = fmax(largest, fabs(l->direction[i]));
  int row = -1;
  for (int i = 0; i < l->n; ++i) {
    if (!(l->direction[i] > l->o.tol_pivot * largest) || is_free(l, l->basic[i])) continue;
    double ratio = fmax(l->x[i], 0.0) / l->direction[i];
    bool cover = l->basic[i] == 2 * l->n;
    if (ratio < best || (cover && ratio <= best * (1.0 + 1e-12))) {
      best = ratio;
      row = i;
    }
  }
  return row;
}

static void create(Lemke* l) {
  ChArena* arena = l->run->arena;
  int n = l->n = l->lcp.n;
  double** vectors[] = {&l->d, &l->b, &l->x, &l->column, &l->direction, &l->y};
  for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; ++k) *vectors[k] = CH_TAKE(arena, n, double);
  l->r = CH_TAKE(arena, l->s->rows, double);
  l->u = CH_TAKE(arena, l->s->rows, double);
  l->basic = CH_TAKE(arena, n, int);
  l->eta = CH_TAKE(arena, (long)(l->o.refactor + 1) * n, double);
  l->eta_row = CH_TAKE(arena, l->o.refactor + 1, int);
  double size = 0.0;
  for (int i = 0; i < n; ++i) size = fmax(size, fabs(l->lcp.b[i]));
  unsigned long seed = 1;
  for (int i = 0; i < n; ++i) {
    seed = seed * 6364136223846793005ul + 1442695040888963407ul;
    double draw = 1.0 + (double)(seed >> 33) / 2147483648.0;
    l->d[i] = l->lcp.free[i] ? 0.0 : 1.0;
    l->b[i] = l->lcp.b[i] + (l->lcp.free[i] ? 0.0 : l->o.perturbation * size * draw);
    l->basic[i] = l->lcp.free[i] ? n + i : i;  // free variables stand in the basis from the start
  }
  l->mark = ch_arena_mark(arena);
}

// The reactions of the current basis, y0 ignored, with b as it is; offered to the run.
static double offer_basis(Lemke* l) {
  if (l->updates > 0 && !factor_basis(l)) return INFINITY;
  solve_basis(l, l->lcp.b, l->direction);
  memset(l->y, 0, (size_t)l->n * sizeof(double));
  for (int i = 0; i < l->n; ++i)
    if (l->basic[i] >= l->n && l->basic[i] < 2 * l->n) l->y[l->basic[i] - l->n] = l->direction[i];
  ch_polygon_lcp_reactions(&l->lcp, l->s, l->y, l->r);
  ch_system_project(l->s, l->r, l->r);
  return ch_run_offer_reaction(l->run, l->r, l->u);
}

// Variables that a rough solution wants in the basis: loaded normals, the directions that carry its friction, lambda
// where it slides.
static void list_wanted(const ChSystem* s, const double* r, const double* u, unsigned char* wanted) {
  double load = 0.0;
  for (int i = 0; i < s->n; ++i)
    if (s->set[i] != CH_SET_FREE) load = fmax(load, fabs(r[s->row[i]]));
  for (int i = 0, at = 0; i < s->n; at += ch_polygon_lcp_variables(s, i), ++i) {
    const double *ri = r + s->row[i], *ui = u + s->row[i];
    if (s->set[i] == CH_SET_HALF) wanted[at] = ri[0] > 1e-6 * load;
    if (s->set[i] != CH_SET_CONE || !(ri[0] > 1e-6 * load)) continue;
    wanted[at] = 1;
    int m = ch_polygon_lcp_variables(s, i) - 2, best = 0;
    double most = -INFINITY, size = 0.0;
    for (int j = 0; j < m; ++j) {
      double along =
          s->dim[i] == 2 ? (j == 0 ? ri[1] : -ri[1]) : s->corners[i][2 * j] * ri[1] + s->corners[i][2 * j + 1] * ri[2];
      if (along > most) most = along, best = j;
    }
    for (int a = 1; a < s->dim[i]; ++a) size += fabs(ri[a]);
    if (size > 1e-9 * load) wanted[at + 1 + best] = 1;
    if (most > 0.999 * s->mu[i] * ri[0] && ch_system_slip(s, i, ui) > 1e-9) wanted[at + 1 + m] = 1;
  }
}

// Principal pivots bring the wanted variables in, as far as the basis stays well conditioned.
static bool crash(Lemke* l) {
  const ChSystem* s = l->s;
  unsigned char* wanted = CH_TAKE(l->run->arena, l->n, unsigned char);
  double* r = CH_TAKE(l->run->arena, s->rows, double);
  ch_run_nested(
      l->run,
      &(ChNested){.method = ch_method_find("admm"), .max_iterations = l->o.crash, .setting = {{"admm.rho", 0.2}}}, r);
  ch_system_velocity(s, r, l->u);
  list_wanted(s, r, l->u, wanted);
  l->mark = ch_arena_mark(l->run->arena);
  if (!factor_basis(l)) return false;
  solve_basis(l, l->b, l->x);
  for (int j = 0; j < l->n; ++j) {
    if (!wanted[j]) continue;
    memset(l->column, 0, (size_t)l->n * sizeof(double));
    scatter_column(l, l->n + j, 1.0, l->column);
    solve_basis(l, l->column, l->direction);
    if (fabs(l->direction[j]) < 1e-6) continue;
    if (!exchange(l, j, l->n + j)) return false;
  }
  return true;
}

// d = B 1: in the basis at hand y0 lifts every sign-constrained variable alike.
static void cover_basis(Lemke* l) {
  memset(l->d, 0, (size_t)l->n * sizeof(double));
  memset(l->column, 0, (size_t)l->n * sizeof(double));
  for (int i = 0; i < l->n; ++i)
    if (!is_free(l, l->basic[i])) scatter_column(l, l->basic[i], 1.0, l->column);
  memcpy(l->d, l->column, (size_t)l->n * sizeof(double));
}

// First pivot: y0 takes the place of the worst row. False when there is none: the basis is the solution.
static bool start_cover(Lemke* l, int* left) {
  int worst = -1;
  for (int i = 0; i < l->n; ++i)
    if (!is_free(l, l->basic[i]) && l->x[i] < 0.0 && (worst < 0 || l->x[i] < l->x[worst])) worst = i;
  if (worst < 0) return false;
  memset(l->column, 0, (size_t)l->n * sizeof(double));
  scatter_column(l, 2 * l->n, 1.0, l->column);
  solve_basis(l, l->column, l->direction);
  *left = l->basic[worst];
  return exchange(l, worst, 2 * l->n);
}

static void pivot_loop(Lemke* l, int left, long limit) {
  for (long pivot = 1; pivot <= limit && !ch_run_late(l->run); ++pivot) {
    int entering = complement(l, left);
    memset(l->column, 0, (size_t)l->n * sizeof(double));
    scatter_column(l, entering, 1.0, l->column);
    solve_basis(l, l->column, l->direction);
    int row = ratio_test(l);
    if (row < 0) return;  // a ray
    left = l->basic[row];
    ++l->run->inner;
    if (!exchange(l, row, entering)) return;
    if (pivot % 100 == 0) ch_run_note(l->run, pivot, l->run->error);
    if (left == 2 * l->n) return;
  }
}

static bool slack_basis(Lemke* l) {
  for (int i = 0; i < l->n; ++i) l->basic[i] = l->lcp.free[i] ? l->n + i : i;
  if (!factor_basis(l)) return false;
  solve_basis(l, l->b, l->x);
  return true;
}

static void solve(ChRun* run) {
  Lemke l = {
      .run = run, .s = run->system, .o = read_options(run->options), .lcp = ch_polygon_lcp(run->arena, run->system)};
  create(&l);
  long limit = run->max_iterations > 0 ? run->max_iterations : 1000000;
  int left;
  for (int attempt = l.o.crash > 0 ? 0 : 1; attempt < 2 && !ch_run_finished(run); ++attempt) {
    ++run->outer;
    if (attempt == 0 ? !crash(&l) : !slack_basis(&l)) continue;
    cover_basis(&l);
    if (start_cover(&l, &left)) pivot_loop(&l, left, limit);
    ch_run_note(run, run->inner, offer_basis(&l));
  }
}

const ChMethod ch_method_lemke = {
    .name = "lemke",
    .summary = "Lemke's pivoting on the polygonal complementarity problem",
    .source = "Anitescu and Hart 2004 (LCP0); Stewart and Trinkle 1996",
    .takes = CH_TAKES_COULOMB | CH_TAKES_UNSYMMETRIC | CH_TAKES_POLYGON | CH_NEEDS_POLYGON | CH_IS_EXACT,
    .options = option_rows,
    .option_count = CH_OPTION_COUNT,
    .solve = solve};

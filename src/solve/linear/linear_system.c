// (B + E W) x = h in the space of reactions or of velocities: see linear_system.h.
#include "solve/linear/linear_system.h"

#include <math.h>
#include <string.h>

#include "base/check.h"
#include "linalg/block_lu.h"
#include "linalg/cholesky.h"
#include "linalg/dense_lu.h"
#include "linalg/small.h"
#include "solve/linear/wide_system.h"

// Open contacts leave the r-space factorisation but not the v-space one; the estimate below allows for a typical share.
#define R_SPACE_BONUS 0.5
#define WORK_OF_FLOP 0.2  // counted, of an operation inside dense fronts
enum { REFINEMENTS = 3 };
enum { PINNED = 1, AT_ONCE = 2 };  // E_i = 0; B_i = I, too

struct ChLinearSystem {
  const ChSystem* s;
  bool symmetric, by_bodies;
  ChBlockCsr K;
  ChBlockLu* lu;
  ChDenseLu* dense;    // instead
  ChWideSystem* wide;  // instead of K and all of these
  ChCholesky* cholesky;
  const double *B, *E;
  double* yielding;       // v-space: B + E diag(c), where laws have a compliance; else NULL
  double* B_inverse;      // v-space, and pinned blocks of r-space
  double* C;              // v-space: B^-1 E
  unsigned char* pinned;  // blocks with E_i = 0
  int* place;             // v-space: where the pair (p, q) of block i's bodies stands in K
  int* place_start;
  double *shift_B, *shift_E;
  double *residual, *correction, *update, *t, *y, *z;
};

// Adds the bodies of block i to the list, each once.
static void add_bodies(const ChBodies* b, int i, int* list, int* count, int* seen, int stamp) {
  for (int k = b->start[i]; k < b->start[i + 1]; ++k)
    if (seen[b->body[k]] != stamp) {
      seen[b->body[k]] = stamp;
      list[(*count)++] = b->body[k];
    }
}

static void sort_ints(int* x, int n) {  // short lists, nearly sorted
  for (int i = 1; i < n; ++i)
    for (int j = i; j > 0 && x[j - 1] > x[j]; --j) {
      int t = x[j];
      x[j] = x[j - 1];
      x[j - 1] = t;
    }
}

// Pattern of M + H C H^T: bodies that share a block.
static void build_body_pattern(ChArena* arena, ChLinearSystem* l) {
  const ChBodies* b = l->s->bodies;
  int entries = b->start[l->s->n];
  int* start = CH_TAKE(arena, b->n + 1, int);  // blocks of each body
  int* blocks = CH_TAKE(arena, entries, int);
  for (int k = 0; k < entries; ++k) ++start[b->body[k] + 1];
  for (int k = 0; k < b->n; ++k) start[k + 1] += start[k];
  int* next = CH_TAKE(arena, b->n, int);
  for (int i = 0; i < l->s->n; ++i)
    for (int k = b->start[i]; k < b->start[i + 1]; ++k) blocks[start[b->body[k]] + next[b->body[k]]++] = i;
  int* seen = CH_TAKE(arena, b->n, int);
  int* row = CH_TAKE(arena, b->n, int);
  l->K = (ChBlockCsr){.n = b->n, .dim = b->dim, .row = b->row, .start = CH_TAKE(arena, b->n + 1, int)};
  for (int pass = 0; pass < 2; ++pass) {
    for (int k = 0; k < b->n; ++k) seen[k] = -1;
    int total = 0;
    for (int body = 0; body < b->n; ++body) {
      int count = 0;
      seen[body] = body;
      row[count++] = body;
      for (int k = start[body]; k < start[body + 1]; ++k) add_bodies(b, blocks[k], row, &count, seen, body);
      l->K.start[body] = total;
      if (pass == 1) {
        sort_ints(row, count);
        memcpy(l->K.column + total, row, (size_t)count * sizeof *row);
      }
      total += count;
    }
    l->K.start[b->n] = total;
    if (pass == 0) l->K.column = CH_TAKE(arena, total, int);
  }
  ch_block_csr_layout(arena, &l->K);
}

static void find_places(ChArena* arena, ChLinearSystem* l) {
  const ChBodies* b = l->s->bodies;
  l->place_start = CH_TAKE(arena, l->s->n + 1, int);
  for (int i = 0; i < l->s->n; ++i) {
    int bodies = b->start[i + 1] - b->start[i];
    l->place_start[i + 1] = l->place_start[i] + bodies * bodies;
  }
  l->place = CH_TAKE(arena, l->place_start[l->s->n], int);
  for (int i = 0; i < l->s->n; ++i) {
    int* place = l->place + l->place_start[i];
    for (int p = b->start[i]; p < b->start[i + 1]; ++p)
      for (int q = b->start[i]; q < b->start[i + 1]; ++q)
        *place++ = (int)(ch_block_csr_find(&l->K, b->body[p], b->body[q]) - l->K.value);
  }
}

static void use_reactions(ChArena* arena, ChLinearSystem* l) {
  l->by_bodies = false;
  l->K = l->s->W;
  l->K.value = CH_TAKE(arena, l->K.offset[l->K.start[l->K.n]], double);
}

static void use_bodies(ChArena* arena, ChLinearSystem* l) {
  l->by_bodies = true;
  if (!l->symmetric && ch_wide_suits(l->s)) {
    l->wide = ch_wide_create(arena, l->s);
    return;
  }
  build_body_pattern(arena, l);
  find_places(arena, l);
}

// Contacts of deformable bodies couple nearly all with all.
static bool is_full(const ChSystem* s, const ChBlockCsr* K) {
  return s->bodies && s->bodies->dofs > 6 * s->bodies->n && ch_dense_lu_suits(K);
}

// Chooses the space by the price of a factorisation; both are analysed only where the answer is not obvious.
static void choose_space(ChArena* arena, ChLinearSystem* l, ChSpace space) {
  const ChSystem* s = l->s;
  if (!s->bodies || (space == CH_SPACE_R && s->formed)) {
    use_reactions(arena, l);
  } else if (!s->formed || space == CH_SPACE_V) {
    use_bodies(arena, l);
  } else if (ch_wide_suits(s)) {
    if (s->rows <= s->bodies->dofs)
      use_reactions(arena, l);
    else
      use_bodies(arena, l);
  } else {
    use_reactions(arena, l);
    l->lu = ch_block_lu_analyze(arena, &l->K);
    ChLinearSystem other = *l;
    use_bodies(arena, &other);
    other.lu = ch_block_lu_analyze(arena, &other.K);
    if (ch_block_lu_flops(other.lu) < R_SPACE_BONUS * ch_block_lu_flops(l->lu)) *l = other;
  }
}

static void choose_factors(ChArena* arena, ChLinearSystem* l) {
  if (l->symmetric)
    l->cholesky = ch_cholesky_analyze(arena, &l->K);
  else if (!l->lu && is_full(l->s, &l->K))
    l->dense = ch_dense_lu_create(arena, &l->K);
  else if (!l->lu)
    l->lu = ch_block_lu_analyze(arena, &l->K);
  if (l->lu) ch_block_lu_reserve(l->lu);
}

ChLinearSystem* ch_linear_create(ChArena* arena, const ChSystem* s, ChSpace space, bool symmetric) {
  ChLinearSystem* l = CH_TAKE(arena, 1, ChLinearSystem);
  l->s = s;
  l->symmetric = symmetric && s->symmetric;
  choose_space(arena, l, space);
  if (!l->wide) choose_factors(arena, l);
  int values = s->diagonal_at[s->n];
  l->B_inverse = CH_TAKE(arena, values, double);
  l->C = CH_TAKE(arena, values, double);
  l->shift_B = CH_TAKE(arena, values, double);
  l->shift_E = CH_TAKE(arena, values, double);
  l->pinned = CH_TAKE(arena, s->n, unsigned char);
  if (s->compliant && l->by_bodies) l->yielding = CH_TAKE(arena, values, double);
  int other = s->bodies ? s->bodies->dofs : 0, longest = s->rows > other ? s->rows : other;
  l->residual = CH_TAKE(arena, longest, double);
  l->correction = CH_TAKE(arena, longest, double);
  l->update = CH_TAKE(arena, longest, double);
  l->t = CH_TAKE(arena, longest, double);
  l->y = CH_TAKE(arena, longest, double);
  l->z = CH_TAKE(arena, longest, double);
  return l;
}

double ch_linear_work(const ChLinearSystem* l) { return l->lu ? WORK_OF_FLOP * ch_block_lu_flops(l->lu) : 0.0; }

ChSpace ch_linear_space(const ChLinearSystem* l) { return l->by_bodies ? CH_SPACE_V : CH_SPACE_R; }

// K = B + E W, row by row; pinned rows stay as they are: the factorisation skips them
static void assemble_reactions(ChLinearSystem* l) {
  const ChSystem* s = l->s;
  for (int i = 0; i < s->n; ++i) {
    if (l->pinned[i]) continue;
    int d = s->dim[i];
    const double* E = l->E + s->diagonal_at[i];
    for (int k = l->K.start[i]; k < l->K.start[i + 1]; ++k)
      ch_small_product(d, s->dim[l->K.column[k]], E, s->W.value + s->W.offset[k], l->K.value + l->K.offset[k]);
    double* diagonal = l->K.value + l->K.offset[l->K.diagonal[i]];
    for (int a = 0; a < d * d; ++a) diagonal[a] += l->B[s->diagonal_at[i] + a];
  }
}

// HC = H C, H is m x d
static inline void multiply_compliance(int m, int d, const double* H, const double* C, double* HC) {
  for (int x = 0; x < m; ++x)
    for (int a = 0; a < d; ++a) {
      double sum = 0.0;
      for (int c = 0; c < d; ++c) sum += H[x * d + c] * C[c * d + a];
      HC[x * d + a] = sum;
    }
}

// K += HC H^T, HC is m x d, H is n x d
static inline void add_stiffness(int m, int d, int n, const double* HC, const double* H, double* K) {
  for (int x = 0; x < m; ++x)
    for (int y = 0; y < n; ++y) {
      double sum = 0.0;
      for (int a = 0; a < d; ++a) sum += HC[x * d + a] * H[y * d + a];
      K[x * n + y] += sum;
    }
}

// The same where bodies have modes: long rows, so that H is turned first and sums run along them.
static void add_wide_stiffness(int m, int n, const double* HC, const double* H, double* K) {
  double x[CH_BODY_MAX], y[CH_BODY_MAX], z[CH_BODY_MAX];
  for (int k = 0; k < n; ++k) x[k] = H[3 * k], y[k] = H[3 * k + 1], z[k] = H[3 * k + 2];
  for (int i = 0; i < m; ++i) {
    double a = HC[3 * i], b = HC[3 * i + 1], c = HC[3 * i + 2], *row = K + (long)i * n;
    for (int k = 0; k < n; ++k) row[k] += a * x[k] + b * y[k] + c * z[k];
  }
}

// K = M + sum_i H_i C_i H_i^T
static void assemble_bodies(ChLinearSystem* l) {
  const ChSystem* s = l->s;
  const ChBodies* b = s->bodies;
  memset(l->K.value, 0, (size_t)l->K.offset[l->K.start[l->K.n]] * sizeof(double));
  for (int body = 0; body < b->n; ++body)
    memcpy(l->K.value + l->K.offset[l->K.diagonal[body]], b->matrix + b->offset[body],
           (size_t)(b->dim[body] * b->dim[body]) * sizeof(double));
  for (int i = 0; i < s->n; ++i) {
    if (l->pinned[i]) continue;
    int d = s->dim[i];
    const int* place = l->place + l->place_start[i];
    const double* C = l->C + s->diagonal_at[i];
    for (int p = b->start[i]; p < b->start[i + 1]; ++p) {
      const double* Hp = b->H + b->jacobian[p];
      double HC[CH_BODY_MAX * CH_SMALL_MAX];
      int rows = b->dim[b->body[p]];
      CH_SMALL_BY_SIZE(rows, d, multiply_compliance, Hp, C, HC);
      for (int q = b->start[i]; q < b->start[i + 1]; ++q) {
        const double* Hq = b->H + b->jacobian[q];
        int columns = b->dim[b->body[q]];
        double* K = l->K.value + *place++;
        if (rows == 6 && d == 3 && columns == 6)
          add_stiffness(6, 3, 6, HC, Hq, K);
        else if (d == 3)
          add_wide_stiffness(rows, columns, HC, Hq, K);
        else
          CH_SMALL_BY_SIZE(rows, d, add_stiffness, columns, HC, Hq, K);
      }
    }
  }
}

// B^-1, and B^-1 E in the space of velocities
static bool invert_block(ChLinearSystem* l, int i) {
  int d = l->s->dim[i], at = l->s->diagonal_at[i];
  const double *B = (l->yielding ? l->yielding : l->B) + at, *E = l->E + at;
  if (l->wide && d == 3) {
    if (!ch_small_invert_3(B, l->B_inverse + at)) return false;
    ch_small_product(3, 3, l->B_inverse + at, E, l->C + at);
    return true;
  }
  if (!ch_small_invert(d, B, l->B_inverse + at)) return false;
  if (l->by_bodies) ch_small_product(d, d, l->B_inverse + at, E, l->C + at);
  return true;
}

static void add_compliance(ChLinearSystem* l, int i) {
  int d = l->s->dim[i], at = l->s->diagonal_at[i];
  memcpy(l->yielding + at, l->B + at, (size_t)(d * d) * sizeof *l->B);
  for (int c = 0; c < d && c < 3; ++c) {
    const double compliance = ch_scaled_block_compliance(&l->s->block[i], c);
    for (int a = 0; compliance > 0.0 && a < d; ++a) l->yielding[at + a * d + c] += l->E[at + a * d + c] * compliance;
  }
}

static bool factor(ChLinearSystem* l) {
  if (l->wide) return ch_wide_factor(l->wide, l->C, l->pinned);
  if (l->by_bodies)
    assemble_bodies(l);
  else
    assemble_reactions(l);
  if (l->cholesky) return ch_cholesky_factor(l->cholesky, &l->K);
  if (l->dense) return ch_dense_lu_factor(l->dense, &l->K, l->by_bodies ? NULL : l->pinned);
  return ch_block_lu_factor(l->lu, &l->K, l->by_bodies ? NULL : l->pinned);
}

bool ch_linear_factor(ChLinearSystem* l, const double* B, const double* E) {
  return ch_linear_factor_loaded(l, B, E, NULL);
}

bool ch_linear_factor_loaded(ChLinearSystem* l, const double* B, const double* E, const unsigned char* open) {
  CH_ASSERT(l && B);
  const ChSystem* s = l->s;
  l->B = B;
  l->E = E;
  for (int i = 0; i < s->n; ++i) {
    int d = s->dim[i], at = s->diagonal_at[i];
    if (l->wide && open && open[i]) {
      l->pinned[i] = AT_ONCE;
      continue;
    }
    l->pinned[i] = ch_small_is_zero(d, E + at);
    if (!l->pinned[i] && !l->by_bodies) continue;
    if (l->yielding) add_compliance(l, i);
    if (l->wide && l->pinned[i] && ch_small_is_identity(d, B + at))
      l->pinned[i] = AT_ONCE;
    else if (!invert_block(l, i))
      return false;
  }
  return factor(l);
}

bool ch_linear_factor_shifted(ChLinearSystem* l, double rho) {
  for (int i = 0; i < l->s->n; ++i) {
    ch_small_identity(l->s->dim[i], rho, l->shift_B + l->s->diagonal_at[i]);
    ch_small_identity(l->s->dim[i], 1.0, l->shift_E + l->s->diagonal_at[i]);
  }
  return ch_linear_factor(l, l->shift_B, l->shift_E);
}

static void solve_factored(ChLinearSystem* l, const double* b, double* x) {
  if (l->cholesky)
    ch_cholesky_solve(l->cholesky, b, x);
  else if (l->dense)
    ch_dense_lu_solve(l->dense, b, x);
  else
    ch_block_lu_solve(l->lu, b, x);
}

// Pinned blocks are known at once: x_i = B_i^-1 h_i; their share moves to the other rows' right-hand side.
static void solve_reactions(ChLinearSystem* l, const double* h, double* x) {
  const ChSystem* s = l->s;
  bool any = false;
  memset(l->t, 0, (size_t)s->rows * sizeof(double));
  for (int i = 0; i < s->n; ++i) {
    if (!l->pinned[i]) continue;
    ch_small_multiply(s->dim[i], l->B_inverse + s->diagonal_at[i], h + s->row[i], l->t + s->row[i]);
    for (int a = 0; a < s->dim[i]; ++a) any |= l->t[s->row[i] + a] != 0.0;
  }
  memcpy(l->y, h, (size_t)s->rows * sizeof(double));
  if (any) {
    ch_block_csr_multiply(&s->W, l->t, NULL, l->z);
    for (int i = 0; i < s->n; ++i) {
      if (l->pinned[i]) continue;
      double share[CH_SMALL_MAX];
      ch_small_multiply(s->dim[i], l->E + s->diagonal_at[i], l->z + s->row[i], share);
      for (int a = 0; a < s->dim[i]; ++a) l->y[s->row[i] + a] -= share[a];
    }
  }
  solve_factored(l, l->y, x);
  for (int i = 0; i < s->n; ++i)
    if (l->pinned[i]) memcpy(x + s->row[i], l->t + s->row[i], (size_t)s->dim[i] * sizeof(double));
}

// y = A x of a block; loops of known length for the three rows that most have.
static inline void multiply_block(int d, const double* A, const double* x, double* y) {
  if (d == 3)
    ch_small_multiply(3, A, x, y);
  else
    ch_small_multiply(d, A, x, y);
}

static void solve_bodies(ChLinearSystem* l, const double* h, double* x, double* Wx) {
  const ChSystem* s = l->s;
  const ChBodies* b = s->bodies;
  memset(l->y, 0, (size_t)b->dofs * sizeof(double));
  for (int i = 0; i < s->n; ++i) {
    int d = s->dim[i];
    multiply_block(d, l->B_inverse + s->diagonal_at[i], h + s->row[i], x + s->row[i]);
    for (int k = b->start[i]; k < b->start[i + 1]; ++k) {
      const double* H = b->H + b->jacobian[k];
      double* y = l->y + b->row[b->body[k]];
      ch_small_add(b->dim[b->body[k]], d, H, x + s->row[i], y);
    }
  }
  solve_factored(l, l->y, l->z);
  for (int i = 0; i < s->n; ++i) {
    if (l->pinned[i] && !Wx) continue;
    int d = s->dim[i];
    double Hv[CH_SMALL_MAX] = {0.0}, share[CH_SMALL_MAX];
    for (int k = b->start[i]; k < b->start[i + 1]; ++k) {
      const double *H = b->H + b->jacobian[k], *v = l->z + b->row[b->body[k]];
      ch_small_add_transposed(b->dim[b->body[k]], d, H, v, Hv);
    }
    for (int j = 0; j < d && Wx; ++j) Wx[s->row[i] + j] = Hv[j];
    if (l->pinned[i]) continue;
    multiply_block(d, l->C + s->diagonal_at[i], Hv, share);
    for (int j = 0; j < d; ++j) x[s->row[i] + j] -= share[j];
  }
}

static void solve_wide(ChLinearSystem* l, const double* h, double* x, double* Wx) {
  const ChSystem* s = l->s;
  double* Hy = Wx ? Wx : l->y;
  for (int i = 0; i < s->n; ++i)
    if (l->pinned[i] == AT_ONCE)
      for (int a = s->row[i]; a < s->row[i + 1]; ++a) x[a] = h[a];
    else
      multiply_block(s->dim[i], l->B_inverse + s->diagonal_at[i], h + s->row[i], x + s->row[i]);
  ch_wide_solve(l->wide, x, Hy);
  for (int i = 0; i < s->n; ++i) {
    if (l->pinned[i]) continue;
    double share[CH_SMALL_MAX];
    multiply_block(s->dim[i], l->C + s->diagonal_at[i], Hy + s->row[i], share);
    for (int j = 0; j < s->dim[i]; ++j) x[s->row[i] + j] -= share[j];
  }
}

// Wx may be NULL
static void solve_once(ChLinearSystem* l, const double* h, double* x, double* Wx) {
  if (!l->by_bodies) {
    solve_reactions(l, h, x);
    if (Wx) ch_system_apply(l->s, x, Wx);
    return;
  }
  if (l->wide)
    solve_wide(l, h, x, Wx);
  else
    solve_bodies(l, h, x, Wx);
  if (Wx) ch_system_add_compliance(l->s, x, Wx);
}

// residual = h - B x - E W x; returns its norm
static double residual_norm(ChLinearSystem* l, const double* h, const double* x) {
  const ChSystem* s = l->s;
  double sum = 0.0;
  ch_system_apply(s, x, l->t);
  for (int i = 0; i < s->n; ++i) {
    double Bx[CH_SMALL_MAX], EWx[CH_SMALL_MAX];
    multiply_block(s->dim[i], l->B + s->diagonal_at[i], x + s->row[i], Bx);
    multiply_block(s->dim[i], l->E + s->diagonal_at[i], l->t + s->row[i], EWx);
    for (int a = 0; a < s->dim[i]; ++a) {
      double value = h[s->row[i] + a] - Bx[a] - EWx[a];
      l->residual[s->row[i] + a] = value;
      sum += value * value;
    }
  }
  return sqrt(sum);
}

void ch_linear_solve_fast(ChLinearSystem* l, const double* h, double* x, double* Wx) { solve_once(l, h, x, Wx); }

void ch_linear_solve(ChLinearSystem* l, const double* h, double* x) {
  const ChSystem* s = l->s;
  double size = 0.0;
  for (int i = 0; i < s->rows; ++i) size += h[i] * h[i];
  size = sqrt(size);
  solve_once(l, h, x, NULL);
  double residual = residual_norm(l, h, x);
  for (int pass = 0; pass < REFINEMENTS && residual > 1e-13 * size; ++pass) {
    memcpy(l->correction, l->residual, (size_t)s->rows * sizeof(double));
    double* update = l->update;
    solve_once(l, l->correction, update, NULL);
    for (int i = 0; i < s->rows; ++i) update[i] += x[i];
    double refined = residual_norm(l, h, update);
    if (!(refined < residual)) break;
    memcpy(x, update, (size_t)s->rows * sizeof(double));
    if (refined > 0.2 * residual) break;
    residual = refined;
  }
}

// --- what a few blocks feel of all others

// H_C e_j for so many rows j of the members, from row a of member k on: a lane each.
static void put_columns(const ChSystem* s, const int* members, int k, int a, int lanes, double* x) {
  const ChBodies* b = s->bodies;
  memset(x, 0, (size_t)b->dofs * CH_LU_LANES * sizeof *x);
  for (int lane = 0; lane < lanes; ++lane) {
    const int i = members[k], d = s->dim[i];
    for (int e = b->start[i]; e < b->start[i + 1]; ++e) {
      const double* H = b->H + b->jacobian[e] + a;
      double* y = x + (long)CH_LU_LANES * b->row[b->body[e]] + lane;
      for (int c = 0; c < b->dim[b->body[e]]; ++c) y[CH_LU_LANES * c] += H[c * d];
    }
    if (++a == d) a = 0, ++k;
  }
}

// H_C^T x: so many columns of S, from `first` on.
static void take_columns(const ChSystem* s, int count, const int* members, const double* x, int first, int lanes,
                         int rows, double* S) {
  const ChBodies* b = s->bodies;
  for (int k = 0, at = 0; k < count; ++k) {
    const int i = members[k], d = s->dim[i];
    for (int a = 0; a < d; ++a, ++at) {
      double sum[CH_LU_LANES] = {0.0};
      for (int e = b->start[i]; e < b->start[i + 1]; ++e) {
        const double* H = b->H + b->jacobian[e] + a;
        const double* y = x + (long)CH_LU_LANES * b->row[b->body[e]];
        for (int c = 0; c < b->dim[b->body[e]]; ++c)
          for (int lane = 0; lane < CH_LU_LANES; ++lane) sum[lane] += H[c * d] * y[CH_LU_LANES * c + lane];
      }
      memcpy(S + (long)at * rows + first, sum, (size_t)lanes * sizeof *S);
    }
  }
}

static void condense_bodies(ChArena* arena, const ChLinearSystem* l, int count, const int* members, int rows,
                            double* S) {
  const ChSystem* s = l->s;
  double* x = CH_TAKE_RAW(arena, (long)CH_LU_LANES * s->bodies->dofs, double);
  for (int first = 0, k = 0, a = 0; first < rows; first += CH_LU_LANES) {
    const int lanes = rows - first < CH_LU_LANES ? rows - first : CH_LU_LANES;
    put_columns(s, members, k, a, lanes, x);
    ch_block_lu_solve_lanes(l->lu, x);
    take_columns(s, count, members, x, first, lanes, rows, S);
    for (int lane = 0; lane < lanes; ++lane)
      if (++a == s->dim[members[k]]) a = 0, ++k;
  }
  for (int k = 0, at = 0; k < count; at += s->dim[members[k++]])
    for (int a = 0; s->compliant && a < s->dim[members[k]]; ++a)
      S[(long)(at + a) * rows + at + a] += ch_scaled_block_compliance(&s->block[members[k]], a);
}

// In any space: (B + E W) x = e_j, the rows of W x.
static void condense_columns(ChArena* arena, ChLinearSystem* l, int count, const int* members, int rows, double* S) {
  const ChSystem* s = l->s;
  double *h = CH_TAKE(arena, s->rows, double), *x = CH_TAKE(arena, s->rows, double),
         *u = CH_TAKE(arena, s->rows, double);
  for (int k = 0, column = 0; k < count; ++k)
    for (int a = 0; a < s->dim[members[k]]; ++a, ++column) {
      h[s->row[members[k]] + a] = 1.0;
      ch_linear_solve_fast(l, h, x, NULL);
      h[s->row[members[k]] + a] = 0.0;
      ch_system_apply(s, x, u);
      for (int j = 0, at = 0; j < count; ++j)
        for (int c = 0; c < s->dim[members[j]]; ++c, ++at) S[(long)at * rows + column] = u[s->row[members[j]] + c];
    }
}

void ch_linear_condense(ChArena* arena, ChLinearSystem* l, int count, const int* members, double* S) {
  CH_ASSERT(count > 0 && S);
  int rows = 0;
  for (int k = 0; k < count; ++k) rows += l->s->dim[members[k]];
  ChArenaMark mark = ch_arena_mark(arena);
  if (l->by_bodies && l->lu)
    condense_bodies(arena, l, count, members, rows, S);
  else
    condense_columns(arena, l, count, members, rows, S);
  ch_arena_release(arena, mark);
}

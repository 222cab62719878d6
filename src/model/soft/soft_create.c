// From a mesh and a material to a ChSoft: raise, assemble, find the basis, integrate. See soft_build.h.
#include <float.h>
#include <math.h>
#include <string.h>

#include "model/shapes/mass_properties.h"
#include "model/soft/soft_basis.h"
#include "model/soft/soft_build.h"
#include "model/soft/soft_cache.h"
#include "model/soft/soft_cubic.h"
#include "model/soft/soft_fold.h"
#include "model/soft/soft_stress.h"
#include "model/soft/soft_verify.h"
#include "model/tet/tet_measure.h"

enum { MOST_TETS = 50000, SLOW_TETS = 3000 };  // from here on modes take a second, at the most minutes

static const double FLAT = 0.05;          // quality of a tetrahedron that may be why rounding shows
static const double ROUNDING_MOST = 0.1;  // share of a stiffness, a bound: frequencies then err by 0.3 percent

static const double LEAST = 1e-100, LARGEST = 1e100;  // of a mass, and of squared frequencies

typedef struct Job {
  const char* what;
  const ChSoftDef* def;
  double density;
  const ChTetMesh* mesh;
  const int* vertices;  // of the mesh that are on the skin
  long count;
  double* numbers;
} Job;

// ------------------------------------------------------------------------------------------------------------- clamp

static bool in_box(const ChSoftDef* def, ChVec3 x) {
  const ChVec3 *low = &def->clamp_low, *high = &def->clamp_high;
  return low->x <= x.x && x.x <= high->x && low->y <= x.y && x.y <= high->y && low->z <= x.z && x.z <= high->z;
}

// Three that are not in one line hold a body.
static bool spans_a_triangle(const ChTetMesh* mesh, const bool* held) {
  int first = -1, second = -1;
  for (int v = 0; v < mesh->vertex_count; ++v) {
    if (!held[v]) continue;
    if (first < 0) {
      first = v;
      continue;
    }
    ChVec3 x = ch_sub(mesh->vertices[v], mesh->vertices[first]);
    if (second < 0) {
      second = v;
      continue;
    }
    ChVec3 y = ch_sub(mesh->vertices[second], mesh->vertices[first]);
    if (ch_norm(ch_cross(x, y)) > 1e-9 * ch_norm(x) * ch_norm(y)) return true;
  }
  return false;
}

static ChStatus find_held(ChContext* context, const char* what, const ChSoftDef* def, const ChTetMesh* mesh,
                          bool* held) {
  int count = 0;
  for (int v = 0; v < mesh->vertex_count; ++v) count += held[v] = in_box(def, mesh->vertices[v]);
  const ChVec3 *low = &def->clamp_low, *high = &def->clamp_high;
  if (count == mesh->vertex_count)
    return ch_fail(context, CH_ERR_RANGE, "%s: the clamp's box holds all %d vertices of the mesh; some must move", what,
                   count);
  if (!spans_a_triangle(mesh, held))
    return ch_fail(context, CH_ERR_RANGE,
                   "%s: the clamp's box, (%g, %g, %g) to (%g, %g, %g), holds %d vertices of the mesh; it must hold "
                   "three that are not in one line",
                   what, low->x, low->y, low->z, high->x, high->y, high->z, count);
  return CH_OK;
}

// ------------------------------------------------------------------------------------------------------------- basis

static void set_shape(const ChSoftMesh* mesh, const double* U, const int* vertices, ChSoft* soft) {
  int n = soft->modes;
  for (int v = 0; v < soft->skin.vertex_count; ++v)
    for (int i = 0; i < 3; ++i)
      for (int a = 0; a < n; ++a) {
        int place = mesh->place[vertices[v]];
        soft->skin.shape[(3L * v + i) * n + a] = place < 0 ? 0.0 : U[3L * ((long)a * mesh->moving_count + place) + i];
      }
}

// How much of a mode's stiffness u'Ku may be rounding: every product of the sum errs by a unit in its last place. In
// flat tetrahedra the products are far larger than what they add up to.
static double rounding_in(const ChBlockCsr* K, const double* u, double stiffness) {
  double sum = 0.0;
  for (int i = 0; i < K->n; ++i)
    for (int k = K->start[i]; k < K->start[i + 1]; ++k)
      for (int c = 0; c < 9; ++c)
        sum += fabs(u[3L * i + c / 3] * K->value[K->offset[k] + c] * u[3L * K->column[k] + c % 3]);
  return DBL_EPSILON * sum / stiffness;
}

// What cannot be computed on this mesh: its flattest tetrahedron is why, unless none is flat.
static ChStatus blame(ChContext* context, const Job* job, const char* else_say) {
  const ChTetMesh* mesh = job->mesh;
  int worst = 0;
  for (int t = 1; t < mesh->tet_count; ++t)
    if (ch_tet_quality(mesh, t) < ch_tet_quality(mesh, worst)) worst = t;
  double quality = ch_tet_quality(mesh, worst);
  ChVec3 at = ch_tet_middle(mesh, worst);
  if (!(quality < FLAT)) return ch_fail(context, CH_ERR_NUMERIC, "%s: %s", job->what, else_say);
  return ch_fail(
      context, CH_ERR_RANGE,
      "%s: its stiffness is lost to rounding: it is too thin, or its tetrahedra are too flat. The flattest is "
      "tetrahedron %d of %d, near (%.5g, %.5g, %.5g), of quality %.2g (1: regular, 0: flat); make the body "
      "thicker, or its mesh better",
      job->what, worst + 1, mesh->tet_count, at.x, at.y, at.z, quality);
}

// Everything that follows from the basis and its frequencies, but for the quartic, which takes long.
static void follow(ChArena* arena, const Job* job, const ChSoftMesh* mesh, const double* U, ChSoft* soft) {
  ch_soft_integrate(arena, mesh, U, soft);
  ch_soft_fold_build(arena, mesh, U, soft, soft->fold);
  ch_soft_stress_build(arena, mesh, U, job->vertices, soft, soft->stress);
  set_shape(mesh, U, job->vertices, soft);
}

static ChStatus fill(ChContext* context, ChArena* arena, const Job* job, const ChSoftMesh* mesh, double* U,
                     ChSoft* soft) {
  int n = soft->modes;
  ChSoftMatrices matrices;
  if (!ch_soft_matrices_assemble(arena, mesh, &matrices))
    return blame(context, job, "the stiffness of its mesh is not positive definite to rounding");
  double* lambda = CH_TAKE(arena, n, double);
  if (!ch_soft_basis(arena, &matrices, soft->kind, n, U, lambda))
    return blame(context, job, "not all modes could be found on this mesh; ask for fewer");
  if (!(rounding_in(&matrices.K, U, lambda[0]) <= ROUNDING_MOST))
    return blame(context, job, "the stiffness of its softest mode is lost to rounding");
  for (int a = 0; a < n; ++a) {
    soft->frequency[a] = sqrt(lambda[a]);
    soft->K0[(long)a * n + a] = lambda[a];
  }
  if (soft->cubic) ch_soft_cubic_build(arena, mesh, U, soft->cubic);
  follow(arena, job, mesh, U, soft);
  return CH_OK;
}

// -------------------------------------------------------------------------------------------------------------- make

// Points the arrays of a body into one block of numbers, which is what a cache keeps; how many there are. The block
// may be NULL, to count.
static long lay_out(double* block, ChSoft* soft, ChSoftCubic* cubic, ChSoftFold* fold) {
  long n = soft->modes, pairs = soft->kind == CH_SOFT_STVK ? ch_soft_pair_count(soft->modes) : 0, used = 0;
  const struct {
    double** array;
    long count;
  } parts[] = {{&soft->frequency, n},
               {&soft->K0, n * n},
               {&soft->J1, 6 * n},
               {&soft->J2, 6 * n * n},
               {&soft->C2, 3 * n * n},
               {&soft->S, 3 * n},
               {&cubic->A, n * pairs},
               {&cubic->B, pairs * (pairs + 1) / 2},
               {&fold->gradient, 9 * n * fold->count},
               {&fold->most, n},
               {&soft->skin.shape, 3 * n * soft->skin.vertex_count}};
  for (size_t k = 0; k < sizeof parts / sizeof *parts; ++k) {
    if (block) *parts[k].array = block + used;
    used += parts[k].count;
  }
  return used;
}

// Each of size, density and stiffness may be fine, and what they make together beyond what the modes' numbers hold.
static ChStatus check_scale(ChContext* context, const Job* job, const ChSoftMesh* mesh) {
  double reach = 0.0, mass = mesh->mass;
  for (int k = 0; k < mesh->node_count; ++k) reach = fmax(reach, ch_norm(mesh->nodes[k]));
  if (!(mass >= LEAST && mass <= LARGEST))
    return ch_fail(context, CH_ERR_RANGE,
                   "%s: its mass is %.3g kg, must be %g to %g: its mesh is %.3g m large (are its coordinates in "
                   "metres?), the density of its material %g kg/m^3",
                   job->what, mass, LEAST, LARGEST, 2.0 * reach, job->density);
  double square = job->def->young / (job->density * reach * reach);
  if (square >= LEAST && square <= LARGEST) return CH_OK;
  return ch_fail(context, CH_ERR_RANGE,
                 "%s: its frequencies are near %.3g Hz, must be %g to %g: young is %g Pa, the density of its material "
                 "%g kg/m^3, its mesh %.3g m large",
                 job->what, sqrt(square), sqrt(LEAST), sqrt(LARGEST), job->def->young, job->density, 2.0 * reach);
}

static void tell_slow(ChContext* context, const Job* job) {
  const char* folder = job->def->cache;
  if (job->mesh->tet_count < SLOW_TETS) return;
  ch_notice(context, "computing %d modes of %s (%d tetrahedra)%s%s%s", job->def->modes, job->what, job->mesh->tet_count,
            folder ? "; kept in " : "", folder ? folder : "", folder ? " for next time" : "");
}

// A cache keeps the numbers of the body and behind them its basis, by which they can be seen to be right. What follows
// from the basis is computed again, to the same bits.
static bool recall(ChContext* context, ChArena* arena, const Job* job, const ChSoftMesh* mesh, ChSoftKey key,
                   double* kept, ChSoft* soft) {
  const char* folder = job->def->cache;
  long count = job->count, basis = 3L * mesh->moving_count * soft->modes;
  if (!folder || !ch_soft_cache_read(arena, folder, key, count + basis, kept)) return false;
  memcpy(job->numbers, kept, (size_t)count * sizeof *kept);
  if (!ch_soft_verify(arena, mesh, kept + count, soft)) {
    memset(job->numbers, 0, (size_t)count * sizeof *kept);
    ch_notice(context, "%s: the modes kept in %s belong to another mesh; they are computed again", job->what, folder);
    return false;
  }
  for (int a = 0; a < soft->modes; ++a)
    for (int b = 0; b < soft->modes; ++b)
      soft->K0[(long)a * soft->modes + b] = a == b ? soft->K0[(long)a * soft->modes + a] : 0.0;
  follow(arena, job, mesh, kept + count, soft);
  return true;
}

static void keep(ChArena* arena, const Job* job, ChSoftKey key, long basis, double* kept) {
  memcpy(kept, job->numbers, (size_t)job->count * sizeof *kept);
  ch_soft_cache_write(arena, job->def->cache, key, job->count + basis, kept);
}

static ChStatus compute(ChContext* context, ChArena* arena, const Job* job, ChSoft* soft) {
  const ChSoftDef* def = job->def;
  const ChTetMesh* mesh = job->mesh;
  if (mesh->tet_count > MOST_TETS)
    return ch_fail(
        context, CH_ERR_SIZE,
        "%s: its mesh has %d tetrahedra, at most %d are taken; use a coarse mesh, since the fields are quadratic",
        job->what, mesh->tet_count, MOST_TETS);
  bool* held = def->clamped ? CH_TAKE(arena, mesh->vertex_count, bool) : NULL;
  ChStatus status = held ? find_held(context, job->what, def, mesh, held) : CH_OK;
  if (status != CH_OK) return status;
  ChSoftMesh raised = ch_soft_mesh_raise(arena, mesh, job->density, held);
  raised.law = ch_elastic_law(def->young, def->poisson);
  status = check_scale(context, job, &raised);
  if (status != CH_OK) return status;
  int freedoms = 3 * raised.moving_count - (def->clamped ? 0 : 6);
  if (def->modes > freedoms)
    return ch_fail(context, CH_ERR_RANGE, "%s: modes is %d, but its mesh of %d tetrahedra has only %d", job->what,
                   def->modes, mesh->tet_count, freedoms);
  soft->mass = raised.mass;
  soft->centre = raised.centre;
  soft->inertia = ch_mass_inertia(&(ChMassProperties){.spread = raised.spread});
  for (int v = 0; v < soft->skin.vertex_count; ++v) soft->skin.rest[v] = raised.nodes[job->vertices[v]];
  ChSoftKey key = ch_soft_key(def, job->density, mesh);
  long basis = 3L * raised.moving_count * def->modes;
  double* kept = CH_TAKE(arena, job->count + basis, double);  // the body's numbers, then its basis
  if (recall(context, arena, job, &raised, key, kept, soft)) return CH_OK;
  tell_slow(context, job);
  memset(kept, 0, (size_t)(job->count + basis) * sizeof *kept);
  status = fill(context, arena, job, &raised, kept + job->count, soft);
  if (status == CH_OK && def->cache) keep(arena, job, key, basis, kept);
  return status;
}

static void set_material(const ChSoftDef* def, ChSoft* soft) {
  soft->young = def->young;
  soft->poisson = def->poisson;
  soft->arms = def->arm_count;
  for (int k = 0; k < def->arm_count; ++k) {
    soft->arm_share[k] = def->arms[k].modulus / def->young;
    soft->arm_time[k] = def->arms[k].time;
  }
}

ChStatus ch_soft_create(ChContext* context, ChArena* arena, const char* what, const ChSoftDef* def, double density,
                        const ChTetMesh* mesh, const ChSoft** out) {
  ChSoft* soft = CH_TAKE(arena, 1, ChSoft);
  ChSoftCubic* cubic = CH_TAKE(arena, 1, ChSoftCubic);
  ChSoftFold* fold = CH_TAKE(arena, 1, ChSoftFold);
  int* vertices;
  *soft =
      (ChSoft){.kind = def->kind, .modes = def->modes, .clamped = def->clamped, .alpha = def->alpha, .beta = def->beta};
  set_material(def, soft);
  *cubic = (ChSoftCubic){.n = def->modes, .pairs = ch_soft_pair_count(def->modes)};
  if (def->kind == CH_SOFT_STVK) soft->cubic = cubic;
  fold->count = mesh->tet_count < CH_SOFT_FOLD_POINTS ? mesh->tet_count : CH_SOFT_FOLD_POINTS;
  soft->fold = fold;
  ch_soft_skin_create(arena, mesh, &soft->skin, &vertices);
  ChSoftStress* stress = CH_TAKE(arena, 1, ChSoftStress);
  stress->law = ch_elastic_law(def->young, def->poisson);
  stress->gradient = CH_TAKE(arena, 9L * def->modes * soft->skin.vertex_count, double);
  soft->stress = stress;
  Job job = {what, def, density, mesh, vertices, lay_out(NULL, soft, cubic, fold), NULL};
  job.numbers = CH_TAKE(arena, job.count, double);
  lay_out(job.numbers, soft, cubic, fold);
  ChArenaMark mark = ch_arena_mark(arena);  // what follows is large and goes as soon as it is done
  ChStatus status = compute(context, arena, &job, soft);
  ch_arena_release(arena, mark);
  *out = soft;
  return status;
}

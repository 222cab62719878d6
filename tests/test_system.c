// Facts about the scaled system that methods see, and about the kernels that methods are made of: the exact solution of
// one block, the non-smooth maps, the linear system.
#include <string.h>

#include "base/arena.h"
#include "base/work.h"
#include "linalg/small.h"
#include "problem/cones.h"
#include "solve/contact/contact_map.h"
#include "solve/contact/local_contact.h"
#include "solve/linear/linear_system.h"
#include "support/largest_w.h"
#include "support/near.h"
#include "support/random.h"
#include "support/small.h"
#include "support/suite.h"
#include "system/subsystem.h"
#include "system/system.h"

static jmp_buf landing;
static ChArena* arena;

static int open_arena(void** state) {
  (void)state;
  arena = ch_arena_create(&landing);
  return arena ? 0 : 1;
}

static int close_arena(void** state) {
  (void)state;
  ch_arena_destroy(arena);
  return 0;
}

// Memory that runs out fails the test in which it does.
#define MEMORY_MUST_SUFFICE() \
  if (setjmp(landing)) fail_msg("out of memory")

static ChPrepared prepare(const ChProblem* problem, ChPose pose) {
  ChContext context = {0};
  ChPrepared parts;
  CHECK_OK(context, ch_prepare(&context, arena, problem, pose, NULL, &parts));
  return parts;
}

// The same with W applied through bodies, as for a problem too large to form it.
static ChPrepared prepare_unformed(const ChProblem* problem, ChPose pose) {
  large = true;
  ChPrepared parts = prepare(problem, pose);
  large = false;
  return parts;
}

static ChProblem* generate(const ChCase* item) {
  ChContext context = {0};
  ChProblem* problem = NULL;
  CHECK_OK(context, ch_case_generate(&context, item, &problem));
  return problem;
}

static const ChCase* case_named(const char* name) {
  for (int k = 0; k < ch_case_count(); ++k)
    if (strcmp(ch_case_at(k)->name, name) == 0) return ch_case_at(k);
  fail_msg("no case %s", name);
  return NULL;
}

static double* take_random(ChRandom* random, int n) {
  double* x = CH_TAKE(arena, n, double);
  for (int i = 0; i < n; ++i) x[i] = ch_random_normal(random);
  return x;
}

// --- preparing -----------------------------------------------------------------------------------------------------

// Random r' in every part; the raw u that follows from the raw r must be c u' / g.
static void check_velocities_agree(const ChProblem* problem, const ChPrepared* parts, ChRandom* random) {
  ChContext context = {0};
  double* r = CH_TAKE(arena, problem->rows, double);
  double* u = CH_TAKE(arena, problem->rows, double);
  double* v = CH_TAKE(arena, problem->dof, double);
  double** scaled = CH_TAKE(arena, parts->count, double*);
  for (int c = 0; c < parts->count; ++c) {
    const ChComponent* part = &parts->component[c];
    scaled[c] = take_random(random, part->system.rows);
    for (int k = 0; k < part->system.rows; ++k) r[part->source[k]] = part->c * part->g[k] * scaled[c][k];
  }
  CHECK_OK(context, ch_problem_velocity(&context, problem, r, v, u));
  ch_problem_add_compliance(problem, r, u);
  for (int c = 0; c < parts->count; ++c) {
    const ChComponent* part = &parts->component[c];
    double* own = CH_TAKE(arena, part->system.rows, double);
    ch_system_velocity(&part->system, scaled[c], own);
    for (int k = 0; k < part->system.rows; ++k)
      CHECK_NEAR(part->g[k] * u[part->source[k]] / part->c, own[k], 1e-11 * sqrt(part->system.rows));
  }
}

static void scaled_systems_are_the_problem_in_other_words(void** state) {
  (void)state;
  MEMORY_MUST_SUFFICE();
  ChRandom random = ch_random_seeded(1);
  for (int k = 0; k < ch_case_count(); ++k) {
    if (ch_case_at(k)->size != CH_CASE_SMALL) continue;
    ChArenaMark mark = ch_arena_mark(arena);
    ChProblem* problem = generate(ch_case_at(k));
    for (int pose = 0; pose <= CH_POSE_FRICTIONLESS; ++pose) {
      ChPrepared parts = prepare(problem, (ChPose)pose);
      check_velocities_agree(problem, &parts, &random);
      if (problem->form == CH_FORM_LOCAL) continue;
      parts = prepare_unformed(problem, (ChPose)pose);
      for (int c = 0; c < parts.count; ++c) assert_false(parts.component[c].system.formed);
      check_velocities_agree(problem, &parts, &random);
    }
    ch_problem_destroy(problem);
    ch_arena_release(arena, mark);
  }
}

// A large W on few bodies is applied through them: same product, same counted work.
static void a_product_is_counted_alike_on_either_road(void** state) {
  (void)state;
  MEMORY_MUST_SUFFICE();
  ChRandom random = ch_random_seeded(7);
  ChProblem* problem = generate(case_named("wall-12"));
  ChPrepared parts = prepare(problem, CH_POSE_COULOMB);
  const ChSystem* s = &parts.component[0].system;
  const long entries = s->W.offset[s->W.start[s->n]];
  assert_true(s->formed && s->bodies && entries > 65536);
  double *r = take_random(&random, s->rows), *u = CH_TAKE(arena, s->rows, double);
  double *by_entries = CH_TAKE(arena, s->rows, double), before = ch_work_done();
  ch_system_velocity(s, r, u);
  CHECK_NEAR((double)entries, ch_work_done() - before, 0.5);
  ch_block_csr_multiply(&s->W, r, s->q, by_entries);
  bool same = true;
  for (int k = 0; k < s->rows; ++k) {
    CHECK_NEAR(by_entries[k], u[k], 1e-12 * sqrt(s->rows));
    same &= by_entries[k] == u[k];
  }
  assert_false(same);  // it is the other road
  ch_problem_destroy(problem);
}

// Of every second block or so: velocities are those of the whole where the others have no reaction.
static void check_subsystem(const ChSystem* s, ChRandom* random) {
  int *members = CH_TAKE(arena, s->n, int), count = 0;
  for (int i = 0; i < s->n; ++i)
    if (ch_random_uniform(random, 0.0, 1.0) < 0.5) members[count++] = i;
  ChSystem sub = ch_subsystem(arena, s, members, count);
  double *part = take_random(random, sub.rows), *u = CH_TAKE(arena, sub.rows, double);
  double *all = CH_TAKE(arena, s->rows, double), *u_all = CH_TAKE(arena, s->rows, double);
  ch_subsystem_scatter(s, members, count, part, all);
  ch_system_velocity(&sub, part, u);
  ch_system_velocity(s, all, u_all);
  for (int k = 0; k < count; ++k) {
    assert_ptr_equal(sub.block[k].law, s->block[members[k]].law);
    for (int a = 0; a < sub.dim[k]; ++a)
      CHECK_NEAR(u[sub.row[k] + a], u_all[s->row[members[k]] + a], 1e-12 * sqrt(s->rows));
  }
  if (sub.formed || count == 0) return;
  ch_system_form(arena, &sub);
  ch_system_velocity(&sub, part, u_all);
  for (int a = 0; a < sub.rows; ++a) CHECK_NEAR(u_all[a], u[a], 1e-12 * sqrt(s->rows));
}

static void some_blocks_are_a_system_of_their_own(void** state) {
  (void)state;
  MEMORY_MUST_SUFFICE();
  ChRandom random = ch_random_seeded(3);
  for (int k = 0; k < ch_case_count(); ++k) {
    if (ch_case_at(k)->size != CH_CASE_SMALL) continue;
    ChArenaMark mark = ch_arena_mark(arena);
    ChProblem* problem = generate(ch_case_at(k));
    ChPrepared parts = prepare(problem, CH_POSE_COULOMB);
    for (int c = 0; c < parts.count; ++c) check_subsystem(&parts.component[c].system, &random);
    ch_problem_destroy(problem);
    ch_arena_release(arena, mark);
  }
}

// |q'| = 1, trace(W'_ii) = dimension for a block of one scale, W'_aa = 1 for every row of a bilateral one.
static void check_scale(const ChSystem* s) {
  double size = 0.0;
  for (int k = 0; k < s->rows; ++k) size += s->q[k] * s->q[k];
  CHECK_NEAR(size, 1.0, 1e-13);
  for (int i = 0; i < s->n; ++i) {
    double trace = 0.0;
    for (int a = 0; a < s->dim[i]; ++a) {
      double entry = s->diagonal[s->diagonal_at[i] + a * s->dim[i] + a];
      if (s->block[i].law->info.equation) CHECK_NEAR(entry, 1.0, 1e-12);
      trace += entry;
    }
    CHECK_NEAR(trace, s->dim[i], 1e-12 * s->dim[i]);
  }
}

// Diagonal blocks come from Jacobians, W from products of them by another road.
static void diagonal_blocks_are_those_of_w(void** state) {
  (void)state;
  MEMORY_MUST_SUFFICE();
  static const char* const names[] = {"tower-5", "cards-4", "pile-5", "beads-6", "door-2", "chain-8"};
  for (size_t k = 0; k < sizeof names / sizeof names[0]; ++k)
    for (int pose = CH_POSE_COULOMB; pose <= CH_POSE_FRICTIONLESS; ++pose) {
      ChCase item = *case_named(names[k]);
      item.form = CH_FORM_GLOBAL;
      ChProblem* problem = generate(&item);
      ChPrepared parts = prepare(problem, (ChPose)pose);
      for (int c = 0; c < parts.count; ++c) {
        const ChSystem* s = &parts.component[c].system;
        assert_true(s->formed);
        for (int i = 0; i < s->n; ++i)
          for (int e = 0; e < s->dim[i] * s->dim[i]; ++e)
            CHECK_NEAR(s->diagonal[s->diagonal_at[i] + e], s->W.value[s->W.offset[s->W.diagonal[i]] + e], 1e-13);
      }
      ch_problem_destroy(problem);
    }
}

static void scaled_blocks_have_unit_size(void** state) {
  (void)state;
  MEMORY_MUST_SUFFICE();
  static const char* const names[] = {"tower-5", "cards-4", "pile-5", "beads-6", "door-2", "chain-8", "disks-shaken"};
  for (size_t k = 0; k < sizeof names / sizeof names[0]; ++k) {
    ChProblem* problem = generate(case_named(names[k]));
    ChPrepared parts = prepare(problem, CH_POSE_COULOMB);
    assert_true(parts.count > 0);
    for (int c = 0; c < parts.count; ++c) check_scale(&parts.component[c].system);
    if (problem->form == CH_FORM_GLOBAL) {
      parts = prepare_unformed(problem, CH_POSE_COULOMB);
      for (int c = 0; c < parts.count; ++c) check_scale(&parts.component[c].system);
    }
    ch_problem_destroy(problem);
  }
}

// Elliptic contacts become circular ones: the same reactions are inside, and the support function is the same number.
static void elliptic_contacts_become_circular(void** state) {
  (void)state;
  MEMORY_MUST_SUFFICE();
  ChRandom random = ch_random_seeded(2);
  static const char* const names[] = {"skates-6", "skates-blades"};
  for (int which = 0; which < 2; ++which) {
    ChProblem* problem = generate(case_named(names[which]));
    ChPrepared parts = prepare(problem, CH_POSE_COULOMB);
    int checked = 0;
    for (int c = 0; c < parts.count; ++c) {
      const ChComponent* part = &parts.component[c];
      const ChSystem* s = &part->system;
      for (int i = 0; i < s->n; ++i) {
        const ChBlock* block = NULL;
        for (int b = 0; b < problem->block_count; ++b)
          if (problem->blocks[b].row == part->source[s->row[i]]) block = &problem->blocks[b];
        if (!block || block->law != CH_LAW_CONTACT) continue;
        assert_true(s->block[i].law->cone);
        double raw[3] = {1.0, ch_random_normal(&random), ch_random_normal(&random)}, inside[3], scaled[3], again[3];
        ch_block_project(block, CH_POSE_COULOMB, raw, inside);
        double raw_u[3] = {0.0, 0.0, 0.0}, scaled_u[3] = {0.0};
        for (int a = 0; a < s->dim[i]; ++a) {
          int row = part->source[s->row[i] + a] - block->row;
          raw_u[row] = raw[row];
          scaled_u[a] = raw[row] * part->g[s->row[i] + a] / part->c;
          scaled[a] = inside[row] / (part->g[s->row[i] + a] * part->c);
        }
        ch_system_project_block(s, i, scaled, again);
        for (int a = 0; a < s->dim[i]; ++a) CHECK_NEAR(again[a], scaled[a], 1e-13 * fabs(scaled[0]));
        double support = s->block[i].mu * ch_system_slip(s, i, scaled_u) * part->c / part->g[s->row[i]];
        CHECK_NEAR(support, ch_block_support(block, CH_POSE_COULOMB, raw_u), 1e-13 * support);
        ++checked;
      }
    }
    assert_true(checked > 0);
    ch_problem_destroy(problem);
  }
}

// Other units: row i of u times a_i, of r times e / a_i; contacts keep one unit, bilateral rows need not.
static ChProblem* in_random_units(const ChProblem* p, ChRandom* random, double energy) {
  double* velocity = CH_TAKE(arena, p->rows, double);
  double* reaction = CH_TAKE(arena, p->rows, double);
  double* dof_velocity = CH_TAKE(arena, p->dof, double);
  double* dof_momentum = CH_TAKE(arena, p->dof, double);
  for (int i = 0; i < p->block_count; ++i) {
    double unit = exp(ch_random_uniform(random, -7.0, 7.0));
    for (int a = 0; a < p->blocks[i].dimension; ++a) {
      if (p->blocks[i].law == CH_LAW_BILATERAL) unit = exp(ch_random_uniform(random, -7.0, 7.0));
      velocity[p->blocks[i].row + a] = unit;
      reaction[p->blocks[i].row + a] = energy / unit;
    }
  }
  for (int j = 0; j < p->dof; ++j) {
    dof_velocity[j] = exp(ch_random_uniform(random, -7.0, 7.0));
    dof_momentum[j] = energy / dof_velocity[j];
  }
  return ch_problem_in_units(p, velocity, reaction, dof_velocity, dof_momentum);
}

static void check_same_number(double a, double b, double size) {
  if (isinf(a) && a == b) return;
  CHECK_NEAR(a, b, 1e-11 * size);
}

static void check_same_system(const ChSystem* a, const ChSystem* b) {
  assert_int_equal(a->n, b->n);
  assert_int_equal(a->rows, b->rows);
  assert_int_equal(a->symmetric, b->symmetric);
  for (int k = 0; k < a->rows; ++k) check_same_number(a->q[k], b->q[k], 1.0);
  for (int i = 0; i < a->n; ++i) {
    assert_ptr_equal(a->block[i].law, b->block[i].law);
    check_same_number(a->block[i].mu, b->block[i].mu, 1.0);
    if (a->block[i].law != &ch_law_limit) continue;
    check_same_number(a->block[i].lo, b->block[i].lo, 1.0 + fabs(a->block[i].lo));
    check_same_number(a->block[i].hi, b->block[i].hi, 1.0 + fabs(a->block[i].hi));
  }
  for (int i = 0; i < a->n; ++i)
    for (int k = a->W.start[i]; k < a->W.start[i + 1]; ++k) {
      const double* other = ch_block_csr_find(&b->W, i, a->W.column[k]);
      assert_non_null(other);
      for (long v = a->W.offset[k]; v < a->W.offset[k + 1]; ++v)
        check_same_number(a->W.value[v], other[v - a->W.offset[k]], 1.0);
    }
}

static void units_leave_no_trace_in_the_scaled_system(void** state) {
  (void)state;
  MEMORY_MUST_SUFFICE();
  ChRandom random = ch_random_seeded(3);
  for (int k = 0; k < ch_case_count(); ++k) {
    if (ch_case_at(k)->size != CH_CASE_SMALL || (ch_case_at(k)->facts & CH_FACT_APART)) continue;
    ChArenaMark mark = ch_arena_mark(arena);
    ChProblem* problem = generate(ch_case_at(k));
    if (problem->curve_count > 0) {  // systems know no curves: branches.c takes them out before
      ch_problem_destroy(problem);
      continue;
    }
    ChProblem* other = in_random_units(problem, &random, 1e6);
    ChPrepared a = prepare(problem, CH_POSE_COULOMB), b = prepare(other, CH_POSE_COULOMB);
    int first = 0, second = 0;  // round-off may couple what was exactly apart: compare only where it did not
    for (int c = 0; c < a.count; ++c) first += a.component[c].system.rows;
    for (int c = 0; c < b.count; ++c) second += b.component[c].system.rows;
    assert_int_equal(first, second);
    if (a.count == b.count)
      for (int c = 0; c < a.count; ++c) check_same_system(&a.component[c].system, &b.component[c].system);
    ch_problem_destroy(problem);
    ch_problem_destroy(other);
    ch_arena_release(arena, mark);
  }
}

enum { MOST_ROWS = 12 };

// A local problem with W = diag(w).
static ChProblem* diagonal_problem(int count, const ChBlock* blocks, const double* w, const double* q) {
  double W[MOST_ROWS * MOST_ROWS] = {0.0};
  int rows = 0;
  for (int i = 0; i < count; ++i) rows += blocks[i].dimension;
  assert_true(rows <= MOST_ROWS);
  for (int k = 0; k < rows; ++k) W[k * rows + k] = w[k];
  return ch_small_local(3, count, blocks, W, q);
}

static ChBlock contact(double mu1, double mu2) {
  return (ChBlock){.law = CH_LAW_CONTACT, .dimension = 3, .mu = {mu1, mu2}};
}

static void friction_decides_which_rows_stay(void** state) {
  (void)state;
  MEMORY_MUST_SUFFICE();
  const ChBlock blocks[] = {contact(0.5, 0.5), contact(0.0, 0.0), contact(0.0, 0.3), contact(0.7, 0.0)};
  const double w[12] = {1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3}, q[12] = {-1, 1, 1, -1, 1, 1, -1, 1, 1, -1, 1, 1};
  ChProblem* problem = diagonal_problem(4, blocks, w, q);
  ChPrepared parts = prepare(problem, CH_POSE_COULOMB);
  static const int rows[] = {3, 1, 2, 2}, second[] = {1, 0, 8, 10};
  static const double mu[] = {0.5, 0.0, 0.3, 0.7};
  assert_int_equal(parts.count, 4);
  for (int c = 0; c < 4; ++c) {
    const ChSystem* s = &parts.component[c].system;
    assert_int_equal(s->rows, rows[c]);
    assert_ptr_equal(s->block[0].law, rows[c] == 1 ? &ch_law_unilateral : &ch_law_contact);
    CHECK_NEAR(s->block[0].mu, mu[c], 0.0);
    if (rows[c] > 1) assert_int_equal(parts.component[c].source[1], second[c]);
    CHECK_NEAR(parts.component[c].g[0], sqrt(0.5), 1e-16);  // dimension over trace: 3 / 6
  }
  parts = prepare(problem, CH_POSE_FRICTIONLESS);
  for (int c = 0; c < 4; ++c) assert_int_equal(parts.component[c].system.rows, 1);
  parts = prepare(problem, CH_POSE_RELAXED);
  for (int c = 0; c < 4; ++c) assert_true(parts.component[c].system.relaxed);
  ch_problem_destroy(problem);
}

// A tangent along which nothing moves or can move drops out: such a contact is one in the plane, and its cone has two
// sides. Scales are those of the whole block, as the certificate has them.
static void bodies_held_to_a_plane_have_contacts_in_the_plane(void** state) {
  (void)state;
  MEMORY_MUST_SUFFICE();
  const ChBlock blocks[] = {contact(0.5, 0.5), contact(0.5, 0.3), contact(0.5, 0.5), contact(0.5, 0.5)};
  const double w[12] = {1, 2, 0, 1, 0, 2, 3, 0, 0, 1, 2, 0}, q[12] = {-1, 1, 0, -1, 0, 1, -1, 0, 0, -1, 1, 0.1};
  ChProblem* problem = diagonal_problem(4, blocks, w, q);
  ChPrepared parts = prepare(problem, CH_POSE_COULOMB);
  static const int rows[] = {2, 2, 1, 3}, second[] = {1, 5, 0, 10};  // in the last, what it rests on moves across
  static const double mu[] = {0.5, 0.3, 0.0, 0.5};
  assert_int_equal(parts.count, 4);
  for (int c = 0; c < 4; ++c) {
    const ChSystem* s = &parts.component[c].system;
    assert_int_equal(s->rows, rows[c]);
    assert_ptr_equal(s->block[0].law, rows[c] == 1 ? &ch_law_unilateral : &ch_law_contact);
    CHECK_NEAR(s->block[0].mu, mu[c], 0.0);
    if (rows[c] > 1) assert_int_equal(parts.component[c].source[1], second[c]);
    CHECK_NEAR(parts.component[c].g[0], 1.0, 1e-16);  // dimension over trace: 3 / 3
  }
  ch_problem_destroy(problem);
}

static void tiny_friction_is_still_a_number(void** state) {
  (void)state;
  MEMORY_MUST_SUFFICE();
  const ChBlock blocks[] = {contact(1e-200, 3e-200)};
  const double w[3] = {1, 1, 1}, q[3] = {-1, 1, 1};
  ChProblem* problem = diagonal_problem(1, blocks, w, q);
  ChPrepared parts = prepare(problem, CH_POSE_COULOMB);
  for (int k = 0; k < 3; ++k) assert_true(isfinite(parts.component[0].g[k]) && parts.component[0].g[k] > 0.0);
  ch_problem_destroy(problem);
}

// Idle rows and blocks, and parts that nothing drives, are left out.
static void what_cannot_move_is_left_out(void** state) {
  (void)state;
  MEMORY_MUST_SUFFICE();
  const ChBlock blocks[] = {contact(0.5, 0.5),
                            {.law = CH_LAW_BILATERAL, .dimension = 3},
                            contact(0.5, 0.5),
                            {.law = CH_LAW_UNILATERAL, .dimension = 1}};
  const double w[10] = {0, 0, 0, 1, 0, 4, 1, 1, 1, 1}, q[10] = {-1, 1, 0, 1, 1, 1, 0, 0, 0, -2};
  ChProblem* problem = diagonal_problem(4, blocks, w, q);
  ChPrepared parts = prepare(problem, CH_POSE_COULOMB);
  assert_int_equal(parts.count, 2);  // the bilateral block without its idle row, and the unilateral one
  assert_int_equal(parts.component[0].system.rows, 2);
  assert_int_equal(parts.component[0].source[1], 5);
  CHECK_NEAR(parts.component[0].g[1], 0.5, 1e-16);
  assert_int_equal(parts.component[1].source[0], 9);
  ch_problem_destroy(problem);
}

static void bounds_are_scaled_and_drive(void** state) {
  (void)state;
  MEMORY_MUST_SUFFICE();
  const ChBlock blocks[] = {{.law = CH_LAW_LIMIT, .dimension = 1, .lo = -2.0, .hi = 3.0},
                            {.law = CH_LAW_LIMIT, .dimension = 1, .lo = -INFINITY, .hi = INFINITY},
                            {.law = CH_LAW_LIMIT, .dimension = 1, .lo = -1.0, .hi = 1.0},
                            {.law = CH_LAW_LIMIT, .dimension = 1, .lo = 5.0, .hi = 5.0}};
  const double w[4] = {4, 9, 1, 16}, q[4] = {2, 3, 0, 0};
  ChProblem* problem = diagonal_problem(4, blocks, w, q);
  ChPrepared parts = prepare(problem, CH_POSE_COULOMB);
  assert_int_equal(parts.count, 3);  // the third has no drive and may stay at zero, the last may not
  for (int c = 0; c < 3; ++c) {
    const ChComponent* part = &parts.component[c];
    const ChBlock* block = &blocks[part->source[0]];
    assert_ptr_equal(part->system.block[0].law, &ch_law_limit);
    check_same_number(part->system.block[0].lo * part->c * part->g[0], block->lo, fabs(block->lo));
    check_same_number(part->system.block[0].hi * part->c * part->g[0], block->hi, fabs(block->hi));
  }
  CHECK_NEAR(parts.component[2].system.block[0].lo, 1.0, 1e-15);  // driven by the bound alone: that is its scale
  ch_problem_destroy(problem);
}

static void parts_are_found_with_and_without_W(void** state) {
  (void)state;
  MEMORY_MUST_SUFFICE();
  ChProblem* problem = generate(case_named("rain-12"));  // twelve balls, each on the ground
  ChPrepared formed = prepare(problem, CH_POSE_COULOMB), bodies = prepare_unformed(problem, CH_POSE_COULOMB);
  assert_int_equal(formed.count, 12);
  assert_int_equal(bodies.count, 12);
  ch_problem_destroy(problem);
  problem = generate(case_named("tower-5"));
  assert_int_equal(prepare(problem, CH_POSE_COULOMB).count, 1);
  assert_int_equal(prepare_unformed(problem, CH_POSE_COULOMB).count, 1);
  ch_problem_destroy(problem);
}

// --- one block -----------------------------------------------------------------------------------------------------

typedef struct OneBlock {
  ChSystem s;
  int dim, row[2], at[2];
  ChScaledBlock block;
  double W[36];
} OneBlock;

static void one_block(OneBlock* o, const ChLawRow* law, int dim, double mu) {
  *o = (OneBlock){.dim = dim,
                  .row = {0, dim},
                  .at = {0, dim * dim},
                  .block = {.law = law, .dim = dim, .mu = mu, .lo = -0.3, .hi = 0.4}};
  o->s = (ChSystem){.n = 1,
                    .rows = dim,
                    .dim = &o->dim,
                    .row = o->row,
                    .block = &o->block,
                    .symmetric = true,
                    .diagonal = o->W,
                    .diagonal_at = o->at};
}

// W = A A^T + shift, scaled to trace = dim; `skew` adds an antisymmetric part of that size.
static void random_block(ChRandom* random, OneBlock* o, double shift, double skew) {
  double A[36], trace = 0.0;
  int d = o->dim;
  for (int k = 0; k < d * d; ++k) A[k] = ch_random_normal(random);
  for (int i = 0; i < d; ++i)
    for (int j = 0; j < d; ++j) {
      o->W[i * d + j] = i == j ? shift : 0.0;
      for (int k = 0; k < d - (shift == 0.0 && d > 1); ++k)
        o->W[i * d + j] += A[i * d + k] * A[j * d + k];  // shift 0: singular
    }
  for (int k = 0; k < d; ++k) trace += o->W[k * d + k];
  for (int k = 0; k < d * d; ++k) o->W[k] *= d / trace;
  for (int i = 0; i < d; ++i)
    for (int j = 0; j < i; ++j) {
      double part = skew * ch_random_normal(random);
      o->W[i * d + j] += part, o->W[j * d + i] -= part;
    }
}

// The natural map's error of the block's law at u = W r + b.
static double block_error(const OneBlock* o, const double* b, const double* r) {
  double u[6];
  ch_small_multiply(o->dim, o->W, r, u);
  for (int k = 0; k < o->dim; ++k) u[k] += b[k];
  return ch_system_error(&o->s, r, u);
}

static double size_of(int n, const double* x) {
  double sum = 0.0;
  for (int i = 0; i < n; ++i) sum += x[i] * x[i];
  return sqrt(sum);
}

typedef struct Trials {
  const ChLawRow* law;
  int dim;
  double shift, skew;
  int visits;        // a skew part is carried on the right-hand side: it takes some, and more the larger mu is
  double tolerance;  // in round-off of |b| + |r|
} Trials;

static void check_blocks(const Trials* t, bool relaxed, int count) {
  ChRandom random = ch_random_seeded(5 + t->dim);
  for (int round = 0; round < count; ++round) {
    ChArenaMark mark = ch_arena_mark(arena);
    OneBlock o;
    one_block(&o, t->law, t->dim, exp(ch_random_uniform(&random, log(0.01), log(t->skew > 0.0 ? 1.0 : 10.0))));
    o.s.relaxed = relaxed;
    random_block(&random, &o, t->shift, t->skew);
    ChLocalBlock local;
    ch_local_prepare(arena, &o.s, 0, &local);
    double r[6] = {0.0};
    for (int load = 0; load < 3; ++load) {  // the root of one load is the guess of the next
      double b[6], scale = pow(10.0, ch_random_uniform(&random, -3.0, 3.0));
      for (int k = 0; k < o.dim; ++k) b[k] = scale * ch_random_normal(&random);
      for (int visit = 0; visit < t->visits; ++visit) ch_local_solve(&o.s, 0, &local, b, r);
      const double error = block_error(&o, b, r), size = size_of(o.dim, b) + size_of(o.dim, r);
      if (!(error <= t->tolerance * size))
        fail_msg("%s, dimension %d, skew %g, round %d, mu %g: error %g of %g", t->law->info.name, o.dim, t->skew, round,
                 o.block.mu, error, size);
    }
    ch_arena_release(arena, mark);
  }
}

static void one_block_is_solved_exactly(void** state) {
  (void)state;
  MEMORY_MUST_SUFFICE();
  static const Trials contacts[] = {
      {&ch_law_contact, 3, 0.1, 0.0, 1, 1e-13},  {&ch_law_contact, 2, 0.1, 0.0, 1, 1e-13},
      {&ch_law_contact, 3, 1e-7, 0.0, 1, 1e-12}, {&ch_law_contact, 2, 1e-7, 0.0, 1, 1e-12},
      {&ch_law_contact, 3, 0.0, 0.0, 1, 1e-10},  {&ch_law_contact, 2, 0.0, 0.0, 1, 1e-10},
      {&ch_law_disc, 2, 0.1, 0.0, 1, 1e-13},
  };
  for (size_t k = 0; k < sizeof contacts / sizeof contacts[0]; ++k) check_blocks(&contacts[k], false, 10000);
  static const Trials others[] = {
      {&ch_law_unilateral, 1, 0.1, 0.0, 1, 1e-15}, {&ch_law_limit, 1, 0.1, 0.0, 1, 1e-15},
      {&ch_law_bilateral, 1, 0.1, 0.0, 1, 1e-11},  {&ch_law_bilateral, 3, 0.1, 0.0, 1, 1e-11},
      {&ch_law_bilateral, 6, 0.1, 0.1, 1, 1e-11},  {&ch_law_contact, 3, 0.3, 0.003, 40, 1e-12},
      {&ch_law_contact, 2, 0.3, 0.003, 40, 1e-12}};
  for (size_t k = 0; k < sizeof others / sizeof others[0]; ++k) check_blocks(&others[k], false, 2000);
}

static void one_block_is_solved_in_pose_relaxed(void** state) {
  (void)state;
  MEMORY_MUST_SUFFICE();
  static const Trials trials[] = {{&ch_law_contact, 3, 0.3, 0.0, 4, 1e-12}, {&ch_law_contact, 2, 0.3, 0.0, 4, 1e-12}};
  for (size_t k = 0; k < 2; ++k) check_blocks(&trials[k], true, 2000);
}

// A disc whose radius was zero and then is not: the first visit must not spoil the second.
static void a_disc_forgets_that_it_had_no_radius(void** state) {
  (void)state;
  MEMORY_MUST_SUFFICE();
  ChRandom random = ch_random_seeded(6);
  for (int round = 0; round < 100; ++round) {
    OneBlock o;
    one_block(&o, &ch_law_disc, 2, 0.0);
    random_block(&random, &o, 0.01, 0.0);
    ChLocalBlock local;
    ch_local_prepare(arena, &o.s, 0, &local);
    double b[2] = {ch_random_normal(&random), ch_random_normal(&random)}, r[2] = {0.0, 0.0};
    ch_local_solve(&o.s, 0, &local, b, r);
    CHECK_NEAR(size_of(2, r), 0.0, 0.0);
    o.block.mu = 0.1;
    ch_local_solve(&o.s, 0, &local, b, r);
    CHECK_AT_MOST(block_error(&o, b, r), 1e-13 * (size_of(2, b) + size_of(2, r)));
  }
}

// A body with one degree of freedom: W = h h^T, b = h. The section that is left after the normal is round-off, and must
// not blow up: there is a solution of the size of 1 / |h_n|, whose u vanishes.
static void a_block_of_rank_one_has_a_moderate_reaction(void** state) {
  (void)state;
  MEMORY_MUST_SUFFICE();
  ChRandom random = ch_random_seeded(10);
  for (int round = 0; round < 10000; ++round) {
    ChArenaMark mark = ch_arena_mark(arena);
    OneBlock o;
    one_block(&o, &ch_law_contact, 2 + round % 2, 1.0);
    double h[3], r[3] = {0.0}, size = 0.0;
    for (int k = 0; k < o.dim; ++k) h[k] = ch_random_normal(&random);
    h[0] = -fabs(h[0]);
    for (int k = 0; k < o.dim; ++k) size += h[k] * h[k] / o.dim;
    for (int k = 0; k < o.dim; ++k) h[k] /= sqrt(size);
    for (int k = 0; k < o.dim * o.dim; ++k) o.W[k] = h[k / o.dim] * h[k % o.dim];
    ChLocalBlock local;
    ch_local_prepare(arena, &o.s, 0, &local);
    ch_local_solve(&o.s, 0, &local, h, r);
    CHECK_AT_MOST(size_of(o.dim, r), 2.0 / fabs(h[0]) + 1.0);
    CHECK_AT_MOST(block_error(&o, h, r), 1e-12 / fabs(h[0]));
    ch_arena_release(arena, mark);
  }
}

// No compliance along the normal, or none at all: finite numbers, and NaN in gives NaN out.
static void a_degenerate_block_gives_numbers(void** state) {
  (void)state;
  MEMORY_MUST_SUFFICE();
  for (int dim = 2; dim <= 3; ++dim)
    for (int kind = 0; kind < 3; ++kind) {
      OneBlock o;
      one_block(&o, &ch_law_contact, dim, 0.5);
      if (kind < 2)
        for (int k = 1; k < dim; ++k) o.W[k * dim + k] = 1.0;
      if (kind == 1) o.W[0] = 1e-18;
      ChLocalBlock local;
      ch_local_prepare(arena, &o.s, 0, &local);
      for (int sign = -1; sign <= 1; ++sign) {
        double b[3] = {sign, 1.0, 0.0}, r[3] = {0.0, 0.0, 0.0};
        ch_local_solve(&o.s, 0, &local, b, r);
        for (int k = 0; k < dim; ++k) assert_true(isfinite(r[k]));
      }
      double b[3] = {NAN, 1.0, 0.0}, r[3] = {0.0, 0.0, 0.0};
      ch_local_solve(&o.s, 0, &local, b, r);
      assert_true(isnan(r[0]) || isnan(r[1]));
    }
}

// --- the maps of Newton's method -----------------------------------------------------------------------------------

// D against central differences; false where a kink is too near to tell.
static bool derivative_agrees(const OneBlock* o, ChMap map, const double* x) {
  int d = o->dim;
  const double h = 1e-6;
  double D[36], near[36];
  ch_map_derivative(&o->s, map, 0, x, D);
  for (int b = 0; b < d; ++b) {
    double left[6], right[6], y_left[6], y_right[6];
    memcpy(left, x, (size_t)d * sizeof *x);
    memcpy(right, x, (size_t)d * sizeof *x);
    left[b] -= h, right[b] += h;
    for (int side = 0; side < 2; ++side) {
      ch_map_derivative(&o->s, map, 0, side ? left : right, near);
      for (int k = 0; k < d * d; ++k)
        if (fabs(near[k] - D[k]) > 1e-3) return false;
    }
    ch_map_value(&o->s, map, 0, left, y_left);
    ch_map_value(&o->s, map, 0, right, y_right);
    for (int a = 0; a < d; ++a) CHECK_NEAR(D[a * d + b], (y_right[a] - y_left[a]) / (2.0 * h), 1e-7);
  }
  return true;
}

static void derivatives_of_the_maps_are_their_differences(void** state) {
  (void)state;
  static const struct {
    const ChLawRow* law;
    int dim;
  } kinds[] = {{&ch_law_bilateral, 4}, {&ch_law_unilateral, 1}, {&ch_law_limit, 1},
               {&ch_law_contact, 2},   {&ch_law_contact, 3},    {&ch_law_disc, 2}};
  ChRandom random = ch_random_seeded(7);
  for (size_t kind = 0; kind < sizeof kinds / sizeof kinds[0]; ++kind)
    for (int map = 0; map < 2; ++map) {
      int told = 0;
      for (int round = 0; round < 2000; ++round) {
        OneBlock o;
        one_block(&o, kinds[kind].law, kinds[kind].dim, exp(ch_random_uniform(&random, log(0.05), log(5.0))));
        double x[6], y[6], again[6];
        for (int k = 0; k < o.dim; ++k) x[k] = ch_random_normal(&random);
        told += derivative_agrees(&o, (ChMap)map, x);
        ch_map_value(&o.s, (ChMap)map, 0, x, y);
        ch_system_project(&o.s, y, again);  // both maps end inside the set
        for (int k = 0; k < o.dim; ++k) CHECK_NEAR(again[k], y[k], 1e-14);
      }
      assert_true(told > 1900);
    }
}

// A solution is a root of either map, whatever rho: y(r - rho u) = r.
static void solutions_are_roots_of_both_maps(void** state) {
  (void)state;
  MEMORY_MUST_SUFFICE();
  ChRandom random = ch_random_seeded(8);
  for (int round = 0; round < 1000; ++round) {
    OneBlock o;
    one_block(&o, &ch_law_contact, 2 + round % 2, 0.4);
    random_block(&random, &o, 0.2, 0.0);
    ChLocalBlock local;
    ch_local_prepare(arena, &o.s, 0, &local);
    double b[3], r[3] = {0.0}, u[3], x[3], y[3], rho = exp(ch_random_uniform(&random, -3.0, 3.0));
    for (int k = 0; k < o.dim; ++k) b[k] = ch_random_normal(&random);
    ch_local_solve(&o.s, 0, &local, b, r);
    ch_small_multiply(o.dim, o.W, r, u);
    for (int k = 0; k < o.dim; ++k) u[k] += b[k];
    for (int map = 0; map < 2; ++map) {
      for (int k = 0; k < o.dim; ++k) x[k] = r[k] - rho * u[k];
      if (map == CH_MAP_DE_SAXCE) x[0] -= rho * o.block.mu * ch_system_slip(&o.s, 0, u);
      ch_map_value(&o.s, (ChMap)map, 0, x, y);
      for (int k = 0; k < o.dim; ++k) CHECK_NEAR(y[k], r[k], 1e-11);
    }
  }
}

// --- the linear system ---------------------------------------------------------------------------------------------

// Random B, invertible, and E, of which every third block is zero.
static void random_coefficients(ChRandom* random, const ChSystem* s, double* B, double* E) {
  for (int i = 0; i < s->n; ++i) {
    int d = s->dim[i];
    for (int k = 0; k < d * d; ++k) {
      B[s->diagonal_at[i] + k] = 0.1 * ch_random_normal(random) + (k % (d + 1) == 0);
      E[s->diagonal_at[i] + k] = i % 3 == 2 ? 0.0 : 0.2 * ch_random_normal(random) + (k % (d + 1) == 0);
    }
  }
}

// |B x + E W x - h| / |h|
static double linear_residual(const ChSystem* s, const double* B, const double* E, const double* h, const double* x) {
  double* Wx = CH_TAKE(arena, s->rows, double);
  double sum = 0.0;
  ch_system_apply(s, x, Wx);
  for (int i = 0; i < s->n; ++i) {
    double Bx[6], EWx[6];
    ch_small_multiply(s->dim[i], B + s->diagonal_at[i], x + s->row[i], Bx);
    ch_small_multiply(s->dim[i], E + s->diagonal_at[i], Wx + s->row[i], EWx);
    for (int a = 0; a < s->dim[i]; ++a) sum += pow(Bx[a] + EWx[a] - h[s->row[i] + a], 2.0);
  }
  return sqrt(sum) / size_of(s->rows, h);
}

static void check_spaces_agree(const ChSystem* formed, const ChSystem* bodies, ChRandom* random) {
  double* B = CH_TAKE(arena, formed->diagonal_at[formed->n], double);
  double* E = CH_TAKE(arena, formed->diagonal_at[formed->n], double);
  double *h = take_random(random, formed->rows), *first = NULL;
  const struct {
    const ChSystem* s;
    ChSpace space;
    bool symmetric;
  } ways[] = {{formed, CH_SPACE_R, false},    {formed, CH_SPACE_V, false}, {formed, CH_SPACE_AUTO, false},
              {bodies, CH_SPACE_AUTO, false}, {formed, CH_SPACE_R, true},  {formed, CH_SPACE_V, true},
              {bodies, CH_SPACE_AUTO, true}};
  for (int shifted = 0; shifted < 2; ++shifted) {
    random_coefficients(random, formed, B, E);
    for (int i = 0; i < formed->n && shifted; ++i) {
      ch_small_identity(formed->dim[i], 0.05, B + formed->diagonal_at[i]);
      ch_small_identity(formed->dim[i], 1.0, E + formed->diagonal_at[i]);
    }
    first = NULL;
    for (size_t k = 0; k < sizeof ways / sizeof ways[0]; ++k) {
      if (ways[k].symmetric && !shifted) continue;  // Cholesky is for what is symmetric
      double* x = CH_TAKE(arena, formed->rows, double);
      ChLinearSystem* linear = ch_linear_create(arena, ways[k].s, ways[k].space, ways[k].symmetric);
      assert_true(shifted ? ch_linear_factor_shifted(linear, 0.05) : ch_linear_factor(linear, B, E));
      ch_linear_solve(linear, h, x);
      CHECK_AT_MOST(linear_residual(ways[k].s, B, E, h, x), 1e-11);
      if (!first) first = x;
      for (int i = 0; i < formed->rows; ++i) CHECK_NEAR(x[i], first[i], 1e-8 * size_of(formed->rows, first));
      ch_linear_solve_fast(linear, h, x, NULL);
      CHECK_AT_MOST(linear_residual(ways[k].s, B, E, h, x), 1e-8);
    }
  }
}

static void reactions_and_velocities_give_the_same_step(void** state) {
  (void)state;
  MEMORY_MUST_SUFFICE();
  ChRandom random = ch_random_seeded(9);
  static const char* const names[] = {"tower-5", "cards-4", "arch-9",   "pyramid-4",    "skates-6",
                                      "chain-8", "door-2",  "wheels-2", "planar-wall-5"};
  for (size_t k = 0; k < sizeof names / sizeof names[0]; ++k) {
    ChArenaMark mark = ch_arena_mark(arena);
    ChProblem* problem = generate(case_named(names[k]));
    ChPrepared formed = prepare(problem, CH_POSE_COULOMB), bodies = prepare_unformed(problem, CH_POSE_COULOMB);
    for (int c = 0; c < formed.count && formed.count == bodies.count; ++c)
      check_spaces_agree(&formed.component[c].system, &bodies.component[c].system, &random);
    ch_problem_destroy(problem);
    ch_arena_release(arena, mark);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_arena, close_arena)
      TEST(scaled_systems_are_the_problem_in_other_words),
      TEST(scaled_blocks_have_unit_size),
      TEST(a_product_is_counted_alike_on_either_road),
      TEST(some_blocks_are_a_system_of_their_own),
      TEST(diagonal_blocks_are_those_of_w),
      TEST(elliptic_contacts_become_circular),
      TEST(units_leave_no_trace_in_the_scaled_system),
      TEST(friction_decides_which_rows_stay),
      TEST(bodies_held_to_a_plane_have_contacts_in_the_plane),
      TEST(tiny_friction_is_still_a_number),
      TEST(what_cannot_move_is_left_out),
      TEST(bounds_are_scaled_and_drive),
      TEST(parts_are_found_with_and_without_W),
      TEST(one_block_is_solved_exactly),
      TEST(one_block_is_solved_in_pose_relaxed),
      TEST(a_disc_forgets_that_it_had_no_radius),
      TEST(a_block_of_rank_one_has_a_moderate_reaction),
      TEST(a_degenerate_block_gives_numbers),
      TEST(derivatives_of_the_maps_are_their_differences),
      TEST(solutions_are_roots_of_both_maps),
      TEST(reactions_and_velocities_give_the_same_step),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

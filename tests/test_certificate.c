// The certificate: closed forms score zero, no work scores one, units do not matter, NaN never passes.
#include "cardhouse/certificate.h"

#include <lapacke.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "problem/contact_problem.h"
#include "problem/grader.h"
#include "support/near.h"
#include "support/random.h"
#include "support/small.h"
#include "support/solved.h"
#include "support/suite.h"

static const double ROUNDING = 1e-14;  // a few dozen operations on numbers of order one

static ChCertificate graded(const ChProblem* problem, ChPose pose, const double* r, const double* v) {
  ChContext context = {0};
  ChCertificate c;
  CHECK_OK(context, ch_certify(&context, problem, pose, r, v, &c));
  return c;
}

static void check_exact(const ChCertificate* c, double tolerance) {
  CHECK_AT_MOST(c->natural, tolerance);
  CHECK_AT_MOST(c->siconos, tolerance);
  CHECK_AT_MOST(c->cone, 1e-15);
  CHECK_AT_MOST(c->signorini, tolerance);
  CHECK_AT_MOST(c->dissipation, tolerance);
  CHECK_AT_MOST(c->balance, tolerance);
  assert_true(ch_certificate_met(c, tolerance));
}

static double* random_reactions(const ChProblem* problem, double seed) {
  ChRandom random = ch_random_seeded(seed);
  double* r = calloc((size_t)problem->rows + 1, sizeof *r);
  assert_non_null(r);
  for (int i = 0; i < problem->rows; ++i) r[i] = 1e-2 * ch_random_normal(&random);
  return r;
}

// --- closed forms ----------------------------------------------------------------------------------------------------

// A particle of mass 2 strikes the floor at 1 m/s while it moves along it at 3 m/s: r_n = 2, r_T = -mu r_n, u_T = 3 -
// mu.
static void particle_slides(void** state) {
  (void)state;
  const ChBlock block = {.law = CH_LAW_CONTACT, .dimension = 3, .mu = {0.4, 0.4}};
  const double W[9] = {0.5, 0, 0, 0, 0.5, 0, 0, 0, 0.5}, q[3] = {-1.0, 3.0, 0.0};
  ChProblem* p = ch_small_local(3, 1, &block, W, q);
  const double exact[3] = {2.0, -0.8, 0.0}, late[3] = {1.0, -0.4, 0.0}, outside[3] = {2.0, -2.0, 0.0};
  ChCertificate c = graded(p, CH_POSE_COULOMB, exact, NULL);
  check_exact(&c, ROUNDING);
  c = graded(p, CH_POSE_COULOMB, late, NULL);  // half the impulse: u_n = -1/2, u_T = 2.8
  CHECK_NEAR(c.signorini, 0.5 / 3.0, ROUNDING);
  CHECK_NEAR(c.dissipation, 0.0, ROUNDING);
  c = graded(p, CH_POSE_COULOMB, outside, NULL);  // distance of (2, 2) from the cone: (2 - 0.8) / sqrt(1.16)
  CHECK_NEAR(c.cone, 1.2 / sqrt(1.16) / sqrt(8.0), ROUNDING);
  assert_false(ch_certificate_met(&c, 1.0));
  ch_problem_destroy(p);
}

// With W = I the relaxed problem's answer is P_K(-q), which takes off at u_n = mu |u_T|: exact for its pose, and the
// certificate of exact Coulomb says what is missing.
static void relaxed_takes_off(void** state) {
  (void)state;
  const ChBlock block = {.law = CH_LAW_CONTACT, .dimension = 2, .mu = {0.5, 0.5}};
  const double W[4] = {1, 0, 0, 1}, q[2] = {-1.0, 3.0};
  ChProblem* p = ch_small_local(2, 1, &block, W, q);
  const double r[2] = {2.0, -1.0};  // n' = (1 + 0.5 * 3) / 1.25
  ChCertificate c = graded(p, CH_POSE_RELAXED, r, NULL);
  CHECK_AT_MOST(c.natural, ROUNDING);
  CHECK_NEAR(c.signorini, 1.0 / 3.0, ROUNDING);  // u_n = 1 while r_n > 0
  c = graded(p, CH_POSE_COULOMB, r, NULL);
  assert_true(c.natural > 0.1);
  ch_problem_destroy(p);
}

// Two contacts, one at rest and one without reaction, which slides much faster than it parts. That is a solution of
// Coulomb's law; the relaxed one would have it part at mu |u_T|.
static void open_contacts_are_solved(void** state) {
  (void)state;
  const ChBlock block = {.law = CH_LAW_CONTACT, .dimension = 3, .mu = {0.5, 0.5}}, blocks[2] = {block, block};
  double W[36] = {0.0};
  for (int k = 0; k < 6; ++k) W[7 * k] = 1.0;
  for (int k = 0; k < 3; ++k) {
    const double part[3] = {0.1, 1e-12, 0.0}, q[6] = {-1.0, 0.0, 0.0, part[k], 3.0, 4.0}, r[6] = {1.0};
    ChProblem* p = ch_small_local(3, 2, blocks, W, q);
    const ChCertificate exact = graded(p, CH_POSE_COULOMB, r, NULL), relaxed = graded(p, CH_POSE_RELAXED, r, NULL);
    check_exact(&exact, ROUNDING);
    assert_true(relaxed.natural > 0.1);
    ch_problem_destroy(p);
  }
}

static void elliptic_slides_along_an_axis(void** state) {
  (void)state;
  const ChBlock block = {.law = CH_LAW_CONTACT, .dimension = 3, .mu = {0.7, 0.2}};
  const double W[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, q[3] = {-1.0, 0.0, 2.0}, r[3] = {1.0, 0.0, -0.2};
  ChProblem* p = ch_small_local(3, 1, &block, W, q);
  ChCertificate c = graded(p, CH_POSE_COULOMB, r, NULL);
  check_exact(&c, ROUNDING);
  const double wrong[3] = {1.0, 0.0, -0.1};  // gap mu_2 |u_T| r_n + r_T . u_T = (0.2 - 0.1) * 1.9
  c = graded(p, CH_POSE_COULOMB, wrong, NULL);
  CHECK_NEAR(c.dissipation, 0.19, ROUNDING);
  ch_problem_destroy(p);
}

// Three independent rows, one for each law that has no friction: a stop, a motor that is too weak, a joint.
static void rows_without_friction(void** state) {
  (void)state;
  const ChBlock blocks[] = {{.law = CH_LAW_UNILATERAL, .dimension = 1},
                            {.law = CH_LAW_LIMIT, .dimension = 1, .lo = -2.0, .hi = 2.0},
                            {.law = CH_LAW_BILATERAL, .dimension = 2}};
  const double W[16] = {4, 0, 0, 0, 0, 1, 0, 0, 0, 0, 2, 0, 0, 0, 0, 1e6};
  const double q[4] = {-1.0, -5.0, 3.0, -7.0}, r[4] = {0.25, 2.0, -1.5, 7e-6};
  ChProblem* p = ch_small_local(3, 3, blocks, W, q);
  ChCertificate c = graded(p, CH_POSE_COULOMB, r, NULL);
  check_exact(&c, ROUNDING);
  const double too_strong[4] = {0.25, 5.0, -1.5, 7e-6};
  c = graded(p, CH_POSE_COULOMB, too_strong, NULL);
  CHECK_NEAR(c.cone, 3.0 / 5.0, ROUNDING);
  ch_problem_destroy(p);
}

// A frictionless tower carries the weight above: every contact of level k a quarter of it.
static void tower_carries_its_weight(void** state) {
  (void)state;
  const ChFamily* family = ch_family_find("tower");
  ChRecipe recipe = ch_recipe_default(family);
  recipe.n = 6, recipe.mu = 0.0;
  for (int form = CH_FORM_LOCAL; form <= CH_FORM_GLOBAL; ++form) {
    ChContext context = {0};
    ChProblem* p;
    CHECK_OK(context, ch_family_generate(&context, family, &recipe, (ChForm)form, &p));
    double* r = calloc((size_t)p->rows, sizeof *r);
    const double weight = 2000.0 * 0.2 * 0.2 * 0.1 * recipe.gravity * recipe.h;
    for (int i = 0; i < p->block_count; ++i) r[3 * i] = weight * (6 - i / 4) / 4.0;
    ChCertificate c = graded(p, CH_POSE_COULOMB, r, NULL);
    check_exact(&c, 1e-13);  // six levels add up
    free(r);
    ch_problem_destroy(p);
  }
}

// A box on a slope. N = m g h cos a; friction F = min(mu, tan a) N acts at the base, half a height below the centre,
// and shifts F * height / 2 / length of the load to the two lower contacts.
static void check_incline(double angle, double mu) {
  const ChFamily* family = ch_family_find("incline");
  ChRecipe recipe = ch_recipe_default(family);
  recipe.angle = angle, recipe.mu = mu;
  ChContext context = {0};
  ChProblem* p;
  CHECK_OK(context, ch_family_generate(&context, family, &recipe, CH_FORM_GLOBAL, &p));
  const double a = angle * 3.141592653589793 / 180.0, length = 0.2, height = 0.05;
  const double impulse = 1000.0 * length * length * height * recipe.gravity * recipe.h;
  const double N = impulse * cos(a), ratio = fmin(mu, tan(a));
  double r[12], v[6] = {recipe.gravity * recipe.h * (sin(a) - ratio * cos(a)), 0, 0, 0, 0, 0};
  for (int k = 0; k < 4; ++k) {
    const double side = k & 1 ? 1.0 : -1.0;  // the lower contacts lie at positive x
    r[3 * k] = 0.25 * N + side * 0.25 * ratio * N * height / length;
    r[3 * k + 1] = -ratio * r[3 * k];  // tangent 1 is x
    r[3 * k + 2] = 0.0;
  }
  ChCertificate c = graded(p, CH_POSE_COULOMB, r, v);
  check_exact(&c, 1e-13);
  v[0] += 1e-3 * recipe.gravity * recipe.h;  // a wrong velocity shows in the balance and nowhere else
  c = graded(p, CH_POSE_COULOMB, r, v);
  CHECK_NEAR(c.balance, 1e-3, 1e-12);
  CHECK_AT_MOST(c.natural, 1e-13);
  ch_problem_destroy(p);
}

static void box_on_a_slope(void** state) {
  (void)state;
  check_incline(20.0, 0.5);
  check_incline(35.0, 0.5);
  check_incline(60.0, 0.0);
}

// --- scores that are known without a solution ------------------------------------------------------------------------

static void no_work_scores_one(void** state) {
  (void)state;
  for (int i = 0; i < ch_case_count(); ++i) {
    const ChCase* item = ch_case_at(i);
    if (item->size != CH_CASE_SMALL) continue;
    ChContext context = {0};
    ChProblem* p;
    CHECK_OK(context, ch_case_generate(&context, item, &p));
    double* zero = calloc((size_t)p->rows, sizeof *zero);
    const ChCertificate c = graded(p, CH_POSE_COULOMB, zero, NULL);
    CHECK_NEAR(c.natural, item->facts & CH_FACT_APART ? 0.0 : 1.0, ROUNDING);
    CHECK_NEAR(c.cone, 0.0, 0.0);
    free(zero);
    ch_problem_destroy(p);
  }
}

static void local_and_global_agree(void** state) {
  (void)state;
  for (int i = 0; i < ch_case_count(); ++i) {
    ChCase item = *ch_case_at(i);
    if (item.size != CH_CASE_SMALL || !ch_family_find(item.family)->assemble) continue;
    ChContext context = {0};
    ChProblem* form[2];
    for (int k = 0; k < 2; ++k) {
      item.form = k ? CH_FORM_GLOBAL : CH_FORM_LOCAL;
      CHECK_OK(context, ch_case_generate(&context, &item, &form[k]));
    }
    double* r = random_reactions(form[0], 3);
    for (int pose = CH_POSE_COULOMB; pose <= CH_POSE_FRICTIONLESS; ++pose) {
      const ChCertificate a = graded(form[0], (ChPose)pose, r, NULL), b = graded(form[1], (ChPose)pose, r, NULL);
      if (isfinite(a.natural)) CHECK_NEAR(b.natural / a.natural, 1.0, 1e-11);  // W of cards has entries that cancel
      CHECK_NEAR(b.siconos / a.siconos, 1.0, 1e-11);
      CHECK_NEAR(b.cone, a.cone, 0.0);
      CHECK_NEAR(b.dissipation, a.dissipation, 1e-10 * a.dissipation);
      CHECK_AT_MOST(b.balance, 1e-13);
    }
    free(r);
    for (int k = 0; k < 2; ++k) ch_problem_destroy(form[k]);
  }
}

// A grader that has seen other reactions says the same of these, bit for bit.
static void grader_keeps_nothing_of_the_last_answer(void** state) {
  (void)state;
  for (int i = 0; i < ch_case_count(); ++i) {
    if (ch_case_at(i)->size != CH_CASE_SMALL) continue;
    ChContext context = {0};
    ChProblem* p;
    CHECK_OK(context, ch_case_generate(&context, ch_case_at(i), &p));
    jmp_buf landing;
    ChArena* arena = ch_arena_create(&landing);
    if (setjmp(landing)) fail_msg("out of memory");
    ChGrader* grader;
    CHECK_OK(context, ch_grader_create(&context, arena, p, CH_POSE_COULOMB, &grader));
    for (unsigned seed = 1; seed < 4; ++seed) {
      double* r = random_reactions(p, seed);
      ChCertificate once = graded(p, CH_POSE_COULOMB, r, NULL), again;
      CHECK_OK(context, ch_grader_grade(&context, grader, r, NULL, &again));
      assert_memory_equal(&once, &again, sizeof once);
      free(r);
    }
    ch_arena_destroy(arena);
    ch_problem_destroy(p);
  }
}

// The figures that blocks add up to are those of the whole, NaN included: the two ways to grade are written apart.
static void parts_add_up_to_the_whole(void** state) {
  (void)state;
  static ChSolved a;
  int checked = 0;
  for (int i = 0; i < ch_case_count(); ++i) {
    if (ch_case_at(i)->size != CH_CASE_SMALL) continue;
    ChContext context = {0};
    ChProblem* p;
    CHECK_OK(context, ch_case_generate(&context, ch_case_at(i), &p));
    jmp_buf landing;
    ChArena* arena = ch_arena_create(&landing);
    if (setjmp(landing)) fail_msg("out of memory");
    ChSolveOptions options = ch_solve_options_default();
    options.method = "nsgs";
    options.max_iterations = 2;
    ch_run_solve(p, &options, &a);
    ChGrader* grader;
    CHECK_OK(context, ch_grader_create(&context, arena, p, CH_POSE_COULOMB, &grader));
    bool compliant = false;
    for (int broken = 0; broken < 2; ++broken) {
      ChCertificate whole;
      CHECK_OK(context, ch_grader_grade(&context, grader, a.r, NULL, &whole));
      ChGradePart all = {0};
      for (int b = 0; b < p->block_count; ++b) {
        ChGradePart part;
        const int row = p->blocks[b].row;
        compliant = compliant || p->blocks[b].compliance > 0.0 || p->blocks[b].shear > 0.0;
        ch_grader_part(grader, b, a.r + row, a.u + row, &part);
        for (int k = 0; k < CH_PART_SUMS; ++k) all.sum[k] += part.sum[k];
        for (int k = 0; k < CH_PART_EXTREMES; ++k) all.most[k] = fmax(all.most[k], part.most[k]);
      }
      ChCertificate parts = ch_grade_whole(&all, compliant, whole.balance);
      if (broken) {
        assert_true(isnan(parts.natural) && !ch_certificate_met(&parts, 1.0));
        continue;
      }
      CHECK_NEAR(parts.natural, whole.natural, 1e-6 * whole.natural + 1e-12);
      CHECK_NEAR(parts.siconos, whole.siconos, 1e-6 * whole.siconos + 1e-12);
      CHECK_NEAR(parts.signorini, whole.signorini, 1e-6 * whole.signorini + 1e-12);
      CHECK_NEAR(parts.rigid, whole.rigid, 1e-6 * whole.rigid + 1e-12);
      ++checked;
      a.r[0] = a.u[0] = NAN;
    }
    ch_arena_destroy(arena);
    ch_problem_destroy(p);
  }
  assert_true(checked > 20);
}

// What a problem keeps for its graders is what they would make, bit for bit.
static void groundwork_that_is_kept_changes_nothing(void** state) {
  (void)state;
  int kept = 0;
  for (int i = 0; i < ch_case_count(); ++i) {
    if (ch_case_at(i)->size != CH_CASE_SMALL) continue;
    ChContext context = {0};
    ChProblem* p;
    CHECK_OK(context, ch_case_generate(&context, ch_case_at(i), &p));
    if (p->groundwork) {
      double* r = random_reactions(p, 5);
      const ChCertificate with = graded(p, CH_POSE_COULOMB, r, NULL);
      p->groundwork = NULL;
      const ChCertificate without = graded(p, CH_POSE_COULOMB, r, NULL);
      assert_memory_equal(&with, &without, sizeof with);
      ++kept;
      free(r);
    }
    ch_problem_destroy(p);
  }
  assert_true(kept >= 3);
}

static void nothing_to_do(void** state) {
  (void)state;
  const ChBlock block = {.law = CH_LAW_CONTACT, .dimension = 3, .mu = {0.4, 0.4}};
  const double W[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, q[3] = {0, 0, 0}, zero[3] = {0, 0, 0}, some[3] = {1, 0, 0};
  ChProblem* p = ch_small_local(3, 1, &block, W, q);
  ChCertificate c = graded(p, CH_POSE_COULOMB, zero, NULL);
  check_exact(&c, 0.0);
  c = graded(p, CH_POSE_COULOMB, some, NULL);
  assert_false(ch_certificate_met(&c, 1e300));
  ch_problem_destroy(p);
  p = ch_small_local(3, 0, NULL, NULL, NULL);
  c = graded(p, CH_POSE_COULOMB, NULL, NULL);
  check_exact(&c, 0.0);
  ch_problem_destroy(p);
}

// --- units -----------------------------------------------------------------------------------------------------------

typedef struct Units {
  double length, mass, time;
} Units;

// Factors of the rows and unknowns when lengths, masses and times are counted in other units. Rows 3 and 4 of a hinge
// and the row of a motor are angular.
static void unit_factors(const ChProblem* p, Units s, double* velocity, double* reaction, double* dof_velocity,
                         double* dof_momentum) {
  for (int i = 0; i < p->block_count; ++i)
    for (int k = 0; k < p->blocks[i].dimension; ++k) {
      const bool angular = p->blocks[i].law == CH_LAW_LIMIT || (p->blocks[i].law == CH_LAW_BILATERAL && k >= 3);
      velocity[p->blocks[i].row + k] = (angular ? 1.0 : s.length) / s.time;
      reaction[p->blocks[i].row + k] = s.mass * s.length * (angular ? s.length : 1.0) / s.time;
    }
  for (int j = 0; j < p->dof; ++j) {
    const bool angular = j % 6 >= 3;
    dof_velocity[j] = (angular ? 1.0 : s.length) / s.time;
    dof_momentum[j] = s.mass * s.length * (angular ? s.length : 1.0) / s.time;
  }
}

// The certificate of random reactions and velocities, before and after a change of units.
static void grade_in_units(const char* name, Units units, ChCertificate* before, ChCertificate* after) {
  const ChCase* item = NULL;
  for (int i = 0; i < ch_case_count(); ++i)
    if (strcmp(ch_case_at(i)->name, name) == 0) item = ch_case_at(i);
  assert_non_null(item);
  ChContext context = {0};
  ChProblem* p;
  CHECK_OK(context, ch_case_generate(&context, item, &p));
  const size_t n = (size_t)p->rows, dof = (size_t)p->dof;
  double* space = calloc(2 * n + 3 * dof, sizeof *space);
  double *velocity = space, *reaction = velocity + n, *dof_velocity = reaction + n, *dof_momentum = dof_velocity + dof;
  double *v = dof_momentum + dof, *r = random_reactions(p, 7);
  unit_factors(p, units, velocity, reaction, dof_velocity, dof_momentum);
  ChRandom random = ch_random_seeded(8);
  for (size_t j = 0; j < dof; ++j) v[j] = ch_random_normal(&random);
  *before = graded(p, CH_POSE_COULOMB, r, v);
  ChProblem* scaled = ch_problem_in_units(p, velocity, reaction, dof_velocity, dof_momentum);
  for (size_t i = 0; i < n; ++i) r[i] *= reaction[i];
  for (size_t j = 0; j < dof; ++j) v[j] *= dof_velocity[j];
  *after = graded(scaled, CH_POSE_COULOMB, r, v);
  ch_problem_destroy(scaled);
  ch_problem_destroy(p);
  free(space);
  free(r);
}

static void units_do_not_matter(void** state) {
  (void)state;
  const Units units = {.length = 1000.0, .mass = 1e-3, .time = 60.0};  // millimetre, tonne, minute: why not
  const char* const names[] = {"pile-6-shaken",  "cards-3-shaken", "disks-shaken", "door-2-shaken",
                               "wheels-1-local", "wheels-2",       "chain-8",      "skates-6"};
  for (size_t k = 0; k < sizeof names / sizeof names[0]; ++k) {
    ChCertificate a, b;
    grade_in_units(names[k], units, &a, &b);
    CHECK_NEAR(b.natural / a.natural, 1.0, 1e-12);  // the factors are not powers of two
    CHECK_NEAR(b.balance, a.balance, 1e-12 * a.balance);
    const double joule = units.mass * units.length * units.length / (units.time * units.time);
    CHECK_NEAR(b.dissipation / (a.dissipation * joule), 1.0, 1e-11);
  }
}

// The figure of the other program does depend on them: the reason why it is never the only one.
static void siconos_figure_depends_on_units(void** state) {
  (void)state;
  ChCertificate a, b;
  grade_in_units("pile-6-shaken", (Units){.length = 1.0, .mass = 1000.0, .time = 1.0}, &a, &b);
  assert_true(fabs(b.siconos / a.siconos - 1.0) > 0.1);
}

// The worked example of docs/certificate.md: a ball of mass m strikes the floor at 1 m/s, r = m is the answer, and an
// answer `share` times as large is graded.
static ChCertificate ball(double mass, double share) {
  const ChBlock block = {.law = CH_LAW_CONTACT, .dimension = 3, .mu = {0.5, 0.5}};
  const double c = 1.0 / mass, W[9] = {c, 0, 0, 0, c, 0, 0, 0, c}, q[3] = {-1, 0, 0}, r[3] = {share * mass, 0, 0};
  ChProblem* p = ch_small_local(3, 1, &block, W, q);
  const ChCertificate certificate = graded(p, CH_POSE_COULOMB, r, NULL);
  ch_problem_destroy(p);
  return certificate;
}

static void unit_pitfall_of_the_docs(void** state) {
  (void)state;
  static const double rows[][4] = {// mass, share, natural, siconos
                                   {1e-6, 2.0, 1.0, 2e-6}, {1.0, 2.0, 1.0, 0.5}, {1e6, 2.0, 1.0, 5e-7},
                                   {1e-6, 0.5, 0.5, 0.5},  {1.0, 0.5, 0.5, 0.5}, {1e6, 0.5, 0.5, 1e-6}};
  for (size_t k = 0; k < sizeof rows / sizeof rows[0]; ++k) {
    const ChCertificate c = ball(rows[k][0], rows[k][1]);
    CHECK_NEAR(c.natural, rows[k][2], 1e-12);
    CHECK_NEAR(c.siconos / rows[k][3], 1.0, 1e-9);  // r - u cancels in the ball of 1000 tonnes
  }
}

// --- what must not count, and what must not pass ---------------------------------------------------------------------

// A contact between two fixed bodies has W_ii = 0: whatever its velocity, no reaction changes it.
static void fixed_pair_is_dropped(void** state) {
  (void)state;
  static const double origin[3] = {0, 0, 0}, up[3] = {0, 0, 1}, gravity[3] = {0, 0, -10};
  for (int form = CH_FORM_LOCAL; form <= CH_FORM_GLOBAL; ++form) {
    ChRig* rig = ch_rig_create(3, 1e-3, gravity);
    const double centre[3] = {0, 0, 1.0};
    ch_rig_add_sphere(rig, 1.0, 1.0, centre);
    const int dead = ch_rig_add_contact(rig, CH_RIG_GROUND, CH_RIG_GROUND, origin, up, 0.5);
    ch_rig_add_bias(rig, dead, 0, -1e6);
    ch_rig_add_contact(rig, CH_RIG_GROUND, 0, origin, up, 0.5);
    ChContext context = {0};
    ChProblem* p;
    CHECK_OK(context, ch_rig_build(&context, rig, (ChForm)form, &p));
    const double weight = 4.0 / 3.0 * 3.141592653589793 * 0.01, r[6] = {0, 0, 0, weight, 0, 0};
    const ChCertificate c = graded(p, CH_POSE_COULOMB, r, NULL);
    check_exact(&c, ROUNDING);
    ch_problem_destroy(p);
    ch_rig_destroy(rig);
  }
}

static void nan_never_passes(void** state) {
  (void)state;
  for (int i = 0; i < ch_case_count(); ++i) {
    const ChCase* item = ch_case_at(i);
    if (item->size != CH_CASE_SMALL) continue;
    ChContext context = {0};
    ChProblem* p;
    CHECK_OK(context, ch_case_generate(&context, item, &p));
    double* r = random_reactions(p, 1);
    r[p->rows / 2] = NAN;
    const ChCertificate c = graded(p, CH_POSE_COULOMB, r, NULL);
    assert_true(isnan(c.natural));
    assert_true(isnan(c.siconos));
    assert_false(ch_certificate_met(&c, INFINITY));
    free(r);
    ch_problem_destroy(p);
  }
  const ChCertificate good = {0};
  assert_true(ch_certificate_met(&good, 0.0));
  ChCertificate bad[4] = {good, good, good, good};
  bad[0].natural = bad[1].siconos = bad[2].cone = bad[3].balance = NAN;
  for (int k = 0; k < 4; ++k) assert_false(ch_certificate_met(&bad[k], INFINITY));
}

// --- masses that are not rigid bodies --------------------------------------------------------------------------------

enum { CHAIN = 150, HELD = 9 };

// M of a chain of masses and springs (one connected part, larger than what is factored densely), with a skew part or
// without; three contacts on random directions.
static void make_chain(double skew, double* M, double* H) {
  ChRandom random = ch_random_seeded(21);
  for (int i = 0; i < CHAIN; ++i) {
    M[i * CHAIN + i] = 2.0 + 0.01 * i;
    if (i > 0) M[i * CHAIN + i - 1] = -0.9 - skew, M[(i - 1) * CHAIN + i] = -0.9 + skew;
  }
  for (int k = 0; k < HELD; ++k)
    for (int e = 0; e < 4; ++e) H[(int)(ch_random_bits(&random) % CHAIN) * HELD + k] = ch_random_normal(&random);
}

// Keeps only the nonzeros: a zero entry would connect what is not connected.
static ChTriplets nonzeros(int rows, int columns, const double* dense, int* index, double* value) {
  int count = 0, most = rows * columns;
  for (int k = 0; k < most; ++k)
    if (dense[k] != 0.0) index[count] = k / columns, index[most + count] = k % columns, value[count++] = dense[k];
  return (ChTriplets){rows, columns, count, index, index + most, value};
}

// The global problem with n degrees of freedom against its Delassus form by LAPACK.
static void check_mass(int n, const double* M, const double* H) {
  static double X[CHAIN * HELD], LU[CHAIN * CHAIN], M_value[CHAIN * CHAIN], H_value[CHAIN * HELD];
  static int M_index[2 * CHAIN * CHAIN], H_index[2 * CHAIN * HELD];
  static double f[CHAIN], w[HELD];
  const ChBlock contact = {.law = CH_LAW_CONTACT, .dimension = 3, .mu = {0.5, 0.5}};
  const ChBlock blocks[3] = {contact, contact, contact};
  ChRandom random = ch_random_seeded(4);
  for (int k = 0; k < HELD; ++k) w[k] = ch_random_normal(&random);
  const ChProblemDef def = {.form = CH_FORM_GLOBAL,
                            .dimension = 3,
                            .block_count = 3,
                            .blocks = blocks,
                            .M = nonzeros(n, n, M, M_index, M_value),
                            .H = nonzeros(n, HELD, H, H_index, H_value),
                            .f = f,
                            .w = w};
  ChContext context = {0};
  ChProblem* global;
  CHECK_OK(context, ch_problem_build(&context, &def, &global));
  double W[HELD * HELD] = {0};
  int pivot[CHAIN];
  memcpy(LU, M, (size_t)(n * n) * sizeof *M);
  memcpy(X, H, (size_t)(n * HELD) * sizeof *H);
  assert_int_equal(LAPACKE_dgesv(LAPACK_ROW_MAJOR, n, HELD, LU, n, pivot, X, HELD), 0);
  for (int i = 0; i < HELD; ++i)
    for (int j = 0; j < HELD; ++j)
      for (int k = 0; k < n; ++k) W[i * HELD + j] += H[k * HELD + i] * X[k * HELD + j];
  ChProblem* local = ch_small_local(3, 3, blocks, W, w);
  double* r = random_reactions(global, 2);
  const ChCertificate a = graded(local, CH_POSE_COULOMB, r, NULL), b = graded(global, CH_POSE_COULOMB, r, NULL);
  CHECK_NEAR(b.natural, a.natural, 1e-12 * a.natural);  // M is well conditioned
  CHECK_NEAR(b.siconos, a.siconos, 1e-12 * a.siconos);
  CHECK_NEAR(b.signorini, a.signorini, 1e-12);
  CHECK_AT_MOST(b.balance, 1e-14);
  free(r);
  ch_problem_destroy(local);
  ch_problem_destroy(global);
}

// A body between two walls, moving towards the first: pressed from both sides so hard that its motion drowns in
// round-off, it seems to stand. That is no answer.
static void reactions_that_drown_the_motion_never_pass(void** state) {
  (void)state;
  const ChBlock walls[2] = {{.law = CH_LAW_UNILATERAL, .dimension = 1},
                            {.law = CH_LAW_UNILATERAL, .dimension = 1, .row = 1}};
  const double W[4] = {1.0, -1.0, -1.0, 1.0}, q[2] = {-0.5, 0.5}, exact[2] = {0.5, 0.0};
  ChProblem* p = ch_small_local(3, 2, walls, W, q);
  ChCertificate c = graded(p, CH_POSE_COULOMB, exact, NULL);
  check_exact(&c, ROUNDING);
  for (double press = 1e12; press < 1e30; press *= 1e3) {
    const double r[2] = {press, press};
    c = graded(p, CH_POSE_COULOMB, r, NULL);
    assert_false(ch_certificate_met(&c, 1e-4));
  }
  ch_problem_destroy(p);
}

static void large_masses(void** state) {
  (void)state;
  static double M[CHAIN * CHAIN], H[CHAIN * HELD];
  for (int k = 0; k < 2; ++k) {
    memset(M, 0, sizeof M);
    memset(H, 0, sizeof H);
    make_chain(k == 0 ? 0.0 : 0.05, M, H);  // symmetric: Cholesky; not symmetric: LU
    check_mass(CHAIN, M, H);
  }
}

enum { MODES = 14, BENT = 6 + MODES };

// M of two bodies with modes: those but one are coupled with the three turns of their body and nothing else; besides,
// `skew` across the diagonal and `mixed` between the first two modes. Contacts act on the second body, and some on
// both.
static void make_bent(double skew, double mixed, double* M, double* H) {
  const int n = 2 * BENT;
  ChRandom random = ch_random_seeded(8);
  memset(M, 0, (size_t)(n * n) * sizeof *M);
  for (int first = 0; first < n; first += BENT) {
    for (int i = 0; i < BENT; ++i) M[(first + i) * (n + 1)] = 2.0 + 0.1 * i;
    for (int a = first + 3; a < first + 6; ++a)
      for (int c = first + 6; c < first + BENT; ++c) {
        if (c == first + 9) continue;
        M[a * n + c] = 0.3 * ch_random_normal(&random);
        M[c * n + a] = M[a * n + c] + skew;
      }
    M[(first + 6) * n + first + 7] = M[(first + 7) * n + first + 6] = mixed;
  }
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < HELD; ++k)
      H[i * HELD + k] = (i + 3 * k) % 11 == 0 || (i < BENT && k < 4) ? 0.0 : ch_random_normal(&random);
}

static void modal_masses(void** state) {
  (void)state;
  static double M[4 * BENT * BENT], H[2 * BENT * HELD];
  const double skew[3] = {0.0, 0.01, 0.0}, mixed[3] = {0.0, 0.0, 0.2};  // an arrow, and two that are none
  for (int k = 0; k < 3; ++k) {
    make_bent(skew[k], mixed[k], M, H);
    check_mass(2 * BENT, M, H);
  }
}

static void singular_mass_is_refused(void** state) {
  (void)state;
  const ChBlock block = {.law = CH_LAW_UNILATERAL, .dimension = 1};
  const int row[4] = {0, 0, 1, 1}, column[4] = {0, 1, 0, 1}, zero[1] = {0};
  const double M[4] = {1, 1, 1, 1}, H[1] = {1}, f[2] = {0, 0}, w[1] = {-1};
  const ChProblemDef def = {.form = CH_FORM_GLOBAL,
                            .dimension = 3,
                            .block_count = 1,
                            .blocks = &block,
                            .M = {2, 2, 4, row, column, M},
                            .H = {2, 1, 1, zero, zero, H},
                            .f = f,
                            .w = w};
  ChContext context = {0};
  ChProblem* p;
  assert_int_equal(ch_problem_build(&context, &def, &p), CH_ERR_RANGE);
  assert_non_null(strstr(context.message, "singular"));
  assert_null(p);
}

static void memory_that_runs_out_is_reported(void** state) {
  (void)state;
  ChContext context = {0};
  ChProblem* p;
  CHECK_OK(context, ch_case_generate(&context, ch_case_at(1), &p));
  double* r = random_reactions(p, 1);
  ChStatus status = CH_ERR_MEMORY;
  for (long n = 1; status != CH_OK && n < 1000; ++n) {
    ChCertificate c;
    ch_arena_fail_after(n);
    status = ch_certify(&context, p, CH_POSE_COULOMB, r, NULL, &c);
    ch_arena_fail_after(0);
    if (status == CH_OK) break;
    assert_int_equal(status, CH_ERR_MEMORY);
    assert_false(ch_certificate_met(&c, INFINITY));
  }
  assert_int_equal(status, CH_OK);
  free(r);
  ch_problem_destroy(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(particle_slides),
      cmocka_unit_test(relaxed_takes_off),
      cmocka_unit_test(open_contacts_are_solved),
      cmocka_unit_test(elliptic_slides_along_an_axis),
      cmocka_unit_test(rows_without_friction),
      cmocka_unit_test(tower_carries_its_weight),
      cmocka_unit_test(box_on_a_slope),
      cmocka_unit_test(no_work_scores_one),
      cmocka_unit_test(local_and_global_agree),
      cmocka_unit_test(grader_keeps_nothing_of_the_last_answer),
      cmocka_unit_test(parts_add_up_to_the_whole),
      cmocka_unit_test(groundwork_that_is_kept_changes_nothing),
      cmocka_unit_test(nothing_to_do),
      cmocka_unit_test(units_do_not_matter),
      cmocka_unit_test(siconos_figure_depends_on_units),
      cmocka_unit_test(unit_pitfall_of_the_docs),
      cmocka_unit_test(fixed_pair_is_dropped),
      cmocka_unit_test(nan_never_passes),
      cmocka_unit_test(reactions_that_drown_the_motion_never_pass),
      cmocka_unit_test(large_masses),
      cmocka_unit_test(modal_masses),
      cmocka_unit_test(singular_mass_is_refused),
      cmocka_unit_test(memory_that_runs_out_is_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

// A block on a slope, built, solved and certified through the library: the text is in docs/library.md.
//
// The frame is the slope's: x runs down it, z is its normal, gravity leans by ANGLE. The cube touches the slope with
// the four corners of its base. Where tan(ANGLE) > MU it slides, and after one step from rest its speed is
//   v_x = h g (sin ANGLE - MU cos ANGLE)
#include <cardhouse/cardhouse.h>
#include <math.h>
#include <stdio.h>

enum { CORNERS = 4, ROWS = 3 * CORNERS, DOF = 6 };

static const double MASS = 1.0, EDGE = 0.2, MU = 0.5, ANGLE = 0.6, GRAVITY = 9.81, STEP = 0.01;

// Column 3 i + k of H says what a unit impulse at corner i along direction k does to the cube: (d; arm x d).
static void fill_jacobian(int row[], int column[], double value[]) {
  static const double direction[3][3] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}};  // normal, tangent 1, tangent 2
  for (int i = 0; i < CORNERS; ++i) {
    const double arm[3] = {i & 1 ? EDGE / 2 : -EDGE / 2, i & 2 ? EDGE / 2 : -EDGE / 2, -EDGE / 2};
    for (int k = 0; k < 3; ++k) {
      const double* d = direction[k];
      const double entry[DOF] = {d[0],
                                 d[1],
                                 d[2],
                                 arm[1] * d[2] - arm[2] * d[1],
                                 arm[2] * d[0] - arm[0] * d[2],
                                 arm[0] * d[1] - arm[1] * d[0]};
      for (int j = 0; j < DOF; ++j) {
        const int at = DOF * (3 * i + k) + j;
        row[at] = j;
        column[at] = 3 * i + k;
        value[at] = entry[j];
      }
    }
  }
}

static ChStatus build_block(ChContext* context, ChProblem** problem) {
  ChBlock contact[CORNERS];
  for (int i = 0; i < CORNERS; ++i) contact[i] = (ChBlock){.law = CH_LAW_CONTACT, .dimension = 3, .mu = {MU, MU}};

  const double inertia = MASS * EDGE * EDGE / 6.0;
  const double mass[DOF] = {MASS, MASS, MASS, inertia, inertia, inertia};
  const int diagonal[DOF] = {0, 1, 2, 3, 4, 5};

  int row[DOF * ROWS], column[DOF * ROWS];
  double value[DOF * ROWS];
  fill_jacobian(row, column, value);

  const double f[DOF] = {STEP * MASS * GRAVITY * sin(ANGLE), 0, -STEP * MASS * GRAVITY * cos(ANGLE), 0, 0, 0};
  const double w[ROWS] = {0};  // closed contacts at rest: no gap, no moving ground

  ChProblemDef def = {.form = CH_FORM_GLOBAL,
                      .dimension = 3,
                      .block_count = CORNERS,
                      .blocks = contact,
                      .M = {DOF, DOF, DOF, diagonal, diagonal, mass},
                      .H = {DOF, ROWS, DOF * ROWS, row, column, value},
                      .f = f,
                      .w = w};
  return ch_problem_build(context, &def, problem);  // copies everything
}

static void print_certificate(const ChCertificate* certificate) {
#define X(name, text) printf("%-12s %9.2e  %s\n", #name, certificate->name, text);
  CH_CERTIFICATE_FIELDS(X)
#undef X
}

int main(void) {
  ChContext context = {0};
  ChProblem* problem = NULL;
  if (build_block(&context, &problem) != CH_OK) {
    fprintf(stderr, "%s\n", context.message);
    return 2;
  }

  ChSolveOptions options = ch_solve_options_default();
  options.tolerance = 1e-12;
  double v[DOF], u[ROWS], r[ROWS];
  ChSolveInfo info;
  ChStatus status = ch_solve(&context, problem, &options, v, u, r, &info);
  if (status != CH_OK) fprintf(stderr, "%s\n", ch_status_text(status));  // v, u, r hold the best iterate, graded

  const double exact = STEP * GRAVITY * (sin(ANGLE) - MU * cos(ANGLE));
  printf("speed down the slope %.15g m/s, exact %.15g m/s\n\n", v[0], exact);
  print_certificate(&info.certificate);
  ch_problem_destroy(problem);
  return status == CH_OK && fabs(v[0] - exact) <= 1e-12 ? 0 : 1;
}

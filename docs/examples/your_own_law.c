// A shoe with a row of spikes along tangent 2: its rubber grips with mu every way, its spikes add up to `reach` along
// the row. The section of friction is a stadium: a disc of radius mu, swept from -reach to reach along tangent 2.
#include <cardhouse/cardhouse.h>
#include <math.h>
#include <stdio.h>

enum { MU, REACH };  // places of the parameters

// How far along tangent 2 the nearest centre of a disc is.
static double centre(const double* p, const double* x) { return fmin(fmax(x[1], -p[REACH]), p[REACH]); }

static void project(const double* p, const double* x, double* y) {
  const double c = centre(p, x), size = hypot(x[0], x[1] - c);
  const double shrink = size <= p[MU] ? 1.0 : p[MU] / size;
  y[0] = shrink * x[0];
  y[1] = c + shrink * (x[1] - c);
}

static double support(const double* p, const double* u, double* gradient) {
  const double size = hypot(u[0], u[1]), far = copysign(p[REACH], u[1]);
  if (gradient) {  // -(the point of the section that -u points to)
    gradient[0] = size > 0.0 ? p[MU] * u[0] / size : 0.0;
    gradient[1] = (size > 0.0 ? p[MU] * u[1] / size : 0.0) + far;
  }
  return p[MU] * size + p[REACH] * fabs(u[1]);
}

static double residual(const double* p, const double* r, const double* u) {
  return fabs(support(p, u + 1, NULL) * r[0] + r[1] * u[1] + r[2] * u[2]);
}

const ChOwnLaw stadium = {.name = "stadium",
                          .dimension = 3,
                          .section = true,
                          .parameter_count = 2,
                          .parameter = {{"mu", 0.0, 1.0}, {"reach", 0.0, 1.0}},
                          .project = project,
                          .support = support,
                          .residual = residual};

// One contact of a body of 1 kg, pushed down by 1 N s and along both tangents by 2 N s.
int main(void) {
  ChContext said = {0};
  ChLaw law;
  if (ch_law_register(&said, &stadium, &law) != CH_OK) return fprintf(stderr, "%s\n", said.message), 2;
  const ChBlock block = {.law = law, .dimension = 3, .more = {[MU] = 0.5, [REACH] = 0.25}};
  const int index[3] = {0, 1, 2};
  const double inverse_mass[3] = {1.0, 1.0, 1.0}, q[3] = {-1.0, 2.0, 2.0};
  ChProblemDef def = {.dimension = 3, .block_count = 1, .blocks = &block, .w = q};
  def.W = (ChTriplets){3, 3, 3, index, index, inverse_mass};
  ChProblem* problem;
  ChSolveOptions options = ch_solve_options_default();
  ChSolveInfo info;
  double u[3], r[3];
  if (ch_problem_build(&said, &def, &problem) != CH_OK) return fprintf(stderr, "%s\n", said.message), 2;
  const ChStatus status = ch_solve(&said, problem, &options, NULL, u, r, &info);
  printf("r = (%.6f, %.6f, %.6f), natural %.1e\n", r[0], r[1], r[2], info.certificate.natural);
  ch_problem_destroy(problem);
  return status == CH_OK ? 0 : 1;
}

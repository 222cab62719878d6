// The acceleration-level model of Pang and Trinkle for two SCARA arms that hold a cube.
//
//   cube    M_o dV/dt = sum G_i c_i + w          arm i   M_i ddq_i = tau_i - h_i - J_i^T R_i c_i
//
// c_i is the force of fingertip i on the cube in the frame R_i = (n_i, t_i, o_i), n_i pointing into the cube. The
// cube's point moves against the fingertip with a_i = G_i^T dV/dt - R_i^T J_i ddq_i + velocity products, hence
//
//   a = W c + b,     W = G^T M_o^-1 G + R^T J M^-1 J^T R,     b from w, tau - h and the velocity products.
//
// Geometry and inertia are fixed; w, tau - h, the velocity products, mu and the slip headings are drawn from the seed.
#include "mcp/grasp.h"

#include <math.h>
#include <string.h>

enum { JOINTS = 4 };
static const double half_edge = 0.05, cube_mass = 1.0;
static const double link1 = 0.35, link2 = 0.30, base_distance = 0.5;
static const double small = 1e-5;
static const double apex =
    1e-3;  // newton; the squared cone condition fixes forces near zero only to a root of its error

// Uniform in [low, high]; Knuth's 64-bit congruential generator, high bits.
static double draw(unsigned long long* state, double low, double high) {
  *state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
  return low + (high - low) * ((double)(*state >> 11) / 9007199254740992.0);
}

// Inertia of the arm: three vertical axes and a vertical slide, links as rods with a motor's inertia at each joint.
static void arm_inertia(double elbow, double M[JOINTS][JOINTS]) {
  const double m1 = 3.0, m2 = 2.0, m3 = 0.5, m4 = 0.5, I1 = 0.05, I2 = 0.03, I34 = 0.004, r1 = 0.5 * link1,
               r2 = 0.5 * link2;
  double tip = m3 + m4;
  double alpha = I1 + r1 * r1 * m1 + link1 * link1 * (m2 + tip), beta = I2 + I34 + r2 * r2 * m2 + link2 * link2 * tip;
  double gamma = (link1 * link2 * tip + link1 * r2 * m2) * cos(elbow);
  double rows[JOINTS][JOINTS] = {{alpha + beta + 2.0 * gamma, beta + gamma, I34, 0.0},
                                 {beta + gamma, beta, I34, 0.0},
                                 {I34, I34, I34, 0.0},
                                 {0.0, 0.0, 0.0, m4}};
  memcpy(M, rows, sizeof rows);
}

// R^T J (3 x 4) for an arm whose base lies at -n base_distance from the fingertip, both elbows on the same side of the
// grasp; elbow is the angle of the second joint.
static void arm_jacobian(int contact, double elbow, double RJ[3][JOINTS]) {
  double toward = contact == 0 ? 1.0 : -1.0;  // n = (toward, 0, 0)
  double reach = sqrt(link1 * link1 + link2 * link2 + 2.0 * link1 * link2 * cos(elbow));
  double shoulder = atan2(link2 * sin(elbow), link1 + link2 * cos(elbow));
  double bearing = (toward > 0.0 ? 0.0 : M_PI) - shoulder;  // brings the fingertip onto the axis of the grasp
  double x1 = link1 * cos(bearing), y1 = link1 * sin(bearing), x = toward * reach, y = 0.0;
  double J[3][JOINTS] = {{-y, -(y - y1), 0.0, 0.0}, {x, x - x1, 0.0, 0.0}, {0.0, 0.0, 0.0, 1.0}};
  for (int j = 0; j < JOINTS; ++j) {
    RJ[0][j] = toward * J[0][j];
    RJ[1][j] = J[1][j];
    RJ[2][j] = toward * J[2][j];
  }
}

// Elbow angle at which the fingertip reaches the face of the cube.
static double elbow_angle(int contact) {
  double reach = base_distance - half_edge;
  double c = (reach * reach - link1 * link1 - link2 * link2) / (2.0 * link1 * link2);
  return contact == 0 ? acos(c) : -acos(c);
}

// Wrench on the cube of a unit force along row k: (force, moment about the centre).
static void wrench_of(int k, double g[6]) {
  int contact = k / 3;
  double toward = contact == 0 ? 1.0 : -1.0;
  double axes[3][3] = {{toward, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, toward}}, r[3] = {-toward * half_edge, 0.0, 0.0};
  const double* f = axes[k % 3];
  double all[6] = {f[0], f[1], f[2], r[1] * f[2] - r[2] * f[1], r[2] * f[0] - r[0] * f[2], r[0] * f[1] - r[1] * f[0]};
  memcpy(g, all, sizeof all);
}

static void add_cube(ChGrasp* grasp, unsigned long long* state) {
  double moment = cube_mass * 4.0 * half_edge * half_edge / 6.0, inverse[6], w[6], g[CH_GRASP_ROWS][6];
  for (int i = 0; i < 6; ++i) {
    inverse[i] = i < 3 ? 1.0 / cube_mass : 1.0 / moment;
    w[i] = i < 3 ? draw(state, -4.0, 4.0) : draw(state, -0.1, 0.1);
  }
  w[2] -= 9.81 * cube_mass;
  for (int k = 0; k < CH_GRASP_ROWS; ++k) wrench_of(k, g[k]);
  for (int k = 0; k < CH_GRASP_ROWS; ++k)
    for (int i = 0; i < 6; ++i) {
      grasp->b[k] += g[k][i] * inverse[i] * w[i];
      for (int l = 0; l < CH_GRASP_ROWS; ++l) grasp->W[k][l] += g[k][i] * inverse[i] * g[l][i];
    }
}

static void add_arm(ChGrasp* grasp, int contact, unsigned long long* state) {
  double M[JOINTS][JOINTS], RJ[3][JOINTS], X[JOINTS][4];
  double press[3] = {draw(state, -2.0, 12.0), draw(state, -6.0, 6.0), draw(state, -6.0, 6.0)};
  arm_inertia(elbow_angle(contact), M);
  arm_jacobian(contact, elbow_angle(contact), RJ);
  // Columns: M^-1 J^T R and M^-1 (tau - h), with tau - h what presses the fingertip forward with the drawn force.
  for (int j = 0; j < JOINTS; ++j) {
    X[j][3] = 0.0;
    for (int k = 0; k < 3; ++k) {
      X[j][k] = RJ[k][j];
      X[j][3] += RJ[k][j] * press[k];
    }
  }
  for (int j = 0; j < JOINTS; ++j)  // Gauss without pivoting: M is positive definite
    for (int i = 0; i < JOINTS; ++i) {
      if (i == j) continue;
      double factor = M[i][j] / M[j][j];
      for (int l = 0; l < JOINTS; ++l) M[i][l] -= factor * M[j][l];
      for (int l = 0; l < 4; ++l) X[i][l] -= factor * X[j][l];
    }
  for (int k = 0; k < 3; ++k)
    for (int j = 0; j < JOINTS; ++j) {
      grasp->b[3 * contact + k] -= RJ[k][j] * X[j][3] / M[j][j];
      for (int l = 0; l < 3; ++l) grasp->W[3 * contact + k][3 * contact + l] += RJ[k][j] * X[j][l] / M[j][j];
    }
}

ChGrasp ch_grasp_make(int seed) {
  ChGrasp grasp = {0};
  unsigned long long state = (unsigned long long)seed * 0x9E3779B97F4A7C15ULL;
  for (int k = 0; k < 4; ++k) draw(&state, 0.0, 1.0);  // neighbouring seeds part
  grasp.mu = draw(&state, 0.2, 0.8);
  add_cube(&grasp, &state);
  for (int i = 0; i < CH_GRASP_CONTACTS; ++i) {
    add_arm(&grasp, i, &state);
    grasp.heading[i] = draw(&state, -M_PI, M_PI);
  }
  for (int k = 0; k < CH_GRASP_ROWS; ++k) grasp.b[k] += draw(&state, -1.0, 1.0);  // velocity products
  return grasp;
}

void ch_grasp_judge(const ChGrasp* grasp, const double* c, ChGraspContact out[CH_GRASP_CONTACTS]) {
  for (int i = 0; i < CH_GRASP_CONTACTS; ++i) {
    ChGraspContact* contact = &out[i];
    for (int k = 0; k < 3; ++k) {
      const double* row = grasp->W[3 * i + k];
      contact->force[k] = c[3 * i + k];
      contact->acceleration[k] = grasp->b[3 * i + k];
      for (int l = 0; l < CH_GRASP_ROWS; ++l) contact->acceleration[k] += row[l] * c[l];
    }
    const double *f = contact->force, *a = contact->acceleration;
    double force = hypot(f[1], f[2]), slip = hypot(a[1], a[2]), along = f[1] * a[1] + f[2] * a[2];
    contact->transition = f[0] <= small && a[0] > small ? CH_BREAKS : slip > small ? CH_SLIDES : CH_ROLLS;
    contact->opposed = contact->transition != CH_SLIDES || force <= small || along <= -(1.0 - 1e-6) * force * slip;
    contact->outside = force > grasp->mu * f[0] + apex;
  }
}

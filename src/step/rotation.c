// See rotation.h: Newton's method on F(w+) = J (w+ - w) + h wm x J wm. Where a body turns so far in one step that it
// does not end, the step of the spin is cut into parts, which keep energy and |J w| as well.
#include "step/rotation.h"

#include "linalg/small.h"

enum { MOST_STEPS = 30, MOST_PARTS = 1024 };

static ChMat3 cross_matrix(ChVec3 a) { return (ChMat3){{{0.0, -a.z, a.y}, {a.z, 0.0, -a.x}, {-a.y, a.x, 0.0}}}; }

// dF/dw+ = J + h/2 ([wm] J - [J wm])
static ChVec3 newton_step(const ChMat3* J, ChVec3 middle, double h, ChVec3 residual) {
  ChMat3 spin = cross_matrix(middle), momentum = cross_matrix(ch_mat_apply(J, middle));
  double A[9], inverse[9], b[3] = {residual.x, residual.y, residual.z}, x[3];
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      double product = 0.0;
      for (int k = 0; k < 3; ++k) product += spin.m[i][k] * J->m[k][j];
      A[3 * i + j] = J->m[i][j] + 0.5 * h * (product - momentum.m[i][j]);
    }
  if (!ch_small_invert(3, A, inverse)) return ch_vec(0.0, 0.0, 0.0);
  ch_small_multiply(3, inverse, b, x);
  return ch_vec(x[0], x[1], x[2]);
}

// One step of the rule; false where Newton's method does not end.
static bool spin_once(const ChMat3* J, ChVec3 w, double h, ChVec3* end) {
  ChVec3 next = w;
  for (int step = 0; step < MOST_STEPS; ++step) {
    ChVec3 middle = ch_scale(0.5, ch_add(w, next));
    ChVec3 residual = ch_along(ch_mat_apply(J, ch_sub(next, w)), h, ch_cross(middle, ch_mat_apply(J, middle)));
    ChVec3 change = newton_step(J, middle, h, residual);
    next = ch_sub(next, change);
    *end = next;
    if (ch_norm(change) <= 1e-14 * ch_norm(next)) return true;
  }
  return false;
}

ChVec3 ch_free_spin(const ChMat3* J, ChVec3 w, double h) {
  if (ch_norm(ch_cross(w, ch_mat_apply(J, w))) == 0.0) return w;
  ChVec3 end = w;
  for (int parts = 1; parts <= MOST_PARTS; parts *= 2) {
    bool found = true;
    end = w;
    for (int k = 0; k < parts && found; ++k) found = spin_once(J, end, h / parts, &end);
    if (found) return end;
  }
  return end;
}

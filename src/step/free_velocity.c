// A body by itself, held by nothing but its locks:
//
//   v = B x,   (B' M B) x = B' p      B the columns of its degrees of freedom, p its momentum
//
// Without locks B = 1, and in its principal axes M is diagonal: six divisions in place of 1,300 products.
#include <string.h>

#include "linalg/small.h"
#include "step/free_velocity.h"
#include "step/state.h"

// To the last bit what elimination gives. False where M is not diagonal and positive.
static bool divide(int n, const double* M, const double* momentum, double* velocity) {
  for (int a = 0; a < n; ++a)
    for (int c = 0; c < n; ++c)
      if (a == c ? !(M[a * n + c] > 0.0) : M[a * n + c] != 0.0) return false;
  for (int a = 0; a < n; ++a) velocity[a] = 0.0 + 1.0 / M[a * n + a] * momentum[a];
  return true;
}

void ch_free_velocity(const ChWorld* world, int body, const ChBodyState* state, const double* momentum,
                      double* velocity) {
  int width = ch_world_width(world);
  double M[36], basis[36], A[36] = {0}, inverse[36], f[6] = {0}, x[6];
  ch_body_mass(world, body, M);
  if (ch_body_locks(world, body) == 0 && divide(width, M, momentum, velocity)) return;
  int n = ch_body_basis(world, body, state, basis);
  for (int i = 0; i < n; ++i)
    for (int a = 0; a < width; ++a) {
      f[i] += basis[a * n + i] * momentum[a];
      for (int j = 0; j < n; ++j)
        for (int c = 0; c < width; ++c) A[i * n + j] += basis[a * n + i] * M[a * width + c] * basis[c * n + j];
    }
  memset(velocity, 0, (size_t)width * sizeof *velocity);
  if (n == 0 || !ch_small_invert(n, A, inverse)) return;
  ch_small_multiply(n, inverse, f, x);
  for (int a = 0; a < width; ++a)
    for (int i = 0; i < n; ++i) velocity[a] += basis[a * n + i] * x[i];
}

// A body by itself, held by nothing but its locks:
//
//   v = B x,   (B' M B) x = B' p      B the columns of its degrees of freedom, p its momentum
#include <string.h>

#include "linalg/small.h"
#include "step/free_velocity.h"
#include "step/state.h"

void ch_free_velocity(const ChWorld* world, int body, const ChBodyState* state, const double* momentum,
                      double* velocity) {
  int width = ch_world_width(world);
  double M[36], basis[36], A[36] = {0}, inverse[36], f[6] = {0}, x[6];
  int n = ch_body_basis(world, body, state, basis);
  ch_body_mass(world, body, M);
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

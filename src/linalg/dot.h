// x . y of vectors that are long enough for eight sums side by side, which hide how long an addition takes.
#ifndef CH_LINALG_DOT_H
#define CH_LINALG_DOT_H

static inline double ch_dot_lanes(int n, const double* x, const double* y) {
  double lane[8] = {0.0}, rest = 0.0;
  int k = 0;
  for (; k + 8 <= n; k += 8)
    for (int l = 0; l < 8; ++l) lane[l] += x[k + l] * y[k + l];
  if (k + 4 <= n) {
    for (int l = 0; l < 4; ++l) lane[l] += x[k + l] * y[k + l];
    k += 4;
  }
  for (; k < n; ++k) rest += x[k] * y[k];
  return rest + (((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7])));
}

#endif

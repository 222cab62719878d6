// Points of polygonal sections as non-negative sums of corners: what contact and disc share.
#ifndef CH_PROBLEM_LAWS_CORNERS_H
#define CH_PROBLEM_LAWS_CORNERS_H

// t = a c_j + b c_k, two corners
static inline void ch_corners_split_pair(const double* t, const double* c, int j, int k, double* a, double* b) {
  double det = c[2 * j] * c[2 * k + 1] - c[2 * j + 1] * c[2 * k];
  *a = (t[0] * c[2 * k + 1] - t[1] * c[2 * k]) / det;
  *b = (c[2 * j] * t[1] - c[2 * j + 1] * t[0]) / det;
}

// Weights that round-off of r alone made.
static inline void ch_corners_sweep(int count, double* y) {
  double largest = 0.0;
  for (int p = 0; p < count; ++p) largest = fmax(largest, y[p]);
  for (int p = 0; p < count; ++p)
    if (!(y[p] > 1e-9 * largest)) y[p] = 0.0;
}

#endif

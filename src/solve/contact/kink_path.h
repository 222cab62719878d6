// The path of a piecewise linear equation, followed from kink to kink.
//
//   G(x) = V y(x) + x + constant,      y by rows, piecewise linear:
//     a row of its own       y = x between lo and hi, and the nearer of them outside
//     a tangent of row p     y = slope x between -mu y_p and mu y_p, and the nearer of them outside
//   path:  G(x(t)) = (1 - t) G(x(0)),  from t = 0 to t = 1
//
// In each piece x moves along a line. Where it enters the next one, y's derivative D changes by a matrix of rank one,
// and so does the tableau T = (I + V D)^-1 V. The path goes on as the sign of det (I + V D) says: forward where it is
// positive, back where it is negative. So it comes round folds, where a Newton step goes the wrong way, and what came
// from t = -infinity goes to +infinity, past t = 1, wherever the map has degree one (Eaves 1976; Lemke's method is a
// special case).
//
// The tableau is the caller's to keep: full, as here, for a few contacts; or as a sparse factorisation and the changes
// since then (sparse_kinks.h).
#ifndef CH_SOLVE_CONTACT_KINK_PATH_H
#define CH_SOLVE_CONTACT_KINK_PATH_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/work.h"

typedef enum ChKinkEnd {
  CH_KINK_SOLVED,   // t = 1
  CH_KINK_RAY,      // back for ever
  CH_KINK_LOOP,     // back at the start
  CH_KINK_BACK,     // further back than is allowed
  CH_KINK_LIMIT,    // of kinks, or of time
  CH_KINK_SINGULAR  // I + V D is, or time ran out on the way to the first piece
} ChKinkEnd;

// A change of D: c b^T, with few entries each.
enum { CH_KINK_PARTS = 3 };
typedef struct ChKinkChange {
  int rows, columns;
  int row[CH_KINK_PARTS], column[CH_KINK_PARTS];
  double c[CH_KINK_PARTS], b[CH_KINK_PARTS];
} ChKinkChange;

typedef struct ChKinkPath ChKinkPath;

// What knows (I + V D)^-1, and keeps y up to date.
typedef struct ChKinkTableau {
  // From G to the piece that `state` describes; the sign of det (I + V D), 0 where that is none or time ran out.
  double (*enter)(ChKinkPath* path);
  // D + c b^T; the factor by which the determinant changes, 0 where it is too small.
  double (*change)(ChKinkPath* path, const ChKinkChange* change);
  // After a kink: false where it cannot go on. May be NULL.
  bool (*settle)(ChKinkPath* path);
} ChKinkTableau;

struct ChKinkPath {
  int rows, stride;            // of T: rows, made up to whole quads with zeros
  int* tangents;               // per row of its own: how many rows after it are its tangents; -1: is one itself
  double *lo, *hi;             // of rows of their own
  double *mu, *slope;          // of tangents
  double* x;                   // in: the start; out: the end
  double* y;                   // in: G at the start; then (I + V D)^-1 of it
  double* T;                   // in: V, row-major, rows `stride` apart
  signed char *state, *first;  // per row: -1 at or below the lower bound, 0 between, 1; and as it was at the start
  double* row;                 // scratch
  ChKinkChange* due;
  const ChKinkTableau* tableau;  // and what it needs
  void* keeper;
  double price;         // counted work of a change
  double least;         // t below which it is given up
  ChDeadline deadline;  // of the path at hand
};

// With a full tableau.
ChKinkPath ch_kink_path_create(ChArena* arena, int rows);
// Without T and what goes with it, for another tableau.
ChKinkPath ch_kink_path_create_bare(ChArena* arena, int rows);

// Follows it over `most` kinks at most; `kinks` is added to.
ChKinkEnd ch_kink_path_follow(ChKinkPath* path, long most, ChDeadline deadline, long* kinks);

#endif

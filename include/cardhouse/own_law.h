// A law of your own: a convex set as a row of functions. Registration tests the functions, refuses those that do not
// describe such a set, and returns a number that blocks of problems may name from then on, like CH_LAW_CONTACT.
// docs/your_own_law.md builds one.
//
//   a set      K contains r, and -u is in the normal cone of K at r: r . u is least over K.
//   a section  D says which friction a unit of normal reaction bears: K = { r : r_n >= 0, r_T in r_n D }.
//              Contact: K contains r, K* contains u + sigma(u_T) n, orthogonal, with sigma(u_T) = max { -p . u_T : p in
//              D }.
//
// The functions describe K, or D, in the problem's own units. Several threads call them at once, and often: they must
// not write to shared memory, and give no messages.
#ifndef CARDHOUSE_OWN_LAW_H
#define CARDHOUSE_OWN_LAW_H

#include <stdbool.h>

#include "cardhouse/api.h"
#include "cardhouse/problem.h"
#include "cardhouse/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ChOwnParameter {
  const char* name;        // a word, in files and messages
  double lowest, highest;  // both legal
} ChOwnParameter;

// Everything is copied except the functions, which must stay. Their `parameter` points to the first numbers of
// ChBlock.more.
typedef struct ChOwnLaw {
  const char* name;       // a word of lower-case letters, digits, - and _; unique among the laws
  const char* plural;     // NULL: name and s
  const char* statement;  // the law in symbols, for listings; NULL: "own law"
  int dimension;          // rows of a block: 1 to 6; with a section 2 to 6 (the normal and the rows of D)
  bool section;           // the functions describe D, of dimension - 1 rows, not K
  int parameter_count;    // 0 to CH_BLOCK_MORE
  ChOwnParameter parameter[CH_BLOCK_MORE];

  // y = the point of K, or D, nearest to x. D contains 0. A NaN in x gives a NaN.
  void (*project)(const double* parameter, const double* x, double* y);
  // Its derivative, row-major. NULL: the library uses differences of the projection.
  void (*derivative)(const double* parameter, const double* x, double* J);
  // Section: sigma(u) = max { -p . u : p in D } and, if gradient is not NULL, -p of a p that attains it. Set: NULL.
  double (*support)(const double* parameter, const double* u, double* gradient);
  // One block with everything else frozen: r with u = W r + q (W row-major, dimension x dimension) that meets the law.
  // Starts from r. Returns false if it found no such r; the library then searches itself. NULL: the library always
  // searches.
  bool (*solve)(const double* parameter, const double* W, const double* q, double* r);
  // How far (r, u) is from the law by your own measure, >= 0, in joules: the certificate's `dissipation`. It should
  // share nothing with the functions above. NULL: for a section |sigma(u_T) r_n + r_T . u_T|, for a set nothing.
  double (*residual)(const double* parameter, const double* r, const double* u);
} ChOwnLaw;

enum { CH_OWN_LAWS_MAX = CH_LAW_END - CH_LAW_OWN };

// Tests the row at points and parameters that are the same in every run. The projection must be idempotent and
// nonexpansive, x - y must be normal to the set at y, and the derivative must be the limit of differences. The support
// function must be attained; the local solution and the residual must agree with the projection. CH_ERR_RANGE names
// what is wrong, where, and what would be right; CH_ERR_ARGUMENT for a row that is incomplete; CH_ERR_SIZE if
// CH_OWN_LAWS_MAX laws are already registered. A law lives as long as the program. Register laws before the first
// problem that names them; out may be NULL.
CH_API ChStatus ch_law_register(ChContext* context, const ChOwnLaw* law, ChLaw* out);

#ifdef __cplusplus
}
#endif
#endif

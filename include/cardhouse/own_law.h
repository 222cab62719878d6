// A law of your own: a convex set as a row of functions. ch_law_register tries the functions, refuses what is no such
// set, and returns a number that blocks of problems may name from then on, like CH_LAW_CONTACT. docs/your_own_law.md
// builds one.
//
//   a set      K contains r, and -u is in the normal cone of K at r: r . u is least over K.
//   a section  D says which friction a unit of normal reaction bears: K = { r : r_n >= 0, r_T in r_n D }.
//              Contact: K contains r, K* contains u + sigma(u_T) n, orthogonal, with sigma(u_T) = max { -p . u_T : p in
//              D }.
//
// The functions describe K, or D, in the problem's own units. All of them are called from several threads at once and
// often: no memory that is written, no messages.
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

// Everything is copied but the functions, which must stay. Their `parameter` are the first numbers of ChBlock.more.
typedef struct ChOwnLaw {
  const char* name;       // a word of lower-case letters, digits, - and _; no other law has it
  const char* plural;     // NULL: name and s
  const char* statement;  // in symbols, for listings; NULL: "own law"
  int dimension;          // rows of a block: 1 to 6, of a section 2 to 6 (the normal and the rows of D)
  bool section;           // the functions describe D, of dimension - 1 rows, not K
  int parameter_count;    // 0 to CH_BLOCK_MORE
  ChOwnParameter parameter[CH_BLOCK_MORE];

  // y = the point of K, or D, nearest to x. D contains 0. A NaN in x gives a NaN.
  void (*project)(const double* parameter, const double* x, double* y);
  // Its derivative, row-major. NULL: by differences of the projection.
  void (*derivative)(const double* parameter, const double* x, double* J);
  // Section: sigma(u) = max { -p . u : p in D }, and where gradient is not NULL -p of a p that attains it. Set: NULL.
  double (*support)(const double* parameter, const double* u, double* gradient);
  // One block with everything else frozen: r with u = W r + q (W row-major, dimension x dimension), the law met. Starts
  // from r; false: found nothing, and the library's own search is taken. NULL: always that.
  bool (*solve)(const double* parameter, const double* W, const double* q, double* r);
  // How far (r, u) is from the law by a measure of your own, >= 0, in joule: the certificate's `dissipation`. It should
  // share nothing with the functions above. NULL: of a section |sigma(u_T) r_n + r_T . u_T|, of a set nothing.
  double (*residual)(const double* parameter, const double* r, const double* u);
} ChOwnLaw;

enum { CH_OWN_LAWS_MAX = CH_LAW_END - CH_LAW_OWN };

// Tries the row at points and parameters that are drawn always alike. The projection must be idempotent and
// nonexpansive, x - y normal to the set at y, the derivative the limit of differences. The support function must be
// attained; the local solution and the residual must agree with the projection. CH_ERR_RANGE names what is wrong,
// where, and what would be right; CH_ERR_ARGUMENT for a row that is incomplete; CH_ERR_SIZE for one too many. A law
// lives as long as the program. Register laws before the first problem that names them; out may be NULL.
CH_API ChStatus ch_law_register(ChContext* context, const ChOwnLaw* law, ChLaw* out);

#ifdef __cplusplus
}
#endif
#endif

// The laws that a block of a contact problem may obey, as a table: the name of a law, the size of its blocks, its
// parameters, and what kind of law it is. Code that must treat laws differently asks this table and never tests for a
// certain law, so a new law is one more row.
#ifndef CARDHOUSE_LAW_H
#define CARDHOUSE_LAW_H

#include <stdbool.h>
#include <stddef.h>

#include "cardhouse/api.h"

#ifdef __cplusplus
extern "C" {
#endif

// The list of laws, in the order of files and listings: CH_LAW_LIMIT has its row in src/problem/laws/limit.c, and so on
// (contact.c has those of contact and compliant). New laws go to the end.
//
//   contact      Coulomb; dimension 2 in the plane, 3 in space
//   bilateral    r free, u = 0; dimension 1 to 6
//   unilateral   0 <= r _|_ u >= 0; dimension 1
//   limit        lo <= r <= hi, u = 0 inside, u >= 0 at lo, u <= 0 at hi; dimension 1
//   compliant    Coulomb with u_n + c r_n in place of u_n: a normal that yields; dimension as that of contact
//   rolling      Coulomb, and a rolling moment |m_R| <= mu_r r_n; dimension 3 in the plane, 5 in space (normal, two
//                tangents, the moment about them); 6 with a drilling moment |m_N| <= mu_d r_n after them
//   drilling     Coulomb, and a drilling moment |m_N| <= mu_d r_n about the normal; dimension 4
//   cohesive     Coulomb with r_n + c in place of r_n: a normal that may pull down to -c; dimension as that of contact
//   ellipsoidal  friction and drilling share one limit, |r_T|^2 / mu^2 + m_N^2 / mu_d^2 <= r_n^2; dimension 4
//   section      contact whose friction is a convex polygon of the block's `section`; dimension 3
//   elastic      r free, u + c r = 0: a spring and a damper in a joint; dimension 1
#define CH_LAWS(X)            \
  X(CONTACT, contact)         \
  X(BILATERAL, bilateral)     \
  X(UNILATERAL, unilateral)   \
  X(LIMIT, limit)             \
  X(COMPLIANT, compliant)     \
  X(ROLLING, rolling)         \
  X(DRILLING, drilling)       \
  X(ELLIPSOIDAL, ellipsoidal) \
  X(COHESIVE, cohesive)       \
  X(SECTION, section)         \
  X(ELASTIC, elastic)

typedef enum ChLaw {
#define CH_LAW_ENUMERATOR(NAME, name) CH_LAW_##NAME,
  CH_LAWS(CH_LAW_ENUMERATOR)
#undef CH_LAW_ENUMERATOR
      CH_LAW_COUNT,              // of the laws above
  CH_LAW_OWN = CH_LAW_COUNT,     // the first that a program may register: cardhouse/own_law.h
  CH_LAW_END = CH_LAW_OWN + 16,  // beyond the last of them
  CH_LAW_NONE = CH_LAW_END       // no law
} ChLaw;

// Returns the number of laws, including registered ones: their numbers are 0 to ch_law_count() - 1.
CH_API int ch_law_count(void);

enum { CH_LAW_PARAMETERS = 8 };  // most parameters of a law

// A number of ChBlock that a law reads.
typedef struct ChLawParameter {
  const char* name;        // in files, for example "mu"
  const char* title;       // its name in messages, for example "friction coefficient mu"
  size_t offset;           // of the double in ChBlock
  double lowest, highest;  // both legal
} ChLawParameter;

typedef struct ChLawInfo {
  const char* name;       // name in scenes, JSON, messages and files
  const char* plural;     // the same for many
  const char* statement;  // in symbols
  int dimension_lowest;   // smallest dimension of a block; 0: only the dimension of space
  int dimension_highest;
  bool equation;  // in every row r is free and u = 0, as in a joint; rows may have different units
  bool opens;     // the first row is a normal: r_n >= 0 and u_n >= 0
  bool friction;  // the rows after the first are tangents, with mu and, in space, sides of a ChBlock
  bool rolls;     // rows of a rolling moment follow the tangents, with the coefficient in more[0]
  bool shares;    // friction and the drilling moment share one limit
  bool drills;    // a row of a drilling moment about the normal may be the last, with the coefficient in more[1]
  bool section;   // the block's `section` gives the friction
  // The offset of c in ChBlock, if the law holds for u_n + c r_n in place of u_n (n: the first row); 0: the law has no
  // c.
  size_t compliance;
  size_t
      shear;  // offset of c_t if the law holds for u_T + c_t r_T in place of u_T: all rows after the first are tangents
  int parameter_count;
  ChLawParameter parameter[CH_LAW_PARAMETERS];
} ChLawInfo;

// Returns the row of a law, which lives as long as the program; NULL if there is no law of this number.
CH_API const ChLawInfo* ch_law_info(ChLaw law);

// Returns the law of this name, or CH_LAW_NONE if there is none. NULL names no law.
CH_API ChLaw ch_law_find(const char* name);

struct ChBlock;

// Returns the k-th parameter of the block's law (0 <= k < parameter_count), in SI units; NaN for another k.
CH_API double ch_block_parameter(const struct ChBlock* block, int k);

// Returns the compliance of a block in (m/s)/(N s): what a unit of the first row's reaction adds to its velocity before
// the law is applied to u_n + c r_n. 0 for rigid laws.
CH_API double ch_block_compliance(const struct ChBlock* block);

// Returns the compliance along the tangents: what a unit of friction adds to the velocity along it before the law is
// applied to u_T + c_t r_T. 0 for laws that are rigid along their tangents.
CH_API double ch_block_shear(const struct ChBlock* block);

// Sets the parameter; a k out of range changes nothing. ch_problem_build checks the value.
CH_API void ch_block_set_parameter(struct ChBlock* block, int k, double value);

#ifdef __cplusplus
}
#endif
#endif

// FCLIB's HDF5 layout, and the group /cardhouse for what FCLIB has no place for (docs/files.md describes both).
//
// The order of rows in a file is that of the table of laws: contacts and bilaterals, for which FCLIB has a place, then
// laws of our own, each in its group /cardhouse/<name>; inside each law the problem's own order.
//
// A problem of the global form whose contacts are all rolling ones without drilling is one of FCLIB's rolling problems.
//
// Laws that are contact's but for further parameters (compliant) stand among the contacts, so that other readers see
// the rigid problem, and their group lists which contacts these are and what the parameters are.
#ifndef CH_FILES_FCLIB_FILE_H
#define CH_FILES_FCLIB_FILE_H

#include "base/arena.h"
#include "cardhouse/problem.h"

enum {
  CH_FCLIB_CONTACT = CH_LAW_CONTACT,
  CH_FCLIB_BILATERAL = CH_LAW_BILATERAL,
  CH_FCLIB_OWN,                // the first law that FCLIB does not know
  CH_FCLIB_PARTS = CH_LAW_END  // most parts; those from ch_law_count() on are empty
};
_Static_assert(CH_FCLIB_CONTACT == 0 && CH_FCLIB_BILATERAL == 1, "FCLIB's own laws come first in the table");

// Where the rows of a problem lie in its file.
typedef struct ChFclibOrder {
  int start[CH_FCLIB_PARTS + 1];        // first row of each part in the file's order; the last entry is the row count
  int block_start[CH_FCLIB_PARTS + 1];  // the same for blocks
  int* block;                           // block[k] is the problem's index of the file's k-th block
  int* row;                             // row[k] is the problem's row of the file's k-th row
  bool rolls;                           // contacts are rolling ones: the group is /fclib_global_rolling
} ChFclibOrder;

// Where FCLIB has a place for blocks of this law: its own part, or that of contacts.
int ch_fclib_part(const ChFclibOrder* order, ChLaw law);

// Whether blocks of this law, one of our own, may differ in size, so that a list of sizes goes with them.
bool ch_fclib_has_sizes(ChLaw law);

// Whether this law stands among the contacts, and which of its parameters FCLIB has no place for: from this one on.
bool ch_fclib_is_guest(ChLaw law);
enum { CH_FCLIB_GUEST_PARAMETER = 2 };  // after mu and mu2

// False when out of memory (an arena without a landing).
bool ch_fclib_order(ChArena* arena, const ChProblemView* problem, ChFclibOrder* out);

ChStatus ch_fclib_read(ChContext* context, const char* path, ChProblem** out);

#endif

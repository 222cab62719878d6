// Reading reactions for a warm start from FCLIB's solution group or its first guess.
//
// The collection's files carry solutions that are all zero, put there to have the group: such a one counts as absent.
#include <string.h>

#include "base/whole_file.h"
#include "cardhouse/files.h"
#include "files/fclib_file.h"
#include "files/hdf5_file.h"

// Fills the rows [from, to) of the file's order from a dataset.
static void read_rows(ChHdf5* h, const char* name, const ChFclibOrder* order, int from, int to, double* r) {
  long count = 0;
  const double* x = ch_hdf5_doubles(h, name, false, &count);
  if (h->status == CH_OK && count != to - from)
    ch_hdf5_fail(h, CH_ERR_SIZE, "/%s has %ld entries, but the problem needs %d", name, count, to - from);
  for (int k = from; h->status == CH_OK && k < to; ++k) r[order->row[k]] = x[k - from];
}

typedef struct Place {
  const char *group, *r, *l, *own;
} Place;

// True when the group is there and holds anything but zeros. Multipliers that are missing are taken for zero.
static bool read_place(ChHdf5* h, const Place* place, const ChFclibOrder* order, int rows, double* r) {
  memset(r, 0, (size_t)rows * sizeof *r);
  if (!ch_hdf5_has(h, place->group)) return false;
  const int* s = order->start;
  read_rows(h, place->r, order, 0, s[1], r);
  if (s[2] > s[1] && ch_hdf5_has(h, place->l)) read_rows(h, place->l, order, s[1], s[2], r);
  const int own = s[CH_FCLIB_OWN], end = s[CH_FCLIB_PARTS];
  if (end > own && ch_hdf5_has(h, place->own)) read_rows(h, place->own, order, own, end, r);
  for (int k = 0; h->status == CH_OK && k < rows; ++k)
    if (r[k] != 0.0) return true;
  return false;
}

static void read_reaction(ChHdf5* h, const ChProblemView* problem, double* r) {
  static const Place solution = {"solution", "solution/r", "solution/l", "cardhouse/solution/r"};
  static const Place guess = {"guesses/1", "guesses/1/r", "guesses/1/l", "cardhouse/guesses/1/r"};
  ChFclibOrder order;
  if (!ch_fclib_order(h->arena, problem, &order)) {
    ch_hdf5_fail(h, CH_ERR_MEMORY, "out of memory");
    return;
  }
  if (!ch_hdf5_has(h, solution.group) && !ch_hdf5_has(h, guess.group))
    ch_hdf5_fail(h, CH_ERR_FORMAT, "no reactions: the file has neither /solution nor /guesses/1");
  if (h->status == CH_OK && !read_place(h, &solution, &order, problem->rows, r) && h->status == CH_OK)
    read_place(h, &guess, &order, problem->rows, r);
}

ChStatus ch_reaction_read(ChContext* context, const char* path, const ChProblem* problem, double* r) {
  ChArena* arena = ch_arena_create(NULL);
  if (!arena) return ch_fail(context, CH_ERR_MEMORY, "%s: out of memory", path);
  const ChProblemView view = ch_problem_view(problem);
  ChWholeFile file;
  ChStatus status = ch_whole_file_read(context, path, false, arena, &file);
  if (status == CH_OK && !file.hdf5)
    status = ch_fail(context, CH_ERR_FORMAT, "%s: not an HDF5 file; reactions are read from FCLIB files only", path);
  if (status == CH_OK) {
    ChHdf5 h;
    ch_hdf5_open(&h, context, path, arena);
    if (h.status == CH_OK) read_reaction(&h, &view, r);
    ch_hdf5_close(&h);
    status = h.status;
  }
  ch_arena_destroy(arena);
  return status;
}

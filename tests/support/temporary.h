// A temporary folder for the files of a test, and equality of problems to the last bit.
#ifndef CH_TESTS_TEMPORARY_H
#define CH_TESTS_TEMPORARY_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cardhouse/problem.h"
#include "problem/contact_problem.h"

enum { CH_PATH_SIZE = 512 };

static char ch_temporary_folder[CH_PATH_SIZE];

// For cmocka's group set-up and tear-down.
static inline int ch_temporary_create(void** state) {
  (void)state;
  const char* base = getenv("TMPDIR");
  snprintf(ch_temporary_folder, sizeof ch_temporary_folder, "%s/cardhouse-test-XXXXXX", base ? base : "/tmp");
  return mkdtemp(ch_temporary_folder) ? 0 : -1;
}

// How many files the folder holds; they are deleted on request.
static inline int ch_temporary_sweep(bool delete_them) {
  int count = 0;
  DIR* folder = opendir(ch_temporary_folder);
  for (struct dirent* entry; folder && (entry = readdir(folder));) {
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    ++count;
    if (delete_them) unlinkat(dirfd(folder), entry->d_name, 0);
  }
  if (folder) closedir(folder);
  return count;
}

static inline int ch_temporary_remove(void** state) {
  (void)state;
  ch_temporary_sweep(true);
  return rmdir(ch_temporary_folder);
}

// The path of a file in the folder; the buffer is overwritten by the next but one call.
static inline const char* ch_temporary_path(const char* name) {
  static char path[2][2 * CH_PATH_SIZE];
  static int turn;
  turn = 1 - turn;
  snprintf(path[turn], sizeof path[turn], "%s/%s", ch_temporary_folder, name);
  return path[turn];
}

static inline bool ch_same_doubles(const double* a, const double* b, int n) {
  return n == 0 || memcmp(a, b, (size_t)n * sizeof *a) == 0;
}

static inline bool ch_same_sparse(const ChSparse* a, const ChSparse* b) {
  if (a->rows != b->rows || a->columns != b->columns) return false;
  if (a->columns == 0 || !a->start || !b->start) return true;
  int entries = a->start[a->columns];
  return memcmp(a->start, b->start, ((size_t)a->columns + 1) * sizeof(int)) == 0 &&
         memcmp(a->index, b->index, (size_t)entries * sizeof(int)) == 0 && ch_same_doubles(a->value, b->value, entries);
}

static inline bool ch_same_blocks(const ChProblem* a, const ChProblem* b) {
  for (int k = 0; k < a->block_count; ++k) {
    const ChBlock *x = &a->blocks[k], *y = &b->blocks[k];
    if (x->curve != y->curve || x->law != y->law || x->dimension != y->dimension || x->row != y->row) return false;
    for (int j = 0; j < ch_law_info(x->law)->parameter_count; ++j)
      if (!(ch_block_parameter(x, j) == ch_block_parameter(y, j))) return false;
    if (ch_law_info(x->law)->section && memcmp(x->section, y->section, sizeof *x->section) != 0) return false;
  }
  return true;
}

static inline bool ch_same_problem(const ChProblem* a, const ChProblem* b) {
  return a->form == b->form && a->dimension == b->dimension && a->block_count == b->block_count && a->rows == b->rows &&
         a->dof == b->dof && ch_same_blocks(a, b) && ch_same_doubles(a->w, b->w, a->rows) &&
         ch_same_doubles(a->f, b->f, a->dof) && ch_same_sparse(&a->W, &b->W) && ch_same_sparse(&a->M, &b->M) &&
         ch_same_sparse(&a->H, &b->H);
}

#endif

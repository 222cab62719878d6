// Entries of a sparse matrix, listed twice: a first pass without arrays counts them, a second one puts them down.
#ifndef CH_LINALG_ENTRY_LIST_H
#define CH_LINALG_ENTRY_LIST_H

#include "linalg/sparse.h"

typedef struct ChEntryList {
  int *row, *column;  // NULL while counting
  double* value;
  long count;
} ChEntryList;

static inline ChEntryList ch_entry_list_take(ChArena* room, long count) {
  return (ChEntryList){CH_TAKE(room, count, int), CH_TAKE(room, count, int), CH_TAKE(room, count, double), 0};
}

static inline void ch_entry_list_add(ChEntryList* list, int row, int column, double value) {
  if (list->row) {
    list->row[list->count] = row;
    list->column[list->count] = column;
    list->value[list->count] = value;
  }
  ++list->count;
}

static inline ChSparse ch_entry_list_pack(ChArena* room, int rows, int columns, const ChEntryList* list) {
  ChTriplets triplets = {rows, columns, list->count, list->row, list->column, list->value};
  return ch_sparse_from_triplets(room, &triplets);
}

#endif

// Reactions of contacts on their way from process to process.
//
// The list of a simulation is sorted. It may hold contacts that are others' by now: what is there twice is the same.
#include <stdlib.h>
#include <string.h>

#include "dist/dist.h"

bool ch_dist_keep_arrival(ChDistributed* d, const ChContactMemory* memory) {
  if (!ch_dist_grow((void**)&d->arrived, &d->arrived_room, d->arrived_count + 1, sizeof *d->arrived)) return false;
  d->arrived[d->arrived_count++] = *memory;
  return true;
}

static int compare(const void* a, const void* b) { return ch_dist_compare(a, b); }

// Both lists are sorted; of two of the same contact the one that arrived stays. Of several of the same key in one list
// all stay, in their order: qsort's may change, so each arrives from one process with a name of its own (key).
ChStatus ch_dist_merge_arrivals(ChContext* context, ChDistributed* d) {
  ChMemory* memory = &d->s->memory;
  int added = d->arrived_count, kept = memory->contact_count;
  d->arrived_count = 0;
  if (added == 0) return CH_OK;
  qsort(d->arrived, (size_t)added, sizeof *d->arrived, compare);
  if (!ch_dist_grow((void**)&memory->contacts, &memory->contact_room, kept + added, sizeof *memory->contacts))
    return ch_dist_no_memory(context);
  ChContactMemory* list = memory->contacts;
  memmove(list + added, list, (size_t)kept * sizeof *list);
  const ChContactMemory *a = d->arrived, *a_end = a + added, *b = list + added, *b_end = b + kept;
  int count = 0;
  while (a < a_end && b < b_end) {
    int order = ch_dist_compare(a, b);
    if (order == 0) {
      ++b;
      continue;
    }
    list[count++] = order < 0 ? *a++ : *b++;
  }
  while (a < a_end) list[count++] = *a++;
  memmove(list + count, b, (size_t)(b_end - b) * sizeof *list);
  memory->contact_count = count + (int)(b_end - b);
  return CH_OK;
}

const ChContactMemory* ch_dist_recall(const ChDistributed* d, const ChGap* gap) {
  const ChMemory* memory = &d->s->memory;
  const ChContactMemory wanted = {.shape = {gap->shape[0], gap->shape[1]}, .key = gap->key};
  int low = 0, high = memory->contact_count;
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (ch_dist_compare(&memory->contacts[middle], &wanted) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  bool found = low < memory->contact_count && ch_dist_compare(&memory->contacts[low], &wanted) == 0;
  return found ? &memory->contacts[low] : NULL;
}

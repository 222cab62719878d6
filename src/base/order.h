// Order of whole numbers, for qsort.
#ifndef CH_BASE_ORDER_H
#define CH_BASE_ORDER_H

static inline int ch_compare_int(const void* a, const void* b) {
  int x = *(const int*)a, y = *(const int*)b;
  return (x > y) - (x < y);
}

#endif

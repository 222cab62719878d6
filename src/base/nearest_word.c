// Edit distance between words: see cardhouse/text.h.
#include "cardhouse/text.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

enum { WORD_MAX = 64 };

static int smaller(int a, int b) { return a < b ? a : b; }

// Edit distance with neighbours swapped counted as one slip (optimal string alignment), case ignored.
static int word_distance(const char* a, const char* b) {
  int m = (int)strlen(a), n = (int)strlen(b);
  if (m > WORD_MAX || n > WORD_MAX) return WORD_MAX;
  int d[WORD_MAX + 1][WORD_MAX + 1];
  for (int i = 0; i <= m; ++i) d[i][0] = i;
  for (int j = 0; j <= n; ++j) d[0][j] = j;
  for (int i = 1; i <= m; ++i)
    for (int j = 1; j <= n; ++j) {
      int ca = tolower((unsigned char)a[i - 1]), cb = tolower((unsigned char)b[j - 1]);
      d[i][j] = smaller(d[i - 1][j - 1] + (ca != cb), smaller(d[i - 1][j], d[i][j - 1]) + 1);
      bool swapped = i > 1 && j > 1 && ca == tolower((unsigned char)b[j - 2]) && cb == tolower((unsigned char)a[i - 2]);
      if (swapped) d[i][j] = smaller(d[i][j], d[i - 2][j - 2] + 1);
    }
  return d[m][n];
}

const char* ch_word_nearest(const char* word, int count, const char* const* known) {
  const char* best = NULL;
  int length = (int)strlen(word);
  int distance = 2 + length / 2;  // a word with as many slips is another word
  for (int k = 0; k < count; ++k) {
    bool begins = length >= 2 && strncasecmp(word, known[k], (size_t)length) == 0;
    int d = begins ? 0 : word_distance(word, known[k]);
    if (d < distance) {
      distance = d;
      best = known[k];
    }
  }
  return best;
}

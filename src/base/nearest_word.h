// The known word that a mistyped one was probably meant to be.
#ifndef CH_BASE_NEAREST_WORD_H
#define CH_BASE_NEAREST_WORD_H

// NULL when none is near.
const char* ch_word_nearest(const char* word, int count, const char* const* known);

#endif

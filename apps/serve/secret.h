// Secrets of the viewer: 128 bits from the system, written as 32 hexadecimal digits.
#ifndef CH_SERVE_SECRET_H
#define CH_SERVE_SECRET_H

#include <stdbool.h>

enum { CH_SECRET_BYTES = 16, CH_SECRET_SIZE = 2 * CH_SECRET_BYTES + 1 };

typedef struct ChSecret {
  char text[CH_SECRET_SIZE];  // empty: none, which nothing equals
} ChSecret;

// False where the system has no random numbers to give.
bool ch_secret_make(ChSecret* secret);
// Takes as long for every text, so that a guess cannot be mended digit by digit.
bool ch_secret_equals(const ChSecret* secret, const char* text);

#endif

// Secrets: see secret.h.
#include "serve/secret.h"

#include <stdio.h>
#include <string.h>
#include <sys/random.h>

bool ch_secret_make(ChSecret* secret) {
  unsigned char bytes[CH_SECRET_BYTES];
  *secret = (ChSecret){0};
  if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes) return false;  // so few come whole, or not at all
  for (int k = 0; k < CH_SECRET_BYTES; ++k) snprintf(secret->text + 2 * k, 3, "%02x", bytes[k]);
  return true;
}

bool ch_secret_equals(const ChSecret* secret, const char* text) {
  char given[CH_SECRET_SIZE] = "";
  size_t size = strnlen(text, CH_SECRET_SIZE);
  memcpy(given, text, size < CH_SECRET_SIZE ? size : 0);
  volatile unsigned char different = 0;
  for (int k = 0; k < CH_SECRET_SIZE; ++k) different = (unsigned char)(different | (secret->text[k] ^ given[k]));
  return different == 0 && secret->text[0] != '\0';
}

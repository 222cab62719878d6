// Other programs, by name: see program_path.h.
#include "common/program_path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool ch_program_find(int count, const char* const* names, char* path, size_t size) {
  const char* folders = getenv("PATH");
  for (int k = 0; folders && k < count; ++k)
    for (const char* at = folders; *at;) {
      size_t length = strcspn(at, ":");
      snprintf(path, size, "%.*s/%s", (int)length, at, names[k]);
      if (length > 0 && access(path, X_OK) == 0) return true;
      at += length + (at[length] == ':');
    }
  return false;
}

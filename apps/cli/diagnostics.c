// The file of `solve --diagnostics`: see diagnostics.h. It is written line by line, so that a run that is killed leaves
// whole lines.
#include "cli/diagnostics.h"

#include <errno.h>
#include <string.h>

#include "cli/output.h"

FILE* ch_diagnostics_open(const ChCommand* command, const char* path, bool* failed) {
  *failed = false;
  if (!path) return NULL;
  FILE* file = fopen(path, "w");
  if (!file) {
    *failed = true;
    ch_complain(command, "--diagnostics %s: could not be opened for writing: %s", path, strerror(errno));
    return NULL;
  }
  setvbuf(file, NULL, _IOLBF, BUFSIZ);
  fputs("iteration,best,case,contracts", file);
#define X(name, text) fputs("," #name, file);
  CH_STAGGERED_FIELDS(X)
#undef X
  fputs("\n", file);
  return file;
}

void ch_diagnostics_write(void* user, const ChStaggeredStep* step) {
  FILE* file = user;
  fprintf(file, "%d,%d,%s,%d", step->iteration, step->best, step->label, step->contracts);
#define X(name, text) fprintf(file, ",%.9g", ch_plain_nan(step->name));
  CH_STAGGERED_FIELDS(X)
#undef X
  fputs("\n", file);
}

ChExit ch_diagnostics_close(const ChCommand* command, const char* path, FILE* file) {
  return file ? ch_file_close(command, "--diagnostics", path, file) : CH_EXIT_DONE;
}

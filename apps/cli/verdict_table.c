// The ending table: see verdict_table.h. Cells are wrapped at words; the widths add up to that of the terminal.
#include "cli/verdict_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "reproduce/findings.h"

enum { COLUMNS = 4, WIDTH_LEAST = 80, WIDTH_MOST = 180, WIDTH_PIPED = 132 };

static int terminal_width(void) {
  struct winsize size;
  if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return WIDTH_PIPED;
  return size.ws_col < WIDTH_LEAST ? WIDTH_LEAST : size.ws_col > WIDTH_MOST ? WIDTH_MOST : size.ws_col;
}

// How many bytes of the text go into a line of so many characters, and how many characters these are (UTF-8).
static size_t line_length(const char* text, int width, int* characters) {
  size_t best = 0, at = 0;
  int seen = 0, best_seen = 0;
  while (text[at] && seen < width) {
    if (text[at] == ' ') best = at, best_seen = seen;
    do ++at;
    while (((unsigned char)text[at] & 0xC0) == 0x80);
    ++seen;
  }
  bool fits = text[at] == '\0' || text[at] == ' ' || best == 0;
  *characters = fits ? seen : best_seen;
  return fits ? at : best;
}

static void print_cells(const int widths[COLUMNS], const char* cells[COLUMNS]) {
  for (bool more = true; more;) {
    more = false;
    for (int c = 0; c < COLUMNS; ++c) {
      int characters;
      size_t length = line_length(cells[c], widths[c], &characters);
      bool last = c == COLUMNS - 1;
      printf("%.*s", (int)length, cells[c]);
      for (int pad = characters; !last && pad < widths[c] + 2; ++pad) putchar(' ');
      cells[c] += length;
      while (*cells[c] == ' ') ++cells[c];
      more = more || *cells[c];
    }
    putchar('\n');
  }
}

static void print_finding(const int widths[COLUMNS], const ChFinding* f) {
  char* verdict = NULL;
  if (asprintf(&verdict, "%s%s%s%s%s%s", f->verdict, *f->reason ? " because: " : "", f->reason, *f->basis ? " [" : "",
               f->basis, *f->basis ? "]" : "") < 0)
    verdict = NULL;
  bool told = strcmp(f->reason, f->ours) == 0;  // the evidence of a claim is its reason, too
  const char* cells[COLUMNS] = {f->what, f->printed, told ? "" : f->ours, verdict ? verdict : f->verdict};
  print_cells(widths, cells);
  free(verdict);
}

void ch_verdict_table_print(int count, json_t* const* results) {
  int all = terminal_width() - 2 * (COLUMNS - 1);
  int widths[COLUMNS] = {all * 27 / 100, all * 20 / 100, all * 25 / 100, 0};
  widths[3] = all - widths[0] - widths[1] - widths[2];
  const char* heads[COLUMNS] = {"item", "printed", "ours", "verdict"};
  ChTally tally = {0};
  print_cells(widths, heads);
  for (int k = 0; k < count; ++k) {
    if (!results[k]) continue;
    printf("\n%s  %s  [%s]\n", ch_text_of(results[k], "name"), ch_text_of(results[k], "title"),
           ch_text_of(results[k], "source"));
    for (int f = 0; f < ch_finding_count(results[k]); ++f) {
      ChFinding finding = ch_finding_at(results[k], f);
      print_finding(widths, &finding);
    }
    ch_tally_add(&tally, results[k]);
  }
  putchar('\n');
  ch_tally_put(stdout, &tally);
  putchar('\n');
}

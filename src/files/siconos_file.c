// Reading Siconos' text form of a contact problem.
//
//   local:   d  nc  W  q[m]  mu[nc]                     u = W r + q, m = d nc
//   global:  d  nc  M  H  f[n]  w[m]  mu[nc]            M v = H r + f, u = H^T v + w
//   either may be followed by one integer (an old flag), which means nothing
//
// A matrix is `storage rows columns` and a body: 0 dense by columns, 1 blocks in compressed rows, 2 what CSparse
// prints. Nothing in a file says which form it is: it is read as local, and where numbers are left over or missing, as
// global.
#include "files/siconos_file.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/text_scan.h"
#include "files/file_error.h"

enum { STORAGE_DENSE, STORAGE_BLOCKS, STORAGE_SPARSE };
enum { ORIGIN_TRIPLET = 1, ORIGIN_COLUMNS = 2, MAX_ROWS = INT_MAX / 8 };

// A matrix that is being filled.
typedef struct Entries {
  const char* name;
  int rows, columns;
  long room, count;
  int *row, *column;
  double* value;
} Entries;

typedef struct Parser {
  ChScan scan;
  int dimension, contacts;
  Entries first, H;  // first is W or M
  const double *f, *w, *mu;
} Parser;

// Takes memory for `count` entries, each of which is at least one number still to come.
static bool reserve(ChScan* scan, Entries* e, double count) {
  if (!ch_scan_expect(scan, count, e->name)) return false;
  e->room = (long)count;
  e->row = CH_TAKE(scan->arena, e->room + 1, int);
  e->column = CH_TAKE(scan->arena, e->room + 1, int);
  e->value = CH_TAKE(scan->arena, e->room + 1, double);
  if (e->row && e->column && e->value) return true;
  ch_scan_fail(scan, CH_ERR_MEMORY, scan->at, "out of memory for %ld entries of %s", e->room, e->name);
  return false;
}

static void add(Entries* e, int row, int column, double value) {
  e->row[e->count] = row;
  e->column[e->count] = column;
  e->value[e->count++] = value;
}

// ------------------------------------------------------------------------------------------------------------- dense

static void parse_dense(ChScan* scan, Entries* e) {
  const char* at = scan->at;
  long rows = ch_scan_int(scan, "rows of a dense matrix", 0, MAX_ROWS);
  long columns = ch_scan_int(scan, "columns of a dense matrix", 0, MAX_ROWS);
  if (scan->status == CH_OK && (rows != e->rows || columns != e->columns))
    ch_scan_fail(scan, CH_ERR_SIZE, at, "matrix %s is %d x %d at first, then %ld x %ld", e->name, e->rows, e->columns,
                 rows, columns);
  if (!reserve(scan, e, (double)e->rows * (double)e->columns)) return;
  for (int j = 0; j < e->columns; ++j)
    for (int i = 0; i < e->rows; ++i) {
      double value = ch_scan_real(scan, e->name);
      if (scan->status != CH_OK) return;
      if (value != 0.0) add(e, i, j, value);
    }
}

// ------------------------------------------------------------------------------------------------------------ blocks

typedef struct BlockIndex {
  long block_rows, block_columns;
  int *row_end, *column_end;  // ends of the block rows and columns, cumulative
  long filled_rows, filled;
  int *start, *column;  // block CSR
} BlockIndex;

static int begin_of(const int* ends, int k) { return k == 0 ? 0 : ends[k - 1]; }

static void check_ends(ChScan* scan, const char* at, const char* what, const int* ends, long count, int total) {
  for (long k = 0; scan->status == CH_OK && k < count; ++k)
    if (ends[k] < begin_of(ends, (int)k))
      ch_scan_fail(scan, CH_ERR_RANGE, at, "%s: end %ld is %d, before the end of the one before it", what, k, ends[k]);
  if (scan->status == CH_OK && count > 0 && ends[count - 1] != total)
    ch_scan_fail(scan, CH_ERR_SIZE, at, "%s end at %d, but the matrix has %d", what, ends[count - 1], total);
}

static void parse_block_index(ChScan* scan, const Entries* e, BlockIndex* b) {
  b->block_rows = ch_scan_int(scan, "number of block rows", 1, MAX_ROWS);
  b->block_columns = ch_scan_int(scan, "number of block columns", 1, MAX_ROWS);
  const char* at = scan->at;
  b->row_end = ch_scan_ints(scan, "ends of block rows", b->block_rows, 0, e->rows);
  check_ends(scan, at, "block rows", b->row_end, b->block_rows, e->rows);
  at = scan->at;
  b->column_end = ch_scan_ints(scan, "ends of block columns", b->block_columns, 0, e->columns);
  check_ends(scan, at, "block columns", b->column_end, b->block_columns, e->columns);
  b->filled_rows = ch_scan_int(scan, "length of the block row pointers", 1, b->block_rows + 1) - 1;
  b->filled = ch_scan_int(scan, "number of block column indices", 0, INT_MAX);
  at = scan->at;
  b->start = ch_scan_ints(scan, "block row pointers", b->filled_rows + 1, 0, b->filled);
  for (long k = 0; scan->status == CH_OK && k < b->filled_rows; ++k)
    if (b->start[k + 1] < b->start[k] || b->start[0] != 0)
      ch_scan_fail(scan, CH_ERR_RANGE, at, "block row pointers of %s must ascend from 0; number %ld is %d", e->name,
                   k + 1, b->start[k + 1]);
  b->column = ch_scan_ints(scan, "block column indices", b->filled, 0, b->block_columns - 1);
}

static double count_block_entries(const BlockIndex* b) {
  double total = 0.0;
  for (int row = 0; row < b->filled_rows; ++row)
    for (int k = b->start[row]; k < b->start[row + 1]; ++k) {
      int column = b->column[k];
      total += (double)(b->row_end[row] - begin_of(b->row_end, row)) *
               (double)(b->column_end[column] - begin_of(b->column_end, column));
    }
  return total;
}

static void parse_blocks(ChScan* scan, Entries* e) {
  long blocks = ch_scan_int(scan, "number of blocks", 0, INT_MAX);
  if (scan->status != CH_OK || blocks == 0) return;  // Siconos then writes nothing more
  BlockIndex b;
  parse_block_index(scan, e, &b);
  if (scan->status != CH_OK || !reserve(scan, e, count_block_entries(&b))) return;
  for (int row = 0; row < b.filled_rows; ++row)
    for (int k = b.start[row]; k < b.start[row + 1] && scan->status == CH_OK; ++k) {
      ch_scan_int(scan, "number of the block", k, k);
      int column = b.column[k];
      for (int j = begin_of(b.column_end, column); j < b.column_end[column]; ++j)
        for (int i = begin_of(b.row_end, row); i < b.row_end[row]; ++i) add(e, i, j, ch_scan_real(scan, e->name));
    }
}

// ------------------------------------------------------------------------------------------------------------ sparse

static void parse_triplets(ChScan* scan, Entries* e, long count) {
  for (long k = 0; k < count && scan->status == CH_OK; ++k) {
    int i = (int)ch_scan_int(scan, "row index", 0, (long)e->rows - 1);
    int j = (int)ch_scan_int(scan, "column index", 0, (long)e->columns - 1);
    ch_scan_word(scan, ":");
    add(e, i, j, ch_scan_real(scan, e->name));
  }
}

static void parse_columns(ChScan* scan, Entries* e, long count) {
  for (int j = 0; j < e->columns && scan->status == CH_OK; ++j) {
    ch_scan_word(scan, "col");
    ch_scan_int(scan, "column number", j, j);
    ch_scan_word(scan, ":");
    ch_scan_word(scan, "locations");
    long from = ch_scan_int(scan, "first location", e->count, e->count);
    ch_scan_word(scan, "to");
    long to = ch_scan_int(scan, "last location", from - 1, count - 1);
    for (long k = from; k <= to && scan->status == CH_OK; ++k) {
      int i = (int)ch_scan_int(scan, "row index", 0, (long)e->rows - 1);
      ch_scan_word(scan, ":");
      add(e, i, j, ch_scan_real(scan, e->name));
    }
  }
}

static void parse_sparse(ChScan* scan, Entries* e) {
  long origin = ch_scan_int(scan, "origin of a sparse matrix (1 triplets, 2 columns)", ORIGIN_TRIPLET, ORIGIN_COLUMNS);
  ch_scan_line(scan);
  if (scan->at < scan->end) ++scan->at;
  ch_scan_line(scan);  // CSparse's banner
  bool triplets = ch_scan_accept(scan, "triplet:");
  const char* at = scan->at;
  long rows = ch_scan_int(scan, "rows of a sparse matrix", 0, MAX_ROWS);
  ch_scan_word(scan, "-by-");
  long columns = ch_scan_int(scan, "columns of a sparse matrix", 0, MAX_ROWS);
  ch_scan_word(scan, ", nzmax:");
  ch_scan_int(scan, "nzmax", 0, LONG_MAX);
  ch_scan_word(scan, "nnz:");
  long count = ch_scan_int(scan, "nnz", 0, INT_MAX);
  ch_scan_line(scan);
  if (scan->status != CH_OK) return;
  if (rows != e->rows || columns != e->columns)
    ch_scan_fail(scan, CH_ERR_SIZE, at, "matrix %s is %d x %d at first, then %ld x %ld", e->name, e->rows, e->columns,
                 rows, columns);
  else if (triplets != (origin == ORIGIN_TRIPLET))
    ch_scan_fail(scan, CH_ERR_FORMAT, at, "matrix %s: origin %ld does not go with the header that follows", e->name,
                 origin);
  else if (reserve(scan, e, (double)count))
    (triplets ? parse_triplets : parse_columns)(scan, e, count);
}

static void parse_matrix(ChScan* scan, const char* name, Entries* e) {
  long storage = ch_scan_int(scan, "storage of a matrix (0 dense, 1 blocks, 2 sparse)", STORAGE_DENSE, STORAGE_SPARSE);
  *e = (Entries){.name = name};
  e->rows = (int)ch_scan_int(scan, "rows of a matrix", 0, MAX_ROWS);
  e->columns = (int)ch_scan_int(scan, "columns of a matrix", 0, MAX_ROWS);
  if (scan->status != CH_OK) return;
  if (storage == STORAGE_DENSE) parse_dense(scan, e);
  if (storage == STORAGE_BLOCKS) parse_blocks(scan, e);
  if (storage == STORAGE_SPARSE) parse_sparse(scan, e);
}

// ------------------------------------------------------------------------------------------------------ whole problem

static const double* parse_friction(ChScan* scan, long count) {
  if (!ch_scan_expect(scan, (double)count, "mu")) return NULL;
  double* mu = CH_TAKE(scan->arena, count + 1, double);
  if (!mu) ch_scan_fail(scan, CH_ERR_MEMORY, scan->at, "out of memory for %ld numbers", count);
  for (long k = 0; k < count && scan->status == CH_OK; ++k) {
    const char* at = scan->at;
    mu[k] = ch_scan_real(scan, "mu");
    if (!(mu[k] >= 0.0)) ch_scan_fail(scan, CH_ERR_RANGE, at, "mu of contact %ld is %g, must be >= 0", k, mu[k]);
  }
  return mu;
}

// Nothing may follow but one integer.
static void parse_end(ChScan* scan) {
  ch_scan_space(scan);
  if (scan->status != CH_OK || scan->at == scan->end) return;
  const char* at = scan->at;
  ch_scan_int(scan, "after the last mu", LONG_MIN, LONG_MAX);
  ch_scan_space(scan);
  if (scan->status == CH_OK && scan->at != scan->end)
    ch_scan_fail(scan, CH_ERR_SIZE, at, "%ld bytes are left over after the last mu", (long)(scan->end - at));
}

static void parse_local(Parser* p) {
  p->w = ch_scan_reals(&p->scan, "q", (long)p->dimension * p->contacts);
  p->mu = parse_friction(&p->scan, p->contacts);
  parse_end(&p->scan);
}

static void parse_global(Parser* p) {
  long rows = (long)p->dimension * p->contacts;
  const char* at = p->scan.at;
  parse_matrix(&p->scan, "H", &p->H);
  if (p->scan.status == CH_OK && (p->H.rows != p->first.rows || p->H.columns != rows))
    ch_scan_fail(&p->scan, CH_ERR_SIZE, at, "matrix H is %d x %d, must be %d x %ld", p->H.rows, p->H.columns,
                 p->first.rows, rows);
  p->f = ch_scan_reals(&p->scan, "f", p->first.rows);
  p->w = ch_scan_reals(&p->scan, "w", rows);
  p->mu = parse_friction(&p->scan, p->contacts);
  parse_end(&p->scan);
}

// Why the text was read as the form in which it failed.
static ChStatus explain(const Parser* p, const char* form, ChStatus status) {
  ChContext* context = p->scan.context;
  if (!context) return status;
  char text[CH_MESSAGE_SIZE];
  snprintf(text, sizeof text, "%s", context->message);
  return ch_fail(context, status,
                 "%s (read as the %s form: the first matrix is %d x %d, and %d contacts in %s have %d rows)", text,
                 form, p->first.rows, p->first.columns, p->contacts, p->dimension == 2 ? "the plane" : "space",
                 p->dimension * p->contacts);
}

// Tries both forms; of two failures the one that came further is reported.
static ChStatus parse_forms(Parser* p, ChForm* form) {
  int rows = p->dimension * p->contacts;
  Parser local = *p, global = *p;
  ChContext local_context = {0}, global_context = {0};
  local.scan.context = &local_context;
  global.scan.context = &global_context;
  bool fits = p->first.rows == rows;
  if (fits) {
    *form = CH_FORM_LOCAL;
    parse_local(&local);
    if (local.scan.status == CH_OK) {
      *p = local;
      return CH_OK;
    }
  }
  *form = CH_FORM_GLOBAL;
  parse_global(&global);
  if (global.scan.status == CH_OK) {
    *p = global;
    return CH_OK;
  }
  bool local_further = fits && local.scan.at >= global.scan.at;
  const Parser* told = local_further ? &local : &global;
  if (p->scan.context) *p->scan.context = *told->scan.context;
  return explain(p, local_further ? "local" : "global", told->scan.status);
}

static ChTriplets as_triplets(const Entries* e) {
  return (ChTriplets){e->rows, e->columns, e->count, e->row, e->column, e->value};
}

static ChStatus build(Parser* p, ChForm form, ChContext* context, ChProblem** out) {
  ChBlock* blocks = CH_TAKE(p->scan.arena, p->contacts + 1, ChBlock);
  if (!blocks) return ch_fail(context, CH_ERR_MEMORY, "%s: out of memory", p->scan.path);
  for (int k = 0; k < p->contacts; ++k)
    blocks[k] = (ChBlock){.law = CH_LAW_CONTACT, .dimension = p->dimension, .mu = {p->mu[k], p->mu[k]}};
  ChProblemDef def = {.form = form, .dimension = p->dimension, .block_count = p->contacts, .blocks = blocks};
  def.f = p->f;
  def.w = p->w;
  if (form == CH_FORM_LOCAL) {
    def.W = as_triplets(&p->first);
  } else {
    def.M = as_triplets(&p->first);
    def.H = as_triplets(&p->H);
  }
  return ch_file_error(context, p->scan.path, ch_problem_build(context, &def, out));
}

static ChStatus parse(Parser* p, ChContext* context, ChProblem** out) {
  ChScan* scan = &p->scan;
  p->dimension = (int)ch_scan_int(scan, "dimension of space", 2, 3);
  const char* at = scan->at;
  p->contacts = (int)ch_scan_int(scan, "number of contacts", 0, MAX_ROWS / 3);
  if (scan->status == CH_OK && p->contacts > ch_scan_room(scan))
    ch_scan_fail(scan, CH_ERR_SIZE, at, "number of contacts is %d, but only %ld bytes follow", p->contacts,
                 (long)(scan->end - scan->at));
  at = scan->at;
  parse_matrix(scan, "W or M", &p->first);
  if (scan->status == CH_OK && p->first.rows != p->first.columns)
    ch_scan_fail(scan, CH_ERR_SIZE, at, "the first matrix is %d x %d, must be square", p->first.rows, p->first.columns);
  if (scan->status != CH_OK) return scan->status;
  ChForm form = CH_FORM_LOCAL;
  ChStatus status = parse_forms(p, &form);
  return status == CH_OK ? build(p, form, context, out) : status;
}

ChStatus ch_siconos_parse(ChContext* context, const char* path, const char* text, size_t size, ChProblem** out) {
  *out = NULL;
  ChArena* arena = ch_arena_create(NULL);
  locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  ChStatus status = CH_ERR_MEMORY;
  if (!arena || plain == (locale_t)0) {
    ch_fail(context, status, "%s: out of memory", path);
  } else {
    Parser parser = {.scan = {.context = context, .path = path, .arena = arena, .locale = plain}};
    parser.scan.begin = parser.scan.at = text;
    parser.scan.end = text + size;
    status = parse(&parser, context, out);
  }
  if (plain != (locale_t)0) freelocale(plain);
  if (arena) ch_arena_destroy(arena);
  return status;
}

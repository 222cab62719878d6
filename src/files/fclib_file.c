// Reading FCLIB's HDF5 layout.
//
//   /fclib_local    u = W r + V l + q      0 = V^T r + R l + s                         (V, R, s only with bilaterals)
//   /fclib_global   M v = H r + G l + f    u = H^T v + w         0 = G^T v + b         (G, b only with bilaterals)
//   /fclib_global_rolling                  the same, every contact with a rolling moment: spacedim 5 (3 in the plane),
//                                          rows (normal, tangents, moments), and vectors/mu_r beside vectors/mu
//
// so that bilateral rows are further columns of H, or W = [W V; V^T R]. The fclib library itself is not used to read:
// it ends the process (exit) on the first thing it does not expect, and takes every size in the file at its word.
//
// In triplet matrices `i` holds rows and `p` columns, as CSparse has it; the comment in fclib's header says otherwise,
// but no file follows it.
#include "files/fclib_file.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "files/file_error.h"
#include "files/hdf5_file.h"

enum { COMPRESSED_COLUMNS = -1, COMPRESSED_ROWS = -2 };

// Everything read so far, in the file's order of rows.
typedef struct Parts {
  ChHdf5* h;
  ChForm form;
  const char* root;  // "fclib_local", "fclib_global" or "fclib_global_rolling"
  bool rolls;        // ... the last
  int dimension;     // of space
  int per_contact;   // rows
  int rows, dof;
  int start[CH_FCLIB_PARTS + 1];
  int block_count;
  ChBlock* file_blocks;  // in the file's order
  ChBlock* blocks;       // in the problem's
  int* row;              // the file's row -> the problem's
  int curve_count;       // of friction over speed
  ChFrictionCurve* curves;
} Parts;

static const char* law_name(int part) { return ch_law_info((ChLaw)part)->name; }

bool ch_fclib_has_sizes(ChLaw law) { return ch_law_info(law)->dimension_lowest < ch_law_info(law)->dimension_highest; }

bool ch_fclib_is_guest(ChLaw law) { return (int)law >= CH_FCLIB_OWN && ch_law_info(law)->friction; }

int ch_fclib_part(const ChFclibOrder* order, ChLaw law) {
  return ch_fclib_is_guest(law) || (order->rolls && ch_law_info(law)->rolls) ? CH_FCLIB_CONTACT : (int)law;
}

// The global form, and every contact is one of FCLIB's rolling ones.
static bool rolls(const ChProblemView* problem) {
  bool found = false;
  for (int b = 0; b < problem->block_count; ++b) {
    const ChBlock* block = &problem->blocks[b];
    const ChLawInfo* law = ch_law_info(block->law);
    if (law->friction) return false;
    if (!law->rolls) continue;
    found = true;
    if (block->dimension != 2 * problem->dimension - 1 || block->compliance > 0.0) return false;
  }
  return found && problem->form == CH_FORM_GLOBAL;
}

bool ch_fclib_order(ChArena* arena, const ChProblemView* problem, ChFclibOrder* out) {
  *out = (ChFclibOrder){.block = CH_TAKE(arena, problem->block_count + 1, int),
                        .row = CH_TAKE(arena, problem->rows + 1, int)};
  if (!out->block || !out->row) return false;
  out->rolls = rolls(problem);
  int blocks = 0, rows = 0;
  for (int part = 0; part < CH_FCLIB_PARTS; ++part) {
    out->start[part] = rows;
    out->block_start[part] = blocks;
    for (int b = 0; b < problem->block_count; ++b) {
      const ChBlock* block = &problem->blocks[b];
      if (ch_fclib_part(out, block->law) != part) continue;
      out->block[blocks++] = b;
      for (int k = 0; k < block->dimension; ++k) out->row[rows++] = block->row + k;
    }
  }
  out->start[CH_FCLIB_PARTS] = rows;
  out->block_start[CH_FCLIB_PARTS] = blocks;
  return true;
}

// ---------------------------------------------------------------------------------------------------------- matrices

static bool check_index(ChHdf5* h, const char* group, const char* name, long k, int value, int limit) {
  if (value >= 0 && value < limit) return true;
  ch_hdf5_fail(h, CH_ERR_RANGE, "/%s/%s[%ld] is %d, must be 0 to %d", group, name, k, value, limit - 1);
  return false;
}

static bool check_indices(ChHdf5* h, const char* group, const char* name, long count, const int* index, int limit) {
  for (long k = 0; k < count; ++k)
    if (!check_index(h, group, name, k, index[k], limit)) return false;
  return true;
}

// Turns compressed pointers into one index per entry; NULL on a failure.
static int* expand_pointers(ChHdf5* h, const char* group, int lines, const int* p, long stored) {
  if (p[0] != 0) ch_hdf5_fail(h, CH_ERR_RANGE, "/%s/p[0] is %d, must be 0", group, p[0]);
  for (int line = 0; line < lines; ++line)
    if (p[line + 1] < p[line] || p[line + 1] > stored) {
      ch_hdf5_fail(h, CH_ERR_RANGE, "/%s/p[%d] is %d, must be %d to %ld", group, line + 1, p[line + 1], p[line],
                   stored);
      return NULL;
    }
  int* index = ch_hdf5_take(h, p[lines], sizeof *index);
  for (int line = 0; index && line < lines; ++line)
    for (int k = p[line]; k < p[line + 1]; ++k) index[k] = line;
  return index;
}

static void read_compressed(ChHdf5* h, const char* group, int nz, long stored, long pointers, int* p, int* i,
                            ChTriplets* out) {
  bool by_column = nz == COMPRESSED_COLUMNS;
  int lines = by_column ? out->columns : out->rows, across = by_column ? out->rows : out->columns;
  if (pointers != (long)lines + 1) {
    ch_hdf5_fail(h, CH_ERR_SIZE, "/%s/p has %ld entries, must have %ld for %d %s", group, pointers, (long)lines + 1,
                 lines, by_column ? "columns" : "rows");
    return;
  }
  int* line_index = expand_pointers(h, group, lines, p, stored);
  if (!line_index || !check_indices(h, group, "i", p[lines], i, across)) return;
  out->count = p[lines];
  out->row = by_column ? i : line_index;
  out->column = by_column ? line_index : i;
}

static void read_triplet(ChHdf5* h, const char* group, int nz, long stored, long pointers, int* p, int* i,
                         ChTriplets* out) {
  if (nz > stored || nz > pointers) {
    ch_hdf5_fail(h, CH_ERR_SIZE, "/%s/nz is %d, but only %ld entries are stored", group, nz,
                 pointers < stored ? pointers : stored);
    return;
  }
  if (!check_indices(h, group, "i", nz, i, out->rows) || !check_indices(h, group, "p", nz, p, out->columns)) return;
  out->count = nz;
  out->row = i;
  out->column = p;
}

// A matrix group of the size that everything else in the file calls for.
static ChTriplets read_matrix(ChHdf5* h, const char* group, int rows, int columns) {
  char name[CH_HDF5_NAME_SIZE];
  ChTriplets out = {.rows = ch_hdf5_int(h, ch_hdf5_join(name, group, "m")),
                    .columns = ch_hdf5_int(h, ch_hdf5_join(name, group, "n"))};
  int nz = ch_hdf5_int(h, ch_hdf5_join(name, group, "nz"));
  long np = 0, ni = 0, nx = 0;
  if (h->status == CH_OK && (out.rows != rows || out.columns != columns))
    ch_hdf5_fail(h, CH_ERR_SIZE, "matrix /%s is %d x %d, must be %d x %d", group, out.rows, out.columns, rows, columns);
  if (h->status == CH_OK && nz < COMPRESSED_ROWS)
    ch_hdf5_fail(h, CH_ERR_FORMAT, "/%s/nz is %d, must be >= 0 (triplets), -1 (columns) or -2 (rows)", group, nz);
  int* p = ch_hdf5_ints(h, ch_hdf5_join(name, group, "p"), &np);
  int* i = ch_hdf5_ints(h, ch_hdf5_join(name, group, "i"), &ni);
  out.value = ch_hdf5_doubles(h, ch_hdf5_join(name, group, "x"), false, &nx);
  if (h->status != CH_OK) return (ChTriplets){.rows = rows, .columns = columns};
  long stored = ni < nx ? ni : nx;
  if (nz >= 0)
    read_triplet(h, group, nz, stored, np, p, i, &out);
  else
    read_compressed(h, group, nz, stored, np, p, i, &out);
  return out;
}

// A vector of known length.
static double* read_vector(ChHdf5* h, const char* group, const char* name, long length) {
  char path[CH_HDF5_NAME_SIZE];
  long count = 0;
  double* x = ch_hdf5_doubles(h, ch_hdf5_join(path, group, name), false, &count);
  if (h->status == CH_OK && count != length)
    ch_hdf5_fail(h, CH_ERR_SIZE, "/%s has %ld entries, must have %ld", path, count, length);
  return x;
}

// Puts matrices that were read one by one at their places in a larger one.
typedef struct Collector {
  ChHdf5* h;
  long room, count;
  int *row, *column;
  double* value;
} Collector;

static void collector_reserve(Collector* c, ChHdf5* h, const ChTriplets* matrices, int count) {
  *c = (Collector){.h = h};
  for (int k = 0; k < count; ++k) c->room += matrices[k].count;
  c->row = ch_hdf5_take(h, c->room, sizeof *c->row);
  c->column = ch_hdf5_take(h, c->room, sizeof *c->column);
  c->value = ch_hdf5_take(h, c->room, sizeof *c->value);
}

// Rows and columns are shifted and then, where a map is given, renumbered by it.
static void collect(Collector* c, const ChTriplets* t, int row_shift, const int* row_map, int column_shift,
                    const int* column_map) {
  if (c->h->status != CH_OK) return;
  for (long k = 0; k < t->count; ++k, ++c->count) {
    int row = t->row[k] + row_shift, column = t->column[k] + column_shift;
    c->row[c->count] = row_map ? row_map[row] : row;
    c->column[c->count] = column_map ? column_map[column] : column;
    c->value[c->count] = t->value[k];
  }
}

static ChTriplets transposed(const ChTriplets* t) {
  return (ChTriplets){t->columns, t->rows, t->count, t->column, t->row, t->value};
}

// ------------------------------------------------------------------------------------------------------------ blocks

static long part_rows(const Parts* p, int part) { return p->start[part + 1] - p->start[part]; }

static void set_part_rows(Parts* p, int part, long rows) {
  long end = p->start[part] + rows;
  if (end > INT_MAX / 8) ch_hdf5_fail(p->h, CH_ERR_SIZE, "the problem has more than %d rows", INT_MAX / 8);
  for (int later = part + 1; later <= CH_FCLIB_PARTS; ++later)
    p->start[later] = p->h->status == CH_OK ? (int)end : p->start[part];
}

// Rolling problems count rows: 5 are those of space, 3 those of the plane.
static void read_dimension(Parts* p) {
  char name[CH_HDF5_NAME_SIZE];
  p->per_contact = p->dimension = ch_hdf5_int(p->h, ch_hdf5_join(name, p->root, "spacedim"));
  const int most = p->rolls ? 5 : 3, least = p->rolls ? 3 : 2;
  if (p->h->status == CH_OK && p->dimension != least && p->dimension != most)
    ch_hdf5_fail(p->h, CH_ERR_RANGE, "/%s is %d, must be %d or %d", name, p->dimension, least, most);
  if (p->rolls) p->dimension = p->per_contact == 5 ? 3 : 2;
}

// Finds the form, the dimension and how many rows each part has.
static void read_sizes(Parts* p) {
  ChHdf5* h = p->h;
  char name[CH_HDF5_NAME_SIZE];
  bool local = ch_hdf5_has(h, "fclib_local");
  p->rolls = !local && !ch_hdf5_has(h, "fclib_global") && ch_hdf5_has(h, "fclib_global_rolling");
  if (!local && !p->rolls && !ch_hdf5_has(h, "fclib_global"))
    ch_hdf5_fail(h, CH_ERR_FORMAT, "HDF5, but not a contact problem: it has neither /fclib_local nor /fclib_global");
  p->form = local ? CH_FORM_LOCAL : CH_FORM_GLOBAL;
  p->root = local ? "fclib_local" : p->rolls ? "fclib_global_rolling" : "fclib_global";
  read_dimension(p);
  long contacts = ch_hdf5_length(h, ch_hdf5_join(name, p->root, "vectors/mu"));
  set_part_rows(p, CH_FCLIB_CONTACT, contacts * p->per_contact);
  bool bilateral = ch_hdf5_has(h, ch_hdf5_join(name, p->root, local ? "R" : "G"));
  set_part_rows(p, CH_FCLIB_BILATERAL,
                bilateral ? ch_hdf5_length(h, ch_hdf5_join(name, p->root, local ? "vectors/s" : "vectors/b")) : 0);
  for (int part = CH_FCLIB_OWN; part < ch_law_count(); ++part) {
    snprintf(name, sizeof name, "cardhouse/%s/w", law_name(part));
    bool own = !ch_fclib_is_guest((ChLaw)part) && ch_hdf5_has(h, name);
    set_part_rows(p, part, own ? ch_hdf5_length(h, name) : 0);
  }
  p->rows = p->start[CH_FCLIB_PARTS];
}

// Contacts of a rolling problem: what friction does not say.
static void read_rolling(Parts* p, long contacts) {
  char name[CH_HDF5_NAME_SIZE];
  const double* rolling = read_vector(p->h, ch_hdf5_join(name, p->root, "vectors"), "mu_r", contacts);
  for (long k = 0; p->h->status == CH_OK && k < contacts; ++k) {
    ChBlock* block = &p->file_blocks[k];
    if (!(rolling[k] >= 0.0))
      ch_hdf5_fail(p->h, CH_ERR_RANGE, "/%s/mu_r[%ld] is %g, must be >= 0", name, k, rolling[k]);
    *block = (ChBlock){.law = CH_LAW_ROLLING, .dimension = p->per_contact, .mu = {block->mu[0], block->mu[0]}};
    block->more[0] = rolling[k];
  }
}

static void read_contacts(Parts* p) {
  char name[CH_HDF5_NAME_SIZE];
  long count = 0, contacts = part_rows(p, CH_FCLIB_CONTACT) / p->per_contact;
  double* mu = ch_hdf5_doubles(p->h, ch_hdf5_join(name, p->root, "vectors/mu"), false, &count);
  double* mu2 = ch_hdf5_has(p->h, "cardhouse/mu2") ? read_vector(p->h, "cardhouse", "mu2", contacts) : mu;
  for (long k = 0; p->h->status == CH_OK && k < contacts; ++k) {
    if (!(mu[k] >= 0.0)) ch_hdf5_fail(p->h, CH_ERR_RANGE, "/%s[%ld] is %g, must be >= 0", name, k, mu[k]);
    if (!(mu2[k] >= 0.0)) ch_hdf5_fail(p->h, CH_ERR_RANGE, "/cardhouse/mu2[%ld] is %g, must be >= 0", k, mu2[k]);
    p->file_blocks[p->block_count++] =
        (ChBlock){.law = CH_LAW_CONTACT, .dimension = p->dimension, .mu = {mu[k], mu2[k]}};
  }
  if (p->rolls && p->h->status == CH_OK) read_rolling(p, contacts);
}

// A shear compliance of zero is not written, and older files know none.
static bool is_left_out(const Parts* p, const char* group, const ChLawInfo* info, int parameter) {
  char name[CH_HDF5_NAME_SIZE];
  const ChLawParameter* known = &info->parameter[parameter];
  return info->shear > 0 && known->offset == info->shear && p->h->status == CH_OK &&
         !ch_hdf5_has(p->h, ch_hdf5_join(name, group, known->name));
}

// Contacts that obey another law: which they are, ascending, and what FCLIB has no place for.
static void read_guests(Parts* p, ChLaw law) {
  const ChLawInfo* info = ch_law_info(law);
  char group[CH_HDF5_NAME_SIZE], name[CH_HDF5_NAME_SIZE];
  long count = 0, contacts = part_rows(p, CH_FCLIB_CONTACT) / p->per_contact;
  if (p->h->status != CH_OK || !ch_hdf5_has(p->h, ch_hdf5_join(group, "cardhouse", info->name))) return;
  const int* contact = ch_hdf5_ints(p->h, ch_hdf5_join(name, group, "contact"), &count);
  for (long k = 0; p->h->status == CH_OK && k < count; ++k) {
    if (!check_index(p->h, group, "contact", k, contact[k], (int)contacts)) return;
    if (k > 0 && contact[k] <= contact[k - 1]) {
      ch_hdf5_fail(p->h, CH_ERR_RANGE, "/%s[%ld] is %d, must be above the one before, %d", name, k, contact[k],
                   contact[k - 1]);
      return;
    }
    p->file_blocks[contact[k]].law = law;
  }
  for (int parameter = CH_FCLIB_GUEST_PARAMETER; parameter < info->parameter_count; ++parameter) {
    if (is_left_out(p, group, info, parameter)) continue;
    const double* value = read_vector(p->h, group, info->parameter[parameter].name, count);
    for (long k = 0; p->h->status == CH_OK && k < count; ++k)
      ch_block_set_parameter(&p->file_blocks[contact[k]], parameter, value[k]);
  }
}

// Dimensions of blocks, one after the other, that fill up `rows`.
static long read_dimensions(Parts* p, const char* name, int lowest, int highest, long rows, ChLaw law,
                            ChBlock* blocks) {
  long count = 0, left = rows;
  const int* dimension = ch_hdf5_ints(p->h, name, &count);
  for (long k = 0; p->h->status == CH_OK && k < count; ++k) {
    if (dimension[k] < lowest || dimension[k] > highest || dimension[k] > left) {
      ch_hdf5_fail(p->h, CH_ERR_SIZE, "/%s[%ld] is %d, must be %d to %d, and their sum %ld", name, k, dimension[k],
                   lowest, highest, rows);
      return 0;
    }
    left -= dimension[k];
    blocks[k] = (ChBlock){.law = law, .dimension = dimension[k]};
  }
  if (p->h->status == CH_OK && left > 0)
    ch_hdf5_fail(p->h, CH_ERR_SIZE, "/%s sums to %ld rows fewer than there are", name, left);
  return count;
}

// FCLIB knows rows only; how they are bundled into blocks is ours to say.
static void read_bilaterals(Parts* p) {
  const char* name = "cardhouse/bilateral/dimension";
  const long rows = part_rows(p, CH_FCLIB_BILATERAL);
  ChBlock* blocks = p->file_blocks + p->block_count;
  if (p->h->status == CH_OK && ch_hdf5_has(p->h, name)) {
    p->block_count += (int)read_dimensions(p, name, 1, CH_BLOCK_MAX, rows, CH_LAW_BILATERAL, blocks);
    return;
  }
  for (long k = 0; p->h->status == CH_OK && k < rows; ++k)
    p->file_blocks[p->block_count++] = (ChBlock){.law = CH_LAW_BILATERAL, .dimension = 1};
}

// One parameter of every block of a part.
static void read_parameter(Parts* p, int part, int k, ChBlock* blocks, long count) {
  const char* parameter = ch_law_info((ChLaw)part)->parameter[k].name;
  char name[CH_HDF5_NAME_SIZE];
  long found = 0;
  snprintf(name, sizeof name, "cardhouse/%s/%s", law_name(part), parameter);
  const double* value = ch_hdf5_doubles(p->h, name, true, &found);
  if (p->h->status == CH_OK && found != count)
    ch_hdf5_fail(p->h, CH_ERR_SIZE, "/%s has %ld entries, must have %ld", name, found, count);
  for (long b = 0; p->h->status == CH_OK && b < count; ++b) ch_block_set_parameter(&blocks[b], k, value[b]);
}

// Sections of friction: corners[b] of them for block b, one block after the other.
static void read_sections(Parts* p, ChBlock* blocks, long count) {
  long found = 0, total = 0;
  const int* corners = ch_hdf5_ints(p->h, "cardhouse/section/corners", &found);
  if (p->h->status == CH_OK && found != count)
    ch_hdf5_fail(p->h, CH_ERR_SIZE, "/cardhouse/section/corners has %ld entries, must have %ld", found, count);
  for (long b = 0; p->h->status == CH_OK && b < count; ++b) {
    if (!check_index(p->h, "cardhouse/section", "corners", b, corners[b], CH_FRICTION_CORNERS_MAX + 1)) return;
    total += corners[b];
  }
  const double* x = read_vector(p->h, "cardhouse/section", "x", total);
  const double* y = read_vector(p->h, "cardhouse/section", "y", total);
  ChFrictionSection* sections = ch_hdf5_take(p->h, count, sizeof *sections);
  for (long b = 0, at = 0; p->h->status == CH_OK && b < count; ++b) {
    sections[b].count = corners[b];
    for (int k = 0; k < corners[b]; ++k, ++at) sections[b].corner[k][0] = x[at], sections[b].corner[k][1] = y[at];
    blocks[b].section = &sections[b];
  }
}

// Blocks of a law that FCLIB does not know: of one size, or with a list of sizes.
static void read_own_blocks(Parts* p, int part) {
  const ChLawInfo* law = ch_law_info((ChLaw)part);
  const int dimension = law->dimension_lowest > 0 ? law->dimension_lowest : p->dimension;
  long rows = part_rows(p, part), count = rows / dimension;
  ChBlock* blocks = p->file_blocks + p->block_count;
  if (p->h->status != CH_OK || rows == 0) return;
  if (ch_fclib_has_sizes((ChLaw)part)) {
    char name[CH_HDF5_NAME_SIZE];
    snprintf(name, sizeof name, "cardhouse/%s/dimension", law->name);
    count = read_dimensions(p, name, dimension, law->dimension_highest, rows, (ChLaw)part, blocks);
  } else if (rows % dimension != 0) {
    ch_hdf5_fail(p->h, CH_ERR_SIZE, "/cardhouse/%s/w has %ld entries, must be a multiple of %d", law->name, rows,
                 dimension);
    return;
  }
  for (long b = 0; b < count && !ch_fclib_has_sizes((ChLaw)part); ++b)
    blocks[b] = (ChBlock){.law = (ChLaw)part, .dimension = dimension};
  for (int k = 0; k < law->parameter_count; ++k) read_parameter(p, part, k, blocks, count);
  if (law->section) read_sections(p, blocks, count);
  p->block_count += (int)count;
}

// Friction over the speed of slip, as put_curves writes it.
static void read_curve_points(Parts* p) {
  const char* group = "cardhouse/curve";
  long curves = 0, sum = 0;
  const int* points = ch_hdf5_ints(p->h, "cardhouse/curve/points", &curves);
  for (long c = 0; p->h->status == CH_OK && c < curves; ++c) {
    if (points[c] < 1 || points[c] > CH_CURVE_POINTS)
      ch_hdf5_fail(p->h, CH_ERR_RANGE, "/%s/points[%ld] is %d, must be 1 to %d", group, c, points[c], CH_CURVE_POINTS);
    sum += points[c];
  }
  if (p->h->status != CH_OK) return;
  const double *speed = read_vector(p->h, group, "speed", sum), *share = read_vector(p->h, group, "share", sum);
  p->curves = ch_hdf5_take(p->h, curves, sizeof *p->curves);
  if (p->h->status != CH_OK) return;
  p->curve_count = (int)curves;
  for (long c = 0, at = 0; c < curves; at += points[c++]) {
    p->curves[c].count = points[c];
    memcpy(p->curves[c].speed, speed + at, (size_t)points[c] * sizeof *speed);
    memcpy(p->curves[c].share, share + at, (size_t)points[c] * sizeof *share);
  }
}

static void read_curves(Parts* p) {
  const char* group = "cardhouse/curve";
  long blocks = 0, count = 0;
  if (p->h->status != CH_OK || !ch_hdf5_has(p->h, group)) return;
  read_curve_points(p);
  if (p->h->status != CH_OK) return;
  const int* block = ch_hdf5_ints(p->h, "cardhouse/curve/block", &blocks);
  const int* curve = ch_hdf5_ints(p->h, "cardhouse/curve/curve", &count);
  if (p->h->status == CH_OK && blocks != count)
    ch_hdf5_fail(p->h, CH_ERR_SIZE, "/%s/curve has %ld entries, must have %ld", group, count, blocks);
  for (long k = 0; p->h->status == CH_OK && k < blocks; ++k) {
    if (!check_index(p->h, group, "block", k, block[k], p->block_count)) return;
    if (curve[k] < 1 || curve[k] > p->curve_count)
      ch_hdf5_fail(p->h, CH_ERR_RANGE, "/%s/curve[%ld] is %d, must be 1 to %d", group, k, curve[k], p->curve_count);
    p->file_blocks[block[k]].curve = curve[k];
  }
}

// order[k] is the problem's index of the file's k-th block; without one the file's order is the problem's.
static const int* read_order(Parts* p) {
  const char* name = "cardhouse/order";
  long count = 0;
  if (!ch_hdf5_has(p->h, name)) return NULL;
  const int* order = ch_hdf5_ints(p->h, name, &count);
  bool* seen = ch_hdf5_take(p->h, p->block_count, sizeof *seen);
  if (p->h->status == CH_OK && count != p->block_count)
    ch_hdf5_fail(p->h, CH_ERR_SIZE, "/%s has %ld entries, must have one for each of %d blocks", name, count,
                 p->block_count);
  for (long k = 0; p->h->status == CH_OK && k < count; ++k) {
    if (!check_index(p->h, "cardhouse", "order", k, order[k], p->block_count)) return NULL;
    if (seen[order[k]]) ch_hdf5_fail(p->h, CH_ERR_RANGE, "/%s[%ld] is %d for the second time", name, k, order[k]);
    seen[order[k]] = true;
  }
  return order;
}

// Gives every block its place in the problem, and every row of the file its row there.
static void place_blocks(Parts* p, const int* order) {
  int* place = ch_hdf5_take(p->h, p->block_count, sizeof *place);
  p->blocks = ch_hdf5_take(p->h, p->block_count, sizeof *p->blocks);
  p->row = ch_hdf5_take(p->h, p->rows, sizeof *p->row);
  if (p->h->status != CH_OK) return;
  for (int k = 0; k < p->block_count; ++k) {
    place[k] = order ? order[k] : k;
    p->blocks[place[k]] = p->file_blocks[k];
  }
  for (int b = 0, row = 0; b < p->block_count; row += p->blocks[b++].dimension) p->blocks[b].row = row;
  for (int k = 0, row = 0; k < p->block_count; ++k)
    for (int j = 0; j < p->file_blocks[k].dimension; ++j) p->row[row++] = p->blocks[place[k]].row + j;
}

static void read_blocks(Parts* p) {
  p->file_blocks = ch_hdf5_take(p->h, p->rows, sizeof *p->file_blocks);
  if (p->h->status != CH_OK) return;
  read_contacts(p);
  for (int law = 0; law < ch_law_count(); ++law)
    if (ch_fclib_is_guest((ChLaw)law)) read_guests(p, (ChLaw)law);
  read_bilaterals(p);
  for (int part = CH_FCLIB_OWN; part < ch_law_count(); ++part) read_own_blocks(p, part);
  if (p->h->status != CH_OK) return;
  read_curves(p);
  const int* order = p->h->status == CH_OK ? read_order(p) : NULL;
  if (p->h->status == CH_OK) place_blocks(p, order);
}

// ------------------------------------------------------------------------------------------------------- whole file

// The constant term of every row, in the problem's order.
static double* read_bias(Parts* p) {
  char name[CH_HDF5_NAME_SIZE];
  bool local = p->form == CH_FORM_LOCAL;
  double* bias = ch_hdf5_take(p->h, p->rows, sizeof *bias);
  for (int part = 0; part < CH_FCLIB_PARTS; ++part) {
    long rows = part_rows(p, part);
    if (part > CH_FCLIB_CONTACT && rows == 0) continue;
    const double* x;
    if (part <= CH_FCLIB_BILATERAL) {
      const char* symbol = part == CH_FCLIB_CONTACT ? (local ? "q" : "w") : (local ? "s" : "b");
      x = read_vector(p->h, ch_hdf5_join(name, p->root, "vectors"), symbol, rows);
    } else {
      x = read_vector(p->h, ch_hdf5_join(name, "cardhouse", law_name(part)), "w", rows);
    }
    for (long k = 0; p->h->status == CH_OK && k < rows; ++k) bias[p->row[p->start[part] + k]] = x[k];
  }
  return bias;
}

static ChTriplets collected(const Collector* c, int rows, int columns) {
  return (ChTriplets){rows, columns, c->count, c->row, c->column, c->value};
}

static ChTriplets read_group(Parts* p, const char* matrix, int rows, int columns) {
  char name[CH_HDF5_NAME_SIZE];
  return read_matrix(p->h, ch_hdf5_join(name, p->root, matrix), rows, columns);
}

static void read_global(Parts* p, ChProblemDef* def) {
  ChHdf5* h = p->h;
  char name[CH_HDF5_NAME_SIZE];
  long dof = ch_hdf5_length(h, ch_hdf5_join(name, p->root, "vectors/f"));
  p->dof = (int)dof;
  def->f = read_vector(h, ch_hdf5_join(name, p->root, "vectors"), "f", dof);
  def->M = read_group(p, "M", p->dof, p->dof);
  ChTriplets columns[CH_FCLIB_PARTS] = {read_group(p, "H", p->dof, p->start[1])};
  for (int part = 1; part < CH_FCLIB_PARTS; ++part) {
    if (part_rows(p, part) == 0) continue;
    snprintf(name, sizeof name, "cardhouse/%s/H", law_name(part));
    columns[part] = part == CH_FCLIB_BILATERAL ? read_group(p, "G", p->dof, (int)part_rows(p, part))
                                               : read_matrix(h, name, p->dof, (int)part_rows(p, part));
  }
  Collector c;
  collector_reserve(&c, h, columns, CH_FCLIB_PARTS);
  for (int part = 0; part < CH_FCLIB_PARTS; ++part) collect(&c, &columns[part], 0, NULL, p->start[part], p->row);
  def->H = collected(&c, p->dof, p->rows);
}

// A part beyond FCLIB's holds its columns of W down to its own end and its rows of W before its start.
static void read_local(Parts* p, ChProblemDef* def) {
  ChHdf5* h = p->h;
  const int* s = p->start;
  char name[CH_HDF5_NAME_SIZE];
  ChTriplets piece[4 + 2 * CH_FCLIB_PARTS] = {read_matrix(h, "fclib_local/W", s[1], s[1])};
  int row_shift[4 + 2 * CH_FCLIB_PARTS] = {0}, column_shift[4 + 2 * CH_FCLIB_PARTS] = {0}, pieces = 1;
  if (s[2] > s[1]) {
    piece[1] = read_matrix(h, "fclib_local/V", s[1], s[2] - s[1]);
    column_shift[1] = s[1];
    bool lower = ch_hdf5_has(h, "cardhouse/lower");  // where W is not symmetric V^T does not do
    piece[2] = lower ? read_matrix(h, "cardhouse/lower", s[2] - s[1], s[1]) : transposed(&piece[1]);
    row_shift[2] = s[1];
    piece[3] = read_matrix(h, "fclib_local/R", s[2] - s[1], s[2] - s[1]);
    row_shift[3] = column_shift[3] = s[1];
    pieces = 4;
  }
  for (int part = CH_FCLIB_OWN; part < CH_FCLIB_PARTS; ++part) {
    if (part_rows(p, part) == 0) continue;
    snprintf(name, sizeof name, "cardhouse/%s/columns", law_name(part));
    column_shift[pieces] = s[part];
    piece[pieces++] = read_matrix(h, name, s[part + 1], s[part + 1] - s[part]);
    snprintf(name, sizeof name, "cardhouse/%s/rows", law_name(part));
    row_shift[pieces] = s[part];
    piece[pieces++] = read_matrix(h, name, s[part + 1] - s[part], s[part]);
  }
  Collector c;
  collector_reserve(&c, h, piece, pieces);
  for (int k = 0; k < pieces; ++k) collect(&c, &piece[k], row_shift[k], p->row, column_shift[k], p->row);
  def->W = collected(&c, p->rows, p->rows);
}

static ChStatus read_problem(ChHdf5* h, ChProblem** out) {
  Parts p = {.h = h};
  ChProblemDef def = {0};
  read_sizes(&p);
  if (h->status == CH_OK) read_blocks(&p);
  if (h->status == CH_OK) def.w = read_bias(&p);
  if (h->status == CH_OK) (p.form == CH_FORM_LOCAL ? read_local : read_global)(&p, &def);
  if (h->status != CH_OK) return h->status;
  def.form = p.form;
  def.dimension = p.dimension;
  def.block_count = p.block_count;
  def.blocks = p.blocks;
  def.curve_count = p.curve_count;
  def.curves = p.curves;
  return ch_file_error(h->context, h->path, ch_problem_build(h->context, &def, out));
}

ChStatus ch_fclib_read(ChContext* context, const char* path, ChProblem** out) {
  *out = NULL;
  ChArena* arena = ch_arena_create(NULL);
  if (!arena) return ch_fail(context, CH_ERR_MEMORY, "%s: out of memory", path);
  ChHdf5 h;
  ChStatus status = ch_hdf5_open(&h, context, path, arena);
  if (status == CH_OK) status = read_problem(&h, out);
  ch_hdf5_close(&h);
  ch_arena_destroy(arena);
  return status;
}

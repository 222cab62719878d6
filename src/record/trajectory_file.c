// The layout of a trajectory file: see trajectory_file.h.
#include "record/trajectory_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/soft_group.h"
#include "record/steady_file.h"
#include "step/state.h"

enum { VERSION = 1 };
static const char FORMAT[] = "cardhouse-trajectory";

typedef enum Shape { SCALAR, COUNT, PAIR, VECTOR, SPIN, MODES, BODY_VECTOR, BODY_TURN, BODY_SPIN } Shape;

typedef struct Entry {
  const char* name;
  Shape shape;
  bool late;  // older files do not have it, and are read and continued without
} Entry;

static const Entry entries[CH_TRAJECTORY_COLUMNS] = {
    [CH_COLUMN_TIME] = {"time", SCALAR},
    [CH_COLUMN_POSITION] = {"body/position", BODY_VECTOR},
    [CH_COLUMN_ORIENTATION] = {"body/orientation", BODY_TURN},
    [CH_COLUMN_VELOCITY] = {"body/velocity", BODY_VECTOR},
    [CH_COLUMN_OMEGA] = {"body/omega", BODY_SPIN},
    [CH_COLUMN_AMPLITUDES] = {"soft/amplitudes", MODES},
    [CH_COLUMN_RATES] = {"soft/rates", MODES},
    [CH_COLUMN_CONTACTS] = {"step/contacts", COUNT},
    [CH_COLUMN_ITERATIONS] = {"step/iterations", COUNT},
    [CH_COLUMN_SECONDS] = {"step/seconds", SCALAR},
    [CH_COLUMN_PENETRATION] = {"step/penetration", SCALAR},
    [CH_COLUMN_KINETIC] = {"step/kinetic", SCALAR},
    [CH_COLUMN_POTENTIAL] = {"step/potential", SCALAR},
    [CH_COLUMN_MOMENTUM] = {"step/momentum", VECTOR, true},
    [CH_COLUMN_ANGULAR_MOMENTUM] = {"step/angular_momentum", SPIN, true},
    [CH_COLUMN_CERTIFICATE] =
#define X(name, text) {"certificate/" #name, SCALAR},
        CH_CERTIFICATE_FIELDS(X)
#undef X
            [CH_COLUMN_OFFSET] = {"contact/offset", COUNT},
    [CH_COLUMN_BODIES] = {"contact/bodies", PAIR},
    [CH_COLUMN_POINT] = {"contact/point", VECTOR},
    [CH_COLUMN_NORMAL] = {"contact/normal", VECTOR},
    [CH_COLUMN_GAP] = {"contact/gap", SCALAR},
    [CH_COLUMN_FORCE] = {"contact/force", VECTOR},
    [CH_COLUMN_SLIP] = {"contact/slip", VECTOR},
};
static const char* const groups[] = {"body", "step", "certificate", "contact"};

// Type of a number, extents of a row; returns the rank, rows included.
static int layout(Shape shape, const ChWorld* world, hid_t* type, hsize_t extents[3]) {
  hsize_t d = (hsize_t)world->dimension, bodies = (hsize_t)world->body_count;
  *type = shape == COUNT ? H5T_STD_I64LE : shape == PAIR ? H5T_STD_I32LE : H5T_IEEE_F64LE;
  extents[0] = 0;
  extents[1] = shape == PAIR                      ? 2
               : shape == VECTOR || shape == SPIN ? d
               : shape == MODES                   ? (hsize_t)world->mode_count
                                                  : bodies;
  extents[2] = shape == BODY_TURN ? 4 : d;
  if (shape == SCALAR || shape == COUNT || (shape == SPIN && d == 2)) return 1;
  if (shape == PAIR || shape == VECTOR || shape == SPIN || shape == MODES) return 2;
  return shape != BODY_VECTOR && d == 2 ? 2 : 3;
}

const char* ch_trajectory_column_name(ChTrajectoryColumn column) { return entries[column].name; }

static bool world_has(const ChWorld* world, int column) {
  return entries[column].shape != MODES || world->mode_count > 0;
}

bool ch_trajectory_column_is_there(hid_t file, const ChWorld* world, ChTrajectoryColumn column) {
  return world_has(world, column) && (!entries[column].late || H5Lexists(file, entries[column].name, H5P_DEFAULT) > 0);
}

// A column that a world or a file has not stays as closed ones are: it never holds rows.
static bool is_open(const ChColumn* column) { return column->set > 0; }

bool ch_trajectory_columns_create(hid_t file, const ChWorld* world, ChColumn* columns) {
  hid_t type;
  hsize_t extents[3];
  for (int c = 0; c < CH_TRAJECTORY_COLUMNS; ++c) {
    if (!world_has(world, c)) continue;
    int rank = layout(entries[c].shape, world, &type, extents);
    if (!ch_column_create(&columns[c], file, entries[c].name, type, rank, extents)) return false;
  }
  return true;
}

bool ch_trajectory_columns_open(hid_t file, const ChWorld* world, ChColumn* columns) {
  hid_t type;
  hsize_t extents[3];
  for (int c = 0; c < CH_TRAJECTORY_COLUMNS; ++c) {
    if (!ch_trajectory_column_is_there(file, world, (ChTrajectoryColumn)c)) continue;
    int rank = layout(entries[c].shape, world, &type, extents);
    if (!ch_column_open(&columns[c], file, entries[c].name, type, rank, extents)) return false;
  }
  return true;
}

// --- the head ------------------------------------------------------------------------------------------------------

static hid_t text_type(void) {
  hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, H5T_VARIABLE);
  H5Tset_cset(type, H5T_CSET_UTF8);
  return type;
}

static bool put_attribute(hid_t file, const char* name, hid_t type, const void* value) {
  hid_t space = H5Screate(H5S_SCALAR);
  hid_t attribute = H5Acreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  bool done = attribute >= 0 && H5Awrite(attribute, type, value) >= 0;
  if (attribute >= 0) H5Aclose(attribute);
  H5Sclose(space);
  return done;
}

static bool put_names(hid_t file, const ChWorld* world, hid_t text) {
  hsize_t count = (hsize_t)world->body_count;
  const char** names = malloc((size_t)count * sizeof *names);
  hid_t space = H5Screate_simple(1, &count, NULL);
  hid_t set = H5Dcreate2(file, "body/name", text, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  for (hsize_t b = 0; names && b < count; ++b) names[b] = ch_world_body_name(world, (int)b);
  bool done = names && set >= 0 && H5Dwrite(set, text, H5S_ALL, H5S_ALL, H5P_DEFAULT, names) >= 0;
  if (set >= 0) H5Dclose(set);
  H5Sclose(space);
  free(names);
  return done;
}

bool ch_trajectory_put_head(hid_t file, const ChSimulation* simulation, const char* scene) {
  const ChWorld* world = ch_simulation_world(simulation);
  const char* format = FORMAT;
  int version = VERSION;
  const char* method = simulation->options.solve.method;
  double h = simulation->options.h, tolerance = simulation->options.solve.tolerance;
  hid_t text = text_type();
  bool done = put_attribute(file, "format", text, &format) &&
              put_attribute(file, "version", H5T_NATIVE_INT, &version) &&
              put_attribute(file, "dimension", H5T_NATIVE_INT, &world->dimension) &&
              put_attribute(file, "h", H5T_NATIVE_DOUBLE, &h) &&
              put_attribute(file, "tolerance", H5T_NATIVE_DOUBLE, &tolerance) &&
              put_attribute(file, "method", text, &method) && put_attribute(file, "scene", text, &scene);
  for (size_t g = 0; g < sizeof groups / sizeof *groups; ++g) {
    hid_t group = H5Gcreate2(file, groups[g], H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    done = done && group >= 0;
    if (group >= 0) H5Gclose(group);
  }
  done = done && put_names(file, world, text) && ch_soft_group_put(file, world);
  H5Tclose(text);
  return done;
}

static bool get_attribute(hid_t file, const char* name, hid_t type, void* value) {
  hid_t attribute = H5Aopen(file, name, H5P_DEFAULT);
  bool done = attribute >= 0 && H5Aread(attribute, type, value) >= 0;
  if (attribute >= 0) H5Aclose(attribute);
  return done;
}

static bool same_names(hid_t file, const ChWorld* world, hid_t text) {
  hid_t set = H5Dopen2(file, "body/name", H5P_DEFAULT), space = set < 0 ? H5I_INVALID_HID : H5Dget_space(set);
  hssize_t count = space < 0 ? -1 : H5Sget_simple_extent_npoints(space);
  char** names = count == world->body_count ? calloc((size_t)count + 1, sizeof *names) : NULL;
  bool same = names && H5Dread(set, text, H5S_ALL, H5S_ALL, H5P_DEFAULT, names) >= 0;
  for (hssize_t b = 0; same && b < count; ++b)
    same = names[b] && strcmp(names[b], ch_world_body_name(world, (int)b)) == 0;
  for (hssize_t b = 0; names && b < count; ++b) H5free_memory(names[b]);
  free(names);
  if (space >= 0) H5Sclose(space);
  if (set >= 0) H5Dclose(set);
  return same;
}

ChStatus ch_trajectory_check_format(ChContext* context, const char* path, hid_t file) {
  hid_t text = text_type();
  char* found = NULL;
  int number = 0;
  bool ours = get_attribute(file, "format", text, &found) && found && strcmp(found, FORMAT) == 0 &&
              get_attribute(file, "version", H5T_NATIVE_INT, &number);
  H5free_memory(found);
  H5Tclose(text);
  if (!ours) return ch_fail(context, CH_ERR_FORMAT, "%s: not a trajectory that `cardhouse run --out` wrote", path);
  if (number != VERSION)
    return ch_fail(context, CH_ERR_FORMAT, "%s: trajectory of version %d, must be %d", path, number, VERSION);
  return CH_OK;
}

ChStatus ch_trajectory_check_world(ChContext* context, const char* path, hid_t file, const ChWorld* world) {
  hid_t text = text_type();
  int dimension = 0;
  bool same = get_attribute(file, "dimension", H5T_NATIVE_INT, &dimension) && dimension == world->dimension &&
              same_names(file, world, text);
  H5Tclose(text);
  return same ? CH_OK : ch_fail(context, CH_ERR_FORMAT, "%s: a trajectory of other bodies than the scene's", path);
}

static bool get_text(hid_t file, const char* name, char** out) {
  hid_t text = text_type();
  char* found = NULL;
  *out = get_attribute(file, name, text, &found) && found ? strdup(found) : NULL;
  H5free_memory(found);
  H5Tclose(text);
  return *out != NULL;
}

bool ch_trajectory_get_scene(hid_t file, char** scene) { return get_text(file, "scene", scene); }

bool ch_trajectory_get_numbers(hid_t file, double* h, double* tolerance, char* method, size_t size) {
  char* name = NULL;
  bool named = H5Aexists(file, "method") > 0 && get_text(file, "method", &name);
  snprintf(method, size, "%s", named ? name : "");
  free(name);
  bool known = H5Aexists(file, "tolerance") > 0 && get_attribute(file, "tolerance", H5T_NATIVE_DOUBLE, tolerance);
  if (!known) *tolerance = 0.0;
  return get_attribute(file, "h", H5T_NATIVE_DOUBLE, h);
}

// --- continuing ----------------------------------------------------------------------------------------------------

bool ch_trajectory_rows_until(const ChColumn* columns, double time, hsize_t* rows, long* contacts) {
  hsize_t most = columns[CH_COLUMN_OFFSET].extents[0], listed = columns[CH_COLUMN_BODIES].extents[0];
  if (most == 0) return false;
  --most;
  for (int c = 0; c < CH_COLUMN_OFFSET; ++c)
    if (is_open(&columns[c]) && columns[c].extents[0] < most) most = columns[c].extents[0];
  for (int c = CH_COLUMN_BODIES; c < CH_TRAJECTORY_COLUMNS; ++c)
    if (columns[c].extents[0] < listed) listed = columns[c].extents[0];
  double* times = calloc((size_t)most + 1, sizeof *times);
  int64_t* offsets = calloc((size_t)most + 1, sizeof *offsets);
  bool done = times && offsets && ch_column_read(&columns[CH_COLUMN_TIME], 0, most, times) &&
              ch_column_read(&columns[CH_COLUMN_OFFSET], 0, most + 1, offsets);
  while (done && most > 0 && !(times[most - 1] <= time && offsets[most] <= (int64_t)listed)) --most;
  *rows = most;
  *contacts = done ? (long)offsets[most] : 0;
  free(times);
  free(offsets);
  return done && *contacts >= 0;
}

static hsize_t length_of(int column, hsize_t rows, long contacts) {
  return column < CH_COLUMN_OFFSET ? rows : column == CH_COLUMN_OFFSET ? rows + 1 : (hsize_t)contacts;
}

bool ch_trajectory_columns_are(const ChColumn* columns, hsize_t rows, long contacts) {
  for (int c = 0; c < CH_TRAJECTORY_COLUMNS; ++c)
    if (is_open(&columns[c]) && columns[c].extents[0] != length_of(c, rows, contacts)) return false;
  return true;
}

static bool copy_file(const char* from, const char* to) {
  int in = open(from, O_RDONLY | O_CLOEXEC);
  if (in < 0) return false;
  struct stat info;
  int out = fstat(in, &info) == 0 ? open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, info.st_mode & 0777) : -1;
  char* buffer = malloc(1 << 20);
  ssize_t got = out >= 0 && buffer ? 1 : -1;
  while (got > 0 && (got = read(in, buffer, 1 << 20)) > 0)
    for (ssize_t at = 0, put; at < got; at += put)
      if ((put = write(out, buffer + at, (size_t)(got - at))) <= 0) {
        got = -1;
        break;
      }
  int error = errno;
  free(buffer);
  close(in);
  bool closed = out >= 0 && close(out) == 0;
  errno = got < 0 ? error : errno;
  return got == 0 && closed;
}

static bool cut_file(const char* path, const ChWorld* world, hsize_t rows, long contacts) {
  ChColumn columns[CH_TRAJECTORY_COLUMNS] = {0};
  hid_t file = ch_steady_open(path, false);
  if (file < 0) return false;
  bool done = ch_trajectory_columns_open(file, world, columns);
  for (int c = 0; done && c < CH_TRAJECTORY_COLUMNS; ++c)
    done = !is_open(&columns[c]) || ch_column_cut(&columns[c], length_of(c, rows, contacts));
  for (int c = 0; c < CH_TRAJECTORY_COLUMNS; ++c) ch_column_close(&columns[c]);
  done = H5Fflush(file, H5F_SCOPE_LOCAL) >= 0 && done;
  errno = ch_steady_error(file);
  done = done && errno == 0;
  return H5Fclose(file) >= 0 && done;
}

bool ch_trajectory_cut_copy(const char* path, const ChWorld* world, hsize_t rows, long contacts) {
  size_t room = strlen(path) + 32;
  char* copy = malloc(room);
  if (!copy) return false;
  snprintf(copy, room, "%s.%ld.part", path, (long)getpid());
  bool done = copy_file(path, copy) && cut_file(copy, world, rows, contacts) && rename(copy, path) == 0;
  int error = errno;
  if (!done) unlink(copy);
  free(copy);
  errno = error;
  return done;
}

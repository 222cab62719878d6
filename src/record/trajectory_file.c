// The layout of a trajectory file: see trajectory_file.h.
#include "record/trajectory_file.h"

#include <stdlib.h>
#include <string.h>

#include "record/joint_group.h"
#include "record/soft_group.h"

enum { VERSION = 1 };
static const char FORMAT[] = "cardhouse-trajectory";

typedef enum Shape {
  SCALAR,
  COUNT,
  PAIR,
  VECTOR,
  SPIN,
  MODES,
  FREEDOMS,
  BODY_VECTOR,
  BODY_TURN,
  BODY_SPIN,
  MOMENT
} Shape;

typedef struct Entry {
  const char* name;
  Shape shape;
  bool late;  // older files do not have it, and are read and continued without
} Entry;

static const Entry entries[CH_TRAJECTORY_COLUMNS] = {
    [CH_COLUMN_TIME] = {"time", SCALAR, false},
    [CH_COLUMN_POSITION] = {"body/position", BODY_VECTOR, false},
    [CH_COLUMN_ORIENTATION] = {"body/orientation", BODY_TURN, false},
    [CH_COLUMN_VELOCITY] = {"body/velocity", BODY_VECTOR, false},
    [CH_COLUMN_OMEGA] = {"body/omega", BODY_SPIN, false},
    [CH_COLUMN_AMPLITUDES] = {"soft/amplitudes", MODES, false},
    [CH_COLUMN_RATES] = {"soft/rates", MODES, false},
    [CH_COLUMN_JOINT_POSITION] = {"joint/position", FREEDOMS, true},
    [CH_COLUMN_JOINT_SPEED] = {"joint/speed", FREEDOMS, true},
    [CH_COLUMN_JOINT_FORCE] = {"joint/force", FREEDOMS, true},
    [CH_COLUMN_CONTACTS] = {"step/contacts", COUNT, false},
    [CH_COLUMN_ITERATIONS] = {"step/iterations", COUNT, false},
    [CH_COLUMN_SECONDS] = {"step/seconds", SCALAR, false},
    [CH_COLUMN_PENETRATION] = {"step/penetration", SCALAR, false},
    [CH_COLUMN_KINETIC] = {"step/kinetic", SCALAR, false},
    [CH_COLUMN_POTENTIAL] = {"step/potential", SCALAR, false},
    [CH_COLUMN_MOMENTUM] = {"step/momentum", VECTOR, true},
    [CH_COLUMN_ANGULAR_MOMENTUM] = {"step/angular_momentum", SPIN, true},
    [CH_COLUMN_OVERLAP] = {"step/overlap", SCALAR, true},
    [CH_COLUMN_GAIN] = {"step/gain", SCALAR, true},
    [CH_COLUMN_UNCOVERED] = {"step/uncovered", SCALAR, true},
    [CH_COLUMN_BOUNDS] = {"step/bounds", COUNT, true},
    [CH_COLUMN_CERTIFICATE] =
#define X(name, text) {"certificate/" #name, SCALAR, offsetof(ChCertificate, name) == offsetof(ChCertificate, rigid)},
        CH_CERTIFICATE_FIELDS(X)
#undef X
            [CH_COLUMN_OFFSET] = {"contact/offset", COUNT, false},
    [CH_COLUMN_BODIES] = {"contact/bodies", PAIR, false},
    [CH_COLUMN_POINT] = {"contact/point", VECTOR, false},
    [CH_COLUMN_NORMAL] = {"contact/normal", VECTOR, false},
    [CH_COLUMN_GAP] = {"contact/gap", SCALAR, false},
    [CH_COLUMN_FORCE] = {"contact/force", VECTOR, false},
    [CH_COLUMN_SLIP] = {"contact/slip", VECTOR, false},
    [CH_COLUMN_MOMENT] = {"contact/moment", MOMENT, true},
    [CH_COLUMN_SPIN] = {"contact/spin", MOMENT, true},
    [CH_COLUMN_BRANCH] = {"contact/branch", COUNT, true},
};
static const char* const groups[] = {"body", "step", "certificate", "contact"};

ChHdf5Rows ch_trajectory_row(ChTrajectoryColumn column, const ChWorld* world) {
  Shape shape = entries[column].shape;
  long d = ch_world_dimension(world);
  ChHdf5Rows row = {.number = shape == COUNT ? CH_HDF5_INT64 : shape == PAIR ? CH_HDF5_INT32 : CH_HDF5_REAL, .rank = 3};
  row.extents[1] = shape == PAIR                                         ? 2
                   : shape == VECTOR || shape == SPIN || shape == MOMENT ? d
                   : shape == MODES                                      ? ch_world_mode_count(world)
                   : shape == FREEDOMS                                   ? ch_joint_group_freedoms(world)
                                                                         : ch_world_body_count(world);
  row.extents[2] = shape == BODY_TURN ? 4 : d;
  if (shape == SCALAR || shape == COUNT || ((shape == SPIN || shape == MOMENT) && d == 2))
    row.rank = 1;
  else if (shape == PAIR || shape == VECTOR || shape == SPIN || shape == MOMENT || shape == MODES ||
           shape == FREEDOMS || (shape != BODY_VECTOR && d == 2))
    row.rank = 2;
  return row;
}

const char* ch_trajectory_column_name(ChTrajectoryColumn column) { return entries[column].name; }

static bool world_has(const ChWorld* world, int column) {
  if (entries[column].shape == MOMENT) return ch_world_has_moments(world);
  if (column == CH_COLUMN_BRANCH) return ch_world_has_friction_over_speed(world);
  if (entries[column].shape == FREEDOMS) return ch_joint_group_freedoms(world) > 0;
  return entries[column].shape != MODES || ch_world_mode_count(world) > 0;
}

bool ch_trajectory_column_is_there(ChHdf5* file, const ChWorld* world, ChTrajectoryColumn column) {
  return world_has(world, column) && (!entries[column].late || ch_hdf5_has(file, entries[column].name));
}

bool ch_trajectory_columns_create(hid_t file, const ChWorld* world, const bool* there, ChColumn* columns) {
  for (int c = 0; c < CH_TRAJECTORY_COLUMNS; ++c) {
    if (!world_has(world, c) || (there && !there[c])) continue;
    ChHdf5Rows row = ch_trajectory_row((ChTrajectoryColumn)c, world);
    if (!ch_column_create(&columns[c], file, entries[c].name, &row)) return false;
  }
  return true;
}

long ch_trajectory_length(ChTrajectoryColumn column, long rows, long contacts) {
  return column < CH_COLUMN_OFFSET ? rows : column == CH_COLUMN_OFFSET ? rows + 1 : contacts;
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
  hsize_t count = (hsize_t)ch_world_body_count(world);
  const char** names = malloc((size_t)count * sizeof *names);
  hid_t space = H5Screate_simple(1, &count, NULL);
  hid_t set = H5Dcreate2(file, "body/name", text, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  for (hsize_t b = 0; names && b < count; ++b) names[b] = ch_world_body_name(world, ch_world_body_at(world, (int)b));
  bool done = names && set >= 0 && H5Dwrite(set, text, H5S_ALL, H5S_ALL, H5P_DEFAULT, names) >= 0;
  if (set >= 0) H5Dclose(set);
  H5Sclose(space);
  free(names);
  return done;
}

bool ch_trajectory_put_head(hid_t file, const ChWorld* world, const ChTrajectoryMade* made) {
  const char* format = FORMAT;
  int version = VERSION;
  hid_t text = text_type();
  bool done = put_attribute(file, "format", text, &format) &&
              put_attribute(file, "version", H5T_NATIVE_INT, &version) &&
              put_attribute(file, "dimension", H5T_NATIVE_INT, &(int){ch_world_dimension(world)}) &&
              put_attribute(file, "h", H5T_NATIVE_DOUBLE, &made->h) &&
              put_attribute(file, "tolerance", H5T_NATIVE_DOUBLE, &made->tolerance) &&
              put_attribute(file, "method", text, &made->method) &&
              put_attribute(file, "contact", text, &made->contact) && put_attribute(file, "scene", text, &made->scene);
  for (size_t g = 0; g < sizeof groups / sizeof *groups; ++g) {
    hid_t group = H5Gcreate2(file, groups[g], H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    done = done && group >= 0;
    if (group >= 0) H5Gclose(group);
  }
  done = done && put_names(file, world, text) && ch_soft_group_put(file, world) && ch_joint_group_put(file, world);
  H5Tclose(text);
  return done;
}

void ch_trajectory_check_format(ChHdf5* file) {
  const char* format = ch_hdf5_has_attribute(file, "format") ? ch_hdf5_attribute_text(file, "format") : NULL;
  if (file->status == CH_OK && !(format && strcmp(format, FORMAT) == 0))
    ch_hdf5_fail(file, CH_ERR_FORMAT, "not a trajectory that `cardhouse run --out` wrote");
  int version = ch_hdf5_attribute_int(file, "version");
  if (file->status == CH_OK && version != VERSION)
    ch_hdf5_fail(file, CH_ERR_FORMAT, "trajectory of version %d, must be %d", version, VERSION);
}

static bool same_names(const char* names, long count, const ChWorld* world) {
  bool same = names && count == ch_world_body_count(world);
  for (int b = 0; same && b < ch_world_body_count(world); ++b, names += strlen(names) + 1)
    same = strcmp(names, ch_world_body_name(world, ch_world_body_at(world, b))) == 0;
  return same;
}

void ch_trajectory_check_world(ChHdf5* file, const ChWorld* world) {
  long count = 0;
  int dimension = ch_hdf5_attribute_int(file, "dimension");
  const char* names = ch_hdf5_texts(file, "body/name", &count);
  if (file->status == CH_OK && (dimension != ch_world_dimension(world) || !same_names(names, count, world)))
    ch_hdf5_fail(file, CH_ERR_FORMAT, "the bodies of the trajectory are not those of the scene");
}

void ch_trajectory_get_made(ChHdf5* file, ChTrajectoryMade* made) {
  *made = (ChTrajectoryMade){.method = "", .scene = "", .contact = ch_contact_law_name(CH_CONTACT_RIGID)};
  made->h = ch_hdf5_attribute_real(file, "h");
  if (ch_hdf5_has_attribute(file, "tolerance")) made->tolerance = ch_hdf5_attribute_real(file, "tolerance");
  const char* method = ch_hdf5_has_attribute(file, "method") ? ch_hdf5_attribute_text(file, "method") : NULL;
  const char* scene = ch_hdf5_has_attribute(file, "scene") ? ch_hdf5_attribute_text(file, "scene") : NULL;
  const char* contact = ch_hdf5_has_attribute(file, "contact") ? ch_hdf5_attribute_text(file, "contact") : NULL;
  if (contact) made->contact = contact;
  if (method) made->method = method;
  if (scene) made->scene = scene;
  if (file->status == CH_OK && !(made->h > 0.0))
    ch_hdf5_fail(file, CH_ERR_FORMAT, "attribute 'h' is %g, must be above 0", made->h);
  if (file->status == CH_OK && !(made->tolerance >= 0.0))
    ch_hdf5_fail(file, CH_ERR_FORMAT, "attribute 'tolerance' is %g, must be 0 or more", made->tolerance);
}

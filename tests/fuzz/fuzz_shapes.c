// Fuzz target: recordings in which attributes and datasets are of any class, width, rank and extent. The input is no
// file but a recipe, by which HDF5 itself changes a good recording: its structure is always sound, so that the readers'
// own code is what is tried, in this very process. `fuzz_shapes --seeds FOLDER` writes a corpus to start from.
#include <hdf5.h>

#include "files/hdf5_file.h"
#include "fuzz_hdf5.h"
#include "fuzz_read.h"
#include "record/trajectory_copy.h"
#include "step/state.h"

int LLVMFuzzerInitialize(int* argc, char*** argv);
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

enum { STEP = 8, MOST_STEPS = 4, MOST_ENTRIES = 4096 };

static const char* const attributes[] = {"format", "version", "dimension", "h", "tolerance", "method", "scene"};
static const char* const sets[] = {"time",
                                   "body/name",
                                   "body/position",
                                   "body/orientation",
                                   "body/velocity",
                                   "body/omega",
                                   "soft/amplitudes",
                                   "soft/rates",
                                   "soft/body",
                                   "soft/skin",
                                   "soft/offset",
                                   "soft/skin-0/rest",
                                   "soft/skin-0/shape",
                                   "soft/skin-0/triangles",
                                   "soft/skin-0/frequency",
                                   "step/contacts",
                                   "step/iterations",
                                   "step/seconds",
                                   "step/penetration",
                                   "step/kinetic",
                                   "step/potential",
                                   "step/momentum",
                                   "step/angular_momentum",
                                   "certificate/natural",
                                   "contact/offset",
                                   "contact/bodies",
                                   "contact/point",
                                   "contact/normal",
                                   "contact/gap",
                                   "contact/force",
                                   "contact/slip"};
enum { ATTRIBUTES = sizeof attributes / sizeof *attributes, SETS = sizeof sets / sizeof *sets };

static hid_t type_for(uint8_t which) {
  static const char* const words[] = {"no", "yes"};
  hid_t type;
  switch (which % 14) {
    case 0:
      return H5Tcopy(H5T_IEEE_F64LE);
    case 1:
      return H5Tcopy(H5T_IEEE_F32BE);
    case 2:
      return H5Tcopy(H5T_STD_I32LE);
    case 3:
      return H5Tcopy(H5T_STD_I64BE);
    case 4:
      return H5Tcopy(H5T_STD_U8LE);
    case 5:
      return H5Tcopy(H5T_NATIVE_LDOUBLE);
    case 6:
    case 7:
      type = H5Tcopy(H5T_C_S1);
      H5Tset_size(type, which % 14 == 6 ? H5T_VARIABLE : 1 + which / 14);
      return type;
    case 8:
      return H5Tvlen_create(H5T_IEEE_F64LE);
    case 9:
      return H5Tarray_create2(H5T_IEEE_F64LE, 1, &(hsize_t){1 + which / 14});
    case 10:
      type = H5Tcreate(H5T_COMPOUND, 16);
      H5Tinsert(type, "a", 0, H5T_IEEE_F64LE);
      H5Tinsert(type, "b", 8, H5T_STD_I32LE);
      return type;
    case 11:
      type = H5Tenum_create(H5T_STD_I32LE);
      for (int k = 0; k < 2; ++k) H5Tenum_insert(type, words[k], &k);
      return type;
    case 12:
      return H5Tcreate(H5T_OPAQUE, 1 + which / 14);
    default:
      return H5Tcopy(H5T_STD_REF_OBJ);
  }
}

static hid_t space_for(const uint8_t* step) {
  static const hsize_t extents[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 100, 1000, 4096, UINT32_MAX, (hsize_t)1 << 40};
  hsize_t size[4], most[4];
  int rank = step[3] % 6;
  if (rank == 5) return H5Screate(H5S_NULL);
  if (rank == 0) return H5Screate(H5S_SCALAR);
  for (int k = 0; k < rank; ++k) {
    size[k] = extents[(step[4] >> (k % 2 ? 4 : 0) ^ (k < 2 ? 0 : step[5])) & 15];
    most[k] = H5S_UNLIMITED;
  }
  return H5Screate_simple(rank, size, step[6] & 1 ? most : NULL);
}

// Values of any kind; what has pointers inside stays unwritten.
static void fill(hid_t object, hid_t type, hid_t space, const uint8_t* step, bool attribute) {
  hssize_t entries = H5Sget_simple_extent_npoints(space);
  H5T_class_t class = H5Tget_class(type);
  bool plain = class == H5T_INTEGER || class == H5T_FLOAT || (class == H5T_STRING && !H5Tis_variable_str(type));
  if (!plain || entries < 1 || entries > MOST_ENTRIES || !(step[6] & 2)) return;
  size_t bytes = (size_t)entries * H5Tget_size(type);
  uint8_t* values = malloc(bytes);
  if (!values) return;
  for (size_t k = 0; k < bytes; ++k) values[k] = step[7] ? (uint8_t)(step[7] * (k % 8 + 1)) : 0;
  if (attribute)
    H5Awrite(object, type, values);
  else
    H5Dwrite(object, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
  free(values);
}

static void change_attribute(hid_t file, const uint8_t* step) {
  const char* name = attributes[step[1] % ATTRIBUTES];
  H5Adelete(file, name);
  if (step[0] & 1) return;
  hid_t type = type_for(step[2]), space = space_for(step);
  // HDF5 makes room for all of an attribute at once.
  bool small = H5Sget_simple_extent_npoints(space) <= MOST_ENTRIES;
  hid_t made = small ? H5Acreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT) : H5I_INVALID_HID;
  if (made >= 0) fill(made, type, space, step, true);
  if (made >= 0) H5Aclose(made);
  H5Tclose(type);
  H5Sclose(space);
}

static hid_t storage_for(hid_t space, const uint8_t* step) {
  hid_t list = H5Pcreate(H5P_DATASET_CREATE);
  int rank = H5Sget_simple_extent_ndims(space);
  const hsize_t chunk[4] = {1 + (step[5] & 15), 1 + (step[5] >> 4), 2, 1};
  if (rank > 0 && rank <= 4 && step[6] & 5) H5Pset_chunk(list, rank, chunk);
  if (rank > 0 && step[6] & 8) H5Pset_deflate(list, 4);
  if (step[6] & 16) H5Pset_external(list, "/dev/null", 0, H5F_UNLIMITED);
  return list;
}

static void change_set(hid_t file, const uint8_t* step) {
  const char* name = sets[step[1] % SETS];
  H5Ldelete(file, name, H5P_DEFAULT);
  switch (step[0] % 8) {
    case 0:
      return;
    case 1:
      H5Gclose(H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
      return;
    case 2:
      H5Lcreate_soft("/time", file, name, H5P_DEFAULT, H5P_DEFAULT);
      return;
    case 3:
      H5Lcreate_external("/dev/null", "/time", file, name, H5P_DEFAULT, H5P_DEFAULT);
      return;
    default:
      break;
  }
  hid_t type = type_for(step[2]), space = space_for(step), list = storage_for(space, step);
  hid_t made = H5Dcreate2(file, name, type, space, H5P_DEFAULT, list, H5P_DEFAULT);
  if (made >= 0) fill(made, type, space, step, false);
  if (made >= 0) H5Dclose(made);
  H5Pclose(list);
  H5Tclose(type);
  H5Sclose(space);
}

int LLVMFuzzerInitialize(int* argc, char*** argv) {
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  ch_hdf5_read_here(true);
  if (*argc != 3 || strcmp((*argv)[1], "--seeds") != 0) return 0;
  for (int k = 0; k < 3 * (ATTRIBUTES + SETS); ++k) {
    char name[4096];
    int part = k / 3;
    bool attribute = part < ATTRIBUTES;
    uint8_t recipe[1 + STEP] = {(uint8_t)k,
                                (uint8_t)(attribute ? 128 : 6),
                                (uint8_t)(attribute ? part : part - ATTRIBUTES),
                                (uint8_t)k,
                                (uint8_t)(k / 2),
                                0x33,
                                0,
                                2,
                                1};
    snprintf(name, sizeof name, "%s/seed-%d", (*argv)[2], k);
    FILE* file = fopen(name, "wb");
    if (!file || fwrite(recipe, 1, sizeof recipe, file) != sizeof recipe || fclose(file) != 0) exit(1);
  }
  exit(0);
}

typedef struct Base {
  uint8_t* bytes;
  size_t size;
  ChSimulation* simulation;
} Base;

static Base make_base(int scene) {
  const char* path = fuzz_file((const uint8_t*)"", 0);
  fuzz_record(scene, path, NULL);
  FILE* file = fopen(path, "rb");
  Base base = {.bytes = malloc(1 << 20), .simulation = fuzz_simulation(scene)};
  base.size = file && base.bytes ? fread(base.bytes, 1, 1 << 20, file) : 0;
  if (file) fclose(file);
  return base;
}

// As --resume does.
static void copy(const char* path, const ChSimulation* simulation) {
  ChContext context = {0};
  ChSteady file = CH_STEADY_CLOSED;
  ChColumn columns[CH_TRAJECTORY_COLUMNS] = {0};
  long contacts;
  if (ch_trajectory_copy(&context, path, simulation->world, 0.03, &file, columns, &contacts) != CH_OK &&
      context.message[0] == '\0')
    abort();
  for (int c = 0; c < CH_TRAJECTORY_COLUMNS; ++c) ch_column_close(&columns[c]);
  ch_steady_close(&file);
}

// The recipe: which scene, then steps of eight bytes; the first of each says attribute (128) or dataset, and whether it
// is there at all.
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static Base bases[FUZZ_SCENES];
  if (size < 1 + STEP) return 0;
  Base* base = &bases[data[0] % FUZZ_SCENES];
  if (!base->bytes) *base = make_base(data[0] % FUZZ_SCENES);
  char path[sizeof fuzz_path + 8];
  snprintf(path, sizeof path, "%s.h5", fuzz_file((const uint8_t*)"", 0));
  FILE* out = fopen(path, "wb");
  if (!out || fwrite(base->bytes, 1, base->size, out) != base->size || fclose(out) != 0) return 0;
  hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
  for (size_t k = 0; file >= 0 && k < MOST_STEPS && 1 + (k + 1) * STEP <= size; ++k) {
    const uint8_t* step = data + 1 + k * STEP;
    if (step[0] & 128)
      change_attribute(file, step);
    else
      change_set(file, step);
  }
  if (file >= 0) H5Fclose(file);
  fuzz_read(path);
  copy(path, base->simulation);
  unlink(path);
  return 0;
}

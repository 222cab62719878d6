// Checked access to an HDF5 file, the only one there is: kind of object, class and size of its type, rank and extents
// are looked at before anything is read, every size is compared with the file before memory is taken on its word, and
// the first failure sticks, so that a reader may ask for ten things in a row and look at the status once.
//
// Only hard links to plain datasets stored in the file itself are followed: an external link, an external raw-data file
// or a virtual dataset could make a file read any other file.
#ifndef CH_FILES_HDF5_FILE_H
#define CH_FILES_HDF5_FILE_H

#include <hdf5.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/arena.h"
#include "cardhouse/status.h"

enum { CH_HDF5_NAME_SIZE = 128 };  // longest name of a dataset that is asked for
enum { CH_HDF5_HELD = 40 };        // datasets kept open between requests for their rows

typedef struct ChHdf5Held {
  char name[CH_HDF5_NAME_SIZE];
  hid_t set;
  int number, rank;  // checked to be so
  long extents[3];
} ChHdf5Held;

typedef struct ChHdf5 {
  ChContext* context;
  const char* path;  // for messages
  ChArena* arena;    // holds what is read
  hid_t file, driver;
  int descriptor;   // of a file that was opened here; 0: none
  double bytes;     // size of the file
  ChStatus status;  // of the first failure; nothing is done after it
  int channel;      // to the child process that reads the file, or -1
  pid_t child;
  ChHdf5Held* held;
  int held_count;
  bool silenced;  // HDF5 prints no errors; what it did before is kept here
  H5E_auto2_t handler;
  void* handler_data;
} ChHdf5;

// One that was never opened; it may be closed.
#define CH_HDF5_CLOSED ((ChHdf5){.file = H5I_INVALID_HID, .driver = H5I_INVALID_HID, .channel = -1})

// For reading, in a child process (hdf5_apart.h). Every open is followed by a close, also when it failed. While open,
// HDF5 does not print its error stack.
ChStatus ch_hdf5_open(ChHdf5* h, ChContext* context, const char* path, ChArena* arena);
// The same without the child process of hdf5_apart.h: for the child itself, and for tests of what it runs.
ChStatus ch_hdf5_open_at(ChHdf5* h, ChContext* context, const char* path, ChArena* arena, int fd);
ChStatus ch_hdf5_open_here(ChHdf5* h, ChContext* context, const char* path, ChArena* arena);
// Whether ch_hdf5_open does without the child, too: for fuzz targets alone, which look for faults of our own code.
void ch_hdf5_read_here(bool on);
// A file in memory: new, or with the content of `image`. Its bytes go to disk with ch_hdf5_save.
ChStatus ch_hdf5_open_image(ChHdf5* h, ChContext* context, const char* path, ChArena* arena, void* image, size_t size);
void ch_hdf5_close(ChHdf5* h);

// Records a failure unless there was one before.
void ch_hdf5_fail(ChHdf5* h, ChStatus status, const char* format, ...) __attribute__((format(printf, 3, 4)));

// "a/b" into a buffer of CH_HDF5_NAME_SIZE.
char* ch_hdf5_join(char* buffer, const char* a, const char* b);
// An array from the arena, at least one entry long; NULL after a failure.
void* ch_hdf5_take(ChHdf5* h, long count, size_t size);

// What is read of an attribute or an array of more than one extent must be of this class in the file, of any width.
typedef enum ChHdf5Number {
  CH_HDF5_REAL,   // double
  CH_HDF5_INT64,  // int64_t
  CH_HDF5_INT32   // int32_t
} ChHdf5Number;

// Rows of an array.
typedef struct ChHdf5Rows {
  ChHdf5Number number;
  int rank;         // 1 to 3, with the rows
  long extents[3];  // [1] and [2] are those of a row
  long first, count;
} ChHdf5Rows;

size_t ch_hdf5_row_bytes(const ChHdf5Rows* rows);  // in memory

// Reading. Names are paths from the root without a leading slash; arrays and texts belong to the arena. Attributes are
// the root's.
bool ch_hdf5_has(ChHdf5* h, const char* name);
bool ch_hdf5_has_attribute(ChHdf5* h, const char* name);
int ch_hdf5_attribute_int(ChHdf5* h, const char* name);
double ch_hdf5_attribute_real(ChHdf5* h, const char* name);
const char* ch_hdf5_attribute_text(ChHdf5* h, const char* name);  // NULL after a failure
// Texts of a vector, one after the other, each with a zero at its end.
const char* ch_hdf5_texts(ChHdf5* h, const char* name, long* count);
// Vectors of numbers: reals may be stored as integers.
long ch_hdf5_length(ChHdf5* h, const char* name);
int ch_hdf5_int(ChHdf5* h, const char* name);
int* ch_hdf5_ints(ChHdf5* h, const char* name, long* count);
double* ch_hdf5_doubles(ChHdf5* h, const char* name, bool infinite_allowed, long* count);
// Arrays of one to three extents. The first looks whether the file holds what it declares, and tells the extents; the
// second reads rows into `out`, which has room for them.
bool ch_hdf5_extents(ChHdf5* h, const char* name, ChHdf5Number number, int rank, long extents[3]);
bool ch_hdf5_rows(ChHdf5* h, const char* name, const ChHdf5Rows* rows, void* out);

// Writing.
void ch_hdf5_put_group(ChHdf5* h, const char* name);
void ch_hdf5_put_int(ChHdf5* h, const char* name, int value);
void ch_hdf5_put_ints(ChHdf5* h, const char* name, long count, const int* values);
void ch_hdf5_put_doubles(ChHdf5* h, const char* name, long count, const double* values);
void ch_hdf5_put_text(ChHdf5* h, const char* name, const char* text);
// The bytes of a file in memory, in the arena, and these on disk.
void* ch_hdf5_image(ChHdf5* h, size_t* size);
void ch_hdf5_save(ChHdf5* h);

#endif

// Checked access to an HDF5 file: every size is compared with the file before memory is taken on its word, and the
// first failure sticks, so that a reader may ask for ten things in a row and look at the status once.
//
// Only hard links to plain numeric datasets stored in the file itself are followed: an external link, an external
// raw-data file or a virtual dataset could make a problem file read any other file.
#ifndef CH_PROBLEM_HDF5_FILE_H
#define CH_PROBLEM_HDF5_FILE_H

#include <hdf5.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/arena.h"
#include "cardhouse/status.h"

enum { CH_HDF5_NAME_SIZE = 128 };  // longest name of a dataset that is asked for

typedef struct ChHdf5 {
  ChContext* context;
  const char* path;  // for messages
  ChArena* arena;    // holds what is read
  hid_t file;
  double bytes;     // size of the file
  ChStatus status;  // of the first failure; nothing is done after it
  int channel;      // to the child process that reads the file, or -1
  pid_t child;
  bool silenced;  // HDF5 prints no errors; what it did before is kept here
  H5E_auto2_t handler;
  void* handler_data;
} ChHdf5;

// For reading, in a child process (hdf5_apart.h). Every open is followed by a close, also when it failed. While open,
// HDF5 does not print its error stack.
ChStatus ch_hdf5_open(ChHdf5* h, ChContext* context, const char* path, ChArena* arena);
// The same without the child process of hdf5_apart.h.
ChStatus ch_hdf5_open_here(ChHdf5* h, ChContext* context, const char* path, ChArena* arena);
// A file in memory: new, or with the content of `image`. Its bytes go to disk with ch_hdf5_save.
ChStatus ch_hdf5_open_image(ChHdf5* h, ChContext* context, const char* path, ChArena* arena, void* image, size_t size);
void ch_hdf5_close(ChHdf5* h);

// Records a failure unless there was one before.
void ch_hdf5_fail(ChHdf5* h, ChStatus status, const char* format, ...) __attribute__((format(printf, 3, 4)));

// "a/b" into a buffer of CH_HDF5_NAME_SIZE.
char* ch_hdf5_join(char* buffer, const char* a, const char* b);
// An array from the arena, at least one entry long; NULL after a failure.
void* ch_hdf5_take(ChHdf5* h, long count, size_t size);

// Refuses datasets that keep their data outside of the file, and sizes that the file cannot hold.
bool ch_hdf5_storage_holds(ChHdf5* h, const char* name, hid_t set, double bytes);

// Reading. Names are paths from the root without a leading slash; arrays belong to the arena.
bool ch_hdf5_has(ChHdf5* h, const char* name);
long ch_hdf5_length(ChHdf5* h, const char* name);
int ch_hdf5_int(ChHdf5* h, const char* name);
int* ch_hdf5_ints(ChHdf5* h, const char* name, long* count);
double* ch_hdf5_doubles(ChHdf5* h, const char* name, bool infinite_allowed, long* count);

// Writing.
void ch_hdf5_put_group(ChHdf5* h, const char* name);
void ch_hdf5_put_int(ChHdf5* h, const char* name, int value);
void ch_hdf5_put_ints(ChHdf5* h, const char* name, long count, const int* values);
void ch_hdf5_put_doubles(ChHdf5* h, const char* name, long count, const double* values);
void ch_hdf5_put_text(ChHdf5* h, const char* name, const char* text);
void ch_hdf5_save(ChHdf5* h);

#endif

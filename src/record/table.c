// CSV: one line a step, flushed at whole lines twice a second.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/durable.h"
#include "base/file_lock.h"
#include "base/plain_numbers.h"
#include "cardhouse/clock.h"
#include "cardhouse/disk.h"
#include "cardhouse/recirculation.h"
#include "cardhouse/record.h"
#include "cardhouse/soft.h"
#include "record/deflection.h"

enum { BUFFER = 1 << 20 };
static const double FLUSH_SECONDS = 0.5;

struct ChTable {
  char* path;
  FILE* file;
  double flushed;
  long pending;
};

static ChStatus failed(ChContext* context, const char* path, int error) {
  return ch_fail(context, ch_file_status(error ? error : EIO), "%s: cannot be written: %s%s", path,
                 strerror(error ? error : EIO), ch_file_hint(error));
}

static const char SPACE[] =
    ",momentum_x,momentum_y,momentum_z,angular_momentum_x,angular_momentum_y,angular_momentum_z";
static const char PLANE[] = ",momentum_x,momentum_y,angular_momentum";

static bool is_compliant(const ChSimulation* s) { return ch_simulation_options(s)->contact == CH_CONTACT_COMPLIANT; }

static bool put_head(FILE* file, const ChSimulation* simulation) {
  const ChWorld* world = ch_simulation_world(simulation);
  fputs("step,time,h,contacts,islands,resting,iterations", file);
#define X(name, text) fputs("," #name, file);
  CH_CERTIFICATE_FIELDS(X)
#undef X
  fputs(
      ",missed,penetration,deferred,relaxed,joint_error,kinetic,potential,work,gain,substeps,rejected,uncovered,bounds",
      file);
  fputs(ch_world_dimension(world) == 3 ? SPACE : PLANE, file);
  fputs(",collide,assemble,solve", file);
  if (ch_world_mode_count(world) > 0) fputs(",deflection", file);
  if (is_compliant(simulation)) fputs(",contact,overlap,stored", file);
  if (ch_world_recirculation(world).radius > 0.0) fputs(",recirculated", file);
  return fputs("\n", file) >= 0;
}

// Where the lines of steps up to `last` end; lines that a kill cut short do not count.
static long lines_end(FILE* file, long last) {
  char* line = NULL;
  size_t room = 0;
  long end = 0;
  for (ssize_t size; (size = getline(&line, &room, file)) > 0; end += size) {
    char* stop;
    long step = strtol(line, &stop, 10);
    bool whole = line[size - 1] == '\n';
    if (!whole || (end > 0 && (stop == line || step > last))) break;
  }
  free(line);
  return end;
}

// What was there is emptied only once it is known that nobody else writes it. EWOULDBLOCK: somebody does.
static FILE* open_locked(const char* path, bool goes_on) {
  struct stat info;
  if (stat(path, &info) == 0 && !S_ISREG(info.st_mode)) return fopen(path, "w");  // a pipe or a device is nobody's own
  int fd = open(path, (goes_on ? O_RDWR : O_WRONLY) | O_CREAT | O_CLOEXEC, 0666);
  if (fd < 0) return NULL;
  bool ready = ch_file_lock(fd) && (goes_on || ftruncate(fd, 0) == 0);
  FILE* file = ready ? fdopen(fd, goes_on ? "r+" : "w") : NULL;
  if (file) return file;
  int error = errno;
  close(fd);
  errno = error;
  return NULL;
}

static int open_table(ChTable* table, const ChSimulation* simulation, bool resume) {
  bool goes_on = resume && access(table->path, F_OK) == 0;
  table->file = open_locked(table->path, goes_on);
  if (!table->file) return errno;
  setvbuf(table->file, NULL, _IOFBF, BUFFER);
  long end = goes_on ? lines_end(table->file, ch_simulation_step_count(simulation)) : 0;
  if (goes_on && (ftruncate(fileno(table->file), end) != 0 || fseek(table->file, end, SEEK_SET) != 0)) return errno;
  errno = 0;
  if (end == 0) put_head(table->file, simulation);
  return fflush(table->file) == 0 ? 0 : errno;
}

ChStatus ch_table_create(ChContext* context, const char* path, const ChSimulation* simulation, bool resume,
                         ChTable** out) {
  *out = NULL;
  ChTable* table = calloc(1, sizeof *table);
  if (table) table->path = strdup(path);
  if (!table || !table->path) {
    free(table);
    return ch_fail(context, CH_ERR_MEMORY, "%s: out of memory", path);
  }
  int error = open_table(table, simulation, resume);
  table->flushed = ch_clock_seconds();
  *out = table;
  if (error == 0) return CH_OK;
  ch_table_close(context, table);
  *out = NULL;
  if (error == EWOULDBLOCK) return ch_fail(context, CH_ERR_FILE, "%s: another run is writing it", path);
  return failed(context, path, error);
}

static ChStatus flush(ChContext* context, ChTable* table, bool durable) {
  table->flushed = ch_clock_seconds();
  table->pending = 0;
  errno = 0;
  if (fflush(table->file) != 0 || ferror(table->file)) return failed(context, table->path, errno);
  int error = durable ? ch_durable_file(fileno(table->file)) : 0;
  return error == 0 ? CH_OK : failed(context, table->path, error);
}

ChStatus ch_table_flush(ChContext* context, ChTable* table) { return flush(context, table, true); }

static int put_momenta(FILE* file, int dimension, const ChStepInfo* i) {
  int bytes = 0;
  for (int a = 0; a < dimension; ++a) bytes += fprintf(file, ",%.17g", ch_component(i->momentum, a));
  for (int a = dimension == 3 ? 0 : 2; a < 3; ++a)
    bytes += fprintf(file, ",%.17g", ch_component(i->angular_momentum, a));
  return bytes;
}

static int put_row(FILE* file, const ChSimulation* simulation) {
  ChStepInfo i = ch_simulation_info(simulation);
  int bytes = fprintf(file, "%ld,%.17g,%.17g,%d,%d,%d,%ld", i.step, i.time, i.h, i.contacts, i.islands, i.resting,
                      i.iterations);
#define X(name, text) bytes += fprintf(file, ",%.17g", i.certificate.name);
  CH_CERTIFICATE_FIELDS(X)
#undef X
  bytes += fprintf(file, ",%d,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%d,%d,%.17g,%d", i.missed, i.penetration,
                   i.deferred, i.relaxed, i.joint_error, i.kinetic, i.potential, i.work, i.gain, i.substeps, i.rejected,
                   i.uncovered, i.bounds);
  bytes += put_momenta(file, ch_world_dimension(ch_simulation_world(simulation)), &i);
  bytes += fprintf(file, ",%.9g,%.9g,%.9g", i.seconds_collide, i.seconds_assemble, i.seconds_solve);
  if (ch_world_mode_count(ch_simulation_world(simulation)) > 0)
    bytes += fprintf(file, ",%.17g", ch_deflection(simulation));
  if (is_compliant(simulation))
    bytes += fprintf(file, ",%s,%.17g,%.17g", ch_contact_law_name(CH_CONTACT_COMPLIANT), i.overlap, i.stored);
  if (ch_world_recirculation(ch_simulation_world(simulation)).radius > 0.0)
    bytes += fprintf(file, ",%d", i.recirculated);
  return bytes + fprintf(file, "\n");
}

ChStatus ch_table_add(ChContext* context, ChTable* table, const ChSimulation* simulation) {
  locale_t before = ch_plain_numbers_begin();
  table->pending += put_row(table->file, simulation);
  ch_plain_numbers_end(before);
  bool due = ch_clock_seconds() - table->flushed >= FLUSH_SECONDS || table->pending >= BUFFER / 2;
  return due ? flush(context, table, false) : CH_OK;
}

ChStatus ch_table_close(ChContext* context, ChTable* table) {
  if (!table) return CH_OK;
  bool broken = table->file && ferror(table->file);
  ChStatus status = table->file && !broken ? ch_table_flush(context, table) : CH_OK;
  errno = 0;
  bool whole = !table->file || (fclose(table->file) == 0 && !broken);
  if (status == CH_OK && !whole) status = failed(context, table->path, errno);
  free(table->path);
  free(table);
  return status;
}

// A table of states: time, body, position and orientation, velocities; SI units, world frame.
#include "export/file_stream.h"
#include "export/formats.h"

static void put_quoted(FILE* file, const char* name) {
  fputc('"', file);
  for (; *name; ++name) {
    if (*name == '"') fputc('"', file);
    fputc(*name, file);
  }
  fputc('"', file);
}

static void put_row(FILE* file, const ChExport* m, double time, const ChTrajectoryRow* row) {
  for (int b = 0; b < m->body_count; ++b) {
    const ChBodyView* x = &row->bodies[b];
    fprintf(file, "%.9g,", time);
    put_quoted(file, ch_export_name(m, b));
    fprintf(file, ",%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g\n", x->position.x,
            x->position.y, x->position.z, x->orientation.w, x->orientation.x, x->orientation.y, x->orientation.z,
            x->velocity.x, x->velocity.y, x->velocity.z, x->omega.x, x->omega.y, x->omega.z);
  }
}

typedef struct Table {
  ChContext* context;
  const ChExport* motion;
  ChStatus* status;
} Table;

// Row by row: a long run does not have to fit into memory.
static void put_table(FILE* file, const void* state) {
  const Table* t = state;
  fputs("time,body,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz\n", file);
  for (long k = 0; k < t->motion->frame_count && *t->status == CH_OK && !ferror(file); ++k) {
    ChTrajectoryRow row;
    *t->status = ch_export_row(t->context, t->motion, k, &row);
    if (*t->status == CH_OK) put_row(file, t->motion, ch_export_time(t->motion, k), &row);
  }
}

ChStatus ch_export_csv(ChContext* context, const ChExport* m, const char* path) {
  ChStatus read = CH_OK;
  ChStatus written = ch_file_stream(context, path, put_table, &(Table){context, m, &read});
  return written == CH_OK ? read : written;
}

// USD as text: prototypes of the surfaces, bodies that move by time samples, skins that bend by them.
#include <ctype.h>
#include <string.h>

#include "export/file_stream.h"
#include "export/formats.h"

static const double CODES_A_SECOND = 60.0;

static void put_point(FILE* file, ChVec3 x) { fprintf(file, "(%.9g, %.9g, %.9g)", x.x, x.y, x.z); }
static void put_quat(FILE* file, ChQuat q) { fprintf(file, "(%.9g, %.9g, %.9g, %.9g)", q.w, q.x, q.y, q.z); }

// An identifier: letters and digits of the name, behind the row that makes it unlike any other.
static void put_identifier(FILE* file, int row, const char* name) {
  fprintf(file, "b%d_", row);
  for (; *name; ++name) fputc(isalnum((unsigned char)*name) && (unsigned char)*name < 128 ? *name : '_', file);
}

static void put_quoted(FILE* file, const char* name) {
  fputc('"', file);
  for (; *name; ++name)
    if (*name == '"' || *name == '\\')
      fprintf(file, "\\%c", *name);
    else
      fputc((unsigned char)*name < ' ' ? ' ' : *name, file);
  fputc('"', file);
}

// --- surfaces --------------------------------------------------------------------------------------------------------

static void put_ints(FILE* file, const char* name, int count, const int* values) {
  fprintf(file, "      %s = [", name);
  for (int k = 0; k < count; ++k) fprintf(file, "%s%d", k ? ", " : "", values[k]);
  fputs("]\n", file);
}

static void put_cells(FILE* file, const ChPatches* p) {
  if (!p->line) {
    put_ints(file, "int[] faceVertexCounts", p->cell_count, p->sizes);
    put_ints(file, "int[] faceVertexIndices", p->corner_count, p->corners);
    fputs("      uniform token subdivisionScheme = \"none\"\n", file);
  } else {
    put_ints(file, "int[] curveVertexCounts", p->cell_count, p->sizes);
    fputs("      uniform token type = \"linear\"\n", file);
  }
}

static const char* kind_of(const ChPatches* p) { return p->line ? "BasisCurves" : "Mesh"; }

static void put_colour(FILE* file, const ChExport* m, int shape) {
  double c[3];
  ch_export_colour(m, shape, c);
  fprintf(file, "      color3f[] primvars:displayColor = [(%.3g, %.3g, %.3g)]\n", c[0], c[1], c[2]);
}

// Curves have no indices: their points follow each other, corner by corner.
static void put_rest_points(FILE* file, const ChPatches* p) {
  int count = p->line ? p->corner_count : p->point_count;
  fputs("      point3f[] points = [", file);
  for (int k = 0; k < count; ++k) {
    if (k) fputs(", ", file);
    put_point(file, p->points[p->line ? p->corners[k] : k]);
  }
  fputs("]\n", file);
}

static void put_prototypes(FILE* file, const ChExport* m) {
  fputs("class \"Prototypes\"\n{\n", file);
  for (int k = 0; k < m->patch_count; ++k) {
    fprintf(file, "    def %s \"surface%d\"\n    {\n", kind_of(&m->patches[k]), k);
    put_cells(file, &m->patches[k]);
    put_rest_points(file, &m->patches[k]);
    put_colour(file, m, m->shape_of[k]);
    fputs("    }\n", file);
  }
  fputs("}\n", file);
}

// --- motion ----------------------------------------------------------------------------------------------------------

static double code_of(const ChExport* m, long frame) {
  return CODES_A_SECOND * (ch_export_time(m, frame) - ch_export_time(m, 0));
}

typedef void PutFn(FILE* file, const ChExportTracks* t, long frame, int which);

static void put_position(FILE* file, const ChExportTracks* t, long frame, int body) {
  put_point(file, ch_track_place(t, frame, body).at);
}

static void put_orientation(FILE* file, const ChExportTracks* t, long frame, int body) {
  put_quat(file, ch_track_place(t, frame, body).orientation);
}

static void put_skin(FILE* file, const ChExportTracks* t, long frame, int shape) {
  const ChExport* m = t->motion;
  const int body = ch_world_shape(m->world, shape).body;
  fputc('[', file);
  for (int k = 0; k < m->patches[m->patch_of[shape]].point_count; ++k) {
    if (k) fputs(", ", file);
    put_point(file, ch_export_point(m, shape, k, ch_track_place(t, frame, body), ch_track_amplitudes(t, frame)));
  }
  fputc(']', file);
}

// Time codes are sixtieths of a second, whole or not: rows need not be even.
static void put_samples(FILE* file, const ChExportTracks* t, const char* name, int which, long count, PutFn* put) {
  fprintf(file, "        %s.timeSamples = {\n", name);
  for (long k = 0; k < count; ++k) {
    fprintf(file, "            %.9g: ", code_of(t->motion, k));
    put(file, t, k, which);
    fputs(",\n", file);
  }
  fputs("        }\n", file);
}

static void put_shape(FILE* file, const ChExport* m, int shape) {
  const ChShapeView s = ch_world_shape(m->world, shape);
  fprintf(file, "    def \"shape%d\" (prepend references = </Prototypes/surface%d>)\n    {\n", shape,
          m->patch_of[shape]);
  fputs("        double3 xformOp:translate = ", file);
  put_point(file, s.local.at);
  fputs("\n        quatd xformOp:orient = ", file);
  put_quat(file, s.local.orientation);
  fputs("\n        uniform token[] xformOpOrder = [\"xformOp:translate\", \"xformOp:orient\"]\n    }\n", file);
}

static void put_rigid(FILE* file, const ChExportTracks* t, int body) {
  const ChExport* m = t->motion;
  long count = ch_export_moves(m, body) ? m->frame_count : 1;
  put_samples(file, t, "double3 xformOp:translate", body, count, put_position);
  put_samples(file, t, "quatd xformOp:orient", body, count, put_orientation);
  fputs("        uniform token[] xformOpOrder = [\"xformOp:translate\", \"xformOp:orient\"]\n", file);
  int first, shapes = ch_world_body_shapes(m->world, body, &first);
  for (int k = 0; k < shapes; ++k) put_shape(file, m, first + k);
}

// A skin is written where it is in the world, frame by frame.
static void put_soft(FILE* file, const ChExportTracks* t, int body) {
  const ChExport* m = t->motion;
  int shape;
  ch_world_body_shapes(m->world, body, &shape);
  fputs("    def Mesh \"skin\"\n    {\n", file);
  put_cells(file, &m->patches[m->patch_of[shape]]);
  put_colour(file, m, shape);
  put_samples(file, t, "point3f[] points", shape, m->frame_count, put_skin);
  fputs("    }\n", file);
}

static void put_body(FILE* file, const ChExportTracks* t, int body) {
  const char* name = ch_export_name(t->motion, body);
  fputs("def Xform \"", file);
  put_identifier(file, body, name);
  fputs("\" (displayName = ", file);
  put_quoted(file, name);
  fputs(")\n{\n", file);
  if (ch_world_soft(t->motion->world, body, NULL))
    put_soft(file, t, body);
  else
    put_rigid(file, t, body);
  fputs("}\n", file);
}

// --- the file --------------------------------------------------------------------------------------------------------

static void put_head(FILE* file, const ChExport* m) {
  const ChExportWorth worth = ch_export_worth(m);
  fprintf(file, "#usda 1.0\n(\n    doc = \"worst certificate %.3g, tolerance %.3g\"\n", worth.natural, worth.tolerance);
  fprintf(file,
          "    metersPerUnit = 1\n    upAxis = \"%s\"\n    startTimeCode = 0\n    endTimeCode = %.9g\n"
          "    timeCodesPerSecond = %g\n    framesPerSecond = %g\n)\n",
          ch_world_dimension(m->world) == 2 ? "Y" : "Z", code_of(m, m->frame_count - 1), CODES_A_SECOND,
          CODES_A_SECOND);
}

static void put_usd(FILE* file, const void* state) {
  const ChExportTracks* t = state;
  put_head(file, t->motion);
  put_prototypes(file, t->motion);
  for (int b = 0; b < t->motion->body_count && !ferror(file); ++b) put_body(file, t, b);
}

ChStatus ch_export_usd(ChContext* context, const ChExport* m, const char* path) {
  ChExportTracks tracks;
  ChStatus status = ch_export_tracks(context, m, &tracks);
  if (status != CH_OK) return status;
  status = ch_file_stream(context, path, put_usd, &tracks);
  ch_export_tracks_free(&tracks);
  return status;
}

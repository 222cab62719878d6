// `cardhouse mesh`: tetrahedral meshes for deformable bodies: writes one of a built-in shape, or checks one from a
// file.
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cardhouse/tetrahedra.h"
#include "cardhouse/text.h"
#include "cli/commands.h"
#include "cli/option_choices.h"
#include "cli/output.h"

enum { SHAPES_MAX = 32 };

#define MESH_OPTIONS(X)                                                                                  \
  X(TEXT, size, NULL, "X,Y,Z", 0, 0, "outer size of a shape, in metres (default: see `list`)")           \
  X(TEXT, cells, NULL, "NX,NY,NZ", 0, 0, "number of cells of a shape (default: see `list`)")             \
  X(REAL, amplitude, 0.0, "M", -1e6, 1e6, "strand: height of its waves, in metres (its thickness)")      \
  X(REAL, period, 0.0, "M", 0.0, 1e6, "strand: length of a wave, in metres (half the strand)")           \
  X(REAL, phase, 0.0, "RAD", -1e6, 1e6, "strand: phase of the wave in the middle, in radians (0)")       \
  X(REAL, round, 0.0, "S", 0.0, 0.9, "strand: share by which its edges are thinner than its middle (0)") \
  X(TEXT, out, NULL, "FILE.msh", 0, 0, "writes the mesh, in Gmsh's format 2.2 as text")                  \
  X(FLAG, json, false, NULL, 0, 0, "prints one JSON object instead of text")                             \
  X(FLAG, quiet, false, NULL, 0, 0, "prints nothing but errors")

typedef struct Arguments {
  MESH_OPTIONS(CH_ARG_MEMBER)
} Arguments;

static const ChArgRow rows[] = {MESH_OPTIONS(CH_ARG_ROW)};

// --------------------------------------------------------------------------------------------------------------- words

// One to three numbers with commas between; those left out are 0, which stands for the shape's own.
static bool read_three(const ChCommand* self, const char* option, const char* word, double three[3]) {
  const char* at = word;
  three[1] = three[2] = 0.0;
  for (int k = 0; k < 3; ++k) {
    char* end;
    three[k] = strtod(at, &end);
    if (end == at || !isfinite(three[k]) || !(three[k] > 0.0)) break;
    if (*end == '\0') return true;
    if (*end != ',') break;
    at = end + 1;
  }
  ch_complain(self, "--%s is '%s', must be up to three positive numbers separated by commas, such as 8,4,2", option,
              word);
  return false;
}

static bool read_def(const ChCommand* self, const Arguments* a, ChTetShapeDef* def) {
  double three[3];
  def->amplitude = a->amplitude, def->period = a->period, def->phase = a->phase, def->round = a->round;
  if (a->size) {
    if (!read_three(self, "size", a->size, three)) return false;
    def->size = ch_vec(three[0], three[1], three[2]);
  }
  if (!a->cells) return true;
  if (!read_three(self, "cells", a->cells, three)) return false;
  for (int k = 0; k < 3; ++k) {
    if (three[k] != floor(three[k])) {
      ch_complain(self, "--cells is '%s', must be whole numbers", a->cells);
      return false;
    }
    if (three[k] > CH_TETS_MAX) {
      ch_complain(self, "--cells is '%s': %g cells along a side make more tetrahedra than the %d that are allowed",
                  a->cells, three[k], CH_TETS_MAX);
      return false;
    }
    def->cells[k] = (int)three[k];
  }
  return true;
}

static ChExit print_list(const ChCommand* self, bool json) {
  json_t* shapes = json_array();
  for (int k = 0; k < ch_tet_shape_count(); ++k) {
    const ChTetShape* s = ch_tet_shape_at(k);
    json_array_append_new(
        shapes, json_pack("{s:s, s:s, s:[f,f,f], s:s, s:[i,i,i], s:s}", "name", s->name, "summary", s->summary, "size",
                          s->size.x, s->size.y, s->size.z, "size_is", s->size_text, "cells", s->cells[0], s->cells[1],
                          s->cells[2], "cells_are", s->cells_text));
    if (!json)
      printf("%-8s %s\n         --size %g,%g,%g: %s\n         --cells %d,%d,%d: %s\n", s->name, s->summary, s->size.x,
             s->size.y, s->size.z, s->size_text, s->cells[0], s->cells[1], s->cells[2], s->cells_text);
  }
  if (json) return ch_json_print(self, json_pack("{s:o}", "shapes", shapes));
  json_decref(shapes);
  return CH_EXIT_DONE;
}

// --------------------------------------------------------------------------------------------------------------- print

static double degrees(double angle) { return angle * 180.0 / acos(-1.0); }

static void print_text(const ChTetMesh* mesh, const ChTetMeasures* m) {
  printf("tetrahedra    %d, %d vertices\n", mesh->tet_count, mesh->vertex_count);
  printf("skin          %d triangles, %d vertices, closed; area %.6g m^2\n", m->skin_triangles, m->skin_vertices,
         m->area);
  printf("volume        %.6g m^3, its centre at (%.4g, %.4g, %.4g)\n", m->volume, m->centre.x, m->centre.y,
         m->centre.z);
  printf("box           (%.4g, %.4g, %.4g) ... (%.4g, %.4g, %.4g)\n", m->low.x, m->low.y, m->low.z, m->high.x,
         m->high.y, m->high.z);
  printf("quality       worst %.4f, mean %.4f (1: regular, 0: flat)\n", m->worst_quality, m->mean_quality);
  printf("angles        %.2f ... %.2f degrees between faces\n", degrees(m->least_dihedral),
         degrees(m->largest_dihedral));
}

static ChExit print_json(const ChCommand* self, const char* what, const ChTetMesh* mesh, const ChTetMeasures* m) {
  json_t* object =
      json_pack("{s:o, s:i, s:i, s:i, s:i, s:f, s:f, s:[f,f,f], s:[f,f,f], s:[f,f,f], s:f, s:f, s:[f,f]}", "mesh",
                ch_json_path(what), "vertices", mesh->vertex_count, "tetrahedra", mesh->tet_count, "skin_triangles",
                m->skin_triangles, "skin_vertices", m->skin_vertices, "volume", m->volume, "area", m->area, "centre",
                m->centre.x, m->centre.y, m->centre.z, "low", m->low.x, m->low.y, m->low.z, "high", m->high.x,
                m->high.y, m->high.z, "worst_quality", m->worst_quality, "mean_quality", m->mean_quality, "dihedral",
                m->least_dihedral, m->largest_dihedral);
  return ch_json_print(self, object);
}

// ----------------------------------------------------------------------------------------------------------------- run

static ChExit mesh_tell(const ChCommand* self, const Arguments* a, const char* word, const ChTetShapeDef* def) {
  ChContext context = {0};
  ChTetMesh mesh;
  ChTetMeasures measures;
  ChStatus status = def->shape ? ch_tets_make(&context, def, &mesh) : ch_tets_read(&context, word, &mesh);
  if (status == CH_OK && a->out) status = ch_tet_mesh_write(&context, a->out, &mesh);
  if (status == CH_OK) status = ch_tets_measure(&context, &mesh, &measures);
  ChExit result = CH_EXIT_DONE;
  if (status != CH_OK)
    result = ch_failure_exit(self, &context, status);
  else if (a->json)
    result = print_json(self, word, &mesh, &measures);
  else if (!a->quiet)
    print_text(&mesh, &measures);
  ch_tets_free(&mesh);
  return result;
}

// A word without a point or slash that is no file is a shape that was misspelt.
static bool looks_like_shape(const char* word) {
  if (strchr(word, '.') || strchr(word, '/')) return false;
  return access(word, F_OK) != 0;
}

static ChExit no_such_shape(const ChCommand* self, const char* word) {
  const char *names[SHAPES_MAX], *near;
  char list[400] = "";
  int known = ch_tet_shape_count();
  for (int k = 0; k < known; ++k) {
    size_t used = strlen(list);
    names[k] = ch_tet_shape_at(k)->name;
    snprintf(list + used, sizeof list - used, "%s%s", k ? ", " : "", names[k]);
  }
  near = ch_word_nearest(word, known, names);
  ch_complain(self, "'%s' is neither a shape nor a file%s%s%s. Shapes are: %s", word, near ? "; did you mean '" : "",
              near ? near : "", near ? "'?" : "", list);
  return CH_EXIT_USAGE;
}

// Under another ending a reader would take the file for what it is not.
static bool out_fits(const ChCommand* self, const char* path) {
  const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
  if (!dot || strcmp(dot, ".msh") == 0) return true;
  ch_complain(self, "--out is '%s', must end in .msh: meshes are written in Gmsh's format only", path);
  return false;
}

static ChExit mesh_run(const ChCommand* self, int count, char** words) {
  Arguments arguments = {MESH_OPTIONS(CH_ARG_DEFAULT)};
  const char* word = NULL;
  ChParsed parsed = ch_arguments_parse(self, count, words, &arguments, &word);
  if (parsed != CH_PARSED_RUN) return parsed == CH_PARSED_HELP ? CH_EXIT_DONE : CH_EXIT_USAGE;
  if (strcmp(word, "list") == 0) return print_list(self, arguments.json);
  const ChTetShape* shape = ch_tet_shape_find(word);
  ChTetShapeDef def = {.shape = shape ? shape->name : NULL};
  if (!shape && looks_like_shape(word)) return no_such_shape(self, word);
  if (!shape && (arguments.size || arguments.cells)) {
    ch_complain(self, "--size and --cells are for shapes; '%s' is a file", word);
    return CH_EXIT_USAGE;
  }
  bool waves = arguments.amplitude != 0.0 || arguments.period != 0.0 || arguments.phase != 0.0;
  if ((waves || arguments.round != 0.0) && strcmp(word, "strand") != 0) {
    ch_complain(self, "--amplitude, --period, --phase and --round belong to a strand; '%s' has none", word);
    return CH_EXIT_USAGE;
  }
  if (!read_def(self, &arguments, &def)) return CH_EXIT_USAGE;
  if (arguments.out && !(out_fits(self, arguments.out) && ch_place_check(self, "out", arguments.out)))
    return CH_EXIT_USAGE;
  return mesh_tell(self, &arguments, word, &def);
}

const ChCommand ch_command_mesh = {
    .name = "mesh",
    .summary = "makes a tetrahedral mesh of a named shape, or checks one from a file",
    .operand = "SHAPE|FILE",
    .examples =
        "  cardhouse mesh list\n"
        "  cardhouse mesh bar --size 1,0.1,0.1 --cells 20,4,4 --out bar.msh\n"
        "  cardhouse mesh strand --amplitude 0.006 --period 0.1 --out strand.msh\n"
        "  cardhouse mesh dino --size 0.5 --cells 40 --out dino.msh\n"
        "  cardhouse mesh bar.msh\n"
        "  cardhouse mesh part.vtk --json\n",
    .row_count = sizeof rows / sizeof *rows,
    .rows = rows,
    .run = mesh_run,
};

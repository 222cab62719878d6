// Gmsh's .msh, versions 2.x and 4.1, text and binary: sections $MeshFormat, $Nodes and $Elements; others are skipped.
//
// Nodes and elements bear tags that need not be consecutive. Corners come first in an element of any order, so that of
// a curved tetrahedron the corners are taken.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "model/tet/tet_source.h"

typedef struct Tagged {
  int64_t tag;
  int index;
  int place;  // in the file, which has less than 2^31 bytes
} Tagged;

typedef struct Gmsh {
  ChTetSource* source;
  double version;
  int size_bytes;  // of counts and tags in 4.1
  int node_count, node_room;
  Tagged* tags;
  ChVec3* nodes;
  int tet_count;
  long tet_room, solids, others;
  int64_t* corners;  // tags, 4 a tetrahedron
  int* places;       // of tetrahedra in the file, where their corners begin
} Gmsh;

static const long tag_most = INT64_C(1) << 53;

typedef enum Kind { UNKNOWN, FLAT, TET, OTHER_SOLID } Kind;  // FLAT: points, lines and surfaces too

// Elements of consecutive types, and how many nodes each has: orders rise within a row. Gmsh's own definitions give the
// numbers. What is not here has no fixed number of nodes (polygons, parts of cut elements) or no corners (order 0).
static const struct {
  int first;
  Kind kind;
  int nodes[8];
} element_rows[] = {{1, FLAT, {2, 3, 4}},
                    {4, TET, {4}},
                    {5, OTHER_SOLID, {8, 6, 5}},
                    {8, FLAT, {3, 6, 9}},
                    {11, TET, {10}},
                    {12, OTHER_SOLID, {27, 18, 14}},
                    {15, FLAT, {1, 8}},
                    {17, OTHER_SOLID, {20, 15, 13}},
                    {20, FLAT, {9, 10, 12, 15, 15, 21}},  // triangles
                    {26, FLAT, {4, 5, 6}},                // lines
                    {29, TET, {20, 35, 56, 22, 28}},
                    {36, FLAT, {16, 25, 36, 12, 16, 20}},  // quadrangles
                    {42, FLAT, {28, 36, 45, 55, 66}},      // triangles
                    {47, FLAT, {49, 64, 81, 100, 121}},    // quadrangles
                    {52, FLAT, {18, 21, 24, 27, 30}},      // triangles
                    {57, FLAT, {24, 28, 32, 36, 40}},      // quadrangles
                    {62, FLAT, {7, 8, 9, 10, 11}},         // lines
                    {71, TET, {84, 120, 165, 220, 286}},
                    {79, TET, {34, 40, 46, 52, 58}},
                    {90, OTHER_SOLID, {40, 75}},                             // prisms
                    {92, OTHER_SOLID, {64, 125, 216, 343, 512, 729, 1000}},  // hexahedra
                    {99, OTHER_SOLID, {32, 44, 56, 68, 80, 92, 104}},
                    {106, OTHER_SOLID, {126, 196, 288, 405, 550}},  // prisms
                    {111, OTHER_SOLID, {24, 33, 42, 51, 60, 69, 78}},
                    {118, OTHER_SOLID, {30, 55, 91, 140, 204, 285, 385}},  // pyramids
                    {125, OTHER_SOLID, {21, 29, 37, 45, 53, 61, 69}},
                    {137, TET, {16}}};

static Kind element_kind(long type, int* nodes) {
  *nodes = 0;
  for (size_t k = 0; k < sizeof element_rows / sizeof *element_rows; ++k) {
    long in_row = type - element_rows[k].first;
    if (in_row < 0 || in_row > 7 || element_rows[k].nodes[in_row] == 0) continue;
    *nodes = element_rows[k].nodes[in_row];
    return element_rows[k].kind;
  }
  return UNKNOWN;
}

// Where it was not known an element would be passed over, and leave a hole in the body.
static long read_element_type(Gmsh* g, const char* what) {
  ChTetSource* source = g->source;
  long place = ch_tet_source_place(source), type = ch_tet_source_int(source, 4, what, 1, INT32_MAX);
  int nodes;
  if (ch_tet_source_ok(source) && element_kind(type, &nodes) == UNKNOWN)
    ch_tet_source_fail_at(
        source, CH_ERR_FORMAT, place,
        "%s is %ld, which is not a known type; a tetrahedron is 4 (curved: 11, 29 to 33, 71 to 75, 79 to "
        "83, 137)",
        what, type);
  return type;
}

// ------------------------------------------------------------------------------------------------------------ sections

static void end_section(Gmsh* g, const char* end) {
  if (ch_tet_source_ok(g->source) && !ch_scan_accept(&g->source->scan, end))
    ch_tet_source_fail(g->source, CH_ERR_FORMAT, "expected '%s'", end);
}

static bool starts(const ChScan* scan, const char* word) {
  size_t length = strlen(word);
  return (size_t)(scan->end - scan->at) >= length && memcmp(scan->at, word, length) == 0;
}

// Skips to after "$EndName" of the section "$Name" at which the source stands.
static void skip_section(Gmsh* g) {
  ChScan* scan = &g->source->scan;
  char end[64] = "$End";
  size_t length = 4;
  for (const char* c = scan->at + 1; c < scan->end && (unsigned char)*c > ' ' && length + 1 < sizeof end; ++c)
    end[length++] = *c;
  const char* found = memmem(scan->at, (size_t)(scan->end - scan->at), end, length);
  if (!found)
    ch_scan_fail(scan, CH_ERR_FORMAT, scan->at, "the section is not closed by '%s'", end);
  else
    scan->at = found + length;
}

static void wrong_version(Gmsh* g, const char* where, double version) {
  ch_scan_fail(&g->source->scan, CH_ERR_FORMAT, where,
               "the mesh is of version %g; 2.2 and 4.1 are read: write it with `gmsh -format msh41` or `msh22`",
               version);
}

static void read_format(Gmsh* g) {
  ChTetSource* source = g->source;
  ChScan* scan = &source->scan;
  const char* start = scan->at;
  g->version = ch_scan_real(scan, "version");
  if (ch_tet_source_ok(source) && !(g->version >= 2.0 && g->version < 3.0) && g->version != 4.1) {
    wrong_version(g, start, g->version);
    return;
  }
  long binary = ch_scan_int(scan, "file type", 0, 1);
  g->size_bytes = (int)ch_scan_int(scan, "data size", 4, 8);
  if (ch_tet_source_ok(source) && g->size_bytes != 8 && (g->size_bytes != 4 || g->version < 4.0))
    ch_scan_fail(scan, CH_ERR_RANGE, scan->at, "data size is %d, must be 8", g->size_bytes);
  ch_tet_source_line(source);
  if (binary) {
    source->binary = true;
    if (!ch_tet_source_expect(source, 1.0, 4, "the number 1 that tells the order of bytes")) return;
    source->big_endian = *scan->at == 0;
    ch_tet_source_int(source, 4, "the number 1 that tells the order of bytes", 1, 1);
  }
  end_section(g, "$EndMeshFormat");
}

// --------------------------------------------------------------------------------------------------------------- nodes

static bool take_nodes(Gmsh* g, long count, int numbers, int bytes) {
  if (g->nodes) {
    ch_tet_source_fail(g->source, CH_ERR_FORMAT, "there is a second section of nodes");
    return false;
  }
  if (!ch_tet_source_expect(g->source, (double)count * numbers, bytes, "$Nodes")) return false;
  g->node_room = (int)count;
  g->nodes = CH_TAKE_RAW(g->source->scan.arena, count + 1, ChVec3);
  g->tags = CH_TAKE_RAW(g->source->scan.arena, count + 1, Tagged);
  return true;
}

static void read_tag(Gmsh* g, int node, int bytes) {
  int place = (int)ch_tet_source_place(g->source);
  g->tags[node] = (Tagged){ch_tet_source_int(g->source, bytes, "tag of a node", 1, tag_most), node, place};
}

// Version 2 has its counts in text, whatever follows.
static long read_count_2(ChTetSource* source, const char* what, long lowest) {
  bool binary = source->binary;
  source->binary = false;
  long count = ch_tet_source_count(source, 0, what, lowest);
  source->binary = binary;
  return count;
}

static void read_nodes_2(Gmsh* g) {
  ChTetSource* source = g->source;
  long count = read_count_2(source, "number of nodes", 1);
  ch_tet_source_line(source);
  if (!ch_tet_source_ok(source) || !take_nodes(g, count, 4, 7)) return;  // 28 bytes a node
  for (int k = 0; k < count && ch_tet_source_ok(source); ++k) {
    read_tag(g, k, 4);
    g->nodes[k] = ch_tet_source_point(source, 8, "coordinate of a node");
  }
  g->node_count = (int)count;
}

// One block: dimension and tag of its entity, whether parameters follow the coordinates, tags, coordinates.
static void read_node_block(Gmsh* g) {
  ChTetSource* source = g->source;
  long dimension = ch_tet_source_int(source, 4, "dimension of a block of nodes", 0, 3);
  ch_tet_source_int(source, 4, "tag of an entity", INT32_MIN, INT32_MAX);
  long parametric = ch_tet_source_int(source, 4, "parametric", 0, 1);
  long count = ch_tet_source_int(source, g->size_bytes, "nodes in a block", 0, g->node_room - g->node_count);
  if (!ch_tet_source_expect(source, 4.0 * (double)count, g->size_bytes, "a block of nodes")) return;
  for (int k = 0; k < count && ch_tet_source_ok(source); ++k) read_tag(g, g->node_count + k, g->size_bytes);
  for (int k = 0; k < count && ch_tet_source_ok(source); ++k) {
    g->nodes[g->node_count + k] = ch_tet_source_point(source, 8, "coordinate of a node");
    for (long p = 0; parametric && p < dimension; ++p) ch_tet_source_real(source, 8, "parameter of a node");
  }
  g->node_count += (int)count;
}

static void read_nodes_4(Gmsh* g) {
  ChTetSource* source = g->source;
  ch_tet_source_line(source);
  long blocks = ch_tet_source_count(source, g->size_bytes, "blocks of nodes", 0);
  long count = ch_tet_source_count(source, g->size_bytes, "number of nodes", 1);
  for (int k = 0; k < 2; ++k) ch_tet_source_int(source, g->size_bytes, "least and largest tag", 0, tag_most);
  if (!ch_tet_source_ok(source) || !take_nodes(g, count, 4, g->size_bytes)) return;
  for (long k = 0; k < blocks && ch_tet_source_ok(source); ++k) read_node_block(g);
  if (g->node_count < g->node_room)
    ch_tet_source_fail(source, CH_ERR_SIZE, "the blocks hold %d nodes, but %d were announced", g->node_count,
                       g->node_room);
}

// ------------------------------------------------------------------------------------------------------------ elements

static void take_tets(Gmsh* g, long more) {
  if (g->tet_count + more <= g->tet_room) return;
  long room = g->tet_count + more + g->tet_room;
  int64_t* larger = CH_TAKE_RAW(g->source->scan.arena, 4 * (size_t)room, int64_t);
  int* places = CH_TAKE_RAW(g->source->scan.arena, room, int);
  if (g->tet_count > 0) {
    memcpy(larger, g->corners, 4 * (size_t)g->tet_count * sizeof *larger);
    memcpy(places, g->places, (size_t)g->tet_count * sizeof *places);
  }
  g->corners = larger, g->places = places, g->tet_room = room;
}

// The nodes of one element, whose tag has been read.
static void read_element(Gmsh* g, long type, int bytes) {
  ChTetSource* source = g->source;
  int nodes, kept = 0;
  Kind kind = element_kind(type, &nodes);
  if (kind == TET) {
    take_tets(g, 1);
    g->places[g->tet_count] = (int)ch_tet_source_place(source);
    for (; kept < 4; ++kept)
      g->corners[4L * g->tet_count + kept] = ch_tet_source_int(source, bytes, "node of a tetrahedron", 1, tag_most);
    ++g->tet_count;
  }
  g->solids += kind == OTHER_SOLID, g->others += kind == FLAT;
  if (source->binary)
    ch_tet_source_skip(source, nodes - kept, bytes, "an element");
  else
    ch_scan_line(&source->scan);  // a line each
}

// Bytes: a type and a number of tags, then so many elements; text: all of it in every line. How many were read.
static long read_run_2(Gmsh* g, long most) {
  ChTetSource* source = g->source;
  bool binary = source->binary;
  if (!binary) ch_tet_source_int(source, 4, "tag of an element", 0, tag_most);
  long type = read_element_type(g, "type of an element");
  long count = binary ? ch_tet_source_int(source, 4, "elements that follow", 1, most) : 1;
  long tags = ch_tet_source_int(source, 4, "number of tags", 0, INT32_MAX);
  for (long k = 0; k < count && ch_tet_source_ok(source); ++k) {
    if (binary) ch_tet_source_int(source, 4, "tag of an element", 0, INT32_MAX);
    ch_tet_source_skip(source, (double)tags, 4, "tags of an element");
    if (ch_tet_source_ok(source)) read_element(g, type, 4);
  }
  return count;
}

static void read_elements_2(Gmsh* g) {
  long count = read_count_2(g->source, "number of elements", 0);
  ch_tet_source_line(g->source);
  for (long k = 0; k < count && ch_tet_source_ok(g->source);) k += read_run_2(g, count - k);
}

static void read_elements_4(Gmsh* g) {
  ChTetSource* source = g->source;
  ch_tet_source_line(source);
  long blocks = ch_tet_source_count(source, g->size_bytes, "blocks of elements", 0);
  long left = ch_tet_source_count(source, g->size_bytes, "number of elements", 0);
  for (int k = 0; k < 2; ++k) ch_tet_source_int(source, g->size_bytes, "least and largest tag", 0, tag_most);
  for (long b = 0; b < blocks && ch_tet_source_ok(source); ++b) {
    ch_tet_source_int(source, 4, "dimension of a block of elements", 0, 3);
    ch_tet_source_int(source, 4, "tag of an entity", INT32_MIN, INT32_MAX);
    long type = read_element_type(g, "type of elements");
    long count = ch_tet_source_int(source, g->size_bytes, "elements in a block", 0, left);
    for (long k = 0; k < count && ch_tet_source_ok(source); ++k) {
      ch_tet_source_int(source, g->size_bytes, "tag of an element", 0, tag_most);
      if (ch_tet_source_ok(source)) read_element(g, type, g->size_bytes);
    }
    left -= count;
  }
  if (left > 0) ch_tet_source_fail(source, CH_ERR_SIZE, "the blocks hold %ld elements fewer than announced", left);
}

// ---------------------------------------------------------------------------------------------------------------- mesh

static int compare_tags(const void* a, const void* b) {
  const Tagged *x = a, *y = b;
  return (x->tag > y->tag) - (x->tag < y->tag);
}

// The tags in order; two that are the same are refused at the later one.
static void sort_tags(Gmsh* g) {
  Tagged* tags = g->tags;
  qsort(tags, (size_t)g->node_count, sizeof *tags, compare_tags);
  for (int k = 1; k < g->node_count; ++k)
    if (tags[k].tag == tags[k - 1].tag)
      ch_tet_source_fail_at(g->source, CH_ERR_FORMAT,
                            tags[k].place > tags[k - 1].place ? tags[k].place : tags[k - 1].place,
                            "two nodes have the tag %ld, this one and one before it", (long)tags[k].tag);
}

static const Tagged* find_tag(const Gmsh* g, int64_t tag) {
  int64_t offset = tag - g->tags[0].tag;  // tags without gaps
  if (offset >= 0 && offset < g->node_count && g->tags[offset].tag == tag) return &g->tags[offset];
  Tagged wanted = {tag, 0, 0};
  return bsearch(&wanted, g->tags, (size_t)g->node_count, sizeof *g->tags, compare_tags);
}

// Tags become indices.
static ChStatus resolve(Gmsh* g, ChTetMesh* out) {
  ChScan* scan = &g->source->scan;
  sort_tags(g);
  int* tets = CH_TAKE_RAW(scan->arena, 4 * (size_t)g->tet_count, int);
  for (long k = 0; k < 4L * g->tet_count && scan->status == CH_OK; ++k) {
    const Tagged* found = find_tag(g, g->corners[k]);
    if (found)
      tets[k] = found->index;
    else
      ch_tet_source_fail_at(g->source, CH_ERR_RANGE, g->places[k / 4],
                            "tetrahedron %ld of %d names node %ld, which is not there", k / 4 + 1, g->tet_count,
                            (long)g->corners[k]);
  }
  *out = (ChTetMesh){g->node_count, g->tet_count, g->nodes, tets};
  return scan->status;
}

static void read_section(Gmsh* g) {
  ChScan* scan = &g->source->scan;
  bool old = g->version < 3.0;
  if (starts(scan, "$Nodes")) {
    scan->at += strlen("$Nodes");
    (old ? read_nodes_2 : read_nodes_4)(g);
    end_section(g, "$EndNodes");
  } else if (starts(scan, "$Elements")) {
    scan->at += strlen("$Elements");
    (old ? read_elements_2 : read_elements_4)(g);
    end_section(g, "$EndElements");
  } else {
    skip_section(g);
  }
}

ChStatus ch_tet_gmsh_parse(ChTetSource* source, ChTetMesh* out) {
  Gmsh g = {.source = source};
  ChScan* scan = &source->scan;
  if (starts(scan, "$NOD") || starts(scan, "$ELM")) wrong_version(&g, scan->at, 1.0);  // which has no $MeshFormat
  ch_scan_word(scan, "$MeshFormat");
  read_format(&g);
  for (ch_scan_space(scan); ch_tet_source_ok(source) && scan->at < scan->end; ch_scan_space(scan)) {
    if (*scan->at == '$')
      read_section(&g);
    else
      ch_tet_source_fail(source, CH_ERR_FORMAT, "expected a section such as $Nodes, or the end of the file");
  }
  if (ch_tet_source_ok(source) && !g.nodes)
    return ch_fail(scan->context, CH_ERR_FORMAT, "%s: has no section $Nodes", scan->path);
  ChStatus status = ch_tet_cells_check(source, g.tet_count, g.solids, g.others);
  return status == CH_OK ? resolve(&g, out) : status;
}

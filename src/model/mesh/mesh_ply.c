// PLY: a text that says which elements follow, with which properties, and the elements, as text or as bytes. Points are
// x, y and z of `vertex`, polygons the list vertex_indices (or vertex_index) of `face`; all else is passed over.
#include <math.h>
#include <stdlib.h>

#include "model/mesh/mesh_facets.h"

enum { PROPERTIES = 64, WORD = 64, MOST_CORNERS = 1 << 16 };

typedef enum Form { TEXT, LITTLE, BIG } Form;
typedef enum Meaning { NOTHING, X, Y, Z, CORNERS } Meaning;

static const struct {
  const char* name[2];
  int bytes;
  char kind;  // 'i' signed, 'u' unsigned, 'f' floating
} types[] = {{{"char", "int8"}, 1, 'i'},     {{"uchar", "uint8"}, 1, 'u'},   {{"short", "int16"}, 2, 'i'},
             {{"ushort", "uint16"}, 2, 'u'}, {{"int", "int32"}, 4, 'i'},     {{"uint", "uint32"}, 4, 'u'},
             {{"float", "float32"}, 4, 'f'}, {{"double", "float64"}, 8, 'f'}};
enum { TYPES = sizeof types / sizeof *types };

typedef struct Property {
  int type, length;  // of the values; of a list's length, -1: it is no list
  Meaning meaning;
} Property;

typedef struct Element {
  char name[WORD];
  long count;
  int property_count;
  Property property[PROPERTIES];
} Element;

typedef struct Ply {
  ChScan scan;  // of the head, and of what follows where that is text
  Form form;
  ChArena* arena;
  ChFacets* surface;
} Ply;

// --- the head --------------------------------------------------------------------------------------------------------

static void next_line(ChScan* scan) {
  ch_scan_line(scan);
  scan->at += scan->at < scan->end;
}

static void take_word(ChScan* scan, char word[WORD]) {
  size_t length = 0;
  while (scan->at < scan->end && (*scan->at == ' ' || *scan->at == '\t')) ++scan->at;
  while (scan->at<scan->end&& * scan->at> ' ' && length + 1 < WORD) word[length++] = *scan->at++;
  word[length] = '\0';
}

static int take_type(ChScan* scan) {
  char word[WORD];
  const char* start = scan->at;
  take_word(scan, word);
  for (int k = 0; k < TYPES; ++k)
    if (strcmp(word, types[k].name[0]) == 0 || strcmp(word, types[k].name[1]) == 0) return k;
  ch_scan_fail(scan, CH_ERR_FORMAT, start, "'%.40s' is not a type of PLY; the types are char ... double", word);
  return 0;
}

static Meaning meaning_of(const Element* e, const char* name, bool list) {
  static const char* const axes[] = {"x", "y", "z"};
  for (int k = 0; !list && strcmp(e->name, "vertex") == 0 && k < 3; ++k)
    if (strcmp(name, axes[k]) == 0) return (Meaning)(X + k);
  bool corners = strcmp(name, "vertex_indices") == 0 || strcmp(name, "vertex_index") == 0;
  return list && corners && strcmp(e->name, "face") == 0 ? CORNERS : NOTHING;
}

static void read_property(ChScan* scan, Element* e) {
  char word[WORD];
  const char* start = scan->at;
  if (e->property_count == PROPERTIES) {
    ch_scan_fail(scan, CH_ERR_SIZE, start, "an element has more than %d properties", PROPERTIES);
    return;
  }
  Property* p = &e->property[e->property_count++];
  take_word(scan, word);
  bool list = strcmp(word, "list") == 0;
  if (!list) scan->at = start;
  p->length = list ? take_type(scan) : -1;
  p->type = take_type(scan);
  take_word(scan, word);
  p->meaning = meaning_of(e, word, list);
  if (list && types[p->length].kind == 'f')
    ch_scan_fail(scan, CH_ERR_FORMAT, start, "the length of a list must be a whole number");
}

static void read_form(Ply* ply) {
  static const char* const forms[] = {"ascii", "binary_little_endian", "binary_big_endian"};
  char word[WORD];
  const char* start = ply->scan.at;
  take_word(&ply->scan, word);
  for (int k = 0; k < 3; ++k) {
    if (strcmp(word, forms[k]) != 0) continue;
    ply->form = (Form)k;
    return;
  }
  ch_scan_fail(&ply->scan, CH_ERR_FORMAT, start, "the format is '%.40s', must be ascii or binary_little_endian", word);
}

// Elements are read as they come: the list of them is in the head, behind which the data stand.
static int read_head(Ply* ply, Element* elements, int most) {
  ChScan* scan = &ply->scan;
  char word[WORD];
  int count = 0;
  for (next_line(scan); scan->status == CH_OK; next_line(scan)) {
    const char* start = scan->at;
    take_word(scan, word);
    if (strcmp(word, "end_header") == 0) return count;
    if (strcmp(word, "format") == 0) {
      read_form(ply);
    } else if (strcmp(word, "element") == 0 && count < most) {
      Element* e = &elements[count++];
      take_word(scan, e->name);
      e->count = ch_scan_int(scan, "number of elements", 0, 1L << 30);
    } else if (strcmp(word, "property") == 0 && count > 0) {
      read_property(scan, &elements[count - 1]);
    } else if (strcmp(word, "comment") != 0 && strcmp(word, "obj_info") != 0) {
      ch_scan_fail(scan, CH_ERR_FORMAT, start, "'%.40s' is not expected in the head of a PLY file", word);
    }
  }
  return 0;
}

// --- the data
// ----------------------------------------------------------------------------------------------------------

static double binary_value(Ply* ply, int type) {
  ChScan* scan = &ply->scan;
  const int bytes = types[type].bytes;
  uint64_t bits = 0;
  if (scan->end - scan->at < bytes) {
    ch_scan_fail(scan, CH_ERR_FORMAT, scan->end, "the file ends before its last element");
    return 0.0;
  }
  for (int k = 0; k < bytes; ++k) {
    const unsigned char byte = (unsigned char)scan->at[ply->form == BIG ? k : bytes - 1 - k];
    bits = bits << 8 | byte;
  }
  scan->at += bytes;
  if (types[type].kind == 'u') return (double)bits;
  if (types[type].kind == 'f' && bytes == 4) return ch_single((uint32_t)bits);
  if (types[type].kind == 'f') {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
  }
  const uint64_t sign = (uint64_t)1 << (8 * bytes - 1);
  return bits & sign ? (double)bits - 2.0 * (double)sign : (double)bits;
}

static double take_value(Ply* ply, int type) {
  return ply->form == TEXT ? ch_scan_real(&ply->scan, "property") : binary_value(ply, type);
}

static long take_whole(Ply* ply, int type, const char* what, double most) {
  const char* start = ply->scan.at;
  double value = take_value(ply, type);
  if (ply->scan.status == CH_OK && !(value >= 0.0 && value <= most && value == floor(value)))
    ch_scan_fail(&ply->scan, CH_ERR_RANGE, start, "%s is %g, must be a whole number from 0 to %.0f", what, value, most);
  return ply->scan.status == CH_OK ? (long)value : 0;
}

// A polygon becomes a fan about its first corner.
static void read_corners(Ply* ply, const Property* p) {
  const int vertices = ply->surface->vertex_count;
  long count = take_whole(ply, p->length, "number of corners", MOST_CORNERS);
  int first = 0, last = 0;
  for (long k = 0; k < count && ply->scan.status == CH_OK; ++k) {
    int next = (int)take_whole(ply, p->type, "number of a vertex", (double)vertices - 1.0);
    if (ply->scan.status != CH_OK) return;
    if (k == 0) first = next;
    if (k >= 2) ch_facets_add_triangle(ply->arena, ply->surface, first, last, next);
    last = next;
  }
}

static void skip_list(Ply* ply, const Property* p) {
  long count = take_whole(ply, p->length, "length of a list", 1L << 30);
  for (long k = 0; k < count && ply->scan.status == CH_OK; ++k) take_value(ply, p->type);
}

static void read_element(Ply* ply, const Element* e) {
  const char* start = ply->scan.at;
  double at[3] = {0.0, 0.0, 0.0};
  int found = 0;
  for (int k = 0; k < e->property_count && ply->scan.status == CH_OK; ++k) {
    const Property* p = &e->property[k];
    if (p->meaning == CORNERS) {
      read_corners(ply, p);
    } else if (p->length >= 0) {
      skip_list(ply, p);
    } else {
      double value = take_value(ply, p->type);
      if (p->meaning == NOTHING) continue;
      at[p->meaning - X] = value;
      ++found;
    }
  }
  if (found == 0 || ply->scan.status != CH_OK) return;
  if (!(isfinite(at[0]) && isfinite(at[1]) && isfinite(at[2])))
    ch_scan_fail(&ply->scan, CH_ERR_RANGE, start, "vertex %d is not finite", ply->surface->vertex_count);
  ch_facets_add_vertex(ply->arena, ply->surface, ch_vec(at[0], at[1], at[2]));
}

ChStatus ch_facets_read_ply(ChContext* context, ChArena* arena, const char* path, const char* text, size_t size,
                            ChFacets* out) {
  enum { ELEMENTS = 16 };
  locale_t c_locale = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
  if (!c_locale) return ch_fail(context, CH_ERR_MEMORY, "%s: out of memory", path);
  ch_arena_defer(arena, (void (*)(void*))freelocale, c_locale);
  Ply ply = {{context, path, text, text, text + size, arena, c_locale, CH_OK}, TEXT, arena, out};
  Element* elements = CH_TAKE(arena, ELEMENTS, Element);
  int count = read_head(&ply, elements, ELEMENTS);
  if (ply.scan.status == CH_OK) next_line(&ply.scan);  // the data begin behind the line of end_header
  for (int k = 0; k < count; ++k)
    for (long j = 0; j < elements[k].count && elements[k].property_count > 0 && ply.scan.status == CH_OK; ++j)
      read_element(&ply, &elements[k]);
  return ply.scan.status;
}

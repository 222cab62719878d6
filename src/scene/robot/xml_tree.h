// XML as a tree that knows its lines, read by libexpat: what robots are described in.
//
// Hostile text is refused: entities and document types, deep nesting, too many elements or attributes. Every element
// and attribute remembers whether anybody asked for it, so that what a reader does not know is told, never dropped.
#ifndef CH_SCENE_ROBOT_XML_TREE_H
#define CH_SCENE_ROBOT_XML_TREE_H

#include "scene/reader.h"

enum { CH_XML_DEPTH = 250, CH_XML_ELEMENTS = 50000, CH_XML_ATTRIBUTES = 64, CH_XML_BYTES = 1 << 25 };

typedef struct ChXmlAttribute {
  const char *name, *value;
  bool asked;
} ChXmlAttribute;

typedef struct ChXmlNode {
  const char* tag;
  long line, column;
  struct ChXmlNode *above, *first, *last, *next;
  int attribute_count;
  ChXmlAttribute* attributes;
  bool read;   // a reader knows what it means
  bool asked;  // one of its attributes was looked for
} ChXmlNode;

// An element with those whose attributes stand in for what it leaves out: classes of defaults, the nearest first.
enum { CH_XML_STAND_INS = 32 };
typedef struct ChXmlView {
  ChReader* reader;
  ChXmlNode* node;
  int count;
  ChXmlNode* stand_in[CH_XML_STAND_INS];
} ChXmlView;

// Whether a text is XML rather than JSON.
bool ch_xml_likely(const char* text, size_t size);
// The root of the tree, in the reader's arena; NULL, with a failure, for what is no XML that is read here.
ChXmlNode* ch_xml_read(ChReader* reader, const char* text, size_t size);

// Records "file:line:column: <tag>: ..." unless there was a failure before; returns false.
bool ch_xml_wrong(ChReader* reader, const ChXmlNode* node, const char* format, ...)
    __attribute__((format(printf, 3, 4)));

// The next element of this name among `node` and those after it; NULL: none. It counts as read.
ChXmlNode* ch_xml_find(ChXmlNode* node, const char* tag);
#define CH_XML_EACH(child, parent, tag)                                                 \
  for (ChXmlNode* child = (parent) ? ch_xml_find((parent)->first, tag) : NULL; (child); \
       (child) = ch_xml_find((child)->next, tag))
static inline ChXmlNode* ch_xml_child(ChXmlNode* parent, const char* tag) {
  return parent ? ch_xml_find(parent->first, tag) : NULL;
}
// How many elements of this name are below `node`, at any depth.
int ch_xml_count(const ChXmlNode* node, const char* tag);

static inline ChXmlView ch_xml_view(ChReader* reader, ChXmlNode* node) {
  return (ChXmlView){.reader = reader, .node = node};
}
// The value of an attribute; NULL where it is left out.
const char* ch_xml_text(ChXmlView* view, const char* name);
// Exactly `count` numbers; an attribute that is left out leaves `out` as it is. False with a failure.
bool ch_xml_numbers(ChXmlView* view, const char* name, int count, double* out);
// From `fewest` to `most` numbers; *count is how many there are, 0 where the attribute is left out.
bool ch_xml_some_numbers(ChXmlView* view, const char* name, int fewest, int most, double* out, int* count);
// A word of a NULL-terminated list; *out is its place.
bool ch_xml_word(ChXmlView* view, const char* name, const char* const* words, int* out);
// An attribute that must be there, and not empty.
bool ch_xml_needed(ChXmlView* view, const char* name, const char** out);

// What nobody asked for, as a text of lines in the arena; NULL: nothing.
char* ch_xml_unread(ChReader* reader, ChXmlNode* root);

#endif

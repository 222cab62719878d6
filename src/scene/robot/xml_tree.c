// XML as a tree: see xml_tree.h.
#include "scene/robot/xml_tree.h"

#include <ctype.h>
#include <expat.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/plain_numbers.h"
#include "cardhouse/text.h"

enum { SHOWN = 60 };

static const double LARGEST = 1e20;  // of numbers: products of a few of them are finite

// ---------------------------------------------------------------------------------------------------------- complaints

bool ch_xml_wrong(ChReader* r, const ChXmlNode* node, const char* format, ...) {
  if (r->status != CH_OK) return false;
  char text[CH_MESSAGE_SIZE];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  r->status = ch_fail(r->context, CH_ERR_FORMAT, "%s:%ld:%ld: <%.*s>: %s", r->document->file, node->line, node->column,
                      SHOWN, node->tag, text);
  return false;
}

// ------------------------------------------------------------------------------------------------------------- reading

typedef struct Parse {
  ChReader* reader;
  XML_Parser parser;
  ChXmlNode *root, *open;
  int depth, elements;
} Parse;

// The first complaint stays; expat then stops by itself.
__attribute__((format(printf, 2, 3))) static void refuse(Parse* p, const char* format, ...) {
  ChReader* r = p->reader;
  if (r->status != CH_OK) return;
  char text[CH_MESSAGE_SIZE];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  r->status = ch_fail(r->context, CH_ERR_FORMAT, "%s:%lu:%lu: %s", r->document->file,
                      (unsigned long)XML_GetCurrentLineNumber(p->parser),
                      (unsigned long)XML_GetCurrentColumnNumber(p->parser) + 1, text);
  XML_StopParser(p->parser, XML_FALSE);
}

static char* keep(Parse* p, const char* text) {
  size_t size = strlen(text) + 1;
  return memcpy(CH_TAKE_RAW(p->reader->arena, size, char), text, size);
}

static void take_attributes(Parse* p, ChXmlNode* node, const char** attributes) {
  int count = 0;
  while (attributes[2 * count]) ++count;
  if (count > CH_XML_ATTRIBUTES) {
    refuse(p, "<%.*s> has %d attributes, at most %d are read", SHOWN, node->tag, count, (int)CH_XML_ATTRIBUTES);
    return;
  }
  node->attributes = CH_TAKE(p->reader->arena, count + 1, ChXmlAttribute);
  for (node->attribute_count = 0; node->attribute_count < count; ++node->attribute_count) {
    const char** pair = attributes + 2 * (size_t)node->attribute_count;
    node->attributes[node->attribute_count] = (ChXmlAttribute){.name = keep(p, pair[0]), .value = keep(p, pair[1])};
  }
}

static void XMLCALL on_start(void* user, const char* tag, const char** attributes) {
  Parse* p = user;
  if (p->reader->status != CH_OK) return;
  if (++p->depth > CH_XML_DEPTH) {
    refuse(p, "elements are nested deeper than %d", (int)CH_XML_DEPTH);
    return;
  }
  if (++p->elements > CH_XML_ELEMENTS) {
    refuse(p, "there are more than %d elements", (int)CH_XML_ELEMENTS);
    return;
  }
  ChXmlNode* node = CH_TAKE(p->reader->arena, 1, ChXmlNode);
  *node = (ChXmlNode){.tag = keep(p, tag),
                      .line = (long)XML_GetCurrentLineNumber(p->parser),
                      .column = (long)XML_GetCurrentColumnNumber(p->parser) + 1,
                      .above = p->open};
  take_attributes(p, node, attributes);
  if (!p->open)
    p->root = node;
  else if (p->open->last)
    p->open->last = p->open->last->next = node;
  else
    p->open->first = p->open->last = node;
  p->open = node;
}

static void XMLCALL on_end(void* user, const char* tag) {
  Parse* p = user;
  (void)tag;
  if (p->reader->status != CH_OK) return;
  --p->depth;
  p->open = p->open->above;
}

static void XMLCALL on_doctype(void* user, const char* name, const char* system, const char* public, int internal) {
  (void)name, (void)system, (void)public, (void)internal;
  refuse(user, "has a document type; document types and entities of your own are not read");
}

static void free_parser(void* parser) { XML_ParserFree(parser); }

bool ch_xml_likely(const char* text, size_t size) {
  size_t k = 0;
  while (k < size && isspace((unsigned char)text[k])) ++k;
  return k < size && text[k] == '<';
}

ChXmlNode* ch_xml_read(ChReader* r, const char* text, size_t size) {
  Parse p = {.reader = r};
  if (size > CH_XML_BYTES) {
    r->status = ch_fail(r->context, CH_ERR_FORMAT, "%s: has %zu bytes, XML of at most %d is read", r->document->file,
                        size, (int)CH_XML_BYTES);
    return NULL;
  }
  p.parser = XML_ParserCreate(NULL);
  if (!p.parser) ch_arena_fail(r->arena);
  ch_arena_defer(r->arena, free_parser, p.parser);
  XML_SetUserData(p.parser, &p);
  XML_SetElementHandler(p.parser, on_start, on_end);
  XML_SetStartDoctypeDeclHandler(p.parser, on_doctype);
  enum XML_Status done = XML_Parse(p.parser, text, (int)size, 1);
  if (r->status == CH_OK && done != XML_STATUS_OK) {
    if (XML_GetErrorCode(p.parser) == XML_ERROR_NO_MEMORY) ch_arena_fail(r->arena);
    refuse(&p, "is not valid XML: %s", XML_ErrorString(XML_GetErrorCode(p.parser)));
  }
  return r->status == CH_OK ? p.root : NULL;
}

// ------------------------------------------------------------------------------------------------------------- walking

ChXmlNode* ch_xml_find(ChXmlNode* node, const char* tag) {
  while (node && strcmp(node->tag, tag) != 0) node = node->next;
  if (node) node->read = true;
  return node;
}

// Without recursion: what comes after an element is its first child, its next neighbour, or that of one above it.
static const ChXmlNode* after(const ChXmlNode* node, const ChXmlNode* root, bool inside) {
  if (inside && node->first) return node->first;
  while (node != root && !node->next) node = node->above;
  return node == root ? NULL : node->next;
}

int ch_xml_count(const ChXmlNode* root, const char* tag) {
  int count = 0;
  for (const ChXmlNode* node = root; node; node = after(node, root, true)) count += strcmp(node->tag, tag) == 0;
  return count;
}

// ---------------------------------------------------------------------------------------------------------- attributes

static ChXmlAttribute* attribute_of(ChXmlNode* node, const char* name) {
  node->asked = true;
  for (int k = 0; k < node->attribute_count; ++k)
    if (strcmp(node->attributes[k].name, name) == 0) {
      node->attributes[k].asked = true;
      return &node->attributes[k];
    }
  return NULL;
}

// *where is the element that has it, for messages. All that have it count as asked.
static const char* look_up(ChXmlView* view, const char* name, const ChXmlNode** where) {
  const ChXmlAttribute* found = attribute_of(view->node, name);
  *where = view->node;
  for (int k = 0; k < view->count; ++k) {
    const ChXmlAttribute* other = attribute_of(view->stand_in[k], name);
    if (found || !other) continue;
    found = other;
    *where = view->stand_in[k];
  }
  return found ? found->value : NULL;
}

const char* ch_xml_text(ChXmlView* view, const char* name) {
  const ChXmlNode* where;
  return look_up(view, name, &where);
}

bool ch_xml_needed(ChXmlView* view, const char* name, const char** out) {
  *out = ch_xml_text(view, name);
  if (*out && **out) return true;
  return ch_xml_wrong(view->reader, view->node, "%s is %s", name, *out ? "empty" : "missing");
}

bool ch_xml_some_numbers(ChXmlView* view, const char* name, int fewest, int most, double* out, int* count) {
  const ChXmlNode* where;
  const char* text = look_up(view, name, &where);
  *count = 0;
  if (!text) return true;
  for (const char* at = text;;) {
    while (isspace((unsigned char)*at)) ++at;
    if (!*at) break;
    char* end;
    double value = ch_number_parse(at, &end);
    if (end == at || (*end && !isspace((unsigned char)*end)) || !isfinite(value))
      return ch_xml_wrong(view->reader, where, "%s is '%.*s', must be %s", name, SHOWN, text,
                          most == 1 ? "a number" : "numbers separated by blanks");
    if (fabs(value) > LARGEST)
      return ch_xml_wrong(view->reader, where, "%s has %g, must be at most %g in size", name, value, LARGEST);
    if (*count == most)
      return ch_xml_wrong(view->reader, where, "%s is '%.*s', must have at most %d number%s", name, SHOWN, text, most,
                          most == 1 ? "" : "s");
    out[(*count)++] = value;
    at = end;
  }
  if (*count < fewest)
    return ch_xml_wrong(view->reader, where, "%s is '%.*s', must have %s%d number%s", name, SHOWN, text,
                        fewest < most ? "at least " : "", fewest, fewest == 1 ? "" : "s");
  return true;
}

bool ch_xml_numbers(ChXmlView* view, const char* name, int count, double* out) {
  int there;
  double values[16];
  if (!ch_xml_some_numbers(view, name, count, count, values, &there)) return false;
  if (there > 0) memcpy(out, values, (size_t)count * sizeof *out);
  return true;
}

bool ch_xml_word(ChXmlView* view, const char* name, const char* const* words, int* out) {
  const ChXmlNode* where;
  const char* text = look_up(view, name, &where);
  if (!text) return true;
  char list[200] = "";
  for (int k = 0; words[k]; ++k) {
    if (strcmp(words[k], text) == 0) {
      *out = k;
      return true;
    }
    size_t used = strlen(list);
    snprintf(list + used, sizeof list - used, "%s%s", k ? ", " : "", words[k]);
  }
  return ch_xml_wrong(view->reader, where, "%s is '%.*s', must be one of: %s", name, SHOWN, text, list);
}

// ----------------------------------------------------------------------------------------------------- what is not
// read

enum { KINDS = 200, NAME = 140, LINE = 240 };

typedef struct Unread {
  int count, more;
  struct {
    char name[NAME];
    long line;
    int times;
  } kind[KINDS];
} Unread;

static void note(Unread* all, const ChXmlNode* node, const char* attribute) {
  char name[NAME];
  long line = node->line;
  if (attribute)
    snprintf(name, sizeof name, "%.*s of <%.*s>", SHOWN, attribute, SHOWN, node->tag);
  else if (node->above->above)
    snprintf(name, sizeof name, "<%.*s> in <%.*s>", SHOWN, node->tag, SHOWN, node->above->tag);
  else
    snprintf(name, sizeof name, "<%.*s>", SHOWN, node->tag);
  int k = 0;
  while (k < all->count && strcmp(all->kind[k].name, name) != 0) ++k;
  if (k == KINDS) {
    ++all->more;
    return;
  }
  if (k == all->count) {
    ++all->count;
    snprintf(all->kind[k].name, NAME, "%s", name);
    all->kind[k].line = line;
  }
  ++all->kind[k].times;
}

static char* in_lines(ChReader* r, const Unread* all) {
  size_t room = (size_t)(all->count + 1) * (NAME + LINE) + 100, line = 0, used = 0;
  char* text = CH_TAKE(r->arena, room, char);
  for (int k = 0; k < all->count; ++k) {
    if (used == 0 || used - line > LINE - NAME) {
      used += (size_t)snprintf(text + used, room - used, "%snot read: ", used ? "\n" : "");
      line = used;
    } else {
      used += (size_t)snprintf(text + used, room - used, ", ");
    }
    used += (size_t)snprintf(text + used, room - used, "%s (line %ld", all->kind[k].name, all->kind[k].line);
    if (all->kind[k].times > 1) used += (size_t)snprintf(text + used, room - used, ", %d times", all->kind[k].times);
    used += (size_t)snprintf(text + used, room - used, ")");
  }
  if (all->more > 0) snprintf(text + used, room - used, ", and %d more", all->more);
  return text;
}

char* ch_xml_unread(ChReader* r, ChXmlNode* root) {
  Unread* all = CH_TAKE(r->arena, 1, Unread);
  for (const ChXmlNode* node = root; node; node = after(node, root, node->read || node == root)) {
    if (!node->read && node != root) note(all, node, NULL);
    for (int k = 0; node->read && node->asked && k < node->attribute_count; ++k)
      if (!node->attributes[k].asked) note(all, node, node->attributes[k].name);
  }
  return all->count > 0 ? in_lines(r, all) : NULL;
}

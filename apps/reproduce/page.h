// The report of all items as one html page that needs nothing but itself.
#ifndef CH_REPRODUCE_PAGE_H
#define CH_REPRODUCE_PAGE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "cardhouse/status.h"

typedef struct ChPage {
  const char* folder;  // index.html goes here; pictures are taken from items/NAME/picture-K.png
  const char* version;
  bool quick;
  int count;
  json_t* const* results;
  int kept;                  // of the results, those that an earlier run left
  const char* command;       // with which the report was made
  const char* revision;      // of the sources, or NULL
  double load;               // of the machine before the items began, processes; negative: not known
  const char* picture_lack;  // why pictures are missing, or NULL
  const char* charts;        // folder of charts as SVG files, seen from the Markdown's own; NULL: it has none
} ChPage;

ChStatus ch_page_write(ChContext* context, const ChPage* page);

// Where the picture of the k-th figure of an item lies.
void ch_picture_path(const char* folder, const char* item, int figure, char* path, size_t size);

// The same findings as Markdown: docs/validation.md. Where all items are of one document, the page is named after it.
ChStatus ch_validation_write(ChContext* context, const ChPage* page, const char* path);

// "Anitescu and Hart 2004: Solving nonconvex ..." of an item's name ("000-table1"), or NULL.
const char* ch_document_title(const char* item);

#endif

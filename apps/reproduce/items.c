// The registry: an item is one file, item_NAME, and one row of item_list.h.
#include "reproduce/item.h"

#define X(name) extern const ChItem ch_item_##name;
#include "reproduce/item_list.h"
#undef X

static const ChItem* const items[] = {
#define X(name) &ch_item_##name,
#include "reproduce/item_list.h"
#undef X
};

int ch_item_count(void) { return sizeof items / sizeof *items; }
const ChItem* ch_item_at(int index) { return items[index]; }

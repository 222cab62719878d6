// The viewer's page as gzip, a third as long: for browsers that take it, which all do.
#ifndef CH_SERVE_PACKED_PAGE_H
#define CH_SERVE_PACKED_PAGE_H

#include <stddef.h>

// NULL where memory runs out: the page then goes as it is. The caller frees it.
unsigned char* ch_page_pack(size_t* size);
// Whether a header Accept-Encoding names gzip, and does not refuse it with a weight of 0.
int ch_encoding_takes_gzip(const char* accepted);

#endif

// The page, embedded when the program is built (web/), and the hashes by which browsers know its scripts.
#ifndef CH_SERVE_VIEWER_PAGE_H
#define CH_SERVE_VIEWER_PAGE_H

extern const unsigned char ch_page_begin[], ch_page_end[];
extern const char ch_page_scripts[];  // 'sha256-...' of each, as in a Content-Security-Policy

#endif

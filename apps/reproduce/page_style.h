// The page's style sheet.
#ifndef CH_REPRODUCE_PAGE_STYLE_H
#define CH_REPRODUCE_PAGE_STYLE_H

extern const char ch_page_style[];

#endif

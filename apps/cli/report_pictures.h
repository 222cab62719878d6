// The pictures of a report: every recording that an item asked to have drawn.
#ifndef CH_CLI_REPORT_PICTURES_H
#define CH_CLI_REPORT_PICTURES_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

// Draws those that are not there yet, in one browser. `lack` says, for the page, why some are missing; "" where none
// is. A picture that cannot be drawn is no failure of the report.
void ch_report_pictures_draw(const char* folder, int count, json_t* const* results, bool progress, char* lack,
                             size_t size);

#endif

// Messages that live and replay sessions share.
#ifndef CH_SERVE_MESSAGES_H
#define CH_SERVE_MESSAGES_H

#include <jansson.h>

// `mode`: "live" or "replay". NULL when out of memory, here and below.
json_t* ch_message_hello(const char* mode);
json_t* ch_message_error(const char* text);

#endif

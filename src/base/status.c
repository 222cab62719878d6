// Status texts and the recording of failures.
#include "cardhouse/status.h"

#include <stdarg.h>
#include <stdio.h>

#include "cardhouse/memory.h"

const char* ch_status_text(ChStatus status) {
  switch (status) {
#define X(name, text) \
  case name:          \
    return text;
    CH_STATUS_LIST(X)
#undef X
  }
  return "unknown status";
}

ChStatus ch_fail(ChContext* context, ChStatus status, const char* format, ...) {
  if (context) {
    context->status = status;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(context->message, sizeof context->message, format, arguments);
    va_end(arguments);
  }
  return status;
}

void ch_notice(ChContext* context, const char* format, ...) {
  char text[CH_MESSAGE_SIZE];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (context && context->notice)
    context->notice(context->user, text);
  else
    ch_log(CH_LOG_INFO, "%s", text);
}

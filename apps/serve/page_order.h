// Orders: what a page asks for, as one JSON object a message, read into a plain struct. Everything that can be checked
// without the scene at hand is checked here; whatever comes over the wire, nothing else sees it unchecked.
#ifndef CH_SERVE_PAGE_ORDER_H
#define CH_SERVE_PAGE_ORDER_H

#include <stdbool.h>
#include <stddef.h>

#include "cardhouse/geometry.h"
#include "cardhouse/status.h"

enum { CH_ORDER_BYTES_MAX = 64 * 1024, CH_ORDER_PARAMETERS_MAX = 32, CH_ORDER_WORD = 64, CH_PANES_MAX = 2 };

typedef enum ChOrderType {
  CH_ORDER_LOAD,
  CH_ORDER_RUN,
  CH_ORDER_PAUSE,
  CH_ORDER_STEP,
  CH_ORDER_RESET,
  CH_ORDER_SPEED,
  CH_ORDER_SET,
  CH_ORDER_DRAG,
  CH_ORDER_RELEASE,
  CH_ORDER_SHOOT,
  CH_ORDER_INSPECT,
  CH_ORDER_COMPARE,
  CH_ORDER_SEEK,
} ChOrderType;

typedef enum ChSettingName {
  CH_CHANGE_MU,
  CH_CHANGE_GRAVITY,
  CH_CHANGE_H,
  CH_CHANGE_TOLERANCE,
  CH_CHANGE_METHOD,
  CH_CHANGE_CONE,
  CH_CHANGE_REST,
  CH_CHANGE_LIMIT,
  CH_CHANGE_PACE,
} ChSettingName;

typedef struct ChOrder {
  ChOrderType type;
  unsigned client;  // who asks, for the answer; 0 = nobody
  int pane;         // -1 = all
  double value;     // speed, time, number of a setting
  bool on;
  ChSettingName setting;
  int body, contact;     // -1 = not this one
  ChVec3 local, target;  // drag
  int triangle;          // drag: of a deformable body's skin, and where in it; -1 = `local` says where
  double weights[3];
  ChVec3 origin, direction;  // shoot
  double mass, size;         // of the block; 0 = what suits the scene
  ChVec3 vector;             // gravity
  char word[CH_ORDER_WORD];  // scene, method, cone
  int method_count;          // compare: 0 = end it
  char methods[CH_PANES_MAX][CH_ORDER_WORD];
  int parameter_count;
  char parameters[CH_ORDER_PARAMETERS_MAX][2][CH_ORDER_WORD];
} ChOrder;

// `text` need not end with a zero. A refusal says what is wrong with which member.
ChStatus ch_order_parse(ChContext* context, const char* text, size_t size, ChOrder* out);

#endif

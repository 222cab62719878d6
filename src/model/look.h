// How bodies are drawn. Nothing of it enters the mechanics.
#ifndef CH_MODEL_LOOK_H
#define CH_MODEL_LOOK_H

#include "model/world.h"

// `what` names the definition in messages.
ChStatus ch_look_check(ChContext* context, const char* what, const ChLook* look);

#endif

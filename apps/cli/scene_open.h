// A scene opened for a command: everything that is wrong with it is told, not the first fault alone.
#ifndef CH_CLI_SCENE_OPEN_H
#define CH_CLI_SCENE_OPEN_H

#include "cardhouse/scene.h"
#include "cli/arguments.h"

// As ch_scene_open_with; `choice` may be NULL. Of several faults all but the last are complained of here, a line each;
// the last one is left in the context, for whoever turns the failure into an exit status.
ChStatus ch_scene_open_telling(const ChCommand* command, ChContext* context, const char* name,
                               const ChSceneChoice* choice, ChScene** out);

#endif

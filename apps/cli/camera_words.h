// Where pictures are taken from, as words of the command line: --camera, --target, --fov, --orbit, --follow-body.
#ifndef CH_CLI_CAMERA_WORDS_H
#define CH_CLI_CAMERA_WORDS_H

#include <jansson.h>

#include "cli/arguments.h"

#define CH_CAMERA_ROWS(X)                                                                                     \
  X(TEXT, camera, NULL, "X,Y,Z", 0, 0, "position of the camera, m (as the scene says, or fitted to the run)") \
  X(TEXT, target, NULL, "X,Y,Z", 0, 0, "point that the camera looks at, m")                                   \
  X(REAL, fov, 0.0, "DEG", 1.0, 150.0, "angle of view from bottom to top, degrees (38)")                      \
  X(REAL, orbit, 0.0, "DEG", -3.6e4, 3.6e4, "turn about the target, degrees per second of the run")           \
  X(TEXT, follow_body, NULL, "NAME", 0, 0, "a body with which the camera moves")

typedef struct ChCameraWords {
  const char *camera, *target, *follow_body;
  double fov, orbit;
} ChCameraWords;
#define CH_CAMERA_WORDS(a) \
  { (a)->camera, (a)->target, (a)->follow_body, (a)->fov, (a)->orbit }

// As the key "camera" of a scene's look; *out is NULL where no word was given, and else the caller's. Complains itself.
bool ch_camera_read(const ChCommand* command, const ChCameraWords* words, json_t** out);

#endif

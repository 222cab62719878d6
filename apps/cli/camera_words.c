// See camera_words.h.
#include "cli/camera_words.h"

#include <math.h>
#include <stdio.h>

#include "cli/output.h"

static const double FARTHEST = 1e9;  // m

static bool read_place(const ChCommand* self, const char* option, const char* word, double x[3]) {
  char more;
  bool read = sscanf(word, "%lf,%lf,%lf%c", &x[0], &x[1], &x[2], &more) == 3;
  for (int k = 0; k < 3 && read; ++k) read = fabs(x[k]) <= FARTHEST;  // not where it is no number
  if (!read)
    ch_complain(self, "--%s is '%s', must be three numbers in metres, separated by commas: 2,-3,1.5", option, word);
  return read;
}

static bool add_place(const ChCommand* self, const char* option, const char* word, const char* key, json_t* camera) {
  double x[3];
  if (!word) return true;
  if (!read_place(self, option, word, x)) return false;
  json_object_set_new(camera, key, json_pack("[f,f,f]", x[0], x[1], x[2]));
  return true;
}

static bool has_sight(const ChCommand* self, const json_t* camera) {
  const json_t *at = json_object_get(camera, "at"), *target = json_object_get(camera, "target");
  if (!at || !target || !json_equal(at, target)) return true;
  ch_complain(self, "--camera and --target are the same point; they must differ");
  return false;
}

bool ch_camera_read(const ChCommand* self, const ChCameraWords* words, json_t** out) {
  json_t* camera = json_object();
  *out = NULL;
  if (!add_place(self, "camera", words->camera, "at", camera) ||
      !add_place(self, "target", words->target, "target", camera) || !has_sight(self, camera)) {
    json_decref(camera);
    return false;
  }
  if (words->fov > 0.0) json_object_set_new(camera, "fov", json_real(words->fov));
  if (words->orbit != 0.0) json_object_set_new(camera, "orbit", json_real(words->orbit));
  if (words->follow_body) json_object_set_new(camera, "follow", json_string(words->follow_body));
  if (json_object_size(camera) > 0)
    *out = camera;
  else
    json_decref(camera);
  return true;
}

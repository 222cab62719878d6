// Messages that live and replay sessions share: see messages.h.
#include "serve/messages.h"

#include "cardhouse/scene.h"
#include "common/json.h"

static json_t* parameters_of(int scene) {
  json_t* parameters = json_array();
  for (const ChSceneParameter* p = ch_scene_builtin_parameters(scene); p->name; ++p) {
    json_t* row = json_pack("{s:s, s:s, s:s}", "name", p->name, "default", p->value, "help", p->text);
    json_t* range = p->words ? json_pack("{s:s}", "words", p->words)
                             : json_pack("{s:o, s:o, s:b}", "lowest", ch_json_real(p->lowest), "highest",
                                         ch_json_real(p->highest), "whole", p->whole);
    json_object_update(row, range);
    json_decref(range);
    json_array_append_new(parameters, row);
  }
  return parameters;
}

json_t* ch_message_hello(const char* mode) {
  json_t *scenes = json_array(), *methods = json_array();
  for (int k = 0; k < ch_scene_builtin_count(); ++k)
    json_array_append_new(scenes, json_pack("{s:s, s:s, s:o}", "name", ch_scene_builtin_name(k), "title",
                                            ch_scene_builtin_summary(k), "parameters", parameters_of(k)));
  for (int k = 0; k < ch_method_count(); ++k) json_array_append_new(methods, json_string(ch_method_info(k).name));
  return json_pack("{s:s, s:i, s:s, s:o, s:o}", "type", "hello", "version", 2, "mode", mode, "scenes", scenes,
                   "methods", methods);
}

json_t* ch_message_error(const char* text) {
  return json_pack("{s:s, s:o}", "type", "error", "text", ch_json_path(text));
}

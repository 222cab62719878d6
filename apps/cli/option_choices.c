// Words that several subcommands take: see option_choices.h.
#include "cli/option_choices.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cardhouse/simulation.h"

const char* const ch_pose_words[3] = {"coulomb", "relaxed", "frictionless"};
static const char* const cones[] = {"circular", "elliptic", "polygon", "outer-polygon"};

bool ch_method_check(const ChCommand* command, const char* method, const char* inner) {
  const char* names[64];
  const char* inners[64];
  int count = 0, inner_count = 0;
  for (int k = 0; k < ch_method_count() && k < 64; ++k) {
    ChMethodInfo info = ch_method_info(k);
    names[count++] = info.name;
    if (info.inner) inners[inner_count++] = info.name;
  }
  // A solver that is inner only is no method by itself; the driver says so where it matters.
  if (method && !ch_word_check(command, "method", method, count, names)) return false;
  return !inner || ch_word_check(command, "inner solver", inner, inner_count, inners);
}

bool ch_cone_check(const ChCommand* command, const char* cone) {
  if (!cone) return true;
  bool outer;
  int sides;
  if (!ch_cone_polygon(cone, &outer, &sides)) return ch_word_check(command, "cone", cone, 4, cones);
  if (sides > 0) return true;
  ch_complain(command, "--cone %s: the number of sides must be even and from 4 to 64, as in polygon:8", cone);
  return false;
}

bool ch_contact_check(const ChCommand* command, const char* law) {
  const char* const words[] = {ch_contact_law_name(CH_CONTACT_RIGID), ch_contact_law_name(CH_CONTACT_COMPLIANT)};
  return !law || ch_word_check(command, "law of contact", law, 2, words);
}

bool ch_pose_read(const ChCommand* command, const char* word, ChPose* out) {
  if (!word) return true;
  if (!ch_word_check(command, "pose", word, 3, ch_pose_words)) return false;
  for (int k = 0; k < 3; ++k)
    if (strcmp(word, ch_pose_words[k]) == 0) *out = (ChPose)k;
  return true;
}

bool ch_setting_read(const ChCommand* command, char* word, ChSetting* out) {
  const char* names[256];
  int count = 0;
  for (; count < ch_option_count() && count < 256; ++count) names[count] = ch_option_info(count).name;
  char* equals = strchr(word, '=');
  if (!equals || equals == word) {
    ch_complain(command, "--set is '%s', must be NAME=VALUE", word);
    return false;
  }
  *equals = '\0';
  char* end;
  *out = (ChSetting){.name = word, .value = strtod(equals + 1, &end)};
  if (end == equals + 1 || *end != '\0') {
    ch_complain(command, "--set %s is '%s', must be a number", word, equals + 1);
    return false;
  }
  if (ch_word_check(command, "option", word, count, names)) return true;
  if (ch_option_find(command, "param", strlen("param")))
    ch_complain(command, "--set is for options of methods; a parameter of the scene is set by --param %s=%s", word,
                equals + 1);
  return false;
}

bool ch_place_check(const ChCommand* command, const char* option, const char* path) {
  struct stat status;
  char copy[PATH_MAX];
  if (!path) return true;
  if (stat(path, &status) == 0 && S_ISDIR(status.st_mode)) {
    ch_complain(command, "--%s %s: is a directory, must be a file", option, path);
    return false;
  }
  snprintf(copy, sizeof copy, "%s", path);
  if (access(dirname(copy), W_OK) == 0) return true;
  ch_complain(command, "--%s %s: its folder cannot be written: %s", option, path, strerror(errno));
  return false;
}

// Words that several subcommands take: methods, cones, poses, settings, places for files.
#ifndef CH_CLI_OPTION_CHOICES_H
#define CH_CLI_OPTION_CHOICES_H

#include "cardhouse/solve.h"
#include "cli/arguments.h"

extern const char* const ch_pose_words[3];  // in the order of ChPose

// All of them complain themselves, with the nearest known word. NULL stands for a word that was not given.
bool ch_method_check(const ChCommand* command, const char* method, const char* inner);
bool ch_cone_check(const ChCommand* command, const char* cone);
bool ch_contact_check(const ChCommand* command, const char* law);
bool ch_pose_read(const ChCommand* command, const char* word, ChPose* out);
// NAME=VALUE. The name is cut off in place: the words of main belong to the program.
bool ch_setting_read(const ChCommand* command, char* word, ChSetting* out);
// A bad place for a file is better said before the work than after. `option` as in "out".
bool ch_place_check(const ChCommand* command, const char* option, const char* path);

#endif

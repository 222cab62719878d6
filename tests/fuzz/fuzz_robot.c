// Fuzz target: any text at all, read as a robot in URDF or MJCF. `fuzz_robot --seeds FOLDER` writes a corpus to start
// from.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cardhouse/scene.h"

int LLVMFuzzerInitialize(int* argc, char*** argv);
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static const char* const seeds[] = {
    "<robot name='r'><material name='m'><color rgba='1 0 0 .5'/></material><link name='a'><collision><geometry><box "
    "size='1 1 1'/></geometry></collision></link><link name='b'><inertial><origin xyz='0 0 1' rpy='1 2 3'/><mass "
    "value='2'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial><visual><material "
    "name='m'/></visual><collision><origin rpy='0 1 0'/><geometry><cylinder radius='1' length='2'/></geometry>"
    "</collision></link><link name='c'/><joint name='j' type='revolute'><parent link='a'/><child link='b'/><origin "
    "xyz='0 0 3'/><axis xyz='0 1 0'/><limit lower='.1' upper='1' effort='3'/><dynamics damping='1' friction='2'/>"
    "</joint><joint name='k' type='fixed'><parent link='b'/><child link='c'/></joint></robot>",
    "<robot name='r'><link name='a'/><link name='b'><collision><geometry><sphere radius='1'/></geometry></collision>"
    "</link><joint name='j' type='planar'><parent link='a'/><child link='b'/><mimic joint='k'/></joint></robot>",
    "<mujoco model='m'><compiler angle='radian' eulerseq='zyx'/><option timestep='.01' gravity='0 0 -1'/><default>"
    "<geom density='10'/><default class='c'><joint armature='.1' damping='1'/></default></default><asset><mesh "
    "name='p' vertex='0 0 0 1 0 0 0 1 0 0 0 1' scale='1 -1 1'/></asset><worldbody><geom type='plane' size='1 1 1' "
    "condim='1'/><body name='a' pos='0 0 3' euler='1 2 3' childclass='c'><joint type='slide' axis='1 0 0'/><joint "
    "name='j' axis='0 1 0' range='-1 1' ref='.5'/><joint axis='0 0 1'/><geom type='capsule' fromto='0 0 0 1 0 0' "
    "size='.1' contype='2'/><body name='b'><inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/><geom type='mesh' "
    "mesh='p'/></body></body><body name='d'><freejoint/><geom size='.2' name='g'/></body></worldbody><contact><exclude "
    "body1='a' body2='d'/></contact><equality><connect body1='a' body2='d' anchor='0 0 1'/></equality><actuator>"
    "<position joint='j' gear='3' forcerange='-1 1'/></actuator></mujoco>",
};

int LLVMFuzzerInitialize(int* argc, char*** argv) {
  if (*argc != 3 || strcmp((*argv)[1], "--seeds") != 0) return 0;
  for (size_t k = 0; k < sizeof seeds / sizeof *seeds; ++k) {
    char name[4096];
    snprintf(name, sizeof name, "%s/seed-%zu.xml", (*argv)[2], k);
    FILE* file = fopen(name, "w");
    if (!file || fputs(seeds[k], file) < 0 || fclose(file) != 0) {
      perror(name);
      exit(1);
    }
  }
  exit(0);
}

// A refusal says why; a success gives a scene whose own text is a scene again.
static void read_with(const char* text, const char* const (*parameters)[2], int count) {
  ChContext context = {0};
  ChScene* scene = NULL;
  const ChSceneChoice choice = {.parameter_count = count, .parameters = parameters};
  ChStatus status = ch_scene_parse_with(&context, text, "/nowhere/fuzz.xml", &choice, &scene);
  if ((status == CH_OK) != (scene != NULL) || (status != CH_OK && context.message[0] == '\0')) abort();
  if (!scene) return;
  ChScene* again = NULL;
  if (ch_scene_parse(&context, scene->text, NULL, &again) != CH_OK) abort();
  ch_scene_destroy(again);
  ch_scene_destroy(scene);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const char* const kinder[][2] = {{"base", "free"}, {"self", "pass"}, {"coupled", "free"}, {"floor", "0"}};
  char* text = malloc(size + 1);  // exactly as long as the text, so that a read beyond it is seen
  if (!text) return 0;
  if (size > 0) memcpy(text, data, size);
  text[size] = '\0';
  if (memchr(text, '<', size)) {
    read_with(text, NULL, 0);
    read_with(text, kinder, 4);
  }
  free(text);
  return 0;
}

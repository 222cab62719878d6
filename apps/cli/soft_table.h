// Deformable bodies in what a command says of a world: one line for those of equal mesh and material.
#ifndef CH_CLI_SOFT_TABLE_H
#define CH_CLI_SOFT_TABLE_H

#include <jansson.h>

#include "cardhouse/world.h"

// "HEAD  3 deformable bodies (bar ...): modal, 12 modes from 5.1 to 210 Hz, 162 vertices"; nothing where all are rigid.
void ch_soft_print(const ChWorld* world, const char* head);
// The same as an array of objects; NULL where all are rigid.
json_t* ch_soft_json(const ChWorld* world);

#endif

// 004, section 7.3.6: "The bunnies exhibit differing sticking, and stick-slip sliding behaviors depending on the
// incidence of impact and mu". Judged from the contacts of the rabbits, red (mu = 0.4) and blue (0.1).
#ifndef CH_REPRODUCE_RABBIT_FRICTION_H
#define CH_REPRODUCE_RABBIT_FRICTION_H

#include "reproduce/incidence.h"
#include "reproduce/report.h"

typedef struct ChRabbitFriction {
  ChSlips slips;
  ChIncidence incidence;
  int kind[CH_INCIDENCE_BODIES];  // 0: red, 1: blue, -1: other
} ChRabbitFriction;

ChRabbitFriction* ch_rabbit_friction_create(void);  // freed by free(); NULL: out of memory
void ch_rabbit_friction_add(ChRabbitFriction* friction, const ChSimulation* simulation, const ChStepInfo* info);
// `name` tells runs apart.
void ch_rabbit_friction_report(ChReport* report, const char* name, const ChRabbitFriction* friction);

#endif

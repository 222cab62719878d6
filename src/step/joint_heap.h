// Heaps of balls that several processes solve together.
//
// Every process has the contacts that it found, and the bodies of these; a body may have contacts in several places.
// Sweeps go by colours: no two contacts of a colour share a body, wherever they are, so that a colour is solved in all
// places at once, and what it changes of a body is sent to whoever else has contacts on it before the next colour
// begins. A contact's colour is the first that is free when contacts come in the order of a number made of their names;
// so colours, sweeps and what comes out are the same, bit for bit, however many processes there are, one included.
//
//   sweeps, momentum   as ansgs has them for compliant spheres; the sums that decide are whole multiples of a unit
//   certificate        each contact's part by the process that has it, by the same code as ever; sums are exact
//                      (exact_sum.h), and velocities follow from the reactions: those on one body are added in the
//                      order of the contacts' names
//
// A heap that misses its tolerance is not kept so: the try is made again with the whole heap on one process, solved as
// by a simulation alone. So dividing a heap may cost time, and never truth.
#ifndef CH_STEP_JOINT_HEAP_H
#define CH_STEP_JOINT_HEAP_H

#include "step/peers.h"

// island -> whether it is a part of such a heap, which a stage leaves alone; NULL where there is none.
const unsigned char* ch_joint_heaps_mark(ChSimulation* s, const ChIslands* islands);
// Solves them all, into the stage. CH_MAX_ITER: one missed, for all alike.
ChStatus ch_joint_heaps_solve(ChContext* context, ChSimulation* s, ChStage* stage);
// What is to be added to the number of islands, so that all processes together count each heap once.
int ch_joint_heaps_counted(const ChSimulation* s, const ChStage* stage);

#endif

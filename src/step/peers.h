// Other processes that simulate other parts of the same world: what a step asks of them.
//
// Every process has the whole world, but moves only the bodies that are its own, and knows the states of those near
// them. In a try at a step
//
//   see      states of bodies near one's own, for contacts are looked for between these and one's own
//   unite    contacts and bodies of an island that several processes share come to one of them, whole
//   return   the velocities that it finds go back to the processes that move these bodies
//   settle   and so do the reactions that the next step starts with
//
// All processes call the same functions in the same order, so whatever decides about the course of a step must be the
// same everywhere: failures are agreed on, figures are reduced. src/dist has the functions; the engine knows nothing of
// how processes talk. A simulation by itself has no peers, and none of this happens.
#ifndef CH_STEP_PEERS_H
#define CH_STEP_PEERS_H

#include "step/state.h"

// The impulse of one contact on a body that several processes have contacts on; its name says where in the sum it is.
typedef struct ChBorderImpulse {
  int body, shape[2], order;  // `order`: among contacts of the same shapes and key
  uint64_t key;
  double impulse[6];  // force along axes of space, torque along those of the body
} ChBorderImpulse;

typedef struct ChPeers {
  void* self;
  const unsigned char* mine;        // body -> this process moves it; never one that is not dynamic
  const unsigned char* near;        // body -> its state is known here
  const unsigned char* here;        // body -> its velocity is found here: in an island of ours, or ours and in none
  const unsigned char* joint_here;  // joint -> its island is one of ours
  // `end`: where bodies will be; those that are near get theirs. NULL: at the start of a try. `margin`, metres, and
  // `ahead`, seconds, are those of contacts.
  ChStatus (*see)(void* self, ChContext* context, ChBodyState* end, double margin, double ahead);
  // In: the gaps that this process looked for; out: those of the islands that it solves.
  ChStatus (*unite)(void* self, ChContext* context, ChMoment* moment);
  ChStatus (*give_back)(void* self, ChContext* context);
  ChStatus (*settle)(void* self, ChContext* context);
  // The same failure for all, of whoever has one: the message, too.
  ChStatus (*agree)(void* self, ChContext* context, ChStatus own);
  ChStatus (*reduce)(void* self, ChContext* context, double* sums, int sum_count, double* most, int most_count);
  // Islands of balls so large that all who have contacts of them solve them together (joint_heap.h): how many in this
  // try, and of which each body is, -1: of none. Those below are about one of them, with the bodies that lie on its
  // borders: that this process and others have contacts on.
  int heap_count;
  const int* heap;
  bool first;  // whether this process counts what all have in common
  // `leads`: whether this process is the first of those that have contacts on it.
  int (*border)(void* self, int heap, const int** bodies, const unsigned char** leads);
  // The largest of the values that processes have for a border body, or all bits of them.
  ChStatus (*mix)(void* self, ChContext* context, bool bits, uint64_t* values);
  // Impulses of contacts on border bodies from all others; valid until the next call.
  ChStatus (*collect)(void* self, ChContext* context, int count, const ChBorderImpulse* own,
                      const ChBorderImpulse** others, int* other_count);
  // In which colours this process moves each border body; `others`: in which others do. Then, colour by colour, six
  // numbers for every border body: where this process moves it they go to the others, where others do they come.
  ChStatus (*route)(void* self, ChContext* context, const uint64_t* colors, uint64_t* others);
  ChStatus (*swap)(void* self, ChContext* context, int color, double* velocities);
  // How it ended; missed: the next try has it on one process.
  void (*ended)(void* self, int contacts, long sweeps, bool missed);
  // Whether the try that missed is to be made again, so.
  bool (*again)(void* self);
  // A failure that others cannot know of: ends all processes.
  void (*abandon)(void* self, const char* why);
} ChPeers;

// Without peers these do nothing, and change nothing.
ChStatus ch_peers_see(ChContext* context, ChSimulation* s, ChBodyState* end, double h);
ChStatus ch_peers_agree(ChContext* context, ChSimulation* s, ChStatus own);
ChStatus ch_peers_reduce(ChContext* context, ChSimulation* s, double* sums, int sum_count, double* most,
                         int most_count);
// Whether it is so for anybody.
ChStatus ch_peers_any(ChContext* context, ChSimulation* s, bool* flag);

// Whether this process moves a body; by itself it moves all.
static inline bool ch_peers_mine(const ChSimulation* s, int body) { return !s->peers || s->peers->mine[body]; }
// Whether this process finds the body's velocity.
static inline bool ch_peers_here(const ChSimulation* s, int body) { return !s->peers || s->peers->here[body]; }
static inline bool ch_peers_near(const ChSimulation* s, int body) { return !s->peers || s->peers->near[body]; }

// Figures of a step so far: sums are added up, extremes compared.
ChStatus ch_peers_measure(ChContext* context, ChSimulation* s, double* spent, ChStepInfo* info);

#endif

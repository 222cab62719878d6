// Alart and Curnier's map of a system as the rows of a kink path: the frames in which it is piecewise linear.
//
// The tangent of x of every contact in space lies along the first axis of its frame. There a disc becomes a square with
// a side where r is, and a sliding contact turns by slope x_t, slope = mu x_n / |x_T|.
#ifndef CH_SOLVE_CONTACT_KINK_FRAMES_H
#define CH_SOLVE_CONTACT_KINK_FRAMES_H

#include "solve/contact/kink_path.h"
#include "system/system.h"

typedef struct ChKinkFrames {
  const ChSystem* s;
  double *cosine, *sine;  // per block: of x's tangent
} ChKinkFrames;

ChKinkFrames ch_kink_frames_create(ChArena* arena, const ChSystem* system);

// The frames at x, which is in the system's own.
void ch_kink_frames_choose(ChKinkFrames* frames, const double* x);

// Vectors of `count` numbers a row into the frames; sign -1: back.
void ch_kink_frames_enter(const ChKinkFrames* frames, double sign, int count, double* v);

// The map at path->x, which is in the frames.
void ch_kink_frames_set_rows(const ChKinkFrames* frames, ChKinkPath* path);

#endif

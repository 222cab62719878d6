// See kink_frames.h.
#include "solve/contact/kink_frames.h"

#include <math.h>

static bool turns(const ChSystem* s, int i) { return s->block[i].law->cone && s->dim[i] == 3; }

ChKinkFrames ch_kink_frames_create(ChArena* arena, const ChSystem* s) {
  return (ChKinkFrames){.s = s, .cosine = CH_TAKE(arena, s->n, double), .sine = CH_TAKE(arena, s->n, double)};
}

void ch_kink_frames_choose(ChKinkFrames* f, const double* at) {
  const ChSystem* s = f->s;
  for (int i = 0; i < s->n; ++i) {
    if (!turns(s, i)) continue;
    const double* x = at + s->row[i];
    double size = sqrt(x[1] * x[1] + x[2] * x[2]);
    f->cosine[i] = size > 0.0 ? x[1] / size : 1.0;
    f->sine[i] = size > 0.0 ? x[2] / size : 0.0;
  }
}

// Turns two rows of `count` numbers.
static void turn(int count, double c, double s, double* first, double* second) {
  for (int a = 0; a < count; ++a) {
    double x = first[a], y = second[a];
    first[a] = c * x + s * y;
    second[a] = c * y - s * x;
  }
}

void ch_kink_frames_enter(const ChKinkFrames* f, double sign, int count, double* v) {
  const ChSystem* s = f->s;
  for (int i = 0; i < s->n; ++i) {
    if (!turns(s, i)) continue;
    double* first = v + (long)(s->row[i] + 1) * count;
    turn(count, f->cosine[i], sign * f->sine[i], first, first + count);
  }
}

void ch_kink_frames_set_rows(const ChKinkFrames* f, ChKinkPath* p) {
  const ChSystem* s = f->s;
  for (int i = 0; i < s->n; ++i) {
    int a = s->row[i], d = s->dim[i];
    const ChScaledBlock* b = &s->block[i];
    for (int k = a; k < a + d; ++k) p->tangents[k] = 0, p->lo[k] = -INFINITY, p->hi[k] = INFINITY;
    b->law->interval(b, &p->lo[a], &p->hi[a]);
    if (!b->law->cone) continue;
    p->tangents[a] = d - 1;
    for (int k = a + 1; k < a + d; ++k) {
      p->tangents[k] = -1;
      p->mu[k] = b->mu;
      p->slope[k] = b->mu > 0.0;
    }
    double size = p->x[a + 1], radius = b->mu * ch_positive_part(p->x[a]);
    if (d == 3 && size > radius) p->slope[a + 2] = radius / size;
  }
}

// Frames: see frame.h. Written byte by byte where a machine is not little-endian; all that this is built for are.
#include "serve/frame.h"

#include <math.h>
#include <string.h>

#include "cardhouse/geometry.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "frames are copied as the machine holds them");

// Shares of the mean and of the largest normal force; see ChContactScale.
static const double LOOSE_SHARE = 0.01, OPEN_SHARE = 1e-9, SLIP_SHARE = 1e-4, SLIP_LEAST = 1e-9, TURN_SHARE = 0.01;

static unsigned char* put(unsigned char* at, const void* value, size_t size) {
  memcpy(at, value, size);
  return at + size;
}

static unsigned char* put_unsigned(unsigned char* at, unsigned value) {
  uint32_t word = value;
  return put(at, &word, sizeof word);
}

static unsigned char* put_int(unsigned char* at, int value) {
  int32_t word = value;
  return put(at, &word, sizeof word);
}

static unsigned char* put_float(unsigned char* at, double value) {
  float word = (float)value;
  return put(at, &word, sizeof word);
}

static unsigned char* put_vector(unsigned char* at, ChVec3 v) {
  return put_float(put_float(put_float(at, v.x), v.y), v.z);
}

unsigned char* ch_frame_put_head(unsigned char* at, const ChFrameHead* head) {
  uint64_t step = (uint64_t)head->step;
  at = put_unsigned(put_unsigned(at, CH_FRAME_MAGIC), CH_FRAME_STATE);
  at = put_unsigned(put_unsigned(at, head->generation), head->pane);
  at = put(put(at, &head->time, sizeof head->time), &step, sizeof step);
  at = put_unsigned(put_unsigned(at, head->bodies), head->contacts);
  at = put_unsigned(put_unsigned(at, head->stats), head->flags);
  return put_unsigned(at, head->modes);
}

unsigned char* ch_frame_put_body(unsigned char* at, ChVec3 position, ChQuat q) {
  at = put_vector(at, position);
  return put_float(put_float(put_float(put_float(at, q.w), q.x), q.y), q.z);
}

unsigned char* ch_frame_put_modes(unsigned char* at, unsigned count, const double* amplitudes) {
  for (unsigned k = 0; k < count; ++k) at = put_float(at, amplitudes[k]);
  return at;
}

unsigned char* ch_frame_put_island(unsigned char* at, int island) { return put_int(at, island); }

unsigned char* ch_frame_put_contact(unsigned char* at, const ChFrameContact* c, ChContactStatus status) {
  at = put_vector(put_vector(put_vector(put_vector(at, c->point), c->normal), c->force), c->slip);
  at = put_float(put_float(at, c->gap), c->mu);
  return put_unsigned(put_int(put_int(at, c->body[0]), c->body[1]), (unsigned)status);
}

unsigned char* ch_frame_put_stat(unsigned char* at, const ChFrameStat* s) {
  at = put(put(at, &s->time, sizeof s->time), &s->natural, sizeof s->natural);
  at = put(put(at, &s->kinetic, sizeof s->kinetic), &s->potential, sizeof s->potential);
  at = put(put(at, &s->contacts, sizeof s->contacts), &s->iterations, sizeof s->iterations);
  return put(put(at, &s->seconds, sizeof s->seconds), &s->flags, sizeof s->flags);
}

ChContactScale ch_contact_scale(double mean_normal, double largest_normal, double fall_speed, double gravity) {
  return (ChContactScale){.slip = fmax(SLIP_SHARE * fall_speed, SLIP_LEAST),
                          .gravity = gravity,
                          .loose = LOOSE_SHARE * mean_normal,
                          .open = OPEN_SHARE * largest_normal};
}

ChContactStatus ch_contact_status(const ChFrameContact* c, ChContactScale scale) {
  double normal = ch_dot(c->force, c->normal);
  if (!(normal > scale.open)) return CH_CONTACT_OPEN;
  if (normal < scale.loose) return CH_CONTACT_LOOSE;
  if (c->branch == CH_BRANCH_STICK || c->branch == CH_BRANCH_SLIP)
    return c->branch == CH_BRANCH_SLIP ? CH_CONTACT_SLIP : CH_CONTACT_STICK;
  ChVec3 slip = ch_along(c->slip, -ch_dot(c->slip, c->normal), c->normal);
  if (ch_norm(slip) > scale.slip) return CH_CONTACT_SLIP;
  double about = ch_dot(c->spin, c->normal), least = fmax(TURN_SHARE * sqrt(scale.gravity * c->reach), SLIP_LEAST);
  double along = ch_norm(ch_along(c->spin, -about, c->normal));
  if (!(c->reach * fmax(along, fabs(about)) > least)) return CH_CONTACT_STICK;
  return along > fabs(about) ? CH_CONTACT_ROLL : CH_CONTACT_SPIN;
}

ChFrameStat ch_frame_stat_worse(ChFrameStat a, ChFrameStat b) {
  bool second = !(b.natural <= a.natural) && !isnan(a.natural);
  ChFrameStat worse = second ? b : a;
  worse.flags = (float)((unsigned)a.flags | (unsigned)b.flags);
  if (((unsigned)a.flags & (unsigned)b.flags & CH_STAT_RESTING) == 0)
    worse.flags = (float)((unsigned)worse.flags & ~(unsigned)CH_STAT_RESTING);
  return worse;
}

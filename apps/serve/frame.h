// A frame: the state of one pane at one moment as bytes, little-endian, as docs/viewer_protocol.md lays them out.
//
//   head, 52 bytes | bodies: 7 float each | amplitudes of deformable bodies: one float a mode | islands: one int each |
//   contacts: 17 words each | stats: 48 bytes each
#ifndef CH_SERVE_FRAME_H
#define CH_SERVE_FRAME_H

#include <stddef.h>
#include <stdint.h>

#include "cardhouse/simulation.h"

enum {
  CH_FRAME_MAGIC = 0x32464843,  // "CHF2"
  CH_FRAME_STATE = 1,           // the only kind so far
  CH_FRAME_HEAD_SIZE = 52,
  CH_FRAME_BODY_SIZE = 32,  // with its island
  CH_FRAME_MODE_SIZE = 4,
  CH_FRAME_CONTACT_SIZE = 68,
  CH_FRAME_STAT_SIZE = 48,
};

enum { CH_FRAME_RUNNING = 1 };                                         // flags of a frame
enum { CH_STAT_MISSED = 1, CH_STAT_RESTING = 2, CH_STAT_BOUNDS = 4 };  // ChBound times CH_STAT_BOUNDS

typedef enum ChContactStatus {
  CH_CONTACT_OPEN,
  CH_CONTACT_STICK,
  CH_CONTACT_SLIP,
  CH_CONTACT_LOOSE,  // closed, and carries next to nothing: about to open
  CH_CONTACT_ROLL,   // does not slip, while the bodies turn about a line in the plane of contact
  CH_CONTACT_SPIN,   // does not slip, while they turn about the normal
} ChContactStatus;

typedef struct ChFrameHead {
  unsigned generation, pane, bodies, modes, contacts, stats, flags;
  double time;
  long step;
} ChFrameHead;

// One step, for the charts.
typedef struct ChFrameStat {
  double time, natural, kinetic, potential;
  float contacts, iterations, seconds, flags;
} ChFrameStat;

typedef struct ChFrameContact {
  ChVec3 point, normal, force, slip;
  ChVec3 spin;   // of the second body relative to the first, rad/s; not sent
  double reach;  // from the point to the nearer centre of a body that moves, m; not sent
  double gap, mu;
  int body[2];
  ChBranch branch;  // where it is told it says whether the contact slips
} ChFrameContact;

// Of what lies between head and stats.
static inline size_t ch_frame_middle_size(const ChFrameHead* head) {
  return (size_t)head->bodies * CH_FRAME_BODY_SIZE + (size_t)head->modes * CH_FRAME_MODE_SIZE +
         (size_t)head->contacts * CH_FRAME_CONTACT_SIZE;
}

// Each writes one part and returns where the next begins.
unsigned char* ch_frame_put_head(unsigned char* at, const ChFrameHead* head);
unsigned char* ch_frame_put_body(unsigned char* at, ChVec3 position, ChQuat orientation);
unsigned char* ch_frame_put_modes(unsigned char* at, unsigned count, const double* amplitudes);
unsigned char* ch_frame_put_island(unsigned char* at, int island);  // -1: fixed, or in none
unsigned char* ch_frame_put_contact(unsigned char* at, const ChFrameContact* contact, ChContactStatus status);
unsigned char* ch_frame_put_stat(unsigned char* at, const ChFrameStat* stat);

// What tells the states of contacts apart: speeds below `slip` are round-off, normal forces below `loose` next to
// nothing, and below `open` nothing. What turns more slowly than a hundredth of free fall from its reach, sqrt(g
// reach), does not roll.
typedef struct ChContactScale {
  double slip, gravity, loose, open;  // m/s, m/s^2, N, N
} ChContactScale;

// From the normal forces of all contacts of the moment, the speed that gravity gives in one step, and gravity itself.
ChContactScale ch_contact_scale(double mean_normal, double largest_normal, double fall_speed, double gravity);
ChContactStatus ch_contact_status(const ChFrameContact* contact, ChContactScale scale);

// The worse certificate of two steps that are shown as one, NaN being the worst.
ChFrameStat ch_frame_stat_worse(ChFrameStat a, ChFrameStat b);

#endif

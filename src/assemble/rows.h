// Contacts and joints as rows of the step's contact problem (001 (2), (4); 000 (5); 002 "LCP fixed time step scheme").
//
//   u = G v + w     contact: u = (n, t1, t2) . (velocity of b's point - that of a's), w_n = gamma Phi / h
//                   joint:   u = dg/dt + gamma g / h
//
// Rows are given with respect to both bodies; what bodies without degrees of freedom contribute is moved to w. All
// islands together; islands.h cuts them apart.
#ifndef CH_ASSEMBLE_ROWS_H
#define CH_ASSEMBLE_ROWS_H

#include "assemble/soft_body.h"
#include "assemble/spring.h"
#include "cardhouse/problem.h"
#include "collide/collide.h"
#include "model/joint_rows.h"

typedef struct ChRowBlock {
  ChBlock law;    // law, dimension, friction, bounds; law.row is the first row
  int body[2];    // -1 where that side has no degrees of freedom
  int gap;        // index into the list of gaps, or -1
  int joint;      // or the joint
  bool bonded;    // held together by cohesion
  int joint_row;  // and its first row there, the name by which the next step finds this block again
} ChRowBlock;

// What a contact touches of a skin. Its row a has the gradient U' along[a] along the body's modes, U = ch_skin_shape.
typedef struct ChSkinTouch {
  ChSkinPoint point;
  ChVec3 along[3];  // of each row, in the body's frame
} ChSkinTouch;

typedef struct ChRows {
  int block_count, row_count;
  ChRowBlock* blocks;
  ChRow* rows;
  double* w;
  double* value;          // signed gap or g of each row; 0 for tangents, motors and friction
  ChSpring* springs;      // of each block, where contacts are compliant; else NULL
  ChShear* shears;        // of each block, where some contacts have a spring along their tangents; else NULL
  double* prescribed;     // the part of w that bodies without degrees of freedom make: they do work
  int locked;             // contacts that were left out: neither body can move along their normals
  double locked_overlap;  // the largest overlap of these, metres
  double deferred;        // largest part of an overlap that the rule's push_out leaves for later, metres
  bool* driven;           // of each row: a motor or a prescribed motion, or held by a driven body: all its work counts
  // Of contacts with deformable bodies, by block and side; -1 where there is none. Both are NULL in a world of rigid
  // bodies.
  ChSkinTouch* touches;
  int (*touch)[2];
  // Of rows of joints on deformable bodies, by row and side: gradients along modes; else NULL. NULL where there are
  // none.
  double* (*bends)[2];
} ChRows;

static inline const ChSkinTouch* ch_row_touch(const ChRows* rows, int block, int side) {
  return rows->touches && rows->touch[block][side] >= 0 ? &rows->touches[rows->touch[block][side]] : NULL;
}

static inline const double* ch_row_bend(const ChRows* rows, int row, int side) {
  return rows->bends ? rows->bends[row][side] : NULL;
}

// What deformation adds to the speed of a row of a joint; `rates`: those of all modes of the world.
double ch_row_bend_speed(const ChWorld* world, const ChRows* rows, int row, const int body[2], const double* rates);

// How gaps and joint errors enter w.
typedef struct ChRowRule {
  double h;
  double contact_gain;          // w_n = contact_gain Phi; 0 with `closed_only`: velocities alone
  double push_out;              // w_n is at least minus this; 0: minus ch_push_out_speed; INFINITY: no bound
  double kept;                  // metres of overlap that are as good as none (step/rounding.h)
  double joint_gain;            // w = joint_gain g
  double motor_gain;            // the same for the error of a position motor, which is no constraint but a wish
  bool closed_only;             // leaves contacts out whose Phi is positive beyond round-off
  bool at_once;                 // an impact: bounded motors and friction have no time to act, only reached limits stop
  const ChHeap* heap;           // contacts are compliant (spring.h); NULL: they are rigid
  const unsigned char* bonded;  // of each gap: whether it is held together, where there is cohesion; else NULL
  const ChVec3* stretch;        // of each gap: of the spring along its tangents, in the world; NULL: there are none
  bool frictionless;            // impact and projection steps may ask for normals alone
  double rebound;               // of a skin that parts: how fast it may come back, as a share (rows.c)
} ChRowRule;

typedef struct ChMoment {
  const ChWorld* world;
  const ChBodyState* states;
  double time, end;  // of the step: prescribed motions are followed from where they are now to where they will be
  const ChGap* gaps;
  int gap_count;
  const unsigned char* joint_here;  // joint -> its rows are built, where several processes share a world; NULL: of all
} ChMoment;

// Radius of the smaller moving body of a contact about its centre of mass: what an overlap is compared with. Fixed
// bodies do not count: they may be floors without end. 0 where none moves.
double ch_smaller_radius(const ChMoment* moment, const ChGap* gap);

// How fast an overlap is undone at most, unless somebody says otherwise: see push_out.c.
double ch_push_out_speed(const ChMoment* moment, const ChGap* gap, double h);

void ch_rows_build(ChArena* arena, const ChMoment* moment, const ChRowRule* rule, ChRows* out);

// Normal and tangents of a contact; a friction axis that turns with a body sets the first tangent.
void ch_contact_frame(const ChMoment* moment, const ChGap* gap, const ChSurface* surface, ChVec3 axes[3]);

// Rows of a contact after the normal and tangents are moments: about the tangents and, as the fourth of four rows or
// the last of six, about the normal. Which of the contact's axes row a is along or about, in a space of 2 or 3
// dimensions; CH_AXIS_OUT: out of the plane.
enum { CH_AXIS_OUT = 3 };
int ch_contact_row_axis(int space, int dimension, int a);
// The same as a direction in the world; rows are those of the contact.
ChVec3 ch_contact_row_direction(const ChRow* rows, int space, int dimension, int a);

// u of one row without w: the velocities of both bodies' frames.
double ch_row_speed(const ChRow* row, const int body[2], const ChBodyState* states);

#endif

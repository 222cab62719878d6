// The scenes that every engine gets, body by body: what each makes of them is its own affair, what they are is not.
//
// A body is one shape about its centre of mass with its principal axes along the frame's, so that mass and inertia mean
// the same to everybody. SI units, z up, density 1000. All contacts of S1 ... S5 start at exactly zero gap.
#ifndef CH_BENCH_SCENES_BODIES_H
#define CH_BENCH_SCENES_BODIES_H

#include <stdbool.h>

#include "cardhouse/geometry.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ChSceneShape {
  CH_SCENE_BOX,     // half
  CH_SCENE_SPHERE,  // radius
  CH_SCENE_BLOCK,   // eight corners: a quadrangle at the near side and, in the same order, at the far side
} ChSceneShape;

enum { CH_BLOCK_CORNERS = 8, CH_BLOCK_FACES = 6 };
extern const unsigned ch_block_faces[CH_BLOCK_FACES][4];  // corners of each face, around it one way or the other

typedef struct ChSceneBody {
  ChSceneShape shape;
  bool fixed;
  bool in_plane;  // moves in the xz plane only and turns about y only
  ChVec3 position;
  ChQuat orientation;
  ChVec3 half;
  double radius;
  ChVec3 corners[CH_BLOCK_CORNERS];  // in the body's frame
  double mass;
  ChVec3 inertia;  // about the axes of the body's frame
} ChSceneBody;

typedef struct ChSceneBodies {
  int count, room;
  ChSceneBody* list;
  ChVec3 gravity;
  double mu;
  double size;  // of a body, for telling whether it has fallen
  bool grains;  // dense matter in motion: ours takes compliant contact, as its built-in scenes of grains do
  bool edges;   // rests on edges and corners only: peers that treat boxes and meshes apart are told
  bool lost;    // memory ran out
} ChSceneBodies;

void ch_scene_add_box(ChSceneBodies* scene, bool fixed, ChVec3 position, double turn_about_y, ChVec3 half);
void ch_scene_add_sphere(ChSceneBodies* scene, ChVec3 position, double radius, bool in_plane);
// A prism of the given depth along y about the plane y = 0 over a quadrangle of the xz plane.
void ch_scene_add_prism(ChSceneBodies* scene, const double (*corners)[2], double depth);
void ch_scene_add_ground(ChSceneBodies* scene);

void ch_scene_bodies_free(ChSceneBodies* scene);

// --- S1 ... S6
ChSceneBodies ch_scene_cards(int levels);                      // S1 with 4
ChSceneBodies ch_scene_arch(void);                             // S2
ChSceneBodies ch_scene_stack(int cubes);                       // S3 with 20
ChSceneBodies ch_scene_incline(double share, double heading);  // S4: slope of `share` times mu, heading in degrees
ChSceneBodies ch_scene_triangle(int row, double mu);           // S5 with 20 spheres in the bottom row
ChSceneBodies ch_scene_box_of_spheres(int count);              // S6

// Acceleration of the block of S4 down its slope.
double ch_scene_incline_acceleration(double share);

#ifdef __cplusplus
}
#endif
#endif

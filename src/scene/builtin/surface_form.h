// Closed surfaces of triangles for built-in scenes, made from a few numbers: rings, links, prisms, balls.
#ifndef CH_SCENE_BUILTIN_SURFACE_FORM_H
#define CH_SCENE_BUILTIN_SURFACE_FORM_H

#include "scene/builtin/builtin.h"

// A surface under construction; triangles are counter-clockwise from outside.
typedef struct ChSurfaceForm {
  ChBuild* build;
  json_t *points, *triangles;
  int count;  // points
} ChSurfaceForm;

void ch_form_begin(ChSurfaceForm* form, ChBuild* build);
int ch_form_point(ChSurfaceForm* form, ChVec3 point);  // rounded to a nanometre
// Left out where two corners are one point.
void ch_form_triangle(ChSurfaceForm* form, int a, int b, int c);
void ch_form_quad(ChSurfaceForm* form, int a, int b, int c, int d);
// The same, cut along the diagonal that leaves a hollow.
void ch_form_hollow(ChSurfaceForm* form, int a, int b, int c, int d);
// Makes it one of the scene's meshes.
void ch_form_end(ChSurfaceForm* form, const char* name);
// A shape of that mesh.
json_t* ch_build_mesh(ChBuild* build, json_t* body, const char* name, const char* material);

// A torus of n times m points: the way around along i, the section, counter-clockwise before it, along j.
typedef ChVec3 (*ChFormFn)(const void* what, int i, int j);
void ch_form_torus(ChSurfaceForm* form, int n, int m, ChFormFn at, const void* what);

// A chain's link in the plane y = 0: a wire around two half circles whose centres are at z = +-straight; with straight
// 0 a round ring. `bend` is the radius of the wire's middle.
typedef struct ChLinkForm {
  double straight, bend, wire;
  int around, section;  // points; around is even
} ChLinkForm;
void ch_form_link(ChBuild* build, const char* name, const ChLinkForm* link);

// A hollow cylinder about y, of n sides; `inner` and `outer` are the radii of its edges.
typedef struct ChCollarForm {
  double inner, outer, half;
  int sides;
} ChCollarForm;
void ch_form_collar(ChBuild* build, const char* name, const ChCollarForm* collar);

// What lies between y = -half and half over an outline in the plane of z and x, counter-clockwise seen from +y, all of
// which is seen from the origin.
void ch_form_prism(ChBuild* build, const char* name, int count, const ChVec3* outline, double half);

// A ball of n meridians and n/2 - 1 parallels.
void ch_form_ball(ChBuild* build, const char* name, double radius, int n);

#endif

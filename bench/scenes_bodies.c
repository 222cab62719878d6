// Bodies of the scenes: mass properties in closed form.
#include "scenes_bodies.h"

#include <stdlib.h>

#include "base/vector.h"

static const double DENSITY = 1000.0;

const unsigned ch_block_faces[CH_BLOCK_FACES][4] = {{0, 1, 2, 3}, {4, 5, 6, 7}, {0, 1, 5, 4},
                                                    {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}};

static void add(ChSceneBodies* scene, const ChSceneBody* body) {
  if (scene->count == scene->room) {
    int room = scene->room ? 2 * scene->room : 64;
    ChSceneBody* list = realloc(scene->list, (size_t)room * sizeof *list);
    if (!list) {
      scene->lost = true;
      return;
    }
    scene->list = list;
    scene->room = room;
  }
  scene->list[scene->count++] = *body;
}

void ch_scene_bodies_free(ChSceneBodies* scene) {
  free(scene->list);
  *scene = (ChSceneBodies){0};
}

void ch_scene_add_box(ChSceneBodies* scene, bool fixed, ChVec3 position, double turn_about_y, ChVec3 half) {
  double mass = 8.0 * DENSITY * half.x * half.y * half.z, third = mass / 3.0;
  double xx = half.x * half.x, yy = half.y * half.y, zz = half.z * half.z;
  add(scene, &(ChSceneBody){.shape = CH_SCENE_BOX,
                            .fixed = fixed,
                            .position = position,
                            .orientation = ch_quat_about(ch_axis(1), turn_about_y),
                            .half = half,
                            .mass = mass,
                            .inertia = {third * (yy + zz), third * (zz + xx), third * (xx + yy)}});
}

void ch_scene_add_sphere(ChSceneBodies* scene, ChVec3 position, double radius, bool in_plane) {
  double mass = DENSITY * 4.0 / 3.0 * M_PI * radius * radius * radius, inertia = 0.4 * mass * radius * radius;
  add(scene, &(ChSceneBody){.shape = CH_SCENE_SPHERE,
                            .in_plane = in_plane,
                            .position = position,
                            .orientation = ch_quat_identity(),
                            .radius = radius,
                            .mass = mass,
                            .inertia = {inertia, inertia, inertia}});
}

// Area, centroid and second moments about it of a polygon, by Green's theorem edge by edge.
typedef struct Section {
  double area, x, z, xx, zz, xz;
} Section;

static Section section_of(const double (*p)[2], int n) {
  Section s = {0};
  for (int i = 0; i < n; ++i) {
    double ax = p[i][0], az = p[i][1], bx = p[(i + 1) % n][0], bz = p[(i + 1) % n][1], cross = ax * bz - bx * az;
    s.area += cross / 2.0;
    s.x += (ax + bx) * cross / 6.0;
    s.z += (az + bz) * cross / 6.0;
    s.xx += (ax * ax + ax * bx + bx * bx) * cross / 12.0;
    s.zz += (az * az + az * bz + bz * bz) * cross / 12.0;
    s.xz += (2.0 * ax * az + ax * bz + bx * az + 2.0 * bx * bz) * cross / 24.0;
  }
  double sign = s.area < 0.0 ? -1.0 : 1.0;  // either sense of going round
  s = (Section){sign * s.area, s.x / s.area, s.z / s.area, sign * s.xx, sign * s.zz, sign * s.xz};
  s.xx -= s.area * s.x * s.x;
  s.zz -= s.area * s.z * s.z;
  s.xz -= s.area * s.x * s.z;
  return s;
}

void ch_scene_add_prism(ChSceneBodies* scene, const double (*corners)[2], double depth) {
  Section s = section_of(corners, 4);
  double angle = 0.5 * atan2(2.0 * s.xz, s.xx - s.zz), c = cos(angle), d = sin(angle);  // of the long principal axis
  double along = c * c * s.xx + 2.0 * c * d * s.xz + d * d * s.zz, across = s.xx + s.zz - along;
  double mass = DENSITY * s.area * depth, line = DENSITY * depth, side = mass * depth * depth / 12.0;
  ChSceneBody body = {.shape = CH_SCENE_BLOCK,
                      .position = {s.x, 0.0, s.z},
                      .orientation = ch_quat_about(ch_axis(1), -angle),  // about y, x turns towards -z
                      .mass = mass,
                      .inertia = {line * across + side, line * (along + across), line * along + side}};
  for (int i = 0; i < CH_BLOCK_CORNERS; ++i) {
    ChVec3 corner = {corners[i % 4][0], i < 4 ? -0.5 * depth : 0.5 * depth, corners[i % 4][1]};
    body.corners[i] = ch_rotate_back(body.orientation, ch_sub(corner, body.position));
  }
  add(scene, &body);
}

void ch_scene_add_ground(ChSceneBodies* scene) {
  ch_scene_add_box(scene, true, ch_vec(0.0, 0.0, -0.5), 0.0, ch_vec(20.0, 20.0, 0.5));
}

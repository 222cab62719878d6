// See filling.h.
#include "scene/builtin/filling.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "scene/builtin/packing.h"

static const double PI = 3.141592653589793;

// From so many on, grains are copies of one entry of a scene: an entry each takes some 170 bytes of text and 5 kB of
// memory while it is read, a copy 55 and 400.
enum { MANY = 20000, CORNERS_MOST = 16 };

void ch_grains_law(ChBuild* b, const char* law, double until, ChGrainStep compliant, ChGrainStep rigid) {
  bool yields = strcmp(law, "compliant") == 0;
  const ChGrainStep* s = yields ? &compliant : &rigid;
  ch_build_step(b, s->h, until, s->margin);
  if (yields) ch_build_compliant(b, 1e-3);
}

double ch_grains_jitter(uint32_t* state) {
  *state = *state * 1664525u + 1013904223u;
  return (double)(*state >> 8) / 16777216.0 - 0.5;
}

// --- vessels ---------------------------------------------------------------------------------------------------------

static ChVec3 corner(const ChVesselCorner* profile, int j) {
  double angle = 2.0 * PI * j / CH_VESSEL_SIDES;
  return ch_vec(profile->r * cos(angle), profile->r * sin(angle), profile->z);
}

void ch_grains_vessel(ChBuild* b, const char* name, int count, const ChVesselCorner* profile, const char* material) {
  json_t* body = ch_build_body(b, name, ch_vec(0.0, 0.0, 0.0));
  ch_build_fixed(b, body);
  json_t *shape = ch_build_shape(b, body, "mesh", material), *points = json_array(), *triangles = json_array();
  bool closed = profile[0].r == 0.0;
  if (closed) json_array_append_new(points, ch_build_vector(b, ch_vec(0.0, 0.0, profile[0].z)));
  for (int k = closed; k < count; ++k)
    for (int j = 0; j < CH_VESSEL_SIDES; ++j) {
      json_array_append_new(points, ch_build_vector(b, corner(&profile[k], j)));
      int next = (j + 1) % CH_VESSEL_SIDES, ring = closed + (k - closed) * CH_VESSEL_SIDES,
          below = ring - CH_VESSEL_SIDES;
      if (k == 0) continue;
      if (closed && k == 1) {
        json_array_append_new(triangles, json_pack("[i,i,i]", 0, ring + j, ring + next));
        continue;
      }
      json_array_append_new(triangles, json_pack("[i,i,i]", below + j, ring + j, ring + next));
      json_array_append_new(triangles, json_pack("[i,i,i]", below + j, ring + next, below + next));
    }
  ch_build_set(b, shape, "points", points);
  ch_build_set(b, shape, "triangles", triangles);
}

// The planes of the sides between two corners of the profile, and the floor of an opening.
static int list_walls(int count, const ChVesselCorner* profile, ChPackWall* walls) {
  int used = 0;
  for (int k = 1; k < count; ++k)
    for (int j = 0; j < CH_VESSEL_SIDES; ++j) {
      double angle = 2.0 * PI * (j + 0.5) / CH_VESSEL_SIDES, inner = cos(PI / CH_VESSEL_SIDES);
      double out = (profile[k].r - profile[k - 1].r) * inner, up = profile[k].z - profile[k - 1].z;
      ChVec3 normal = ch_unit(ch_vec(-up * cos(angle), -up * sin(angle), out));
      walls[used++] = (ChPackWall){normal, ch_dot(normal, corner(&profile[k], j))};
    }
  if (profile[0].r > 0.0) walls[used++] = (ChPackWall){ch_vec(0.0, 0.0, 1.0), profile[0].z};
  return used;
}

ChVec3* ch_grains_packed(int n, double radius, int count, const ChVesselCorner* profile) {
  CH_ASSERT(count >= 2 && count <= CORNERS_MOST);
  ChPackWall walls[CORNERS_MOST * CH_VESSEL_SIDES];
  double wide = 0.0;
  for (int k = 0; k < count; ++k) wide = fmax(wide, profile[k].r);
  const ChPackRoom room = {.count = list_walls(count, profile, walls),
                           .walls = walls,
                           .low = {-wide, -wide},
                           .high = {wide, wide},
                           .bottom = profile[0].z};
  ChVec3* centre = malloc(((size_t)n + 1) * sizeof *centre);
  if (centre && ch_pack_random(n, radius, &room, centre)) return centre;
  free(centre);
  return NULL;
}

// --- grains ----------------------------------------------------------------------------------------------------------

static json_t* flat_list(ChBuild* b, int n, const ChVec3* centre) {
  json_t* list = json_array();
  for (int k = 0; k < n && !b->failed; ++k)
    for (int a = 0; a < b->dimension; ++a)
      if (json_array_append_new(list, json_real(ch_component(centre[k], a))) != 0) b->failed = true;
  return list;
}

void ch_grains_put(ChBuild* b, const char* name, int n, const ChVec3* centre, double radius, const char* material) {
  if (n >= MANY) {
    json_t* body = ch_build_copied(b, name, flat_list(b, n, centre));
    ch_build_round(b, body, "sphere", radius, material);
    return;
  }
  for (int k = 0; k < n; ++k)
    ch_build_round(b, ch_build_numbered(b, name, k + 1, centre[k]), "sphere", radius, material);
}

double ch_grains_column(ChBuild* b, const char* name, int n, double r, double room, double z0, const char* material) {
  const double pitch = 2.2 * r, shake = 0.1 * r;
  int m = (int)floor((room - r) / pitch), done = 0, layer = 0;
  uint32_t state = 12345;
  ChVec3* centre = malloc(((size_t)n + 1) * sizeof *centre);
  if (!centre) {
    b->failed = true;
    return z0;
  }
  for (; done < n; ++layer)
    for (int i = -m; i <= m; ++i)
      for (int j = -m; j <= m && done < n; ++j) {
        double x = i * pitch + shake * ch_grains_jitter(&state), y = j * pitch + shake * ch_grains_jitter(&state);
        if (hypot(x, y) > room - r - shake) continue;
        centre[done++] = ch_vec(x, y, z0 + layer * pitch);
      }
  ch_grains_put(b, name, n, centre, r, material);
  free(centre);
  return z0 + layer * pitch;
}

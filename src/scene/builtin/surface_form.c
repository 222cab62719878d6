// See surface_form.h.
#include "scene/builtin/surface_form.h"

#include <math.h>

void ch_form_begin(ChSurfaceForm* f, ChBuild* build) {
  *f = (ChSurfaceForm){.build = build, .points = json_array(), .triangles = json_array()};
}

static double rounded(double x) { return round(1e9 * x) / 1e9; }

int ch_form_point(ChSurfaceForm* f, ChVec3 p) {
  if (json_array_append_new(f->points, json_pack("[f,f,f]", rounded(p.x), rounded(p.y), rounded(p.z))) != 0)
    f->build->failed = true;
  return f->count++;
}

void ch_form_triangle(ChSurfaceForm* f, int a, int b, int c) {
  if (a == b || b == c || c == a) return;
  if (json_array_append_new(f->triangles, json_pack("[i,i,i]", a, b, c)) != 0) f->build->failed = true;
}

void ch_form_quad(ChSurfaceForm* f, int a, int b, int c, int d) {
  ch_form_triangle(f, a, b, c);
  ch_form_triangle(f, a, c, d);
}

void ch_form_hollow(ChSurfaceForm* f, int a, int b, int c, int d) {
  ChVec3 at[4];
  const int corner[4] = {a, b, c, d};
  for (int k = 0; k < 4; ++k) {
    json_t* p = json_array_get(f->points, (size_t)corner[k]);
    double x[3];
    for (int j = 0; j < 3; ++j) x[j] = json_real_value(json_array_get(p, (size_t)j));
    at[k] = ch_vec(x[0], x[1], x[2]);
  }
  ChVec3 normal = ch_cross(ch_sub(at[1], at[0]), ch_sub(at[2], at[0]));
  if (ch_dot(normal, ch_sub(at[3], at[0])) < 0.0)
    ch_form_quad(f, b, c, d, a);
  else
    ch_form_quad(f, a, b, c, d);
}

void ch_form_end(ChSurfaceForm* f, const char* name) {
  ChBuild* b = f->build;
  if (!json_object_get(b->root, "meshes")) ch_build_set(b, b->root, "meshes", json_object());
  ch_build_set(b, json_object_get(b->root, "meshes"), name,
               json_pack("{s:o, s:o}", "points", f->points, "triangles", f->triangles));
}

json_t* ch_build_mesh(ChBuild* b, json_t* body, const char* name, const char* material) {
  json_t* shape = ch_build_shape(b, body, "mesh", material);
  ch_build_set(b, shape, "mesh", json_string(name));
  return shape;
}

void ch_form_torus(ChSurfaceForm* f, int n, int m, ChFormFn at, const void* what) {
  int first = f->count;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) ch_form_point(f, at(what, i, j));
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      int here = first + i * m, next = first + (i + 1) % n * m, up = (j + 1) % m;
      ch_form_quad(f, here + j, next + j, next + up, here + up);
    }
}

// ---------------------------------------------------------------------------------------------------------------- link

// A flat of the section looks inwards.
static ChVec3 link_at(const void* what, int i, int j) {
  const ChLinkForm* l = what;
  int half = l->around / 2, k = i % half;
  bool round_ring = l->straight == 0.0;
  double theta = round_ring ? 2.0 * M_PI * i / l->around : M_PI * (i / half + (double)k / (half - 1));
  double phi = 2.0 * M_PI * (j + 0.5) / l->section, r = l->bend + l->wire * cos(phi);
  double centre = i < half ? l->straight : -l->straight;
  return ch_vec(r * cos(theta), -l->wire * sin(phi), centre + r * sin(theta));
}

void ch_form_link(ChBuild* build, const char* name, const ChLinkForm* link) {
  ChSurfaceForm form;
  ch_form_begin(&form, build);
  ch_form_torus(&form, link->around, link->section, link_at, link);
  ch_form_end(&form, name);
}

// -------------------------------------------------------------------------------------------------- collar, prism,
// ball

static ChVec3 collar_at(const void* what, int i, int j) {
  const ChCollarForm* c = what;
  double r = j < 2 ? c->outer : c->inner, y = j == 0 || j == 3 ? -c->half : c->half;
  double theta = 2.0 * M_PI * i / c->sides;
  return ch_vec(r * sin(theta), y, r * cos(theta));
}

void ch_form_collar(ChBuild* build, const char* name, const ChCollarForm* collar) {
  ChSurfaceForm form;
  ch_form_begin(&form, build);
  ch_form_torus(&form, collar->sides, 4, collar_at, collar);
  ch_form_end(&form, name);
}

void ch_form_prism(ChBuild* build, const char* name, int count, const ChVec3* outline, double half) {
  ChSurfaceForm form;
  ch_form_begin(&form, build);
  int below = ch_form_point(&form, ch_vec(0.0, -half, 0.0)), above = ch_form_point(&form, ch_vec(0.0, half, 0.0));
  for (int k = 0; k < count; ++k)
    for (int side = -1; side < 2; side += 2) ch_form_point(&form, ch_vec(outline[k].x, side * half, outline[k].z));
  for (int k = 0; k < count; ++k) {
    int here = 2 + 2 * k, next = 2 + 2 * ((k + 1) % count);
    ch_form_quad(&form, here, next, next + 1, here + 1);
    ch_form_triangle(&form, below, next, here);
    ch_form_triangle(&form, above, here + 1, next + 1);
  }
  ch_form_end(&form, name);
}

void ch_form_ball(ChBuild* build, const char* name, double radius, int n) {
  ChSurfaceForm form;
  ch_form_begin(&form, build);
  int south = ch_form_point(&form, ch_vec(0.0, 0.0, -radius)), north = ch_form_point(&form, ch_vec(0.0, 0.0, radius));
  int rows = n / 2 - 1;
  for (int j = 0; j < rows; ++j)
    for (int i = 0; i < n; ++i) {
      double latitude = M_PI * ((j + 1.0) / (rows + 1.0) - 0.5), longitude = 2.0 * M_PI * i / n;
      double r = radius * cos(latitude);
      ch_form_point(&form, ch_vec(r * cos(longitude), r * sin(longitude), radius * sin(latitude)));
    }
  for (int i = 0; i < n; ++i) {
    int here = 2 + i, next = 2 + (i + 1) % n, top = (rows - 1) * n;
    ch_form_triangle(&form, south, next, here);
    for (int j = 0; j + 1 < rows; ++j)
      ch_form_quad(&form, here + j * n, next + j * n, next + (j + 1) * n, here + (j + 1) * n);
    ch_form_triangle(&form, here + top, next + top, north);
  }
  ch_form_end(&form, name);
}

// Polygonal friction: see polygon.h. The projection onto a cone in space is a point of it, of a facet, of an edge or
// the apex; with few sides all candidates are tried and the nearest is taken.
#include "problem/polygon.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool ch_cone_polygon(const char* word, bool* outer, int* sides) {
  *outer = strncmp(word, "outer-", 6) == 0;
  const char* rest = word + (*outer ? 6 : 0);
  if (strncmp(rest, "polygon", 7) != 0 || (rest[7] != '\0' && rest[7] != ':')) return false;
  if (rest[7] == '\0') {
    *sides = 8;
    return true;
  }
  char* end;
  long given = isdigit((unsigned char)rest[8]) ? strtol(rest + 8, &end, 10) : 0;
  bool good = given >= CH_SIDES_MIN && given <= CH_SIDES_MAX && given % 2 == 0 && *end == '\0';
  *sides = good ? (int)given : 0;
  return true;
}

void ch_polygon_corners(int sides, double* corners) {
  const double pi = acos(-1.0);
  for (int j = 0; j < sides; ++j) {
    corners[2 * j] = cos(2.0 * pi * j / sides);
    corners[2 * j + 1] = sin(2.0 * pi * j / sides);
  }
}

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static void cross(const double a[3], const double b[3], double c[3]) {
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}

static void generator(const double mu[2], const double* corner, double g[3]) {
  g[0] = 1.0, g[1] = mu[0] * corner[0], g[2] = mu[1] * corner[1];
}

typedef struct Nearest {
  double distance;  // squared
  double y[3];
  int kind;             // dimension of the face: 0 apex, 1 edge, 2 facet, 3 inside
  double direction[3];  // unit: of the edge, or the facet's normal
} Nearest;

static void offer(Nearest* n, const double x[3], const double y[3], int kind, const double direction[3]) {
  double distance = 0.0;
  for (int k = 0; k < 3; ++k) distance += (x[k] - y[k]) * (x[k] - y[k]);
  if (!(distance < n->distance)) return;
  n->distance = distance;
  n->kind = kind;
  memcpy(n->y, y, 3 * sizeof *y);
  double size = sqrt(dot(direction, direction));
  for (int k = 0; k < 3; ++k) n->direction[k] = direction[k] / size;
}

// Projects x on the plane of the facet between a and b and offers the point where it lies between them.
static void try_facet(Nearest* n, const double x[3], const double a[3], const double b[3], const double normal[3]) {
  double y[3], left[3], right[3], height = dot(x, normal) / dot(normal, normal);
  for (int k = 0; k < 3; ++k) y[k] = x[k] - height * normal[k];
  cross(y, b, left);  // y = s a + t b:  s n = y x b,  t n = a x y
  cross(a, y, right);
  if (dot(left, normal) >= 0.0 && dot(right, normal) >= 0.0) offer(n, x, y, 2, normal);
}

static void try_edge(Nearest* n, const double x[3], const double a[3]) {
  double t = dot(x, a) / dot(a, a), y[3];
  if (!(t > 0.0)) return;
  for (int k = 0; k < 3; ++k) y[k] = t * a[k];
  offer(n, x, y, 1, a);
}

static void fill_face(const Nearest* n, ChPolygonFace* face) {
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b) {
      double unit = a == b ? 1.0 : 0.0, square = n->direction[a] * n->direction[b];
      face->D[3 * a + b] = n->kind == 3 ? unit : n->kind == 2 ? unit - square : n->kind == 1 ? square : 0.0;
    }
}

void ch_project_polygon(const double mu[2], int sides, const double* corners, const double x[3], double y[3],
                        ChPolygonFace* face) {
  const double apex[3] = {0.0, 0.0, 0.0}, up[3] = {1.0, 0.0, 0.0};
  Nearest n = {.distance = INFINITY, .y = {NAN, NAN, NAN}};
  double a[3], b[3], normal[3];
  bool flat = mu[0] == 0.0 || mu[1] == 0.0, outside = flat;  // nothing is inside a cone without a second dimension
  generator(mu, corners + 2 * (sides - 1), a);
  offer(&n, x, apex, 0, up);
  for (int j = 0; j < sides; ++j) {
    generator(mu, corners + 2 * j, b);
    cross(b, a, normal);  // outwards: corners run anticlockwise seen from above
    if (flat || !(dot(x, normal) <= 0.0)) {
      outside = true;
      try_facet(&n, x, b, a, normal);
    }
    try_edge(&n, x, b);
    memcpy(a, b, sizeof a);
  }
  if (!outside) {
    n.kind = 3;
    memcpy(n.y, x, sizeof n.y);
  }
  memcpy(y, n.y, sizeof n.y);
  if (face) fill_face(&n, face);
}

double ch_polygon_support(const double mu[2], int sides, const double* corners, const double* u, int* best) {
  double largest = -INFINITY;
  for (int j = 0; j < sides; ++j) {
    double value = mu[0] * corners[2 * j] * u[0] + mu[1] * corners[2 * j + 1] * u[1];
    if (!(value > largest) && !isnan(value)) continue;
    largest = value;
    if (best) *best = j;
  }
  return largest;
}

// The side that faces x: by symmetry no other is nearer. Returns its first corner.
static int facing_side(int sides, const double* corners, const double x[2]) {
  int best = 0;
  double largest = -INFINITY;
  for (int j = 0; j < sides; ++j) {
    const double *a = corners + 2 * j, *b = corners + 2 * ((j + 1) % sides);
    double height = (a[0] + b[0]) * x[0] + (a[1] + b[1]) * x[1];
    if (height > largest) largest = height, best = j;
  }
  return best;
}

void ch_project_polygon_disc(double radius, int sides, const double* corners, const double x[2], double y[2],
                             double* D) {
  int j = facing_side(sides, corners, x);
  const double *a = corners + 2 * j, *b = corners + 2 * ((j + 1) % sides);
  double n[2] = {a[0] + b[0], a[1] + b[1]}, size = sqrt(n[0] * n[0] + n[1] * n[1]);  // twice the inscribed radius
  double e[2] = {-n[1] / size, n[0] / size}, half = radius * sqrt(1.0 - 0.25 * size * size);
  double out = (n[0] * x[0] + n[1] * x[1]) / size - 0.5 * radius * size, along = e[0] * x[0] + e[1] * x[1];
  int inside = out <= 0.0, corner = !inside && fabs(along) >= half;
  double at = along > half ? half : along < -half ? -half : along;
  if (!inside)
    for (int k = 0; k < 2; ++k) y[k] = 0.5 * radius * n[k] + at * e[k];
  else
    y[0] = x[0], y[1] = x[1];
  for (int k = 0; D && k < 4; ++k) D[k] = inside ? k % 3 == 0 : corner ? 0.0 : e[k / 2] * e[k % 2];
}

// Alart-Curnier and De Saxce maps: see contact_map.h.
#include "solve/contact/contact_map.h"

#include <math.h>
#include <string.h>

#include "linalg/small.h"
#include "problem/polygon.h"

static double tangent_size(int d, const double* x) { return d == 3 ? sqrt(x[1] * x[1] + x[2] * x[2]) : fabs(x[1]); }

void ch_map_value(const ChSystem* s, ChMap map, int i, const double* x, double* y) {
  if (s->set[i] != CH_SET_CONE || map == CH_MAP_DE_SAXCE || ch_system_is_polygon(s, i)) {
    ch_system_project_block(s, i, x, y);
    return;
  }
  int d = s->dim[i];
  y[0] = x[0] <= 0.0 ? 0.0 : x[0];
  double t = tangent_size(d, x), radius = s->mu[i] * y[0];
  double shrink = t <= radius ? 1.0 : radius / t;
  for (int a = 1; a < d; ++a) y[a] = shrink * x[a];
}

// D += k (I - e e^T) on the tangent rows from `first`; e = x_T / |x_T|
static void add_turning(int d, int first, double k, const double* e, double* D) {
  for (int a = first; a < d; ++a)
    for (int b = first; b < d; ++b) D[a * d + b] += k * ((a == b) - e[a] * e[b]);
}

static void unit_tangent(int d, int first, const double* x, double t, double* e) {
  for (int a = first; a < d; ++a) e[a] = x[a] / t;
}

static void derivative_alart_curnier(double mu, int d, const double* x, double* D) {
  if (x[0] <= 0.0) return;
  double t = tangent_size(d, x), e[3] = {0.0};
  D[0] = 1.0;
  if (t <= mu * x[0]) {
    for (int a = 1; a < d; ++a) D[a * d + a] = 1.0;
    return;
  }
  unit_tangent(d, 1, x, t, e);
  add_turning(d, 1, mu * x[0] / t, e, D);
  for (int a = 1; a < d; ++a) D[a * d] = mu * e[a];
}

static void derivative_cone(double mu, int d, const double* x, double* D) {
  double t = tangent_size(d, x), e[3] = {0.0};
  if (x[0] >= 0.0 && t <= mu * x[0]) {
    for (int a = 0; a < d; ++a) D[a * d + a] = 1.0;
    return;
  }
  if (mu * t <= -x[0]) return;
  double c = 1.0 / (1.0 + mu * mu), normal = c * (x[0] + mu * t);
  unit_tangent(d, 1, x, t, e);
  D[0] = c;
  for (int a = 1; a < d; ++a) {
    D[a] = D[a * d] = c * mu * e[a];
    for (int b = 1; b < d; ++b) D[a * d + b] = c * mu * mu * e[a] * e[b];
  }
  add_turning(d, 1, mu * normal / t, e, D);
}

static void derivative_disc(double radius, const double* x, double* D) {
  double t = sqrt(x[0] * x[0] + x[1] * x[1]), e[2];
  if (t <= radius) {
    D[0] = D[3] = 1.0;
    return;
  }
  unit_tangent(2, 0, x, t, e);
  add_turning(2, 0, radius / t, e, D);
}

static void derivative_polygon(const ChSystem* s, int i, const double* x, double* D) {
  const double mu[2] = {s->mu[i], s->mu[i]};
  double y[3];
  ChPolygonFace face;
  ch_project_polygon(mu, s->sides[i], s->corners[i], x, y, &face);
  memcpy(D, face.D, sizeof face.D);
}

void ch_map_derivative(const ChSystem* s, ChMap map, int i, const double* x, double* D) {
  int d = s->dim[i];
  memset(D, 0, (size_t)(d * d) * sizeof *D);
  switch ((ChSet)s->set[i]) {
    case CH_SET_FREE:
      ch_small_identity(d, 1.0, D);
      break;
    case CH_SET_HALF:
      D[0] = x[0] > 0.0;
      break;
    case CH_SET_BOX:
      D[0] = x[0] > s->lo[i] && x[0] < s->hi[i];
      break;
    case CH_SET_CONE:
      if (ch_system_is_polygon(s, i))
        derivative_polygon(s, i, x, D);
      else if (map == CH_MAP_ALART_CURNIER)
        derivative_alart_curnier(s->mu[i], d, x, D);
      else
        derivative_cone(s->mu[i], d, x, D);
      break;
    case CH_SET_DISC:
      if (ch_system_is_polygon(s, i)) {
        double y[2];
        ch_project_polygon_disc(s->mu[i], s->sides[i], s->corners[i], x, y, D);
      } else {
        derivative_disc(s->mu[i], x, D);
      }
      break;
  }
}

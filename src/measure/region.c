// Regions: see region.h. Areas of discs cut by lines and circles are closed forms; a ball is the integral of the discs
// that horizontal planes cut from it.
#include "measure/region.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain_numbers.h"
#include "base/vector.h"

double ch_ball_volume(int dimension, double radius) {
  return dimension == 2 ? M_PI * radius * radius : 4.0 / 3.0 * M_PI * radius * radius * radius;
}

static double at_least_zero(double value) { return value <= 0.0 ? 0.0 : value; }

// --- what a user writes ----------------------------------------------------------------------------------------------

static int read_numbers(const char* text, int room, double* numbers) {
  int count = 0;
  for (const char* at = text;; ++at) {
    char* end;
    double value = ch_number_parse(at, &end);
    if (end == at || !isfinite(value) || count == room) return -1;
    numbers[count++] = value;
    if (!*end) return count;
    if (*end != ',') return -1;
    at = end;
  }
}

ChStatus ch_region_read(ChContext* context, const char* what, const char* text, int dimension, ChRegion* out) {
  double n[6];
  int count = read_numbers(text, 6, n), box = 2 * dimension, round = dimension == 2 ? 3 : 5;
  *out = (ChRegion){.dimension = dimension};
  if (count == box) {
    out->low = ch_vec(n[0], n[2], dimension == 3 ? n[4] : 0.0);
    out->high = ch_vec(n[1], n[3], dimension == 3 ? n[5] : 0.0);
  } else if (count == round) {
    out->kind = CH_REGION_CYLINDER;
    out->x = n[0], out->y = n[1], out->radius = n[2];
    if (dimension == 3) out->low.z = n[3], out->high.z = n[4];
  } else {
    return ch_fail(context, CH_ERR_ARGUMENT, "%s is '%s', must be %s", what, text,
                   dimension == 2 ? "x0,x1,y0,y1 (a rectangle) or x,y,radius (a disc)"
                                  : "x0,x1,y0,y1,z0,z1 (a box) or x,y,radius,z0,z1 (an upright cylinder)");
  }
  if (!(ch_region_volume(out) > 0.0))
    return ch_fail(context, CH_ERR_RANGE, "%s is '%s', which is empty: give lower ends first, and a radius above 0",
                   what, text);
  return CH_OK;
}

// --- the region itself -----------------------------------------------------------------------------------------------

static double height(const ChRegion* r) { return r->dimension == 2 ? 1.0 : at_least_zero(r->high.z - r->low.z); }

double ch_region_volume(const ChRegion* r) {
  if (r->kind == CH_REGION_CYLINDER) return r->radius > 0.0 ? M_PI * r->radius * r->radius * height(r) : 0.0;
  return at_least_zero(r->high.x - r->low.x) * at_least_zero(r->high.y - r->low.y) * height(r);
}

bool ch_region_holds(const ChRegion* r, ChVec3 p) {
  if (r->dimension == 3 && !(p.z >= r->low.z && p.z < r->high.z)) return false;
  if (r->kind == CH_REGION_CYLINDER) return hypot(p.x - r->x, p.y - r->y) < r->radius;
  return p.x >= r->low.x && p.x < r->high.x && p.y >= r->low.y && p.y < r->high.y;
}

static double width_along(const ChRegion* r, int axis) {
  double width = ch_component(r->high, axis) - ch_component(r->low, axis);
  return ch_region_wraps(r, axis) ? 0.5 * width : width;
}

double ch_region_width(const ChRegion* r) {
  double flat = r->kind == CH_REGION_CYLINDER ? 2.0 * r->radius : fmin(width_along(r, 0), width_along(r, 1));
  return r->dimension == 2 ? flat : fmin(flat, width_along(r, 2));
}

ChRegion ch_region_inset(const ChRegion* r, double d) {
  ChRegion in = *r;
  ChVec3 by = ch_vec(r->wraps[0] ? 0.0 : d, r->wraps[1] ? 0.0 : d, r->dimension == 3 && !r->wraps[2] ? d : 0.0);
  in.low = ch_add(r->low, by);
  in.high = ch_sub(r->high, by);
  in.radius = r->radius - d;
  return in;
}

void ch_region_join(ChRegion* r, const ChPeriodic* p) {
  for (int a = 0; a < r->dimension && r->kind == CH_REGION_BOX; ++a) {
    double length = ch_periodic_length(p, a), own = ch_component(r->high, a) - ch_component(r->low, a);
    if (p->axis[a] && fabs(own - length) <= 1e-9 * length) r->wraps[a] = true;
  }
}

// Of two circles, radii a and b, centres d apart.
static double lens(double a, double b, double d) {
  if (!(d < a + b)) return 0.0;
  double small = fmin(a, b), large = fmax(a, b);
  if (d <= large - small) return M_PI * small * small;
  double x = (d * d + small * small - large * large) / (2.0 * d), y = d - x;  // the chord, from either centre
  double half = sqrt(at_least_zero(small * small - x * x));
  return small * small * acos(fmax(-1.0, fmin(1.0, x / small))) +
         large * large * acos(fmax(-1.0, fmin(1.0, y / large))) - d * half;
}

double ch_region_shared(const ChRegion* r, ChVec3 shift) {
  if (r->periodic) return ch_region_volume(r);
  if (r->wraps[0]) shift.x = 0.0;
  if (r->wraps[1]) shift.y = 0.0;
  if (r->wraps[2]) shift.z = 0.0;
  double up = r->dimension == 2 ? 1.0 : at_least_zero(r->high.z - r->low.z - fabs(shift.z));
  if (r->kind == CH_REGION_CYLINDER) return lens(r->radius, r->radius, hypot(shift.x, shift.y)) * up;
  return at_least_zero(r->high.x - r->low.x - fabs(shift.x)) * at_least_zero(r->high.y - r->low.y - fabs(shift.y)) * up;
}

// --- a disc and the section of the region ----------------------------------------------------------------------------

// Integral of sqrt(rho^2 - x^2) from 0 to x.
static double half_disc(double rho, double x) {
  x = fmax(-rho, fmin(rho, x));
  return 0.5 * (x * sqrt(at_least_zero(rho * rho - x * x)) + rho * rho * asin(x / rho));
}

// Area of the disc about the origin where x <= a and y <= b.
static double corner_area(double rho, double a, double b) {
  a = fmin(a, rho);
  if (a <= -rho || b <= -rho) return 0.0;
  double from = half_disc(rho, -rho);
  if (b >= rho) return 2.0 * (half_disc(rho, a) - from);
  double chord = sqrt(rho * rho - b * b), inner = fmax(-chord, fmin(a, chord));
  double area = b * (inner + chord) + half_disc(rho, inner) - half_disc(rho, -chord);
  if (b > 0.0) {  // left and right of the chord's ends the line y = b is above the disc
    area += 2.0 * (half_disc(rho, fmin(a, -chord)) - from);
    if (a > chord) area += 2.0 * (half_disc(rho, a) - half_disc(rho, chord));
  }
  return area;
}

// The part of a disc that lies in the region's horizontal section.
static double disc_area(const ChRegion* r, double x, double y, double rho) {
  if (!(rho > 0.0)) return 0.0;
  if (r->kind == CH_REGION_CYLINDER) return r->radius > 0.0 ? lens(rho, r->radius, hypot(x - r->x, y - r->y)) : 0.0;
  double x0 = r->low.x - x, x1 = r->high.x - x, y0 = r->low.y - y, y1 = r->high.y - y;
  double area =
      corner_area(rho, x1, y1) - corner_area(rho, x0, y1) - corner_area(rho, x1, y0) + corner_area(rho, x0, y0);
  return at_least_zero(area);
}

// --- balls -----------------------------------------------------------------------------------------------------------

typedef enum Lies { OUTSIDE, ACROSS, INSIDE } Lies;

static Lies lies_in_section(const ChRegion* r, double x, double y, double rho) {
  if (r->kind == CH_REGION_CYLINDER) {
    double d = hypot(x - r->x, y - r->y);
    return d + rho <= r->radius ? INSIDE : d - rho >= r->radius ? OUTSIDE : ACROSS;
  }
  if (x + rho <= r->low.x || x - rho >= r->high.x || y + rho <= r->low.y || y - rho >= r->high.y) return OUTSIDE;
  return x - rho >= r->low.x && x + rho <= r->high.x && y - rho >= r->low.y && y + rho <= r->high.y ? INSIDE : ACROSS;
}

// Radii at which the area of the disc in the section is not smooth.
static int critical_radii(const ChRegion* r, double x, double y, double critical[8]) {
  if (r->kind == CH_REGION_CYLINDER) {
    double d = hypot(x - r->x, y - r->y);
    critical[0] = fabs(r->radius - d);
    return 1;
  }
  double sx[2] = {fabs(r->low.x - x), fabs(r->high.x - x)}, sy[2] = {fabs(r->low.y - y), fabs(r->high.y - y)};
  for (int k = 0; k < 2; ++k) critical[k] = sx[k], critical[2 + k] = sy[k];
  for (int k = 0; k < 4; ++k) critical[4 + k] = hypot(sx[k / 2], sy[k % 2]);
  return 8;
}

static int ascending(const void* a, const void* b) {
  double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

// Gauss-Legendre on (a, b) with ends that are approached as u^2: the area goes as a power 3/2 there.
static double integrate_piece(const ChRegion* r, ChVec3 c, double radius, double a, double b) {
  static const double node[5] = {0.1488743389816312, 0.4333953941292472, 0.6794095682990244, 0.8650633666889845,
                                 0.9739065285171717};
  static const double weight[5] = {0.2955242247147529, 0.2692667193099963, 0.2190863625159820, 0.1494513491505806,
                                   0.0666713443086881};
  double sum = 0.0;
  for (int k = 0; k < 10; ++k) {
    double u = 0.5 + (k < 5 ? 0.5 : -0.5) * node[k % 5], s = u * u * (3.0 - 2.0 * u), t = a + (b - a) * s;
    double rho = sqrt(at_least_zero(radius * radius - t * t));
    sum += 0.5 * weight[k % 5] * 6.0 * u * (1.0 - u) * disc_area(r, c.x, c.y, rho);
  }
  return (b - a) * sum;
}

double ch_region_ball(const ChRegion* r, ChVec3 c, double radius) {
  Lies lies = lies_in_section(r, c.x, c.y, radius);
  if (lies == OUTSIDE || !(radius > 0.0)) return 0.0;
  if (r->dimension == 2) return disc_area(r, c.x, c.y, radius);
  double from = fmax(r->low.z - c.z, -radius), to = fmin(r->high.z - c.z, radius);
  if (!(to > from)) return 0.0;
  if (lies == INSIDE) return M_PI * (radius * radius * (to - from) - (to * to * to - from * from * from) / 3.0);
  double critical[8], cuts[18];
  int count = critical_radii(r, c.x, c.y, critical), pieces = 0;
  cuts[pieces++] = from;
  cuts[pieces++] = to;
  for (int k = 0; k < count; ++k) {
    if (!(critical[k] < radius)) continue;
    double t = sqrt(radius * radius - critical[k] * critical[k]);
    if (-t > from && -t < to) cuts[pieces++] = -t;
    if (t > from && t < to) cuts[pieces++] = t;
  }
  qsort(cuts, (size_t)pieces, sizeof *cuts, ascending);
  double volume = 0.0;
  for (int k = 0; k + 1 < pieces; ++k)
    if (cuts[k + 1] > cuts[k]) volume += integrate_piece(r, c, radius, cuts[k], cuts[k + 1]);
  return volume;
}

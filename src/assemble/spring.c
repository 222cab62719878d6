// See spring.h. Stiffness is what the materials say: N/m, or Young's modulus (Hertz), or else it follows from the
// overlap that was asked for.
//
// The rule. All weight M g over the ground area A that the bodies stand on is a pressure p = M g / A, which bodies of
// radius R pass on by contacts of some p (2 R)^2 each. What falls on them with the speed v (heap.c) adds the momentum
// that arrives a second, about m v^2 / (2 R) a body. Forces in a heap are not equal; what a contact gets that carries
// much shall make an overlap of o R, with R the smaller body's radius and o the share that was asked for. Besides, one
// collision takes no more than a whole step, pi sqrt(m / k) <= h with m the reduced mass, so that bodies without weight
// stop each other, too:
//
//   k = (CARRIED p (2 R)^2 + ARRIVED m v^2 / (2 R)) / (o R) + m (pi / h)^2
//
// (In the plane A is a length, and a contact carries p 2 R.) A few contacts get up to three times as much.
//
// A body that comes alone and fast would still go deeper, by v sqrt(m / k). Where its restitution is 0 a damper stops
// it within o R / STOPS: damping = STOPS m v / (o R), with v the speed at which the contact closes at the start of the
// step.
//
// Hertz. F = 4/3 E* sqrt(R*) d^(3/2), 1/R* = 1/R_a + 1/R_b, is linearised about the overlap d at the start of the step:
// k = dF/dd, rest = d / 3. Where the contact is about to overlap by more, its secant there is taken: about what the
// bodies would cover in the step, or the overlap at which Hertz's force stops them within it, whichever is less.
//
// Damping that is not given follows from the restitution e, damping = 2 zeta sqrt(m k). Bodies do not pull: contact
// ends where its force does, before the overlap is gone, and two bodies that nothing else touches then part with e =
// exp(-2 phi cot phi) times the speed they met with, zeta = cos phi (Schwager and Poeschel 2007), where steps resolve
// it. Critical damping, zeta = 1, leaves exp(-2) = 0.135; what asks for less has that, and e = 0 has zeta = DULL: what
// is critical for one body on a spring still rings in a heap.
#include "assemble/spring.h"

#include <math.h>

#include "assemble/rows.h"
#include "base/check.h"

#define CARRIED 2.0  // measured on spheres that fall into boxes and glasses: overlaps stay below 3 o R, most below o R
#define ARRIVED 4.0
#define STOPS 3.0
#define DULL 3.0

// m of two bodies that move without turning, 1 / m = 1 / m_a + 1 / m_b; 0 where none moves.
static double reduced_mass(const ChMoment* moment, const ChGap* gap) {
  double inverse = 0.0;
  for (int side = 0; side < 2; ++side)
    if (ch_world_moves(moment->world, gap->body[side])) inverse += 1.0 / moment->world->bodies[gap->body[side]].mass;
  return inverse > 0.0 ? 1.0 / inverse : 0.0;
}

// The lighter moving body's.
static double smaller_mass(const ChMoment* moment, const ChGap* gap) {
  double least = INFINITY;
  for (int side = 0; side < 2; ++side)
    if (ch_world_moves(moment->world, gap->body[side]))
      least = fmin(least, moment->world->bodies[gap->body[side]].mass);
  return isfinite(least) ? least : 0.0;
}

static double rule_stiffness(const ChMoment* moment, const ChHeap* heap, const ChGap* gap, double mass) {
  double radius = ch_smaller_radius(moment, gap), width = 2.0 * radius,
         collides = mass * (M_PI / heap->h) * (M_PI / heap->h);
  if (!(radius > 0.0)) return collides;
  double weight = heap->pressure * (moment->world->dimension == 2 ? width : width * width);
  double arrives = 2.0 * heap->energy * smaller_mass(moment, gap) / width;
  return (CARRIED * weight + ARRIVED * arrives) / (heap->overlap * radius) + collides;
}

// 1 / R of a shape where it touches: 0 for what is flat there.
static double curvature(const ChShape* shape) {
  if (shape->radius > 0.0) return 1.0 / shape->radius;
  bool flat = shape->polytope || shape->mesh || shape->soft || !isfinite(shape->bound);
  return flat ? 0.0 : 1.0 / shape->bound;
}

// Two flat sides are taken for a ball of the smaller body's size.
static double hertz_radius(const ChMoment* moment, const ChGap* gap) {
  const ChShape* shapes = moment->world->shapes;
  double sum = curvature(&shapes[gap->shape[0]]) + curvature(&shapes[gap->shape[1]]);
  return sum > 0.0 ? 1.0 / sum : ch_smaller_radius(moment, gap);
}

static void linearise_hertz(const ChMoment* moment, double h, const ChSurface* surface, const ChGap* gap, double mass,
                            double closing, ChSpring* out) {
  if (moment->world->dimension == 2) {  // cylinders a metre long: nearly linear
    out->stiffness = 0.25 * M_PI * surface->modulus;
    return;
  }
  out->hertz = 4.0 / 3.0 * surface->modulus * sqrt(hertz_radius(moment, gap));
  double speed = fmax(closing, 0.0) + h * ch_norm(ch_world_gravity(moment->world, moment->time));
  double stops = cbrt(pow(mass * speed / (h * out->hertz), 2.0)), ahead = fmin(h * speed, stops);
  double overlap = fmax(-gap->gap, 0.0);
  if (overlap >= ahead && overlap > 0.0) {
    out->stiffness = 1.5 * out->hertz * sqrt(overlap);
    out->rest = overlap / 3.0;
  } else {
    out->stiffness = out->hertz * sqrt(ahead);
  }
}

// zeta of a restitution e: Newton's method on phi cot phi = -ln(e) / 2, from above the root, where it converges.
static double damping_ratio(double e) {
  if (!(e > 0.0)) return DULL;
  double goal = -0.5 * log(e);
  if (!(goal < 1.0)) return 1.0;
  double phi = fmin(0.5 * M_PI, sqrt(3.0 * (1.0 - goal)));
  for (int k = 0; k < 5; ++k) {
    double s = sin(phi), cot = cos(phi) / s;
    phi -= (phi * cot - goal) / (cot - phi / (s * s));
  }
  return fmax(cos(phi), 0.0);
}

static double restitution_damping(double e, double mass, double stiffness) {
  return 2.0 * damping_ratio(e) * sqrt(mass * stiffness);
}

ChSpring ch_contact_spring(const ChMoment* moment, const ChHeap* heap, double h, const ChSurface* surface,
                           const ChGap* gap, double closing) {
  CH_ASSERT(h > 0.0 && heap->overlap > 0.0);
  double radius = ch_smaller_radius(moment, gap), mass = reduced_mass(moment, gap),
         floor = rule_stiffness(moment, heap, gap, mass);
  ChSpring spring = {.stiffness = floor};
  if (surface->stiffness > 0.0)
    spring.stiffness = surface->stiffness;
  else if (surface->modulus > 0.0)
    linearise_hertz(moment, h, surface, gap, mass, closing, &spring);
  bool by_rule = !(surface->stiffness > 0.0 || surface->modulus > 0.0);
  if (!(spring.stiffness > 0.0)) spring.stiffness = floor > 0.0 ? floor : 1.0;
  if (surface->damping >= 0.0) {
    spring.damping = surface->damping;
    return spring;
  }
  spring.damping = restitution_damping(surface->restitution, mass, spring.stiffness);
  if (by_rule && surface->restitution == 0.0 && radius > 0.0)
    spring.damping = fmax(spring.damping, STOPS * mass * closing / (heap->overlap * radius));
  return spring;
}

double ch_spring_compliance(const ChSpring* spring, double h) {
  return 1.0 / (h * (h * spring->stiffness + spring->damping));
}

double ch_spring_speed(const ChSpring* spring, double gap, double h) {
  double held = h * spring->stiffness * spring->rest + spring->damping * fmax(-gap, 0.0);
  return (gap + held / (h * spring->stiffness + spring->damping)) / h;
}

double ch_shear_compliance(const ChShear* shear, double h) {
  return 1.0 / (h * (h * shear->stiffness + shear->damping));
}

double ch_shear_rate(const ChShear* shear, double h) {
  return shear->stiffness / (h * shear->stiffness + shear->damping);
}

double ch_shear_end(const ChShear* shear, double h, double stretch, double reaction) {
  return stretch - h * (reaction * ch_shear_compliance(shear, h) + stretch * ch_shear_rate(shear, h));
}

double ch_spring_energy(const ChSpring* spring, double overlap) {
  if (!(overlap > 0.0)) return 0.0;
  if (spring->hertz > 0.0) return 0.4 * spring->hertz * overlap * overlap * sqrt(overlap);
  return 0.5 * spring->stiffness * overlap * overlap;
}

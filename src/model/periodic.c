// See periodic.h and cardhouse/periodic.h.
#include "model/periodic.h"

#include <math.h>

#include "model/shapes/shape_kind.h"
#include "model/world_build.h"

static const char AXES[] = "xyz";

double ch_periodic_length(const ChPeriodic* p, int axis) {
  return p->axis[axis] ? ch_component(p->high, axis) - ch_component(p->low, axis) : INFINITY;
}

bool ch_periodic_any(const ChPeriodic* p) { return p->axis[0] || p->axis[1] || p->axis[2]; }

double ch_periodic_period(const ChPeriodic* p, int axis, double x) {
  return p->axis[axis] ? floor((x - ch_periodic_low(p, axis)) / ch_periodic_length(p, axis)) : 0.0;
}

static double wrap(const ChPeriodic* p, int axis, double x) {
  double periods = ch_periodic_period(p, axis, x);
  if (periods == 0.0) return x;
  double low = ch_periodic_low(p, axis), length = ch_periodic_length(p, axis), in = x - periods * length;
  return in < low ? low : in < low + length ? in : low;  // round-off may leave it at the upper end
}

ChVec3 ch_periodic_wrap(const ChPeriodic* p, ChVec3 x) {
  return ch_vec(wrap(p, 0, x.x), wrap(p, 1, x.y), wrap(p, 2, x.z));
}

static double shortest(const ChPeriodic* p, int axis, double d) {
  double length = ch_periodic_length(p, axis);
  return p->axis[axis] ? d - length * nearbyint(d / length) : d;
}

ChVec3 ch_periodic_shortest(const ChPeriodic* p, ChVec3 d) {
  return ch_vec(shortest(p, 0, d.x), shortest(p, 1, d.y), shortest(p, 2, d.z));
}

// --- the world's -----------------------------------------------------------------------------------------------------

ChPeriodic ch_world_periodic(const ChWorld* world) { return world->periodic; }

ChStatus ch_world_set_periodic(ChContext* context, ChWorld* world, const ChPeriodic* p) {
  if (!world || !p) return ch_fail(context, CH_ERR_ARGUMENT, "periodic: no world, or no cell");
  if (world->sealed) return ch_fail(context, CH_ERR_ARGUMENT, "periodic: must be set before the world is sealed");
  if (p->axis[2] && world->dimension == 2)
    return ch_fail(context, CH_ERR_ARGUMENT, "periodic: z is given; a plane world has x and y only");
  for (int a = 0; a < 3; ++a) {
    double low = ch_component(p->low, a), high = ch_component(p->high, a);
    if (p->axis[a] && !(isfinite(low) && isfinite(high) && high - low > 0.0 && isfinite(high - low)))
      return ch_fail(context, CH_ERR_RANGE, "periodic: %c is from %g m to %g m, must be finite and ascending", AXES[a],
                     low, high);
  }
  world->periodic = *p;
  return CH_OK;
}

// --- bodies ----------------------------------------------------------------------------------------------------------

static ChStatus check_endless(ChContext* context, const ChWorld* world, int body, const ChShape* shape) {
  ChFrame frame = ch_shape_frame(shape, &world->states[body]);
  ChVec3 normal = ch_rotate(frame.orientation, shape->normal);
  for (int a = 0; a < 3; ++a)
    if (world->periodic.axis[a] && fabs(ch_component(normal, a)) > 1e-9)
      return ch_fail(context, CH_ERR_ARGUMENT,
                     "body '%.100s': its %s looks along %c, along which the world is periodic; its normal must be "
                     "perpendicular to that axis",
                     world->bodies[body].name, ch_shape_kind(shape)->info.label, AXES[a]);
  return CH_OK;
}

ChStatus ch_periodic_check_body(ChContext* context, const ChWorld* world, int b) {
  const ChPeriodic* p = &world->periodic;
  const ChBody* body = &world->bodies[b];
  if (!ch_periodic_any(p)) return CH_OK;
  if (body->soft)
    return ch_fail(context, CH_ERR_UNSUPPORTED, "body '%.100s': periodic worlds take no deformable bodies", body->name);
  for (int k = body->first_shape; k < body->first_shape + body->shape_count; ++k) {
    const ChShape* shape = &world->shapes[k];
    ChStatus status = ch_shape_kind(shape)->info.endless ? check_endless(context, world, b, shape) : CH_OK;
    if (status != CH_OK) return status;
  }
  double size = 2.0 * ch_world_reach(world, b);
  for (int a = 0; a < 3 && body->kind == CH_BODY_DYNAMIC; ++a)
    if (!(size <= 0.5 * ch_periodic_length(p, a)))
      return ch_fail(context, CH_ERR_RANGE,
                     "body '%.100s': is up to %g m across as it turns, more than half of the periodic cell's %g m "
                     "along %c",
                     body->name, size, ch_periodic_length(p, a), AXES[a]);
  return CH_OK;
}

// From a good direction to the exact one.
//
// Near its maximum the separation is smooth once it is known which features meet: a rim, a side line, a corner, an edge
// each move their support point smoothly, and a side line or an edge with direction c also demands c . n = 0. Newton's
// method on the unit sphere, in the directions T that n and the demands leave free,
//
//   T' (H - s I) T d = - T' (p_B - p_A),     H = - Hess h_A - Hess h_B,
//
// finds the maximum for a choice of features; two demands fix n = c x c'. Every choice near the start is tried. A
// separation that a direction truly has never exceeds the gap, so the best of all is right.
#include "collide/smooth/smooth_pair.h"

enum { CHOICES = 40, STEPS = 10 };
static const double NEAR = 0.15;  // features that look within this angle of the start are tried

// A way in which a shape may meet the other: the point at the start and what is demanded.
typedef struct Choice {
  bool demands;
  ChVec3 demand;  // unit
  bool fixed;     // the support point is `point`, whatever n; otherwise it follows n
  ChVec3 point;
} Choice;

typedef struct Choices {
  int count;
  Choice choice[CHOICES];
} Choices;

static void add_choice(Choices* c, Choice choice) {
  if (c->count < CHOICES) c->choice[c->count++] = choice;
}

// Vertices and edges that lie near the end of the polytope along d.
static void list_polytope(const ChSmooth* s, ChVec3 d, Choices* out) {
  const ChPolytope* p = s->shape->polytope;
  const ChVec3 local = ch_mat_apply_transposed(&s->turn, d);
  const double level = ch_dot(local, p->vertices[ch_polytope_support(p, local, 0)]) - 0.3 * NEAR * p->radius;
  for (int v = 0; v < p->vertex_count; ++v)
    if (ch_dot(local, p->vertices[v]) >= level)
      add_choice(out, (Choice){.fixed = true, .point = ch_add(s->at, ch_mat_apply(&s->turn, p->vertices[v]))});
  for (int e = 0; e < p->edge_count; ++e) {
    const ChVec3 x = p->vertices[p->edges[e].vertex[0]], y = p->vertices[p->edges[e].vertex[1]];
    if (!(ch_dot(local, x) >= level && ch_dot(local, y) >= level)) continue;
    add_choice(out, (Choice){.demands = true,
                             .demand = ch_mat_apply(&s->turn, ch_unit(ch_sub(y, x))),
                             .fixed = true,
                             .point = ch_add(s->at, ch_mat_apply(&s->turn, x))});
  }
}

static void list_choices(const ChSmooth* s, ChVec3 d, Choices* out) {
  const double along = ch_dot(s->axis, d);
  out->count = 0;
  if (s->shape->polytope) {
    list_polytope(s, d, out);
    return;
  }
  const ChRoundKind* round = &ch_shape_kind(s->shape)->round;
  if (round->straight && round->swept) {
    for (int end = -1; end <= 1; end += 2)
      if (end * along > -NEAR)
        add_choice(out, (Choice){.fixed = true, .point = ch_along(s->at, end * s->shape->half_length, s->axis)});
  } else {
    add_choice(out, (Choice){.fixed = round->swept, .point = s->at});
  }
  if (round->straight && fabs(along) < NEAR)
    add_choice(out, (Choice){.demands = true,
                             .demand = s->axis,
                             .fixed = round->swept,
                             .point = ch_along(s->at, copysign(s->shape->half_length, along), s->axis)});
}

// Hessian of the support function applied to v, at direction d.
static ChVec3 bend(const ChSmooth* s, ChVec3 d, ChVec3 v) { return ch_shape_kind(s->shape)->round.bend(s, d, v); }

static ChVec3 choice_point(const ChSmooth* s, const Choice* c, ChVec3 d) {
  if (!c->fixed) return ch_smooth_support(s, d);
  return ch_shape_kind(s->shape)->round.swept ? ch_along(c->point, s->shape->radius, d) : c->point;
}

static double choice_radius(const ChSmooth* s, const Choice* c) {
  return c->fixed && ch_shape_kind(s->shape)->round.swept ? s->shape->radius : 0.0;
}

static void offer(const ChSmooth* a, const ChSmooth* b, ChVec3 n, ChSmoothAxis* best) {
  const double gap = ch_smooth_separation(a, b, n);
  if (gap > best->gap) *best = (ChSmoothAxis){n, gap};
}

// Newton's method with `free` directions: two, or one across the demand.
static void climb(const ChSmooth* a, const Choice* ca, const ChSmooth* b, const Choice* cb, ChVec3 n,
                  ChSmoothAxis* best) {
  const bool demands = ca->demands || cb->demands;
  const ChVec3 demand = ca->demands ? ca->demand : cb->demand;
  const double radii = choice_radius(a, ca) + choice_radius(b, cb);
  const ChVec3 start = n;
  if (demands) n = ch_unit(ch_along(n, -ch_dot(n, demand), demand));
  for (int step = 0; step < STEPS; ++step) {
    ChVec3 t[2], turned[2];
    if (demands)
      t[0] = ch_cross(n, demand);
    else
      ch_tangents(n, &t[0], &t[1]);
    const int free = demands ? 1 : 2;
    const ChVec3 apart = ch_sub(choice_point(b, cb, ch_neg(n)), choice_point(a, ca, n));
    // A ball about a fixed point adds its radius to both sides of the balance: it falls out.
    const double s = ch_dot(n, apart) + radii;
    double m[2][2], g[2];
    for (int k = 0; k < free; ++k) {
      turned[k] = ch_scale(s, t[k]);
      if (!ca->fixed) turned[k] = ch_add(turned[k], bend(a, n, t[k]));
      if (!cb->fixed) turned[k] = ch_add(turned[k], bend(b, ch_neg(n), t[k]));
      g[k] = ch_dot(t[k], apart);
    }
    for (int i = 0; i < free; ++i)
      for (int j = 0; j < free; ++j) m[i][j] = ch_dot(t[i], turned[j]);
    ChVec3 d;
    if (demands) {
      d = ch_scale(g[0] / m[0][0], t[0]);
    } else {
      const double whole = m[0][0] * m[1][1] - m[0][1] * m[1][0];
      d = ch_add(ch_scale((g[0] * m[1][1] - g[1] * m[0][1]) / whole, t[0]),
                 ch_scale((g[1] * m[0][0] - g[0] * m[1][0]) / whole, t[1]));
    }
    const double length = ch_norm(d);
    if (!(length < 1e6) || !(ch_dot(n, start) > 0.8)) return;  // lost: other features meet
    n = ch_unit(ch_along(n, fmin(1.0, 0.3 / fmax(length, 1e-300)), d));
    if (length < 1e-13) break;  // the step after it would be below rounding
  }
  offer(a, b, n, best);
}

// Faces of polytopes and caps of cylinders near the start have normals of their own.
static void offer_flats(const ChSmooth* own, const ChSmooth* a, const ChSmooth* b, double sign, ChVec3 n,
                        ChSmoothAxis* best) {
  const ChVec3 d = ch_scale(sign, n);
  const double cosine = cos(2.0 * NEAR);
  if (ch_shape_kind(own->shape)->round.capped && fabs(ch_dot(own->axis, d)) > cosine)
    offer(a, b, ch_scale(sign * copysign(1.0, ch_dot(own->axis, d)), own->axis), best);
  if (!own->shape->polytope) return;
  const ChVec3 local = ch_mat_apply_transposed(&own->turn, d);
  for (int f = 0; f < own->shape->polytope->face_count; ++f)
    if (ch_dot(local, own->shape->polytope->normals[f]) > cosine)
      offer(a, b, ch_scale(sign, ch_mat_apply(&own->turn, own->shape->polytope->normals[f])), best);
}

ChSmoothAxis ch_smooth_flatten(const ChSmooth* a, const ChSmooth* b, ChVec3 start) {
  ChSmoothAxis best = {start, ch_smooth_separation(a, b, start)};
  offer_flats(a, a, b, 1.0, start, &best);
  offer_flats(b, a, b, -1.0, start, &best);
  return best;
}

ChSmoothAxis ch_smooth_sharpen(const ChSmooth* a, const ChSmooth* b, ChVec3 start) {
  ChSmoothAxis best = ch_smooth_flatten(a, b, start);
  Choices of_a, of_b;
  list_choices(a, start, &of_a);
  list_choices(b, ch_neg(start), &of_b);
  for (int i = 0; i < of_a.count; ++i)
    for (int j = 0; j < of_b.count; ++j) {
      const Choice *ca = &of_a.choice[i], *cb = &of_b.choice[j];
      if (ca->demands && cb->demands) {
        const ChVec3 cross = ch_cross(ca->demand, cb->demand);
        const double sine = ch_norm(cross);
        if (sine > 1e-9) {
          offer(a, b, ch_scale(copysign(1.0 / sine, ch_dot(cross, start)), cross), &best);
          continue;
        }
      }
      climb(a, ca, b, cb, start, &best);
    }
  return best;
}

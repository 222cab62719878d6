// See sampling.h.
#include "collide/mesh/sampling.h"

#include "base/check.h"
#include "collide/shape_box.h"
#include "collide/skin/skin.h"

enum { HALVINGS = 30 };
static const double STEADY = 1e-9;      // of the size: gaps that are so near to a line are on it
static const double TURNED = 0.3;       // cosine from a crease's normal to its sides: below, they face each other
static const double LEAST_RATE = 1e-7;  // of change along an edge that counts

ChSampling ch_sampling(const ChPosed* sampled, const ChPosed* target, ChVec3 centre, double margin, bool second,
                       ChManifold* out) {
  double size = sampled->skin ? sampled->skin->bound : sampled->shape->bound;
  ChSampling s = {.margin = margin, .size = size, .side = second, .out = out};
  s.probe = ch_probe(target, centre, size);
  ChPosed seen = ch_posed_in(sampled, target);
  s.turn = seen.turn, s.shift = seen.frame.at;
  return s;
}

void ch_sampling_add(const ChSampling* s, ChVec3 x, const ChProbeFoot* foot, int kind, int ordinal,
                     const ChSampleName* name) {
  const ChPosed* target = s->probe.posed;
  ChVec3 outward = ch_mat_apply(&target->turn, foot->normal);
  ChVec3 middle = ch_along(x, -0.5 * foot->distance, foot->normal);
  uint64_t key = s->side << 63 | (uint64_t)kind << 60 | (uint64_t)name->id << 24 | (uint64_t)(ordinal & 0xffffff);
  int count = s->out->count;
  ch_manifold_add(s->out, ch_add(target->frame.at, ch_mat_apply(&target->turn, middle)),
                  s->side ? outward : ch_neg(outward), foot->distance, key);
  if (s->out->count == count) return;
  s->out->points[count].skin[s->side] = name->skin;
  if (target->skin) s->out->points[count].skin[1 - s->side] = -2 - foot->cell;
}

void ch_sampling_corner(const ChSampling* s, ChVec3 local, ChVec3 outward, ChSampleName name) {
  ChVec3 x = ch_sampling_place(s, local);
  ChProbeFoot foot;
  if (s->probe.at(&s->probe, x, ch_mat_apply(&s->turn, outward), s->margin, &foot))
    ch_sampling_add(s, x, &foot, CH_SAMPLE_CORNER, 0, &name);
}

// --- edges -----------------------------------------------------------------------------------------------------------

static ChSampleStop stop_at(const ChSampling* s, const ChSampleLine* line, double at, double within) {
  ChSampleStop stop = {.s = at};
  stop.known = s->probe.at(&s->probe, ch_along(line->from, at, line->along), line->outward, within, &stop.foot);
  stop.near = stop.known && stop.foot.distance <= s->margin;
  return stop;
}

static double rate(const ChSampleLine* line, const ChSampleStop* stop) {
  return ch_dot(stop->foot.normal, line->along);
}

// Whether the surface is one plane from one stop to the other.
static bool is_flat(const ChSampling* s, const ChSampleLine* line, const ChSampleStop* a, const ChSampleStop* b) {
  if (!a->near || !b->near || ch_norm(ch_sub(a->foot.normal, b->foot.normal)) > CH_SAME_NORMAL) return false;
  double expected = a->foot.distance + (b->s - a->s) * rate(line, a);
  return fabs(b->foot.distance - expected) <= STEADY * s->size + CH_SAME_NORMAL * fabs(b->s - a->s);
}

// The distance at another place if it went on as it does at a stop.
static double along_line(const ChSampleLine* line, const ChSampleStop* stop, double at) {
  return stop->foot.distance + (at - stop->s) * rate(line, stop);
}

// Where both sides would meet; NaN where they do not.
static double meeting_of(const ChSampleLine* line, const ChSampleStop* low, const ChSampleStop* high) {
  double at = low->s + (along_line(line, high, low->s) - low->foot.distance) / (rate(line, low) - rate(line, high));
  return at > low->s && at < high->s ? at : NAN;
}

// No distance changes faster than its place does; and a convex one is nowhere below its tangents.
static bool stays_apart(const ChSampling* s, const ChSampleLine* line, const ChSampleStop* low,
                        const ChSampleStop* high) {
  if (low->foot.distance + high->foot.distance - (high->s - low->s) > 2.0 * s->margin) return true;
  double meets = s->probe.convex ? meeting_of(line, low, high) : NAN;
  return along_line(line, low, meets) > s->margin;  // not where they do not meet
}

// Over the flat triangles of a skin the distance is made of straight lines, and lowest where two of them meet: true
// where that is so, and then `low` is put there. A smooth one has its own foot there.
static bool is_lowest(const ChSampling* s, const ChSampleLine* line, const ChSampleStop* middle, double meets,
                      ChSampleStop* low, ChSampleStop* high) {
  double expected = along_line(line, low, meets);
  if (!(fabs(middle->foot.distance - expected) <= 1e-12 * s->size)) return false;
  bool smooth = ch_dot(low->foot.normal, high->foot.normal) > 1.0 - CH_SAME_NORMAL;
  if (smooth) {
    *low = *high = *middle;
    return true;
  }
  ChProbeFoot foot = low->foot;
  *low = *middle;
  low->foot = foot, low->foot.distance = expected;
  return true;
}

// A ball is nearest where its centre, the origin, has its foot on the line.
static void add_lowest_over_ball(const ChSampling* s, const ChSampleLine* line, int ordinal) {
  ChVec3 x = ch_along(line->from, -ch_dot(line->from, line->along), line->along);
  double away = ch_norm(x), radius = s->probe.posed->shape->radius;
  ChProbeFoot foot = {away - radius, ch_scale(1.0 / away, x), -1};
  if (foot.distance <= s->margin && away > STEADY * radius)
    ch_sampling_add(s, x, &foot, CH_SAMPLE_LOWEST, ordinal, &line->name);
}

// Between two stops, of which the first falls and the second rises.
static void add_lowest(const ChSampling* s, const ChSampleLine* line, ChSampleStop low, ChSampleStop high,
                       int ordinal) {
  double within = s->margin + (high.s - low.s);
  bool straight = s->probe.posed->skin || s->probe.convex;
  for (int k = 0; k < HALVINGS; ++k) {
    if (stays_apart(s, line, &low, &high)) return;
    double meets = straight && k % 2 == 0 ? meeting_of(line, &low, &high) : NAN;
    ChSampleStop middle = stop_at(s, line, isnan(meets) ? 0.5 * (low.s + high.s) : meets, within);
    if (!middle.known) return;
    if (is_lowest(s, line, &middle, meets, &low, &high)) break;
    if (rate(line, &middle) < 0.0)
      low = middle;
    else
      high = middle;
  }
  ChVec3 sum = ch_add(low.foot.normal, high.foot.normal);
  ChProbeFoot foot = {fmin(low.foot.distance, high.foot.distance), sum, low.foot.cell};
  foot.normal = ch_unit(ch_along(sum, -ch_dot(sum, line->along), line->along));
  double turned = ch_dot(foot.normal, low.foot.normal);
  if (!(turned >= TURNED)) return;
  if (foot.distance < 0.0) foot.distance /= turned;
  if (foot.distance <= s->margin)
    ch_sampling_add(s, ch_along(line->from, low.s, line->along), &foot, CH_SAMPLE_LOWEST, ordinal, &line->name);
}

bool ch_sampling_lowest(const ChSampling* s, const ChSampleLine* line, ChSampleStop low, ChSampleStop high,
                        int ordinal) {
  bool falls = low.known && rate(line, &low) < -LEAST_RATE, rises = high.known && rate(line, &high) > LEAST_RATE;
  if (falls && rises && ch_shape_kind(s->probe.posed->shape)->info.ball)
    add_lowest_over_ball(s, line, ordinal);
  else if (falls && rises)
    add_lowest(s, line, low, high, ordinal);
  return falls && rises;
}

// The part of the line that is within reach of the probe's box: s in [range[0], range[1]].
static bool clip(const ChSampling* s, const ChSampleLine* line, double range[2]) {
  range[0] = 0.0, range[1] = line->length;
  for (int k = 0; k < 3; ++k) {
    double low = ch_component(s->probe.box.low, k) - s->margin, high = ch_component(s->probe.box.high, k) + s->margin;
    double at = ch_component(line->from, k), slope = ch_component(line->along, k);
    if (fabs(slope) < 1e-12) {
      if (at < low || at > high) return false;
      continue;
    }
    double s0 = (low - at) / slope, s1 = (high - at) / slope;
    range[0] = fmax(range[0], fmin(s0, s1)), range[1] = fmin(range[1], fmax(s0, s1));
  }
  return range[0] <= range[1];
}

ChSampleLine ch_sampling_line(const ChSampling* s, ChVec3 from, ChVec3 to, ChVec3 outward, ChSampleName name) {
  ChSampleLine line = {.from = ch_sampling_place(s, from), .outward = ch_mat_apply(&s->turn, outward), .name = name};
  ChVec3 whole = ch_sub(ch_sampling_place(s, to), line.from);
  line.length = ch_norm(whole);
  line.along = ch_unit(whole);
  return line;
}

void ch_sampling_edge(const ChSampling* s, ChVec3 from, ChVec3 to, ChVec3 outward, int steps, ChSampleName name) {
  ChSampleLine line = ch_sampling_line(s, from, to, outward, name);
  double range[2], step = line.length / steps;
  if (!(step > 0.0) || !clip(s, &line, range)) return;
  int first = (int)floor(range[0] / step), last = (int)ceil(range[1] / step), lowest = 0;
  if (first < 0) first = 0;
  if (last > steps) last = steps;
  double within = s->margin + step;
  ChSampleStop before = {0}, here = stop_at(s, &line, first * step, within);
  for (int k = first; k <= last; ++k) {
    ChSampleStop next =
        k < last ? stop_at(s, &line, k + 1 == steps ? line.length : (k + 1) * step, within) : (ChSampleStop){0};
    lowest += ch_sampling_lowest(s, &line, here, next, lowest);
    bool flat = is_flat(s, &line, &before, &here) != is_flat(s, &line, &here, &next);
    if (flat && k > 0 && k < steps)
      ch_sampling_add(s, ch_along(line.from, here.s, line.along), &here.foot, CH_SAMPLE_STRETCH, k, &name);
    before = here;
    here = next;
  }
}

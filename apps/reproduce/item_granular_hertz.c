// One grain against a wall, without weight: Hertz's contact in closed form, and the damped linear spring.
//
// Hertz: F = K d^(3/2), K = 4/3 E* sqrt(R). A mass m that meets it at the speed v is pressed in by
//
//   d_m = (5 m v^2 / (4 K))^(2/5)      and leaves after      t_c = 2.9432 d_m / v
//
// Spring and damper, F = k d + c dd/dt, c = 2 zeta sqrt(m k): contact ends where the force does, F = 0, since bodies do
// not pull. The mass leaves with (Schwager and Poeschel 2007, with zeta = cos phi)
//
//   e = exp(-2 phi cot phi)
//
// where taking d = 0 for the end gives exp(-pi cot phi), which is less.
#include <math.h>
#include <stdio.h>

#include "cardhouse/body.h"
#include "cardhouse/contact.h"
#include "reproduce/grain_scene.h"
#include "reproduce/play.h"

static const double RADIUS = 0.01, YOUNG = 1e7, POISSON = 0.3, STIFFNESS = 1e4, CONSTANT = 2.943218;
enum { SPEEDS = 6, ASKED = 6, STEPS = 6 };

// A ball that flies at a wall.
typedef struct Impact {
  double speed, h;
  double restitution;  // below 0: Hertz's contact without damping
} Impact;

typedef struct Rebound {
  double time, overlap, restitution;  // of the contact, s; largest, m; speed after over speed before
  long steps, missed;
} Rebound;

static double ball_mass(void) { return ch_grain_density * 4.0 / 3.0 * M_PI * pow(RADIUS, 3.0); }
static double hertz_factor(void) { return 4.0 / 3.0 * 0.5 * YOUNG / (1.0 - POISSON * POISSON) * sqrt(RADIUS); }
static double hertz_overlap(double v) { return pow(1.25 * ball_mass() * v * v / hertz_factor(), 0.4); }
static double hertz_time(double v) { return CONSTANT * hertz_overlap(v) / v; }

static void put_impact(FILE* f, const void* state) {
  const Impact* impact = state;
  fprintf(f, "{\"cardhouse\": 1, \"name\": \"impact\", \"gravity\": [0, 0, 0], \"contact\": \"compliant\",\n");
  fprintf(f, "\"step\": {\"h\": %.17g, \"until\": 1}, \"method\": {\"tolerance\": 1e-10},\n", impact->h);
  fprintf(f, "\"materials\": {\"ball\": {\"density\": %.17g, ", ch_grain_density);
  if (impact->restitution < 0.0)
    fprintf(f, "\"young\": %.17g, \"poisson\": %.17g, \"damping\": 0}},\n", YOUNG, POISSON);
  else
    fprintf(f, "\"stiffness\": %.17g, \"restitution\": %.17g}},\n", STIFFNESS, impact->restitution);
  fputs("\"bodies\": [{\"name\": \"wall\", \"fixed\": true, \"shapes\": [{\"type\": \"halfspace\", ", f);
  fputs("\"material\": \"ball\"}]},\n{\"name\": \"ball\", ", f);
  fprintf(f, "\"position\": [0, 0, %.17g], \"velocity\": [0, 0, %.17g], ", RADIUS + 0.3 * impact->speed * impact->h,
          -impact->speed);
  fprintf(f, "\"shapes\": [{\"type\": \"sphere\", \"material\": \"ball\", \"radius\": %.17g}]}]}\n", RADIUS);
}

typedef struct Watch {
  Rebound* out;
  double speed;
} Watch;

// Contact lasts while there is a force; after it, the ball flies on.
static bool watch(void* state, const ChSimulation* simulation, const ChStepInfo* info) {
  const Watch* w = state;
  int count;
  const ChContactView* contact = ch_simulation_contacts(simulation, &count);
  bool pressed = count > 0 && contact[0].force.z > 0.0;
  ChBodyView ball = ch_simulation_body_at(simulation, 1);
  ++w->out->steps;
  w->out->missed += info->missed;
  w->out->time += pressed ? info->h : 0.0;
  w->out->overlap = fmax(w->out->overlap, RADIUS - ball.position.z);
  w->out->restitution = ball.velocity.z / w->speed;
  return pressed || w->out->time == 0.0;
}

static ChStatus collide(ChItemRun* run, const Impact* impact, ChOurRun* how, Rebound* out) {
  ChScene* scene;
  *out = (Rebound){0};
  ChStatus status = ch_item_written_scene(run, "impact", put_impact, impact, &scene);
  if (status != CH_OK) return status;
  ChPlay play = {.until = 1.0, .each = watch, .state = &(Watch){out, impact->speed}};
  status = ch_item_play(run, scene, &play, NULL);
  ch_scene_destroy(scene);
  how->steps += out->steps;
  how->missed += out->missed;
  how->tolerance = 1e-10;
  how->whole_in_quick = true;
  return status;
}

// --- Hertz -----------------------------------------------------------------------------------------------------------

static ChStatus scan_speeds(ChItemRun* run) {
  ChReport* report = run->report;
  ChOurRun how = {0};
  double speed[SPEEDS] = {0.03, 0.1, 0.3, 1.0, 3.0, 6.0}, time[SPEEDS], law[SPEEDS], off = 0.0, off_overlap = 0.0;
  double lx[SPEEDS], ly[SPEEDS], h = hertz_time(speed[SPEEDS - 1]) / 200.0;
  for (int k = 0; k < SPEEDS; ++k) {
    Rebound r;
    law[k] = hertz_time(speed[k]);
    ChStatus status = collide(run, &(Impact){speed[k], h, -1.0}, &how, &r);
    if (status != CH_OK) return status;
    time[k] = r.time;
    lx[k] = log(speed[k]), ly[k] = log(r.time);
    off = fmax(off, fabs(time[k] / law[k] - 1.0));
    off_overlap = fmax(off_overlap, fabs(r.overlap / hertz_overlap(speed[k]) - 1.0));
    law[k] *= 1e3, time[k] *= 1e3;
  }
  ChLineFit fit = ch_line_fit(SPEEDS, lx, ly);
  ChChart* chart = ch_report_chart(report, "Hertz's time of contact: simulated, and in closed form.", "speed [m/s]",
                                   "time of contact [ms]", CH_CHART_LOG_X | CH_CHART_LOG_Y);
  ch_chart_line(chart, "2.9432 d_m / v", SPEEDS, speed, law);
  ch_chart_points(chart, "simulated, one h for all", SPEEDS, speed, time);
  ch_report_row(report, "time of contact, 0.03 to 6 m/s; a 200th of the shortest is h",
                (ChFacts){.printed = "2.9432 d_m / v",
                          .ours = ch_report_say(report, "within %.2f %% at every speed", 100.0 * off),
                          .run = how,
                          .rule = "within 2 % at every speed",
                          .met = off < 0.02,
                          .reason = "the linearised spring of a step is not Hertz's"});
  ch_report_row(report, "exponent of v in the time of contact",
                (ChFacts){.printed = "-1/5",
                          .ours = ch_report_say(report, "%.4f, fitted; left over %.2f %%", fit.b, 100.0 * fit.rms),
                          .run = how,
                          .rule = "within 0.005",
                          .met = fabs(fit.b + 0.2) < 0.005,
                          .reason = "the fit is another power"});
  ch_report_row(report, "largest overlap, 0.03 to 6 m/s",
                (ChFacts){.printed = "(5 m v^2 / 4 K)^(2/5)",
                          .ours = ch_report_say(report, "within %.2f %% at every speed", 100.0 * off_overlap),
                          .run = how,
                          .rule = "within 2 % at every speed",
                          .met = off_overlap < 0.02,
                          .reason = "implicit steps lose energy on the way in"});
  return CH_OK;
}

// Without damping nothing should be lost. What is, is lost to implicit steps, in proportion to h.
static ChStatus refine(ChItemRun* run) {
  ChOurRun how = {0};
  double per[STEPS] = {25, 50, 100, 200, 400, 800}, loss[STEPS], h[STEPS], lx[STEPS], ly[STEPS];
  for (int k = 0; k < STEPS; ++k) {
    Rebound r;
    ChStatus status = collide(run, &(Impact){1.0, hertz_time(1.0) / per[k], -1.0}, &how, &r);
    if (status != CH_OK) return status;
    h[k] = 1.0 / per[k];
    loss[k] = 1.0 - r.restitution;
    lx[k] = log(h[k]), ly[k] = log(loss[k]);
  }
  ChLineFit fit = ch_line_fit(STEPS - 1, lx + 1, ly + 1);
  double limit = fabs(2.0 * loss[STEPS - 1] - loss[STEPS - 2]);  // extrapolated to h = 0
  ChChart* chart =
      ch_report_chart(run->report, "Hertz's contact without damping: what a rebound at 1 m/s loses of its speed.",
                      "h / t_c [1]", "1 - e [1]", CH_CHART_LOG_X | CH_CHART_LOG_Y);
  ch_chart_points(chart, "simulated", STEPS, h, loss);
  ch_report_row(run->report, "restitution without damping, as h goes to 0",
                (ChFacts){.printed = "1",
                          .ours = ch_report_say(run->report,
                                                "1 - %.3f at h = t_c / 25, 1 - %.4f at t_c / 800; the loss falls as "
                                                "h^%.2f, extrapolated to %.1e",
                                                loss[0], loss[STEPS - 1], fit.b, limit),
                          .run = how,
                          .rule = "the loss is of first order (exponent 0.9 to 1.1) and extrapolates to less than 1e-3",
                          .met = fabs(fit.b - 1.0) < 0.1 && limit < 1e-3,
                          .reason = "the loss does not vanish with h as first-order steps have it"});
  return CH_OK;
}

// --- spring and damper -----------------------------------------------------------------------------------------------

static ChStatus scan_restitution(ChItemRun* run) {
  ChReport* report = run->report;
  ChOurRun how = {0};
  double asked[ASKED] = {0.2, 0.35, 0.5, 0.65, 0.8, 0.95}, got[ASKED], off = 0.0;
  double h = M_PI * sqrt(ball_mass() / STIFFNESS) / 800.0;
  for (int k = 0; k < ASKED; ++k) {
    Rebound r;
    ChStatus status = collide(run, &(Impact){1.0, h, asked[k]}, &how, &r);
    if (status != CH_OK) return status;
    got[k] = r.restitution;
    off = fmax(off, fabs(got[k] - asked[k]));
  }
  ChChart* chart = ch_report_chart(report, "Spring and damper: restitution asked for, and what the ball leaves with.",
                                   "restitution of the material [1]", "speed after over speed before [1]", 0);
  ch_chart_points(chart, "simulated", ASKED, asked, got);
  ch_chart_line(chart, "as asked", ASKED, asked, asked);
  ch_report_row(report, "restitution 0.2 to 0.95 of a material, by spring and damper: what the ball leaves with",
                (ChFacts){.printed = "as the material says: e = exp(-2 phi cot phi), cos phi = zeta",
                          .ours = ch_report_say(report, "within %.3f (0.5 gives %.3f)", off, got[2]),
                          .run = how,
                          .rule = "within 0.02",
                          .met = off < 0.02,
                          .reason = "implicit steps damp, too, or the damper differs"});
  return CH_OK;
}

static ChStatus run_item(ChItemRun* run) {
  ch_report_text(run->report,
                 "A ball meets a wall, without weight. Hertz's contact F = K d^(3/2) has closed forms for the largest "
                 "overlap, d_m = (5 m v^2 / 4 K)^(2/5), and the time of contact, 2.9432 d_m / v, and gives the ball "
                 "all of its speed back; spring and damper have one for the speed that is left.");
  ch_report_choice(run->report, "ball", "Radius %g m, %g kg/m^3, E = %g Pa, nu = %g; spring %g N/m.", RADIUS,
                   ch_grain_density, YOUNG, POISSON, STIFFNESS);
  ChStatus status = scan_speeds(run);
  if (status == CH_OK && ch_item_progress(run, 0.4)) status = refine(run);
  if (status == CH_OK && ch_item_progress(run, 0.7)) status = scan_restitution(run);
  return status;
}

const ChItem ch_item_granular_hertz = {
    .name = "granular-hertz",
    .title = "Time of contact and restitution",
    .source = "Hertz 1882; Schwager and Poeschel 2007, Granular Matter 9, 465",
    .run = run_item,
    .same_when_quick = true,
};

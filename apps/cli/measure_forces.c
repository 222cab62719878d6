// See measure_forces.h.
#include "cli/measure_forces.h"

#include <math.h>
#include <stdio.h>

#include "cli/output.h"

static double share(double part, double whole) { return whole > 0.0 ? part / whole : NAN; }

ChDischargeRate ch_discharge_rate(const ChSurvey* s) {
  const ChInstant *first = &s->moments[0], *last = &s->moments[s->count - 1];
  ChDischargeRate rate = {.seconds = last->time - first->time,
                          .grains = last->passed - first->passed,
                          .mass = last->passed_mass - first->passed_mass};
  rate.grains_per_second = rate.seconds > 0.0 ? rate.grains / rate.seconds : NAN;
  rate.mass_per_second = rate.seconds > 0.0 ? rate.mass / rate.seconds : NAN;
  return rate;
}

static void print_tensor(const char* name, const double t[9], int dimension, const char* unit) {
  for (int i = 0; i < dimension; ++i) {
    printf("%-13s", i == 0 ? name : "");
    for (int j = 0; j < dimension; ++j) printf(" %11.4g", ch_plain_nan(t[3 * i + j]));
    printf("%s\n", i == 0 ? unit : "");
  }
}

void ch_forces_print(const ChForces* f) {
  double stress[9], fabric[9];
  ch_forces_stress(f, stress);
  ch_forces_fabric(f, fabric);
  printf("forces        %.4g contacts bear a force: %.4g N on average, %.4g N at most\n",
         share((double)f->contacts, (double)f->moments), ch_plain_nan(share(f->normal, (double)f->contacts)),
         f->largest);
  if (f->rubbing > 0)
    printf("friction      %.2f %% of the friction is mobilised on average; %.2f %% of the contacts slide\n",
           100.0 * share(f->mobilised, (double)f->rubbing), 100.0 * share((double)f->sliding, (double)f->rubbing));
  print_tensor("stress", stress, f->dimension,
               f->dimension == 2 ? "  N/m, compression positive" : "  Pa, compression positive");
  print_tensor("fabric", fabric, f->dimension, "  of the contacts between grains");
}

void ch_discharge_print(const ChSurvey* s) {
  ChDischargeRate r = ch_discharge_rate(s);
  printf("discharge     ");
  if (s->count < 2) {
    printf("%.0f grains, %.4g kg below %c = %g m; a rate needs two moments: --from 0\n", s->moments[0].passed,
           s->moments[0].passed_mass, 'x' + s->options.discharge_axis, s->options.discharge_at);
    return;
  }
  printf("%.0f grains went below %c = %g m in %.4g s: %.4g grains/s, %.4g kg/s\n", r.grains,
         'x' + s->options.discharge_axis, s->options.discharge_at, r.seconds, r.grains_per_second, r.mass_per_second);
  if (s->returned > 0.0) printf("              %.0f of them were put back in above\n", s->returned);
  if (s->stays > 0.0)
    printf("              %.4g s on average between two returns of a grain, over %.0f such returns\n",
           s->residence / s->stays, s->stays);
}

static json_t* tensor_json(const double t[9], int dimension) {
  json_t* rows = json_array();
  for (int i = 0; i < dimension; ++i) {
    json_t* row = json_array();
    for (int j = 0; j < dimension; ++j) json_array_append_new(row, ch_json_real(t[3 * i + j]));
    json_array_append_new(rows, row);
  }
  return rows;
}

json_t* ch_forces_json(const ChForces* f) {
  double stress[9], fabric[9];
  ch_forces_stress(f, stress);
  ch_forces_fabric(f, fabric);
  return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "contacts",
                   ch_json_real(share((double)f->contacts, (double)f->moments)), "mean",
                   ch_json_real(share(f->normal, (double)f->contacts)), "max", ch_json_real(f->largest), "mobilised",
                   ch_json_real(share(f->mobilised, (double)f->rubbing)), "sliding",
                   ch_json_real(share((double)f->sliding, (double)f->rubbing)), "pressure",
                   ch_json_real(ch_forces_pressure(f)), "stress", tensor_json(stress, f->dimension), "fabric",
                   tensor_json(fabric, f->dimension));
}

json_t* ch_discharge_json(const ChSurvey* s) {
  ChDischargeRate r = ch_discharge_rate(s);
  char axis[2] = {(char)('x' + s->options.discharge_axis), 0};
  return json_pack("{s:s, s:f, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "axis", axis, "at", s->options.discharge_at,
                   "seconds", ch_json_real(r.seconds), "grains", ch_json_real(r.grains), "mass", ch_json_real(r.mass),
                   "grains_per_second", ch_json_real(r.grains_per_second), "mass_per_second",
                   ch_json_real(r.mass_per_second), "returned", ch_json_real(s->returned), "residence",
                   ch_json_real(s->stays > 0.0 ? s->residence / s->stays : NAN));
}

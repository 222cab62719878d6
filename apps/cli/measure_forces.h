// What `cardhouse measure` tells of forces, stress, fabric and discharge.
#ifndef CH_CLI_MEASURE_FORCES_H
#define CH_CLI_MEASURE_FORCES_H

#include <jansson.h>

#include "cardhouse/measure.h"

// Grains and mass that went below the plane from the first moment to the last, a second; NaN of one moment.
typedef struct ChDischargeRate {
  double seconds, grains, grains_per_second, mass, mass_per_second;
} ChDischargeRate;
ChDischargeRate ch_discharge_rate(const ChSurvey* survey);

void ch_forces_print(const ChForces* forces);
void ch_discharge_print(const ChSurvey* survey);
// Objects for the JSON.
json_t* ch_forces_json(const ChForces* forces);
json_t* ch_discharge_json(const ChSurvey* survey);

#endif

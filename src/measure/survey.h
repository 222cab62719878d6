// A survey: all the statistics of grains in a region that were asked for, moment after moment.
#ifndef CH_MEASURE_SURVEY_H
#define CH_MEASURE_SURVEY_H

#include "measure/coordination.h"
#include "measure/pair_correlation.h"
#include "measure/profile.h"

enum { CH_PROFILE_AXES = 4 };

typedef struct ChSurveyOptions {
  bool packing, coordination, pair_correlation;
  bool profile[CH_PROFILE_AXES];  // by axis
  int segregation;                // axis 0, 1, 2; -1: none
  int bins;                       // of a profile
  double reach, resolution;       // of the correlation, m
  double touch;                   // gap up to which grains touch, m
  ChRegion region;                // for all but the correlation:
  ChRegion window;                // where the centres of its grains lie
} ChSurveyOptions;

// Figures of one moment; NaN where they were not asked for or are not known.
typedef struct ChInstant {
  double time;
  int grains;  // with their centres in the region
  double packing, temperature, coordination, loaded, rattlers, segregation;
} ChInstant;

typedef struct ChSurvey {
  ChSurveyOptions options;
  int count, room;
  ChInstant* moments;
  ChCoordination coordination;
  ChPairCorrelation correlation;
  ChProfile profile[CH_PROFILE_AXES];
} ChSurvey;

ChStatus ch_survey_begin(ChContext* context, ChArena* arena, const ChGrains* grains, const ChSurveyOptions* options,
                         int moments, ChSurvey* out);
// Grains as they are placed now. `contacts` are those of the moment; without any, round grains are asked for their
// distances.
void ch_survey_add(ChArena* arena, ChSurvey* survey, const ChGrains* grains, double time, int contact_count,
                   const ChContactView* contacts);

#endif

// Surveys (cardhouse/measure.h) in an arena.
#ifndef CH_MEASURE_SURVEY_H
#define CH_MEASURE_SURVEY_H

#include "measure/grains.h"

ChStatus ch_survey_begin_in(ChContext* context, ChArena* arena, const ChGrains* grains, const ChSurveyOptions* options,
                            int moments, ChSurvey* out);
// Grains as they are placed now. `contacts` are those of the moment; without any, round grains are asked for their
// distances.
void ch_survey_add_in(ChArena* arena, ChSurvey* survey, const ChGrains* grains, double time, int contact_count,
                      const ChContactView* contacts);

#endif

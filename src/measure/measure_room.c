// Statistics for callers of the library: see cardhouse/measure.h. Where an arena runs out of memory it jumps; here that
// becomes a status.
#include <stdlib.h>

#include "measure/grains.h"
#include "measure/pair_correlation.h"
#include "measure/segregation.h"
#include "measure/survey.h"

struct ChMeasureRoom {
  ChArena* arena;
};

static ChStatus no_memory(ChContext* context) {
  return ch_fail(context, CH_ERR_MEMORY, "out of memory for statistics");
}

ChStatus ch_measure_room_create(ChContext* context, ChMeasureRoom** out) {
  ChArena* arena = ch_arena_create(NULL);
  *out = arena ? malloc(sizeof **out) : NULL;
  if (*out) {
    (*out)->arena = arena;
    return CH_OK;
  }
  ch_arena_destroy(arena);
  return no_memory(context);
}

void ch_measure_room_destroy(ChMeasureRoom* room) {
  if (room) ch_arena_destroy(room->arena);
  free(room);
}

void* ch_measure_room_take(ChMeasureRoom* room, size_t count, size_t size) {
  return ch_arena_take(room->arena, count, size);
}

// Gives the arena of a room a place to jump to for as long as `call` runs, which sets `status` or leaves it CH_OK.
#define WITH_LANDING(context, room, call)          \
  do {                                             \
    jmp_buf landing;                               \
    ch_arena_set_landing((room)->arena, &landing); \
    if (setjmp(landing)) {                         \
      ch_arena_set_landing((room)->arena, NULL);   \
      return no_memory(context);                   \
    }                                              \
    call;                                          \
    ch_arena_set_landing((room)->arena, NULL);     \
  } while (0)

ChStatus ch_grains_of_world(ChContext* context, ChMeasureRoom* room, const ChWorld* world, const char* prefix,
                            double split, ChGrains* out) {
  ChStatus status;
  WITH_LANDING(context, room, status = ch_grains_of_world_in(context, room->arena, world, prefix, split, out));
  return status;
}

ChStatus ch_grains_of_points(ChContext* context, ChMeasureRoom* room, int dimension, int count, const ChVec3* at,
                             double radius, ChGrains* out) {
  WITH_LANDING(context, room, ch_grains_of_points_in(room->arena, dimension, count, at, radius, out));
  return CH_OK;
}

ChStatus ch_pair_correlation_begin(ChContext* context, ChMeasureRoom* room, int dimension, double width, double reach,
                                   ChPairCorrelation* out) {
  WITH_LANDING(context, room, *out = ch_pair_correlation_begin_in(room->arena, dimension, width, reach));
  return CH_OK;
}

ChStatus ch_pair_correlation_add(ChContext* context, ChMeasureRoom* room, ChPairCorrelation* c, const ChGrains* grains,
                                 const ChRegion* region) {
  WITH_LANDING(context, room, ch_pair_correlation_add_in(room->arena, c, grains, region));
  return CH_OK;
}

ChStatus ch_segregation_index(ChContext* context, ChMeasureRoom* room, const ChGrains* grains, int axis, double* out) {
  WITH_LANDING(context, room, *out = ch_segregation_index_in(room->arena, grains, axis));
  return CH_OK;
}

ChStatus ch_survey_begin(ChContext* context, ChMeasureRoom* room, const ChGrains* grains,
                         const ChSurveyOptions* options, int moments, ChSurvey* out) {
  ChStatus status;
  WITH_LANDING(context, room, status = ch_survey_begin_in(context, room->arena, grains, options, moments, out));
  return status;
}

ChStatus ch_survey_add(ChContext* context, ChMeasureRoom* room, ChSurvey* survey, const ChGrains* grains, double time,
                       int contact_count, const ChContactView* contacts) {
  WITH_LANDING(context, room, ch_survey_add_in(room->arena, survey, grains, time, contact_count, contacts));
  return CH_OK;
}

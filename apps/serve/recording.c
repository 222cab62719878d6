// Recordings: see recording.h.
#include "serve/recording.h"

#include <stdlib.h>
#include <string.h>

#include "cardhouse/scene.h"
#include "cardhouse/soft.h"
#include "cardhouse/union_find.h"
#include "common/by_row.h"
#include "common/json.h"
#include "serve/contact_view.h"
#include "serve/scene_message.h"

struct ChRecording {
  ChScene* scene;
  ChTrajectoryReader* reader;
  const ChTrajectoryStep* steps;
  long rows;
  int *parents, *islands;
  unsigned char* bytes;
  size_t room;
  ChViewBounds run;  // what holds all that moves, in as many rows as were looked at
};

enum { ROWS_LOOKED_AT = 100 };

// --- life ------------------------------------------------------------------------------------------------------------

// Where bodies are in some rows, the last one among them.
static ChStatus find_run(ChContext* context, ChRecording* r) {
  const ChWorld* world = r->scene->world;
  long count = r->rows < ROWS_LOOKED_AT ? r->rows : ROWS_LOOKED_AT;
  r->run = ch_bounds_nothing();
  for (long k = 0; k < count; ++k) {
    ChTrajectoryRow row;
    ChStatus status = ch_trajectory_reader_row(context, r->reader, r->rows - 1 - k * r->rows / count, &row);
    if (status != CH_OK) return status;
    for (int b = 0; b < ch_world_body_count(world); ++b) {
      ChSoftView soft;
      bool bends = ch_world_soft(world, b, &soft);
      const ChFrame frame = {row.bodies[b].position, row.bodies[b].orientation};
      if (ch_row_moves(world, b))
        ch_bounds_add_body(&r->run, world, b, frame, bends ? row.amplitudes + soft.first_mode : NULL);
    }
  }
  return CH_OK;
}

static ChStatus start(ChContext* context, const char* path, ChRecording* r) {
  ChStatus status = ch_scene_of_trajectory(context, path, &r->scene);
  if (status == CH_OK) status = ch_trajectory_reader_open(context, path, r->scene->world, &r->reader);
  if (status != CH_OK) return status;
  r->steps = ch_trajectory_reader_steps(r->reader, &r->rows);
  size_t bodies = (size_t)ch_world_body_count(r->scene->world);
  r->parents = malloc(bodies * sizeof *r->parents);
  r->islands = malloc(bodies * sizeof *r->islands);
  if (!r->parents || !r->islands) return ch_fail(context, CH_ERR_MEMORY, "%s: out of memory", path);
  return find_run(context, r);
}

ChStatus ch_recording_open(ChContext* context, const char* path, ChRecording** out) {
  *out = NULL;
  ChRecording* r = calloc(1, sizeof *r);
  if (!r) return ch_fail(context, CH_ERR_MEMORY, "%s: out of memory", path);
  ChStatus status = start(context, path, r);
  if (status == CH_OK)
    *out = r;
  else
    ch_recording_close(r);
  return status;
}

void ch_recording_close(ChRecording* r) {
  if (!r) return;
  ch_trajectory_reader_close(r->reader);
  if (r->scene) ch_scene_destroy(r->scene);
  free(r->parents);
  free(r->islands);
  free(r->bytes);
  free(r);
}

const ChWorld* ch_recording_world(const ChRecording* r) { return r->scene->world; }
long ch_recording_rows(const ChRecording* r) { return r->rows; }
double ch_recording_time(const ChRecording* r, long row) { return r->steps[row].time; }
long ch_recording_row_at(const ChRecording* r, double time) { return ch_trajectory_reader_row_at(r->reader, time); }

double ch_recording_tolerance(const ChRecording* r) {
  double told = ch_trajectory_reader_head(r->reader)->tolerance;
  return told > 0.0 ? told : r->scene->options.solve.tolerance;
}

// --- messages --------------------------------------------------------------------------------------------------------

json_t* ch_recording_scene(const ChRecording* r, unsigned generation) {
  const ChTrajectoryHead* told = ch_trajectory_reader_head(r->reader);
  const char* method = told->method[0] ? told->method : r->scene->options.solve.method;
  json_t* object = ch_scene_message(r->scene->world, r->scene->look);
  json_t* head = json_pack("{s:s, s:I, s:i, s:i, s:o, s:o, s:o, s:o, s:[o], s:o, s:o}", "type", "scene", "generation",
                           (json_int_t)generation, "panes", 1, "pane", 0, "name", ch_json_path(r->scene->name), "h",
                           ch_json_real(told->h), "tolerance", ch_json_real(ch_recording_tolerance(r)), "method",
                           ch_json_path(method), "methods", ch_json_path(method), "until",
                           ch_json_real(r->steps[r->rows - 1].time), "contact", ch_json_path(told->contact));
  bool whole = object && head && json_object_update(object, head) == 0;
  json_decref(head);
  if (whole && r->run.low.x <= r->run.high.x)
    json_object_set_new(object, "run_bounds",
                        json_pack("[o,o]", ch_json_vector(r->run.low), ch_json_vector(r->run.high)));
  if (whole) return object;
  json_decref(object);
  return NULL;
}

ChStatus ch_recording_point_camera(ChContext* context, ChRecording* r, const json_t* camera) {
  const ChWorld* world = r->scene->world;
  const char* name = json_string_value(json_object_get(camera, "follow"));
  if (name && ch_world_body_row(world, ch_world_find_body(world, name)) < 0)
    return ch_fail(context, CH_ERR_ARGUMENT, "--follow-body %.100s: the scene has no body of this name", name);
  json_t* look = r->scene->look ? json_loads(r->scene->look, 0, NULL) : json_object();
  json_t* all = json_object();
  json_object_update(all, json_object_get(look, "camera"));
  json_object_update(all, (json_t*)camera);
  if (json_object_get(camera, "at") || json_object_get(camera, "target")) json_object_del(all, "keys");
  json_object_set_new(look, "camera", all);
  char* text = ch_message_text(look);
  if (!text) return ch_fail(context, CH_ERR_MEMORY, "out of memory for a camera");
  free(r->scene->look);
  r->scene->look = text;
  return CH_OK;
}

bool ch_recording_shows_contacts(const ChRecording* r) {
  json_t* look = r->scene->look ? json_loads(r->scene->look, 0, NULL) : NULL;
  const char* by = json_string_value(json_object_get(look, "colour_by"));
  bool shows = json_is_true(json_object_get(look, "contacts")) || json_is_true(json_object_get(look, "chains")) ||
               (by && (strcmp(by, "force") == 0 || strcmp(by, "age") == 0));
  json_decref(look);
  return shows;
}

static double steps_of(const ChRecording* r, long row) {
  if (row == 0) return 1.0;
  double steps = round((r->steps[row].time - r->steps[row - 1].time) / ch_trajectory_reader_head(r->reader)->h);
  return steps >= 1.0 ? steps : 1.0;
}

ChFrameStat ch_recording_stat(const ChRecording* r, long row) {
  const ChTrajectoryStep* s = &r->steps[row];
  double steps = steps_of(r, row);
  bool missed = !(s->natural <= ch_recording_tolerance(r));
  unsigned flags = (missed ? CH_STAT_MISSED : 0) | CH_STAT_BOUNDS * (unsigned)(s->bounds & 7);
  return (ChFrameStat){.time = s->time,
                       .natural = s->natural,
                       .kinetic = s->kinetic,
                       .potential = s->potential,
                       .contacts = (float)s->contacts,
                       .iterations = (float)((double)s->iterations / steps),
                       .seconds = (float)(s->seconds / steps),
                       .flags = (float)flags};
}

// --- frames ----------------------------------------------------------------------------------------------------------

// Bodies that touch or are joined share an island, as in a step; what does not move belongs to none.
static void find_islands(ChRecording* r, const ChTrajectoryRow* row) {
  const ChWorld* world = r->scene->world;
  ch_sets_init(ch_world_body_count(world), r->parents);
  for (int k = 0; k < row->contact_count; ++k) {
    const int* pair = row->contacts[k].body;
    if (ch_row_moves(world, pair[0]) && ch_row_moves(world, pair[1])) ch_sets_join(r->parents, pair[0], pair[1]);
  }
  for (int j = 0; j < ch_world_joint_count(world); ++j) {
    ChJointDef def = ch_row_joint(world, j);
    int pair[2] = {ch_world_body_row(world, def.body[0]), ch_world_body_row(world, def.body[1])};
    if (ch_row_moves(world, pair[0]) && ch_row_moves(world, pair[1])) ch_sets_join(r->parents, pair[0], pair[1]);
  }
  ch_sets_label(ch_world_body_count(world), r->parents, r->islands);
  for (int b = 0; b < ch_world_body_count(world); ++b)
    if (!ch_row_moves(world, b)) r->islands[b] = -1;
}

static bool reserve(ChRecording* r, size_t size) {
  if (size <= r->room) return true;
  free(r->bytes);
  r->bytes = malloc(size + size / 2);
  r->room = r->bytes ? size + size / 2 : 0;
  return r->bytes != NULL;
}

static ChBodyView body_of_row(const void* bodies, int row) { return ((const ChBodyView*)bodies)[row]; }

ChStatus ch_recording_frame(ChContext* context, ChRecording* r, long number, ChFrameHead* head,
                            const unsigned char** bytes, size_t* size) {
  const ChWorld* world = r->scene->world;
  ChTrajectoryRow row;
  ChStatus status = ch_trajectory_reader_row(context, r->reader, number, &row);
  if (status != CH_OK) return status;
  double h = ch_trajectory_reader_head(r->reader)->h, time = r->steps[number].time;
  head->bodies = (unsigned)ch_world_body_count(world);
  head->modes = (unsigned)ch_world_mode_count(world);
  head->contacts = (unsigned)row.contact_count;
  head->time = time;
  head->step = h > 0.0 && time / h < 1e15 ? lround(time / h) : number;
  *size = ch_frame_middle_size(head);
  if (!reserve(r, *size)) return ch_fail(context, CH_ERR_MEMORY, "out of memory for a frame of %zu bytes", *size);
  unsigned char* at = r->bytes;
  for (int b = 0; b < ch_world_body_count(world); ++b)
    at = ch_frame_put_body(at, row.bodies[b].position, row.bodies[b].orientation);
  at = ch_frame_put_modes(at, head->modes, row.amplitudes);
  find_islands(r, &row);
  for (int b = 0; b < ch_world_body_count(world); ++b) at = ch_frame_put_island(at, r->islands[b]);
  ch_frame_put_contacts(at, world, row.contact_count, row.contacts, ch_fall(world, time, h),
                        (ChBodyMotion){body_of_row, row.bodies});
  *bytes = r->bytes;
  return CH_OK;
}

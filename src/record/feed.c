// The writing side of a feed: see cardhouse/feed.h and feed_layout.h.
#include "cardhouse/feed.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cardhouse/clock.h"
#include "cardhouse/contact.h"
#include "cardhouse/soft.h"
#include "record/feed_layout.h"

typedef struct Place {
  uint64_t offset, room;
} Place;

struct ChFeed {
  int fd;
  char *path, *file;
  ChFeedHead head;
  Place scenes[CH_FEED_SCENES], states[CH_FEED_STATES];
  uint64_t end;          // of the file, where a larger block begins
  uint64_t steps;        // added; the head says how many of them are in the file
  ChFeedStep* ring;      // CH_FEED_STEPS of them
  unsigned char* bytes;  // a block as it is made
  size_t room;
  int* islands;
  int island_room;
  long revision;  // of the world that the scene was told of
  double shown_at;
};

// --- the file --------------------------------------------------------------------------------------------------------

static ChStatus put(ChContext* context, const ChFeed* feed, const void* bytes, uint64_t size, uint64_t offset) {
  const char* at = bytes;
  while (size > 0) {
    ssize_t done = pwrite(feed->fd, at, size, (off_t)offset);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return ch_fail(context, CH_ERR_FILE, "%s: cannot be written: %s", feed->path, strerror(errno));
    at += done;
    offset += (uint64_t)done;
    size -= (uint64_t)done;
  }
  return CH_OK;
}

static ChStatus put_head(ChContext* context, ChFeed* feed) {
  feed->head.sum = ch_feed_sum(&feed->head);
  return put(context, feed, &feed->head, sizeof feed->head, 0);
}

// A block in a place that is large enough; the head does not name it yet.
static ChStatus put_block(ChContext* context, ChFeed* feed, Place* place, ChFeedBlock block, ChFeedBlock* out) {
  if (block.size > place->room) {
    place->room = (block.size + block.size / 2 + 4095) / 4096 * 4096;
    place->offset = feed->end;
    feed->end += place->room;
  }
  block.offset = place->offset;
  ChStatus status = put(context, feed, feed->bytes, block.size, block.offset);
  if (status == CH_OK) *out = block;
  return status;
}

static bool reserve(ChFeed* feed, uint64_t size) {
  if (size <= feed->room) return true;
  free(feed->bytes);
  feed->room = size + size / 2;
  feed->bytes = malloc(feed->room);
  if (!feed->bytes) feed->room = 0;
  return feed->bytes != NULL;
}

static unsigned char* add(unsigned char* at, const void* bytes, size_t size) {
  if (size > 0) memcpy(at, bytes, size);
  return at + size;
}

// --- scenes ----------------------------------------------------------------------------------------------------------

static ChFeedSceneHead scene_head(const ChFeed* feed, const ChSimulation* s, const char* text, const char* contact) {
  const ChSimulationOptions* o = ch_simulation_options(s);
  return (ChFeedSceneHead){.number = feed->head.scene.number + 1,
                           .h = o->h,
                           .tolerance = o->solve.tolerance,
                           .joints = (uint32_t)ch_world_joint_count(ch_simulation_world(s)),
                           .text = (uint32_t)strlen(text) + 1,
                           .file = (uint32_t)strlen(feed->file) + 1,
                           .method = (uint32_t)strlen(o->solve.method) + 1,
                           .contact = (uint32_t)strlen(contact) + 1};
}

static unsigned char* add_joints(unsigned char* at, const ChWorld* world) {
  for (int j = 0; j < ch_world_joint_count(world); ++j) {
    ChJointId id = ch_world_joint_at(world, j);
    ChFeedJoint joint = {{ch_world_joint_frame(world, id, 0), ch_world_joint_frame(world, id, 1)}};
    at = add(at, &joint, sizeof joint);
  }
  return at;
}

ChStatus ch_feed_tell_scene(ChContext* context, ChFeed* feed, const ChSimulation* s, const char* text) {
  const ChWorld* world = ch_simulation_world(s);
  const ChSimulationOptions* o = ch_simulation_options(s);
  const char* contact = ch_contact_law_name(o->contact);
  if (strlen(text) > UINT32_MAX / 2) return ch_fail(context, CH_ERR_SIZE, "a scene of %zu bytes", strlen(text));
  ChFeedSceneHead head = scene_head(feed, s, text, contact);
  ChFeedBlock block = {.number = head.number, .size = ch_feed_scene_size(&head)};
  if (!reserve(feed, block.size)) return ch_fail(context, CH_ERR_MEMORY, "%s: out of memory", feed->path);
  unsigned char* at = add_joints(add(feed->bytes, &head, sizeof head), world);
  at = add(at, text, head.text);
  at = add(at, feed->file, head.file);
  at = add(at, o->solve.method, head.method);
  at = add(at, contact, head.contact);
  add(at, &head.number, sizeof head.number);
  ChStatus status = put_block(context, feed, &feed->scenes[head.number % CH_FEED_SCENES], block, &feed->head.scene);
  if (status != CH_OK) return status;
  feed->revision = ch_world_revision(world);
  return ch_feed_show(context, feed, s);
}

// --- states ----------------------------------------------------------------------------------------------------------

static unsigned char* add_bodies(unsigned char* at, const ChSimulation* s, int bodies) {
  bool plane = ch_world_dimension(ch_simulation_world(s)) == 2;
  for (int b = 0; b < bodies; ++b) {
    ChBodyView view = ch_simulation_body_at(s, b);
    ChFrame frame = {view.position, plane ? ch_quat_about(ch_axis(2), view.angle) : view.orientation};
    at = add(at, &frame, sizeof frame);
  }
  for (int b = 0; b < bodies; ++b) {
    int modes = 0;
    const double* q = ch_simulation_modes(s, ch_world_body_at(ch_simulation_world(s), b), &modes);
    if (q) at = add(at, q, (size_t)modes * sizeof *q);
  }
  return at;
}

static unsigned char* add_contacts(unsigned char* at, const ChSimulation* s, int count, const ChContactView* views) {
  const ChWorld* world = ch_simulation_world(s);
  for (int k = 0; k < count; ++k) {
    const ChContactView* v = &views[k];
    ChFeedContact c = {.point = v->point,
                       .normal = v->normal,
                       .force = v->force,
                       .slip = v->slip,
                       .gap = v->gap,
                       .friction = ch_world_friction(world, v->shape[0], v->shape[1]),
                       .body = {v->body[0], v->body[1]}};
    at = add(at, &c, sizeof c);
  }
  return at;
}

// Of each body; -1 where that is not known.
static bool find_islands(ChFeed* feed, const ChSimulation* s, int bodies) {
  if (bodies > feed->island_room) {
    free(feed->islands);
    feed->islands = malloc(2 * (size_t)bodies * sizeof *feed->islands);
    feed->island_room = feed->islands ? 2 * bodies : 0;
    if (!feed->islands) return false;
  }
  for (int b = 0; b < bodies; ++b) feed->islands[b] = -1;
  ch_simulation_islands(s, feed->islands);
  return true;
}

// Steps that the file has not: of more than the ring holds, the last ones.
static ChStatus put_steps(ChContext* context, ChFeed* feed) {
  ChStatus status = CH_OK;
  uint64_t from = feed->head.steps;
  if (feed->steps - from > CH_FEED_STEPS) from = feed->steps - CH_FEED_STEPS;
  while (from < feed->steps && status == CH_OK) {
    uint64_t first = from % CH_FEED_STEPS, count = feed->steps - from;
    if (first + count > CH_FEED_STEPS) count = CH_FEED_STEPS - first;
    status =
        put(context, feed, feed->ring + first, count * sizeof *feed->ring, CH_FEED_RING + first * sizeof *feed->ring);
    from += count;
  }
  if (status == CH_OK) feed->head.steps = feed->steps;
  return status;
}

ChStatus ch_feed_show(ChContext* context, ChFeed* feed, const ChSimulation* s) {
  const ChWorld* world = ch_simulation_world(s);
  int contacts, bodies = ch_world_body_count(world);
  const ChContactView* views = ch_simulation_contacts(s, &contacts);
  if (ch_world_revision(world) != feed->revision)
    return ch_fail(context, CH_ERR_UNSUPPORTED,
                   "%s: bodies or joints were added or removed since the scene was written to the feed", feed->path);
  ChFeedStateHead head = {.number = feed->head.state.number + 1,
                          .scene = feed->head.scene.number,
                          .time = ch_simulation_time(s),
                          .h = ch_simulation_options(s)->h,
                          .step = ch_simulation_step_count(s),
                          .bodies = (uint32_t)bodies,
                          .modes = (uint32_t)ch_world_mode_count(world),
                          .contacts = (uint32_t)contacts};
  ChFeedBlock block = {.number = head.number, .size = ch_feed_state_size(&head)};
  if (!reserve(feed, block.size) || !find_islands(feed, s, bodies))
    return ch_fail(context, CH_ERR_MEMORY, "%s: out of memory", feed->path);
  unsigned char* at = add_bodies(add(feed->bytes, &head, sizeof head), s, bodies);
  at = add_contacts(at, s, contacts, views);
  at = add(at, feed->islands, (size_t)bodies * sizeof *feed->islands);
  add(at, &head.number, sizeof head.number);
  ChStatus status = put_steps(context, feed);
  if (status == CH_OK)
    status = put_block(context, feed, &feed->states[head.number % CH_FEED_STATES], block, &feed->head.state);
  if (status != CH_OK) return status;
  feed->shown_at = ch_clock_seconds();
  return put_head(context, feed);
}

ChStatus ch_feed_add(ChContext* context, ChFeed* feed, const ChSimulation* s) {
  (void)context;
  ChStepInfo info = ch_simulation_info(s);
  bool missed = info.missed || !isfinite(info.certificate.natural);  // NaN is never good
  feed->ring[feed->steps++ % CH_FEED_STEPS] =
      (ChFeedStep){.time = info.time,
                   .natural = info.certificate.natural,
                   .kinetic = info.kinetic,
                   .potential = info.potential,
                   .contacts = (double)info.contacts,
                   .iterations = (double)info.iterations,
                   .seconds = info.seconds_collide + info.seconds_assemble + info.seconds_solve,
                   .missed = missed,
                   .resting = info.islands > 0 && info.resting == info.islands};
  return CH_OK;
}

double ch_feed_shown_at(const ChFeed* feed) { return feed->shown_at; }

// --- life ------------------------------------------------------------------------------------------------------------

ChStatus ch_feed_create(ChContext* context, const char* path, const ChSimulation* s, const char* scene,
                        const char* file, ChFeed** out) {
  *out = NULL;
  ChFeed* feed = calloc(1, sizeof *feed);
  if (!feed) return ch_fail(context, CH_ERR_MEMORY, "%s: out of memory", path);
  feed->fd = -1;
  feed->path = strdup(path);
  feed->file = strdup(file ? file : "scene");
  feed->ring = calloc(CH_FEED_STEPS, sizeof *feed->ring);
  feed->head.magic = CH_FEED_MAGIC;
  feed->end = CH_FEED_RING + (uint64_t)CH_FEED_STEPS * sizeof *feed->ring;
  feed->end = (feed->end + 4095) / 4096 * 4096;
  ChStatus status = feed->path && feed->file && feed->ring ? CH_OK : CH_ERR_MEMORY;
  if (status != CH_OK) ch_fail(context, status, "%s: out of memory", path);
  if (status == CH_OK) feed->fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (status == CH_OK && feed->fd < 0)
    status = ch_fail(context, CH_ERR_FILE, "%s: cannot be created: %s", path, strerror(errno));
  if (status == CH_OK) status = ch_feed_tell_scene(context, feed, s, scene);
  if (status == CH_OK)
    *out = feed;
  else
    ch_feed_abandon(feed);
  return status;
}

void ch_feed_abandon(ChFeed* feed) {
  if (!feed) return;
  if (feed->fd >= 0) close(feed->fd);
  free(feed->path);
  free(feed->file);
  free(feed->ring);
  free(feed->bytes);
  free(feed->islands);
  free(feed);
}

void ch_feed_close(ChFeed* feed) {
  if (!feed) return;
  feed->head.over = 1;
  if (put_steps(NULL, feed) == CH_OK) put_head(NULL, feed);
  ch_feed_abandon(feed);
}

// Feeds: what a reader sees of a simulation in motion is a state that it had, whole, and every step of it.
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cardhouse/feed.h"
#include "cardhouse/scene.h"
#include "record/feed_layout.h"
#include "support/near.h"
#include "support/temporary.h"
#include "support/worlds.h"

static ChContext context;
static const ChVec3 still = {0.0, 0.0, 0.0};

static const char scene[] =
    "{\"cardhouse\": 1, \"bodies\": ["
    "{\"name\": \"floor\", \"fixed\": true, \"shapes\": [{\"type\": \"halfspace\"}]},"
    "{\"name\": \"box\", \"position\": [0, 0, 0.1], \"shapes\": [{\"type\": \"box\", \"half\": [0.1, 0.1, 0.1]}]},"
    "{\"name\": \"arm\", \"position\": [2, 0, 1], \"shapes\": [{\"type\": \"sphere\", \"radius\": 0.1}]}],"
    "\"joints\": [{\"type\": \"hinge\", \"bodies\": [\"ground\", \"arm\"], \"at\": [2, 0, 2], \"axis\": [0, 1, 0]}]}";

static ChSimulation* start(void) {
  ChScene* s;
  ChSimulation* simulation;
  CHECK_OK(context, ch_scene_parse(&context, scene, NULL, &s));
  CHECK_OK(context, ch_simulation_create(&context, s->world, &s->options, &simulation));
  s->world = NULL;
  ch_scene_destroy(s);
  return simulation;
}

static ChSimulation* begin(ChWorld* world) {
  ChSimulationOptions options = ch_simulation_options_default();
  return ch_test_start(world, &options);
}

static ChFeedReader* reader_of(const char* path) {
  ChFeedReader* reader;
  CHECK_OK(context, ch_feed_reader_open(&context, path, &reader));
  return reader;
}

static void a_reader_sees_the_state_and_every_step(void** state) {
  (void)state;
  const char* path = ch_temporary_path("seen");
  ChSimulation* s = start();
  ChFeed* feed;
  ChFeedNews news;
  CHECK_OK(context, ch_feed_create(&context, path, s, scene, NULL, &feed));
  ChFeedReader* reader = reader_of(path);
  CHECK_OK(context, ch_feed_reader_look(&context, reader, &news));
  assert_string_equal(news.scene->text, scene);
  assert_string_equal(news.scene->contact, "rigid");
  assert_int_equal(news.scene->joint_count, 1);
  CHECK_NEAR(news.scene->joints[0].side[1].at.z, 1.0, 1e-15);  // of the arm, which hangs 1 m below it
  assert_int_equal(news.state->body_count, 3);
  CHECK_OK(context, ch_feed_reader_look(&context, reader, &news));
  assert_true(!news.scene && !news.state && !news.steps && !news.over);
  for (int n = 0; n < 30; ++n) {
    ch_test_step(s);
    CHECK_OK(context, ch_feed_add(&context, feed, s));
  }
  CHECK_OK(context, ch_feed_show(&context, feed, s));
  CHECK_OK(context, ch_feed_reader_look(&context, reader, &news));
  assert_int_equal(news.step_count, 30);
  ChStepInfo info = ch_simulation_info(s);
  assert_true(news.steps[29].natural == info.certificate.natural && news.steps[29].time == info.time);
  assert_int_equal(news.state->step, 30);
  int contacts;
  const ChContactView* views = ch_simulation_contacts(s, &contacts);
  assert_int_equal(news.state->contact_count, contacts);
  assert_true(contacts > 0);
  assert_memory_equal(&news.state->contacts[0].force, &views[0].force, sizeof views[0].force);
  ChVec3 box = ch_simulation_body_at(s, 1).position;
  assert_memory_equal(&news.state->bodies[1].at, &box, sizeof box);
  ch_feed_close(feed);
  CHECK_OK(context, ch_feed_reader_look(&context, reader, &news));
  assert_true(news.over);
  ch_feed_reader_close(reader);
  ch_simulation_destroy(s);
}

// More steps than are kept: the last ones are there, and no two of them are mixed up.
static void of_many_steps_the_last_are_kept(void** state) {
  (void)state;
  const char* path = ch_temporary_path("many");
  ChSimulation* s = begin(ch_test_world(3, 0.0, 0.5, 0.0));
  ChFeed* feed;
  ChFeedNews news;
  CHECK_OK(context, ch_feed_create(&context, path, s, "{\"cardhouse\": 1}", NULL, &feed));
  ChFeedReader* reader = reader_of(path);
  for (int n = 0; n < CH_FEED_STEPS + 500; ++n) {
    ch_test_step(s);
    CHECK_OK(context, ch_feed_add(&context, feed, s));
  }
  CHECK_OK(context, ch_feed_show(&context, feed, s));
  CHECK_OK(context, ch_feed_reader_look(&context, reader, &news));
  assert_int_equal(news.step_count, CH_FEED_STEPS);
  double h = ch_simulation_options(s)->h;
  for (int k = 1; k < news.step_count; ++k) CHECK_NEAR(news.steps[k].time - news.steps[k - 1].time, h, 1e-9);
  ch_feed_close(feed);
  ch_feed_reader_close(reader);
  ch_simulation_destroy(s);
}

// --- both at once ----------------------------------------------------------------------------------------------------

enum { BALLS = 150, FALLS = 3000 };

typedef struct Watch {
  ChFeedReader* reader;
  atomic_bool over;
  int states, torn, steps, failed;
} Watch;

// Balls that fall freely keep their distances; of states half old and half new they would not, by g h^2 n > 1e-5 m.
static void* watch(void* user) {
  Watch* w = user;
  for (bool last = false; !last;) {
    ChFeedNews news;
    last = atomic_load(&w->over);  // what was there before this is seen by the look that follows
    w->failed += ch_feed_reader_look(NULL, w->reader, &news) != CH_OK;
    w->steps += news.step_count;
    if (!news.state) continue;
    ++w->states;
    for (int k = 1; k < news.state->body_count; ++k)
      w->torn += !(fabs(news.state->bodies[k].at.z - news.state->bodies[0].at.z - k) < 1e-7);
  }
  return NULL;
}

static void a_reader_never_sees_half_a_state(void** state) {
  (void)state;
  const char* path = ch_temporary_path("both");
  ChWorld* world = ch_test_world(3, 9.81, 0.5, 0.0);
  for (int k = 0; k < BALLS; ++k) ch_test_ball(world, ch_vec(0.0, 0.0, k), 0.1, still);
  ChSimulation* s = begin(world);
  ChFeed* feed;
  CHECK_OK(context, ch_feed_create(&context, path, s, "{\"cardhouse\": 1}", NULL, &feed));
  Watch w = {.reader = reader_of(path)};
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, watch, &w), 0);
  for (int n = 0; n < FALLS; ++n) {
    ch_test_step(s);
    CHECK_OK(context, ch_feed_add(&context, feed, s));
    CHECK_OK(context, ch_feed_show(&context, feed, s));
  }
  atomic_store(&w.over, true);
  pthread_join(thread, NULL);
  assert_int_equal(w.failed, 0);
  assert_int_equal(w.torn, 0);
  assert_int_equal(w.steps, FALLS);  // fewer than are kept, so none is lost
  assert_true(w.states > 0);
  ch_feed_close(feed);
  ch_feed_reader_close(w.reader);
  ch_simulation_destroy(s);
}

// --- what cannot be --------------------------------------------------------------------------------------------------

static void write_at(const char* path, const void* bytes, size_t size, uint64_t at) {
  int fd = open(path, O_WRONLY);
  assert_true(fd >= 0 && pwrite(fd, bytes, size, (off_t)at) == (ssize_t)size);
  close(fd);
}

static void read_at(const char* path, void* bytes, size_t size, uint64_t at) {
  int fd = open(path, O_RDONLY);
  assert_true(fd >= 0 && pread(fd, bytes, size, (off_t)at) == (ssize_t)size);
  close(fd);
}

// Every word of the head, and of what stands before a scene and a state, replaced: it is refused, or is one that says
// nothing of sizes and places; nothing is read that is not there (which a sanitizer's build sees).
static void nonsense_is_refused(void** state) {
  (void)state;
  static const uint64_t values[] = {0, 1, 7, 4095, UINT32_MAX, 1ull << 40, UINT64_MAX};
  const char* path = ch_temporary_path("nonsense");
  ChSimulation* s = start();
  ChFeed* feed;
  CHECK_OK(context, ch_feed_create(&context, path, s, scene, NULL, &feed));
  ChFeedHead head;
  read_at(path, &head, sizeof head, 0);
  const struct {
    uint64_t at, size;
  } parts[] = {{0, sizeof head - sizeof head.sum},
               {head.scene.offset, sizeof(ChFeedSceneHead)},
               {head.state.offset, sizeof(ChFeedStateHead)}};
  int refused = 0;
  for (size_t p = 0; p < sizeof parts / sizeof *parts; ++p)
    for (uint64_t word = 0; word < parts[p].size; word += 4)
      for (size_t v = 0; v < sizeof values / sizeof *values; ++v) {
        unsigned char kept[8];
        uint64_t at = parts[p].at + word;
        read_at(path, kept, 4, at);
        write_at(path, &values[v], 4, at);
        ChFeedHead now;
        read_at(path, &now, sizeof now, 0);
        now.sum = ch_feed_sum(&now);
        write_at(path, &now, sizeof now, 0);
        ChFeedReader* reader;
        ChFeedNews news;
        ChStatus status = ch_feed_reader_open(&context, path, &reader);
        if (status == CH_OK) status = ch_feed_reader_look(&context, reader, &news);
        refused += status != CH_OK;
        ch_feed_reader_close(reader);
        write_at(path, kept, 4, at);
        write_at(path, &head, sizeof head, 0);
      }
  assert_true(refused > 50);
  assert_int_equal(truncate(path, 2000), 0);
  ChFeedReader* reader = reader_of(path);
  ChFeedNews news;
  assert_int_equal(ch_feed_reader_look(&context, reader, &news), CH_ERR_FORMAT);
  assert_non_null(strstr(context.message, "beyond the end"));
  ch_feed_reader_close(reader);
  ch_feed_abandon(feed);
  assert_int_equal(ch_feed_create(&context, path, s, scene, NULL, &feed), CH_ERR_FILE);  // it is there already
  ch_simulation_destroy(s);
}

static void other_files_are_no_feeds(void** state) {
  (void)state;
  ChFeedReader* reader;
  assert_int_equal(ch_feed_reader_open(&context, ch_temporary_path("none"), &reader), CH_ERR_FILE);
  FILE* file = fopen(ch_temporary_path("text"), "w");
  fputs(scene, file);
  fclose(file);
  assert_int_equal(ch_feed_reader_open(&context, ch_temporary_path("text"), &reader), CH_ERR_FORMAT);
  assert_null(reader);
}

// Bodies that come are shown once their scene is told.
static void who_comes_is_told_of_with_the_scene(void** state) {
  (void)state;
  const char* path = ch_temporary_path("comes");
  ChSimulation* s = start();
  ChFeed* feed;
  ChFeedNews news;
  CHECK_OK(context, ch_feed_create(&context, path, s, scene, NULL, &feed));
  struct stat info;
  assert_int_equal(stat(path, &info), 0);
  assert_int_equal(info.st_mode & 0777, 0600);
  ChFeedReader* reader = reader_of(path);
  CHECK_OK(context, ch_feed_reader_look(&context, reader, &news));
  long first = news.scene->number;
  CHECK_OK(context, ch_simulation_remove_body(&context, s, ch_world_body_at(ch_simulation_world(s), 1)));
  assert_int_equal(ch_feed_show(&context, feed, s), CH_ERR_UNSUPPORTED);
  CHECK_OK(context, ch_feed_tell_scene(&context, feed, s, "{\"cardhouse\": 1, \"name\": \"less\"}"));
  CHECK_OK(context, ch_feed_reader_look(&context, reader, &news));
  assert_non_null(strstr(news.scene->text, "less"));
  assert_int_equal(news.scene->number, first + 1);
  assert_int_equal(news.state->scene, first + 1);
  assert_int_equal(news.state->body_count, 2);
  ch_feed_abandon(feed);
  CHECK_OK(context, ch_feed_reader_look(&context, reader, &news));
  assert_false(news.over);  // whoever abandons it says nothing
  ch_feed_reader_close(reader);
  ch_simulation_destroy(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_reader_sees_the_state_and_every_step),
      cmocka_unit_test(of_many_steps_the_last_are_kept),
      cmocka_unit_test(a_reader_never_sees_half_a_state),
      cmocka_unit_test(nonsense_is_refused),
      cmocka_unit_test(other_files_are_no_feeds),
      cmocka_unit_test(who_comes_is_told_of_with_the_scene),
  };
  return cmocka_run_group_tests(tests, ch_temporary_create, ch_temporary_remove);
}

// The parts of the viewer's server that can be looked at without a network: orders, frames, the exchange, the loop.
#include <stdlib.h>
#include <string.h>

#include "common/loop_meter.h"
#include "common/pace.h"
#include "serve/exchange.h"
#include "support/near.h"

// --- orders ----------------------------------------------------------------------------------------------------------

static ChOrder parsed(const char* text) {
  ChContext context = {0};
  ChOrder order;
  CHECK_OK(context, ch_order_parse(&context, text, strlen(text), &order));
  return order;
}

static void orders_are_read(void** state) {
  (void)state;
  ChOrder load =
      parsed("{\"type\":\"load\",\"scene\":\"arch\",\"parameters\":{\"n\":27,\"mu\":0.6,\"form\":\"catenary\"}}");
  assert_int_equal(load.type, CH_ORDER_LOAD);
  assert_string_equal(load.word, "arch");
  assert_int_equal(load.parameter_count, 3);
  assert_string_equal(load.parameters[0][1], "27");
  CHECK_NEAR(atof(load.parameters[1][1]), 0.6, 0.0);
  ChOrder drag = parsed("{\"type\":\"drag\",\"pane\":1,\"body\":4,\"local\":[0.5,0],\"target\":[1,2,3]}");
  assert_int_equal(drag.pane, 1);
  assert_int_equal(drag.body, 4);
  CHECK_NEAR(drag.target.z, 3.0, 0.0);
  assert_int_equal(drag.triangle, -1);
  ChOrder skin = parsed(
      "{\"type\":\"drag\",\"body\":4,\"local\":[0,0],\"target\":[1,2],\"triangle\":7,\"weights\":[0.5,0.25,0.2501]}");
  assert_int_equal(skin.triangle, 7);
  CHECK_NEAR(skin.weights[0] + skin.weights[1] + skin.weights[2], 1.0, 1e-15);
  ChOrder set = parsed("{\"type\":\"set\",\"name\":\"gravity\",\"value\":[0,0,-1.62]}");
  assert_int_equal(set.setting, CH_CHANGE_GRAVITY);
  CHECK_NEAR(set.vector.z, -1.62, 0.0);
  assert_int_equal(parsed("{\"type\":\"compare\",\"methods\":[]}").method_count, 0);
  assert_int_equal(parsed("{\"type\":\"compare\",\"methods\":[\"pgs\",\"auto\"]}").method_count, 2);
  assert_int_equal(parsed("{\"type\":\"inspect\",\"contact\":3}").contact, 3);
}

// Each with the member, or the word, that the refusal must name.
static void wrong_orders_are_refused_by_name(void** state) {
  (void)state;
  static const char* const wrong[][2] = {
      {"", "not JSON"},
      {"[1]", "object"},
      {"{}", "type"},
      {"{\"type\":\"rum\"}", "run"},
      {"{\"type\":\"speed\",\"value\":1e6}", "value"},
      {"{\"type\":\"set\",\"name\":\"gravitee\",\"value\":1}", "gravity"},
      {"{\"type\":\"set\",\"name\":\"rest\",\"value\":1}", "true or false"},
      {"{\"type\":\"drag\",\"body\":1.5,\"local\":[0,0,0],\"target\":[0,0,0]}", "body"},
      {"{\"type\":\"drag\",\"body\":1,\"local\":[0,0,0],\"target\":[0,0,\"x\"]}", "target"},
      {"{\"type\":\"drag\",\"body\":1,\"local\":[0,0,0],\"target\":[0,0,1e30]}", "target"},
      {"{\"type\":\"drag\",\"body\":1,\"local\":[0,0],\"target\":[0,0],\"triangle\":-3}", "triangle"},
      {"{\"type\":\"drag\",\"body\":1,\"local\":[0,0],\"target\":[0,0],\"triangle\":3}", "weights"},
      {"{\"type\":\"drag\",\"body\":1,\"local\":[0,0],\"target\":[0,0],\"triangle\":3,\"weights\":[0,0,0]}", "sum"},
      {"{\"type\":\"drag\",\"body\":1,\"local\":[0,0],\"target\":[0,0],\"triangle\":3,\"weights\":[2,-1,0]}",
       "weights"},
      {"{\"type\":\"shoot\",\"origin\":[0,0,0],\"direction\":[0,0,0],\"speed\":1}", "direction"},
      {"{\"type\":\"load\",\"scene\":\"\\u0001\"}", "scene"},
      {"{\"type\":\"inspect\",\"body\":0,\"pane\":2}", "pane"},
  };
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; ++k) {
    ChContext context = {0};
    ChOrder order;
    assert_int_not_equal(ch_order_parse(&context, wrong[k][0], strlen(wrong[k][0]), &order), CH_OK);
    if (!strstr(context.message, wrong[k][1])) fail_msg("%s: '%s'", wrong[k][0], context.message);
  }
}

// --- frames ----------------------------------------------------------------------------------------------------------

static void a_frame_is_laid_out_as_the_protocol_says(void** state) {
  (void)state;
  unsigned char bytes[52 + 32 + 8 + 68 + 48], *at = bytes;
  const ChFrameHead head = {.generation = 3,
                            .pane = 1,
                            .bodies = 1,
                            .modes = 2,
                            .contacts = 1,
                            .stats = 1,
                            .flags = 1,
                            .time = 0.25,
                            .step = 250};
  const double amplitudes[2] = {0.5, -0.25};
  const ChFrameContact contact = {.force = {0, 0, 7.0}, .normal = {0, 0, 1}, .gap = 0.5, .mu = 0.25, .body = {-1, 2}};
  const ChFrameStat stat = {.time = 0.25, .natural = 1e-9, .seconds = 0.5f, .flags = 2.0f};
  at = ch_frame_put_head(at, &head);
  assert_int_equal(at - bytes, CH_FRAME_HEAD_SIZE);
  at = ch_frame_put_body(at, (ChVec3){1, 2, 3}, (ChQuat){0.5, 0.5, 0.5, 0.5});
  at = ch_frame_put_modes(at, 2, amplitudes);
  at = ch_frame_put_island(at, -1);
  at = ch_frame_put_contact(at, &contact, CH_CONTACT_SLIP);
  at = ch_frame_put_stat(at, &stat);
  assert_int_equal(at - bytes, CH_FRAME_HEAD_SIZE + (long)ch_frame_middle_size(&head) + CH_FRAME_STAT_SIZE);
  assert_memory_equal(bytes, "CHF2", 4);
  double time;
  uint64_t step;
  float x, second, force;
  int32_t island, body[2];
  uint32_t status;
  memcpy(&time, bytes + 16, 8);
  memcpy(&step, bytes + 24, 8);
  memcpy(&x, bytes + 52, 4);
  memcpy(&second, bytes + 52 + 32, 4);
  memcpy(&island, bytes + 52 + 36, 4);
  memcpy(&force, bytes + 92 + 4 * 8, 4);
  memcpy(body, bytes + 92 + 4 * 14, 8);
  memcpy(&status, bytes + 92 + 4 * 16, 4);
  CHECK_NEAR(time, 0.25, 0.0);
  assert_int_equal(step, 250);
  CHECK_NEAR(x, 1.0, 0.0);
  CHECK_NEAR(second, -0.25, 0.0);
  assert_int_equal(island, -1);
  CHECK_NEAR(force, 7.0, 0.0);
  assert_int_equal(body[0], -1);
  assert_int_equal(body[1], 2);
  assert_int_equal(status, CH_CONTACT_SLIP);
}

static void contacts_are_told_apart(void** state) {
  (void)state;
  ChContactScale scale = ch_contact_scale(10.0, 40.0, 9.81e-3, 9.81);
  ChFrameContact c = {.normal = {0, 0, 1}, .force = {0, 0, 10.0}, .slip = {1e-9, 0, 0}};
  assert_int_equal(ch_contact_status(&c, scale), CH_CONTACT_STICK);
  c.slip = (ChVec3){1e-3, 0, 0};
  assert_int_equal(ch_contact_status(&c, scale), CH_CONTACT_SLIP);
  c.slip = (ChVec3){0, 0, 1.0};  // it opens, which is no slip
  assert_int_equal(ch_contact_status(&c, scale), CH_CONTACT_STICK);
  c.slip = (ChVec3){0, 0, 0};
  c.reach = 0.1;
  c.spin = (ChVec3){0, 5.0, 1.0};  // a ball rolls along
  assert_int_equal(ch_contact_status(&c, scale), CH_CONTACT_ROLL);
  c.spin = (ChVec3){0, 0, -5.0};  // a top turns on the spot
  assert_int_equal(ch_contact_status(&c, scale), CH_CONTACT_SPIN);
  c.spin = (ChVec3){0, 1e-3, 0};  // far slower than what falls
  assert_int_equal(ch_contact_status(&c, scale), CH_CONTACT_STICK);
  c.spin = (ChVec3){0, NAN, 0};
  assert_int_equal(ch_contact_status(&c, scale), CH_CONTACT_STICK);
  c.force.z = 0.05;
  assert_int_equal(ch_contact_status(&c, scale), CH_CONTACT_LOOSE);
  c.force.z = 0.0;
  assert_int_equal(ch_contact_status(&c, scale), CH_CONTACT_OPEN);
  c.force.z = NAN;
  assert_int_equal(ch_contact_status(&c, scale), CH_CONTACT_OPEN);
}

// --- the exchange ----------------------------------------------------------------------------------------------------

// However many steps lie between two frames: the worst certificate and every miss are in the next one, times ascend.
static void thinned_steps_keep_the_worst(void** state) {
  (void)state;
  ChContext context = {0};
  ChExchange* e;
  CHECK_OK(context, ch_exchange_create(&context, &e));
  long cursor = 0;
  for (int round = 0; round < 3; ++round) {
    const int steps[3] = {100, 256, 5000};
    for (int k = 0; k < steps[round]; ++k) {
      ChFrameStat stat = {.time = cursor + k, .natural = k == steps[round] / 3 ? 0.5 : 1e-9};
      if (k == steps[round] / 3) stat.flags = CH_STAT_MISSED;
      if (k == steps[round] - 1) stat.natural = NAN;
      ch_exchange_add_stat(e, 0, &stat);
    }
    ChSnapshot* blank = ch_exchange_blank(e, 8);
    ch_exchange_show(e, 0, blank);
    ChSnapshot* shown = ch_exchange_snapshot(e, 0, 0);
    ChFrameStat out[CH_STATS_PER_FRAME];
    int count = ch_exchange_stats(e, 0, &cursor, shown->steps, out);
    assert_int_equal(cursor, shown->steps);
    ch_snapshot_drop(e, shown);
    assert_true(count > 0 && count <= CH_STATS_PER_FRAME);
    if (steps[round] <= CH_STATS_PER_FRAME) assert_int_equal(count, steps[round]);
    int worst = 0, missed = 0, broken = 0;
    for (int k = 0; k < count; ++k) {
      worst += out[k].natural == 0.5;
      missed += out[k].flags == (float)CH_STAT_MISSED;
      broken += isnan(out[k].natural) != 0;
      if (k > 0) assert_true(out[k].time > out[k - 1].time);
    }
    assert_int_equal(worst, 1);
    assert_int_equal(missed, 1);
    assert_int_equal(broken, 1);
  }
  ch_exchange_destroy(e);
}

static void a_slow_reader_gets_the_latest_only(void** state) {
  (void)state;
  ChContext context = {0};
  ChExchange* e;
  CHECK_OK(context, ch_exchange_create(&context, &e));
  ChSnapshot* held = NULL;
  for (int k = 1; k <= 50; ++k) {
    ChSnapshot* s = ch_exchange_blank(e, 1000);
    s->head.step = k;
    ch_exchange_show(e, 0, s);
    if (k == 10) held = ch_exchange_snapshot(e, 0, 0);
  }
  assert_int_equal(held->head.step, 10);
  ChSnapshot* latest = ch_exchange_snapshot(e, 0, held->version);
  assert_int_equal(latest->head.step, 50);
  assert_null(ch_exchange_snapshot(e, 0, latest->version));
  ch_snapshot_drop(e, held);
  ch_snapshot_drop(e, latest);
  ch_exchange_hide(e, 0);
  assert_null(ch_exchange_snapshot(e, 0, 0));
  ch_exchange_destroy(e);
}

static void orders_queue_up_to_a_bound_and_drags_replace_each_other(void** state) {
  (void)state;
  ChContext context = {0};
  ChExchange* e;
  CHECK_OK(context, ch_exchange_create(&context, &e));
  for (int k = 0; k < 1000; ++k)
    assert_true(ch_exchange_put(e, &(ChOrder){.type = CH_ORDER_DRAG, .client = 1, .body = k}));
  int more = 0;
  while (ch_exchange_put(e, &(ChOrder){.type = CH_ORDER_STEP, .client = 1}) && more < 100000) ++more;
  assert_int_equal(more, 255);
  ChOrder order;
  assert_true(ch_exchange_take(e, 0.0, &order));
  assert_int_equal(order.body, 999);
  while (ch_exchange_take(e, 0.0, &order)) assert_int_equal(order.type, CH_ORDER_STEP);
  ch_exchange_destroy(e);
}

static void answers_reach_whom_they_are_for(void** state) {
  (void)state;
  ChContext context = {0};
  ChExchange* e;
  CHECK_OK(context, ch_exchange_create(&context, &e));
  unsigned cursor = ch_exchange_answers(e);
  ch_exchange_reply(e, 7, strdup("to seven"));
  ch_exchange_reply(e, 0, strdup("to all"));
  ChParcel* parcel = ch_exchange_answer(e, 3, &cursor);
  assert_memory_equal(parcel->bytes, "to all", 6);
  ch_parcel_drop(parcel);
  assert_null(ch_exchange_answer(e, 3, &cursor));
  cursor = 0;
  for (int k = 0; k < 1000; ++k) ch_exchange_reply(e, 3, strdup("again"));
  int got = 0;
  while ((parcel = ch_exchange_answer(e, 3, &cursor))) {
    ch_parcel_drop(parcel);
    ++got;
  }
  assert_int_equal(got, 64);  // who does not read loses the oldest
  ch_exchange_destroy(e);
}

// --- the loop --------------------------------------------------------------------------------------------------------

static void H36_the_loop_tells_its_shares(void** state) {
  (void)state;
  ChLoopMeter meter;
  ch_loop_meter_begin(&meter);
  for (int k = 0; k < 100; ++k) {
    ch_loop_meter_step(&meter, 0.01, k < 10 ? 0.5 : 0.001, 0.1, k >= 20, 0.001 * (k % 7));
    ch_loop_meter_distance(&meter, 0.01 * k, k);
  }
  json_t* loop = ch_loop_meter_close(&meter);
  CHECK_NEAR(json_real_value(json_object_get(loop, "met")), 0.8, 1e-12);
  CHECK_NEAR(json_real_value(json_object_get(loop, "in_time")), 0.9, 1e-12);
  CHECK_NEAR(json_real_value(json_object_get(loop, "behind_seconds")), 0.006, 1e-12);
  CHECK_NEAR(json_real_value(json_object_get(loop, "distance")), 99.0, 2.0);
  size_t count = json_array_size(json_object_get(loop, "distances"));
  assert_true(count > CH_DISTANCES_MAX / 2 && count <= CH_DISTANCES_MAX);
  json_decref(loop);
  loop = ch_loop_meter_close(&meter);
  assert_true(json_is_null(json_object_get(loop, "met")));
  json_decref(loop);
}

// Who watches: every step has its limit, however far behind the clock it is; what is behind by more than the lag is
// lost, so that nothing hurries later.
static void H36_the_time_of_a_step_gives_way_and_comes_back(void** state) {
  (void)state;
  ChPace pace = ch_pace_live(0.01, 0.5, 2.0, 100, 1);  // a step of 10 ms every 20 ms
  const ChPaceTerms terms = pace.terms;
  ch_pace_start(&pace, 1000.0, 5.0);
  CHECK_NEAR(ch_pace_due(&pace, 5.01), 1000.02, 1e-9);
  CHECK_NEAR(terms.limit, 0.12, 1e-12);
  CHECK_NEAR(ch_pace_allowance(&pace, 1000.0, 5.01), terms.limit, 1e-9);  // all of the lag, and its own time
  CHECK_NEAR(ch_pace_allowance(&pace, 1000.1, 5.02), terms.limit, 0.0);
  CHECK_NEAR(ch_pace_allowance(&pace, 1000.3, 5.03), terms.limit, 0.0);
  CHECK_NEAR(ch_pace_behind(&pace, 1000.3, 5.03), 0.24, 1e-9);
  CHECK_NEAR(ch_pace_behind(&pace, 1000.0, 5.03), 0.0, 0.0);
  ch_pace_forgive(&pace, 1000.3, 5.03);
  CHECK_NEAR(ch_pace_behind(&pace, 1000.3, 5.03), terms.lag, 1e-9);
  CHECK_NEAR(ch_pace_allowance(&pace, 1000.31, 5.2), terms.limit, 0.0);     // calm again
  CHECK_NEAR(ch_pace_watched(0.01, 1.0, 2.0, 2000, 1).limit, 0.22, 1e-12);  // more bodies, more time
  CHECK_NEAR(ch_pace_watched(0.01, 1.0, 2.0, 2000, 2).limit, 0.44, 1e-12);
  ChPaceTerms own = ch_pace_watched(0.01, 1.0, 0.005, 100, 1);  // the scene itself allows less
  CHECK_NEAR(own.limit, 0.005, 0.0);
  ChPace free = ch_pace_live(0.01, 0.0, 2.0, 100, 1);  // as fast as it goes: no clock
  CHECK_NEAR(ch_pace_allowance(&free, 1e9, 0.0), free.terms.limit, 0.0);
  CHECK_NEAR(ch_pace_behind(&free, 1e9, 0.0), 0.0, 0.0);
}

// Where every step is to be solved it has the scene's own limit, far behind the clock, and nothing hurries later.
static void N17_exact_steps_have_the_scene_s_own_limit(void** state) {
  (void)state;
  ChPace pace = ch_pace_exact(1.0, 20.0);
  ch_pace_start(&pace, 10.0, 0.0);
  for (int k = 0; k < 5; ++k) {
    double now = 10.0 + 3.0 * k, time = 1e-3 * k;
    CHECK_NEAR(ch_pace_allowance(&pace, now, time), 20.0, 0.0);
    ch_pace_forgive(&pace, now, time);
    assert_true(ch_pace_behind(&pace, now, time) <= pace.terms.lag + 1e-9);
  }
  CHECK_NEAR(ch_pace_due(&pace, 5e-3), 22.0 - 0.1 + 1e-3, 1e-9);  // slower than life, and no step is made up for
}

// Six bodies at a thousand steps a second are kept to the clock as `run --realtime` keeps them: six times h, and half
// of it where they are behind. Many bodies are not, nor slow motion, nor two panes of them.
static void L12_a_few_bodies_in_short_steps_are_paced_to_be_felt(void** state) {
  (void)state;
  ChPace pace = ch_pace_live(1e-3, 1.0, 2.0, 6, 1);
  ch_pace_start(&pace, 10.0, 0.0);
  CHECK_NEAR(ch_pace_allowance(&pace, 10.4, 1e-3), 6e-3, 0.0);
  CHECK_NEAR(ch_pace_allowance(&pace, 10.5, 1e-3), 1e-3, 1e-9);
  CHECK_NEAR(ch_pace_allowance(&pace, 11.0, 1e-3), 0.5e-3, 0.0);
  CHECK_NEAR(ch_pace_live(1e-3, 1.0, 2.0, 50, 1).terms.least, 0.101, 1e-12);
  CHECK_NEAR(ch_pace_live(1e-3, 0.1, 2.0, 6, 1).terms.least, 0.11, 1e-12);
  CHECK_NEAR(ch_pace_live(1e-3, 1.0, 2.0, 6, 2).terms.least, 0.101, 1e-12);
}

// Where they cannot be kept to the clock they go slower than life, and are solved; once they are on it they are felt.
static void L12_a_lost_clock_is_given_up_until_it_is_caught_up_with(void** state) {
  (void)state;
  ChPace pace = ch_pace_live(1e-3, 1.0, 2.0, 6, 1);
  ch_pace_start(&pace, 10.0, 0.0);
  ch_pace_forgive(&pace, 10.4, 0.0);
  CHECK_NEAR(pace.terms.limit, 6e-3, 0.0);  // not yet
  ch_pace_forgive(&pace, 10.6, 1e-3);
  CHECK_NEAR(ch_pace_behind(&pace, 10.6, 1e-3), 0.1, 1e-9);
  CHECK_NEAR(ch_pace_allowance(&pace, 10.6, 2e-3), 0.101, 1e-12);
  ch_pace_forgive(&pace, 10.9, 3e-3);  // and again
  CHECK_NEAR(ch_pace_allowance(&pace, 10.9, 4e-3), 0.101, 1e-12);
  ch_pace_forgive(&pace, 10.9, 0.05);
  CHECK_AT_MOST(0.101, ch_pace_allowance(&pace, 10.9, 0.051));
  ch_pace_forgive(&pace, 10.9, 0.2);
  CHECK_NEAR(ch_pace_allowance(&pace, 10.9, 0.201), 6e-3, 0.0);
  CHECK_NEAR(pace.terms.lag, 0.5, 0.0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(orders_are_read),
      cmocka_unit_test(wrong_orders_are_refused_by_name),
      cmocka_unit_test(a_frame_is_laid_out_as_the_protocol_says),
      cmocka_unit_test(contacts_are_told_apart),
      cmocka_unit_test(thinned_steps_keep_the_worst),
      cmocka_unit_test(a_slow_reader_gets_the_latest_only),
      cmocka_unit_test(orders_queue_up_to_a_bound_and_drags_replace_each_other),
      cmocka_unit_test(answers_reach_whom_they_are_for),
      cmocka_unit_test(H36_the_loop_tells_its_shares),
      cmocka_unit_test(H36_the_time_of_a_step_gives_way_and_comes_back),
      cmocka_unit_test(N17_exact_steps_have_the_scene_s_own_limit),
      cmocka_unit_test(L12_a_few_bodies_in_short_steps_are_paced_to_be_felt),
      cmocka_unit_test(L12_a_lost_clock_is_given_up_until_it_is_caught_up_with),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

// The frame of `cardhouse reproduce`: items that break are caught, results are kept and trusted only when whole, text
// stays text on the page, axes have round ticks, maps are true PNG files.
#include <png.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/whole_file.h"
#include "cardhouse/text.h"
#include "reproduce/axis.h"
#include "reproduce/findings.h"
#include "reproduce/page.h"
#include "reproduce/png.h"
#include "reproduce/runner.h"
#include "support/near.h"
#include "support/temporary.h"

static ChContext context;

// --- items of the test -----------------------------------------------------------------------------------------------

static ChStatus run_good(ChItemRun* run) {
  char path[CH_PATH_SIZE];
  snprintf(path, sizeof path, "%s/runs", run->folder);  // counts how often it was really run
  FILE* file = fopen(path, "a");
  assert_non_null(file);
  fputs("x", file);
  fclose(file);
  const double x[3] = {0.0, 1.0, NAN}, y[3] = {1.0, 2.0, 3.0}, cells[4] = {1.0, 2.0, NAN, 4.0}, range[2] = {0.0, 1.0};
  ch_report_text(run->report, "A <script>alert('%d')</script> & more.", 1);
  ch_report_row(run->report, "mass", (ChFacts){.printed = "1 kg", .ours = "1 kg", .value = {1.0, 1.0}, .factor = 1.5});
  ch_report_row(run->report, "length", (ChFacts){.printed = "2 m", .ours = "3 m", .reason = "a | in the reason"});
  ch_report_claim(run->report, "It stands.", (ChFacts){.rule = "it stands for 10 s", .met = true}, "It stood for %d s.",
                  10);
  ch_chart_line(ch_report_chart(run->report, "A line.", "x [m]", "y [m]", 0), "one", 3, x, y);
  ch_report_map(run->report, "A map.", 2, 2, cells, range, range, "x [m]", "y [m]", "value [1]", false);
  ch_item_progress(run, 0.5);
  return CH_OK;
}

static ChStatus run_crash(ChItemRun* run) {
  (void)run;
  fputs("last words\n", stderr);
  raise(SIGSEGV);
  return CH_OK;
}

static ChStatus run_refused(ChItemRun* run) {
  return ch_fail(run->context, CH_ERR_RANGE, "the scene has a negative mass");
}

static ChStatus run_unreasoned(ChItemRun* run) {
  ch_report_row(run->report, "length", (ChFacts){.printed = "2 m", .ours = "3 m", .reason = ""});
  return CH_OK;
}

static ChStatus run_endless(ChItemRun* run) {
  while (ch_item_progress(run, 0.1)) usleep(1000);
  return CH_OK;
}

static const ChItem good = {.name = "000-good",
                            .title = "good",
                            .source = "test",
                            .run = run_good,
                            .same_when_quick = true},
                    crash = {.name = "000-crash", .title = "crash", .source = "test", .run = run_crash},
                    refused = {.name = "000-refused", .title = "refused", .source = "test", .run = run_refused},
                    unreasoned = {.name = "000-unreasoned", .title = "none", .source = "test", .run = run_unreasoned},
                    endless = {.name = "000-endless", .title = "endless", .source = "test", .run = run_endless};

static ChRunner runner_of(int count, ChItemState* states) {
  static char folder[2 * CH_PATH_SIZE];
  snprintf(folder, sizeof folder, "%s/report", ch_temporary_folder);
  return (ChRunner){.folder = folder,
                    .key = {.version = "test", .build = "1234", .quick = true},
                    .jobs = 2,
                    .time_limit = 60.0,
                    .count = count,
                    .states = states};
}

static const char* last_reason(const ChItemState* state) {
  return ch_finding_at(state->result, ch_finding_count(state->result) - 1).reason;
}

static long runs_of_good(void) {
  struct stat info;
  return stat(ch_temporary_path("report/items/000-good/runs"), &info) == 0 ? (long)info.st_size : 0;
}

// --- the rule --------------------------------------------------------------------------------------------------------

static const ChFacts sound = {.printed = "2 s", .ours = "2.5 s", .value = {2.0, 2.5}, .factor = 1.5};

static ChVerdict judged(ChFacts facts) { return ch_verdict_of(&facts); }

// Every combination of what the rule asks for: reproduced is one of them.
static void reproduced_takes_all_that_the_rule_asks_for(void** state) {
  (void)state;
  for (unsigned k = 0; k < 128; ++k) {
    bool run = !(k & 1), printed = !(k & 2), setting = !(k & 4), kept = !(k & 8), equal = !(k & 16), figure = !(k & 32),
         by_figure = !(k & 64);
    ChFacts facts = {.printed = printed ? "2 s" : NULL,
                     .run = {.changed = setting ? NULL : "half as long",
                             .steps = 100,
                             .missed = kept ? 0 : 1,
                             .tolerance = 1e-8,
                             .contacts = {100.0, equal ? 105.0 : 20.0}},
                     .value = {2.0, figure ? 2.5 : 4.0},
                     .factor = by_figure ? 1.5 : 0.0,
                     .rule = "ours is not longer",
                     .met = figure,
                     .reason = "another scene",
                     .not_run = run ? NULL : "it would take a day"};
    ChVerdict expected = !run                                 ? CH_NOT_RUN
                         : !printed                           ? CH_OURS_ALONE
                         : setting && kept && equal && figure ? CH_REPRODUCED
                                                              : CH_DIFFERS;
    assert_int_equal(judged(facts), expected);
    assert_null(ch_verdict_lack(&facts));
  }
}

static void figures_are_judged_both_ways_and_never_when_unknown(void** state) {
  (void)state;
  const double near[][2] = {{2.0, 2.0}, {2.0, 3.0}, {3.0, 2.0}, {-2.0, -2.5}},
               far[][2] = {{2.0, 3.01}, {3.01, 2.0}, {2.0, -2.0}, {0.0, 0.0},     {2.0, NAN},
                           {NAN, 2.0},  {0.0, 1.0},  {2.0, 0.0},  {2.0, INFINITY}};
  ChFacts facts = sound;
  for (size_t k = 0; k < sizeof near / sizeof *near; ++k) {
    memcpy(facts.value, near[k], sizeof near[k]);
    assert_int_equal(judged(facts), CH_REPRODUCED);
  }
  for (size_t k = 0; k < sizeof far / sizeof *far; ++k) {
    memcpy(facts.value, far[k], sizeof far[k]);
    assert_int_equal(judged(facts), CH_DIFFERS);
    assert_string_equal(ch_verdict_lack(&facts), "has no reason");
  }
}

static void misses_count_unless_they_are_the_claim(void** state) {
  (void)state;
  ChFacts facts = sound;
  facts.run = (ChOurRun){.steps = 10, .missed = 1, .tolerance = 1e-8};
  assert_int_equal(judged(facts), CH_DIFFERS);
  facts.run.claimed = "the method fails";
  assert_int_equal(judged(facts), CH_REPRODUCED);
  facts.run = (ChOurRun){.fitted = "mu = 0.3"};
  assert_int_equal(judged(facts), CH_REPRODUCED);
}

static void check_words(ChFacts facts, const char* basis, const char* reason) {
  static void (*const put[])(FILE*, const ChFacts*) = {ch_verdict_put_basis, ch_verdict_put_reason};
  const char* const expected[] = {basis, reason};
  for (int k = 0; k < 2; ++k) {
    char* text = NULL;
    size_t length = 0;
    FILE* file = open_memstream(&text, &length);
    put[k](file, &facts);
    fclose(file);
    assert_string_equal(text, expected[k]);
    free(text);
  }
}

// The factor, the steps missed, what was chosen after looking and what was changed stand beside the verdict.
static void a_verdict_says_what_it_goes_by(void** state) {
  (void)state;
  ChFacts facts = sound;
  facts.run = (ChOurRun){.fitted = "mu = 0.3", .steps = 9, .tolerance = 1e-8};
  check_words(facts,
              "judged by: within a factor of 1.5 (ours is 1.2 times the printed); 0 of 9 steps missed 1e-08; chosen "
              "after looking: "
              "mu = 0.3",
              "");
  facts.run =
      (ChOurRun){.changed = "1 s of 5", .steps = 9, .missed = 2, .tolerance = 1e-8, .contacts = {2042.0, 112.0}};
  check_words(facts, "judged by: within a factor of 1.5 (ours is 1.2 times the printed); 2 of 9 steps missed 1e-08",
              "it agrees, but our run did not have its setting: 1 s of 5; 2 of 9 steps missed 1e-08; 2042 "
              "contacts printed, 112 here");
  facts.printed = NULL;
  check_words(facts, "2 of 9 steps missed 1e-08; not its setting: 1 s of 5", "the document does not print it");
  check_words((ChFacts){.printed = "falls", .rule = "it falls", .reason = "it is glued"}, "judged by: it falls",
              "it is glued");
  check_words((ChFacts){.printed = "falls", .not_run = "it takes a day"}, "", "it takes a day");
}

// --- the runner ------------------------------------------------------------------------------------------------------

static void broken_items_are_caught_and_the_others_end(void** state) {
  (void)state;
  ChItemState states[] = {{.item = &crash}, {.item = &refused}, {.item = &unreasoned}, {.item = &good}};
  ChRunner runner = runner_of(4, states);
  CHECK_OK(context, ch_runner_run(&context, &runner));
  for (int k = 0; k < 3; ++k) {
    assert_true(ch_result_failed(states[k].result));
    assert_string_equal(ch_finding_at(states[k].result, ch_finding_count(states[k].result) - 1).verdict, "not run");
  }
  assert_non_null(strstr(last_reason(&states[0]), "last words"));
  assert_string_equal(last_reason(&states[1]), "the scene has a negative mass");
  assert_non_null(strstr(last_reason(&states[2]), "has no reason"));
  assert_false(ch_result_failed(states[3].result));
  assert_int_equal(ch_finding_count(states[3].result), 3);
  ChTally tally = {0};
  ch_tally_add(&tally, states[3].result);
  assert_int_equal(tally.count[CH_REPRODUCED], 2);
  assert_int_equal(tally.count[CH_DIFFERS], 1);
  ch_runner_free(&runner);
}

static void an_endless_item_is_ended(void** state) {
  (void)state;
  ChItemState states[] = {{.item = &endless}};
  ChRunner runner = runner_of(1, states);
  runner.time_limit = 0.2;
  CHECK_OK(context, ch_runner_run(&context, &runner));
  assert_true(ch_result_failed(states[0].result));
  assert_non_null(strstr(last_reason(&states[0]), "longer than 0.2 s"));
  ch_runner_free(&runner);
}

static bool run_once(const ChResultKey* key, bool fresh) {
  ChItemState states[] = {{.item = &good}};
  ChRunner runner = runner_of(1, states);
  if (key) runner.key = *key;
  runner.fresh = fresh;
  CHECK_OK(context, ch_runner_run(&context, &runner));
  bool kept = states[0].kept;
  assert_int_equal(ch_finding_count(states[0].result), 3);
  ch_runner_free(&runner);
  return kept;
}

static void results_are_kept_for_the_same_program_and_form_only(void** state) {
  (void)state;
  run_once(NULL, true);
  long runs = runs_of_good();
  assert_true(run_once(NULL, false));
  assert_int_equal(runs_of_good(), runs);
  ChResultKey full = {.version = "test", .build = "1234", .quick = false},
              other = {.version = "test", .build = "5678", .quick = true}, none = {.version = "test", .quick = true};
  assert_false(run_once(&full, false));
  assert_false(run_once(&other, false));
  assert_false(run_once(&none, false));
  assert_false(run_once(&none, false));  // a program that cannot be told from others keeps nothing
  assert_false(run_once(NULL, false));
  assert_true(run_once(NULL, false));
  assert_false(run_once(NULL, true));
  assert_int_equal(runs_of_good(), runs + 6);
}

static void a_damaged_result_is_computed_anew(void** state) {
  (void)state;
  const char* path = ch_temporary_path("report/items/000-good.json");
  static const char* const damaged[] = {"", "{", "[1, 2]", "{\"name\": \"000-good\"}", "{\"name\": 3, \"report\": {}}"};
  for (size_t k = 0; k < sizeof damaged / sizeof *damaged; ++k) {
    CHECK_OK(context, ch_whole_file_write(&context, path, damaged[k], strlen(damaged[k])));
    assert_false(run_once(NULL, false));
  }
  assert_true(truncate(path, 100) == 0);
  assert_false(run_once(NULL, false));
  assert_true(run_once(NULL, false));
}

// Entries of wrong kinds in a result with the right key: the page holds what can be read, and nothing breaks.
static void a_strange_result_makes_a_page(void** state) {
  (void)state;
  json_t* strange = json_loads(
      "{\"name\": \"000-x\", \"report\": {\"text\": [1, null], \"choices\": [[], 3, [1, 2]], \"commands\": [{}], "
      "\"rows\": [4, {\"verdict\": 5}], \"claims\": [[]], \"figures\": [1, {\"type\": \"chart\", \"series\": [3, "
      "{\"x\": "
      "[\"a\"], \"y\": []}]}, {\"type\": \"map\", \"columns\": -1, \"rows\": 3, \"values\": []}, {\"type\": \"map\", "
      "\"columns\": 1, \"rows\": 1, \"values\": [\"a\"]}, {\"type\": \"picture\"}]}}",
      0, NULL);
  assert_non_null(strange);
  json_t* results[] = {strange};
  ChPage page = {.folder = ch_temporary_folder, .version = "test", .count = 1, .results = results, .command = "x"};
  CHECK_OK(context, ch_page_write(&context, &page));
  CHECK_OK(context, ch_validation_write(&context, &page, ch_temporary_path("strange.md")));
  json_decref(strange);
}

static char* text_of_file(const char* path, ChArena* arena) {
  ChWholeFile file;
  CHECK_OK(context, ch_whole_file_read(&context, path, true, arena, &file));
  return file.text;
}

static void text_stays_text_on_the_page(void** state) {
  (void)state;
  ChItemState states[] = {{.item = &good}};
  ChRunner runner = runner_of(1, states);
  CHECK_OK(context, ch_runner_run(&context, &runner));
  json_t* results[] = {states[0].result};
  ChPage page = {.folder = ch_temporary_folder, .version = "test", .count = 1, .results = results, .command = "a & b"};
  CHECK_OK(context, ch_page_write(&context, &page));
  CHECK_OK(context, ch_validation_write(&context, &page, ch_temporary_path("validation.md")));
  ChArena* arena = ch_arena_create(NULL);
  char* html = text_of_file(ch_temporary_path("index.html"), arena);
  assert_null(strstr(html, "<script"));
  assert_non_null(strstr(html, "A &lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt; &amp; more."));
  assert_non_null(strstr(html, "a &amp; b"));
  assert_null(strstr(html, "nan"));
  char* markdown = text_of_file(ch_temporary_path("validation.md"), arena);
  assert_non_null(strstr(markdown, "a \\| in the reason"));
  assert_non_null(strstr(markdown, "Findings: 2 reproduced, 1 differ, 0 are ours alone, 0 not run."));
  ch_arena_destroy(arena);
  ch_runner_free(&runner);
}

// --- axes and maps ---------------------------------------------------------------------------------------------------

static void ticks_are_round_and_inside(void** state) {
  (void)state;
  ChAxis a = ch_axis_make(-0.03, 1.03, false, 0.0, 100.0, 5);
  assert_int_equal(a.ticks, 6);
  assert_string_equal(a.label[1], "0.2");
  assert_string_equal(a.label[0], "0");
  CHECK_NEAR(ch_axis_place(&a, 0.5), 50.0, 1e-12);
  ChAxis b = ch_axis_make(2e-7, 3.0, true, 0.0, 100.0, 5);
  for (int k = 0; k < b.ticks; ++k) {
    assert_true(b.tick[k] >= b.low && b.tick[k] <= b.high);
    CHECK_NEAR(log10(b.tick[k]), round(log10(b.tick[k])), 1e-9);
  }
  assert_string_equal(b.label[0], "10⁻⁶");
  ChAxis c = ch_axis_make(-4e-6, 4e-6, false, 0.0, 1.0, 4);
  assert_string_equal(c.label[0], "−4×10⁻⁶");
  const double odd[][2] = {{NAN, 1.0},     {1.0, 1.0},       {0.0, 0.0}, {INFINITY, -INFINITY},
                           {1e300, 1e300}, {-1e-320, 1e-320}};
  for (size_t k = 0; k < sizeof odd / sizeof *odd; ++k)
    for (int log = 0; log < 2; ++log) {
      ChAxis d = ch_axis_make(odd[k][0], odd[k][1], log, 0.0, 1.0, 5);
      assert_true(d.low < d.high && d.ticks <= CH_TICKS_MAX);
      assert_true(isfinite(ch_axis_place(&d, d.high)));
    }
}

// Read back by the library, every cell has its colour and only those of the last one are clear.
static void maps_are_true_png_files(void** state) {
  (void)state;
  enum { WIDTH = 300, HEIGHT = 250 };
  static unsigned char cells[WIDTH * HEIGHT], colours[CH_PNG_COLOURS][3], bytes[400000], back[WIDTH * HEIGHT][4];
  for (int k = 0; k < WIDTH * HEIGHT; ++k) cells[k] = (unsigned char)(k * 7 + k / 300);
  for (int k = 0; k < CH_PNG_COLOURS; ++k) memset(colours[k], k, 3), colours[k][1] = (unsigned char)(255 - k);
  char* text = NULL;
  size_t length = 0;
  FILE* file = open_memstream(&text, &length);
  ch_png_write(file, WIDTH, HEIGHT, cells, colours);
  fclose(file);
  long size = ch_base64_decode(text, length, bytes);
  free(text);
  png_image image = {.version = PNG_IMAGE_VERSION};
  assert_true(size > 0 && png_image_begin_read_from_memory(&image, bytes, (size_t)size));
  assert_true(image.width == WIDTH && image.height == HEIGHT && image.format & PNG_FORMAT_FLAG_COLORMAP);
  image.format = PNG_FORMAT_RGBA;
  assert_true(png_image_finish_read(&image, NULL, back, 0, NULL));
  for (int k = 0; k < WIDTH * HEIGHT; ++k) {
    assert_int_equal(back[k][3], cells[k] == CH_PNG_CLEAR ? 0 : 255);
    if (cells[k] != CH_PNG_CLEAR) assert_memory_equal(back[k], colours[cells[k]], 3);
  }
}

static void every_item_is_named_once_and_after_its_document(void** state) {
  (void)state;
  for (int k = 0; k < ch_item_count(); ++k) {
    const ChItem* item = ch_item_at(k);
    assert_non_null(ch_document_title(item->name));
    assert_true(item->title[0] && item->source[0] && item->run);
    for (int j = 0; j < k; ++j) assert_string_not_equal(item->name, ch_item_at(j)->name);
  }
}

static int remove_all(void** state) {
  char command[2 * CH_PATH_SIZE];
  snprintf(command, sizeof command, "rm -rf '%s/report'", ch_temporary_folder);
  if (system(command) != 0) return -1;
  return ch_temporary_remove(state);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reproduced_takes_all_that_the_rule_asks_for),
      cmocka_unit_test(figures_are_judged_both_ways_and_never_when_unknown),
      cmocka_unit_test(misses_count_unless_they_are_the_claim),
      cmocka_unit_test(a_verdict_says_what_it_goes_by),
      cmocka_unit_test(broken_items_are_caught_and_the_others_end),
      cmocka_unit_test(an_endless_item_is_ended),
      cmocka_unit_test(results_are_kept_for_the_same_program_and_form_only),
      cmocka_unit_test(a_damaged_result_is_computed_anew),
      cmocka_unit_test(a_strange_result_makes_a_page),
      cmocka_unit_test(text_stays_text_on_the_page),
      cmocka_unit_test(ticks_are_round_and_inside),
      cmocka_unit_test(maps_are_true_png_files),
      cmocka_unit_test(every_item_is_named_once_and_after_its_document),
  };
  return cmocka_run_group_tests(tests, ch_temporary_create, remove_all);
}

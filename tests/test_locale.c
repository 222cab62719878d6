// A caller's locale with a decimal comma changes nothing that the library reads or writes.
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cardhouse/record.h"
#include "cardhouse/scene.h"
#include "scene/formula.h"
#include "support/near.h"
#include "support/temporary.h"
#include "support/worlds.h"

static ChContext context;
static bool made;

// Debian's bare systems have no locale but C's: one is made, in the test's own folder.
static int speak_german(void** state) {
  if (ch_temporary_create(state) != 0) return -1;
  char path[2 * CH_PATH_SIZE], command[4 * CH_PATH_SIZE];
  snprintf(path, sizeof path, "%s/de_DE.UTF-8", ch_temporary_folder);
  snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 %s >%s/log 2>&1", path, ch_temporary_folder);
  setenv("LOCPATH", ch_temporary_folder, 1);
  made = system(command) == 0 && setlocale(LC_ALL, "de_DE.UTF-8");
  return 0;
}

static int forget_german(void** state) {
  char command[2 * CH_PATH_SIZE];
  setlocale(LC_ALL, "C");
  snprintf(command, sizeof command, "rm -rf %s/de_DE.UTF-8", ch_temporary_folder);
  if (system(command) != 0) return -1;
  return ch_temporary_remove(state);
}

// Without the package "locales" there is nothing to test with: that is said, and counted as skipped.
static void need_comma(void) {
  char text[16];
  if (!made) {
    print_message("no German locale can be made here: the package locales is not installed\n");
    skip();
  }
  snprintf(text, sizeof text, "%g", 1.5);
  assert_string_equal(text, "1,5");
}

static void formulas_and_parameters_have_a_decimal_point(void** state) {
  (void)state;
  need_comma();
  double value = 0.0;
  char why[200] = "";
  assert_true(ch_formula_value("2 * 1.25", NULL, &value, why, sizeof why));
  assert_true(value == 2.5);
  char* text = NULL;
  const char* const parameters[][2] = {{"mu", "0.55"}};
  CHECK_OK(context, ch_scene_builtin(&context, "incline", 1, parameters, &text));
  assert_non_null(strstr(text, "0.55"));
  free(text);
}

static void tables_have_points_in_numbers_and_commas_between_them(void** state) {
  (void)state;
  need_comma();
  ChWorld* world = ch_test_world(3, 9.81, 0.4, 0.0);
  ch_test_floor(world);
  ch_test_box(world, (ChVec3){0.0, 0.0, 0.3}, (ChVec3){0.1, 0.1, 0.1});
  ChSimulationOptions options = ch_simulation_options_default();
  ChSimulation* s = ch_test_start(world, &options);
  char path[2 * CH_PATH_SIZE], head[4096], row[4096];
  snprintf(path, sizeof path, "%s/steps.csv", ch_temporary_folder);
  ChTable* table = NULL;
  CHECK_OK(context, ch_table_create(&context, path, s, false, &table));
  CHECK_OK(context, ch_simulation_step(&context, s, NULL));
  CHECK_OK(context, ch_table_add(&context, table, s));
  CHECK_OK(context, ch_table_close(&context, table));
  FILE* file = fopen(path, "r");
  assert_true(file && fgets(head, sizeof head, file) && fgets(row, sizeof row, file));
  fclose(file);
  int columns = 0, values = 0;
  for (const char* c = head; *c; ++c) columns += *c == ',';
  for (const char* c = row; *c; ++c) values += *c == ',';
  assert_int_equal(values, columns);
  assert_non_null(strchr(row, '.'));
  ch_simulation_destroy(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(formulas_and_parameters_have_a_decimal_point),
                                     cmocka_unit_test(tables_have_points_in_numbers_and_commas_between_them)};
  return cmocka_run_group_tests(tests, speak_german, forget_german);
}

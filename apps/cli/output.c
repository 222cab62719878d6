// Shared printing: see output.h.
#include "cli/output.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

double ch_plain_nan(double value) { return isnan(value) ? NAN : value; }

static json_t* laws_of(const ChProblem* problem) {
  json_t* laws = json_array();
  for (int law = 0; law < ch_law_count(); ++law)
    if (ch_problem_count(problem, (ChLaw)law) > 0)
      json_array_append_new(laws, json_string(ch_law_info((ChLaw)law)->name));
  return laws;
}

json_t* ch_json_certificate(const ChCertificate* certificate, const ChProblem* problem) {
  json_t* object = json_object();
  if (problem) json_object_set_new(object, "laws", laws_of(problem));
#define X(name, text) json_object_set_new(object, #name, ch_json_real(certificate->name));
  CH_CERTIFICATE_FIELDS(X)
#undef X
  return object;
}

json_t* ch_json_problem(const char* path, const ChProblem* problem) {
  const ChProblemView view = ch_problem_view(problem), *p = &view;
  bool global = p->form == CH_FORM_GLOBAL;
  json_t* object = json_object();
  json_object_set_new(object, "file", ch_json_path(path));
  json_object_set_new(object, "form", json_string(global ? "global" : "local"));
  json_object_set_new(object, "dimension", json_integer(p->dimension));
  for (int law = 0; law < ch_law_count(); ++law)
    json_object_set_new(object, ch_law_info((ChLaw)law)->plural, json_integer(ch_problem_count(problem, (ChLaw)law)));
  json_object_set_new(object, "dof", json_integer(global ? p->dof : p->rows));
  json_object_set_new(object, "rows", json_integer(p->rows));
  json_object_set_new(object, "asymmetry", ch_json_real(p->asymmetry));
  return object;
}

ChExit ch_json_print(const ChCommand* command, json_t* object) {
  char* text = object ? ch_json_harmless(object, JSON_INDENT(2) | JSON_REAL_PRECISION(12)) : NULL;
  json_decref(object);
  if (!text) {
    ch_complain(command, "out of memory while printing JSON");
    return CH_EXIT_FAULT;
  }
  puts(text);
  free(text);
  return CH_EXIT_DONE;
}

ChExit ch_file_close(const ChCommand* command, const char* option, const char* path, FILE* file) {
  errno = 0;
  bool whole = !ferror(file);
  if (fclose(file) == 0 && whole) return CH_EXIT_DONE;
  ch_complain(command, "%s %s: could not be written: %s", option, path, strerror(errno ? errno : EIO));
  return CH_EXIT_FAULT;
}

ChExit ch_failure_exit(const ChCommand* command, const ChContext* context, ChStatus status) {
  const char* message = context->message[0] ? context->message : ch_status_text(status);
  ch_complain(command, "%s", message);
  return ch_failure_status(status);
}

ChExit ch_failure_status(ChStatus status) {
  bool fault = status == CH_ERR_MEMORY || status == CH_ERR_NUMERIC || status == CH_ERR_DEVICE;
  return fault ? CH_EXIT_FAULT : CH_EXIT_USAGE;
}

static void append(char* text, size_t size, const char* format, ...) __attribute__((format(printf, 3, 4)));
static void append(char* text, size_t size, const char* format, ...) {
  size_t used = strlen(text);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text + used, size - used, format, arguments);
  va_end(arguments);
}

ChExit ch_viewer_missing(const ChCommand* command) {
  ch_complain(command, "this program was built without the viewer, which needs libwebsockets and zlib");
  return CH_EXIT_USAGE;
}

void ch_problem_describe_laws(const ChProblem* problem, char* text, size_t size) {
  text[0] = '\0';
  for (int law = 0; law < ch_law_count(); ++law)
    if (ch_problem_count(problem, (ChLaw)law) > 0)
      append(text, size, "%s%s", text[0] ? ", " : "", ch_law_info((ChLaw)law)->name);
}

void ch_problem_describe(const ChProblem* problem, char* text, size_t size) {
  const ChProblemView view = ch_problem_view(problem);
  bool global = view.form == CH_FORM_GLOBAL;
  snprintf(text, size, "%s form %s", global ? "global" : "local", view.dimension == 2 ? "in the plane" : "in space");
  for (int law = 0; law < ch_law_count(); ++law) {
    const ChLawInfo* info = ch_law_info((ChLaw)law);
    int count = ch_problem_count(problem, (ChLaw)law);
    if (count) append(text, size, ", %d %s", count, count == 1 ? info->name : info->plural);
  }
  append(text, size, ", %d rows", view.rows);
  if (global) append(text, size, ", %d degrees of freedom", view.dof);
}

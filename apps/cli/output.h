// What the subcommands share in printing: JSON that stays valid, numbers, failures as exit statuses.
#ifndef CH_CLI_OUTPUT_H
#define CH_CLI_OUTPUT_H

#include <stdio.h>

#include "cardhouse/certificate.h"
#include "cardhouse/problem.h"
#include "cli/arguments.h"
#include "common/json.h"

// The same number; a NaN loses its sign, which printf would show and nobody can read anything from.
double ch_plain_nan(double value);

json_t* ch_json_problem(const char* path, const ChProblem* problem);
// With the names of the laws that it grades; NULL: without.
json_t* ch_json_certificate(const ChCertificate* certificate, const ChProblem* problem);

// Prints the object on standard output and gives it up. CH_EXIT_FAULT when it was not whole (out of memory).
ChExit ch_json_print(const ChCommand* command, json_t* object);

// Closes a file that an option named. Complains, and says CH_EXIT_FAULT, when not all of it was written.
ChExit ch_file_close(const ChCommand* command, const char* option, const char* path, FILE* file);

// Complains with the context's message and says which exit status the failure deserves.
ChExit ch_failure_exit(const ChCommand* command, const ChContext* context, ChStatus status);
// The same without a word.
ChExit ch_failure_status(ChStatus status);

// Complains that the program was built without the viewer, and what that takes.
ChExit ch_viewer_missing(const ChCommand* command);

// The names of the laws that blocks of the problem obey: "contact, limit".
void ch_problem_describe_laws(const ChProblem* problem, char* text, size_t size);

// "global form in space: 82 contacts, 3 bilaterals, 450 degrees of freedom"
void ch_problem_describe(const ChProblem* problem, char* text, size_t size);

#endif

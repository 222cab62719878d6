// Scenes of 004, chapter 7, as an item measures them: step after step, with certified rest off.
#ifndef CH_REPRODUCE_SUBJECT_H
#define CH_REPRODUCE_SUBJECT_H

#include "reproduce/play.h"

enum { CH_SUBJECT_PARAMETERS = 5 };

typedef struct ChSubject {
  const char* name;  // as the report calls it
  const char* scene;
  const char* parameters[CH_SUBJECT_PARAMETERS][2];  // up to the first without a name
  double h;
} ChSubject;

// The scene with the subject's step and without certified rest.
ChStatus ch_subject_open(ChItemRun* run, const ChSubject* subject, ChScene** out);

// "cardhouse run cards --h 0.001", or through `cardhouse scene` where there are parameters; lives as the report does.
const char* ch_subject_command(ChItemRun* run, const ChSubject* subject, const char* options);

// The document's setting: nothing is stabilised (s7.2), eight tangents (Table 7.1).
void ch_subject_as_printed(ChSimulationOptions* options);

// How a scene of chapter 7 was run otherwise, for the facts of its findings: its steps, and that they are stabilised
// here and were not in the document (s7.2).
ChOurRun ch_subject_run(const ChSummary* summary, double tolerance);

// A number of contacts is the printed one when they differ by a tenth at most; the same for all items.
bool ch_subject_same_contacts(double ours, double printed);

#endif

// See subject.h.
#include "reproduce/subject.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static int count_parameters(const ChSubject* subject) {
  int count = 0;
  while (count < CH_SUBJECT_PARAMETERS && subject->parameters[count][0]) ++count;
  return count;
}

ChStatus ch_subject_open(ChItemRun* run, const ChSubject* subject, ChScene** out) {
  ChStatus status = ch_item_scene(run, subject->scene, count_parameters(subject), subject->parameters, out);
  if (status != CH_OK) return status;
  (*out)->options.h = subject->h;
  (*out)->options.rest = false;
  return CH_OK;
}

const char* ch_subject_command(ChItemRun* run, const ChSubject* subject, const char* options) {
  char parameters[256] = "";
  int count = count_parameters(subject);
  for (int k = 0; k < count; ++k) {
    size_t used = strlen(parameters);
    snprintf(parameters + used, sizeof parameters - used, " --%s %s", subject->parameters[k][0],
             subject->parameters[k][1]);
  }
  if (count == 0) return ch_report_say(run->report, "cardhouse run %s --h %g %s", subject->scene, subject->h, options);
  return ch_report_say(run->report, "cardhouse scene %s%s | cardhouse run - --h %g %s", subject->scene, parameters,
                       subject->h, options);
}

void ch_subject_as_printed(ChSimulationOptions* options) {
  options->stabilization = CH_STABILIZE_OFF;
  options->cone_sides = 8;
}

ChOurRun ch_subject_run(const ChSummary* summary, double tolerance) {
  return (ChOurRun){.steps = summary->steps,
                    .missed = summary->missed,
                    .tolerance = tolerance,
                    .changed =
                        "gaps are stabilised and cones are round; the document stabilises nothing and has eight "
                        "tangents"};
}

bool ch_subject_same_contacts(double ours, double printed) { return fabs(ours / printed - 1.0) < 0.1; }

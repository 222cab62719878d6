// The comparison of Coulomb's law with the pyramid law over many grasps (003, section 4.2): work, quality, agreement.
#include <math.h>
#include <stdio.h>

#include "mcp/grasp.h"

static const char* const models[CH_GRASP_FORMS] = {"grasp-sliding", "grasp-coulomb", "grasp-pyramid"};

static void count_work(ChGraspColumn* column, const ChMcpInfo* info) {
  column->it_box += (double)info->box.it_box;
  column->fe += (double)info->box.fe;
  column->it_qua += (double)info->box.it_qua;
  column->mvp += (double)info->box.mvp;
  column->seconds += info->seconds;
  column->slowest = fmax(column->slowest, info->seconds);
  if (column->solved == 1 || info->seconds < column->fastest) column->fastest = info->seconds;
  double digits = info->box.value > 0.0 ? floor(-log10(info->box.value)) : CH_GRASP_CLASSES;
  column->histogram[digits < 0.0 ? 0 : digits < CH_GRASP_CLASSES - 1 ? (int)digits : CH_GRASP_CLASSES - 1] += 1;
}

static void count_quality(ChGraspColumn* column, const ChGraspContact* contacts) {
  for (int i = 0; i < CH_GRASP_CONTACTS; ++i) {
    bool slides = contacts[i].transition == CH_SLIDES;
    column->slides[i] += slides;
    column->opposed[i] += contacts[i].opposed;
    column->opposed_sliding[i] += slides && contacts[i].opposed;
    column->outside[i] += contacts[i].outside;
  }
}

static ChStatus solve_form(ChContext* context, int form, int seed, const ChMcpOptions* options, ChGraspColumn* column,
                           double* x) {
  char words[64];
  ChMcp* mcp;
  ChMcpInfo info;
  snprintf(words, sizeof words, "%s:seed=%d", models[form], seed);
  ChStatus status = ch_mcp_model_create(context, words, &mcp);
  if (status == CH_OK) status = ch_mcp_solve(context, mcp, options, x, &info);
  ch_mcp_destroy(mcp);
  if (status != CH_OK) return status;
  ++column->solved;
  column->first += info.runs == 1;
  count_work(column, &info);
  return status;
}

ChStatus ch_grasp_study_add(ChContext* context, int seed, const ChMcpOptions* options, ChGraspStudy* study) {
  ++study->seeds;
  ChGrasp grasp = ch_grasp_make(seed);
  double x[32], c[CH_GRASP_ROWS];
  ChGraspContact judged[CH_GRASP_FORMS][CH_GRASP_CONTACTS];
  bool solved[CH_GRASP_FORMS];
  for (int form = 0; form < CH_GRASP_FORMS; ++form) {
    ChStatus status = solve_form(context, form, seed, options, &study->column[form], x);
    if (status == CH_ERR_MEMORY) return status;
    solved[form] = status == CH_OK;
    if (!solved[form] || form == CH_GRASP_SLIDING) continue;
    if (form == CH_GRASP_COULOMB)
      ch_grasp_coulomb_forces(x, c);
    else
      ch_grasp_pyramid_forces(&grasp, x, c);
    ch_grasp_judge(&grasp, c, judged[form]);
    count_quality(&study->column[form], judged[form]);
  }
  if (solved[CH_GRASP_COULOMB] && solved[CH_GRASP_PYRAMID]) {
    ++study->both;
    for (int i = 0; i < CH_GRASP_CONTACTS; ++i)
      study->agree[i] += judged[CH_GRASP_COULOMB][i].transition == judged[CH_GRASP_PYRAMID][i].transition;
  }
  return CH_OK;
}

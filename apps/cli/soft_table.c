// See soft_table.h.
#include "cli/soft_table.h"

#include <math.h>
#include <stdio.h>

#include "cardhouse/soft.h"
#include "common/by_row.h"
#include "common/json.h"
#include "common/printable.h"

typedef struct Kin {
  ChSoftView soft;
  int first, count;  // of the bodies that have it
  double low, high;  // Hz
} Kin;

static const char* const models[] = {[CH_SOFT_MODAL] = "modal", [CH_SOFT_STVK] = "stvk"};

// The bodies from `body` on that no earlier one is kin to; false when there are no more.
static bool next_kin(const ChWorld* world, int body, Kin* kin) {
  for (; body < ch_world_body_count(world); ++body) {
    ChSoftView soft, other;
    if (!ch_world_soft(world, body, &soft)) continue;
    int before = 0, all = 0;
    for (int b = 0; b < ch_world_body_count(world); ++b) {
      if (!ch_world_soft(world, b, &other) || other.skin != soft.skin) continue;
      ++all;
      before += b < body;
    }
    if (before > 0) continue;
    *kin = (Kin){.soft = soft, .first = body, .count = all, .low = INFINITY};
    for (int a = 0; a < soft.modes; ++a) {
      kin->low = fmin(kin->low, soft.frequency[a] / (2.0 * M_PI));
      kin->high = fmax(kin->high, soft.frequency[a] / (2.0 * M_PI));
    }
    return true;
  }
  return false;
}

void ch_soft_print(const ChWorld* world, const char* head) {
  Kin k;
  for (int body = 0; next_kin(world, body, &k); body = k.first + 1)
    printf("%s%d deformable bod%s (%s%s): %s, %d modes from %.3g to %.3g Hz, %s%d vertices of the skin\n", head,
           k.count, k.count == 1 ? "y" : "ies", CH_SHOWN(ch_row_name(world, k.first)), k.count == 1 ? "" : " ...",
           models[k.soft.kind], k.soft.modes, k.low, k.high, k.soft.clamped ? "clamped, " : "",
           k.soft.skin->vertex_count);
}

static json_t* frequencies(const ChSoftView* soft) {
  json_t* list = json_array();
  for (int a = 0; a < soft->modes; ++a) json_array_append_new(list, ch_json_real(soft->frequency[a] / (2.0 * M_PI)));
  return list;
}

json_t* ch_soft_json(const ChWorld* world) {
  json_t* list = NULL;
  Kin k;
  for (int body = 0; next_kin(world, body, &k); body = k.first + 1) {
    if (!list) list = json_array();
    json_array_append_new(
        list,
        json_pack("{s:s, s:i, s:s, s:i, s:b, s:o, s:o, s:i}", "first", ch_row_name(world, k.first), "bodies", k.count,
                  "model", models[k.soft.kind], "modes", k.soft.modes, "clamped", k.soft.clamped, "frequency",
                  json_pack("{s:o, s:o}", "lowest", ch_json_real(k.low), "highest", ch_json_real(k.high)),
                  "frequencies", frequencies(&k.soft), "vertices", k.soft.skin->vertex_count));
  }
  return list;
}

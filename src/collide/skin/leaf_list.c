// See leaf_list.h.
#include "collide/skin/leaf_list.h"

#include <stdlib.h>
#include <string.h>

static const double STEPS = 8.0;  // for which a list is to last, if all goes on as fast
static const double SPARE = 0.5;  // of the margin, that it covers beyond

// No point of a skin has moved by more since.
static double bent(const ChSkin* skin, const double* form) {
  double sum = 0.0;
  for (int a = 0; a < skin->tree->soft->modes; ++a) sum += fabs(skin->q[a] - form[a]) * skin->tree->reach[a];
  return sum;
}

bool ch_leaf_list_covers(ChLeafList* list, const ChSampling* s, const ChSkin* skin, double margin) {
  if (!(list->covered > 0.0)) return false;
  double turned2 = 0.0;
  for (int i = 0; i < 9; ++i) {
    double d = s->turn.m[i / 3][i % 3] - list->turn.m[i / 3][i % 3];
    turned2 += d * d;
  }
  double moved = ch_norm(ch_sub(s->shift, list->shift)) + sqrt(turned2) * list->bound + bent(skin, list->form[0]);
  list->empty.bent = s->probe.posed->skin ? (1.0 + 1e-9) * bent(s->probe.posed->skin, list->form[1]) : 0.0;
  moved += list->empty.bent;
  list->moved = moved * (1.0 + 1e-9) + 1e-12 * (list->bound + ch_norm(s->shift));
  return margin + list->moved <= list->covered;
}

static void copy_form(const ChSkin* skin, double* form) {
  memcpy(form, skin->q, (size_t)skin->tree->soft->modes * sizeof *form);
}

bool ch_leaf_list_begin(ChLeafList* list, const ChSampling* s, const ChSkin* skin, const ChClosing* closing) {
  double more = STEPS * (closing->most - closing->least) + SPARE * closing->least;
  list->covered = 0.0;
  list->empty.count = 0, list->empty.bent = 0.0;
  if (!(more > 0.0 && more < skin->tree->grain)) return false;
  list->covered = closing->most + more, list->moved = 0.0;
  list->turn = s->turn, list->shift = s->shift, list->bound = skin->bound;
  copy_form(skin, list->form[0]);
  if (s->probe.posed->skin) copy_form(s->probe.posed->skin, list->form[1]);
  list->count = list->other_count = 0;
  return true;
}

static bool make_room(int count, int* room, void** array, size_t size) {
  if (count <= *room) return true;
  int wanted = 2 * count > 64 ? 2 * count : 64;
  void* grown = realloc(*array, (size_t)wanted * size);
  if (!grown) return false;
  *array = grown, *room = wanted;
  return true;
}

void ch_leaf_list_add(ChLeafList* list, const ChNearLeaf* leaf, const int* others) {
  void *leaves = list->leaves, *nodes = list->others;
  bool fits = make_room(list->count + 1, &list->room, &leaves, sizeof *list->leaves) &&
              make_room(list->other_count + leaf->count, &list->other_room, &nodes, sizeof *list->others);
  list->leaves = leaves, list->others = nodes;
  if (!fits) list->covered = 0.0;
  if (!(list->covered > 0.0)) return;
  list->leaves[list->count] = *leaf;
  list->leaves[list->count++].first = list->other_count;
  if (leaf->count) memcpy(list->others + list->other_count, others, (size_t)leaf->count * sizeof *others);
  list->other_count += leaf->count;
}

void ch_leaf_list_add_pair(ChLeafList* list, int first, int second) {
  void* pairs = list->pairs;
  if (!make_room(list->pair_count + 1, &list->pair_room, &pairs, sizeof *list->pairs)) list->covered = 0.0;
  list->pairs = pairs;
  if (!(list->covered > 0.0)) return;
  list->pairs[list->pair_count][0] = first;
  list->pairs[list->pair_count++][1] = second;
}

void ch_leaf_list_free(ChLeafList* list) {
  free(list->pairs);
  free(list->leaves);
  free(list->others);
}

// Fuzz target: any text at all, read as an order from a page. `fuzz_order --seeds FOLDER` writes a corpus to start
// from.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "serve/page_order.h"

int LLVMFuzzerInitialize(int* argc, char*** argv);
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static const char* const texts[] = {
    "{\"type\":\"load\",\"scene\":\"cards\",\"parameters\":{\"levels\":3,\"mu\":0.5,\"form\":\"catenary\"}}",
    "{\"type\":\"run\"}",
    "{\"type\":\"pause\"}",
    "{\"type\":\"step\"}",
    "{\"type\":\"reset\"}",
    "{\"type\":\"speed\",\"value\":0.5}",
    "{\"type\":\"set\",\"name\":\"mu\",\"value\":0.5}",
    "{\"type\":\"set\",\"name\":\"gravity\",\"value\":[0,0,-9.81]}",
    "{\"type\":\"set\",\"name\":\"h\",\"value\":1e-3}",
    "{\"type\":\"set\",\"name\":\"tolerance\",\"value\":1e-8}",
    "{\"type\":\"set\",\"name\":\"limit\",\"value\":0.1}",
    "{\"type\":\"set\",\"name\":\"method\",\"value\":\"pgs\",\"pane\":1}",
    "{\"type\":\"set\",\"name\":\"cone\",\"value\":\"polygon:8\"}",
    "{\"type\":\"set\",\"name\":\"rest\",\"value\":true}",
    "{\"type\":\"drag\",\"pane\":0,\"body\":3,\"local\":[0,0,0],\"target\":[1,2,3]}",
    "{\"type\":\"drag\",\"body\":0,\"local\":[0,0,0],\"target\":[1,2,3],\"triangle\":5,\"weights\":[0.5,0.25,0.25]}",
    "{\"type\":\"release\"}",
    "{\"type\":\"shoot\",\"origin\":[0,0,1],\"direction\":[1,0],\"speed\":5,\"mass\":1,\"size\":0.1}",
    "{\"type\":\"inspect\",\"body\":1}",
    "{\"type\":\"inspect\",\"contact\":1,\"pane\":1}",
    "{\"type\":\"compare\",\"methods\":[\"pgs\",\"auto\"]}",
    "{\"type\":\"seek\",\"time\":1.5}",
};

static void write_seed(const char* folder, int number, const char* text) {
  char name[4096];
  snprintf(name, sizeof name, "%s/seed-%d.json", folder, number);
  FILE* file = fopen(name, "w");
  if (!file || fputs(text, file) < 0 || fclose(file) != 0) {
    perror(name);
    exit(1);
  }
}

int LLVMFuzzerInitialize(int* argc, char*** argv) {
  if (*argc != 3 || strcmp((*argv)[1], "--seeds") != 0) return 0;
  for (int k = 0; k < (int)(sizeof texts / sizeof *texts); ++k) write_seed((*argv)[2], k, texts[k]);
  exit(0);
}

// A refusal says why; an order that was understood has numbers that are numbers and words that end.
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  char* text = malloc(size > 0 ? size : 1);  // exactly as long as the text, so that a read beyond it is seen
  if (!text) return 0;
  if (size > 0) memcpy(text, data, size);
  ChContext context = {0};
  ChOrder order;
  ChStatus status = ch_order_parse(&context, text, size, &order);
  free(text);
  if (status != CH_OK) {
    if (context.message[0] == '\0') abort();
    return 0;
  }
  bool fine = isfinite(order.value) && isfinite(order.mass) && isfinite(order.size) && ch_vec_finite(order.local) &&
              ch_vec_finite(order.target) && ch_vec_finite(order.origin) && ch_vec_finite(order.direction) &&
              ch_vec_finite(order.vector) && order.pane >= -1 && order.pane < CH_PANES_MAX && order.body >= -1 &&
              order.contact >= -1 && order.parameter_count >= 0 && order.parameter_count <= CH_ORDER_PARAMETERS_MAX &&
              order.method_count >= 0 && order.method_count <= CH_PANES_MAX && order.client == 0 &&
              memchr(order.word, 0, sizeof order.word) && order.triangle >= -1;
  for (int k = 0; k < 3; ++k) fine = fine && fabs(order.weights[k]) <= 1.01;
  for (int k = 0; k < order.parameter_count; ++k)
    fine = fine && memchr(order.parameters[k][0], 0, CH_ORDER_WORD) && memchr(order.parameters[k][1], 0, CH_ORDER_WORD);
  for (int k = 0; k < order.method_count; ++k) fine = fine && memchr(order.methods[k], 0, CH_ORDER_WORD);
  if (!fine) abort();
  return 0;
}

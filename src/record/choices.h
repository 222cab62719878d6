// What a run was told, as text: one line "name value" a choice that the motion depends on.
#ifndef CH_RECORD_CHOICES_H
#define CH_RECORD_CHOICES_H

#include <stddef.h>
#include <stdint.h>

#include "cardhouse/simulation.h"

// FNV-1a: tells damaged bytes, or other ones, from those that were there. Begins with CH_SUM_START.
#define CH_SUM_START 0xcbf29ce484222325u
uint64_t ch_sum_bytes(uint64_t sum, const void* bytes, size_t size);

// The choices of a simulation; the caller frees the text. NULL: out of memory.
char* ch_choices_text(const ChSimulation* simulation);
// "h was 0.001, is 0.002; ..." of two such texts, the first one not terminated; NULL where they are the same. The
// caller frees it.
char* ch_choices_compare(const char* before, size_t size, const char* now);
// Stands for the corners of all shapes: a mesh file that was changed changes it.
uint64_t ch_shapes_sum(const ChSimulation* simulation);

#endif

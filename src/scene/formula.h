// Formulas: texts that begin with '=' stand for numbers, in terms of a scene's parameters.
//
//   sum      = product { ("+" | "-") product }        product = power { ("*" | "/") power }
//   power    = "-" power | primary [ "^" power ]
//   primary  = number | name | function "(" sum ")" | "(" sum ")"
//
// Functions: sqrt, abs, sin, cos, tan, asin, acos, atan (angles in radian); the constant pi.
#ifndef CH_SCENE_FORMULA_H
#define CH_SCENE_FORMULA_H

#include "scene/reader.h"

// `text` without its '='; `parameters` maps names to numbers, or is NULL. False, with a sentence in `why`, when it is
// no formula or its value is not finite.
bool ch_formula_value(const char* text, const json_t* parameters, double* out, char* why, size_t size);

// Evaluates "parameters" from top to bottom, then replaces every formula of the document by its value.
bool ch_formulas_resolve(ChReader* reader, json_t* root);

#endif

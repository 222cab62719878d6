// The two non-smooth maps of Newton methods and their derivatives, block by block.
//
//   Alart-Curnier  x = r - rho u          y_n = max(0, x_n),  y_T = projection of x_T on the disc of radius mu y_n
//   De Saxce       x = r - rho û          y = P_K(x),  û = u + mu |u_T| n
//
// A root of y - r is a solution in either. Other sets than the cone have one map, the projection.
#ifndef CH_SOLVE_CONTACT_CONTACT_MAP_H
#define CH_SOLVE_CONTACT_CONTACT_MAP_H

#include <stdbool.h>

#include "system/system.h"

typedef enum ChMap { CH_MAP_ALART_CURNIER, CH_MAP_DE_SAXCE } ChMap;

// y(x) of block i
static inline void ch_map_value(const ChSystem* s, ChMap map, int i, const double* x, double* y) {
  const ChScaledBlock* b = &s->block[i];
  (map == CH_MAP_ALART_CURNIER ? b->law->alart_curnier : b->law->project)(b, x, y);
}

// D = dy/dx of block i, row-major; an element of Clarke's Jacobian
static inline void ch_map_derivative(const ChSystem* s, ChMap map, int i, const double* x, double* D) {
  const ChScaledBlock* b = &s->block[i];
  (map == CH_MAP_ALART_CURNIER ? b->law->alart_curnier_derivative : b->law->derivative)(b, x, D);
}

#endif

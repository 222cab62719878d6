// Sections of friction that are drawn: hulls of points round the origin.
#ifndef CH_SUPPORT_SECTIONS_H
#define CH_SUPPORT_SECTIONS_H

#include <math.h>
#include <string.h>

#include "cardhouse/problem.h"
#include "support/near.h"
#include "support/random.h"

// 3 to 9 points on an ellipse, shifted by less than its axes: the origin stays within nearly always, else draws again.
static inline ChFrictionSection ch_draw_section(ChRandom* random, double size) {
  ChFrictionSection section;
  ChStatus status;
  do {
    double point[9][2];
    const int count = 3 + (int)(ch_random_bits(random) % 7u);
    const double wide = size * ch_random_uniform(random, 0.3, 1.0), deep = size * ch_random_uniform(random, 0.3, 1.0);
    const double x = wide * ch_random_uniform(random, -0.5, 0.5), y = deep * ch_random_uniform(random, -0.5, 0.5);
    for (int k = 0; k < count; ++k) {
      const double angle = 2.0 * acos(-1.0) * ch_random_uniform(random, 0.0, 1.0);
      point[k][0] = x + wide * cos(angle), point[k][1] = y + deep * sin(angle);
    }
    status = ch_friction_section_make(NULL, "drawn", count, (const double(*)[2])point, &section);
  } while (status != CH_OK);
  return section;
}

#endif

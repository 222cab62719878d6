// Sections of friction, checked: see cardhouse/friction_section.h.
#ifndef CH_BASE_FRICTION_SECTION_H
#define CH_BASE_FRICTION_SECTION_H

#include "cardhouse/friction_section.h"

#define CH_FRICTION_MOST 1e8  // largest coefficient of friction

// Refuses what ch_friction_section_make would not have made.
ChStatus ch_friction_section_check(ChContext* context, const char* what, const ChFrictionSection* section);

#endif

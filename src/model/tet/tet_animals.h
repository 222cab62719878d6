// Animals as smoothly blended ellipsoids and tapered capsules: solids for tet_stuffing.h.
#ifndef CH_MODEL_TET_TET_ANIMALS_H
#define CH_MODEL_TET_TET_ANIMALS_H

#include "model/tet/tet_stuffing.h"

// A sauropod with a long neck and a tail; a sitting rabbit with ears. They look along x and stand on z = 0; about one
// unit long.
extern const ChTetSolid ch_tet_dino, ch_tet_rabbit;

#endif

// Everything that libcardhouse offers.
#ifndef CARDHOUSE_H
#define CARDHOUSE_H

#include "cardhouse/analysis.h"
#include "cardhouse/body.h"
#include "cardhouse/certificate.h"
#include "cardhouse/clock.h"
#include "cardhouse/delassus.h"
#include "cardhouse/dense.h"
#include "cardhouse/diagnostics.h"
#include "cardhouse/disk.h"
#include "cardhouse/files.h"
#include "cardhouse/friction_matrix.h"
#include "cardhouse/geometry.h"
#include "cardhouse/id.h"
#include "cardhouse/memory.h"
#include "cardhouse/problem.h"
#include "cardhouse/query.h"
#include "cardhouse/random.h"
#include "cardhouse/record.h"
#include "cardhouse/scene.h"
#include "cardhouse/simulation.h"
#include "cardhouse/solve.h"
#include "cardhouse/sparse.h"
#include "cardhouse/status.h"
#include "cardhouse/tetrahedra.h"
#include "cardhouse/text.h"
#include "cardhouse/union_find.h"
#include "cardhouse/version.h"
#include "cardhouse/world.h"

#endif

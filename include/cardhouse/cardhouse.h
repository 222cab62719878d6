// Everything that libcardhouse offers.
#ifndef CARDHOUSE_H
#define CARDHOUSE_H

#include "cardhouse/analysis.h"
#include "cardhouse/certificate.h"
#include "cardhouse/diagnostics.h"
#include "cardhouse/files.h"
#include "cardhouse/friction_matrix.h"
#include "cardhouse/geometry.h"
#include "cardhouse/id.h"
#include "cardhouse/problem.h"
#include "cardhouse/record.h"
#include "cardhouse/scene.h"
#include "cardhouse/simulation.h"
#include "cardhouse/solve.h"
#include "cardhouse/status.h"
#include "cardhouse/world.h"

#define CH_VERSION "0.1.0"

#endif

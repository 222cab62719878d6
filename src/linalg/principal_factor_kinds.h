// The two ways of keeping a principal factor: see principal_factor.h.
#ifndef CH_LINALG_PRINCIPAL_FACTOR_KINDS_H
#define CH_LINALG_PRINCIPAL_FACTOR_KINDS_H

#include "linalg/principal_factor.h"

typedef struct ChGivensFactor ChGivensFactor;

ChGivensFactor* ch_givens_factor_create(ChArena* arena, int n, int rank_max);
void ch_givens_factor_solve(ChGivensFactor* factor, const double* b, double* x);
// column = A_:p as a full vector, of which the rows that are in are read
double ch_givens_factor_probe(ChGivensFactor* factor, const double* column, double diagonal, double* d);
void ch_givens_factor_add(ChGivensFactor* factor, int p, double schur);
void ch_givens_factor_drop(ChGivensFactor* factor, int p);

typedef struct ChRowFactor ChRowFactor;

ChRowFactor* ch_row_factor_create(ChArena* arena, const ChSparse* A);
void ch_row_factor_solve(ChRowFactor* factor, const unsigned char* in, const double* b, double* x);
void ch_row_factor_add(ChRowFactor* factor, const unsigned char* in, int p);
void ch_row_factor_drop(ChRowFactor* factor, int p);

#endif

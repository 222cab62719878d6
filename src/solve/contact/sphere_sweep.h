// Gauss-Seidel sweeps with momentum over contacts of spheres, four contacts at a time.
//
// The arm of a sphere's contact lies along its normal n, so that with F = (n, t_1, t_2) and the spin about axes of
// space
//
//   u = g F^T (v_b - v_a + n x (l_a w_a + l_b w_b)) + q + C r,      W_ii = diag(n, t, t)
//
// and a visit needs n and five numbers instead of 36: it is three times as fast as one of body_sweep.h. Contacts are
// sorted by colours: no two of a colour share a body, so that four of them are solved side by side in vector registers,
// and runs of a colour by several threads. Colours follow from the list of contacts alone and sums are taken in a
// fixed order: the answer has the same bits for any number of threads.
//
//   y = x + beta (x - x of the sweep before),   x+ = sweep(y)
//
// Where contacts yield, four of them that carried nothing and still carry nothing after a visit are passed by for a few
// sweeps. A look at the error sees them all.
#ifndef CH_SOLVE_CONTACT_SPHERE_SWEEP_H
#define CH_SOLVE_CONTACT_SPHERE_SWEEP_H

#include "base/vector.h"
#include "system/system.h"

typedef struct ChSphereSweep ChSphereSweep;

// Starts at r. NULL where some block is no contact of one or two spheres, with friction or without, or a body has too
// many to colour. r = NULL starts at zero.
ChSphereSweep* ch_sphere_sweep_create(ChArena* arena, const ChSystem* system, const double* r, int threads);

// One sweep from y; returns |x+ - y|^2. x+ - y goes to `kept` where that is not NULL: ch_sphere_sweep_size numbers,
// aligned to 32 bytes, in an order of the sweep's own.
double ch_sphere_sweep_run(ChSphereSweep* sweep, double beta, double* kept);

// (x+ - y) . (x - x before) of the last sweep: negative where momentum led too far.
double ch_sphere_sweep_along(const ChSphereSweep* sweep);

// How many threads the next sweep would take: passes beside it may take as many.
int ch_sphere_sweep_threads(const ChSphereSweep* sweep);
// The same over bundles that were made elsewhere, which lie in the units of their problem, colour by colour: others may
// change the velocities of balls between two colours. Starts where the balls are.
struct ChSphereBundles;
ChSphereSweep* ch_sphere_sweep_of(ChArena* arena, const struct ChSphereBundles* bundles);
// All balls from x to y; then each colour in turn; then the end of the sweep.
void ch_sphere_sweep_begin(ChSphereSweep* sweep, double beta);
// Adds |x+ - y|^2 and (x+ - y) . (x - x before) to sums, in whole multiples of 1 / scale: so they do not depend on the
// order of the contacts, as long as they stay below 2^52 of these.
void ch_sphere_sweep_color(ChSphereSweep* sweep, int color, double beta, double scale, double sums[2]);
void ch_sphere_sweep_close(ChSphereSweep* sweep);
// Which of the two reactions of a bundle is x.
int ch_sphere_sweep_turn(const ChSphereSweep* sweep);
// The balls were put where their velocities belong: momentum takes no part in it.
void ch_sphere_sweep_correct(ChSphereSweep* sweep, int ball, ChVec3 velocity, ChVec3 spin);

// x as reactions of the system.
void ch_sphere_sweep_read(const ChSphereSweep* sweep, double* r);

// Velocities of the balls anew from x: what visits add to them gathers round-off.
void ch_sphere_sweep_refresh(ChSphereSweep* sweep);

// After ch_sphere_sweep_refresh only: u + C r of the system at x, from the velocities of the balls, and what
// ch_system_error makes of them, but for round-off.
void ch_sphere_sweep_velocity(const ChSphereSweep* sweep, double* u);
double ch_sphere_sweep_error(ChSphereSweep* sweep);

// x in the order of the sweep's own, and x moved to another place, with the momentum that it has.
long ch_sphere_sweep_size(const ChSphereSweep* sweep);
void ch_sphere_sweep_end(const ChSphereSweep* sweep, double* x);
void ch_sphere_sweep_move(ChSphereSweep* sweep, const double* x);

#endif

// Mass, centre and second moments of solids of uniform density.
//
//   mass = rho V,  centre = int x rho dV / mass,  spread C = int (x - c)(x - c)' rho dV,  inertia J = tr(C) 1 - C
//
// The spread adds up and turns like any tensor, and J follows in the end. In the plane V is an area and J the number
// C_xx + C_yy. Shapes of one body that overlap are counted twice where they do.
#ifndef CH_MODEL_SHAPES_MASS_PROPERTIES_H
#define CH_MODEL_SHAPES_MASS_PROPERTIES_H

#include "model/mesh/mesh.h"
#include "model/world.h"

typedef struct ChMassProperties {
  double mass;
  ChVec3 centre;
  ChMat3 spread;  // about the centre
} ChMassProperties;

// Of one shape, in the frame of its body. Half-spaces, chains and open meshes have none.
ChMassProperties ch_mass_of_shape(const ChShape* shape, double density);
// A solid about its own centre, with these mean squares of its coordinates.
ChMassProperties ch_mass_centred(double mass, double xx, double yy, double zz);
ChMassProperties ch_mass_of_polytope(const ChPolytope* polytope, double density);
// By the divergence theorem over triangles that close; signed: an inside-out surface has a negative mass.
ChMassProperties ch_mass_of_mesh(const ChMesh* mesh, double density);
// Of parts that make up one body.
ChMassProperties ch_mass_sum(int count, const ChMassProperties* parts);

// tr(C) 1 - C
ChMat3 ch_mass_inertia(const ChMassProperties* mass);

#endif

// A wall hook of plastic, in metres: gmsh -3 hook.geo -format msh41 -o hook.msh
SetFactory("OpenCASCADE");
t = 0.006;       // thickness
r = 0.014;       // inside of the bend
width = 0.02;
Disk(1) = {0, 0, 0, r + t};
Disk(2) = {0, 0, 0, r};
BooleanDifference(3) = { Surface{1}; Delete; }{ Surface{2}; Delete; };
Rectangle(4) = {-r - t, 0, 0, 2 * (r + t), r + t};
BooleanDifference(5) = { Surface{3}; Delete; }{ Surface{4}; Delete; };
Rectangle(6) = {-r - t, 0, 0, t, 0.07};  // up the wall
Rectangle(7) = {r, 0, 0, t, 0.015};      // the lip
BooleanUnion(8) = { Surface{5}; Delete; }{ Surface{6, 7}; Delete; };
Rotate {{1, 0, 0}, {0, 0, 0}, Pi / 2} { Surface{8}; }
Extrude {0, width, 0} { Surface{8}; }
Mesh.MeshSizeMax = 0.005;

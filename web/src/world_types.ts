// Types of joints and shapes, from the engine's tables. Written by `make tables`: not by hand.

export interface JointKind {
  axis: boolean; // has one to be drawn
  freedoms: readonly ("m" | "radian")[]; // units of its coordinates
}

export const JOINTS = {
  // leaves nothing
  fixed: { axis: false, freedoms: [] },
  // leaves three rotations
  ball: { axis: false, freedoms: ["radian", "radian", "radian"] },
  // leaves the angle about axis
  hinge: { axis: true, freedoms: ["radian"] },
  // leaves the displacement along axis
  slider: { axis: true, freedoms: ["m"] },
  // leaves the displacement along and the angle about axis
  cylindrical: { axis: true, freedoms: ["m", "radian"] },
  // leaves the angle about axis (on the first body), the angle about second_axis (on the second)
  universal: { axis: true, freedoms: ["radian", "radian"] },
  // leaves two displacements normal to axis, the angle about axis
  planar: { axis: true, freedoms: ["m", "m", "radian"] },
  // leaves all but the distance of two points, which may be driven
  distance: { axis: false, freedoms: ["m"] },
  // leaves the displacement along axis, rotations
  "point-on-line": { axis: true, freedoms: ["m"] },
} as const satisfies Record<string, JointKind>;
export type JointType = keyof typeof JOINTS;

export interface ShapeKind {
  endless: boolean; // fills half of the world
  named: boolean; // comes as numbers, and the page knows its form; else as a surface
}

export const SHAPES = {
  sphere: { endless: false, named: true }, // a ball
  box: { endless: false, named: true }, // a box about its origin
  capsule: { endless: false, named: true }, // a cylinder along z with half-balls on its ends
  cylinder: { endless: false, named: true }, // a cylinder along z
  ellipsoid: { endless: false, named: true }, // an ellipsoid with its axes along x, y and z
  halfspace: { endless: true, named: true }, // everything below a plane
  hull: { endless: false, named: false }, // the convex hull of points
  mesh: { endless: false, named: false }, // a surface of triangles
  disk: { endless: false, named: true }, // a disk
  ellipse: { endless: false, named: true }, // an ellipse with its axes along x and y
  polygon: { endless: false, named: false }, // a convex polygon, counter-clockwise
  halfplane: { endless: true, named: true }, // everything below a line
  chain: { endless: false, named: false }, // a polyline, solid on the right of its direction
  soft: { endless: false, named: false }, // the skin of a deformable body
  heightfield: { endless: false, named: false }, // ground as a grid of heights, solid below
  segments: { endless: false, named: false }, // straight edges between points
  points: { endless: false, named: false }, // points that move as one
} as const satisfies Record<string, ShapeKind>;
export type ShapeType = keyof typeof SHAPES;

// Shapes whose form the page must know: view/forms.ts.
export type NamedShape = {
  [K in ShapeType]: (typeof SHAPES)[K] extends { endless: false; named: true } ? K : never;
}[ShapeType];

// What the message of a named shape may hold.
export interface ShapeNumbers {
  radius?: number; // m
  half?: number[]; // half extents, m
  half_length?: number; // half the length of the axis (z), m
  normal?: number[]; // outward direction
  offset?: number; // solid where normal . x <= offset, m
}

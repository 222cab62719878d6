// The forms of a scene, one table a kind of object: key, type, where it goes, what it means.
#include "scene/forms.h"

#include "scene/def_variants.h"

#define ROW(type_name, structure, key, member, text, ...) \
  { key, &ch_type_##type_name, offsetof(structure, member), text, __VA_ARGS__ }

static const char* const drives[] = {"none", "position", "velocity", "force", "prescribed", NULL};
static const char* const restitutions[] = {"newton", "poisson", NULL};
static const char* const poses[] = {"coulomb", "relaxed", "frictionless", NULL};
static const char* const contact_laws[] = {"rigid", "compliant", NULL};
static const char* const modes[] = {"on", "linearized", "contacts", "off", NULL};
static const char* const occasions[] = {"off", "gap", "miss", "large", NULL};

// ------------------------------------------------------------------------------------------------------------ settings

static const ChField stabilization_fields[] = {
    ROW(choice, ChSimulationOptions, "mode", stabilization, "how gaps and joint errors enter the velocity constraints",
        0, CH_ANY, modes),
    ROW(number, ChSimulationOptions, "gamma", gamma, "share of an error that is removed in one step", 0, CH_SHARE,
        NULL),
};
const ChSceneForm ch_form_stabilization = {
    .name = "stabilization", .same = true, .count = CH_COUNT(stabilization_fields), .fields = stabilization_fields};

static const ChField adaptive_fields[] = {
    ROW(number, ChSimulationOptions, "gap_tolerance", gap_tolerance, "overlap above which the step is halved, m", 0,
        CH_POSITIVE, NULL),
    ROW(number, ChSimulationOptions, "overlap_tolerance", overlap_tolerance,
        "a step is halved if a pair would overlap by more than this at its end, m. Default for meshes and thin things: "
        "a hundredth of the margin, but at most 1e-4 of the smaller body's radius or 1e-5 m, whichever is larger",
        0, CH_NOT_NEGATIVE, NULL),
    ROW(choice, ChSimulationOptions, "on", adaptive,
        "what shortens a step: miss, a missed tolerance; large, the same in steps with 500 contacts or more and in "
        "worlds with meshes or thin things; gap, an overlap",
        0, CH_ANY, occasions),
    ROW(whole, ChSimulationOptions, "halvings", halvings, "on miss: the shortest substep is h / 2^halvings", 0,
        CH_HALVINGS, NULL),
    ROW(whole, ChSimulationOptions, "good_steps", good_steps,
        "on miss: after this many substeps in a row that met the tolerance, the next is twice as long", 0, CH_WHOLE_1,
        NULL),
    ROW(number, ChSimulationOptions, "trial_work", trial_work,
        "on miss: share of the work limit for a step that may still be halved", 0, CH_SHARE, NULL),
};
const ChSceneForm ch_form_adaptive = {
    .name = "adaptive", .same = true, .count = CH_COUNT(adaptive_fields), .fields = adaptive_fields};

static const ChField bounds_fields[] = {
    ROW(number, ChSimulationOptions, "penetration", penetration_bound,
        "overlap above which a step is out of bounds, as a share of the smaller moving body's radius", 0, CH_POSITIVE,
        NULL),
    ROW(number, ChSimulationOptions, "energy", energy_bound,
        "unexplained gain of energy above which a step is out of bounds, as a share of the energy that it exchanged", 0,
        CH_POSITIVE, NULL),
};
const ChSceneForm ch_form_bounds = {
    .name = "bounds", .same = true, .count = CH_COUNT(bounds_fields), .fields = bounds_fields};

static const ChField contact_fields[] = {
    ROW(choice, ChSimulationOptions, "law", contact, "rigid, or compliant: bodies yield where they touch", CH_REQUIRED,
        CH_ANY, contact_laws),
    ROW(number, ChSimulationOptions, "overlap", overlap,
        "compliant: intended largest overlap, as a share of the smaller body's radius", 0, CH_SHARE, NULL),
};
const ChSceneForm ch_form_contact = {
    .name = "contact", .same = true, .count = CH_COUNT(contact_fields), .fields = contact_fields};

#define STEP(type, key, member, text, ...) ROW(type, ChSceneRun, key, member, text, __VA_ARGS__)
static const ChField step_fields[] = {
    STEP(number, "h", options.h, "length of a step, s", 0, CH_STEP, NULL),
    STEP(number, "until", until, "time at which a run ends, s", 0, CH_DURATION, NULL),
    STEP(integrator, "integrator", options.integrator, "time stepping scheme", 0, CH_ANY, NULL),
    STEP(number, "midpoint", options.midpoint,
         "integrator midpoint: where forces are evaluated, 0 (start of the step) to 1 (end)", 0, CH_UNIT, NULL),
    STEP(number, "deformation_weight", options.deformation_weight,
         "weight of a step's end in the motion of deformable bodies: 0.5 keeps energy, more damps fast modes", 0,
         CH_LATER_HALF, NULL),
    STEP(stabilization, "stabilization", options, "gamma, or an object with mode and gamma", 0, CH_ANY,
         &ch_form_stabilization),
    STEP(number, "push_out", options.push_out, "largest speed at which overlapping bodies are parted, m/s", 0,
         CH_POSITIVE, NULL),
    STEP(number, "margin", options.margin, "largest gap of contacts that take part, m", 0, CH_NOT_NEGATIVE, NULL),
    STEP(flag, "look_ahead", options.look_ahead, "whether the margin grows with the closing speed", 0, CH_ANY, NULL),
    STEP(choice, "restitution", options.restitution, "law of impacts", 0, CH_ANY, restitutions),
    STEP(flag, "project", options.project, "whether positions are projected onto the constraints after a step", 0,
         CH_ANY, NULL),
    STEP(adaptive, "adaptive", options, "when a step is undone and repeated as shorter ones: misses and overlaps", 0,
         CH_ANY, &ch_form_adaptive),
    STEP(bounds, "bounds", options, "overlap and unexplained energy above which a run reports a step", 0, CH_ANY,
         &ch_form_bounds),
    STEP(flag, "reduce_contacts", options.reduce_contacts, "whether a face contact keeps four points at most", 0,
         CH_ANY, NULL),
    STEP(flag, "warm", options.warm, "whether a step starts from the reactions of the last one", 0, CH_ANY, NULL),
    STEP(flag, "rest", options.rest, "whether certified rest is kept", 0, CH_ANY, NULL),
    STEP(flag, "islands", options.islands, "whether unconnected sets of bodies are solved separately", 0, CH_ANY, NULL),
    STEP(whole, "threads", options.threads, "the answer does not depend on it", 0, CH_THREADS, NULL),
    STEP(number, "overlap", overlap, "largest overlap at the start that is accepted, m", 0, CH_NOT_NEGATIVE, NULL),
};
const ChSceneForm ch_form_step = {.name = "step", .same = true, .count = CH_COUNT(step_fields), .fields = step_fields};

static const ChField method_fields[] = {
    STEP(method, "name", options.solve.method, "method for the contact problems: `cardhouse methods`", 0, CH_ANY, NULL),
    STEP(inner, "inner", options.solve.inner, "inner convex solver of relaxed, successive, staggered", 0, CH_ANY, NULL),
    STEP(number, "tolerance", options.solve.tolerance, "on the certificate", 0, CH_TOLERANCE, NULL),
    STEP(cone, "cone", options, "circular, elliptic, polygon:M or outer-polygon:M", 0, CH_ANY, NULL),
    STEP(choice, "pose", options.solve.pose, "how the contact law is posed", 0, CH_ANY, poses),
    STEP(whole, "max_iterations", max_iterations,
         "largest number of iterations of one solve; 0: the method's own limit", 0, CH_WHOLE_0, NULL),
    STEP(number, "work_limit", options.solve.work_limit, "limit on the work of one solve, counted multiply-adds", 0,
         CH_POSITIVE, NULL),
    STEP(number, "time_limit", options.solve.time_limit,
         "limit on the time of one solve, s; replaces the limit on work", 0, CH_POSITIVE, NULL),
    STEP(settings, "settings", options.solve, "options of methods by name: `cardhouse methods --options`", 0, CH_ANY,
         NULL),
};
const ChSceneForm ch_form_method = {
    .name = "method", .same = true, .count = CH_COUNT(method_fields), .fields = method_fields};

// ------------------------------------------------------------------------------------------------------------- signals

#define SIGNAL(key, member, text) ROW(number, ChSignal, key, member, text, 0, CH_ANY, NULL)
static const ChField signal_fields[] = {
    SIGNAL("base", base, "value at t = 0 without the oscillation"),
    SIGNAL("rate", rate, "rise per second"),
    SIGNAL("amplitude", amplitude, "of the oscillation"),
    SIGNAL("frequency", frequency, "of the oscillation, Hz"),
    SIGNAL("phase", phase, "of the oscillation, radian"),
    {"table", &ch_type_signal_table, 0, "rows [time, value], times ascending; straight lines between them", 0, CH_ANY,
     NULL},
};
const ChSceneForm ch_form_signal = {
    .name = "signal", .same = true, .count = CH_COUNT(signal_fields), .fields = signal_fields};

// ----------------------------------------------------------------------------------------------------------- materials

static const ChField friction_fields[] = {
    ROW(number, ChMaterialDef, "along", friction[0], "coefficient along the axis", CH_REQUIRED, CH_FRICTION, NULL),
    ROW(number, ChMaterialDef, "across", friction[1], "coefficient across the axis", CH_REQUIRED, CH_FRICTION, NULL),
    ROW(vector, ChMaterialDef, "axis", axis, "direction in the body's frame", CH_SPACE, CH_ANY, NULL),
};
const ChSceneForm ch_form_friction = {
    .name = "friction", .count = CH_COUNT(friction_fields), .fields = friction_fields};

#define CURVE(type, key, member, text, ...) ROW(type, ChSceneCurve, key, member, text, __VA_ARGS__)
static const ChField stiction_fields[] = {
    CURVE(number, "static", sticks, "coefficient while sticking", CH_REQUIRED, CH_FRICTION, NULL),
    CURVE(number, "dynamic", slips, "coefficient while slipping, at most the one while sticking", CH_REQUIRED,
          CH_FRICTION, NULL),
};
const ChSceneForm ch_form_stiction = {
    .name = "stiction", .same = true, .count = CH_COUNT(stiction_fields), .fields = stiction_fields};

static const ChField stribeck_fields[] = {
    CURVE(number, "static", sticks, "coefficient while sticking; if left out, the first of mu", 0, CH_FRICTION, NULL),
    CURVE(numbers, "speed", speed, "of slip, m/s, ascending from 0", CH_REQUIRED, CH_NOT_NEGATIVE, NULL),
    CURVE(numbers, "mu", mu, "coefficients at these speeds; straight lines between them, constant beyond", CH_REQUIRED,
          CH_FRICTION, NULL),
};
const ChSceneForm ch_form_stribeck = {
    .name = "stribeck", .same = true, .count = CH_COUNT(stribeck_fields), .fields = stribeck_fields};

static const ChField section_fields[] = {
    {"section", &ch_type_section, 0, "points [x, y] round the origin: the friction that a unit of normal force bears",
     CH_REQUIRED, CH_ANY, NULL},
    ROW(vector, ChMaterialDef, "axis", axis, "direction of x in the body's frame", CH_SPACE, CH_ANY, NULL),
};
static const ChField own_law_fields[] = {
    ROW(text, ChMaterialDef, "law", law, "name of a section that the program registered", CH_REQUIRED, CH_ANY, NULL),
    {"parameters", &ch_type_law_parameters, 0, "its parameters, in its order", 0, CH_ANY, NULL},
    ROW(vector, ChMaterialDef, "axis", axis, "direction of x in the body's frame", CH_SPACE, CH_ANY, NULL),
};
const ChSceneForm ch_form_own_law = {.name = "own_law", .count = CH_COUNT(own_law_fields), .fields = own_law_fields};
const ChSceneForm ch_form_section = {.name = "section", .count = CH_COUNT(section_fields), .fields = section_fields};

static const ChField material_fields[] = {
    ROW(number, ChMaterialDef, "density", density, "kg/m^3 (plane: kg/m^2)", 0, CH_DENSITY, NULL),
    {"friction", &ch_type_friction, 0,
     "coefficient, or an object: along, across and axis; section and axis; static and dynamic; or speed and mu", 0,
     CH_FRICTION, &ch_form_friction},
    ROW(number, ChMaterialDef, "restitution", restitution, "0 plastic to 1 elastic", 0, CH_UNIT, NULL),
    ROW(number, ChMaterialDef, "rolling", rolling, "moment against rolling over normal force, m", 0, CH_NOT_NEGATIVE,
        NULL),
    ROW(number, ChMaterialDef, "drilling", drilling, "moment about the normal over normal force, m", CH_SPACE,
        CH_NOT_NEGATIVE, NULL),
    ROW(number, ChMaterialDef, "cohesion", cohesion, "pull that a bonded contact point bears, N", 0, CH_NOT_NEGATIVE,
        NULL),
    ROW(flag, ChMaterialDef, "heals", heals, "bonds form again at contacts that are pressed", 0, CH_ANY, NULL),
    ROW(number, ChMaterialDef, "shear_stiffness", shear_stiffness,
        "spring along the tangents of each contact point, N/m", 0, CH_POSITIVE, NULL),
    ROW(number, ChMaterialDef, "shear_damping", shear_damping, "damper along the tangents, N s/m", 0, CH_NOT_NEGATIVE,
        NULL),
    ROW(flag, ChMaterialDef, "ellipsoidal", ellipsoidal, "friction and drilling share one limit", CH_SPACE, CH_ANY,
        NULL),
    ROW(number, ChMaterialDef, "young", young, "compliant contact: Young's modulus, Pa", 0, CH_POSITIVE, NULL),
    ROW(number, ChMaterialDef, "poisson", poisson, "Poisson's ratio, with young", 0, CH_POISSON, NULL),
    ROW(number, ChMaterialDef, "stiffness", stiffness, "compliant contact: stiffness instead of young, N/m", 0,
        CH_POSITIVE, NULL),
    ROW(number, ChMaterialDef, "damping", damping, "compliant contact: damping instead of restitution, N s/m", 0,
        CH_NOT_NEGATIVE, NULL),
    ROW(form, ChMaterialDef, "look", look, "how bodies of this material are drawn", 0, CH_ANY, &ch_form_body_look),
};
const ChSceneForm ch_form_material = {
    .name = "material", .count = CH_COUNT(material_fields), .fields = material_fields};

static const ChField pair_fields[] = {
    ROW(two_texts, ChScenePair, "materials", materials, "two names of materials", CH_REQUIRED, CH_ANY, NULL),
    ROW(pair_friction, ChScenePair, "friction", def,
        "coefficient; [along, across] the first one's axis; an object with static and dynamic, or speed and mu", 0,
        CH_FRICTION, NULL),
    ROW(number, ChScenePair, "restitution", def.restitution, "0 plastic to 1 elastic", 0, CH_UNIT, NULL),
    ROW(number, ChScenePair, "rolling", def.rolling, "moment against rolling over normal force, m", 0, CH_NOT_NEGATIVE,
        NULL),
    ROW(number, ChScenePair, "drilling", def.drilling, "moment about the normal over normal force, m", CH_SPACE,
        CH_NOT_NEGATIVE, NULL),
    ROW(number, ChScenePair, "cohesion", def.cohesion, "pull that a bonded contact point bears, N", 0, CH_NOT_NEGATIVE,
        NULL),
    ROW(number, ChScenePair, "shear_stiffness", def.shear_stiffness,
        "spring along the tangents of each contact point, N/m; 0: none", 0, CH_NOT_NEGATIVE, NULL),
    ROW(number, ChScenePair, "shear_damping", def.shear_damping, "damper along the tangents, N s/m", 0, CH_NOT_NEGATIVE,
        NULL),
    ROW(number, ChScenePair, "stiffness", def.stiffness, "compliant contact: stiffness of the pair, N/m", 0,
        CH_POSITIVE, NULL),
    ROW(number, ChScenePair, "damping", def.damping, "compliant contact: damping of the pair, N s/m", 0,
        CH_NOT_NEGATIVE, NULL),
};
const ChSceneForm ch_form_pair = {.name = "pair", .same = true, .count = CH_COUNT(pair_fields), .fields = pair_fields};

// -------------------------------------------------------------------------------------------------------------- shapes

#define SHAPE(type, key, member, text, ...) ROW(type, ChSceneShape, key, def.member, text, __VA_ARGS__)
// Every type of shape reads more: def_variants.c.
static const ChField shape_fields[] = {
    ROW(text, ChSceneShape, "material", material, "name of a material; \"default\" if left out", 0, CH_ANY, NULL),
    SHAPE(vector, "at", at, "place in the body's frame, m", 0, CH_ANY, NULL),
    SHAPE(turn, "orientation", orientation, "turn in the body's frame", 0, CH_ANY, NULL),
};
const ChSceneForm ch_form_shape = {.name = "shape",
                                   .count = CH_COUNT(shape_fields),
                                   .fields = shape_fields,
                                   .variant = ch_shape_variant,
                                   .tag = offsetof(ChSceneShape, def.type)};

static const ChField mesh_fields[] = {
    {"points", &ch_type_points, 0, "corners in the shape's frame, m", 0, CH_ANY, NULL},
    {"triangles", &ch_type_triangles, 0, "three indices into points each, counter-clockwise from outside", 0, CH_ANY,
     NULL},
    SHAPE(text, "file", file, "OBJ, STL, PLY or glTF, relative to the scene's folder", 0, CH_ANY, NULL),
    SHAPE(number, "scale", scale, "factor on the points (1): 0.001 for millimetres", 0, CH_POSITIVE, NULL),
};
const ChSceneForm ch_form_mesh = {.name = "mesh", .count = CH_COUNT(mesh_fields), .fields = mesh_fields};

// -------------------------------------------------------------------------------------------------------------- bodies

#define BODY(type, key, member, text, ...) ROW(type, ChSceneBody, key, def.member, text, __VA_ARGS__)
static const ChField body_fields[] = {
    BODY(text, "name", name, "for joints, forces and messages; unique", 0, CH_ANY, NULL),
    BODY(vector, "position", position, "of the body's frame, m", 0, CH_ANY, NULL),
    ROW(numbers, ChSceneBody, "copies", copies,
        "instead of position: x, y, z of each body in turn, named \"name 1\", \"name 2\", ..., m", 0, CH_ANY, NULL),
    BODY(turn, "orientation", orientation, "of the body's frame", 0, CH_ANY, NULL),
    BODY(vector, "velocity", velocity, "of the centre of mass, m/s", 0, CH_ANY, NULL),
    BODY(spin, "omega", omega, "angular velocity in the world's frame, radian/s", 0, CH_ANY, NULL),
    ROW(flag, ChSceneBody, "fixed", fixed, "whether the body never moves", 0, CH_ANY, NULL),
    BODY(locks, "lock", locks, "axes along and about which the body may not move", 0, CH_ANY, NULL),
    BODY(number, "mass", mass, "instead of densities, kg", 0, CH_POSITIVE, NULL),
    BODY(vector, "centre", centre, "centre of mass in the body's frame, with inertia, m", 0, CH_ANY, NULL),
    BODY(inertia, "inertia", inertia,
         "inertia about the centre of mass: [xx, yy, zz] or [xx, yy, zz, xy, xz, yz], kg m^2", 0, CH_ANY, NULL),
    BODY(signals, "motion", motion, "prescribed motion: displacement from position, m", 0, CH_ANY, NULL),
    BODY(signal, "turn", turn, "prescribed turn about axis, counted from orientation, radian", 0, CH_ANY, NULL),
    BODY(vector, "axis", axis, "axis of the turn, in the world's frame", CH_SPACE, CH_ANY, NULL),
    BODY(form, "look", look, "how it is drawn", 0, CH_ANY, &ch_form_body_look),
    ROW(form, ChSceneBody, "soft", soft, "makes the body deformable; takes the place of shapes", CH_SPACE, CH_ANY,
        &ch_form_soft),
    ROW(list, ChSceneBody, "shapes", shapes, "shapes of the body", 0, CH_ANY, &ch_form_shape),
};
const ChSceneForm ch_form_body = {.name = "body", .count = CH_COUNT(body_fields), .fields = body_fields};

// -------------------------------------------------------------------------------------------------------------- joints

static const ChField joint_axis_fields[] = {
    ROW(number, ChJointAxis, "lower", lower, "limit, m or radian from the start", 0, CH_ANY, NULL),
    ROW(number, ChJointAxis, "upper", upper, "limit, m or radian from the start", 0, CH_ANY, NULL),
    ROW(number, ChJointAxis, "friction", friction, "largest friction force or torque, N or N m", 0, CH_NOT_NEGATIVE,
        NULL),
    ROW(choice, ChJointAxis, "drive", drive, "drive of the freedom", 0, CH_ANY, drives),
    ROW(signal, ChJointAxis, "target", target, "target of the drive: m, m/s, N or radian, radian/s, N m", 0, CH_ANY,
        NULL),
    ROW(number, ChJointAxis, "strength", strength, "largest force or torque of a motor; 0: unlimited", 0,
        CH_NOT_NEGATIVE, NULL),
    ROW(number, ChJointAxis, "stiffness", stiffness, "of a spring, N/m or N m/radian", 0, CH_NOT_NEGATIVE, NULL),
    ROW(number, ChJointAxis, "damping", damping, "N s/m or N m s/radian", 0, CH_NOT_NEGATIVE, NULL),
    ROW(number, ChJointAxis, "rest", rest, "where the spring rests, m or radian from the start", 0, CH_ANY, NULL),
};
const ChSceneForm ch_form_joint_axis = {
    .name = "joint-axis", .same = true, .count = CH_COUNT(joint_axis_fields), .fields = joint_axis_fields};

#define JOINT(type, key, member, text, ...) ROW(type, ChSceneJoint, key, def.member, text, __VA_ARGS__)
// Every type of joint reads more: def_variants.c.
static const ChField joint_fields[] = {
    JOINT(text, "name", name, "for messages", 0, CH_ANY, NULL),
    ROW(two_texts, ChSceneJoint, "bodies", bodies, "two names of bodies; \"ground\" is the world", CH_REQUIRED, CH_ANY,
        NULL),
    JOINT(flag, "collide", collide, "whether the two bodies may touch each other", 0, CH_ANY, NULL),
    JOINT(number, "reach", reach,
          "on a deformable body the joint follows the skin within this distance of its point, m; 0: the nearest vertex "
          "and its neighbours",
          0, CH_NOT_NEGATIVE, NULL),
};
const ChSceneForm ch_form_joint = {.name = "joint",
                                   .count = CH_COUNT(joint_fields),
                                   .fields = joint_fields,
                                   .variant = ch_joint_variant,
                                   .tag = offsetof(ChSceneJoint, def.type)};

// -------------------------------------------------------------------------------------------------------------- forces

#define FORCE(type, key, member, text, ...) ROW(type, ChSceneForce, key, def.member, text, __VA_ARGS__)
#define ENDS                                                                                                          \
  ROW(two_texts, ChSceneForce, "bodies", bodies, "two names of bodies; \"ground\" is the world", CH_REQUIRED, CH_ANY, \
      NULL)
#define ON ROW(text, ChSceneForce, "body", body, "name of a body", CH_REQUIRED, CH_ANY, NULL)
#define SPRING                                                                          \
  FORCE(number, "stiffness", stiffness, "N/m or N m/radian", 0, CH_NOT_NEGATIVE, NULL), \
      FORCE(number, "cubic", cubic, "N/m^3 or N m/radian^3", 0, CH_NOT_NEGATIVE, NULL), \
      FORCE(number, "damping", damping, "N s/m or N m s/radian", 0, CH_NOT_NEGATIVE, NULL)

static const ChField spring_fields[] = {
    ENDS, SPRING, FORCE(two_points, "at", at, "a point of each body, in its frame, m", 0, CH_ANY, NULL),
    FORCE(number, "length", length, "length at rest, m; if left out, the distance at the start", 0, CH_NOT_NEGATIVE,
          NULL)};
static const ChField torsion_fields[] = {
    ENDS, SPRING, FORCE(vector, "axis", axis, "in the frame of the first body", CH_REQUIRED | CH_SPACE, CH_ANY, NULL),
    FORCE(number, "angle", length, "angle at rest, counted from the start, radian", 0, CH_ANY, NULL)};
static const ChField wrench_fields[] = {
    ON, FORCE(vector, "at", at[0], "point in the body's frame, m", 0, CH_ANY, NULL),
    FORCE(signals, "force", force, "N", 0, CH_ANY, NULL), FORCE(spin_signals, "torque", torque, "N m", 0, CH_ANY, NULL),
    FORCE(flag, "follows", follows, "whether force and torque turn with the body", 0, CH_ANY, NULL)};
static const ChField drag_fields[] = {ON, FORCE(number, "linear", linear, "N s/m", 0, CH_NOT_NEGATIVE, NULL),
                                      FORCE(number, "quadratic", quadratic, "N s^2/m^2", 0, CH_NOT_NEGATIVE, NULL),
                                      FORCE(number, "angular", angular, "N m s/radian", 0, CH_NOT_NEGATIVE, NULL)};

static const ChField well_fields[] = {
    ON, FORCE(vector, "at", at[1], "its centre in the world, m", 0, CH_ANY, NULL),
    FORCE(number, "r2", well[0], "coefficient of the square of the distance, J/m^2", 0, CH_ANY, NULL),
    FORCE(number, "r4", well[1], "of its fourth power, J/m^4", 0, CH_ANY, NULL),
    FORCE(number, "r6", well[2], "of its sixth power, J/m^6", 0, CH_ANY, NULL)};

static const ChVariant force_types[] = {
    {"spring", CH_FORCE_SPRING, 0, .count = CH_COUNT(spring_fields), .fields = spring_fields},
    {"torsion", CH_FORCE_TORSION, 0, .count = CH_COUNT(torsion_fields), .fields = torsion_fields},
    {"wrench", CH_FORCE_WRENCH, 0, .count = CH_COUNT(wrench_fields), .fields = wrench_fields},
    {"drag", CH_FORCE_DRAG, 0, .count = CH_COUNT(drag_fields), .fields = drag_fields},
    {"well", CH_FORCE_WELL, 0, .count = CH_COUNT(well_fields), .fields = well_fields},
};
static bool force_variant(int k, ChVariant* out) {
  if (k >= CH_COUNT(force_types)) return false;
  *out = force_types[k];
  return true;
}
static const ChField force_fields[] = {FORCE(text, "name", name, "for messages", 0, CH_ANY, NULL)};
const ChSceneForm ch_form_force = {.name = "force",
                                   .count = CH_COUNT(force_fields),
                                   .fields = force_fields,
                                   .variant = force_variant,
                                   .tag = offsetof(ChSceneForce, def.type)};

// --------------------------------------------------------------------------------------------------------------- scene

static const ChField recirculation_fields[] = {
    ROW(number, ChRecirculation, "below", below, "height of a centre of mass below which its body is put back, m",
        CH_REQUIRED, CH_ANY, NULL),
    ROW(vector, ChRecirculation, "at", at, "the middle of the inlet, m", CH_REQUIRED, CH_ANY, NULL),
    ROW(number, ChRecirculation, "radius", radius, "of the inlet, m", CH_REQUIRED, CH_POSITIVE, NULL),
};
const ChSceneForm ch_form_recirculation = {
    .name = "recirculation", .count = CH_COUNT(recirculation_fields), .fields = recirculation_fields};

#define ROOT(type, key, member, text, ...) ROW(type, ChSceneRoot, key, member, text, __VA_ARGS__)
static const ChField scene_fields[] = {
    ROOT(whole, "cardhouse", version, "version of the form: 1", CH_REQUIRED, CH_ONE, NULL),
    ROOT(text, "$schema", schema, "address of the schema for editors; ignored", 0, CH_ANY, NULL),
    ROOT(text, "name", name, "of the scene", 0, CH_ANY, NULL),
    ROOT(text, "description", description, "for the reader", 0, CH_ANY, NULL),
    ROOT(whole, "dimension", dimension, "2 in the plane, 3 in space", 0, CH_TWO_OR_THREE, NULL),
    ROOT(signals, "gravity", gravity, "m/s^2", 0, CH_ANY, NULL),
    ROOT(periodic, "periodic", periodic, "axes along which the world is periodic: [from, to] of each, m", 0, CH_ANY,
         NULL),
    ROOT(form, "recirculate", recirculation, "bodies that leave at the bottom come back in at the top", 0, CH_ANY,
         &ch_form_recirculation),
    ROOT(form, "step", run, "time stepping", 0, CH_ANY, &ch_form_step),
    ROOT(contact, "contact", run.options, "law of contact: rigid or compliant, or an object with law and overlap", 0,
         CH_ANY, &ch_form_contact),
    ROOT(form, "method", run, "method and tolerance of the contact problems", 0, CH_ANY, &ch_form_method),
    ROOT(map, "parameters", parameters, "numbers by name, for formulas", 0, CH_ANY, NULL),
    ROOT(texts, "include", include, "scene files whose materials, bodies, joints and forces are added", 0, CH_ANY,
         NULL),
    ROOT(map, "materials", materials, "materials by name", 0, CH_ANY, &ch_form_material),
    ROOT(list, "pairs", pairs, "properties of two materials in contact", 0, CH_ANY, &ch_form_pair),
    ROOT(map, "meshes", meshes, "surfaces by name, for shapes that share one", CH_SPACE, CH_ANY, &ch_form_mesh),
    ROOT(list, "bodies", bodies, "bodies of the scene", 0, CH_ANY, &ch_form_body),
    ROOT(list, "joints", joints, "joints between bodies", 0, CH_ANY, &ch_form_joint),
    ROOT(list, "forces", forces, "forces besides gravity", 0, CH_ANY, &ch_form_force),
    ROOT(form, "look", look, "how the scene is drawn; the viewer reads it, the mechanics do not", 0, CH_ANY,
         &ch_form_look),
    ROOT(text_pairs, "ignore", ignore, "pairs of names of bodies that never touch", 0, CH_ANY, NULL),
};
const ChSceneForm ch_form_scene = {.name = "scene", .count = CH_COUNT(scene_fields), .fields = scene_fields};

// Forces: definition. Points stay in the frames of their bodies; a torsion spring keeps one frame on each side.
#include <math.h>
#include <stdio.h>

#include "model/soft/soft_grip.h"
#include "model/world_build.h"

static const char* const names[] = {[CH_FORCE_SPRING] = "spring",
                                    [CH_FORCE_TORSION] = "torsion",
                                    [CH_FORCE_WRENCH] = "wrench",
                                    [CH_FORCE_DRAG] = "drag",
                                    [CH_FORCE_WELL] = "well"};

static bool has_two_ends(ChForceType type) { return type == CH_FORCE_SPRING || type == CH_FORCE_TORSION; }

static ChStatus check_numbers(ChContext* context, const ChForceDef* def, const char* what) {
  const struct {
    const char* name;
    double value;
  } numbers[] = {{"stiffness", def->stiffness}, {"cubic", def->cubic},         {"damping", def->damping},
                 {"linear", def->linear},       {"quadratic", def->quadratic}, {"angular", def->angular}};
  for (size_t k = 0; k < sizeof numbers / sizeof *numbers; ++k) {
    ChStatus status = ch_check_number(context, what, numbers[k].name, numbers[k].value, 0.0);
    if (status != CH_OK) return status;
  }
  for (int k = 0; k < 3; ++k)
    if (!isfinite(def->well[k]))
      return ch_fail(context, CH_ERR_RANGE, "%s: r%d is %g, must be finite", what, 2 * k + 2, def->well[k]);
  if (!isfinite(def->length) || (def->type == CH_FORCE_SPRING && def->length < 0.0))
    return ch_fail(context, CH_ERR_RANGE, "%s: length is %g, must be finite%s", what, def->length,
                   def->type == CH_FORCE_SPRING ? " and >= 0" : "");
  if (has_two_ends(def->type) && def->length_as_is && def->length != 0.0)
    return ch_fail(context, CH_ERR_ARGUMENT, "%s: length is %g, but length_as_is is set; give only one of them", what,
                   def->length);
  return CH_OK;
}

static ChStatus check_signals(ChContext* context, const ChWorld* world, const ChForceDef* def, const char* what) {
  for (int k = 0; k < 3; ++k) {
    char which[CH_WHAT_SIZE + 20];
    snprintf(which, sizeof which, "%s: force[%d]", what, k);
    ChStatus status = ch_signal_check(context, &def->force[k], which);
    snprintf(which, sizeof which, "%s: torque[%d]", what, k);
    if (status == CH_OK) status = ch_signal_check(context, &def->torque[k], which);
    if (status != CH_OK) return status;
    const ChSignal* none = world->dimension == 3 ? NULL : k == 2 ? &def->force[k] : &def->torque[k];
    if (none && (none->base != 0.0 || none->rate != 0.0 || none->amplitude != 0.0 || none->table_count > 0))
      return ch_fail(context, CH_ERR_ARGUMENT, "%s: in the plane a wrench has force[0], force[1] and torque[2] only",
                     what);
  }
  return CH_OK;
}

static ChStatus check_force(ChContext* context, const ChWorld* world, ChForceDef* def, const char* what, int body[2]) {
  if (!has_two_ends(def->type)) def->body[1] = CH_GROUND;
  ChStatus status = ch_world_check_bodies(context, world, def->body, what, body);
  if (status == CH_OK) status = check_numbers(context, def, what);
  for (int k = 0; k < 2 && status == CH_OK; ++k) status = ch_check_vector(context, world, what, "at", def->at[k]);
  if (status == CH_OK && def->type == CH_FORCE_TORSION && world->dimension == 2)
    def->axis = ch_axis(2);
  else if (status == CH_OK && def->type == CH_FORCE_TORSION)
    status = ch_check_axis(context, world, what, "axis", &def->axis);
  return status == CH_OK ? check_signals(context, world, def, what) : status;
}

// A wrench follows the skin about its point. Springs and dampers on deformable bodies are freedoms of joints, where
// they are part of the contact problem.
static ChStatus grip_point(ChContext* context, ChWorld* world, const char* what, ChForce* force) {
  for (int k = 0; k < 2; ++k) {
    const int b = force->body[k];
    const ChSoft* soft = b < 0 ? NULL : world->bodies[b].soft;
    if (!soft || soft->skin_only) continue;
    const bool spring = force->def.type == CH_FORCE_SPRING || force->def.type == CH_FORCE_TORSION;
    if (force->def.type != CH_FORCE_WRENCH)
      return ch_fail(context, CH_ERR_UNSUPPORTED, "%s: body '%.100s' is deformable%s", what, world->bodies[b].name,
                     spring ? "; a distance joint or a hinge with \"stiffness\" and \"damping\" does the same"
                            : ", and takes wrenches only");
    const bool later = world->mode_count > 0;  // it is sealed, and may be bent: points are about the centre of mass
    const double* q = later ? ch_state_modes(world, world->states, b) : NULL;
    ChVec3 at = later ? force->def.at[0] : ch_add(force->def.at[0], world->bodies[b].origin);
    ChStatus status = ch_soft_grip_make(context, world->arena, soft, q ? ch_soft_rest_place(soft, q, at) : at, 0.0,
                                        what, &force->grip);
    if (status != CH_OK) return status;
    if (q) force->def.at[0] = ch_soft_grip_rest(force->grip, q, (ChFrame){at, ch_quat_identity()}).at;
  }
  return CH_OK;
}

static ChForce make_force(const ChWorld* world, const ChForceDef* def, const int body[2]) {
  ChForce force = {.body = {body[0], body[1]}, .def = *def};
  ChFrame frame[2];
  for (int k = 0; k < 2; ++k) {
    frame[k] = ch_state_frame(world->states, body[k]);
    force.start_angle += (k == 0 ? -1.0 : 1.0) * (body[k] < 0 ? 0.0 : world->states[body[k]].angle);
  }
  if (def->type == CH_FORCE_SPRING && def->length_as_is)
    force.def.length = ch_norm(ch_sub(ch_frame_point(frame[1], def->at[1]), ch_frame_point(frame[0], def->at[0])));
  if (def->type == CH_FORCE_TORSION) {
    ChVec3 x, y;
    ch_tangents(def->axis, &x, &y);
    force.turn[0] = ch_quat_from_axes(x, y, def->axis);
    force.turn[1] =
        ch_quat_product(ch_quat_conjugate(frame[1].orientation), ch_quat_product(frame[0].orientation, force.turn[0]));
  }
  return force;
}

static ChStatus add_force(ChContext* context, ChWorld* world, const void* argument, int* id) {
  ChForceDef def = *(const ChForceDef*)argument;
  if ((unsigned)def.type >= sizeof names / sizeof *names)
    return ch_fail(context, CH_ERR_ARGUMENT, "force: type is %d, which does not exist", (int)def.type);
  char name[32], what[CH_WHAT_SIZE];
  snprintf(name, sizeof name, "force %d", world->force_count);
  if (!def.name) def.name = name;
  snprintf(what, sizeof what, "%s '%.100s'", names[def.type], def.name);
  int body[2];
  ChStatus status = check_force(context, world, &def, what, body);
  if (status != CH_OK) return status;
  ChForce force = make_force(world, &def, body);
  status = grip_point(context, world, what, &force);
  if (status != CH_OK) return status;
  force.def.name = ch_world_copy_text(world, def.name);
  for (int k = 0; k < 3; ++k) {
    force.def.force[k] = ch_signal_copy(world, &def.force[k]);
    force.def.torque[k] = ch_signal_copy(world, &def.torque[k]);
  }
  CH_GROW(world, forces, force_count, force_room);
  force.slot = ch_slot_take(world, &world->force_slots, world->force_count);
  world->forces[world->force_count] = force;
  *id = world->force_count++;
  return CH_OK;
}

ChForceDef ch_force_def_default(void) { return (ChForceDef){.axis = {0.0, 0.0, 1.0}, .length_as_is = true}; }

ChStatus ch_world_add_force(ChContext* context, ChWorld* world, const ChForceDef* def, ChForceId* id) {
  int row;
  ChStatus status = ch_world_add(context, world, def, &row, add_force);
  if (status == CH_OK && id) *id = ch_force_id_of(world, row);
  return status;
}

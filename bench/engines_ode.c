// ODE 0.16 in double precision. Its cone is a square about the circle; sleeping is off unless asked for.
//
// ODE has no lock along an axis, and its planar joint knows the xy plane only: a body that is to stay in the xz plane
// is put back there after each step. In S5 nothing but rounding pushes it out.
#include <ode/ode.h>
#include <stdlib.h>

#include "base/vector.h"
#include "collide/collide.h"
#include "engines.h"

enum { QUICK_20, QUICK_200, DANTZIG, CONTACTS_MOST = 16 };

static const double TOUCHING = 1e-9;  // metres

typedef struct Ode {
  const ChSceneBodies* scene;
  dWorldID world;
  dSpaceID space;
  dJointGroupID contacts;
  dBodyID* bodies;
  double h;
  bool dantzig;
  int contact_count;
  // Scenes with blocks.
  ChWorld* world_of_ours;
  ChCollider* collider;
  ChBodyState* states;
} Ode;

static void contact_add(Ode* ode, dContact* contact, dBodyID a, dBodyID b) {
  contact->surface = (dSurfaceParameters){.mode = dContactApprox1, .mu = ode->scene->mu};
  dJointAttach(dJointCreateContact(ode->world, ode->contacts, contact), a, b);
  ++ode->contact_count;
}

static void on_near(void* data, dGeomID a, dGeomID b) {
  dBodyID body_a = dGeomGetBody(a), body_b = dGeomGetBody(b);
  if (!body_a && !body_b) return;
  dContact contact[CONTACTS_MOST];
  int count = dCollide(a, b, CONTACTS_MOST, &contact[0].geom, sizeof *contact);
  for (int i = 0; i < count; ++i) contact_add(data, &contact[i], body_a, body_b);
}

static void read(void* engine, int i, ChBodyView* view) {
  const Ode* ode = engine;
  const ChSceneBody* from = &ode->scene->list[i];
  *view = (ChBodyView){.position = from->position, .orientation = from->orientation};
  if (from->fixed) return;
  const dReal *p = dBodyGetPosition(ode->bodies[i]), *q = dBodyGetQuaternion(ode->bodies[i]);
  const dReal* v = dBodyGetLinearVel(ode->bodies[i]);
  view->position = ch_vec(p[0], p[1], p[2]);
  view->orientation = (ChQuat){q[0], q[1], q[2], q[3]};
  view->velocity = ch_vec(v[0], v[1], v[2]);
}

// Our manifolds, for scenes with blocks: touching and overlapping ones, as ODE's own would be.
static void collide_by_ours(Ode* ode) {
  ChContext context = {0};
  ChCollideOptions options = {.margin = TOUCHING};
  const ChGap* gaps;
  int count = 0;
  for (int i = 0; i < ode->scene->count; ++i) {
    ChBodyView view;
    read(ode, i, &view);
    ode->states[i] = (ChBodyState){.position = view.position, .orientation = view.orientation};
  }
  if (ch_collide(&context, ode->collider, ode->states, &options, &gaps, &count) != CH_OK) return;
  for (int i = 0; i < count; ++i) {
    dContact contact = {.geom = {.depth = fmax(-gaps[i].gap, 0.0)}};
    for (int k = 0; k < 3; ++k) {
      contact.geom.pos[k] = ch_component(gaps[i].point, k);
      contact.geom.normal[k] = -ch_component(gaps[i].normal, k);  // ODE's points into the first body
    }
    contact_add(ode, &contact, ode->bodies[gaps[i].body[0]], ode->bodies[gaps[i].body[1]]);
  }
}

static bool collider_open(Ode* ode) {
  ChContext context = {0};
  ode->world_of_ours = ch_engine_world(&context, ode->scene);
  return ode->world_of_ours && ch_world_seal(&context, ode->world_of_ours) == CH_OK &&
         ch_collider_create(&context, ode->world_of_ours, &ode->collider) == CH_OK;
}

static dGeomID geometry_create(Ode* ode, const ChSceneBody* from) {
  if (from->shape == CH_SCENE_SPHERE) return dCreateSphere(ode->space, from->radius);
  return dCreateBox(ode->space, 2.0 * from->half.x, 2.0 * from->half.y, 2.0 * from->half.z);
}

static void body_create(Ode* ode, int i) {
  const ChSceneBody* from = &ode->scene->list[i];
  dQuaternion q = {from->orientation.w, from->orientation.x, from->orientation.y, from->orientation.z};
  dGeomID geometry = ode->collider ? NULL : geometry_create(ode, from);
  if (from->fixed && geometry) {
    dGeomSetPosition(geometry, from->position.x, from->position.y, from->position.z);
    dGeomSetQuaternion(geometry, q);
  }
  if (from->fixed) return;
  dMass mass;
  dMassSetParameters(&mass, from->mass, 0.0, 0.0, 0.0, from->inertia.x, from->inertia.y, from->inertia.z, 0.0, 0.0,
                     0.0);
  ode->bodies[i] = dBodyCreate(ode->world);
  dBodySetMass(ode->bodies[i], &mass);
  dBodySetPosition(ode->bodies[i], from->position.x, from->position.y, from->position.z);
  dBodySetQuaternion(ode->bodies[i], q);
  if (geometry) dGeomSetBody(geometry, ode->bodies[i]);
}

static void world_set(Ode* ode, int variant) {
  ChVec3 g = ode->scene->gravity;
  dWorldSetGravity(ode->world, g.x, g.y, g.z);
  dWorldSetERP(ode->world, 0.2);
  dWorldSetCFM(ode->world, variant == QUICK_20 ? 1e-10 : variant == QUICK_200 ? 1e-7 : 1e-8);
  dWorldSetContactSurfaceLayer(ode->world, variant == QUICK_200 ? 1e-3 : 0.0);
  dWorldSetQuickStepNumIterations(ode->world, variant == QUICK_200 ? 200 : 20);
  dWorldSetAutoDisableFlag(ode->world, 0);
}

static void destroy(void* engine) {
  Ode* ode = engine;
  dJointGroupDestroy(ode->contacts);
  dSpaceDestroy(ode->space);
  dWorldDestroy(ode->world);
  dCloseODE();
  free(ode->bodies);
  free(ode->states);
  ch_collider_destroy(ode->collider);
  ch_world_destroy(ode->world_of_ours);
  free(ode);
}

static void* create(const ChEngineInput* input) {
  size_t count = (size_t)input->scene->count;
  Ode* ode = calloc(1, sizeof *ode);
  if (!ode || !dInitODE2(0)) return NULL;
  *ode = (Ode){.scene = input->scene,
               .world = dWorldCreate(),
               .space = dHashSpaceCreate(NULL),
               .contacts = dJointGroupCreate(0),
               .bodies = calloc(count, sizeof *ode->bodies),
               .h = input->h,
               .dantzig = input->row->variant == DANTZIG,
               .states = calloc(count, sizeof *ode->states)};
  bool blocks = input->scene->list[count - 1].shape == CH_SCENE_BLOCK;
  if (!ode->bodies || !ode->states || (blocks && !collider_open(ode))) {
    destroy(ode);
    return NULL;
  }
  world_set(ode, input->row->variant);
  for (int i = 0; i < input->scene->count; ++i) body_create(ode, i);
  return ode;
}

static void keep_in_plane(const Ode* ode) {
  for (int i = 0; i < ode->scene->count; ++i) {
    if (!ode->scene->list[i].in_plane) continue;
    dBodyID body = ode->bodies[i];
    const dReal *p = dBodyGetPosition(body), *v = dBodyGetLinearVel(body), *w = dBodyGetAngularVel(body);
    dBodySetPosition(body, p[0], 0.0, p[2]);
    dBodySetLinearVel(body, v[0], 0.0, v[2]);
    dBodySetAngularVel(body, 0.0, w[1], 0.0);
  }
}

static bool step(void* engine) {
  Ode* ode = engine;
  ode->contact_count = 0;
  if (ode->collider)
    collide_by_ours(ode);
  else
    dSpaceCollide(ode->space, ode, on_near);
  bool made = ode->dantzig ? dWorldStep(ode->world, ode->h) : dWorldQuickStep(ode->world, ode->h);
  dJointGroupEmpty(ode->contacts);
  keep_in_plane(ode);
  return made;
}

static void report(void* engine, ChEngineReport* out) { out->contacts = ((Ode*)engine)->contact_count; }

const ChEngineRow* ch_engine_rows_ode(int* count) {
  static const ChEngineRow rows[] = {
      CH_ENGINE_ROW("ODE quick", QUICK_20, "dWorldQuickStep, 20 iterations, CFM 1e-10, ERP 0.2, no surface layer"),
      CH_ENGINE_ROW("ODE quick 200", QUICK_200, "dWorldQuickStep, 200 iterations, CFM 1e-7, surface layer 1 mm"),
      CH_ENGINE_ROW("ODE Dantzig", DANTZIG, "dWorldStep, CFM 1e-8, ERP 0.2, no surface layer"),
  };
  *count = sizeof rows / sizeof *rows;
  return rows;
}

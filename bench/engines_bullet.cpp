// Bullet 3.24 in double precision, sleeping off. It multiplies the two frictions: each body gets the root of mu.
#include <BulletCollision/CollisionDispatch/btConvexConvexAlgorithm.h>
#include <BulletCollision/CollisionShapes/btConvexHullShape.h>
#include <BulletDynamics/MLCPSolvers/btDantzigSolver.h>
#include <BulletDynamics/MLCPSolvers/btMLCPSolver.h>
#include <btBulletDynamicsCommon.h>

#include <cmath>
#include <memory>
#include <vector>

#include "engines.h"

namespace {

enum { SWEEPS_10, SWEEPS_200, DANTZIG };

// Destroyed from the last member to the first, so bodies go before the world's parts that know them.
struct Bullet {
  const ChSceneBodies* scene;
  double h;
  btDefaultCollisionConfiguration configuration;
  std::unique_ptr<btCollisionDispatcher> dispatcher;
  btDbvtBroadphase broad_phase;
  btDantzigSolver dantzig;
  std::unique_ptr<btSequentialImpulseConstraintSolver> solver;
  std::unique_ptr<btDiscreteDynamicsWorld> world;
  std::vector<std::unique_ptr<btCollisionShape>> shapes;
  std::vector<std::unique_ptr<btRigidBody>> bodies;

  ~Bullet() {
    for (auto& body : bodies) world->removeRigidBody(body.get());
  }
};

btVector3 vector_of(const ChVec3& v) { return btVector3(v.x, v.y, v.z); }

// Where the three faces that meet in a corner of the block meet when each is drawn in by the margin.
btVector3 corner_drawn_in(const ChSceneBody& from, unsigned corner, double margin) {
  btVector3 normals[3];
  double offsets[3];
  int count = 0;
  for (const auto& face : ch_block_faces) {
    bool meets = false;
    for (unsigned k : face) meets |= k == corner;
    if (!meets || count == 3) continue;
    btVector3 a = vector_of(from.corners[face[0]]);
    btVector3 n = (vector_of(from.corners[face[1]]) - a).cross(vector_of(from.corners[face[2]]) - a).normalized();
    if (n.dot(a) < 0.0) n = -n;
    normals[count] = n;
    offsets[count++] = n.dot(a) - margin;
  }
  btVector3 yz = normals[1].cross(normals[2]), zx = normals[2].cross(normals[0]), xy = normals[0].cross(normals[1]);
  return (offsets[0] * yz + offsets[1] * zx + offsets[2] * xy) / normals[0].dot(yz);
}

// A hull grows by its margin, so its corners are drawn in and its faces stay in place. Separating axes work on the
// corners alone, without the margin.
btCollisionShape* hull_create(const ChSceneBody& from, bool separating_axes) {
  double margin = separating_axes ? 1e-4 : 1e-3;
  btConvexHullShape* hull = new btConvexHullShape();
  for (unsigned i = 0; i < CH_BLOCK_CORNERS; ++i)
    hull->addPoint(separating_axes ? vector_of(from.corners[i]) : corner_drawn_in(from, i, margin), false);
  hull->recalcLocalAabb();
  hull->setMargin(margin);
  if (separating_axes) hull->initializePolyhedralFeatures();
  return hull;
}

btCollisionShape* shape_create(const ChSceneBody& from, int variant) {
  if (from.shape == CH_SCENE_SPHERE) return new btSphereShape(from.radius);
  if (from.shape == CH_SCENE_BLOCK) return hull_create(from, variant == SWEEPS_200);
  btBoxShape* box = new btBoxShape(vector_of(from.half));
  if (variant == SWEEPS_200) box->initializePolyhedralFeatures();
  return box;
}

void body_add(Bullet* bullet, const ChSceneBody& from, int variant) {
  bullet->shapes.emplace_back(shape_create(from, variant));
  btRigidBody::btRigidBodyConstructionInfo info(from.fixed ? 0.0 : from.mass, nullptr, bullet->shapes.back().get(),
                                                from.fixed ? btVector3(0, 0, 0) : vector_of(from.inertia));
  const ChQuat& q = from.orientation;
  info.m_startWorldTransform = btTransform(btQuaternion(q.x, q.y, q.z, q.w), vector_of(from.position));
  info.m_friction = std::sqrt(bullet->scene->mu);
  bullet->bodies.emplace_back(new btRigidBody(info));
  btRigidBody* body = bullet->bodies.back().get();
  body->setActivationState(DISABLE_DEACTIVATION);
  if (from.in_plane) {
    body->setLinearFactor(btVector3(1, 0, 1));
    body->setAngularFactor(btVector3(0, 1, 0));
  }
  bullet->world->addRigidBody(body);
}

void* create(const ChEngineInput* input) {
  int variant = input->row->variant;
  std::unique_ptr<Bullet> bullet(new Bullet());
  bullet->scene = input->scene;
  bullet->h = input->h;
  bullet->dispatcher.reset(new btCollisionDispatcher(&bullet->configuration));
  if (variant == DANTZIG)
    bullet->solver.reset(new btMLCPSolver(&bullet->dantzig));
  else
    bullet->solver.reset(new btSequentialImpulseConstraintSolver());
  bullet->world.reset(new btDiscreteDynamicsWorld(bullet->dispatcher.get(), &bullet->broad_phase, bullet->solver.get(),
                                                  &bullet->configuration));
  btContactSolverInfo& solving = bullet->world->getSolverInfo();
  if (variant != SWEEPS_10) solving.m_numIterations = 200;
  if (variant == SWEEPS_200) {
    solving.m_solverMode |= SOLVER_USE_2_FRICTION_DIRECTIONS;
    bullet->world->getDispatchInfo().m_enableSatConvex = true;
  }
  if (variant == DANTZIG) {
    solving.m_globalCfm = 1e-6;
    solving.m_minimumSolverBatchSize = 1;  // islands are not thrown together
  }
  bullet->world->setGravity(vector_of(input->scene->gravity));
  for (int i = 0; i < input->scene->count; ++i) body_add(bullet.get(), input->scene->list[i], variant);
  return bullet.release();
}

bool step(void* engine) {
  Bullet* bullet = static_cast<Bullet*>(engine);
  bullet->world->stepSimulation(bullet->h, 0);  // one step of exactly h
  return true;
}

void read(void* engine, int i, ChBodyView* view) {
  const btRigidBody& body = *static_cast<Bullet*>(engine)->bodies[i];
  const btVector3 &p = body.getWorldTransform().getOrigin(), &v = body.getLinearVelocity();
  btQuaternion q = body.getOrientation();
  *view = ChBodyView();
  view->position = {p.x(), p.y(), p.z()};
  view->orientation = {q.w(), q.x(), q.y(), q.z()};
  view->velocity = {v.x(), v.y(), v.z()};
}

void report(void* engine, ChEngineReport* out) {
  btCollisionDispatcher* dispatcher = static_cast<Bullet*>(engine)->dispatcher.get();
  out->contacts = 0;
  for (int i = 0; i < dispatcher->getNumManifolds(); ++i)
    out->contacts += dispatcher->getManifoldByIndexInternal(i)->getNumContacts();
}

void destroy(void* engine) { delete static_cast<Bullet*>(engine); }

}  // namespace

extern "C" const ChEngineRow* ch_engine_rows_bullet(int* count) {
  static const ChEngineRow rows[] = {
      CH_ENGINE_ROW("Bullet", SWEEPS_10, "sequential impulses, 10 iterations, split impulse, hull margin 1 mm"),
      CH_ENGINE_ROW("Bullet 200", SWEEPS_200,
                    "200 iterations, two friction directions, separating axes for hulls, hull margin 0.1 mm"),
      CH_ENGINE_ROW("Bullet Dantzig", DANTZIG, "btMLCPSolver with btDantzigSolver, CFM 1e-6, else 200 sweeps"),
  };
  *count = sizeof rows / sizeof *rows;
  return rows;
}

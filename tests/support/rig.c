// Rigs: see rig.h. Every constraint keeps, for each body it holds, its rows of the Jacobian (an "arm"); the global form
// is those arms as they stand, the local form sums J_i M_b^-1 J_j^T over the pairs of arms of every body b.
#include "support/rig.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/random.h"

enum { DOF_MAX = 6 };

typedef struct Body {
  double mass, inertia[9], position[3];
  double velocity[DOF_MAX];
  double M[DOF_MAX * DOF_MAX], inverse[DOF_MAX * DOF_MAX];
} Body;

typedef struct Arm {
  int block, body;
  double J[CH_BLOCK_MAX][DOF_MAX];
} Arm;

struct ChRig {
  int dimension, dof;  // dof of one body
  double h, gravity[3];
  double rolling, drilling;  // of contacts to come
  bool shared;
  int body_count, block_count, arm_count;
  Body* bodies;
  ChBlock* blocks;
  double (*bias)[CH_BLOCK_MAX];
  Arm* arms;
};

// Room for one more element; capacities are the powers of two.
static void* grown(void* array, int count, size_t size) {
  if (count != 0 && (count & (count - 1)) != 0) return array;
  void* bigger = realloc(array, (count == 0 ? 1 : 2 * (size_t)count) * size);
  if (!bigger) abort();
  return bigger;
}

static void* zeroed(size_t count, size_t size) {
  void* array = calloc(count ? count : 1, size);
  if (!array) abort();
  return array;
}

ChRig* ch_rig_create(int dimension, double h, const double gravity[3]) {
  ChRig* rig = zeroed(1, sizeof *rig);
  rig->dimension = dimension;
  rig->dof = dimension == 2 ? 3 : 6;
  rig->h = h;
  memcpy(rig->gravity, gravity, sizeof rig->gravity);
  return rig;
}

void ch_rig_destroy(ChRig* rig) {
  if (!rig) return;
  free(rig->bodies);
  free(rig->blocks);
  free(rig->bias);
  free(rig->arms);
  free(rig);
}

int ch_rig_body_count(const ChRig* rig) { return rig->body_count; }
int ch_rig_block_count(const ChRig* rig) { return rig->block_count; }
const double* ch_rig_position(const ChRig* rig, int body) { return rig->bodies[body].position; }

// --- bodies ----------------------------------------------------------------------------------------------------------

static void invert3(const double a[9], double out[9]) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const int i1 = (j + 1) % 3, i2 = (j + 2) % 3, j1 = (i + 1) % 3, j2 = (i + 2) % 3;
      out[3 * i + j] = a[3 * i1 + j1] * a[3 * i2 + j2] - a[3 * i1 + j2] * a[3 * i2 + j1];
    }
  const double determinant = a[0] * out[0] + a[1] * out[3] + a[2] * out[6];
  for (int i = 0; i < 9; ++i) out[i] /= determinant;
}

static void fill_mass(const ChRig* rig, Body* body) {
  const int n = rig->dof, d = rig->dimension;
  for (int i = 0; i < d; ++i) {
    body->M[i * n + i] = body->mass;
    body->inverse[i * n + i] = 1.0 / body->mass;
  }
  if (d == 2) {
    body->M[8] = body->inertia[8];
    body->inverse[8] = 1.0 / body->inertia[8];
    return;
  }
  double inverse[9];
  invert3(body->inertia, inverse);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      body->M[(3 + i) * n + 3 + j] = body->inertia[3 * i + j];
      body->inverse[(3 + i) * n + 3 + j] = inverse[3 * i + j];
    }
}

int ch_rig_add_body(ChRig* rig, double mass, const double inertia[9], const double position[3]) {
  rig->bodies = grown(rig->bodies, rig->body_count, sizeof *rig->bodies);
  Body* body = &rig->bodies[rig->body_count];
  *body = (Body){.mass = mass};
  memcpy(body->inertia, inertia, sizeof body->inertia);
  memcpy(body->position, position, sizeof body->position);
  fill_mass(rig, body);
  return rig->body_count++;
}

int ch_rig_add_sphere(ChRig* rig, double density, double radius, const double position[3]) {
  const double pi = 3.141592653589793;
  const bool disk = rig->dimension == 2;
  const double mass = density * pi * radius * radius * (disk ? 1.0 : 4.0 / 3.0 * radius);
  const double moment = (disk ? 0.5 : 0.4) * mass * radius * radius;
  const double inertia[9] = {moment, 0, 0, 0, moment, 0, 0, 0, moment};
  return ch_rig_add_body(rig, mass, inertia, position);
}

int ch_rig_add_box_of_mass(ChRig* rig, double mass, const double size[3], const double axes[9],
                           const double position[3]) {
  static const double world[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  const double* R = axes ? axes : world;
  double inertia[9] = {0};
  for (int k = 0; k < 3; ++k) {
    const double a = size[(k + 1) % 3], b = size[(k + 2) % 3];
    const double moment = mass * (a * a + b * b) / 12.0;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) inertia[3 * i + j] += moment * R[3 * i + k] * R[3 * j + k];
  }
  return ch_rig_add_body(rig, mass, inertia, position);
}

int ch_rig_add_box(ChRig* rig, double density, const double size[3], const double axes[9], const double position[3]) {
  const double volume = size[0] * size[1] * (rig->dimension == 2 ? 1.0 : size[2]);
  return ch_rig_add_box_of_mass(rig, density * volume, size, axes, position);
}

void ch_rig_push(ChRig* rig, int body, const double* velocity) {
  for (int i = 0; i < rig->dof; ++i) rig->bodies[body].velocity[i] += velocity[i];
}

void ch_rig_shake(ChRig* rig, double noise, double length, double seed) {
  if (noise == 0.0) return;
  ChRandom random = ch_random_seeded(seed);
  for (int b = 0; b < rig->body_count; ++b)
    for (int i = 0; i < rig->dof; ++i)
      rig->bodies[b].velocity[i] += noise * ch_random_normal(&random) / (i < rig->dimension ? 1.0 : length);
}

// --- constraints -----------------------------------------------------------------------------------------------------

static int add_block(ChRig* rig, ChBlock block) {
  rig->blocks = grown(rig->blocks, rig->block_count, sizeof *rig->blocks);
  rig->bias = grown(rig->bias, rig->block_count, sizeof *rig->bias);
  rig->blocks[rig->block_count] = block;
  memset(rig->bias[rig->block_count], 0, sizeof *rig->bias);
  return rig->block_count++;
}

static Arm* add_arm(ChRig* rig, int block, int body) {
  rig->arms = grown(rig->arms, rig->arm_count, sizeof *rig->arms);
  Arm* arm = &rig->arms[rig->arm_count++];
  memset(arm, 0, sizeof *arm);
  arm->block = block;
  arm->body = body;
  return arm;
}

// Row of the Jacobian that reads the velocity of a body's point along `direction`, times sign.
static void point_row(const ChRig* rig, int body, const double point[3], const double direction[3], double sign,
                      double* row) {
  const double* x = rig->bodies[body].position;
  const double a[3] = {point[0] - x[0], point[1] - x[1], point[2] - x[2]};
  for (int i = 0; i < rig->dimension; ++i) row[i] = sign * direction[i];
  if (rig->dimension == 2) {
    row[2] = sign * (a[0] * direction[1] - a[1] * direction[0]);
  } else {
    for (int i = 0; i < 3; ++i) {
      const int j = (i + 1) % 3, k = (i + 2) % 3;
      row[3 + i] = sign * (a[j] * direction[k] - a[k] * direction[j]);
    }
  }
}

// Fills rows first .. first + count - 1 of a block with point velocities along the given directions.
static void hold_point(ChRig* rig, int block, int a, int b, const double point[3], int count,
                       const double directions[][3]) {
  const int ends[2] = {a, b};
  for (int e = 0; e < 2; ++e) {
    if (ends[e] == CH_RIG_GROUND) continue;
    Arm* arm = add_arm(rig, block, ends[e]);
    for (int k = 0; k < count; ++k) point_row(rig, ends[e], point, directions[k], e == 0 ? -1.0 : 1.0, arm->J[k]);
  }
}

// Adds, to rows first onward of the arms of the newest block, relative angular velocities along the directions.
static void hold_turn(ChRig* rig, int block, int a, int b, int first, int count, const double directions[][3]) {
  const int ends[2] = {a, b};
  for (int e = 0; e < 2; ++e) {
    if (ends[e] == CH_RIG_GROUND) continue;
    Arm* arm = NULL;
    for (int k = rig->arm_count - 1; k >= 0 && rig->arms[k].block == block; --k)
      if (rig->arms[k].body == ends[e]) arm = &rig->arms[k];
    if (!arm) arm = add_arm(rig, block, ends[e]);
    const double sign = e == 0 ? -1.0 : 1.0;
    for (int k = 0; k < count; ++k) {
      if (rig->dimension == 2)
        arm->J[first + k][2] = sign;
      else
        for (int i = 0; i < 3; ++i) arm->J[first + k][3 + i] = sign * directions[k][i];
    }
  }
}

static void normalize(double x[3]) {
  const double length = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
  for (int i = 0; i < 3; ++i) x[i] /= length;
}

static void cross(const double a[3], const double b[3], double out[3]) {
  for (int i = 0; i < 3; ++i) out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

// (normal, tangent 1, tangent 2), right-handed; tangent 1 as near to `hint` as it can be.
static void make_frame(int dimension, const double normal[3], const double hint[3], double frame[3][3]) {
  memcpy(frame[0], normal, sizeof frame[0]);
  if (dimension == 2) frame[0][2] = 0.0;
  normalize(frame[0]);
  if (dimension == 2) {
    frame[1][0] = -frame[0][1], frame[1][1] = frame[0][0], frame[1][2] = 0.0;
    return;
  }
  const double along = hint[0] * frame[0][0] + hint[1] * frame[0][1] + hint[2] * frame[0][2];
  for (int i = 0; i < 3; ++i) frame[1][i] = hint[i] - along * frame[0][i];
  normalize(frame[1]);
  cross(frame[0], frame[1], frame[2]);
}

static int add_contact(ChRig* rig, int a, int b, const double point[3], const double normal[3], const double hint[3],
                       const double mu[2]) {
  double frame[3][3];
  make_frame(rig->dimension, normal, hint, frame);
  const bool rolls = rig->rolling > 0.0 && mu[0] == mu[1],
             drills = rig->drilling > 0.0 && mu[0] == mu[1] && rig->dimension == 3;
  ChBlock contact = {.law = CH_LAW_CONTACT, .dimension = rig->dimension, .mu = {mu[0], mu[1]}};
  if (rolls || drills) {
    contact.law = rolls ? CH_LAW_ROLLING : rig->shared ? CH_LAW_ELLIPSOIDAL : CH_LAW_DRILLING;
    contact.dimension += (rolls ? rig->dimension - 1 : 0) + drills;
    contact.more[0] = rig->rolling, contact.more[1] = rig->drilling;
  }
  const int block = add_block(rig, contact);
  hold_point(rig, block, a, b, point, rig->dimension, frame);
  if (rolls) hold_turn(rig, block, a, b, rig->dimension, rig->dimension - 1, (const double(*)[3])frame + 1);
  if (drills) hold_turn(rig, block, a, b, contact.dimension - 1, 1, (const double(*)[3])frame);
  return block;
}

void ch_rig_set_moments(ChRig* rig, double rolling, double drilling, bool shared) {
  rig->rolling = rolling;
  rig->drilling = drilling;
  rig->shared = shared;
}

int ch_rig_add_contact(ChRig* rig, int a, int b, const double point[3], const double normal[3], double mu) {
  const double both[2] = {mu, mu};
  const bool steep =
      fabs(normal[0]) > 0.7 * sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
  const double hint[3] = {steep ? 0.0 : 1.0, 0.0, steep ? 1.0 : 0.0};
  return add_contact(rig, a, b, point, normal, hint, both);
}

int ch_rig_add_elliptic(ChRig* rig, int a, int b, const double point[3], const double normal[3],
                        const double tangent[3], const double mu[2]) {
  return add_contact(rig, a, b, point, normal, tangent, mu);
}

int ch_rig_add_unilateral(ChRig* rig, int a, int b, const double point[3], const double normal[3]) {
  double direction[1][3];
  memcpy(direction[0], normal, sizeof direction[0]);
  normalize(direction[0]);
  const int block = add_block(rig, (ChBlock){.law = CH_LAW_UNILATERAL, .dimension = 1});
  hold_point(rig, block, a, b, point, 1, direction);
  return block;
}

static const double world_axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

int ch_rig_add_ball(ChRig* rig, int a, int b, const double point[3]) {
  const int block = add_block(rig, (ChBlock){.law = CH_LAW_BILATERAL, .dimension = rig->dimension});
  hold_point(rig, block, a, b, point, rig->dimension, world_axes);
  return block;
}

int ch_rig_add_hinge(ChRig* rig, int a, int b, const double point[3], const double axis[3]) {
  const int block = add_block(rig, (ChBlock){.law = CH_LAW_BILATERAL, .dimension = 5});
  hold_point(rig, block, a, b, point, 3, world_axes);
  double frame[3][3];
  const double hint[3] = {fabs(axis[0]) < 0.7 ? 1.0 : 0.0, fabs(axis[0]) < 0.7 ? 0.0 : 1.0, 0.0};
  make_frame(3, axis, hint, frame);
  hold_turn(rig, block, a, b, 3, 2, (const double(*)[3])frame + 1);
  return block;
}

int ch_rig_add_motor(ChRig* rig, int a, int b, const double axis[3], double speed, double limit) {
  double direction[1][3];
  memcpy(direction[0], axis, sizeof direction[0]);
  normalize(direction[0]);
  const int block = add_block(rig, (ChBlock){.law = CH_LAW_LIMIT, .dimension = 1, .lo = -limit, .hi = limit});
  hold_turn(rig, block, a, b, 0, 1, (const double(*)[3])direction);
  ch_rig_add_bias(rig, block, 0, -speed);
  return block;
}

void ch_rig_add_bias(ChRig* rig, int block, int row, double bias) { rig->bias[block][row] += bias; }

// --- assembly --------------------------------------------------------------------------------------------------------

typedef struct Entries {
  long count;
  int *row, *column;
  double* value;
} Entries;

static void put(Entries* e, int row, int column, double value) {
  if (value == 0.0) return;
  e->row[e->count] = row;
  e->column[e->count] = column;
  e->value[e->count++] = value;
}

static Entries make_entries(size_t room) {
  return (Entries){
      .row = zeroed(room, sizeof(int)), .column = zeroed(room, sizeof(int)), .value = zeroed(room, sizeof(double))};
}

static ChTriplets as_triplets(const Entries* e, int rows, int columns) {
  return (ChTriplets){rows, columns, e->count, e->row, e->column, e->value};
}

static void free_entries(Entries* e) {
  free(e->row);
  free(e->column);
  free(e->value);
}

static int* first_rows(const ChRig* rig, int* rows) {
  int* first = zeroed((size_t)rig->block_count, sizeof *first);
  *rows = 0;
  for (int i = 0; i < rig->block_count; ++i) {
    first[i] = *rows;
    *rows += rig->blocks[i].dimension;
  }
  return first;
}

// Velocity of a body at the end of the step if nothing held it.
static void predict(const ChRig* rig, const Body* body, double* velocity) {
  memcpy(velocity, body->velocity, sizeof body->velocity);
  for (int i = 0; i < rig->dimension; ++i) velocity[i] += rig->h * rig->gravity[i];
}

static double* biases(const ChRig* rig, const int* first, int rows) {
  double* w = zeroed((size_t)rows, sizeof *w);
  for (int i = 0; i < rig->block_count; ++i)
    for (int k = 0; k < rig->blocks[i].dimension; ++k) w[first[i] + k] = rig->bias[i][k];
  return w;
}

static ChStatus build_global(ChContext* context, const ChRig* rig, ChProblem** out) {
  const int n = rig->dof, dof = n * rig->body_count;
  int rows;
  int* first = first_rows(rig, &rows);
  Entries M = make_entries((size_t)rig->body_count * (size_t)(n * n));
  Entries H = make_entries((size_t)rig->arm_count * CH_BLOCK_MAX * (size_t)n);
  double *f = zeroed((size_t)dof, sizeof *f), *w = biases(rig, first, rows);
  for (int b = 0; b < rig->body_count; ++b) {
    const Body* body = &rig->bodies[b];
    double predicted[DOF_MAX];
    predict(rig, body, predicted);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        put(&M, n * b + i, n * b + j, body->M[i * n + j]);
        f[n * b + i] += body->M[i * n + j] * predicted[j];
      }
  }
  for (int a = 0; a < rig->arm_count; ++a) {
    const Arm* arm = &rig->arms[a];
    for (int k = 0; k < rig->blocks[arm->block].dimension; ++k)
      for (int i = 0; i < n; ++i) put(&H, n * arm->body + i, first[arm->block] + k, arm->J[k][i]);
  }
  const ChProblemDef def = {.form = CH_FORM_GLOBAL,
                            .dimension = rig->dimension,
                            .block_count = rig->block_count,
                            .blocks = rig->blocks,
                            .M = as_triplets(&M, dof, dof),
                            .H = as_triplets(&H, dof, rows),
                            .f = f,
                            .w = w};
  const ChStatus status = ch_problem_build(context, &def, out);
  free_entries(&M);
  free_entries(&H);
  free(f);
  free(w);
  free(first);
  return status;
}

// arms[start[b]] .. arms[start[b+1]-1] are the arms of body b.
static int* arms_by_body(const ChRig* rig, int* start) {
  int* list = zeroed((size_t)rig->arm_count, sizeof *list);
  for (int a = 0; a < rig->arm_count; ++a) ++start[rig->arms[a].body + 1];
  for (int b = 0; b < rig->body_count; ++b) start[b + 1] += start[b];
  int* next = zeroed((size_t)rig->body_count, sizeof *next);
  for (int a = 0; a < rig->arm_count; ++a) {
    const int b = rig->arms[a].body;
    list[start[b] + next[b]++] = a;
  }
  free(next);
  return list;
}

// W += J_i M_b^-1 J_j^T
static void couple(const ChRig* rig, const int* first, const Arm* i, const Arm* j, Entries* W) {
  const int n = rig->dof;
  const double* inverse = rig->bodies[i->body].inverse;
  for (int k = 0; k < rig->blocks[i->block].dimension; ++k)
    for (int l = 0; l < rig->blocks[j->block].dimension; ++l) {
      double sum = 0.0;
      for (int p = 0; p < n; ++p)
        for (int q = 0; q < n; ++q) sum += i->J[k][p] * inverse[p * n + q] * j->J[l][q];
      put(W, first[i->block] + k, first[j->block] + l, sum);
    }
}

static ChStatus build_local(ChContext* context, const ChRig* rig, ChProblem** out) {
  int rows;
  int* first = first_rows(rig, &rows);
  int* start = zeroed((size_t)rig->body_count + 1, sizeof *start);
  int* list = arms_by_body(rig, start);
  size_t room = 0;
  for (int b = 0; b < rig->body_count; ++b) {
    size_t held = 0;
    for (int i = start[b]; i < start[b + 1]; ++i) held += (size_t)rig->blocks[rig->arms[list[i]].block].dimension;
    room += held * held;
  }
  Entries W = make_entries(room);
  double* q = biases(rig, first, rows);
  for (int b = 0; b < rig->body_count; ++b) {
    double predicted[DOF_MAX];
    predict(rig, &rig->bodies[b], predicted);
    for (int i = start[b]; i < start[b + 1]; ++i) {
      const Arm* arm = &rig->arms[list[i]];
      for (int k = 0; k < rig->blocks[arm->block].dimension; ++k)
        for (int p = 0; p < rig->dof; ++p) q[first[arm->block] + k] += arm->J[k][p] * predicted[p];
      for (int j = start[b]; j < start[b + 1]; ++j) couple(rig, first, arm, &rig->arms[list[j]], &W);
    }
  }
  const ChProblemDef def = {.form = CH_FORM_LOCAL,
                            .dimension = rig->dimension,
                            .block_count = rig->block_count,
                            .blocks = rig->blocks,
                            .W = as_triplets(&W, rows, rows),
                            .w = q};
  const ChStatus status = ch_problem_build(context, &def, out);
  free_entries(&W);
  free(q);
  free(list);
  free(start);
  free(first);
  return status;
}

ChStatus ch_rig_build(ChContext* context, const ChRig* rig, ChForm form, ChProblem** out) {
  return form == CH_FORM_LOCAL ? build_local(context, rig, out) : build_global(context, rig, out);
}

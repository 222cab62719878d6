// MuJoCo 2.2 (Debian's last). The model is written as its XML, which is the only way in.
//
// A box that rests on edges goes to MuJoCo as a mesh in the elliptic row, and any box of a stack in the tuned one: its
// box against box routine was seen to return a depth of metres for boxes that touch corner to corner. Meshes get their
// full manifolds (multiccd): with one point a pair nothing stands.
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "engines.h"

enum { PYRAMID, ELLIPTIC, TUNED };
enum { MANY = 500 };  // bodies from which on the conjugate gradients take Newton's place

typedef struct Mujoco {
  const ChSceneBodies* scene;
  mjModel* model;
  mjData* data;
  int* ids;
} Mujoco;

static void write_option(FILE* xml, const ChEngineInput* input) {
  const ChSceneBodies* scene = input->scene;
  bool spheres = scene->list[scene->count - 1].shape == CH_SCENE_SPHERE;
  double share = scene->count >= MANY ? 2.6 : spheres ? 4.0 : 16.0;  // contacts a body; its tables must stay below 2 GB
  int variant = input->row->variant, contacts = (int)(share * scene->count) + 200;
  fprintf(xml,
          "<compiler angle='radian' inertiafromgeom='false' boundmass='0'/>\n"
          "<option timestep='%.17g' gravity='%.17g %.17g %.17g' cone='%s' impratio='%d' solver='%s' iterations='100' "
          "tolerance='%g'><flag multiccd='enable'/></option>\n<size nconmax='%d' njmax='%d'/>\n",
          input->h, scene->gravity.x, scene->gravity.y, scene->gravity.z, variant == PYRAMID ? "pyramidal" : "elliptic",
          variant == PYRAMID ? 1 : 100, scene->count >= MANY ? "CG" : "Newton", variant == TUNED ? 1e-12 : 1e-8,
          contacts, (variant == PYRAMID ? 4 : 3) * contacts);
  fprintf(xml, "<default><geom friction='%.17g 0.005 0.0001'", scene->mu);
  if (variant == TUNED) fprintf(xml, " solref='%g 1' solimp='0.99 0.999 0.0001'", 2.0 * input->h);
  fprintf(xml, "/></default>\n");
}

static bool as_mesh(const ChEngineInput* input, const ChSceneBody* body) {
  if (body->shape == CH_SCENE_BLOCK) return true;
  if (body->shape != CH_SCENE_BOX || body->fixed) return false;
  bool stacked = input->scene->count > 2;  // boxes that move meet each other
  return input->row->variant == TUNED ? stacked : input->row->variant == ELLIPTIC && input->scene->edges;
}

static void write_meshes(FILE* xml, const ChEngineInput* input) {
  fprintf(xml, "<asset>\n");
  for (int i = 0; i < input->scene->count; ++i) {
    const ChSceneBody* body = &input->scene->list[i];
    if (!as_mesh(input, body)) continue;
    fprintf(xml, "<mesh name='m%d' vertex='", i);
    for (int k = 0; k < CH_BLOCK_CORNERS; ++k) {
      ChVec3 half = body->half, corner = body->corners[k];
      if (body->shape == CH_SCENE_BOX)
        corner = ch_vec(k & 1 ? half.x : -half.x, k & 2 ? half.y : -half.y, k & 4 ? half.z : -half.z);
      fprintf(xml, "%.17g %.17g %.17g ", corner.x, corner.y, corner.z);
    }
    fprintf(xml, "'/>\n");
  }
  fprintf(xml, "</asset>\n");
}

static void write_body(FILE* xml, const ChEngineInput* input, int i) {
  const ChSceneBody* body = &input->scene->list[i];
  fprintf(xml, "<body name='b%d' pos='%.17g %.17g %.17g' quat='%.17g %.17g %.17g %.17g'>", i, body->position.x,
          body->position.y, body->position.z, body->orientation.w, body->orientation.x, body->orientation.y,
          body->orientation.z);
  if (body->in_plane)
    fprintf(xml,
            "<joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 0 1'/><joint type='hinge' axis='0 1 0'/>");
  else if (!body->fixed)
    fprintf(xml, "<freejoint/>");
  if (!body->fixed)
    fprintf(xml, "<inertial pos='0 0 0' mass='%.17g' diaginertia='%.17g %.17g %.17g'/>", body->mass, body->inertia.x,
            body->inertia.y, body->inertia.z);
  if (as_mesh(input, body))
    fprintf(xml, "<geom type='mesh' mesh='m%d'/>", i);
  else if (body->shape == CH_SCENE_SPHERE)
    fprintf(xml, "<geom type='sphere' size='%.17g'/>", body->radius);
  else
    fprintf(xml, "<geom type='box' size='%.17g %.17g %.17g'/>", body->half.x, body->half.y, body->half.z);
  fprintf(xml, "</body>\n");
}

// The model's text; the caller frees it.
static char* model_text(const ChEngineInput* input, size_t* size) {
  char* text = NULL;
  FILE* xml = open_memstream(&text, size);
  if (!xml) return NULL;
  fprintf(xml, "<mujoco>\n");
  write_option(xml, input);
  write_meshes(xml, input);
  fprintf(xml, "<worldbody>\n");
  for (int i = 0; i < input->scene->count; ++i) write_body(xml, input, i);
  fprintf(xml, "</worldbody>\n</mujoco>\n");
  fclose(xml);
  return text;
}

// MuJoCo reads a model from a file, or from a table of files in memory.
static mjModel* model_load(char* text, size_t size, char* error, int error_size) {
  mjModel* model = NULL;
  mjVFS* files = malloc(sizeof *files);
  if (!files) return NULL;
  mj_defaultVFS(files);
  if (mj_makeEmptyFileVFS(files, "model.xml", (int)size) == 0) {
    memcpy(files->filedata[mj_findFileVFS(files, "model.xml")], text, size);
    model = mj_loadXML("model.xml", files, error, error_size);
  }
  mj_deleteVFS(files);
  free(files);
  return model;
}

static void ignore_warning(const char* message) { (void)message; }  // else it writes a log file beside us

static void destroy(void* engine) {
  Mujoco* mujoco = engine;
  if (mujoco->data) mj_deleteData(mujoco->data);
  if (mujoco->model) mj_deleteModel(mujoco->model);
  free(mujoco->ids);
  free(mujoco);
}

static void* create(const ChEngineInput* input) {
  char error[300] = "";
  size_t size = 0;
  mju_user_warning = ignore_warning;
  Mujoco* mujoco = calloc(1, sizeof *mujoco);
  char* text = mujoco ? model_text(input, &size) : NULL;
  if (!text) return NULL;
  mujoco->scene = input->scene;
  mujoco->ids = calloc((size_t)input->scene->count, sizeof *mujoco->ids);
  mujoco->model = model_load(text, size, error, sizeof error);
  free(text);
  if (mujoco->model) mujoco->data = mj_makeData(mujoco->model);
  if (!mujoco->data || !mujoco->ids) {
    fprintf(stderr, "MuJoCo: %s\n", error);
    destroy(mujoco);
    return NULL;
  }
  for (int i = 0; i < input->scene->count; ++i) {
    char name[32];
    snprintf(name, sizeof name, "b%d", i);
    mujoco->ids[i] = mj_name2id(mujoco->model, mjOBJ_BODY, name);
  }
  return mujoco;
}

static bool step(void* engine) {
  Mujoco* mujoco = engine;
  mj_step(mujoco->model, mujoco->data);
  return mujoco->data->warning[mjWARN_BADQACC].number == 0;
}

static void read(void* engine, int i, ChBodyView* view) {
  const Mujoco* mujoco = engine;
  const ChSceneBody* from = &mujoco->scene->list[i];
  *view = (ChBodyView){.position = from->position, .orientation = from->orientation};
  if (from->fixed) return;
  int joint = mujoco->model->body_jntadr[mujoco->ids[i]];
  const mjtNum* q = mujoco->data->qpos + mujoco->model->jnt_qposadr[joint];
  const mjtNum* v = mujoco->data->qvel + mujoco->model->jnt_dofadr[joint];
  if (from->in_plane) {  // coordinates count from the start
    view->position = ch_add(from->position, ch_vec(q[0], 0.0, q[1]));
    view->orientation = ch_quat_about(ch_axis(1), q[2]);
    view->velocity = ch_vec(v[0], 0.0, v[1]);
  } else {
    view->position = ch_vec(q[0], q[1], q[2]);
    view->orientation = (ChQuat){q[3], q[4], q[5], q[6]};
    view->velocity = ch_vec(v[0], v[1], v[2]);
  }
}

static void report(void* engine, ChEngineReport* out) { out->contacts = ((Mujoco*)engine)->data->ncon; }

const ChEngineRow* ch_engine_rows_mujoco(int* count) {
  static const ChEngineRow rows[] = {
      CH_ENGINE_ROW("MuJoCo", PYRAMID,
                    "pyramidal cone, impratio 1, solref 0.02 1, solimp 0.9 0.95 0.001, 100 Newton iterations (CG from "
                    "500 bodies on), tolerance 1e-8"),
      CH_ENGINE_ROW("MuJoCo elliptic", ELLIPTIC, "as MuJoCo with elliptic cone, impratio 100; cards of S1 as meshes"),
      CH_ENGINE_ROW(
          "MuJoCo tuned", TUNED,
          "elliptic, impratio 100, solref 2h 1, solimp 0.99 0.999 0.0001, tolerance 1e-12; stacked boxes as meshes"),
  };
  *count = sizeof rows / sizeof *rows;
  return rows;
}

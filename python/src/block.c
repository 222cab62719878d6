// Blocks: doubles that numpy arrays look into by the buffer protocol. A block belongs to whoever refers to it, so that
// an array is good for as long as it is there, whatever became of its simulation.
#include <stdlib.h>
#include <string.h>

#include "core.h"

static PyTypeObject* block_type;

CoreBlock* core_block_new(Py_ssize_t rows, Py_ssize_t columns, bool writable) {
  CoreBlock* block = PyObject_New(CoreBlock, block_type);
  if (!block) return NULL;
  const Py_ssize_t item = sizeof(double), wide = columns > 0 ? columns : 1;
  block->dimensions = columns > 0 ? 2 : 1;
  block->shape[0] = rows, block->shape[1] = columns;
  block->strides[0] = item * wide, block->strides[1] = item;
  block->writable = writable;
  block->bytes = (size_t)(rows * wide * item);
  block->data = calloc(1, block->bytes + sizeof(double));
  block->known = calloc(1, block->bytes + sizeof(double));
  if (block->data && block->known) return block;
  Py_DECREF(block);
  PyErr_NoMemory();
  return NULL;
}

bool core_block_is_changed(const CoreBlock* block) { return memcmp(block->data, block->known, block->bytes) != 0; }
void core_block_keep(CoreBlock* block) { memcpy(block->known, block->data, block->bytes); }

static void block_dealloc(PyObject* object) {
  CoreBlock* self = (CoreBlock*)object;
  PyTypeObject* type = Py_TYPE(object);
  free(self->data);
  free(self->known);
  PyObject_Free(object);
  Py_DECREF(type);
}

static int block_get_buffer(PyObject* object, Py_buffer* view, int flags) {
  CoreBlock* self = (CoreBlock*)object;
  if (!self->writable && (flags & PyBUF_WRITABLE)) {
    PyErr_SetString(PyExc_BufferError, "this array is for reading");
    view->obj = NULL;
    return -1;
  }
  *view = (Py_buffer){
      .buf = self->data,
      .obj = Py_NewRef(object),
      .len = (Py_ssize_t)self->bytes,
      .itemsize = sizeof(double),
      .readonly = !self->writable,
      .ndim = self->dimensions,
      .format = flags & PyBUF_FORMAT ? "d" : NULL,
      .shape = flags & PyBUF_ND ? self->shape : NULL,
      .strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? self->strides : NULL,
  };
  return 0;
}

int core_init_block(PyObject* module) {
  static PyType_Slot slots[] = {
      {Py_tp_doc, "Numbers of a simulation, by the buffer protocol: numpy.asarray looks into them without copying."},
      {Py_tp_dealloc, block_dealloc},
      {Py_bf_getbuffer, block_get_buffer},
      {0, NULL},
  };
  static PyType_Spec spec = {.name = "cardhouse._core.Block",
                             .basicsize = sizeof(CoreBlock),
                             .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                             .slots = slots};
  block_type = core_add_type(module, &spec);
  return block_type ? 0 : -1;
}

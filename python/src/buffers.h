// Arrays of the caller's, through the buffer protocol: numpy's, array.array's, bytes. Called with the GIL held.
#ifndef CARDHOUSE_PYTHON_BUFFERS_H
#define CARDHOUSE_PYTHON_BUFFERS_H

#include "core.h"

typedef enum CoreBufferKind { CORE_DOUBLES, CORE_DOUBLES_WRITABLE, CORE_INTS, CORE_BYTES } CoreBufferKind;

// A contiguous array that is held until it is released; all zero it is none, and releasing that does nothing.
typedef struct CoreBuffer {
  Py_buffer view;
  bool held;
  void* data;
  Py_ssize_t count;  // of numbers; of bytes where it is CORE_BYTES
} CoreBuffer;

// Raises, naming the argument, and returns false where the object is no contiguous array of this kind.
bool core_buffer_take(PyObject* object, CoreBufferKind kind, const char* name, CoreBuffer* out);
// The same, and it must have so many entries. None is no array, and legal: `data` stays NULL.
bool core_buffer_take_some(PyObject* object, CoreBufferKind kind, const char* name, Py_ssize_t count, CoreBuffer* out);
void core_buffer_release(CoreBuffer* buffer);

#endif

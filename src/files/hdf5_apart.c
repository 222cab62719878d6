// Reading HDF5 in a child process: see hdf5_apart.h.
#include "files/hdf5_apart.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/sandbox.h"
#include "base/whole_file.h"

enum { PATIENCE_MS = 60000 };  // longest silence of the child
enum { TEXT_MOST = 1 << 30 };  // bytes of texts that are taken

// What one request may take of the processor: far more than any good file does.
static const double SECONDS = 5.0, BYTES_A_SECOND = 2e7;
// Memory: decompressed data, their conversion, and what HDF5 needs for itself.
static const double MEMORY = (double)(1 << 29), MEMORY_A_BYTE = 40.0, MEMORY_MOST = 6e10;

typedef struct Request {
  ChHdf5Ask ask;
  ChHdf5Rows rows;
  char name[CH_HDF5_NAME_SIZE];
} Request;

// Followed by the data, `bytes` long.
typedef struct Reply {
  ChStatus status;
  long count, extents[3];
  size_t bytes;
  char message[CH_MESSAGE_SIZE];
} Reply;

static bool write_all(int fd, const void* data, size_t size) {
  const char* from = data;
  while (size > 0) {
    ssize_t put = write(fd, from, size);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    from += put;
    size -= (size_t)put;
  }
  return true;
}

static bool read_all(int fd, void* data, size_t size) {
  char* to = data;
  while (size > 0) {
    ssize_t got = read(fd, to, size);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    to += got;
    size -= (size_t)got;
  }
  return true;
}

// --------------------------------------------------------------------------------------------------------- the child

static const void* find(ChHdf5* h, const Request* request, Reply* reply) {
  const char* name = request->name;
  const void* data = NULL;
  switch (request->ask) {
    case CH_HDF5_ASK_HAS:
      reply->count = ch_hdf5_has(h, name);
      break;
    case CH_HDF5_ASK_HAS_ATTRIBUTE:
      reply->count = ch_hdf5_has_attribute(h, name);
      break;
    case CH_HDF5_ASK_LENGTH:
      reply->count = ch_hdf5_length(h, name);
      break;
    case CH_HDF5_ASK_INTS:
      data = ch_hdf5_ints(h, name, &reply->count);
      reply->bytes = (size_t)reply->count * sizeof(int);
      break;
    case CH_HDF5_ASK_REALS:
      data = ch_hdf5_doubles(h, name, true, &reply->count);
      reply->bytes = (size_t)reply->count * sizeof(double);
      break;
    case CH_HDF5_ASK_EXTENTS:
      ch_hdf5_extents(h, name, request->rows.number, request->rows.rank, reply->extents);
      break;
    default:
      break;
  }
  return data;
}

static const void* find_attribute(ChHdf5* h, const Request* request, Reply* reply) {
  static int64_t integer;
  static double real;
  const char* text = NULL;
  switch (request->ask) {
    case CH_HDF5_ASK_ATTRIBUTE_INT:
      integer = ch_hdf5_attribute_int(h, request->name);
      *reply = (Reply){.count = 1, .bytes = sizeof integer};
      return &integer;
    case CH_HDF5_ASK_ATTRIBUTE_REAL:
      real = ch_hdf5_attribute_real(h, request->name);
      *reply = (Reply){.count = 1, .bytes = sizeof real};
      return &real;
    case CH_HDF5_ASK_ATTRIBUTE_TEXT:
      text = ch_hdf5_attribute_text(h, request->name);
      if (text) *reply = (Reply){.count = (long)strlen(text), .bytes = strlen(text) + 1};
      break;
    case CH_HDF5_ASK_TEXTS:
      text = ch_hdf5_texts(h, request->name, &reply->count);
      for (long k = 0; text && k < reply->count; ++k) reply->bytes += strlen(text + reply->bytes) + 1;
      break;
    default:
      break;
  }
  return text;
}

static const void* find_rows(ChHdf5* h, const Request* request, Reply* reply) {
  size_t bytes = (size_t)request->rows.count * ch_hdf5_row_bytes(&request->rows);
  void* data = ch_hdf5_take(h, (long)bytes, 1);
  if (!data || !ch_hdf5_rows(h, request->name, &request->rows, data)) return NULL;
  *reply = (Reply){.count = request->rows.count, .bytes = bytes};
  return data;
}

static double seconds_for(const ChHdf5* h) { return SECONDS + h->bytes / BYTES_A_SECOND; }

static bool tell(const ChHdf5* h, int fd, Reply* reply, const void* data) {
  reply->status = h->status;
  if (h->status != CH_OK || !data) reply->bytes = 0;
  if (h->status != CH_OK) memcpy(reply->message, h->context->message, sizeof reply->message);
  if (h->status == CH_ERR_MEMORY) {  // the child's own limit, which no good file comes near
    reply->status = CH_ERR_SIZE;
    snprintf(reply->message, sizeof reply->message,
             "%s: reading this file takes more memory than its size can explain: it is damaged", h->path);
  }
  return write_all(fd, reply, sizeof *reply) && write_all(fd, data, reply->bytes);
}

static bool answer(ChHdf5* h, int fd, const Request* request) {
  Reply reply = {.count = 0};
  ChArenaMark mark = ch_arena_mark(h->arena);
  ch_sandbox_allow(seconds_for(h));
  bool text = request->ask >= CH_HDF5_ASK_ATTRIBUTE_INT && request->ask <= CH_HDF5_ASK_TEXTS;
  const void* data = request->ask == CH_HDF5_ASK_ROWS ? find_rows(h, request, &reply)
                     : text                           ? find_attribute(h, request, &reply)
                                                      : find(h, request, &reply);
  bool told = tell(h, fd, &reply, data);
  ch_arena_release(h->arena, mark);
  return told;
}

static size_t memory_for(double bytes) {
  double memory = MEMORY + MEMORY_A_BYTE * bytes;
  return (size_t)(memory < MEMORY_MOST ? memory : MEMORY_MOST);
}

// The caller's arena has a landing in the caller's stack; no lock is taken in the child; failures that a test has
// injected there are not ours.
static ChArena* own_arena(void) {
  ch_arena_leave_pool();
  ch_arena_fail_after(0);
  return ch_arena_create(NULL);
}

static _Noreturn void serve(const char* path, int fd, double bytes, int channel) {
  ChContext context = {0};
  ChHdf5 h = {.context = &context, .bytes = bytes};
  Request request;
  ChArena* arena = own_arena();
  if (!arena || !ch_sandbox_enter(channel, fd, memory_for(bytes))) _exit(1);
  ch_sandbox_allow(seconds_for(&h));
  ch_hdf5_open_at(&h, &context, path, arena, CH_SANDBOX_FILE);
  Reply opened = {.count = 0};
  bool goes_on = tell(&h, CH_SANDBOX_CHANNEL, &opened, NULL) && h.status == CH_OK;
  while (goes_on && read_all(CH_SANDBOX_CHANNEL, &request, sizeof request))
    goes_on = answer(&h, CH_SANDBOX_CHANNEL, &request);
  _exit(0);
}

// -------------------------------------------------------------------------------------------------------- the parent

// What became of a child that did not answer as it should.
static const char* cause_of(const ChHdf5* h, bool silent) {
  int status = 0;
  kill(h->child, SIGKILL);  // no use to one that is dead already
  while (waitpid(h->child, &status, 0) < 0 && errno == EINTR) continue;
  int number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  if (silent || number == SIGXCPU) return "the HDF5 library did not finish reading this file: it is damaged";
  if (number == SIGSYS)
    return "the HDF5 library made a system call that reading does not need and was stopped: the file is damaged";
  return "the HDF5 library crashed while reading this file: it is damaged";
}

static void give_up(ChHdf5* h, bool silent) {
  const char* cause = cause_of(h, silent);
  close(h->channel);
  h->channel = -1;
  ch_hdf5_fail(h, CH_ERR_FORMAT, "%s", cause);
}

static bool receive(ChHdf5* h, void* data, size_t size) {
  char* to = data;
  while (size > 0) {
    struct pollfd one = {.fd = h->channel, .events = POLLIN};
    int ready = poll(&one, 1, PATIENCE_MS);
    if (ready < 0 && errno == EINTR) continue;
    ssize_t got = ready > 0 ? recv(h->channel, to, size, 0) : -1;
    if (ready > 0 && got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      give_up(h, ready == 0);
      return false;
    }
    to += got;
    size -= (size_t)got;
  }
  return true;
}

static void send_request(const ChHdf5* h, const Request* request) {
  const char* from = (const char*)request;
  for (size_t done = 0; done < sizeof *request;) {
    ssize_t sent = send(h->channel, from + done, sizeof *request - done, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return;  // there will be no reply either
    done += (size_t)sent;
  }
}

static bool receive_reply(ChHdf5* h, Reply* reply) {
  if (!receive(h, reply, sizeof *reply)) return false;
  reply->message[sizeof reply->message - 1] = '\0';
  if (reply->status == CH_OK) return true;
  if (h->status == CH_OK) h->status = ch_fail(h->context, reply->status, "%s", reply->message);
  return false;
}

static bool start_child(ChHdf5* h, int pair[2]) {
  bool ready = socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0;
  h->child = ready ? fork() : -1;
  if (h->child >= 0) return true;
  ch_hdf5_fail(h, CH_ERR_MEMORY, "a process to read the file cannot be started: %s", strerror(errno));
  if (ready) close(pair[0]), close(pair[1]);
  return false;
}

void ch_hdf5_apart_start(ChHdf5* h, int fd) {
  int pair[2];
  struct stat info;
  if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
    ch_hdf5_fail(h, CH_ERR_FILE, "cannot be read: it is not a plain file");
    return;
  }
  h->bytes = (double)info.st_size;
  if (!start_child(h, pair)) return;
  if (h->child == 0) serve(h->path, fd, h->bytes, pair[1]);
  close(pair[1]);
  h->channel = pair[0];
  Reply opened;
  receive_reply(h, &opened);
}

void ch_hdf5_apart_stop(ChHdf5* h) {
  if (h->channel < 0) return;
  close(h->channel);
  kill(h->child, SIGKILL);  // it has nothing left to do, whatever it does
  while (waitpid(h->child, NULL, 0) < 0 && errno == EINTR) continue;
  h->channel = -1;
}

static bool converse(ChHdf5* h, Request* request, const char* name, Reply* reply) {
  if (h->status != CH_OK) return false;
  snprintf(request->name, sizeof request->name, "%s", name);
  send_request(h, request);
  return receive_reply(h, reply);
}

// Whether the bytes that come are those of so many entries.
static bool is_plausible(const ChHdf5* h, ChHdf5Ask ask, const Reply* reply) {
  size_t count = (size_t)reply->count;
  if (reply->count < 0 || reply->count > INT_MAX) return false;
  switch (ask) {
    case CH_HDF5_ASK_ATTRIBUTE_TEXT:
      return reply->bytes == count + 1 && reply->bytes <= TEXT_MOST;
    case CH_HDF5_ASK_TEXTS:
      return reply->bytes >= count && reply->bytes <= TEXT_MOST;
    case CH_HDF5_ASK_INTS:
      return reply->bytes == count * sizeof(int) && (double)reply->bytes <= memory_for(h->bytes);
    default:
      return reply->bytes == count * sizeof(double) && (double)reply->bytes <= memory_for(h->bytes);
  }
}

// Texts end where they should: as many zeros as there are texts, the last at the very end.
static bool are_texts(const char* texts, size_t bytes, long count) {
  for (const char *at = texts, *end = texts + bytes; count > 0; --count) {
    const char* zero = memchr(at, '\0', (size_t)(end - at));
    if (!zero) return false;
    at = zero + 1;
  }
  return true;
}

long ch_hdf5_apart_ask(ChHdf5* h, ChHdf5Ask ask, const char* name, void** data) {
  Request request = {.ask = ask};
  Reply reply = {.status = CH_OK};
  if (data) *data = NULL;
  if (!converse(h, &request, name, &reply)) return 0;
  if (!data) return reply.count;
  if (!is_plausible(h, ask, &reply)) {
    give_up(h, false);
    return 0;
  }
  char* room = ch_hdf5_take(h, (long)reply.bytes, 1);
  if (!room || !receive(h, room, reply.bytes)) return 0;
  bool text = ask == CH_HDF5_ASK_TEXTS || ask == CH_HDF5_ASK_ATTRIBUTE_TEXT;
  if (text && !are_texts(room, reply.bytes, ask == CH_HDF5_ASK_TEXTS ? reply.count : 1)) {
    give_up(h, false);
    return 0;
  }
  *data = room;
  return reply.count;
}

bool ch_hdf5_apart_extents(ChHdf5* h, const char* name, ChHdf5Number number, int rank, long extents[3]) {
  Request request = {.ask = CH_HDF5_ASK_EXTENTS, .rows = {.number = number, .rank = rank}};
  Reply reply = {.status = CH_OK};
  if (!converse(h, &request, name, &reply)) return false;
  for (int k = 0; k < 3; ++k) {
    bool fits = k < rank ? reply.extents[k] >= 0 && reply.extents[k] <= (k == 0 ? LONG_MAX / 4 : INT_MAX) : true;
    if (!fits) {
      give_up(h, false);
      return false;
    }
    extents[k] = k < rank ? reply.extents[k] : 0;
  }
  return true;
}

bool ch_hdf5_apart_rows(ChHdf5* h, const char* name, const ChHdf5Rows* rows, void* out) {
  Request request = {.ask = CH_HDF5_ASK_ROWS, .rows = *rows};
  Reply reply = {.status = CH_OK};
  if (!converse(h, &request, name, &reply)) return false;
  if (reply.bytes == (size_t)rows->count * ch_hdf5_row_bytes(rows)) return receive(h, out, reply.bytes);
  give_up(h, false);
  return false;
}

// --------------------------------------------------------------------------------------------------------- a change

static _Noreturn void change_in_child(const char* path, void* image, size_t size, int channel,
                                      void (*change)(ChHdf5* h, void* state), void* state) {
  ChContext context = {0};
  ChHdf5 h = {.context = &context, .bytes = (double)size};
  ChArena* arena = own_arena();
  if (!arena || !ch_sandbox_enter(channel, -1, memory_for((double)size))) _exit(1);
  ch_sandbox_allow(seconds_for(&h));
  ch_hdf5_open_image(&h, &context, path, arena, image, size);
  if (h.status == CH_OK) change(&h, state);
  Reply reply = {.count = 0};
  const void* made = ch_hdf5_image(&h, &reply.bytes);
  _exit(tell(&h, CH_SANDBOX_CHANNEL, &reply, made) ? 0 : 1);
}

ChStatus ch_hdf5_apart_change(ChContext* context, const char* path, ChArena* arena, void* image, size_t size,
                              void (*change)(ChHdf5* h, void* state), void* state) {
  ChHdf5 h = {.context = context, .path = path, .arena = arena, .bytes = (double)size, .channel = -1};
  int pair[2];
  H5open();
  if (!start_child(&h, pair)) return h.status;
  if (h.child == 0) change_in_child(path, image, size, pair[1], change, state);
  close(pair[1]);
  h.channel = pair[0];
  Reply reply;
  if (receive_reply(&h, &reply)) {
    size_t most = memory_for((double)size);
    void* made = reply.bytes > 0 && reply.bytes <= most ? ch_hdf5_take(&h, (long)reply.bytes, 1) : NULL;
    if (!made)
      give_up(&h, false);
    else if (receive(&h, made, reply.bytes))
      h.status = ch_whole_file_write(context, path, made, reply.bytes);
  }
  ch_hdf5_apart_stop(&h);
  return h.status;
}

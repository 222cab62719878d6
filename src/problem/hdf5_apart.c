// Reading HDF5 in a child process: see hdf5_apart.h.
#include "problem/hdf5_apart.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATIENCE_MS = 60000 };  // longest silence of the child

typedef struct Request {
  ChHdf5Ask ask;
  char name[CH_HDF5_NAME_SIZE];
} Request;

// Followed by the data, `bytes` long.
typedef struct Reply {
  ChStatus status;
  long count;
  size_t bytes;
  char message[CH_MESSAGE_SIZE];
} Reply;

static bool send_all(int fd, const void* data, size_t size) {
  const char* from = data;
  while (size > 0) {
    ssize_t sent = send(fd, from, size, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    from += sent;
    size -= (size_t)sent;
  }
  return true;
}

// `patience` in milliseconds, or -1 to wait for ever.
static bool receive_all(int fd, void* data, size_t size, int patience) {
  char* to = data;
  while (size > 0) {
    struct pollfd one = {.fd = fd, .events = POLLIN};
    int ready = poll(&one, 1, patience);
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return false;
    ssize_t got = recv(fd, to, size, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    to += got;
    size -= (size_t)got;
  }
  return true;
}

// --------------------------------------------------------------------------------------------------------- the child

static void answer(ChHdf5* h, int fd, const Request* request) {
  const void* data = NULL;
  Reply reply = {.count = 0};
  size_t size = 0;
  switch (request->ask) {
    case CH_HDF5_ASK_HAS:
      reply.count = ch_hdf5_has(h, request->name);
      break;
    case CH_HDF5_ASK_LENGTH:
      reply.count = ch_hdf5_length(h, request->name);
      break;
    case CH_HDF5_ASK_INTS:
      data = ch_hdf5_ints(h, request->name, &reply.count);
      size = sizeof(int);
      break;
    case CH_HDF5_ASK_REALS:
    case CH_HDF5_ASK_REALS_OR_INF:
      data = ch_hdf5_doubles(h, request->name, request->ask == CH_HDF5_ASK_REALS_OR_INF, &reply.count);
      size = sizeof(double);
      break;
  }
  reply.status = h->status;
  if (data && h->status == CH_OK) reply.bytes = (size_t)reply.count * size;
  if (h->status != CH_OK) memcpy(reply.message, h->context->message, sizeof reply.message);
  if (!send_all(fd, &reply, sizeof reply) || !send_all(fd, data, reply.bytes)) _exit(1);
}

// The caller's signal handlers, standard streams and core dumps are none of the child's business.
static void settle(void) {
  static const int deadly[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGALRM, SIGTERM, SIGINT, SIGHUP};
  for (size_t k = 0; k < sizeof deadly / sizeof *deadly; ++k) signal(deadly[k], SIG_DFL);
  struct rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  int null = open("/dev/null", O_RDWR);
  for (int stream = 0; null >= 0 && stream <= 2; ++stream) dup2(null, stream);
}

static _Noreturn void serve(const char* path, ChArena* arena, int fd) {
  settle();
  ChContext context = {0};
  ChHdf5 h;
  ch_hdf5_open_here(&h, &context, path, arena);
  Reply opened = {.status = h.status};
  memcpy(opened.message, context.message, sizeof opened.message);
  Request request;
  if (send_all(fd, &opened, sizeof opened) && h.status == CH_OK)
    while (receive_all(fd, &request, sizeof request, -1)) answer(&h, fd, &request);
  _exit(0);
}

// -------------------------------------------------------------------------------------------------------- the parent

// A child that is alive and healthy ends by itself when the channel is closed; one that does not answer is ended here.
static void give_up(ChHdf5* h) {
  kill(h->child, SIGKILL);
  ch_hdf5_fail(h, CH_ERR_FORMAT, "the HDF5 library breaks down on this file: it is damaged");
}

static bool receive_reply(ChHdf5* h, Reply* reply) {
  if (!receive_all(h->channel, reply, sizeof *reply, PATIENCE_MS)) {
    give_up(h);
    return false;
  }
  reply->message[sizeof reply->message - 1] = '\0';
  if (reply->status == CH_OK) return true;
  if (h->status == CH_OK) h->status = ch_fail(h->context, reply->status, "%s", reply->message);
  return false;
}

bool ch_hdf5_apart_start(ChHdf5* h) {
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) return false;
  pid_t child = fork();
  if (child == 0) {
    close(pair[0]);
    serve(h->path, h->arena, pair[1]);
  }
  close(pair[1]);
  if (child < 0) {
    close(pair[0]);
    return false;
  }
  h->channel = pair[0];
  h->child = child;
  Reply opened;
  receive_reply(h, &opened);
  return true;
}

void ch_hdf5_apart_stop(ChHdf5* h) {
  if (h->channel < 0) return;
  close(h->channel);
  while (waitpid(h->child, NULL, 0) < 0 && errno == EINTR) continue;
  h->channel = -1;
}

long ch_hdf5_apart_ask(ChHdf5* h, ChHdf5Ask ask, const char* name, void** data) {
  if (h->status != CH_OK) return 0;
  Request request = {.ask = ask};
  snprintf(request.name, sizeof request.name, "%s", name);
  Reply reply = {.status = CH_OK};
  send_all(h->channel, &request, sizeof request);  // where it fails there will be no reply either
  if (!receive_reply(h, &reply)) return 0;
  size_t size = ask == CH_HDF5_ASK_INTS ? sizeof(int) : sizeof(double);
  if (!data) return reply.count;
  *data = NULL;
  if (reply.count < 0 || reply.bytes != (size_t)reply.count * size) {
    give_up(h);
    return 0;
  }
  void* room = ch_hdf5_take(h, reply.count, size);
  if (room && !receive_all(h->channel, room, reply.bytes, PATIENCE_MS)) give_up(h);
  if (h->status != CH_OK) return 0;
  *data = room;
  return reply.count;
}

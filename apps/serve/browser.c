// Chromium over a pipe: see browser.h. Messages are JSON objects that end with a zero byte, ours on its descriptor 3,
// its own on descriptor 4; an answer carries the number of its question.
#include "serve/browser.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cardhouse/clock.h"
#include "cardhouse/text.h"
#include "common/program_path.h"

enum { ANSWER_MOST = 256 << 20 };
static const double PATIENCE = 60.0;  // seconds that an answer may take
static const int LOOK_MS = 100;       // from look to look whether all is over
static const char* const programs[] = {"chromium", "chromium-browser", "google-chrome", "google-chrome-stable",
                                       "chrome"};

struct ChBrowser {
  pid_t process;
  int to, from;
  char folder[256];  // its profile
  int questions;
  char* buffer;  // bytes that came and were not used yet
  size_t used, room;
  char session[80];
  bool loaded;  // the page told so
  bool (*is_over)(void);
};

// --- life ------------------------------------------------------------------------------------------------------------

static bool find_program(char* path, size_t size) {
  const char* told = getenv("CARDHOUSE_CHROMIUM");
  if (!told || !*told) return ch_program_find(sizeof programs / sizeof *programs, programs, path, size);
  snprintf(path, size, "%s", told);
  return access(path, X_OK) == 0;
}

static void exec_browser(const char* program, const char* folder, int width, int height, const int pipes[4]) {
  // Our ends may be 3 and 4 themselves: first out of the way, then in place.
  int in = fcntl(pipes[0], F_DUPFD, 10), out = fcntl(pipes[3], F_DUPFD, 10);
  dup2(in, 3);
  dup2(out, 4);
  close(in);
  close(out);
  int nothing = open("/dev/null", O_RDWR);
  for (int k = 0; k < 3; ++k) dup2(nothing, k);
  for (int k = 5; k < 256; ++k) close(k);
  setpgid(0, 0);
  setenv("TMPDIR", folder, 1);  // what it leaves there goes with its profile
  char profile[320], size[64];
  snprintf(profile, sizeof profile, "--user-data-dir=%s", folder);
  snprintf(size, sizeof size, "--window-size=%d,%d", width, height);
  const char* words[] = {program, "--headless", "--remote-debugging-pipe", profile, size, "--hide-scrollbars",
                         "--mute-audio", "--no-first-run", "--no-default-browser-check", "--disable-extensions",
                         "--disable-background-networking", "--disable-sync", "--disable-dev-shm-usage",
                         "--disable-breakpad", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
                         "--force-color-profile=srgb",
                         // Chromium refuses to build its sandbox for root; what it opens is our own file.
                         geteuid() == 0 ? "--no-sandbox" : "--no-pings", "about:blank", NULL};
  execv(program, (char* const*)words);
  _exit(127);
}

static ChStatus spawn(ChContext* context, ChBrowser* b, int width, int height) {
  char program[512];
  if (!find_program(program, sizeof program))
    return ch_fail(context, CH_ERR_UNSUPPORTED,
                   "pictures need Chromium, which was not found: install it (Debian: apt-get install chromium), "
                   "or name the program in CARDHOUSE_CHROMIUM");
  const char* base = getenv("TMPDIR");
  snprintf(b->folder, sizeof b->folder, "%s/cardhouse-browser-XXXXXX", base && *base ? base : "/tmp");
  if (!mkdtemp(b->folder)) {
    int error = errno;
    b->folder[0] = '\0';
    return ch_fail(context, CH_ERR_FILE, "no temporary folder can be made: %s", strerror(error));
  }
  int pipes[4] = {-1, -1, -1, -1};
  if (pipe2(pipes, O_CLOEXEC) != 0 || pipe2(pipes + 2, O_CLOEXEC) != 0)
    return ch_fail(context, CH_ERR_MEMORY, "no pipe to Chromium: %s", strerror(errno));
  b->process = fork();
  if (b->process == 0) exec_browser(program, b->folder, width, height, pipes);
  close(pipes[0]);
  close(pipes[3]);
  b->to = pipes[1];
  b->from = pipes[2];
  return b->process > 0 ? CH_OK : ch_fail(context, CH_ERR_MEMORY, "Chromium cannot be started: %s", strerror(errno));
}

static int remove_entry(const char* path, const struct stat* info, int kind, struct FTW* walk) {
  (void)info, (void)kind, (void)walk;
  remove(path);
  return 0;
}

// Its own end first, then force, on it and all its helpers.
static void end_process(ChBrowser* b) {
  if (b->process <= 0) return;
  for (int k = 0; k < 30 && !b->is_over(); ++k) {
    if (waitpid(b->process, NULL, WNOHANG) == b->process) {
      kill(-b->process, SIGKILL);
      return;
    }
    poll(NULL, 0, 50);
  }
  kill(-b->process, SIGKILL);
  waitpid(b->process, NULL, 0);
}

void ch_browser_stop(ChBrowser* b) {
  if (!b) return;
  static const char leave[] = "{\"id\":2147483647,\"method\":\"Browser.close\"}";
  if (b->to >= 0 && write(b->to, leave, sizeof leave) < 0) errno = 0;  // it may be gone already
  if (b->to >= 0) close(b->to);
  if (b->from >= 0) close(b->from);
  end_process(b);
  if (b->folder[0]) nftw(b->folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
  free(b->buffer);
  free(b);
}

// --- talking ---------------------------------------------------------------------------------------------------------

static ChStatus send_text(ChContext* context, ChBrowser* b, const char* text) {
  size_t left = strlen(text) + 1;
  while (left > 0) {
    ssize_t put = write(b->to, text, left);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return ch_fail(context, CH_ERR_FILE, "Chromium ended: %s", strerror(errno));
    text += put;
    left -= (size_t)put;
  }
  return CH_OK;
}

static ChStatus receive(ChContext* context, ChBrowser* b, double until) {
  if (b->used + 65536 > b->room) {
    size_t room = 2 * b->room + 131072;
    char* larger = room <= ANSWER_MOST ? realloc(b->buffer, room) : NULL;
    if (!larger) return ch_fail(context, CH_ERR_MEMORY, "out of memory for Chromium's answer");
    b->buffer = larger;
    b->room = room;
  }
  struct pollfd wait = {.fd = b->from, .events = POLLIN};
  int ready = poll(&wait, 1, LOOK_MS);
  if (b->is_over()) return ch_fail(context, CH_ERR_FILE, "interrupted while Chromium drew");
  if (ready < 0 && errno == EINTR) return CH_OK;
  if (ready == 0 && ch_clock_seconds() < until) return CH_OK;
  if (ready <= 0) return ch_fail(context, CH_ERR_FILE, "Chromium does not answer");
  ssize_t got = read(b->from, b->buffer + b->used, b->room - b->used);
  if (got < 0 && errno == EINTR) return CH_OK;
  if (got <= 0) return ch_fail(context, CH_ERR_FILE, "Chromium ended before it answered");
  b->used += (size_t)got;
  return CH_OK;
}

// The next message; events are noted on the way.
static ChStatus next_message(ChContext* context, ChBrowser* b, double until, json_t** out) {
  size_t seen = 0;
  char* end;
  while (!(end = b->used > seen ? memchr(b->buffer + seen, '\0', b->used - seen) : NULL)) {
    seen = b->used;
    ChStatus status = receive(context, b, until);
    if (status != CH_OK) return status;
  }
  *out = json_loads(b->buffer, 0, NULL);
  b->used -= (size_t)(end + 1 - b->buffer);
  memmove(b->buffer, end + 1, b->used);
  if (!*out) return ch_fail(context, CH_ERR_FORMAT, "Chromium sent a message that is not JSON");
  const char* event = json_string_value(json_object_get(*out, "method"));
  if (event && strcmp(event, "Page.loadEventFired") == 0) b->loaded = true;
  return CH_OK;
}

// Asks and waits for the answer, of which *result becomes the part "result".
static ChStatus ask(ChContext* context, ChBrowser* b, const char* method, json_t* parameters, json_t** result) {
  int number = ++b->questions;
  json_t* question = json_pack("{s:i, s:s, s:o}", "id", number, "method", method, "params", parameters);
  if (question && b->session[0]) json_object_set_new(question, "sessionId", json_string(b->session));
  char* text = question ? json_dumps(question, JSON_COMPACT) : NULL;
  json_decref(question);
  if (!text) return ch_fail(context, CH_ERR_MEMORY, "out of memory for a message to Chromium");
  ChStatus status = send_text(context, b, text);
  free(text);
  double until = ch_clock_seconds() + PATIENCE;
  while (status == CH_OK) {
    json_t* message;
    status = next_message(context, b, until, &message);
    if (status != CH_OK) break;
    bool ours = json_integer_value(json_object_get(message, "id")) == number;
    json_t *answer = json_object_get(message, "result"), *error = json_object_get(message, "error");
    if (ours && error)
      status = ch_fail(context, CH_ERR_FORMAT, "Chromium refuses %s: %s", method,
                       json_string_value(json_object_get(error, "message")));
    if (ours && !error) *result = json_incref(answer);
    json_decref(message);
    if (ours) break;
  }
  return status;
}

static ChStatus order(ChContext* context, ChBrowser* b, const char* method, json_t* parameters) {
  json_t* result = NULL;
  ChStatus status = ask(context, b, method, parameters, &result);
  json_decref(result);
  return status;
}

// A word of the answer.
static ChStatus ask_word(ChContext* context, ChBrowser* b, const char* method, json_t* parameters, const char* name,
                         char* word, size_t size) {
  json_t* result = NULL;
  ChStatus status = ask(context, b, method, parameters, &result);
  const char* text = json_string_value(json_object_get(result, name));
  if (status == CH_OK && !text) status = ch_fail(context, CH_ERR_FORMAT, "Chromium does not report its %s", name);
  if (status == CH_OK) snprintf(word, size, "%s", text);
  json_decref(result);
  return status;
}

static ChStatus attach(ChContext* context, ChBrowser* b, int width, int height) {
  char target[80], session[80];
  ChStatus status = ask_word(context, b, "Target.createTarget", json_pack("{s:s}", "url", "about:blank"), "targetId",
                             target, sizeof target);
  if (status == CH_OK)
    status = ask_word(context, b, "Target.attachToTarget", json_pack("{s:s, s:b}", "targetId", target, "flatten", 1),
                      "sessionId", session, sizeof session);
  if (status != CH_OK) return status;
  memcpy(b->session, session, sizeof session);
  status = order(context, b, "Page.enable", json_object());
  if (status != CH_OK) return status;
  return order(
      context, b, "Emulation.setDeviceMetricsOverride",
      json_pack("{s:i, s:i, s:i, s:b}", "width", width, "height", height, "deviceScaleFactor", 1, "mobile", 0));
}

ChStatus ch_browser_start(ChContext* context, int width, int height, bool (*is_over)(void), ChBrowser** out) {
  *out = NULL;
  ChBrowser* b = calloc(1, sizeof *b);
  if (!b) return ch_fail(context, CH_ERR_MEMORY, "out of memory for Chromium");
  b->to = b->from = -1;
  b->is_over = is_over;
  signal(SIGPIPE, SIG_IGN);  // a browser that ends is a failed write
  ChStatus status = spawn(context, b, width, height);
  if (status == CH_OK) status = attach(context, b, width, height);
  if (status == CH_OK)
    *out = b;
  else
    ch_browser_stop(b);
  return status;
}

// --- pages -----------------------------------------------------------------------------------------------------------

// Bytes that an address cannot hold as they are.
static void put_address(const char* path, char* address, size_t size) {
  size_t at = (size_t)snprintf(address, size, "file://");
  for (; *path && at + 4 < size; ++path) {
    bool plain =
        strchr("/-_.~", *path) || (*path >= '0' && *path <= '9') || ((*path | 32) >= 'a' && (*path | 32) <= 'z');
    at += (size_t)snprintf(address + at, size - at, plain ? "%c" : "%%%02X", (unsigned char)*path);
  }
}

ChStatus ch_browser_open(ChContext* context, ChBrowser* b, const char* path) {
  char address[4096];
  put_address(path, address, sizeof address);
  b->loaded = false;
  ChStatus status = order(context, b, "Page.navigate", json_pack("{s:s}", "url", address));
  double until = ch_clock_seconds() + PATIENCE;
  while (status == CH_OK && !b->loaded) {
    json_t* message = NULL;
    status = next_message(context, b, until, &message);
    if (status == CH_OK) json_decref(message);
  }
  return status;
}

ChStatus ch_browser_evaluate(ChContext* context, ChBrowser* b, const char* expression, json_t** value) {
  json_t* result = NULL;
  ChStatus status =
      ask(context, b, "Runtime.evaluate",
          json_pack("{s:s, s:b, s:b}", "expression", expression, "awaitPromise", 1, "returnByValue", 1), &result);
  const json_t* thrown = json_object_get(result, "exceptionDetails");
  if (status == CH_OK && thrown) {
    const char* what = json_string_value(json_object_get(json_object_get(thrown, "exception"), "description"));
    if (!what) what = json_string_value(json_object_get(thrown, "text"));
    status = ch_fail(context, CH_ERR_FORMAT, "the page cannot be shown: %.300s", what ? what : "it does not say why");
  }
  if (status == CH_OK && value) *value = json_incref(json_object_get(json_object_get(result, "result"), "value"));
  json_decref(result);
  return status;
}

ChStatus ch_browser_picture(ChContext* context, ChBrowser* b, bool jpeg, unsigned char** bytes, size_t* size) {
  json_t* parameters =
      jpeg ? json_pack("{s:s, s:i}", "format", "jpeg", "quality", 92) : json_pack("{s:s}", "format", "png");
  json_t* result = NULL;
  ChStatus status = ask(context, b, "Page.captureScreenshot", parameters, &result);
  if (status != CH_OK) return status;
  json_t* data = json_object_get(result, "data");
  size_t length = json_string_length(data);
  *bytes = malloc(length + 1);
  long count = *bytes && data ? ch_base64_decode(json_string_value(data), length, *bytes) : -1;
  json_decref(result);
  if (count > 0) {
    *size = (size_t)count;
    return CH_OK;
  }
  free(*bytes);
  *bytes = NULL;
  return ch_fail(context, CH_ERR_FORMAT, "Chromium sends no picture");
}

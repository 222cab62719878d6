// `cardhouse view`: a scene, live, or a recorded trajectory on a page that the program itself serves.
#include <stdio.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/output.h"
#include "cli/scene_choice.h"

#ifdef CH_VIEWER

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "cli/option_choices.h"
#include "cli/progress.h"
#include "cli/recorded.h"
#include "cli/signals.h"
#include "serve/follow.h"
#include "serve/live.h"
#include "serve/playback.h"
#include "serve/server.h"

#endif

#define VIEW_OPTIONS(X)                                                                                       \
  X(COUNT, port, 0, "P", 1, 65535, "port of 127.0.0.1 to serve on (any free one)")                            \
  X(FLAG, no_browser, false, NULL, 0, 0, "prints the link and opens no browser")                              \
  X(TEXT, compare, NULL, "A,B", 0, 0, "two methods side by side on the same scene, in step")                  \
  X(TEXT, contact, NULL, "LAW", 0, 0, "for a scene: rigid or compliant contact (as the scene says)")          \
  CH_PARAM_ROW(X)                                                                                             \
  X(REAL, speed, 1.0, "X", 0.0, 1e3, "speed relative to real time; 0 = as fast as possible")                  \
  X(FLAG, paused, false, NULL, 0, 0, "starts paused")                                                         \
  X(FLAG, fluent, false, NULL, 0, 0, "keeps to the clock: late steps take the best answer so far")            \
  X(TEXT, record, NULL, "FILE.h5", 0, 0, "records the live scene as a trajectory, including pulls and shots") \
  X(FLAG, follow, false, NULL, 0, 0, "the file is a feed: a simulation that another program steps")           \
  X(FLAG, tied, false, NULL, 0, 0, "ends when the program that started it ends")

typedef struct Arguments {
  VIEW_OPTIONS(CH_ARG_MEMBER)
} Arguments;

static const ChArgRow rows[] = {VIEW_OPTIONS(CH_ARG_ROW)};

#ifdef CH_VIEWER

typedef struct Job {
  Arguments arguments;
  ChContext context;
  char methods[CH_PANES_MAX][CH_ORDER_WORD];
  ChExchange* exchange;
  ChLive* live;  // one of these three
  ChPlayback* playback;
  ChFollow* follow;
  ChServer* server;
} Job;

// A,B
static bool read_compare(const ChCommand* self, Job* job, ChLiveOptions* options) {
  const char *word = job->arguments.compare, *comma = word ? strchr(word, ',') : NULL;
  if (!word) return true;
  if (!comma || comma == word || !comma[1] || strchr(comma + 1, ',') || strlen(word) >= CH_ORDER_WORD) {
    ch_complain(self, "--compare is '%s', must be two methods separated by a comma: pgs,auto", word);
    return false;
  }
  snprintf(job->methods[0], CH_ORDER_WORD, "%.*s", (int)(comma - word), word);
  snprintf(job->methods[1], CH_ORDER_WORD, "%s", comma + 1);
  for (int k = 0; k < CH_PANES_MAX; ++k) {
    if (!ch_method_check(self, job->methods[k], NULL)) return false;
    options->compare[k] = job->methods[k];
  }
  return true;
}

static void print_log(void* user, const char* line) {
  (void)user;
  fprintf(stderr, "cardhouse view: %s\n", line);
}

// In the background, and silent: whether there is a browser shows by itself.
static void open_browser(ChServer* server) {
  char address[CH_ADDRESS_SIZE];
  const char *x11 = getenv("DISPLAY"), *wayland = getenv("WAYLAND_DISPLAY");
  if (!(x11 && *x11) && !(wayland && *wayland)) return;
  if (!ch_server_invite(server, address)) return;
  pid_t child = fork();
  if (child != 0) return;
  if (fork() != 0) _exit(0);
  setsid();
  if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)) _exit(1);
  execlp("xdg-open", "xdg-open", address, (char*)NULL);
  _exit(1);
}

static void* play(void* user) {
  const Job* job = user;
  if (job->follow)
    ch_follow_run(job->follow);
  else if (job->live)
    ch_live_run(job->live);
  else
    ch_playback_run(job->playback);
  return NULL;
}

// Signals are for the thread that serves: it notices them at once.
static bool start_thread(pthread_t* thread, Job* job) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  bool started = pthread_create(thread, NULL, play, job) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return started;
}

static pid_t tied_to;  // 0: nobody

// Of two threads the other may be in a long step. Whoever loses its parent gets another one.
static bool is_over(void) { return ch_stop_asked_by(NULL) || (tied_to != 0 && getppid() != tied_to); }

static ChStatus set_up(Job* job, const ChLiveOptions* options) {
  const ChServerOptions server = {.port = (int)job->arguments.port, .log = print_log, .is_over = is_over};
  ChStatus status = ch_exchange_create(&job->context, &job->exchange);
  if (status == CH_OK && job->arguments.follow)
    status = ch_follow_create(&job->context, options->scene, job->exchange, &job->follow);
  else if (status == CH_OK && ch_recorded_is_file(options->scene))
    status = ch_playback_create(&job->context, options->scene, options->speed, options->paused, job->exchange,
                                &job->playback);
  else if (status == CH_OK)
    status = ch_live_create(&job->context, options, job->exchange, &job->live);
  return status == CH_OK ? ch_server_create(&job->context, &server, job->exchange, &job->server) : status;
}

// A step that takes long, or a scene that is being loaded, is not waited for: nothing of it would be kept.
static void end_thread(pthread_t thread, Job* job) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  long nanoseconds = until.tv_nsec + 200 * 1000000L;
  until.tv_sec += nanoseconds / 1000000000L;
  until.tv_nsec = nanoseconds % 1000000000L;
  ch_exchange_stop(job->exchange);
  if (pthread_timedjoin_np(thread, NULL, &until) == 0) return;
  ch_live_remove_files(job->live);
  fflush(stdout);
  _exit(CH_EXIT_DONE);
}

static ChExit serve(const ChCommand* self, Job* job) {
  char address[CH_ADDRESS_SIZE];
  pthread_t thread;
  ch_server_address(job->server, address);
  if (!start_thread(&thread, job)) {
    ch_complain(self, "no thread could be started");
    return CH_EXIT_FAULT;
  }
  printf("Look: %s   (Ctrl-C ends it)\n", address);
  fflush(stdout);
  if (!job->arguments.no_browser) open_browser(job->server);
  ch_server_run(job->server);
  end_thread(thread, job);
  return CH_EXIT_DONE;
}

static ChExit view_scene(const ChCommand* self, Job* job, const char* scene, const ChSceneChoice* choice) {
  ChLiveOptions options = {.scene = scene,
                           .choice = choice,
                           .speed = job->arguments.speed,
                           .paused = job->arguments.paused,
                           .fluent = job->arguments.fluent,
                           .record = job->arguments.record};
  if (!read_compare(self, job, &options) || !ch_contact_check(self, choice->contact)) return CH_EXIT_USAGE;
  if (job->arguments.follow && (options.compare[0] || choice->parameter_count > 0)) {
    ch_complain(self, "--follow takes a feed, which a program writes (docs/feed.md), and nothing else");
    return CH_EXIT_USAGE;
  }
  if (options.record && (options.compare[0] || job->arguments.follow || ch_recorded_is_file(scene))) {
    ch_complain(self, "--record keeps one live simulation of a scene; it excludes --compare, feeds and recordings");
    return CH_EXIT_USAGE;
  }
  if (choice->parameter_count > 0 && ch_recorded_is_file(scene)) {
    ch_complain(self, "%s is a recording; parameters belong to a scene", scene);
    return CH_EXIT_USAGE;
  }
  if (options.compare[0] && ch_recorded_is_file(scene)) {
    ch_complain(self, "--compare takes a scene; %s is a recording, of one method", scene);
    return CH_EXIT_USAGE;
  }
  if (job->arguments.tied) tied_to = getppid();
  ch_notices_show(self, &job->context, true);
  ch_signals_end();
  ChStatus status = set_up(job, &options);
  ch_signals_heed(NULL, NULL);
  ChExit result = status == CH_OK ? serve(self, job) : ch_failure_exit(self, &job->context, status);
  ch_server_destroy(job->server);
  ch_live_destroy(job->live);
  ch_playback_destroy(job->playback);
  ch_follow_destroy(job->follow);
  ch_exchange_destroy(job->exchange);
  return result;
}

#endif

static ChExit view_run(const ChCommand* self, int count, char** words) {
  Arguments arguments = {VIEW_OPTIONS(CH_ARG_DEFAULT)};
  const char* scene = NULL;
  ChStrayOptions strays = {0};
  ChSceneParameters parameters;
  ChParsed parsed = ch_arguments_parse_with_strays(self, count, words, &arguments, &scene, &strays);
  if (parsed != CH_PARSED_RUN) return parsed == CH_PARSED_HELP ? CH_EXIT_DONE : CH_EXIT_USAGE;
  if (!scene && arguments.follow) {
    ch_complain(self, "--follow takes a feed, which a program writes (docs/feed.md)");
    return CH_EXIT_USAGE;
  }
  if (!scene) scene = "cards";
  if (!ch_scene_choice_read(self, scene, arguments.contact, &arguments.param, &strays, &parameters))
    return CH_EXIT_USAGE;
#ifdef CH_VIEWER
  Job job = {.arguments = arguments};
  return view_scene(self, &job, scene, &parameters.choice);
#else
  return ch_viewer_missing(self);
#endif
}

const ChCommand ch_command_view = {
    .name = "view",
    .summary = "shows a running scene (a file or the name of a built-in scene; cards) or a trajectory in the browser",
    .operand = "[SCENE|TRAJECTORY.h5|FEED]",
    .examples =
        "  cardhouse view\n"
        "  cardhouse view stack --n 12 --speed 0.5\n"
        "  cardhouse view cards --compare pgs,auto\n"
        "  cardhouse view scene.json --port 8080 --no-browser\n"
        "  cardhouse view cards --record session.h5\n"
        "  cardhouse run cards --until 2 --out cards.h5 && cardhouse view cards.h5\n"
        "  cardhouse view /dev/shm/run.feed --follow\n",
    .row_count = sizeof rows / sizeof *rows,
    .rows = rows,
    .run = view_run,
};

// Films: see film.h.
#include "serve/film.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/program_path.h"

struct ChFilm {
  pid_t process;
  int to;
  char path[];
};

static void exec_ffmpeg(const char* program, const char* path, const char* rate, const int pipes[2]) {
  dup2(pipes[0], STDIN_FILENO);
  int nothing = open("/dev/null", O_WRONLY);
  dup2(nothing, STDOUT_FILENO);
  setpgid(0, 0);  // Ctrl-C is for us: the film is closed, then removed or kept
  // Pictures of odd size get a line more: half the pixels of a film carry colour.
  execl(program, program, "-nostdin", "-loglevel", "error", "-y", "-f", "image2pipe", "-framerate", rate, "-c:v",
        "mjpeg", "-i", "pipe:0", "-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-c:v", "libx264", "-crf", "18", "-pix_fmt",
        "yuv420p", "-movflags", "+faststart", "-f", "mp4", path, (char*)NULL);
  _exit(127);
}

ChStatus ch_film_start(ChContext* context, const char* path, double rate, ChFilm** out) {
  *out = NULL;
  static const char* const names[] = {"ffmpeg"};
  char program[512], word[32];
  if (!ch_program_find(1, names, program, sizeof program))
    return ch_fail(context, CH_ERR_UNSUPPORTED,
                   "films need ffmpeg, which was not found: install it (Debian: apt-get install ffmpeg)");
  ChFilm* film = calloc(1, sizeof *film + strlen(path) + 1);
  int pipes[2];
  if (!film || pipe2(pipes, O_CLOEXEC) != 0) {
    free(film);
    return ch_fail(context, CH_ERR_MEMORY, "no pipe to ffmpeg");
  }
  strcpy(film->path, path);
  snprintf(word, sizeof word, "%.9g", rate);
  signal(SIGPIPE, SIG_IGN);  // an ffmpeg that ends is a failed write
  film->process = fork();
  if (film->process == 0) exec_ffmpeg(program, path, word, pipes);
  close(pipes[0]);
  film->to = pipes[1];
  *out = film;
  if (film->process > 0) return CH_OK;
  *out = NULL;
  close(film->to);
  free(film);
  return ch_fail(context, CH_ERR_MEMORY, "ffmpeg cannot be started: %s", strerror(errno));
}

ChStatus ch_film_add(ChContext* context, ChFilm* film, const unsigned char* picture, size_t size) {
  while (size > 0) {
    ssize_t put = write(film->to, picture, size);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return ch_fail(context, CH_ERR_FILE, "%s: ffmpeg stopped before the film was complete", film->path);
    picture += put;
    size -= (size_t)put;
  }
  return CH_OK;
}

ChStatus ch_film_close(ChContext* context, ChFilm* film, int keep) {
  if (!film) return CH_OK;
  if (!keep) kill(film->process, SIGKILL);
  close(film->to);
  int state = 0;
  while (waitpid(film->process, &state, 0) < 0 && errno == EINTR) continue;
  bool done = WIFEXITED(state) && WEXITSTATUS(state) == 0;
  ChStatus status = CH_OK;
  if (keep && !done) status = ch_fail(context, CH_ERR_FILE, "%s: ffmpeg could not write the film", film->path);
  if (!keep || !done) unlink(film->path);
  free(film);
  return status;
}

// The program: finds the subcommand, runs it, and makes sure that its output arrived.
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cardhouse/cardhouse.h"
#include "cli/commands.h"
#include "cli/signals.h"

void openblas_set_num_threads(int count);

#define ROW(name) &ch_command_##name,
static const ChCommand* const commands[] = {CH_COMMANDS(ROW)};
enum { COMMANDS = sizeof commands / sizeof *commands };

static void print_help(FILE* file) {
  fprintf(file,
          "usage: cardhouse COMMAND ...\n\nContact problems with Coulomb friction, solved exactly and "
          "certified.\n\ncommands:\n");
  for (int k = 0; k < COMMANDS; ++k) fprintf(file, "  %-10s %s\n", commands[k]->name, commands[k]->summary);
  fprintf(file,
          "\n`cardhouse COMMAND --help` explains one; --version prints the version.\n\nexamples:\n"
          "  cardhouse run cards --until 10 --out cards.h5\n"
          "  cardhouse run cards --levels 3 --until 1\n"
          "  cardhouse sweep arch --param mu=0.25:0.45:21 --csv arch.csv\n"
          "  cardhouse view cards\n"
          "  cardhouse replay cards.h5 > cards.html\n"
          "  cardhouse render cards.h5 --png cards.png --time 2.5\n"
          "  cardhouse export cards.h5 --gltf cards.glb\n"
          "  cardhouse measure bed.h5 --packing --profile z\n"
          "  cardhouse mesh bar --size 1,0.1,0.1 --out bar.msh\n"
          "  cardhouse solve problem.hdf5\n"
          "  cardhouse solve problem.dat --tol 1e-12 --json\n"
          "  cardhouse analyze problem.hdf5\n"
          "  cardhouse analyze arch --limits --sideways\n"
          "  cardhouse mcp grasps\n"
          "  cardhouse scene cards --levels 5 > house.json\n"
          "  cardhouse reproduce all --out report\n"
          "\nexit status: 0 done, 1 fell short of the tolerance under --strict, 2 bad usage or bad input,\n"
          "             3 a fault of the program or the machine\n");
}

static const ChCommand* command_find(const char* word) {
  const char* known[COMMANDS];
  for (int k = 0; k < COMMANDS; ++k) {
    known[k] = commands[k]->name;
    if (strcmp(word, known[k]) == 0) return commands[k];
  }
  ch_word_check(NULL, "command", word, COMMANDS, known);
  return NULL;
}

// `cardhouse help`, `cardhouse help solve`
static ChExit help_run(int count, char** words) {
  if (count == 0) {
    print_help(stdout);
    return CH_EXIT_DONE;
  }
  const ChCommand* command = command_find(words[0]);
  if (!command) return CH_EXIT_USAGE;
  ch_command_print_help(command);
  return CH_EXIT_DONE;
}

static ChExit dispatch(int count, char** words) {
  if (count == 0) {
    print_help(stderr);
    return CH_EXIT_USAGE;
  }
  const char* word = words[0];
  if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0)
    return help_run(count - 1, words + 1);
  if (strcmp(word, "--version") == 0) {
    puts("cardhouse " CH_VERSION);
    return CH_EXIT_DONE;
  }
  const ChCommand* command = command_find(word);
  return command ? command->run(command, count - 1, words + 1) : CH_EXIT_USAGE;
}

// A file that is opened while standard input, output or error is closed would take its place, and be written to by who
// means that. The places are taken, opened the wrong way round, so that using them is still an error.
static void fill_descriptors(void) {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd)
    if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0) return;
}

// Libraries' own endings are left out: OpenBLAS waits for ever for threads that a tight limit of memory kept it from
// starting. Leak checkers need them.
static int leave(int status) {
#if !defined __SANITIZE_ADDRESS__ && !defined CH_LEAVE_BY_MAIN
  fflush(NULL);
  _exit(status);
#endif
  return status;
}

int main(int argc, char** argv) {
  fill_descriptors();
  ch_signals_begin();
  signal(SIGXFSZ, SIG_IGN);     // files that grow too large are write errors
  openblas_set_num_threads(1);  // the dense blocks are small, and one thread adds in one order: the same bits every run
  ChExit status = dispatch(argc - 1, argv + 1);
  errno = 0;
  if (fflush(stdout) != 0 || ferror(stdout)) {
    if (status == CH_EXIT_FAULT) return leave(status);  // said already, by who knew why
    fprintf(stderr, "cardhouse: standard output could not be written: %s\n", strerror(errno ? errno : EIO));
    return leave(CH_EXIT_FAULT);
  }
  return leave(status);
}

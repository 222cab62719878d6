// Shutting a process in: see sandbox.h.
#include "base/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define INSTRUMENTED 1
#elif defined __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define INSTRUMENTED 1
#endif
#endif
#ifndef INSTRUMENTED
#define INSTRUMENTED 0  // a sanitizer maps terabytes, and its runtime calls what it likes
#endif

// -------------------------------------------------------------------------------------------------- system calls

#if defined __linux__ && (defined __x86_64__ || defined __aarch64__)
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/mman.h>

#ifdef __x86_64__
#define ARCHITECTURE AUDIT_ARCH_X86_64
#else
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

// Reading and writing what is open, memory, clocks, and the end.
static const int allowed[] = {SYS_read,         SYS_pread64,     SYS_write,      SYS_lseek,
                              SYS_brk,          SYS_munmap,      SYS_mremap,     SYS_madvise,
                              SYS_futex,        SYS_exit,        SYS_exit_group, SYS_rt_sigprocmask,
                              SYS_rt_sigreturn, SYS_getpid,      SYS_gettid,     SYS_clock_gettime,
                              SYS_gettimeofday, SYS_sched_yield, SYS_getrandom,  SYS_restart_syscall};

// Asked for in passing by the C library and by HDF5, which looks for filters to load: these fail, and that is all.
static const int refused[] = {SYS_openat,     SYS_newfstatat, SYS_fstat, SYS_statx,  SYS_faccessat,
                              SYS_readlinkat, SYS_getcwd,     SYS_ioctl, SYS_fcntl,  SYS_sysinfo,
#ifdef SYS_open
                              SYS_open,       SYS_stat,       SYS_lstat, SYS_access, SYS_readlink,
#endif
                              SYS_uname};

enum { LONGEST = 128 };

typedef struct Program {
  struct sock_filter line[LONGEST];
  unsigned short size;
} Program;

static void put(Program* p, unsigned short code, unsigned value, unsigned char yes, unsigned char no) {
  p->line[p->size++] = (struct sock_filter){code, yes, no, value};
}

static void load(Program* p, size_t offset) { put(p, BPF_LD | BPF_W | BPF_ABS, (unsigned)offset, 0, 0); }
static void give(Program* p, unsigned what) { put(p, BPF_RET | BPF_K, what, 0, 0); }
static void load_argument(Program* p, int k) {  // its low half, which is first on both processors
  load(p, offsetof(struct seccomp_data, args) + 8 * (size_t)k);
}

static void list(Program* p, const int* calls, size_t count, unsigned what) {
  for (size_t k = 0; k < count; ++k) {
    put(p, BPF_JMP | BPF_JEQ | BPF_K, (unsigned)calls[k], 0, 1);
    give(p, what);
  }
}

// The call is allowed if its argument k has none of the bits `without`, and all of `with` (one bit, or none).
static void list_flags(Program* p, int call, int k, unsigned without, int j, unsigned with) {
  put(p, BPF_JMP | BPF_JEQ | BPF_K, (unsigned)call, 0, with ? 6 : 4);
  load_argument(p, k);
  put(p, BPF_JMP | BPF_JSET | BPF_K, without, with ? 3 : 1, 0);
  if (with) {
    load_argument(p, j);
    put(p, BPF_JMP | BPF_JSET | BPF_K, with, 0, 1);
  }
  give(p, SECCOMP_RET_ALLOW);
  give(p, SECCOMP_RET_KILL_PROCESS);
}

// The call is allowed if its argument k is this.
static void list_value(Program* p, int call, int k, unsigned value) {
  put(p, BPF_JMP | BPF_JEQ | BPF_K, (unsigned)call, 0, 4);
  load_argument(p, k);
  put(p, BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1);
  give(p, SECCOMP_RET_ALLOW);
  give(p, SECCOMP_RET_KILL_PROCESS);
}

static bool filter_calls(void) {
  Program p = {.size = 0};
  load(&p, offsetof(struct seccomp_data, arch));
  put(&p, BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0);
  give(&p, SECCOMP_RET_KILL_PROCESS);
  load(&p, offsetof(struct seccomp_data, nr));
  list(&p, allowed, sizeof allowed / sizeof *allowed, SECCOMP_RET_ALLOW);
  list(&p, refused, sizeof refused / sizeof *refused, SECCOMP_RET_ERRNO | EACCES);
  list_flags(&p, SYS_mmap, 2, PROT_EXEC, 3, MAP_ANONYMOUS);
  list_flags(&p, SYS_mprotect, 2, PROT_EXEC, 0, 0);
  list_value(&p, SYS_prlimit64, 1, RLIMIT_CPU);
  list_value(&p, SYS_tgkill, 0, (unsigned)getpid());  // abort
  give(&p, SECCOMP_RET_KILL_PROCESS);
  struct sock_fprog program = {p.size, p.line};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return false;
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0 || errno == EINVAL;  // a kernel without filters
}

#else
static bool filter_calls(void) { return true; }
#endif

// ------------------------------------------------------------------------------------------------------- limits

static bool limit(int resource, rlim_t value) {
  struct rlimit now;
  if (getrlimit(resource, &now) != 0) return false;
  if (now.rlim_max != RLIM_INFINITY && now.rlim_max < value) value = now.rlim_max;
  return setrlimit(resource, &(struct rlimit){value, value}) == 0;
}

// Bytes of address space in use; the child of a large program begins with all of its parent's.
static size_t space_in_use(void) {
  char text[64] = "";
  int fd = open("/proc/self/statm", O_RDONLY);
  if (fd >= 0 && read(fd, text, sizeof text - 1) < 0) text[0] = '\0';
  if (fd >= 0) close(fd);
  return strtoul(text, NULL, 10) * (size_t)sysconf(_SC_PAGESIZE);
}

static bool limit_memory(size_t memory) {
  size_t used = INSTRUMENTED ? 0 : space_in_use();
  return used == 0 || limit(RLIMIT_AS, used + memory);
}

void ch_sandbox_allow(double seconds) {
  struct timespec used = {0};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  struct rlimit now;
  if (getrlimit(RLIMIT_CPU, &now) != 0) return;
  rlim_t end = (rlim_t)((double)used.tv_sec + seconds) + 1;
  now.rlim_cur = end < now.rlim_max ? end : now.rlim_max;
  setrlimit(RLIMIT_CPU, &now);
}

// -------------------------------------------------------------------------------------------------- descriptors

static void close_from(int first) {
#ifdef SYS_close_range
  if (syscall(SYS_close_range, (unsigned)first, ~0u, 0u) == 0) return;
#endif
  long most = sysconf(_SC_OPEN_MAX);
  for (int fd = first; fd < (most > 0 && most < 65536 ? most : 65536); ++fd) close(fd);
}

// The caller's standard streams may be closed, and the two then anywhere: they are first moved out of the way.
static bool keep_two(int channel, int file) {
  enum { AFTER = CH_SANDBOX_FILE + 1 };
  int far_channel = fcntl(channel, F_DUPFD, AFTER), far_file = file < 0 ? -1 : fcntl(file, F_DUPFD, AFTER);
  if (far_channel < 0 || (file >= 0 && far_file < 0)) return false;
  int null = open("/dev/null", O_RDWR);
  for (int stream = 0; stream <= 2; ++stream)
    if (null < 0 || (null != stream && dup2(null, stream) < 0)) close(stream);
  if (dup2(far_channel, CH_SANDBOX_CHANNEL) < 0) return false;
  if (far_file < 0)
    close(CH_SANDBOX_FILE);
  else if (dup2(far_file, CH_SANDBOX_FILE) < 0)
    return false;
  close_from(AFTER);
  return true;
}

static void reset_signals(void) {
  for (int number = 1; number < NSIG; ++number) signal(number, SIG_DFL);  // those that cannot be changed stay
  signal(SIGPIPE, SIG_IGN);                                               // a caller that is gone is an error to write
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
}

bool ch_sandbox_enter(int channel, int file, size_t memory) {
  reset_signals();
  if (!keep_two(channel, file)) return false;
  bool limited = limit(RLIMIT_CORE, 0) && limit(RLIMIT_FSIZE, 0) && limit(RLIMIT_NOFILE, 0) && limit_memory(memory);
  limit(RLIMIT_NPROC, 0);
  return limited && (INSTRUMENTED || filter_calls());
}

// A process that shuts itself in before it reads what a stranger wrote.
//
// Whatever goes wrong in it then, it can reach no file and no network, start nothing, and take neither much memory nor
// much time. Limits of the process do this on any system; on Linux a filter of system calls does it again, and more
// tightly: what a reader of an open descriptor has no use for ends the process with SIGSYS.
#ifndef CH_BASE_SANDBOX_H
#define CH_BASE_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>

// Where the descriptors lie afterwards that the process keeps.
enum { CH_SANDBOX_CHANNEL = 3, CH_SANDBOX_FILE = 4 };

// Keeps the channel and, unless it is -1, the file; closes all other descriptors. Signals get back their default
// actions, a core is never left, and `memory` bytes may be taken beyond those in use. There is no way back. False when
// the process could not be shut in.
bool ch_sandbox_enter(int channel, int file, size_t memory);

// From now on this much processor time, then SIGXCPU.
void ch_sandbox_allow(double seconds);

#endif

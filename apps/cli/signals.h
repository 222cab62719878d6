// Ctrl-C and SIGTERM: one way for all commands to end within half a second.
//
// A command that has nothing to end in order leaves signals to the system, or says with ch_signals_end that there is
// nothing. One that has something calls ch_signals_heed: the first signal then only asks to stop. The command's loops
// look at ch_stop_asked, solves are handed ch_stop_asked_by. A watching thread sees to the time: where nobody has heard
// of the stop within GRACE, for the program is deep inside a library, it calls what the command left for that case, and
// ends the program.
#ifndef CH_CLI_SIGNALS_H
#define CH_CLI_SIGNALS_H

#include <stdbool.h>

// First of all, in main: from now on a thread waits for signals, which no other thread ever takes.
void ch_signals_begin(void);

// While a scene is opened, which may take minutes, there is nothing to end in order: Ctrl-C and SIGTERM end the program
// at once, by the signal, and say so.
void ch_signals_end(void);

// From now on the first Ctrl-C or SIGTERM only asks to stop; the second one kills. To be called when there is something
// to end in order. `last` (may be NULL) is called on another thread, while the program's own is busy: it leaves what
// the command promised, says what there is to say, and returns false where there was nothing to say.
typedef bool (*ChLastFn)(void* user);
void ch_signals_heed(ChLastFn last, void* user);

bool ch_stop_asked(void);             // whoever asks and hears yes has to end soon
bool ch_stop_asked_by(void* unread);  // a ChStopFn: who asks is part of something larger

// Exit status of a program that was asked to stop: 128 and the signal's number.
int ch_stop_status(void);

#endif

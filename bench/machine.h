// The conditions of a measurement: one thread on one core.
#ifndef CH_BENCH_MACHINE_H
#define CH_BENCH_MACHINE_H

// Starts the program again with one thread in every library, unless it is so already.
void ch_machine_single_thread(char** argv);

// Pins the process to a core, the last one when negative; says on standard error where that fails.
void ch_machine_pin(int core);

#endif

// Runs a function in each thread of the process, such as giving up capabilities, also in threads of
// libraries and in threads that block in the kernel.
#ifndef SLUICE_CONTROL_PROCESS_EVERY_THREAD_H
#define SLUICE_CONTROL_PROCESS_EVERY_THREAD_H

// Calls act() in each thread, in a signal handler: system calls only. act() returns 0 or a negative
// errno. Returns 0 or the first fault; -ETIMEDOUT: a thread does not take the signal.
int every_thread(int (*act)(void));

#endif

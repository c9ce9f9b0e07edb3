// Something that each thread of the process has to do for itself, such as to give up capabilities,
// also those that a library has made and that wait in the kernel.
#ifndef SLUICE_CONTROL_PROCESS_EVERY_THREAD_H
#define SLUICE_CONTROL_PROCESS_EVERY_THREAD_H

// Calls act() in each thread, in a signal's handler: system calls only. It returns 0 or a negative
// errno. 0, or the fault of one of them; -ETIMEDOUT: a thread does not take the signal.
int every_thread(int (*act)(void));

#endif

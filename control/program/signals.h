// What signals do to a run. SIGPIPE is ignored: a reader of its output may go, and another come.
// SIGHUP asks a run in real time for its configuration once more, from its first moment on; it
// waits until there is somebody to read it. SIGINT and SIGTERM end one in real time in order, the
// second of them at once. One in virtual time ends by each of them.
#ifndef SLUICE_CONTROL_PROGRAM_SIGNALS_H
#define SLUICE_CONTROL_PROGRAM_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

extern volatile sig_atomic_t signals_ended; // SIGINT or SIGTERM; 0: neither has come

void signals_begin(void);
void signals_take_ends(void);    // of a run in real time
void signals_leave_hangup(void); // of a run in virtual time

bool signals_hung_up(void);
void signals_hangup_done(void);

#endif

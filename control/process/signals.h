// The signal handlers of a run. SIGPIPE is ignored: readers of the output may come and go. SIGHUP
// makes a run in real time reload its configuration; a SIGHUP that comes before control runs is
// kept. SIGINT and SIGTERM end a run in order, a second one at once: in virtual time the results up
// to then are left, marked as not complete, and SIGHUP ends the run at once. SIGUSR1 moves an MS of
// sluice bts.
#ifndef SLUICE_CONTROL_PROCESS_SIGNALS_H
#define SLUICE_CONTROL_PROCESS_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

extern volatile sig_atomic_t signals_ended; // SIGINT or SIGTERM; 0: none has come
extern volatile sig_atomic_t signals_moved; // SIGUSR1; its reader sets it to 0

void signals_begin(void);
void signals_take_ends(void);
void signals_take_moves(void);
void signals_leave_hangup(void); // of a run in virtual time

bool signals_hung_up(void);
void signals_hangup_done(void);

#endif

// See signals.h.
#include "control/process/signals.h"

static volatile sig_atomic_t hung_up;
volatile sig_atomic_t signals_ended, signals_moved;

// SA_RESETHAND: a second signal ends the process at once.
static void on_end(int number)
{
    signals_ended = number;
}

static void on_hangup(int number)
{
    hung_up = number;
}

void signals_begin(void)
{
    hung_up = signals_ended = 0;
    sigaction(SIGPIPE, &(struct sigaction){.sa_handler = SIG_IGN}, NULL);
    sigaction(SIGXFSZ, &(struct sigaction){.sa_handler = SIG_IGN}, NULL); // a write then fails
    sigaction(SIGHUP, &(struct sigaction){.sa_handler = on_hangup, .sa_flags = SA_RESTART}, NULL);
}

void signals_take_ends(void)
{
    struct sigaction action = {.sa_handler = on_end, .sa_flags = SA_RESETHAND};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

static void on_move(int number)
{
    signals_moved = number;
}

void signals_take_moves(void)
{
    sigaction(SIGUSR1, &(struct sigaction){.sa_handler = on_move, .sa_flags = SA_RESTART}, NULL);
}

void signals_leave_hangup(void)
{
    sigaction(SIGHUP, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
    if (hung_up)
        raise(SIGHUP);
}

bool signals_hung_up(void)
{
    return hung_up;
}

void signals_hangup_done(void)
{
    hung_up = 0;
}

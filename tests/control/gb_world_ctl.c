// See gb_world.h. The thread's question is in the mailbox before time goes on, so a run of the same
// commands stays the same.
#include "tests/control/gb_world.h"

#include <errno.h>
#include <sched.h>
#include <string.h>

#define PATIENCE_MS 600000 // of the real clock, on a machine that is busy with other things

static void *ask(void *self)
{
    struct world_ctl *ctl = self;
    ctl->result =
        control_request(ctl->control, ctl->question, ctl->answer, sizeof ctl->answer, PATIENCE_MS);
    return NULL;
}

// Not yet answered; an answer that the thread has not fetched yet is one.
static bool is_open(struct world *world)
{
    uint32_t state = __atomic_load_n(&world->control.mailbox.state, __ATOMIC_ACQUIRE);
    return state == MAILBOX_ASKED || state == MAILBOX_TAKEN;
}

void world_ctl(struct world *world, char *arguments)
{
    struct world_ctl *ctl = &world->ctl;
    if (ctl->running ||
        (world->control.phase != CONTROL_UP && world->control.phase != CONTROL_DEAD)) {
        printf("error it cannot be asked now\n");
        return;
    }
    *ctl = (struct world_ctl){.control = &world->control, .running = true};
    snprintf(ctl->question, sizeof ctl->question, "%s", arguments);
    pthread_create(&ctl->thread, NULL, ask, ctl);
    while (!is_open(world))
        sched_yield();
    printf("ok\n");
}

static void tell_answer(const struct world_ctl *ctl)
{
    printf("ok %s ", ctl->result == 0 ? "yes" : "no");
    for (const char *c = ctl->result == -ETIMEDOUT ? "no answer" : ctl->answer; *c; c++)
        if (*c == '\n')
            printf("\\n");
        else
            putchar(*c);
    printf("\n");
}

void world_answer(struct world *world, char *arguments)
{
    struct world_ctl *ctl = &world->ctl;
    (void)arguments;
    if (!ctl->running || is_open(world)) {
        printf("ok pending\n");
        return;
    }
    pthread_join(ctl->thread, NULL);
    ctl->running = false;
    tell_answer(ctl);
}

void world_ctl_end(struct world *world)
{
    if (world->ctl.running)
        pthread_join(world->ctl.thread, NULL);
}

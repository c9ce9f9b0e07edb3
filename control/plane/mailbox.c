// See mailbox.h.
#include "control/plane/mailbox.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "dataplane/base/units.h"

void mailbox_begin(struct mailbox *mail)
{
    pthread_condattr_t monotonic;
    *mail = (struct mailbox){.state = MAILBOX_EMPTY};
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&mail->lock, NULL);
    pthread_cond_init(&mail->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
}

void mailbox_end(struct mailbox *mail)
{
    pthread_cond_destroy(&mail->changed);
    pthread_mutex_destroy(&mail->lock);
}

static void set(struct mailbox *mail, enum mailbox_state state)
{
    __atomic_store_n(&mail->state, state, __ATOMIC_RELEASE);
    pthread_cond_broadcast(&mail->changed);
}

static void put(struct mailbox *mail, const char *question, bool unheard)
{
    snprintf(mail->question, sizeof mail->question, "%s", question);
    mail->unheard = unheard;
    set(mail, MAILBOX_ASKED);
}

static struct timespec in(uint32_t timeout_ms)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    uint64_t ns = (uint64_t)t.tv_nsec + timeout_ms * MS_IN_NS;
    return (struct timespec){t.tv_sec + (time_t)(ns / S_IN_NS), (long)(ns % S_IN_NS)};
}

static bool wait_for(struct mailbox *mail, enum mailbox_state state, const struct timespec *until)
{
    while (mail->state != state)
        if (pthread_cond_timedwait(&mail->changed, &mail->lock, until) == ETIMEDOUT)
            return mail->state == state;
    return true;
}

static int take_answer(struct mailbox *mail, char *answer, size_t octets)
{
    snprintf(answer, octets, "%s", mail->answer);
    set(mail, MAILBOX_EMPTY);
    return mail->good ? 0 : -ECANCELED;
}

int mailbox_ask(struct mailbox *mail, const char *question, char *answer, size_t octets,
                uint32_t timeout_ms)
{
    struct timespec until = in(timeout_ms);
    int result = -ETIMEDOUT;
    pthread_mutex_lock(&mail->lock);
    if (wait_for(mail, MAILBOX_EMPTY, &until)) {
        put(mail, question, false);
        if (wait_for(mail, MAILBOX_ANSWERED, &until))
            result = take_answer(mail, answer, octets);
        else if (mail->state == MAILBOX_ASKED) // control has not taken the request: withdraw it
            set(mail, MAILBOX_EMPTY);
        else
            mail->unheard = true;
    }
    pthread_mutex_unlock(&mail->lock);
    return result;
}

bool mailbox_post(struct mailbox *mail, const char *question)
{
    pthread_mutex_lock(&mail->lock);
    bool free = mail->state == MAILBOX_EMPTY;
    if (free)
        put(mail, question, true);
    pthread_mutex_unlock(&mail->lock);
    return free;
}

const char *mailbox_take(struct mailbox *mail)
{
    if (__atomic_load_n(&mail->state, __ATOMIC_ACQUIRE) != MAILBOX_ASKED)
        return NULL;
    pthread_mutex_lock(&mail->lock);
    bool asked = mail->state == MAILBOX_ASKED; // it may have been withdrawn
    if (asked)
        set(mail, MAILBOX_TAKEN);
    pthread_mutex_unlock(&mail->lock);
    return asked ? mail->question : NULL;
}

bool mailbox_is_taken(const struct mailbox *mail)
{
    return __atomic_load_n(&mail->state, __ATOMIC_RELAXED) == MAILBOX_TAKEN;
}

// All of the text, or its whole lines that fit, and a line that says so.
static void put_text(char answer[MAILBOX_ANSWER_OCTETS], const char *text)
{
    static const char more[] = "\n... the rest does not fit an answer";
    size_t n = strlen(text);
    if (n < MAILBOX_ANSWER_OCTETS) {
        memcpy(answer, text, n + 1);
        return;
    }
    const char *end = memrchr(text, '\n', MAILBOX_ANSWER_OCTETS - sizeof more);
    n = end ? (size_t)(end - text) : MAILBOX_ANSWER_OCTETS - sizeof more;
    memcpy(answer, text, n);
    memcpy(answer + n, more, sizeof more);
}

void mailbox_answer(struct mailbox *mail, bool good, const char *text)
{
    pthread_mutex_lock(&mail->lock);
    if (mail->state == MAILBOX_TAKEN) {
        mail->good = good;
        put_text(mail->answer, text);
        set(mail, mail->unheard ? MAILBOX_EMPTY : MAILBOX_ANSWERED);
    }
    pthread_mutex_unlock(&mail->lock);
}

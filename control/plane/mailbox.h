// One request at a time from another thread to control's thread, and its answer. Control's thread
// reads one word to see that there is none.
#ifndef SLUICE_CONTROL_PLANE_MAILBOX_H
#define SLUICE_CONTROL_PLANE_MAILBOX_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MAILBOX_QUESTION_OCTETS 256
#define MAILBOX_ANSWER_OCTETS   4096

// EMPTY -> ASKED -> TAKEN -> ANSWERED -> EMPTY; TAKEN -> EMPTY if no thread waits for the answer.
enum mailbox_state { MAILBOX_EMPTY, MAILBOX_ASKED, MAILBOX_TAKEN, MAILBOX_ANSWERED };

struct mailbox {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    uint32_t state; // enum mailbox_state
    bool unheard;   // no thread waits for the answer
    bool good;
    char question[MAILBOX_QUESTION_OCTETS], answer[MAILBOX_ANSWER_OCTETS];
};

void mailbox_begin(struct mailbox *mail);
void mailbox_end(struct mailbox *mail);

// Returns 0: done; -ECANCELED: not done, and the answer says why; -ETIMEDOUT.
int mailbox_ask(struct mailbox *mail, const char *question, char *answer, size_t octets,
                uint32_t timeout_ms);
// Posts a request without waiting for the answer. Returns false if there is another request.
bool mailbox_post(struct mailbox *mail, const char *question);

// Control's side: mailbox_take returns the request once, or NULL; the mailbox is taken until
// mailbox_answer.
const char *mailbox_take(struct mailbox *mail);
bool mailbox_is_taken(const struct mailbox *mail);
void mailbox_answer(struct mailbox *mail, bool good, const char *text);

#endif

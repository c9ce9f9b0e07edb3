// One question at a time from another thread to control's, and its answer. Control's thread looks
// at one word to learn that there is none.
#ifndef SLUICE_CONTROL_PLANE_MAILBOX_H
#define SLUICE_CONTROL_PLANE_MAILBOX_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MAILBOX_QUESTION_OCTETS 256
#define MAILBOX_ANSWER_OCTETS   4096

// EMPTY -> ASKED -> TAKEN -> ANSWERED -> EMPTY; who is not waited for goes from TAKEN to EMPTY.
enum mailbox_state { MAILBOX_EMPTY, MAILBOX_ASKED, MAILBOX_TAKEN, MAILBOX_ANSWERED };

struct mailbox {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    uint32_t state; // enum mailbox_state
    bool unheard;   // nobody waits for the answer
    bool good;
    char question[MAILBOX_QUESTION_OCTETS], answer[MAILBOX_ANSWER_OCTETS];
};

void mailbox_begin(struct mailbox *mail);
void mailbox_end(struct mailbox *mail);

// 0: done; -ECANCELED: not done, and the answer says why; -ETIMEDOUT.
int mailbox_ask(struct mailbox *mail, const char *question, char *answer, size_t octets,
                uint32_t timeout_ms);
// Nobody waits for the answer. False: there is another question.
bool mailbox_post(struct mailbox *mail, const char *question);

// Control's side: the question, once; NULL: there is none. It is answered later, and taken until
// then.
const char *mailbox_take(struct mailbox *mail);
bool mailbox_is_taken(const struct mailbox *mail);
void mailbox_answer(struct mailbox *mail, bool good, const char *text);

#endif

// A question from another thread and its answer: each answer goes to who asked, a question that was
// given up is not answered to the next one, and a post waits for nobody.
#include "control/plane/mailbox.h"

#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define ASKERS    4
#define QUESTIONS 500

struct asker {
    struct mailbox *mail;
    int number, wrong;
};

static void *ask(void *self)
{
    struct asker *asker = self;
    char question[32], wanted[40], answer[64];
    for (int i = 0; i < QUESTIONS; i++) {
        bool good = i % 3 != 0;
        snprintf(question, sizeof question, "%d/%d/%d", asker->number, i, good);
        snprintf(wanted, sizeof wanted, "re %s", question);
        int fault = mailbox_ask(asker->mail, question, answer, sizeof answer, 60000);
        asker->wrong += fault != (good ? 0 : -ECANCELED) || strcmp(answer, wanted) != 0;
    }
    return NULL;
}

static bool answer_one(struct mailbox *mail, uint32_t *answered)
{
    char answer[300];
    const char *question = mailbox_take(mail);
    if (!question)
        return false;
    snprintf(answer, sizeof answer, "re %s", question);
    mailbox_answer(mail, question[strlen(question) - 1] == '1', answer);
    (*answered)++;
    return true;
}

static void test_each_asker_gets_his_own_answers(void **state)
{
    (void)state;
    struct mailbox mail;
    struct asker asker[ASKERS];
    pthread_t thread[ASKERS];
    uint32_t answered = 0;
    mailbox_begin(&mail);
    for (int i = 0; i < ASKERS; i++) {
        asker[i] = (struct asker){&mail, i, 0};
        assert_int_equal(pthread_create(&thread[i], NULL, ask, &asker[i]), 0);
    }
    while (answered < ASKERS * QUESTIONS)
        if (!answer_one(&mail, &answered))
            sched_yield(); // the askers may want the only processor there is
    for (int i = 0; i < ASKERS; i++) {
        pthread_join(thread[i], NULL);
        assert_int_equal(asker[i].wrong, 0);
    }
    assert_null(mailbox_take(&mail));
    mailbox_end(&mail);
}

// Nobody has taken it, so nobody shall.
static void test_a_question_given_up_is_gone(void **state)
{
    (void)state;
    struct mailbox mail;
    char answer[64];
    mailbox_begin(&mail);
    assert_int_equal(mailbox_ask(&mail, "anybody?", answer, sizeof answer, 1), -ETIMEDOUT);
    assert_null(mailbox_take(&mail));
    assert_true(mailbox_post(&mail, "next"));
    assert_string_equal(mailbox_take(&mail), "next");
    mailbox_end(&mail);
}

static void test_a_post_waits_for_nobody(void **state)
{
    (void)state;
    struct mailbox mail;
    mailbox_begin(&mail);
    assert_true(mailbox_post(&mail, "reload"));
    assert_false(mailbox_post(&mail, "reload"));
    assert_string_equal(mailbox_take(&mail), "reload");
    assert_null(mailbox_take(&mail));            // once
    assert_false(mailbox_post(&mail, "reload")); // it is being worked on
    assert_true(mailbox_is_taken(&mail));
    mailbox_answer(&mail, true, "done");
    assert_false(mailbox_is_taken(&mail));
    mailbox_answer(&mail, true, "an answer to nothing");
    assert_true(mailbox_post(&mail, "reload"));
    mailbox_end(&mail);
}

struct question {
    struct mailbox *mail;
    char answer[2 * MAILBOX_ANSWER_OCTETS];
};

static void *ask_once(void *self)
{
    struct question *q = self;
    assert_int_equal(mailbox_ask(q->mail, "all?", q->answer, sizeof q->answer, 60000), 0);
    return NULL;
}

static void told(struct question *q, const char *text)
{
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, ask_once, q), 0);
    while (!mailbox_take(q->mail))
        sched_yield();
    mailbox_answer(q->mail, true, text);
    pthread_join(thread, NULL);
}

#define REST "\n... the rest does not fit an answer"

// 63 lines of 64 octets and a 64th of 63 and more; then texts of one line end, around the end of
// what fits.
static void test_an_answer_that_is_cut_says_so(void **state)
{
    (void)state;
    static char lines[3 * MAILBOX_ANSWER_OCTETS], wanted[MAILBOX_ANSWER_OCTETS];
    struct mailbox mail;
    struct question q = {.mail = &mail};
    mailbox_begin(&mail);
    memset(lines, 'x', 64 * 64 - 1);
    for (int i = 1; i <= 63; i++)
        lines[64 * i - 1] = '\n';
    told(&q, lines);
    assert_string_equal(q.answer, lines);
    snprintf(wanted, sizeof wanted, "%.*s" REST, 64 * 63 - 1, lines);
    for (int more = 0; more < 70; more++) {
        lines[64 * 64 - 1 + more] = 'x';
        told(&q, lines);
        assert_string_equal(q.answer, wanted);
    }
    size_t longest = MAILBOX_ANSWER_OCTETS - sizeof REST;
    for (size_t end = longest - 70; end < longest + 70; end++) {
        memset(lines, 'x', 2 * MAILBOX_ANSWER_OCTETS);
        lines[end] = '\n';
        told(&q, lines);
        assert_int_equal(strlen(q.answer), (end < longest ? end : longest) + strlen(REST));
        assert_string_equal(strchr(q.answer, '\n'), REST);
    }
    mailbox_end(&mail);
}

struct late {
    struct mailbox *mail;
    int result;
    bool taken;
};

static void *ask_shortly(void *self)
{
    struct late *late = self;
    char answer[64];
    do // a question that nobody took in time is gone
        late->result = mailbox_ask(late->mail, "slow", answer, sizeof answer, 20);
    while (!__atomic_load_n(&late->taken, __ATOMIC_ACQUIRE));
    return NULL;
}

// Taken, and answered when the asker has gone: the next one does not get that answer.
static void test_a_late_answer_is_nobodys(void **state)
{
    (void)state;
    struct mailbox mail;
    struct late late = {&mail, 0, false};
    pthread_t thread;
    mailbox_begin(&mail);
    assert_int_equal(pthread_create(&thread, NULL, ask_shortly, &late), 0);
    while (!mailbox_take(&mail))
        sched_yield();
    __atomic_store_n(&late.taken, true, __ATOMIC_RELEASE);
    pthread_join(thread, NULL);
    assert_int_equal(late.result, -ETIMEDOUT);
    assert_false(mailbox_post(&mail, "next")); // control is still at it
    mailbox_answer(&mail, true, "late");
    assert_true(mailbox_post(&mail, "next"));
    mailbox_end(&mail);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_asker_gets_his_own_answers),
        cmocka_unit_test(test_a_question_given_up_is_gone),
        cmocka_unit_test(test_a_post_waits_for_nobody),
        cmocka_unit_test(test_an_answer_that_is_cut_says_so),
        cmocka_unit_test(test_a_late_answer_is_nobodys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// How the tests of the live view ask a worker; the answer is in q.
#ifndef TESTS_VIEW_VIEW_ASK_H
#define TESTS_VIEW_VIEW_ASK_H

#include "tests/dataplane/path/workers.h"

static struct dp_query q;

static inline void ask(uint32_t worker, enum view_kind kind, uint32_t of, uint32_t first,
                       uint32_t end)
{
    q = (struct dp_query){.kind = kind, .of = of, .first = first, .end = end};
    assert_true(dp_answered(p.dp, worker));
    dp_ask(p.dp, worker, &q);
    assert_false(dp_answered(p.dp, worker));
    path_poll_worker(worker);
    assert_true(dp_answered(p.dp, worker));
    assert_int_equal(q.now_ns, p.now_ns);
}

#endif

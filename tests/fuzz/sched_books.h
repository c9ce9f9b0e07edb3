// What sched_fuzz.c knows of the scheduler without asking it: which nodes there are, and where each
// N-PDU is. Every grant, drop and count is held against these books.
#ifndef TESTS_FUZZ_SCHED_BOOKS_H
#define TESTS_FUZZ_SCHED_BOOKS_H

#include "dataplane/sched/sched.h"

enum {
    BOOKS_NSES = 2,
    BOOKS_BVCS = 4,
    BOOKS_MSS = 8,
    BOOKS_NPDUS = 1024,
    BOOKS_FLOWS = 4,
    BOOKS_HASHES = 256
};

struct books_npdu {
    bool queued;
    struct pdu pdu;
    uint32_t ms, slot, class, flow;
    uint32_t sent_octets, order;
    uint64_t put_ns;
};

struct books_ms {
    bool exists, frozen;
    uint32_t bvc;
    struct sched_queued queued;
    bool pfc[SCHED_SLOTS];
    uint32_t class[SCHED_SLOTS];
    uint32_t bucket[SCHED_SLOTS]; // those of one number share a bucket
    uint32_t packets_of[SCHED_SLOTS];
    uint32_t order_of[SCHED_SLOTS][BOOKS_HASHES]; // of the last N-PDU begun
    const struct books_npdu *open[SCHED_LLES];    // half sent
};

struct books {
    struct sched *sched;
    struct sched_config config;
    uint64_t now_ns;
    bool nse[BOOKS_NSES], bvc[BOOKS_BVCS];
    uint32_t nse_of[BOOKS_BVCS];
    struct books_ms ms[BOOKS_MSS];
    struct books_npdu npdu[BOOKS_NPDUS];
    uint32_t next, order, buckets;
    struct sched_queued queued, of_class[CLASS_COUNT];
};

// A record that is free; NULL if there is none.
struct books_npdu *books_free_npdu(struct books *b);

// What happened, which must be possible.
void books_put(struct books *b, struct books_npdu *n, enum drop_reason reason);
void books_take(struct books *b, uint32_t n); // takes up to n, and empties the list of drops
uint32_t books_empty_drops(struct books *b);  // returns how many there were

// All counts agree, and the scheduler finds itself in order.
void books_check(struct books *b);

// Time goes from one thing to do to the next, some steps at most; then, if there is nothing more to
// do, whatever is queued must be blocked.
void books_run(struct books *b);

#endif

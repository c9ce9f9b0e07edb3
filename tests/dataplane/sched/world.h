// A scheduler in virtual time with traffic around it, for the tests of its properties. A world
// mirrors what it asks of the scheduler in the plainest way: the queues as lists, a bucket at each
// node by the oracle of tests/oracle. Each grant is judged as it comes:
//
//   S1  it conforms at PFC, MS, cell and NSE; all four levels agree with the scheduler's own
//   S7  it is the next piece of the PFC's next N-PDU (with flow queues: of its flow), and no other
//       N-PDU of its LLE is half sent
//   S12 it is no first piece while a half-sent N-PDU of its class and cell could go on
//   S11 what a full limit costs is lost by whom it has to be (world_loss.c)
//   S8  N-PDUs and octets: put = finished + dropped by reason + queued, after each call
//   LLC frames of control's: each conforms when it goes, none that conforms waits, and no user data
//   goes before one in its MS, nor in a cell or NSE whose bucket one waits for
//   its lifetime, sojourn, mark and sizes are right; sched_check finds nothing
//
// S6 is judged at each idle instant where `judge_work` is set (world_buckets.c says how).
#ifndef SLUICE_TESTS_DATAPLANE_SCHED_WORLD_H
#define SLUICE_TESTS_DATAPLANE_SCHED_WORLD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "dataplane/sched/sched.h"
#include "tests/oracle/bucket_replay.h"

#define WORLD_NONE  UINT32_MAX
#define WORLD_BATCH 64

#define WORLD_VICTIMS 16 // most that lose their place to one arrival
// A stay in real time is told in steps of 2^30 ns; it may end so much late.
#define WORLD_STEPS_NS (2ULL << 30)

// How many of n random cases run: a quarter, all of them with TEST_DEEP (`./run soak all`), and a
// tenth with sanitizers. The check of all that stands in a scheduler is what costs most there.
#ifdef __SANITIZE_ADDRESS__
#define WORLD_CASES(n) ((n) / 10 + 1)
#define WORLD_EVERY(n) (10 * (n))
#else
#define WORLD_CASES(n) (getenv("TEST_DEEP") ? (n) : (n) / 4 + 1)
#define WORLD_EVERY(n) (n)
#endif

// A source of N-PDUs for one PFC.
struct world_source {
    uint32_t pfc;
    uint16_t least, most; // octets of an N-PDU
    uint32_t depth;       // > 0: greedy, so many N-PDUs are always queued
    uint32_t burst;       // else: so many each interval
    uint32_t most_queued; // ... but none while so many are queued; 0: whatever is queued
    uint64_t interval_ns;
    uint64_t on_ns, off_ns; // in turn; 0: always on
    uint64_t start_ns, stop_ns;
    uint32_t flows; // 0: one, of that hash
    uint32_t flow_hash;
    uint8_t lle;
    bool ect;
    uint64_t seed; // its sizes and flows depend on this alone
    // its own
    uint64_t random, next_ns, count;
    uint32_t queued;
};

// A bucket as the oracle has it; what is in force may be less than what was offered.
struct world_bucket {
    struct replay_bucket replay;
    struct bucket_terms offered;
    bool unlimited;
    bool told; // the BSS has told its level since it offered that
};

struct world_npdu {
    uint32_t pfc, source, prev, next; // in its PFC's list, or the list of free ones
    uint64_t number;                  // within its source
    uint64_t put_clock_ns, put_ns;    // by the clock of its MS, and of the world
    uint32_t flow, queue;             // queue: the flow's, as the scheduler chose it; else 0
    uint16_t octets, sent, n201_u;    // n201_u: at which it began
    uint8_t lle;
    bool ect, live;
};

// An LLC frame that waits beside the queues.
struct world_frame {
    uint32_t ms, octets;
    uint64_t number;
};

struct world_ledger {
    uint64_t packets, octets;
};

struct world_pfc {
    uint32_t ms, slot, head, tail;
    enum traffic_class traffic_class;
    bool exists, limited;
    uint64_t shared_queues; // a bit for each in which flows of several tags have met
    uint32_t shares; // 1 + the PFC whose bucket and `limited` count, another of its MS; 0: its own
    struct world_bucket bucket;
    uint64_t sent_octets, sent_pdus; // LLC PDUs
    uint64_t finished, lost;         // N-PDUs; lost: refused or dropped
    struct world_ledger queued;
};

struct world_ms {
    uint32_t cell;
    uint32_t started[SCHED_LLES]; // the N-PDU that is half sent there
    uint16_t n201_u[SCHED_LLES];
    bool exists, own, frozen, stands;
    uint64_t away_ns, stands_since_ns;
    uint32_t frames; // that wait
    uint32_t lles;   // a bit for each that it uses; 0: all
    uint32_t extra;  // octets at the pipe: see world_pipe_octets
    uint64_t packets, octets;
    uint64_t sent_octets, sent_pdus;
    struct world_bucket bucket;
};

struct world_cell {
    uint32_t nse;
    bool exists, blocked;
    struct bucket_terms ms_default;
    struct world_bucket bucket;
    uint32_t more;                      // sched_bvc_more
    uint64_t class_octets[CLASS_COUNT]; // sent, of LLC PDUs
};

struct world_nse {
    struct world_bucket bucket;
    uint64_t sent_octets; // with the pipe's headers
};

// One LLC PDU as it went.
struct world_sent {
    uint64_t time_ns, put_ns, number;
    uint64_t lifetime_ns;
    uint32_t nse, cell, ms, pfc, source;
    uint16_t octets, llc_octets, pipe_octets, offset; // octets: of the N-PDU
    enum traffic_class traffic_class;
    bool first, last, mark;
};

struct world {
    struct sched *sched;
    void *memory;
    struct sched_config config;
    uint64_t now_ns;
    uint32_t batch;       // grants asked for at once
    uint32_t check_every; // steps
    uint64_t settled_ns;  // when everything at an instant was done, the last time
    uint64_t poll_ns;     // 0: it is called when sched_next_ns says; else at these multiples
    bool judge_work, keep_trace;

    struct world_nse *nse;
    struct world_cell *cell;
    struct world_ms *ms;
    struct world_pfc *pfc;
    struct world_source *source;
    struct world_npdu *npdu;
    struct world_npdu arrival; // while an N-PDU arrives: it, and its number if it is queued
    uint32_t arrival_id;
    bool arrives;
    struct world_sent *sent;
    struct world_frame frame[SCHED_FRAMES];
    uint32_t frames;
    uint64_t frames_put, frames_gone, frame_octets; // of those that went
    uint32_t nses, cells, mss, pfcs, sources, npdus, npdu_free, sents;
    uint32_t source_room, npdu_room, sent_room;

    struct world_ledger put, finished, queued, refused[DROP_COUNT], dropped[DROP_COUNT];
    struct world_ledger overstayed; // of those that expired: younger than their lifetime, or begun
    struct world_ledger given_up;   // of these: begun
    uint64_t steps;
};

// Everything generous, no AQM, and tail drop at a full limit: what a test does not set is not in
// its way.
struct sched_config world_config(void);

struct world *world_open(const struct sched_config *config);
// For a configuration whose PDUs take more of the pipe than a constant: so much for each MS, for
// each PFC and for what would be a second fragment. The owner is the world.
uint32_t world_pipe(const void *world, uint32_t ms, uint32_t context, uint32_t llc_octets);
// Judges once more and frees.
void world_close(struct world *w);

// Each gives the index of the new node, which is its id in the scheduler; for a PFC an index of its
// own. A new cell is set at once.
uint32_t world_add_nse(struct world *w, struct bucket_terms cir);
uint32_t world_add_cell(struct world *w, uint32_t nse, struct bucket_terms terms,
                        struct bucket_terms ms_default);
uint32_t world_add_ms(struct world *w, uint32_t cell, uint16_t n201_u);
uint32_t world_add_pfc(struct world *w, uint32_t ms, uint32_t slot, enum traffic_class class);
uint32_t world_add_source(struct world *w, struct world_source source);

// An MS with one PFC of that class in slot 0; gives the PFC.
uint32_t world_add_simple(struct world *w, uint32_t cell, enum traffic_class class);
// A greedy source on it, N-PDUs of least .. most octets.
uint32_t world_add_greedy(struct world *w, uint32_t pfc, uint16_t least, uint16_t most);

// Until that time, everything at it done.
void world_run(struct world *w, uint64_t until_ns);
// Takes what may go now; returns LLC PDUs.
uint32_t world_take(struct world *w);
// One N-PDU of no source.
enum drop_reason world_put(struct world *w, uint32_t pfc, uint16_t octets, uint8_t lle,
                           uint32_t flow, bool ect);
// An N-PDU's stay in real time is longer than its lifetime, hold_ns and `late_ns`.
bool world_overstays(const struct world *w, const struct world_npdu *n, uint64_t late_ns);

// As sched_*, which must agree; the mirror follows.
void world_nse_set(struct world *w, uint32_t nse, struct bucket_terms cir);
void world_cell_set(struct world *w, uint32_t cell, struct bucket_terms terms,
                    struct bucket_terms ms_default);
void world_cell_reset(struct world *w, uint32_t cell);
void world_cell_block(struct world *w, uint32_t cell, bool blocked);
void world_cell_more(struct world *w, uint32_t cell, uint32_t mss);
void world_cell_credit(struct world *w, uint32_t cell, uint32_t octets);
void world_cell_ratio(struct world *w, uint32_t cell, uint32_t percent);
void world_ms_set(struct world *w, uint32_t ms, struct bucket_terms terms);
void world_ms_default(struct world *w, uint32_t ms);
void world_ms_ratio(struct world *w, uint32_t ms, uint32_t percent);
void world_ms_credit(struct world *w, uint32_t ms, uint32_t octets);
void world_ms_n201_u(struct world *w, uint32_t ms, uint32_t lle, uint16_t n201_u);
void world_ms_lles(struct world *w, uint32_t ms, uint32_t lles);
void world_ms_extra(struct world *w, uint32_t ms, uint32_t octets);
void world_ms_freeze(struct world *w, uint32_t ms);
void world_ms_release(struct world *w, uint32_t ms);
void world_ms_move(struct world *w, uint32_t ms, uint32_t cell);
void world_ms_flush(struct world *w, uint32_t ms);
void world_pfc_set(struct world *w, uint32_t pfc, struct bucket_terms terms);
void world_pfc_unlimit(struct world *w, uint32_t pfc);
void world_pfc_ratio(struct world *w, uint32_t pfc, uint32_t percent);
void world_pfc_credit(struct world *w, uint32_t pfc, uint32_t octets);
void world_pfc_remove(struct world *w, uint32_t pfc);
// It uses the bucket of `with`, of the same MS, from here on.
void world_pfc_share(struct world *w, uint32_t pfc, uint32_t with);
// The PFC whose bucket it uses.
struct world_pfc *world_flow(const struct world *w, uint32_t pfc);
void world_ms_remove(struct world *w, uint32_t ms);
void world_class_set(struct world *w, enum traffic_class class, const struct sched_class *values);

// One more LLC frame for an MS, unless SCHED_FRAMES wait; none of an MS's waits any more
// (world_frames.c).
void world_frame_put(struct world *w, uint32_t ms, uint32_t octets);
void world_frames_forget(struct world *w, uint32_t ms);

// From one world to another, where the MS and its PFCs have the same numbers and do not exist yet
// (world_goes.c). N-PDUs that find no room are refused there, as by world_put.
void world_ms_goes(struct world *from, uint32_t ms, struct world *to, uint32_t cell);

// Uniform in least .. most.
uint64_t world_draw(uint64_t *state, uint64_t least, uint64_t most);

// A bucket of that rate in bit/s.
static inline struct bucket_terms world_terms(uint64_t bit_per_s, uint32_t max_octets)
{
    return (struct bucket_terms){(uint32_t)(bit_per_s / BUCKET_RATE_BIT_PER_S), max_octets};
}

#define WORLD_UNLIMITED ((struct bucket_terms){BUCKET_UNLIMITED, 0})
// So much that nothing of a test ever waits for it.
#define WORLD_PLENTY ((struct bucket_terms){BUCKET_RATE_MAX, 6553500})

#endif

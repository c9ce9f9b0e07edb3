// The inside of a radio, for the files of this folder.
#ifndef SLUICE_LAB_RADIO_RADIO_PARTS_H
#define SLUICE_LAB_RADIO_RADIO_PARTS_H

#include "dataplane/base/rng.h"
#include "lab/engine/schedule.h"
#include "lab/radio/radio.h"

#define PPM 1000000

// What is the same for all TBFs of the cell in one way, or of one MS that has its own keys.
struct tbf_law {
    uint32_t block_octets; // of an RLC data block
    uint32_t blocks;       // RLC data blocks in a slot
    uint32_t slots_most;   // of one MS in a period
    uint32_t window;       // blocks
    uint32_t bler_ppm;
    uint64_t setup_ns, setup_beside_ns, release_ns;
};

enum tbf_state {
    TBF_RESTS, // has nothing to send; is open until closes_ns
    TBF_WAITS, // in the calendar, for period `due`
    TBF_TURNS  // in the round robin
};

// A block that arrived with errors, and the period from which on it is repeated.
struct tbf_wrong {
    uint32_t block, due;
};

// The TBF of one MS in one way, whether it exists or not, and the LLC PDUs that the radio holds.
// Blocks are numbered without end: va <= vq <= vs, as V(A), V(Q), V(S) of 44.060 9.1. The ring
// `block` has an entry for each from va to vs - 1: the period of its last sending times 2, and
// whether it arrives then. `wrong` has the others in the order in which they were sent.
struct tbf {
    struct tbf *next, *before; // of the round robin, or of a day of the calendar
    struct tbf *next_sent;     // of those that sent in the last period
    struct tbf *older, *newer; // of those that sent lately
    struct radio_ms *ms;
    const struct tbf_law *law;
    struct radio_pdu *first, *last, *unsent; // unsent: the first with octets to send; NULL: none
    struct radio_amount held;
    uint32_t *block;
    struct tbf_wrong *wrong;
    uint32_t block_room, wrong_room; // powers of two, or 0
    uint32_t va, vq, vs, wrong_first, wrong_count;
    uint32_t sent_octets; // of `unsent`
    uint32_t due, last_sent, slots_used;
    uint64_t closes_ns;
    struct radio_use use; // its periods up to `since`
    uint32_t since;       // in the round robin: the first period that is not counted yet
    uint32_t losses_planned;
    uint8_t way, state;
    uint8_t rank; // of the LLC PDU that the MS took last; changes only out of the round robin
    bool open, sets_up, stalled, in_sent, lately;
    bool more;   // downlink: the BSC's buffer has data
    bool sleeps; // downlink: has data and a channel, but waits for activity (radio.resume)
};

struct radio_ms {
    struct tbf tbf[RADIO_WAYS];
    struct radio_ms *earlier, *later; // of those whose channel is taken and whose PDUs wait
    uint64_t flush_ns;
    uint32_t index, number, calls;
    uint64_t entry;   // counts the MSs that came into the cell, from 1
    bool flush_waits; // it is between earlier and later
    struct tbf_law own[RADIO_WAYS];
    const struct radio_walk *walk; // NULL: none
    uint32_t walk_next;            // its row that is not in force yet
};

struct tbf_list {
    struct tbf *first, *last;
};

// One way of the cell.
struct share {
    struct tbf_list turns[RADIO_RANKS];
    struct tbf *sent_first, *sent_last;
    struct tbf *lately_first, *lately_last; // that sent in the last second, by when they last did
    struct tbf_law law;
    uint64_t rate_bit_per_s;   // 0: slots
    struct radio_trace *trace; // the rate over time; NULL: rate_bit_per_s
    uint64_t credit;           // of the rate, in bit/s * ns; less than a block
    uint32_t control_ppm, control_credit;
    struct radio_counts counts;
    struct radio_use use;
};

struct plan {
    struct radio_plan plan;
    struct schedule when;
    uint64_t entry; // of the MS whose call it is
};

#define CALENDAR_DAYS 64

struct radio {
    struct engine *engine;
    struct engine_timer timer;
    struct radio_config config;
    struct radio_owner owner;
    struct rng rng;
    uint64_t armed_ns;   // what the timer is set for; TIME_NEVER: it is not set
    uint32_t round_trip; // in periods
    uint32_t last_period;
    const struct radio_ms *resumes; // hears RADIO_BACK
    bool busy;                      // the owner is being called: the timer is set at the end
    bool arriving;                  // blocks are arriving; the period after last_period starts next
    uint32_t slots, slots_taken;
    struct share share[RADIO_WAYS];
    struct tbf_list day[CALENDAR_DAYS]; // the TBFs that wait for period p are in day p % 64
    uint64_t days_used;                 // a bit for each day with a TBF
    struct radio_pdu *dated_first, *dated_last;
    struct radio_ms *flush_first, *flush_last;
    struct plan *plan;
    uint32_t plans;
    struct radio_ms **ms; // by index; NULL: free
    uint32_t ms_room;
    uint64_t entries;
};

// radio_setup.c
// The coding and the errors of the MS's walk are those of a period that starts now.
void radio_walk_to(const struct radio *radio, struct radio_ms *ms, uint64_t now_ns);

// tbf.c
void tbf_add(struct radio *radio, struct tbf *tbf, struct radio_pdu *pdu);
bool tbf_send(struct radio *radio, struct tbf *tbf, uint32_t period);
void tbf_receive(struct radio *radio, struct tbf *tbf, uint64_t now_ns);
uint32_t tbf_next_period(const struct radio *radio, struct tbf *tbf, uint32_t period);
void tbf_end(struct radio *radio, struct tbf *tbf, uint64_t now_ns);
void tbf_lose(struct radio *radio, struct tbf *tbf, struct radio_pdu *pdu, enum radio_loss why,
              uint64_t now_ns);
void tbf_lose_all(struct radio *radio, struct tbf *tbf, enum radio_loss why, uint64_t now_ns);
void tbf_discard_late(struct radio *radio, uint64_t now_ns);
uint64_t tbf_discard_ns(const struct radio *radio);

// share.c
void share_wake(struct radio *radio, struct tbf *tbf, uint64_t now_ns);
uint32_t share_first_period(const struct radio *radio, uint64_t from_ns, uint64_t now_ns);
void share_leave(struct radio *radio, struct tbf *tbf);
void share_receive(struct radio *radio, uint64_t now_ns);
void share_period(struct radio *radio, uint64_t now_ns);
uint64_t share_next_ns(const struct radio *radio, uint64_t now_ns);

// use.c
void use_counts_to(struct tbf *tbf, uint32_t period);
void use_sends(struct share *share, struct tbf *tbf);
void use_ends(struct share *share, struct tbf *tbf);
void use_count(const struct radio *radio, struct share *share, uint32_t left, bool waits);

// channel.c
uint32_t channel_slots(const struct radio *radio);
bool channel_has(const struct radio *radio, const struct radio_ms *ms);
void channel_set(struct radio *radio, uint32_t slots, uint32_t taken, uint64_t now_ns);
void channel_call(struct radio *radio, struct radio_ms *ms, bool begins, uint64_t now_ns);
void channel_active(struct radio *radio, struct radio_ms *ms, uint64_t now_ns);
void channel_forget(struct radio *radio, struct radio_ms *ms);
void channel_flush_due(struct radio *radio, uint64_t now_ns);

// plan.c
void plan_run(struct radio *radio, uint64_t now_ns);
uint64_t plan_next_ns(const struct radio *radio);

// radio.c
void radio_fire(void *self, uint64_t now_ns);
void radio_arm(struct radio *radio, uint64_t now_ns);

#endif

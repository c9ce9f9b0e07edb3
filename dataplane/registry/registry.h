// Control's side of the command rings: a registry of all that control has had made. It knows every
// id, so that a command that it accepts cannot fail in the worker. For dataplane*.c and events.c.
#ifndef SLUICE_REGISTRY_REGISTRY_H
#define SLUICE_REGISTRY_REGISTRY_H

#include "dataplane/registry/places.h"
#include "dataplane/state/at.h"
#include "dataplane/state/event.h"
#include "dataplane/state/state.h"

// What there is of each noun. `since`: the count of commands to its worker when it was made, or
// came to that worker. What the worker says with a lower count is of a former owner of the id.
struct registry_nse {
    bool made;
    uint8_t worker;
    uint32_t bvcs, nsvcs;
    uint32_t going; // of those cells
    uint64_t since;
};

struct registry_nsvc {
    bool made;
    uint32_t nse;
    struct state_endpoint endpoint;
    uint64_t since;
};

struct registry_bvc {
    bool made;
    bool going; // removed, and its worker has not come past that yet
    bool kept;  // by the worker, which control has not been told yet
    uint16_t bvci;
    uint32_t nse;
    uint32_t mss;  // also of one that has gone: MSs that have left it, as events will say
    uint32_t next; // of those that go, or are kept; STATE_NONE
    uint64_t since;
    uint64_t removed; // if it goes or is kept: the count of commands with its removal
};

struct registry_ggsn {
    bool made;
    uint32_t pdps;
};

// Counts of commands here are modulo 2^32; registry_age keeps them apart.
struct registry_ms {
    bool made;
    uint8_t slots;   // a bit for each packet flow
    uint16_t nsapis; // a bit for each PDP context
    uint32_t bvc, tlli;
    uint32_t at;        // dp_at of its worker and its id there; read by other threads, too
    uint32_t old_tlli;  // as in state_ms_up; here until control says more of it
    uint32_t first_pdp; // of its contexts, in a list; STATE_NONE
    uint32_t since;
    uint32_t said;  // the count of commands when control last said where it is
    uint32_t heard; // the same of when it last said that the MS need not be paged
};

struct registry_pdp {
    bool made : 1, has_ggsn : 1;
    uint8_t nsapi : 4, slot : 3;
    uint16_t ggsn;
    uint32_t teid; // that its GGSN has
    uint32_t here; // the one at the worker that has it
    uint32_t ms;
    uint32_t next; // of its MS
};

#define REGISTRY_NOUNS(NOUN) NOUN(nse) NOUN(nsvc) NOUN(bvc) NOUN(ggsn) NOUN(ms) NOUN(pdp)

// Cells in the order in which they were removed; STATE_NONE at the end, and in place of the first.
struct registry_cells {
    uint32_t first, last;
};

// A worker as control sees it.
struct registry_worker {
    struct rte_ring *commands;
    const uint64_t *carried_out;   // its counter of commands
    const struct state_bvc *cells; // its own records of them
    uint64_t sent;
    uint64_t heard; // control has taken every event that it wrote before it had counted so many
    struct registry_cells going, kept;
    struct places mss, pdps; // a context that moved on keeps its place where it was made
    uint32_t *teid;          // of each place of a context, the one given last
    uint32_t renewed;        // how many were not the first of their place
};

// A port's own addresses; zeros: none.
struct registry_port {
    struct ipv6_address ipv4, ipv6;
};

struct registry {
    struct registry_worker worker[DP_WORKERS_MAX];
    uint32_t workers;
    struct state_limits limits;
    uint32_t room_mss, room_pdps; // of each worker
    struct teid_bits teid_bits;
    uint64_t teid_seed; // 0: the system says
    uint32_t pfcs_an_ms;
    const struct aqm_ops *aqm[CLASS_COUNT];
    struct registry_port gn, gb;
    uint16_t llc_headroom;                // free octets that the downlink wants before an LLC frame
    struct rte_mempool *pool;             // of PDUs to send
    struct names name[STATE_NAMED_KINDS]; // those taken
    struct rte_hash *endpoints;
#define NOUN(noun) struct registry_##noun *noun;
    REGISTRY_NOUNS(NOUN)
#undef NOUN
    uint32_t aging; // the MS whose counts are looked at next
};

// What it takes of the EAL's memory: for so many workers, limits, and rooms.
uint64_t registry_octets(const struct registry *sizes);

// The caller has filled in what stands before `pool`; `pool` becomes its own. False if there is no
// memory; registry_release is due all the same.
bool registry_setup(struct registry *registry);
void registry_release(struct registry *registry);

// See dp_command, dp_ms_may_move; every value is within its field's range.
int64_t registry_command(struct registry *registry, const struct command *command);
int registry_ms_may_move(const struct registry *registry, uint32_t ms, uint32_t bvc);

// What has been made under an id; NULL: nothing.
#define NOUN(noun)                                                                       \
    static inline struct registry_##noun *registry_made_##noun(const struct registry *r, \
                                                               uint32_t id)              \
    {                                                                                    \
        return id < r->limits.noun##s && r->noun[id].made ? &r->noun[id] : NULL;         \
    }
REGISTRY_NOUNS(NOUN)
#undef NOUN

static inline uint32_t registry_worker_of_bvc(const struct registry *r, uint32_t bvc)
{
    return r->nse[r->bvc[bvc].nse].worker;
}

static inline uint32_t registry_worker_of_ms(const struct registry *r, uint32_t ms)
{
    return registry_worker_of_bvc(r, r->ms[ms].bvc);
}

// The MS or cell of that name; STATE_NONE: there is none.
uint32_t registry_find(const struct registry *registry, uint32_t nse, enum state_named kind,
                       uint32_t value);

// Cells whose worker has come past their removal have gone, or have been kept.
void registry_settle(struct registry *registry);
// The workers have carried out all that was sent.
bool registry_settled(const struct registry *registry);

// What an event changes of what is there; for each event before control has it. Ids in it that
// somebody else has, or nobody, since the worker wrote it become EVENT_NONE.
void registry_note_event(struct registry *registry, struct event *event);

// The worker's events have all been taken that it wrote before it had counted so many commands,
// registry_carried_out before a look at its ring that found it empty.
void registry_note_silence(struct registry *registry, uint32_t worker, uint64_t carried_out);
uint64_t registry_carried_out(const struct registry *registry, uint32_t worker);

// The event that the worker has kept a cell, behind the move for which it has; false: there is
// none.
bool registry_take_kept(struct registry *registry, uint32_t worker, struct event *event);

#endif

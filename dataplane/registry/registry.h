// Control's side of the command rings: records of everything that control has created. The registry
// checks every id, so a command that it accepts cannot fail in the worker. For dataplane/*.c only.
#ifndef SLUICE_REGISTRY_REGISTRY_H
#define SLUICE_REGISTRY_REGISTRY_H

#include "dataplane/registry/places.h"
#include "dataplane/state/at.h"
#include "dataplane/state/event.h"
#include "dataplane/state/state.h"

// The records, a struct for each noun. `since`: the number of commands sent to the worker when the
// id was created, or came to the worker. An event with a lower count is of the id's former user.
struct registry_nse {
    bool made;
    uint8_t worker;
    uint32_t bvcs, nsvcs;
    uint32_t going; // of these cells, how many are being removed
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
    bool going; // removed, but the worker has not carried out the removal yet
    bool kept;  // the worker kept the cell; control has not read that event yet
    uint16_t bvci;
    uint32_t nse;
    uint32_t mss;  // not 0 in a removed cell while control has not read the moves of its MSs
    uint32_t next; // in the list of removed, or of kept cells; STATE_NONE
    uint64_t since;
    uint64_t removed; // if going or kept: the count of commands, its removal included
};

struct registry_ggsn {
    bool made, gtpc;
    uint32_t pdps;
    struct ipv6_address address;
};

// The counts in this record are modulo 2^32; age() in registry.c keeps the counts from wrapping.
struct registry_ms {
    bool made;
    uint8_t slots;   // a bit for each packet flow
    uint16_t nsapis; // a bit for each PDP context
    uint32_t bvc, tlli;
    uint32_t at;        // dp_at of its worker and its place there; other threads read it
    uint32_t old_tlli;  // as in state_ms_up, but until the next ms_tlli or a move to another NSE
    uint32_t first_pdp; // first in the list of its contexts; STATE_NONE
    uint32_t since;
    uint32_t said;  // the count of commands when control last set its cell
    uint32_t heard; // the count of commands when control last made a page needless
};

struct registry_pdp {
    bool made : 1, has_ggsn : 1;
    uint8_t nsapi : 4, slot : 3;
    uint16_t ggsn;
    uint32_t teid; // its GGSN sends to this TEID
    uint32_t here; // its TEID at the worker of its MS
    uint32_t ms;
    uint32_t next; // in the list of its MS's contexts
};

#define REGISTRY_NOUNS(NOUN) NOUN(nse) NOUN(nsvc) NOUN(bvc) NOUN(ggsn) NOUN(ms) NOUN(pdp)

// A list of cells in the order of their removal. STATE_NONE: the end; in `first`: an empty list.
struct registry_cells {
    uint32_t first, last;
};

// Control's record of a worker.
struct registry_worker {
    struct rte_ring *commands;
    const uint64_t *carried_out;   // the worker's counter of carried-out commands
    const struct state_bvc *cells; // the worker's own records of cells
    uint64_t sent;
    uint64_t heard; // control has read all events that the worker wrote before this count
    struct registry_cells going, kept;
    struct places mss, pdps; // after a move a context still has its place at its first worker
    uint32_t *teid;          // for each place of a context, the last TEID given
    uint32_t renewed;        // how many TEIDs were not the first of their place
};

// A port's own addresses; zeros: none. `all`: those of all workers, if there are several.
struct registry_port {
    struct ipv6_address ipv4, ipv6;
    struct port_addresses all;
    uint16_t udp_port, mtu_octets;
};

struct registry {
    struct registry_worker worker[DP_WORKERS_MAX];
    uint32_t workers;
    struct state_limits limits;
    uint32_t room_mss, room_pdps; // of each worker
    struct teid_bits teid_bits;
    uint64_t teid_seed;
    const struct port_hash *teid_hash; // of Gn's device, if that chooses the worker; else NULL
    uint32_t pfcs_an_ms;
    const struct aqm_ops *aqm[CLASS_COUNT];
    struct registry_port gn, gb;
    uint16_t llc_headroom;                // free octets that the downlink wants before an LLC frame
    struct rte_mempool *pool;             // buffers for PDUs to send
    struct names name[STATE_NAMED_KINDS]; // the TLLIs and BVCIs in use
    struct rte_hash *endpoints;
#define NOUN(noun) struct registry_##noun *noun;
    REGISTRY_NOUNS(NOUN)
#undef NOUN
    uint32_t aging;        // the MS that the next command visits
    uint64_t nsvc_changes; // made and removed
};

// The EAL's memory that a registry of this many workers, limits and rooms takes.
uint64_t registry_octets(const struct registry *sizes);

// The caller has set the members up to `pool`. The registry frees `pool`. Returns false if memory
// is short; the caller calls registry_release in that case too.
bool registry_setup(struct registry *registry);
void registry_release(struct registry *registry);

// See dp_command, dp_ms_may_move. The caller has checked that every value is in its field's range.
int64_t registry_command(struct registry *registry, const struct command *command);
int registry_ms_may_move(const struct registry *registry, uint32_t ms, uint32_t bvc);

// MSs with that TLLI, of whatever NSE, by their present or former one. At most `most`; returns how
// many. Asks one NSE after the other: a table of all would take 34 octets of each MS.
uint32_t registry_mss_of(const struct registry *registry, uint32_t tlli, uint32_t *ms,
                         uint32_t most);

// The record of an id; NULL: the id does not exist.
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

// Finds an MS by its TLLI, or a cell by its BVCI; STATE_NONE: there is none.
uint32_t registry_find(const struct registry *registry, uint32_t nse, enum state_named kind,
                       uint32_t value);

// Frees each removed cell, or marks it kept, if its worker has carried out the removal.
void registry_settle(struct registry *registry);
// The workers have carried out all commands sent.
bool registry_settled(const struct registry *registry);

// Updates the records from an event; for each event, before control reads the event. An id that was
// freed or reused since the worker wrote the event becomes EVENT_NONE.
void registry_note_event(struct registry *registry, struct event *event);

// Control has read all events that the worker wrote before its count of commands was `carried_out`.
// The caller read the count (registry_carried_out) before it found the worker's ring empty.
void registry_note_silence(struct registry *registry, uint32_t worker, uint64_t carried_out);
uint64_t registry_carried_out(const struct registry *registry, uint32_t worker);

// Takes an event bvc_kept, after the event of the move that made the worker keep the cell. False:
// there is none.
bool registry_take_kept(struct registry *registry, uint32_t worker, struct event *event);

#endif

// Control's side of the command ring, and what control has had made: it knows every id, so that a
// command that it accepts cannot fail in the worker. For commands*.c and dataplane*.c alone.
#ifndef SLUICE_DATAPLANE_COMMANDS_H
#define SLUICE_DATAPLANE_COMMANDS_H

#include "dataplane/dataplane.h"
#include "dataplane/places.h"
#include "dataplane/state/state.h"

// `since`: the count of commands to its worker when it was made, or came to that worker. What the
// worker says with a lower count is of a former owner of the id.
struct made_nse {
    bool made;
    uint8_t worker;
    uint32_t bvcs, nsvcs;
    uint32_t going; // of those cells
    uint64_t since;
};

struct made_nsvc {
    bool made;
    uint32_t nse;
    struct state_endpoint endpoint;
    uint64_t since;
};

struct made_bvc {
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

struct made_ggsn {
    bool made;
    uint32_t pdps;
};

#define MADE_NSAPIS COMMAND_NSAPIS

// Counts of commands here are modulo 2^32; commands_age keeps them apart.
struct made_ms {
    bool made;
    uint8_t slots;   // a bit for each packet flow
    uint16_t nsapis; // a bit for each PDP context
    uint32_t bvc, tlli;
    uint32_t at;        // DP_AT of its worker and its id there; read by other threads, too
    uint32_t old_tlli;  // as in state_ms_up; here until control says more of it
    uint32_t first_pdp; // of its contexts, in a list; STATE_NONE
    uint32_t since;
    uint32_t said;  // the count of commands when control last said where it is
    uint32_t heard; // the same of when it last said that the MS need not be paged
};

struct made_pdp {
    bool made : 1, has_ggsn : 1;
    uint8_t nsapi : 4, slot : 3;
    uint16_t ggsn;
    uint32_t teid; // that its GGSN has
    uint32_t here; // the one at the worker that has it
    uint32_t ms;
    uint32_t next; // of its MS
};

// Cells in the order in which they were removed; STATE_NONE at the end, and in place of the first.
struct commands_cells {
    uint32_t first, last;
};

// A worker as control sees it.
struct commands_worker {
    struct rte_ring *commands;
    const uint64_t *carried_out;   // its counter of commands
    const struct state_bvc *cells; // its own records of them
    uint64_t sent;
    uint64_t heard; // control has taken every event that it wrote before it had counted so many
    struct commands_cells going, kept;
    struct places mss, pdps; // a context that moved on keeps its place where it was made
    uint32_t *teid;          // of each place of a context, the one given last
    uint32_t renewed;        // how many were not the first of their place
};

// A port's own addresses; zeros: none.
struct commands_port {
    struct ipv6_address ipv4, ipv6;
};

struct commands {
    struct commands_worker worker[DP_WORKERS_MAX];
    uint32_t workers;
    struct state_limits limits;
    uint32_t room_mss, room_pdps; // of each worker
    struct teid_bits teid_bits;
    uint64_t teid_seed; // 0: the system says
    uint32_t pfcs_an_ms;
    const struct aqm_ops *aqm[CLASS_COUNT];
    struct commands_port gn, gb;
    struct rte_mempool *pool;             // of PDUs to send
    struct names name[STATE_NAMED_KINDS]; // those taken
    struct rte_hash *endpoints;
    struct made_nse *nse;
    struct made_nsvc *nsvc;
    struct made_bvc *bvc;
    struct made_ggsn *ggsn;
    struct made_ms *ms;
    struct made_pdp *pdp;
    uint32_t aging; // the MS whose counts are looked at next
};

// What control's picture takes of the EAL's memory: for so many workers, limits, and rooms.
uint64_t commands_octets(const struct commands *sizes);

// The caller has filled in what stands before `pool`; `pool` becomes its own. False if there is no
// memory; commands_release is due all the same.
bool commands_setup(struct commands *commands);
void commands_release(struct commands *commands);

// See dp_command.
int64_t commands_send(struct commands *commands, const struct command *command);

// The workers have carried out all that was sent.
bool commands_settled(const struct commands *commands);

// What an event changes of what is there; for each event before control has it. Ids in it that
// somebody else has, or nobody, since the worker wrote it become EVENT_NONE.
void commands_note_event(struct commands *commands, struct event *event);

// The worker's events have all been taken that it wrote before it had counted so many commands,
// commands_carried_out before a look at its ring that found it empty.
void commands_note_silence(struct commands *commands, uint32_t worker, uint64_t carried_out);
uint64_t commands_carried_out(const struct commands *commands, uint32_t worker);

// The event that the worker has kept a cell, behind the move for which it has; false: there is
// none.
bool commands_take_kept(struct commands *commands, uint32_t worker, struct event *event);

#endif

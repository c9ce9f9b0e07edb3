// What a worker knows: NSEs and their NS-VCs, cells, GGSNs, MSs and PDP contexts, each in one array
// indexed by the id that control gave, of MSs and PDP contexts this worker's own. Octets that are
// the same for every frame are written once, when the record is made. The scheduler has nodes of
// its own under the same ids. What the uplink needs of an MS or a PDP context, and the downlink
// does not, is in arrays beside.
#ifndef SLUICE_STATE_STATE_H
#define SLUICE_STATE_STATE_H

#include "dataplane/port/peer.h"
#include "dataplane/sched/sched.h"
#include "dataplane/state/command.h"
#include "dataplane/state/names.h"
#include "dataplane/state/teid.h"
#include "dataplane/wire/bssgp.h"
#include "dataplane/wire/ns.h"
#include "dataplane/wire/sndcp.h"

#define STATE_NONE         UINT32_MAX
#define STATE_LLES         SCHED_LLES // SAPI 3, 5, 9, 11
#define STATE_NSVCS_AN_NSE 16u
#define STATE_LINKS_BITS   6
#define STATE_LINKS        (1u << STATE_LINKS_BITS)
#define STATE_PFI_OCTETS   3u
#define STATE_NO_PFI       UINT8_MAX
#define STATE_NO_GGSN      UINT16_MAX // no uplink

struct state_endpoint {
    struct ipv6_address address;
    uint32_t udp_port;
};

struct state_nsvc {
    struct peer peer;
    struct state_endpoint endpoint;
    uint32_t nse;
    uint8_t weight;
    uint8_t worker; // whose it is; another takes nothing from it
    bool blocked;   // no downlink goes on it, and its user data is control's
    bool silent;    // nobody answers for its next hop, and control has been told
};

// Load is shared by the link selector (TS 48.016 4.4.2): an MS is on one of STATE_LINKS links, each
// of which is on one NS-VC, so that its frames keep their order.
struct state_nse {
    uint8_t link[STATE_LINKS];         // a place in nsvc; STATE_NSVCS_AN_NSE: none
    uint32_t nsvc[STATE_NSVCS_AN_NSE]; // STATE_NONE: a free place
};

struct state_bvc {
    uint32_t nse; // STATE_NONE: removed, which control reads behind the count of that command
    uint16_t bvci;
    bool blocked; // its user data is control's
    uint8_t ns[NS_UNITDATA_OCTETS];
    uint64_t frames, octets;         // LLC PDUs sent to it
    uint64_t up_frames, up_octets;   // and those from it, of user data with a good FCS
    uint64_t sojourn_ns;             // of the N-PDU that was sent last
    uint64_t marks;                  // N-PDUs marked CE
    uint64_t drop[STATS_NPDU_DROPS]; // N-PDUs for it
};

// One line of the cache. V(U) is what was sent modulo 512, and OC the rest of it.
struct state_ms {
    _Alignas(64) uint32_t bvc;
    uint32_t tlli;
    uint32_t iov_ui;
    uint32_t sent[STATE_LLES]; // UI frames of each LLE under this key, modulo 2^32
    uint8_t key[CIPHER_KEY_OCTETS];
    bool enciphered;
    uint8_t options;     // octets at state_options
    uint8_t holds;       // what freezes it; see below
    uint32_t heard;      // when it was heard last, as state_tick has it
    uint32_t llc_frames; // of control's sent to it, modulo 2^32
    uint64_t octets;     // of LLC PDUs sent to it
};
_Static_assert(sizeof(struct state_ms) == 64, "framing touches one line of an MS");

// What holds an MS's queue: it is frozen as long as one of them does. The path's own, for paging,
// ends also when control flushes the queue, or says that the MS is elsewhere.
enum {
    STATE_HELD_BY_CONTROL = 1,
    STATE_HELD_UNTIL_HEARD = 2, // by control as well
    STATE_HELD_FOR_PAGING = 4,  // also until it is heard
    STATE_HELD_IN_STANDBY = 8,  // likewise, by control: what waits is told
    STATE_LISTENED_FOR = 16     // no hold: control is told when it is heard
};
#define STATE_HELD_BY_SILENCE \
    (STATE_HELD_UNTIL_HEARD | STATE_HELD_FOR_PAGING | STATE_HELD_IN_STANDBY)
#define STATE_HELD_BY_ANY  (STATE_HELD_BY_CONTROL | STATE_HELD_BY_SILENCE)
#define STATE_UNTIL_HEARD  (STATE_HELD_BY_SILENCE | STATE_LISTENED_FOR)
#define STATE_ENDS_BY_MOVE (STATE_HELD_FOR_PAGING | STATE_LISTENED_FOR) // control's, not the path's

// Times of 2^24 ns, modulo 2^32: so who has not been heard for 13 months counts as heard for the
// next 13.
#define STATE_TICK_SHIFT 24
static inline uint32_t state_tick(uint64_t now_ns)
{
    return (uint32_t)(now_ns >> STATE_TICK_SHIFT);
}

// Why N-PDUs for it were dropped, modulo 2^32: of an MS that had one. There are records for an
// eighth of them; while none is free, a drop is counted without its reason (`dropped` of
// state_ms_up).
struct state_ms_counts {
    union {
        uint32_t drop[STATS_NPDU_DROPS];
        uint32_t next; // of one that is free: the next, as state_ms_up has it
    };
};

// Its TEID here: of a context that was made at another worker, not the one that its GGSN has.
struct state_pdp {
    uint32_t teid; // 0: no such context
    uint32_t ms;   // STATE_NONE: another worker has it, `elsewhere`
    union {
        struct {
            uint16_t npdu_octets_max; // what 16 segments hold
            uint16_t npdu_number;     // of the N-PDU that was begun last
        };
        uint32_t elsewhere; // its TEID at the worker that has it
    };
    uint8_t segment; // the next one's number in it, or
// In place of a segment number: one could not be sent, or there are more than 16; no more go.
#define STATE_SEGMENT_LOST   255
#define STATE_SEGMENT_BEYOND 254
    uint8_t nsapi : 4, sapi : 4;
    uint8_t lle : 2, slot : 3, traffic_class : 3;
    uint8_t pfi; // STATE_NO_PFI: none
    // Its GGSN's IPv4 address. Those of 0.0/16 are nobody's: they stand for the id of a GGSN with
    // an IPv6 address, or for STATE_NO_GGSN.
    uint32_t source;
    uint8_t bssgp[BSSGP_DL_UNITDATA_FIXED_OCTETS]; // the lifetime is written per frame
};
_Static_assert(sizeof(struct state_pdp) == 32, "two contexts to a line of the cache");
_Static_assert(STATE_LLES <= 4 && SCHED_SLOTS <= 8 && CLASS_COUNT <= 8, "what their bits hold");

struct state_ggsn {
    struct peer peer;
    struct ipv6_address address;
};

// V(UR) and its OC as one number that counts on, and which of the 32 before it came: bit i is for
// number next - 1 - i.
struct state_lle_up {
    uint32_t next, seen;
};

struct state_ms_up {
    struct state_lle_up lle[STATE_LLES];
    uint32_t first_pdp; // of its PDP contexts, in a list; STATE_NONE
    uint32_t old_tlli;  // its other name; its TLLI: there is none
    uint32_t id;        // that control has for it
    uint32_t counts;    // its record of counts + 1; 0: it has none
    // Of its downlink, modulo 2^32: touched when it happens.
    uint32_t marks, dropped;
    uint64_t octets; // of LLC PDUs of user data that came from it
};
_Static_assert(sizeof(struct state_ms_up) == 64, "the uplink touches one line of an MS");

struct state_pdp_up {
    uint32_t next; // of its MS
    uint32_t teid; // at its GGSN
    uint16_t ggsn;
    // An N-PDU of which some segments have come: its place in `up` + 1; 0: none.
    uint16_t partial : 15;
    uint16_t ended : 1; // the GGSN has no such tunnel
};

struct state_limits {
    uint32_t nses, nsvcs, bvcs, ggsns, mss, pdps;
    uint32_t workers;
    uint32_t options_octets; // room that an MS has for its optional elements
};

struct rte_hash;

// What has names that mean something within its NSE only: an MS its TLLI, a cell its BVCI.
enum state_named { STATE_NAMED_TLLI, STATE_NAMED_BVCI, STATE_NAMED_KINDS };

struct state {
    uint32_t worker;
    struct state_limits limits;
    struct teid_bits teid_bits;
    struct port *gn, *gb;
    struct state_nse *nse;
    struct state_nsvc *nsvc;
    struct state_bvc *bvc;
    struct state_ggsn *ggsn;
    struct state_ms *ms;
    struct state_ms_up *ms_up;
    struct state_ms_counts *ms_counts;
    uint32_t counts_free; // the first record that nobody has, + 1
    struct state_pdp *pdp;
    struct state_pdp_up *pdp_up;
    uint8_t *options; // see state_options; NULL: there is no room for any
    bool standby;     // control has put an MS in standby, at some time: each N-PDU's is looked at
    struct names name[STATE_NAMED_KINDS];
    struct rte_hash *endpoints; // struct state_endpoint -> NS-VC
    struct rte_hash *ggsns;     // struct ipv6_address -> how many GGSNs have it
};

// The MS's optional elements of DL-UNITDATA, encoded and in their order; only if there is room.
static inline uint8_t *state_options(const struct state *state, uint32_t ms)
{
    return state->options + (size_t)ms * state->limits.options_octets;
}

static inline struct state_endpoint state_endpoint(const struct command_nsvc *c)
{
    return (struct state_endpoint){c->peer_address, c->peer_port};
}

int state_setup(struct state *state, uint32_t worker, const struct state_limits *limits,
                struct port *gn, struct port *gb);
void state_release(struct state *state);
uint64_t state_octets(const struct state_limits *limits);
uint32_t state_counts_count(const struct state_limits *limits); // of records of counts
// How many names there are at most: an MS has two while it changes its TLLI.
uint32_t state_names_count(const struct state_limits *limits, enum state_named kind);

// An entry of such a table at most: key and place, two buckets' share and that of the list of free
// places, just above a power of two.
#define STATE_ENDPOINT_OCTETS 80u
// A table that takes as many entries as it is made for, whatever their keys; NULL: no memory.
struct rte_hash *state_hash(const char *what, uint32_t worker, uint32_t entries,
                            uint32_t key_octets);

// Carries out a command that dp_command has accepted, here and in the scheduler, all but `send`. 0,
// or what the scheduler said: -SCHED_MORE wants its list of drops emptied and the same call again;
// anything else is a fault of ours, and nothing has changed.
int state_apply(struct state *state, struct sched *sched, const struct command *command,
                uint64_t now_ns);

// The MS is in that cell from now on, its queue with it.
int state_ms_move(struct state *state, struct sched *sched, uint32_t ms, uint32_t bvc,
                  uint64_t now_ns);

// A hold more on the MS's queue, or those fewer; 0, or what the scheduler said.
int state_ms_hold(struct state *state, struct sched *sched, uint32_t ms, uint8_t hold,
                  uint64_t now_ns);
int state_ms_let_go(struct state *state, struct sched *sched, uint32_t ms, uint8_t holds,
                    uint64_t now_ns);

// The TLLI that the MS had before its present one is no name of its any more. Frames may come under
// it until one has come under the new one, so till then both are its names (TS 44.064 8.3).
void state_old_tlli_end(struct state *state, uint32_t ms);

// A good frame of the MS has come under that name of its.
static inline void state_ms_heard(struct state *state, uint32_t ms, uint32_t tlli, uint64_t now_ns)
{
    state->ms[ms].heard = state_tick(now_ns);
    if (__builtin_expect(state->ms_up[ms].old_tlli != tlli, 0))
        state_old_tlli_end(state, ms);
}

// Its counts by reason; zeros, if it has none. And its record is given back, or got: false, if none
// is free.
const struct state_ms_counts *state_counts_of(const struct state *state, uint32_t ms);
void state_counts_give(struct state *state, uint32_t ms);
static inline bool state_counts_have(struct state *state, uint32_t ms)
{
    uint32_t *counts = &state->ms_up[ms].counts;
    if (*counts == 0 && state->counts_free) {
        *counts = state->counts_free;
        state->counts_free = state->ms_counts[*counts - 1].next;
        state->ms_counts[*counts - 1] = (struct state_ms_counts){.drop = {0}};
    }
    return *counts != 0;
}

// An N-PDU of the MS is dropped for that reason; those of the end are not counted.
static inline void state_count_drop(struct state *state, uint32_t ms, enum drop_reason reason)
{
    uint32_t at = stats_npdu_of[reason];
    if (at == STATS_NPDU_DROPS)
        return;
    state->ms_up[ms].dropped++;
    if (state_counts_have(state, ms))
        state->ms_counts[state->ms_up[ms].counts - 1].drop[at]++;
    state->bvc[state->ms[ms].bvc].drop[at]++;
}

// 0 to 3 for the SAPIs of user data; -1 for any other.
int state_lle_of_sapi(uint8_t sapi);

// ---- Finding. STATE_NONE: nobody. ----
uint32_t state_nsvc_of(const struct state *state, const struct state_endpoint *endpoint);
uint32_t state_bvc_of(const struct state *state, uint32_t nse, uint16_t bvci);
uint32_t state_ms_of(const struct state *state, uint32_t nse, uint32_t tlli);
bool state_is_ggsn(const struct state *state, const struct ipv6_address *address);

// Whether who has that address may send G-PDUs to the context: its own GGSN, and those of
// `gn_from`; if that names nobody, to a context without a GGSN every GGSN.
bool state_may_send(const struct state *state, const struct state_pdp *pdp,
                    const struct ipv6_address *from);
// The same of an IPv4 address, for what nearly every G-PDU is. False: ask the other.
static inline bool state_is_from_ggsn(const struct state_pdp *pdp, uint32_t from)
{
    return from == pdp->source && from > STATE_NO_GGSN;
}

static inline const struct state_pdp *state_pdp_of_teid(const struct state *state, uint32_t teid)
{
    uint32_t index = teid_index(state->teid_bits, teid);
    if (index >= state->limits.pdps || state->pdp[index].teid != teid || teid == 0)
        return NULL;
    return &state->pdp[index];
}

// The NS-VC for a TLLI; STATE_NONE: there is none.
static inline uint32_t state_link(const struct state_nse *nse, uint32_t tlli)
{
    uint32_t place =
        nse->link[tlli * 0x9e3779b9u >> (32 - STATE_LINKS_BITS)]; // 2^32 / golden ratio
    return place < STATE_NSVCS_AN_NSE ? nse->nsvc[place] : STATE_NONE;
}

#endif

// A worker's records: NSEs and their NS-VCs, cells, GGSNs, MSs and PDP contexts, each in one array,
// indexed by control's id, MSs and PDP contexts by this worker's place. Octets that are the same in
// every frame are written once, when the record is made. The scheduler's nodes have the same
// numbers. Data of an MS or a PDP context for the uplink alone is in separate arrays.
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

struct trace;

struct state_endpoint {
    struct ipv6_address address;
    uint32_t udp_port;
};

struct state_nsvc {
    struct peer peer;
    struct state_endpoint endpoint;
    uint32_t nse;
    uint8_t weight;
    uint8_t worker; // the owner; other workers accept nothing from it
    bool blocked;   // no downlink goes on it, and its user data goes to control
    bool silent;    // its next hop does not answer, and control has been told
};

// Load sharing by the link selector (TS 48.016 4.4.2): an MS is on one of STATE_LINKS links, and
// each link is on one NS-VC, so the MS's frames keep their order.
struct state_nse {
    uint8_t link[STATE_LINKS];         // a place in nsvc; STATE_NSVCS_AN_NSE: none
    uint32_t nsvc[STATE_NSVCS_AN_NSE]; // STATE_NONE: a free place
};

enum { STATE_LONGEST_OF = 32 }; // LLC PDUs: a window

struct state_bvc {
    uint32_t nse; // STATE_NONE: removed; control reads it after the count of that command
    uint16_t bvci;
    bool blocked; // its user data goes to control
    uint8_t ns[NS_UNITDATA_OCTETS];
    uint64_t frames, octets; // LLC PDUs sent to it
    uint32_t last;           // place of the MS that the last of user data was for, + 1; 0: none yet
    uint64_t up_frames, up_octets; // user data with a good FCS received from it
    // The longest sojourn of what was sent in this window of LLC PDUs, and in the one before.
    uint64_t longest_ns, longest_before_ns;
    uint64_t marks;                  // N-PDUs marked CE
    uint64_t discarded;              // LLC PDUs that the BSS says it has discarded
    uint64_t drop[STATS_NPDU_DROPS]; // N-PDUs for it
};

// One cache line. V(U) is `sent` modulo 512, and OC the rest of `sent`.
struct state_ms {
    _Alignas(64) uint32_t bvc;
    uint32_t tlli;
    uint32_t iov_ui;
    uint32_t sent[STATE_LLES]; // UI frames of each LLE under this key, modulo 2^32
    uint8_t key[CIPHER_KEY_OCTETS];
    bool enciphered;
    uint8_t options;     // octets at state_options
    uint8_t holds;       // the reasons for which it is frozen; see below
    uint8_t in_vain;     // of its LLC PDUs; see STATE_ALL_IN_VAIN
    uint32_t heard;      // time of its last good frame, in state_tick units
    uint32_t llc_frames; // of control sent to it, modulo 2^32
    uint64_t octets;     // of LLC PDUs sent to it
};
_Static_assert(sizeof(struct state_ms) == 64, "framing touches one line of an MS");

// The holds of an MS's queue: the queue is frozen while any of them is set. The path's own hold,
// for paging, also ends when control flushes the queue, or moves the MS to another cell.
enum {
    STATE_HELD_BY_CONTROL = 1,
    STATE_HELD_UNTIL_HEARD = 2, // set by control
    STATE_HELD_FOR_PAGING = 4,  // set by the path, until the MS is heard
    STATE_HELD_IN_STANDBY = 8,  // set by control, or if all goes in vain, until it is heard;
                                // waiting N-PDUs are reported
    STATE_LISTENED_FOR = 16,    // no hold: control is told when the MS is heard
    STATE_TLLI_TO_COME = 32     // no hold: its `old_tlli` is one to come
};
#define STATE_HELD_BY_SILENCE \
    (STATE_HELD_UNTIL_HEARD | STATE_HELD_FOR_PAGING | STATE_HELD_IN_STANDBY)
#define STATE_HELD_BY_ANY  (STATE_HELD_BY_CONTROL | STATE_HELD_BY_SILENCE)
#define STATE_UNTIL_HEARD  (STATE_HELD_BY_SILENCE | STATE_LISTENED_FOR)
#define STATE_ENDS_BY_MOVE (STATE_HELD_FOR_PAGING | STATE_LISTENED_FOR) // by control, not the path

// LLC PDUs in vain: 2 for each that the BSS has discarded, 1 less for each that goes to the MS,
// never below 0, and 0 again when the MS is heard. So it does not grow while at least half of them
// arrive, and forgets what arrived before. An MS that is not heard, and that nothing reaches, comes
// to this figure with 12 that are discarded at once, as its BSC buffer is when it has left, or with
// 23 of which each lets the next one go. An MS that is there and only listens may lose so many at
// once, too, though most arrive: where its BSC buffer has no room for a burst, or holds many that
// get too old together. A page finds out.
#define STATE_ALL_IN_VAIN 24

// Time in ticks of 2^24 ns, modulo 2^32: an MS silent for 13 months counts as heard in the next 13.
#define STATE_TICK_SHIFT 24
static inline uint32_t state_tick(uint64_t now_ns)
{
    return (uint32_t)(now_ns >> STATE_TICK_SHIFT);
}

// An MS's dropped N-PDUs by reason, and its LLC PDUs that the BSS has discarded, modulo 2^32, from
// the first of either on. There are records for a ninth of the MSs; while none is free, a drop is
// counted without its reason (`dropped` of state_ms_up), and what the BSS discards for the cell
// only.
struct state_ms_counts {
    union {
        struct {
            uint32_t drop[STATS_NPDU_DROPS];
            uint32_t discarded;
        };
        uint32_t next; // of a free record: the next one, + 1
    };
};

// A PDP context. `teid` is its TEID at this worker; its GGSN has the TEID of its first worker.
struct state_pdp {
    uint32_t teid; // 0: no such context
    uint32_t ms;   // STATE_NONE: the MS is at another worker, see `elsewhere`
    union {
        struct {
            uint16_t npdu_octets_max; // the capacity of 16 segments
            uint16_t npdu_number;     // of the N-PDU begun last
        };
        uint32_t elsewhere; // the context's TEID at the MS's worker
    };
    uint8_t segment; // number of the next segment, or:
// In place of a segment number: a segment was lost, or would be the 17th; the rest is not sent.
#define STATE_SEGMENT_LOST   255
#define STATE_SEGMENT_BEYOND 254
    uint8_t nsapi : 4, sapi : 4;
    uint8_t lle : 2, slot : 3, traffic_class : 3;
    uint8_t pfi; // STATE_NO_PFI: none
    // Its GGSN's IPv4 address. An address in 0.0/16, which no host has, is the id of a GGSN with an
    // IPv6 address, or of one whose context has an ended uplink, or STATE_NO_GGSN.
    uint32_t source;
    uint8_t bssgp[BSSGP_DL_UNITDATA_FIXED_OCTETS]; // the lifetime is written per frame
};
_Static_assert(sizeof(struct state_pdp) == 32, "two contexts to a line of the cache");
_Static_assert(STATE_LLES <= 4 && SCHED_SLOTS <= 8 && CLASS_COUNT <= 8, "what their bits hold");

struct state_ggsn {
    struct peer peer; // by which GTP-C goes, too, with other UDP ports
    struct ipv6_address address;
    bool gtpc;
};

// V(UR) and its OC as one number that never wraps; bit i of `seen`: next - 1 - i was received.
struct state_lle_up {
    uint32_t next, seen;
};

struct state_ms_up {
    struct state_lle_up lle[STATE_LLES];
    uint32_t first_pdp; // head of its list of PDP contexts; STATE_NONE
    uint32_t old_tlli;  // its former TLLI, or one to come; equal to its TLLI: none
    uint32_t id;        // control's id of it
    uint32_t counts;    // index of its state_ms_counts + 1; 0: none
    // Of its downlink, modulo 2^32.
    uint32_t marks, dropped;
    uint64_t octets; // of LLC PDUs of user data received from it
};
_Static_assert(sizeof(struct state_ms_up) == 64, "the uplink touches one line of an MS");

struct state_pdp_up {
    uint32_t next; // in the list of its MS
    uint32_t teid; // at its GGSN
    uint16_t ggsn;
    // Its N-PDU in reassembly: index in `up` + 1; 0: none.
    uint16_t partial : 15;
    uint16_t ended : 1; // the GGSN has no such tunnel
};

struct state_limits {
    uint32_t nses, nsvcs, bvcs, ggsns, mss, pdps;
    uint32_t workers;
    uint32_t options_octets; // room of each MS for optional elements
};

struct rte_hash;

// Names that are unique only within an NSE: an MS's TLLI, a cell's BVCI.
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
    uint32_t counts_free; // the first free record, + 1
    struct state_pdp *pdp;
    struct state_pdp_up *pdp_up;
    uint8_t *options;    // see state_options; NULL: no room for any
    struct trace *trace; // what its packets are traced into; NULL: nothing is
    bool standby;        // an MS was ever put in standby: every N-PDU's MS is checked
    struct names name[STATE_NAMED_KINDS];
    struct rte_hash *endpoints; // struct state_endpoint -> NS-VC
    // struct ipv6_address -> how many GGSNs have it; above, the id of the one with GTP-C, + 1
    struct rte_hash *ggsns;
#define STATE_GTPC_SHIFT 32
    uint32_t gtpcs; // GGSNs with GTP-C
};

// The MS's optional elements of DL-UNITDATA, encoded, in the standard's order; needs `options`.
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
// The most names: an MS has two while it changes its TLLI.
uint32_t state_names_count(const struct state_limits *limits, enum state_named kind);

// The most octets of an entry of such a table: key and index, two buckets' share and the share of
// the list of free entries, just above a power of two.
#define STATE_ENDPOINT_OCTETS 80u
// A hash table with room for `entries`, whatever their keys; NULL: out of memory.
struct rte_hash *state_hash(const char *what, uint32_t worker, uint32_t entries,
                            uint32_t key_octets);

// Carries out a command that dp_command accepted, here and in the scheduler; all but `send`. 0, or
// the scheduler's error: after -SCHED_MORE the caller empties the list of drops and repeats the
// call; any other error is an internal error, and nothing has changed.
int state_apply(struct state *state, struct sched *sched, const struct command *command,
                uint64_t now_ns);

// V(U), V(UR) and OC of all LLEs of the MS start at 0, with that IOV-UI.
void state_ms_reset(struct state *state, uint32_t ms, uint32_t iov_ui);

// Moves the MS, with its queue, to that cell.
int state_ms_move(struct state *state, struct sched *sched, uint32_t ms, uint32_t bvc,
                  uint64_t now_ns);

// Sets a hold on the MS's queue, or clears holds; 0, or the scheduler's error.
int state_ms_hold(struct state *state, struct sched *sched, uint32_t ms, uint8_t hold,
                  uint64_t now_ns);
int state_ms_let_go(struct state *state, struct sched *sched, uint32_t ms, uint8_t holds,
                    uint64_t now_ns);

// Ends the MS's former TLLI. Frames may come under it until one has come under the new TLLI, so
// until then both are its names (TS 44.064 8.3). And a TLLI to come, with which control has not set
// its TLLI yet: until it does, both are its names, whichever it is heard under.
void state_old_tlli_end(struct state *state, uint32_t ms);

// The MS counts as heard. Control reads when.
static inline void state_ms_is_there(struct state_ms *ms, uint64_t now_ns)
{
    __atomic_store_n(&ms->heard, state_tick(now_ns), __ATOMIC_RELAXED);
    ms->in_vain = 0;
}

// An LLC PDU of so many octets goes to the MS.
static inline void state_ms_sent(struct state_ms *ms, uint32_t llc_octets)
{
    ms->octets += llc_octets;
    ms->in_vain -= ms->in_vain > 0;
}

// A good frame of the MS came under that TLLI.
static inline void state_ms_heard(struct state *state, uint32_t ms, uint32_t tlli, uint64_t now_ns)
{
    state_ms_is_there(&state->ms[ms], now_ns);
    if (__builtin_expect(state->ms_up[ms].old_tlli != tlli, 0) &&
        !(state->ms[ms].holds & STATE_TLLI_TO_COME))
        state_old_tlli_end(state, ms);
}

// The MS's drops by reason; zeros without a record. state_counts_give frees its record;
// state_counts_have allocates one: false, if none is free.
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

// Counts a dropped N-PDU of the MS; reasons outside STATS_NPDU_* are not counted.
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

// ---- Finding; STATE_NONE: not found ----
uint32_t state_nsvc_of(const struct state *state, const struct state_endpoint *endpoint);
uint32_t state_bvc_of(const struct state *state, uint32_t nse, uint16_t bvci);
uint32_t state_ms_of(const struct state *state, uint32_t nse, uint32_t tlli);
bool state_is_ggsn(const struct state *state, const struct ipv6_address *address);
uint32_t state_gtpc_of(const struct state *state, const struct ipv6_address *address); // a GGSN

// Whether a host with that address may send G-PDUs to the context: the context's GGSN, and the nets
// of `gn_from`; without nets, to a context without a GGSN, every GGSN.
bool state_may_send(const struct state *state, const struct state_pdp *pdp,
                    const struct ipv6_address *from);
// The context's uplink is dropped from here on, or no more. While it is, the fast check below
// fails, so the GGSN's own G-PDUs come to where they are noticed at no cost for others.
void state_pdp_uplink(struct state *state, uint32_t pdp, bool ended);
// What identifies a G-PDU's sender, of a context with that GGSN.
uint32_t state_source_of(const struct state *state, uint32_t ggsn);
// The fast check of nearly every G-PDU, by IPv4 address. False: ask state_may_send.
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

// The NS-VC for a TLLI; STATE_NONE: none.
static inline uint32_t state_link(const struct state_nse *nse, uint32_t tlli)
{
    uint32_t place =
        nse->link[tlli * 0x9e3779b9u >> (32 - STATE_LINKS_BITS)]; // 2^32 / golden ratio
    return place < STATE_NSVCS_AN_NSE ? nse->nsvc[place] : STATE_NONE;
}

#endif

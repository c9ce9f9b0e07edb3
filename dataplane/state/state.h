// What a worker knows: NSEs, cells, MSs and PDP contexts, each in one array indexed by the id that
// control gave. Octets that are the same for every frame are written once, when the record is made.
// The scheduler has nodes of its own under the same ids.
#ifndef SLUICE_STATE_STATE_H
#define SLUICE_STATE_STATE_H

#include "dataplane/sched/sched.h"
#include "dataplane/state/command.h"
#include "dataplane/state/teid.h"
#include "dataplane/wire/bssgp.h"
#include "dataplane/wire/ether.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/ns.h"
#include "dataplane/wire/sndcp.h"
#include "dataplane/wire/udp.h"

#define STATE_OUTER_OCTETS (ETHER_OCTETS + IPV4_OCTETS + UDP_OCTETS)
#define STATE_LLES         SCHED_LLES // SAPI 3, 5, 9, 11

struct state_nse {
    uint8_t outer[STATE_OUTER_OCTETS]; // lengths, id and checksum are written per frame
    uint16_t ip_id;
    uint32_t ip_sum; // of the outer IPv4 header with length, id and checksum 0
};

struct state_bvc {
    uint32_t nse;
    uint8_t ns[NS_UNITDATA_OCTETS];
};

// One line of the cache. V(U) is what was sent modulo 512, and OC the rest of it.
struct state_ms {
    _Alignas(64) uint32_t bvc;
    uint32_t tlli;
    uint32_t iov_ui;
    uint32_t sent[STATE_LLES]; // UI frames of each LLE under this key, modulo 2^32
    uint8_t key[CIPHER_KEY_OCTETS];
    uint16_t n201_u;
    bool enciphered;
    uint8_t traffic_class[SCHED_SLOTS];
};
_Static_assert(sizeof(struct state_ms) == 64, "framing touches one line of an MS");

struct state_pdp {
    uint32_t teid; // 0: no such context
    uint32_t ms;
    uint16_t npdu_octets_max; // what 16 segments hold
    uint16_t npdu_number;     // of the N-PDU that was begun last
    uint8_t segment;          // the next one's number in it
    uint8_t nsapi, sapi, lle, slot, traffic_class;
    uint8_t bssgp[BSSGP_DL_UNITDATA_FIXED_OCTETS]; // the lifetime is written per frame
};

struct state_limits {
    uint32_t nses, bvcs, mss, pdps;
};

// The Gb port's own end.
struct state_gb {
    struct mac mac;
    uint32_t address;
    uint16_t port;
};

struct state {
    uint32_t worker;
    struct state_limits limits;
    struct state_gb gb;
    struct state_nse *nse;
    struct state_bvc *bvc;
    struct state_ms *ms;
    struct state_pdp *pdp;
};

int state_setup(struct state *state, uint32_t worker, const struct state_limits *limits,
                const struct state_gb *gb);
void state_release(struct state *state);
uint64_t state_octets(const struct state_limits *limits);

// Carries out a command that dp_command has accepted, here and in the scheduler. 0, or what the
// scheduler said: -SCHED_MORE wants its list of drops emptied and the same call again; anything
// else is a fault of ours, and nothing has changed.
int state_apply(struct state *state, struct sched *sched, const struct command *command,
                uint64_t now_ns);

// 0 to 3 for the SAPIs of user data; -1 for any other.
int state_lle_of_sapi(uint8_t sapi);

static inline const struct state_pdp *state_pdp_of_teid(const struct state *state, uint32_t teid)
{
    uint32_t index = teid_index(teid);
    if (index >= state->limits.pdps || state->pdp[index].teid != teid || teid == 0)
        return NULL;
    return &state->pdp[index];
}

#endif

// What a worker knows: NSEs, cells, MSs and PDP contexts, each in one array indexed by the id that
// control gave. Octets that are the same for every frame are written once, when the record is made.
#ifndef SLUICE_STATE_STATE_H
#define SLUICE_STATE_STATE_H

#include "dataplane/state/command.h"
#include "dataplane/state/teid.h"
#include "dataplane/wire/bssgp.h"
#include "dataplane/wire/ether.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/ns.h"
#include "dataplane/wire/sndcp.h"
#include "dataplane/wire/udp.h"

#define STATE_OUTER_OCTETS (ETHER_OCTETS + IPV4_OCTETS + UDP_OCTETS)
#define STATE_LLES         4 // SAPI 3, 5, 9, 11

struct state_nse {
    uint8_t outer[STATE_OUTER_OCTETS]; // lengths, id and checksum are written per frame
    uint16_t ip_id;
    uint32_t ip_sum; // of the outer IPv4 header with length, id and checksum 0
};

struct state_bvc {
    uint32_t nse;
    uint8_t ns[NS_UNITDATA_OCTETS];
};

struct state_ms {
    uint32_t bvc;
    uint32_t tlli;
    uint16_t n201_u;
    uint16_t vu[STATE_LLES]; // V(U), the next N(U)
};

struct state_pdp {
    uint32_t teid; // 0: no such context
    uint32_t ms;
    uint16_t npdu_octets_max; // what 16 segments hold
    uint16_t npdu_number;     // the next one's
    uint8_t nsapi, sapi, lle, traffic_class;
    uint8_t bssgp[BSSGP_DL_UNITDATA_FIXED_OCTETS];
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

// Carries out a command that dp_command has accepted.
void state_apply(struct state *state, const struct command *command);

// 0 to 3 for the SAPIs of user data; -1 for any other.
int state_lle_of_sapi(uint8_t sapi);

// The TEID that the context of a command gets.
uint32_t state_teid(const struct state *state, uint32_t pdp_id);

static inline const struct state_pdp *state_pdp_of_teid(const struct state *state, uint32_t teid)
{
    uint32_t index = teid_index(teid);
    if (index >= state->limits.pdps || state->pdp[index].teid != teid || teid == 0)
        return NULL;
    return &state->pdp[index];
}

#endif

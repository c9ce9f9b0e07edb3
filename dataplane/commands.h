// Control's side of the command ring, and what control has had made: it knows every id, so that a
// command that it accepts cannot fail in the worker. For dataplane.c alone.
#ifndef SLUICE_DATAPLANE_COMMANDS_H
#define SLUICE_DATAPLANE_COMMANDS_H

#include "dataplane/state/state.h"

struct made_nse {
    bool made;
    uint32_t bvcs;
};

struct made_bvc {
    bool made;
    uint32_t nse, mss;
};

#define MADE_NSAPIS 16

struct made_ms {
    bool made;
    uint8_t slots;                // a bit for each packet flow
    uint16_t nsapis;              // a bit for each PDP context
    uint8_t slot_of[MADE_NSAPIS]; // its packet flow
    uint32_t bvc;
};

struct made_pdp {
    bool made;
    uint8_t nsapi, generation; // of its TEID
    uint32_t ms;
};

struct commands {
    struct rte_ring *ring;
    uint32_t worker;
    struct state_limits limits;
    uint32_t pfcs_an_ms;
    struct made_nse *nse;
    struct made_bvc *bvc;
    struct made_ms *ms;
    struct made_pdp *pdp;
};

// False if there is no memory; commands_release is due all the same.
bool commands_setup(struct commands *commands, const struct state_limits *limits,
                    uint32_t pfcs_an_ms, struct rte_ring *ring);
void commands_release(struct commands *commands);

// See dp_command.
int64_t commands_send(struct commands *commands, const struct command *command);

#endif

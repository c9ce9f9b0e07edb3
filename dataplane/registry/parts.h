// Shared by the registry's files: helpers, and the function of each command. For registry/ only.
//
// The values of the command are within their ranges. The function checks the ids in the command,
// replaces the ids of MSs and contexts by the worker's ids, puts the command on the worker's ring,
// and then updates the records: a command that the ring refuses changes nothing. Returns 0, or
// -errno with nothing changed.
#ifndef SLUICE_REGISTRY_PARTS_H
#define SLUICE_REGISTRY_PARTS_H

#include <errno.h>

#include "dataplane/registry/registry.h"

#define COMMAND(name, LIST, help) int registry_##name(struct registry *r, struct command *c);
#include "dataplane/state/commands.def"
#undef COMMAND

// The id must exist, or must be free. For cells see bvc.c.
#define REGISTRY_THERE(r, noun, id) \
    ((id) >= (r)->limits.noun##s ? -ERANGE : (r)->noun[id].made ? 0 : -ENOENT)
#define REGISTRY_FREE(r, noun, id) \
    ((id) >= (r)->limits.noun##s ? -ERANGE : (r)->noun[id].made ? -EEXIST : 0)

// A link in a chain of checks: the value of `a ?: b ?: c` is the first fault.
static inline int refuse(bool it, int fault)
{
    return it ? fault : 0;
}

// The function of a command for which `carry` does everything: the check and the sending.
#define REGISTRY_PLAIN(name, carry)                            \
    int registry_##name(struct registry *r, struct command *c) \
    {                                                          \
        return carry(r, c);                                    \
    }

// registry.c. `workers`: a bit for each worker. Returns 0 if each of these workers' rings has room
// for all commands that one call may send, else -EAGAIN.
#define REGISTRY_ALL(r) ((1u << (r)->workers) - 1)
int registry_room(const struct registry *r, uint32_t workers);
// Puts a command on a ring that has room.
void registry_put(struct registry *r, uint32_t worker, const struct command *c);
// Puts a command on the rings of `workers` if all of them have room, else -EAGAIN.
int registry_offer(struct registry *r, uint32_t workers, const struct command *c);
// Copies a PDU into a buffer of control's pool, after `headroom` free octets for headers.
int registry_take_pdu(const struct registry *r, struct command *c, struct octets *from,
                      uint16_t headroom);

// ggsn.c: the address is another station's, in an address family that the port has.
int registry_peer_check(const struct registry_port *port, const struct ipv6_address *peer);

// bvc.c
int registry_bvc_there(const struct registry *r, uint32_t bvc);

// ms.c: encodes a command's optional elements of a DL-UNITDATA into the command.
#define REGISTRY_OPTION(o, field) .has_##field = (o)->has_##field, .field = (o)->field
#define REGISTRY_OPTIONS(o)                                                                       \
    {                                                                                             \
        REGISTRY_OPTION(o, ra_capability), REGISTRY_OPTION(o, priority), REGISTRY_OPTION(o, drx), \
            REGISTRY_OPTION(o, imsi), REGISTRY_OPTION(o, old_tlli)                                \
    }
int registry_take_options(struct command *c, const struct bssgp_dl_unitdata *options,
                          uint32_t room_octets);

// ms.c: sends a command to the worker of the MS in its first field; notes an MS's new cell.
int registry_offer_ms(struct registry *r, struct command *c);
void registry_ms_moved(struct registry *r, uint32_t ms, uint32_t bvc);

// pfc.c
int registry_pfc_there(const struct registry *r, uint32_t ms, uint32_t slot);

// pdp.c: the worker that owns a context's TEID. The context keeps its place at that worker.
uint32_t registry_pdp_worker(const struct registry *r, uint32_t pdp);
// Takes a place for a context at a worker, and returns the context's TEID at that worker.
uint32_t registry_pdp_teid(struct registry *r, uint32_t worker, uint32_t pdp);
// Frees a context's place at its present worker, unless that worker owns the context's TEID.
void registry_pdp_leave(struct registry *r, uint32_t pdp);
// The worker that owns a context's TEID forwards the context's frames to its present worker, under
// the context's TEID at that worker, `to` (0: the context is removed).
void registry_pdp_redirect(struct registry *r, uint32_t pdp, uint32_t to);

#endif

// What the files of the registry share, and the function of each command. For them alone.
//
// Such a function is given a command whose values are within their ranges. It checks what the
// command names; puts it, with the ids that the worker knows MSs and contexts by, on the ring of
// the worker whose it is; and only then notes what it has changed, for what the ring refused has
// not happened. 0, or -errno: nothing has happened.
#ifndef SLUICE_REGISTRY_PARTS_H
#define SLUICE_REGISTRY_PARTS_H

#include <errno.h>

#include "dataplane/registry/registry.h"

#define COMMAND(name, LIST, help) int registry_##name(struct registry *r, struct command *c);
#include "dataplane/state/commands.def"
#undef COMMAND

// An id that has to be there, or one that has to be free; of cells see bvc.c.
#define REGISTRY_THERE(r, noun, id) \
    ((id) >= (r)->limits.noun##s ? -ERANGE : (r)->noun[id].made ? 0 : -ENOENT)
#define REGISTRY_FREE(r, noun, id) \
    ((id) >= (r)->limits.noun##s ? -ERANGE : (r)->noun[id].made ? -EEXIST : 0)

// A link of a chain of checks, in which `a ?: b ?: c` is the first fault.
static inline int refuse(bool it, int fault)
{
    return it ? fault : 0;
}

// A command that nothing is noted of: `carry` checks it and sends it on.
#define REGISTRY_PLAIN(name, carry)                            \
    int registry_##name(struct registry *r, struct command *c) \
    {                                                          \
        return carry(r, c);                                    \
    }

// registry.c. Workers are a bit each. Their rings have room for what one command may bring about,
// else -EAGAIN.
#define REGISTRY_ALL(r) ((1u << (r)->workers) - 1)
int registry_room(const struct registry *r, uint32_t workers);
// A command onto a ring that has room.
void registry_put(struct registry *r, uint32_t worker, const struct command *c);
// A command onto the rings of workers, if all of them have room, else -EAGAIN.
int registry_offer(struct registry *r, uint32_t workers, const struct command *c);
// Copies a PDU into a buffer of control's pool, behind `headroom` free octets for headers.
int registry_take_pdu(const struct registry *r, struct command *c, struct octets *from,
                      uint16_t headroom);

// ggsn.c: another station's address, of a family that the port has.
int registry_peer_check(const struct registry_port *port, const struct ipv6_address *peer);

// bvc.c
int registry_bvc_there(const struct registry *r, uint32_t bvc);

// ms.c: to the worker that has the MS with which the command begins; the MS is in another cell.
int registry_offer_ms(struct registry *r, struct command *c);
void registry_ms_moved(struct registry *r, uint32_t ms, uint32_t bvc);

// pfc.c
int registry_pfc_there(const struct registry *r, uint32_t ms, uint32_t slot);

// pdp.c: the worker that a context's TEID names, where it keeps its place.
uint32_t registry_pdp_worker(const struct registry *r, uint32_t pdp);
// Takes a place for a context at a worker, and returns the TEID that it has there.
uint32_t registry_pdp_teid(struct registry *r, uint32_t worker, uint32_t pdp);
// Gives back the place that a context has where it is, if that is another than the one it keeps.
void registry_pdp_leave(struct registry *r, uint32_t pdp);
// The worker that a context's TEID names sends its frames on to the one that has it, under the TEID
// that it has there (0: nobody has it any more).
void registry_pdp_redirect(struct registry *r, uint32_t pdp, uint32_t to);

#endif

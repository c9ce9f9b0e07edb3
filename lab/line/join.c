// See join.h.
#include "lab/line/join.h"

#include <string.h>

#include "dataplane/wire/address.h"

struct fragment {
    struct ipv6_address source, destination;
    uint32_t id, offset; // in octets
    bool more;
    struct octets octets;
};

// The datagram of a fragment, or a free place for a new one; NULL if all places are in use.
static struct join_datagram *find(struct join *join, const struct fragment *f)
{
    struct join_datagram *free = NULL;
    for (uint32_t i = 0; i < JOIN_DATAGRAMS; i++) {
        struct join_datagram *d = &join->datagram[i];
        if (d->octets == 0)
            free = d;
        else if (d->id == f->id && address_same(&d->source, &f->source) &&
                 address_same(&d->destination, &f->destination))
            return d;
    }
    if (free) {
        free->source = f->source;
        free->destination = f->destination;
        free->id = f->id;
    }
    return free;
}

static const char *add(struct join *join, const struct fragment *f, struct octets *payload)
{
    struct join_datagram *d = find(join, f);
    *payload = (struct octets){0};
    if (!d)
        return "too many datagrams in fragments at once";
    uint32_t have = d->octets;
    d->octets = 0;
    if (f->offset != have || f->octets.n == 0)
        return "fragment out of order";
    if (f->more && f->octets.n % 8)
        return "fragment not a multiple of 8 octets, and not the last";
    if (have + f->octets.n > sizeof d->payload)
        return "datagram too long";
    memcpy(d->payload + have, f->octets.at, f->octets.n);
    if (f->more)
        d->octets = have + f->octets.n;
    else
        *payload = (struct octets){d->payload, have + f->octets.n};
    return NULL;
}

const char *join_ipv4(struct join *join, const struct ipv4 *p, struct octets *payload)
{
    struct fragment f = {address_of_ipv4(p->source),
                         address_of_ipv4(p->destination),
                         p->id,
                         8u * p->fragment_offset,
                         p->more_fragments,
                         p->payload};
    *payload = p->payload;
    return f.more || f.offset ? add(join, &f, payload) : NULL;
}

const char *join_ipv6(struct join *join, const struct ipv6 *p, struct octets *payload)
{
    struct fragment f = {p->source,
                         p->destination,
                         p->fragment.id,
                         8u * p->fragment.offset,
                         p->fragment.more_fragments,
                         p->payload};
    *payload = p->payload;
    return p->has_fragment ? add(join, &f, payload) : NULL;
}

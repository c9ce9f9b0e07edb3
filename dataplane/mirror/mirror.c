// See mirror.h: both sides of the ring, and a packet's block (pcapng 4.3).
//
// Positions count octets and never wrap; their place in the ring is the remainder. As the ring is
// mapped twice in a row, a block that begins in it is one piece of memory. Everything published is
// whole blocks: `head` moves from the end of a block to the end of another.
#include <rte_byteorder.h>
#include <rte_ether.h>
#include <rte_mbuf.h>

#include "dataplane/mirror/mirror_parts.h"

#define PACKET_HEAD_OCTETS 28u
#define FLAGS_OCTETS       8u
#define REASON_MOST        64u
#define ADDRESSES_OCTETS   (2u * RTE_ETHER_ADDR_LEN)
#define TAG_OCTETS         4u

// A packet as it goes into the file.
struct packet {
    const uint8_t *at; // its first buffer's octets
    uint32_t first_octets;
    uint32_t octets;             // of all buffers, and of a tag
    const struct rte_mbuf *more; // further buffers
    bool tagged;                 // on the wire behind the addresses, and not in the buffers
    uint16_t tci;                // that tag's
};

// A packet whose headers were taken off counts more octets than it has: they are still before it.
static struct packet packet_of(const struct rte_mbuf *m, uint32_t octets)
{
    uint32_t off = octets > m->data_len ? octets - m->data_len : 0;
    if (m->nb_segs > 1)
        return (struct packet){.at = rte_pktmbuf_mtod(m, const uint8_t *),
                               .first_octets = m->data_len,
                               .octets = m->pkt_len,
                               .more = m->next};
    if (off > m->data_off)
        off = 0;
    return (struct packet){.at = rte_pktmbuf_mtod(m, const uint8_t *) - off,
                           .first_octets = m->data_len + off,
                           .octets = m->data_len + off};
}

// A frame as on the wire, if its tag is in the buffer's `flag` and `vlan_tci`.
static struct packet frame_of(const struct rte_mbuf *m, uint32_t octets, uint64_t flag)
{
    struct packet p = packet_of(m, octets);
    if (m->ol_flags & flag && p.first_octets >= ADDRESSES_OCTETS) {
        p.tagged = true;
        p.tci = m->vlan_tci;
        p.octets += TAG_OCTETS;
    }
    return p;
}

static void copy(uint8_t *to, const struct packet *p, uint32_t octets)
{
    uint32_t n = RTE_MIN(octets, p->first_octets);
    memcpy(to, p->at, n);
    for (const struct rte_mbuf *m = p->more; m && octets > n; m = m->next) {
        to += n;
        octets -= n;
        n = RTE_MIN(octets, m->data_len);
        memcpy(to, rte_pktmbuf_mtod(m, const uint8_t *), n);
    }
}

static void copy_tagged(uint8_t *to, const struct packet *p, uint32_t octets)
{
    const uint16_t tag[] = {rte_cpu_to_be_16(RTE_ETHER_TYPE_VLAN), rte_cpu_to_be_16(p->tci)};
    const struct packet rest = {.at = p->at + ADDRESSES_OCTETS,
                                .first_octets = p->first_octets - ADDRESSES_OCTETS,
                                .more = p->more};
    uint8_t head[ADDRESSES_OCTETS + TAG_OCTETS];
    uint32_t n = RTE_MIN(octets, sizeof head);
    memcpy(head, p->at, ADDRESSES_OCTETS);
    memcpy(head + ADDRESSES_OCTETS, tag, sizeof tag);
    memcpy(to, head, n);
    copy(to + n, &rest, octets - n);
}

static bool has_room(struct mirror *mirror, uint32_t octets)
{
    if (mirror->next + octets - mirror->tail_seen <= MIRROR_OCTETS)
        return true;
    mirror->tail_seen = __atomic_load_n(&mirror->tail, __ATOMIC_ACQUIRE);
    return mirror->next + octets - mirror->tail_seen <= MIRROR_OCTETS;
}

// False: there is no room for its block. `reason` may be NULL.
static bool put(struct mirror *mirror, enum mirror_interface interface, enum mirror_way way,
                const struct packet *p, const char *reason)
{
    uint32_t captured = RTE_MIN(p->octets, mirror->snap_octets);
    uint32_t reason_octets = reason ? (uint32_t)strnlen(reason, REASON_MOST) : 0;
    uint32_t octets = PACKET_HEAD_OCTETS + mirror_padded(captured) + FLAGS_OCTETS +
                      (reason ? 4 + mirror_padded(reason_octets) : 0) + 4 + 4;
    if (!has_room(mirror, octets))
        return false;
    const uint32_t head[] = {MIRROR_PACKET,
                             octets,
                             interface,
                             (uint32_t)(mirror->now_ns >> 32),
                             (uint32_t)mirror->now_ns,
                             captured,
                             p->octets};
    _Static_assert(sizeof head == PACKET_HEAD_OCTETS, "what stands before the packet");
    const uint32_t flags = way;
    uint8_t *at = mirror->ring + mirror->next % MIRROR_OCTETS;
    memcpy(at, head, sizeof head);
    (p->tagged ? copy_tagged : copy)(at + sizeof head, p, captured);
    at = mirror_put_padding(at + sizeof head + captured, captured);
    at = mirror_put_option(at, MIRROR_FLAGS, &flags, sizeof flags);
    if (reason)
        at = mirror_put_option(at, MIRROR_COMMENT, reason, (uint16_t)reason_octets);
    mirror_put_32(mirror_put_32(at, 0), octets);
    mirror->next += octets;
    return true;
}

static void count(uint64_t *at, uint64_t *stat, uint32_t n)
{
    __atomic_store_n(at, *at + n, __ATOMIC_RELAXED);
    *stat += n;
}

void mirror_put(struct mirror *mirror, enum mirror_interface interface, enum mirror_way way,
                struct rte_mbuf *const *frames, uint32_t n)
{
    uint64_t flag = way == MIRROR_OUT ? RTE_MBUF_F_TX_VLAN : RTE_MBUF_F_RX_VLAN_STRIPPED;
    for (uint32_t i = 0; i < n; i++) {
        struct packet packet = frame_of(frames[i], 0, flag);
        if (!put(mirror, interface, way, &packet, NULL))
            return;
    }
}

void mirror_take(struct mirror *mirror, enum mirror_interface interface, uint32_t n)
{
    uint64_t end = mirror->head;
    uint32_t copied = 0, octets;
    for (; copied < n && end < mirror->next; copied++, end += octets)
        memcpy(&octets, mirror->ring + end % MIRROR_OCTETS + 4, sizeof octets);
    mirror->next = end;
    __atomic_store_n(&mirror->head, end, __ATOMIC_RELEASE);
    count(&mirror->count[interface].copied, &mirror->stats->capture_frames, copied);
    count(&mirror->count[interface].missed, &mirror->stats->capture_missed, n - copied);
}

void mirror_dropped(void *self, const struct rte_mbuf *packet, enum drop_reason reason,
                    const struct stats_drop *drops, uint32_t octets)
{
    struct mirror *mirror = self;
    enum mirror_interface interface = MIRROR_NPDU;
    if (reason == DROP_NONE)
        return;
    for (int side = 0; side < STATS_SIDES; side++)
        if (drops == mirror->stats->of_port[side].drop)
            interface = (enum mirror_interface)side;
    struct packet p = interface == MIRROR_NPDU
                          ? packet_of(packet, 0)
                          : frame_of(packet, octets, RTE_MBUF_F_RX_VLAN_STRIPPED);
    put(mirror, interface, MIRROR_NONE, &p, stats_drop_names[reason]);
    mirror_take(mirror, interface, 1);
}

const uint8_t *mirror_waiting(const struct mirror *mirror, uint32_t *octets)
{
    *octets = (uint32_t)(__atomic_load_n(&mirror->head, __ATOMIC_ACQUIRE) - mirror->tail);
    return mirror->ring + mirror->tail % MIRROR_OCTETS;
}

void mirror_done(struct mirror *mirror, uint32_t octets)
{
    __atomic_store_n(&mirror->tail, mirror->tail + octets, __ATOMIC_RELEASE);
}

uint32_t mirror_whole_blocks(const uint8_t *blocks, uint32_t octets, uint64_t most)
{
    uint32_t n = 0, block;
    if (octets <= most)
        return octets;
    for (; n < octets; n += block) {
        memcpy(&block, blocks + n + 4, sizeof block);
        if (n + block > most)
            break;
    }
    return n;
}

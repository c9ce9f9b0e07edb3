// See gb_world.h: PDUs by the million, from templates that a test gives. `template HEX` takes a Gb
// frame (Ethernet, IPv4, UDP without a checksum); `fuzz N SEED` sends N of them, half of them
// damaged on purpose: bits, octets, lengths, ends, pieces of another, and from the endpoint of
// another. Time goes on by up to a second a burst, so that timers fire. What comes out is thrown
// away and counted.
#include "tests/control/gb_world.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <rte_mbuf.h>
#include <rte_ring.h>

#include "control/plane/counts.h"
#include "dataplane/base/rng.h"
#include "dataplane/base/units.h"

#define TEMPLATES_MAX 1024
#define OUTER_OCTETS  42u
#define PDU_MAX       1400u
#define BURST         32u

struct template
{
    uint8_t outer[OUTER_OCTETS], pdu[PDU_MAX];
    uint32_t octets;
};

static struct template templates[TEMPLATES_MAX];
static uint32_t template_count;
static struct rng rng;

static uint32_t below(uint32_t n)
{
    return (uint32_t)(rng_next(&rng) % n);
}

void world_template(struct world *world, char *arguments)
{
    size_t n = strlen(arguments) / 2;
    uint8_t frame[OUTER_OCTETS + PDU_MAX];
    struct template *t = &templates[template_count];
    if (template_count == TEMPLATES_MAX || n <= OUTER_OCTETS || n > sizeof frame) {
        world_fault(world, "template HEX: a Gb frame, not too many");
        return;
    }
    if (!world_octets(frame, arguments, n)) {
        world_fault(world, "template HEX: hexadecimal digits");
        return;
    }
    t->octets = (uint32_t)(frame[38] << 8 | frame[39]) - 8;
    if (t->octets == 0 || t->octets > n - OUTER_OCTETS) {
        world_fault(world, "template: the UDP length does not fit");
        return;
    }
    memcpy(t->outer, frame, OUTER_OCTETS);
    memcpy(t->pdu, frame + OUTER_OCTETS, t->octets);
    template_count++;
    printf("ok\n");
}

// ---- Damage ----

static void flip_bits(struct template *t)
{
    for (uint32_t i = 1 + below(4); i > 0; i--)
        t->pdu[below(t->octets)] ^= (uint8_t)(1u << below(8));
}

static void set_octet(struct template *t)
{
    static const uint8_t odd[] = {0, 1, 2, 0x7f, 0x80, 0x81, 0x82, 0xfe, 0xff, 0x22, 0x41, 0x28};
    t->pdu[below(t->octets)] = odd[below(sizeof odd)];
}

static void cut(struct template *t)
{
    t->octets = 1 + below(t->octets);
}

static void lengthen(struct template *t)
{
    for (uint32_t i = below(64); i > 0 && t->octets < PDU_MAX; i--)
        t->pdu[t->octets++] = (uint8_t)below(256);
}

static void splice(struct template *t)
{
    const struct template *other = &templates[below(template_count)];
    uint32_t from = below(other->octets), at = below(t->octets);
    uint32_t n = 1 + below(other->octets - from);
    if (at + n > PDU_MAX)
        n = PDU_MAX - at;
    memmove(t->pdu + at, other->pdu + from, n);
    if (at + n > t->octets)
        t->octets = at + n;
}

static void take_out(struct template *t)
{
    uint32_t at = below(t->octets), n = 1 + below(8);
    if (n >= t->octets - at)
        return;
    memmove(t->pdu + at, t->pdu + at + n, t->octets - at - n);
    t->octets -= n;
}

static void other_sender(struct template *t)
{
    memcpy(t->outer, templates[below(template_count)].outer, OUTER_OCTETS);
}

static void unknown_sender(struct template *t)
{
    t->outer[29] ^= (uint8_t)(1u << below(8));
    t->outer[35] ^= (uint8_t)below(4);
}

static void damage(struct template *t)
{
    static void (*const ways[])(struct template *) = {
        flip_bits, flip_bits, set_octet,    set_octet,      cut,
        lengthen,  splice,    other_sender, unknown_sender, take_out};
    if (below(2) == 0)
        return;
    for (uint32_t i = 1 + below(3); i > 0; i--)
        ways[below(sizeof ways / sizeof ways[0])](t);
}

// ---- Sending ----

static void put16(uint8_t *at, uint32_t value)
{
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
}

static void put_lengths(uint8_t *outer, uint32_t octets)
{
    uint32_t sum = 0;
    put16(outer + 16, 28 + octets);
    put16(outer + 24, 0);
    put16(outer + 38, 8 + octets);
    put16(outer + 40, 0);
    for (int i = 14; i < 34; i += 2)
        sum += (uint32_t)(outer[i] << 8 | outer[i + 1]);
    sum = (sum & 0xffff) + (sum >> 16);
    sum = (sum & 0xffff) + (sum >> 16);
    put16(outer + 24, ~sum & 0xffff);
}

static bool send_one(const struct dp_far_end *end)
{
    struct template t = templates[below(template_count)];
    damage(&t);
    put_lengths(t.outer, t.octets);
    struct rte_mbuf *m = rte_pktmbuf_alloc(end->pool);
    if (!m)
        return false;
    memcpy(rte_pktmbuf_append(m, OUTER_OCTETS), t.outer, OUTER_OCTETS);
    memcpy(rte_pktmbuf_append(m, (uint16_t)t.octets), t.pdu, t.octets);
    if (rte_ring_sp_enqueue(end->to_port, m) == 0)
        return true;
    rte_pktmbuf_free(m);
    return false;
}

static uint64_t outcomes(const struct world *world)
{
    const struct counts *counts = bind_counts(world->control.lua);
    return counts->count[COUNT_handled] + counts->count[COUNT_refused] +
           counts->count[COUNT_ignored] + counts->count[COUNT_fault];
}

static uint64_t events(const struct world *world)
{
    uint64_t n = 0;
    for (int i = 0; i < EVENT_COUNT; i++)
        n += world->control.events[i];
    return n;
}

// True: the instant came to rest, and what control has taken has come to one outcome each.
static bool rest(struct world *world)
{
    if (!world_settle(world))
        world_fault(world, "an instant did not come to rest");
    else if (events(world) != outcomes(world))
        world_fault(world, "an event without an outcome");
    return !world->fault;
}

void world_fuzz(struct world *world, char *arguments)
{
    uint64_t left = strtoull(strsep(&arguments, " "), NULL, 10);
    rng_seed(&rng, arguments ? strtoull(arguments, NULL, 10) : 1, 0);
    if (!template_count) {
        world_fault(world, "fuzz: a template is needed first");
        return;
    }
    world->mute = true;
    while (left > 0 && rest(world)) {
        uint32_t worker = below(world->load.dp.workers);
        struct dp_far_end end = dp_far_end(world->dp, STATS_GB, worker);
        for (uint32_t i = 0; i < BURST && left > 0 && send_one(&end); i++)
            left--;
        if (rest(world))
            world->now_ns += below(S_IN_NS) >> below(30);
    }
    world->mute = false;
    if (!world->fault)
        printf("ok %" PRIu64 "\n", world->now_ns);
}

// What the random worlds of bss_world know, and their SGSN stand-in: it answers each PDU of the BSS
// a little later, by typed octets, sends FLUSH-LL for MSs that were heard in another cell, adds up
// what LLC-DISCARDED says, and fails if a bucket is told of twice within C.
#ifndef TESTS_LAB_BSS_WORLD_H
#define TESTS_LAB_BSS_WORLD_H

#include "tests/lab/bss/peer.h"

#define MSS    6
#define PDUS   1500
#define STEPS  1200
#define C_NS   S
#define SEEDS  150
#define ASTRAY UINT32_MAX // the epoch of an LLC PDU for the wrong cell

enum fate { UNSENT, UNDER_WAY, DELIVERED, LOST };

static struct {
    uint64_t at_ns, lifetime_ns;
    uint32_t octets, ms, epoch;
    uint8_t sapi;
    enum fate fate;
} pdus[PDUS];

static struct {
    struct bss_ms *ms;
    uint32_t epoch; // moves, and all that may turn the order of LLC PDUs
    uint32_t newest[16], newest_epoch[16];
    uint64_t flow_ns[2]; // of the last FLOW-CONTROL-MS in each cell
    bool flow_ever[2];
} mss[MSS];

static struct {
    uint32_t pdus, ups, hellos, told_frames, told_octets, lost_told, lost_told_octets;
    uint64_t flow_ns[2];
    bool flow_ever[2], is_radio[2], quiet, at_rate[2];
    uint64_t rate[2];
} seen;

static uint32_t tlli_of(uint32_t i)
{
    return 0xc0000100 + i;
}

// ---- The SGSN stand-in ----

#define ANSWERS 1024
static struct answer {
    struct engine_timer timer;
    uint32_t n;
    uint8_t octets[64];
} answers[ANSWERS]; // under way

static void give(void *self, uint64_t now_ns)
{
    struct answer *answer = self;
    bss_input(w.bss, 0, answer->octets, answer->n, now_ns);
}

static void later(const uint8_t *octets, uint32_t n)
{
    static uint32_t turn;
    struct answer *answer = &answers[turn++ % ANSWERS];
    assert_true(n <= sizeof answer->octets && !engine_timer_is_set(&answer->timer));
    memcpy(answer->octets, octets, n);
    answer->n = n;
    engine_timer_init(&answer->timer, give, answer);
    engine_set(w.engine, &answer->timer, now() + random_in(0, 30) * MS);
}

// The element with that tag behind the first `from` octets; all of these are short.
static const uint8_t *element(const uint8_t *b, uint32_t n, uint32_t from, uint8_t tag)
{
    for (uint32_t at = from; at + 2 <= n; at += 2 + (b[at + 1] & 0x7f))
        if (b[at] == tag)
            return b + at + 2;
    fail_msg("no element %02x", tag);
    return NULL;
}

static uint32_t be32(const uint8_t *b)
{
    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

static void keeps_c(uint64_t *last_ns, bool *ever, const char *what)
{
    if (*ever && now() - *last_ns < C_NS)
        fail_msg("%s twice in C: %llu after %llu", what, (unsigned long long)now(),
                 (unsigned long long)*last_ns);
    *last_ns = now();
    *ever = true;
}

static void forget_flow(uint32_t cell)
{
    seen.flow_ever[cell] = false;
    for (uint32_t i = 0; i < MSS; i++)
        mss[i].flow_ever[cell] = false;
}

static void flow(const uint8_t *b, uint32_t n)
{
    uint32_t cell = b[3] - 2u;
    uint8_t tag = element(b, n, 5, 0x1e)[0];
    if (b[4] == 0x26) {
        keeps_c(&seen.flow_ns[cell], &seen.flow_ever[cell], "FLOW-CONTROL-BVC");
        later((uint8_t[]){0, 0, 0, b[3], 0x27, 0x1e, 0x81, tag}, 8);
        return;
    }
    uint32_t tlli = be32(element(b, n, 5, 0x1f));
    uint32_t i = tlli - tlli_of(0);
    assert_true(i < MSS);
    keeps_c(&mss[i].flow_ns[cell], &mss[i].flow_ever[cell], "FLOW-CONTROL-MS");
    later((uint8_t[]){0, 0, 0, b[3], 0x29, 0x1f, 0x84, b[7], b[8], b[9], b[10], 0x1e, 0x81, tag},
          14);
}

// A cell change was heard: FLUSH-LL for the other cell, with or without a new one.
static void hello(const uint8_t *b)
{
    uint8_t flush[] = {
        0, 0,    0, 0,   0x2a, 0x1f, 0x84, b[5], b[6], b[7], b[8], 4, 0x82, 0, (uint8_t)(5 - b[3]),
        4, 0x82, 0, b[3]};
    uint64_t kind = random_in(0, 5);
    seen.hellos++;
    if (kind > 1)
        later(flush, kind > 3 ? sizeof flush - 4 : sizeof flush);
}

static void count_told(const uint8_t *b, uint32_t n)
{
    const uint8_t *octets = element(b, n, 5, 0x25);
    seen.told_frames += element(b, n, 5, 0x0f)[0];
    seen.told_octets += (uint32_t)octets[0] << 16 | (uint32_t)octets[1] << 8 | octets[2];
}

static void take_bssgp(const uint8_t *b, uint32_t n)
{
    uint8_t ack[] = {0, 0, 0, 0, (uint8_t)(b[4] + 1), 0x04, 0x82, 0, b[8]};
    switch (b[4]) {
    case 0x01:
        seen.ups++;
        if (n == 29 && b[n - 5] == 0x01 && b[n - 4] == 0xe0)
            hello(b);
        break;
    case 0x0b: // SUSPEND: its TLLI and RAI, then the reference
    case 0x0e: {
        uint8_t reply[64] = {0, 0, 0, 0, (uint8_t)(b[4] + 1)};
        memcpy(reply + 5, b + 5, 14);
        const uint8_t number[] = {0x1d, 0x81, (uint8_t)random_next()};
        memcpy(reply + 19, number, 3);
        later(reply, b[4] == 0x0b ? 22 : 19);
        break;
    }
    case 0x22:
        if (b[8])
            forget_flow(b[8] - 2u);
        else
            forget_flow(0), forget_flow(1);
        later(ack, sizeof ack);
        break;
    case 0x20:
    case 0x24:
        if (b[4] == 0x24)
            forget_flow(b[8] - 2u);
        later(ack, sizeof ack);
        break;
    case 0x26:
    case 0x28:
        flow(b, n);
        break;
    case 0x2c:
        count_told(b, n);
        break;
    default:
        break;
    }
}

static uint64_t digest; // of all that was sent, with its times

static void fold(uint64_t value)
{
    digest = (digest ^ value) * 0x100000001b3ULL;
}

static void take(uint32_t nsvc, const uint8_t *b, uint32_t n)
{
    fold(now());
    fold(nsvc);
    for (uint32_t i = 0; i < n; i++)
        fold(b[i]);
    if (b[0] == 0x02)
        later((uint8_t[]){3, 1, 0x82, 0, 7, 4, 0x82, 0, 0x65}, 9);
    else if (b[0] == 0x06 || b[0] == 0x0a)
        later((uint8_t[]){(uint8_t)(b[0] + 1)}, 1);
    else if (b[0] == 0)
        take_bssgp(b, n);
}

#endif

// The receiving end of RLC against a plain model: a network that cuts known LLC PDUs into blocks,
// sends within its window, loses, repeats and holds back at random, and keeps a plain list of what
// has come.
#include "lab/live/bts/receiver.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tests/dataplane/random.h"

#define BLOCKS_MOST 4000
#define OCTETS_MOST (BLOCKS_MOST * 50)

// ---- The network ----

static struct {
    uint8_t stream[OCTETS_MOST];   // all PDUs, one behind the other
    uint32_t end[OCTETS_MOST / 8]; // of each PDU in it
    uint32_t pdus, octets;
    uint8_t block[BLOCKS_MOST][54];
    uint32_t block_octets[BLOCKS_MOST], blocks;
    bool come[BLOCKS_MOST];
    uint32_t va, vs;
} net;

static struct {
    uint32_t pdus, octets;
} got;

static void make_pdus(uint32_t octets)
{
    net.octets = net.pdus = 0;
    while (net.octets < octets) {
        uint32_t n = (uint32_t)random_in(1, random_next() % 4 ? 90 : 1560);
        n = n < octets - net.octets ? n : octets - net.octets;
        random_fill(net.stream + net.octets, n);
        net.octets += n;
        net.end[net.pdus++] = net.octets;
    }
}

// By 44.060 10.4.12 to 10.4.14: what fits, with a length indicator for each end.
static uint32_t cut_block(uint8_t *b, uint32_t room, uint32_t at, uint32_t *pdu, bool *last)
{
    uint8_t data[54];
    uint32_t indicators = 0, n = 0;
    while (*pdu < net.pdus && room > 0) {
        uint32_t left = net.end[*pdu] - at;
        bool is_last = *pdu == net.pdus - 1;
        if (left > room || (left == room && is_last && indicators == 0)) {
            memcpy(data + n, net.stream + at, room);
            n += room;
            at += room;
            *last = left == room;
            *pdu += left == room;
            break;
        }
        if (left == room) { // it ends in the next block, for its length indicator has no room
            b[3 + indicators++] = 0 << 2 | 0 << 1 | 1;
            memcpy(data + n, net.stream + at, room - 1);
            n += room - 1;
            at += room - 1;
            break;
        }
        memcpy(data + n, net.stream + at, left);
        n += left;
        at += left;
        room -= left + 1;
        (*pdu)++;
        bool more = *pdu < net.pdus && room > 0;
        uint32_t next = more ? net.end[*pdu] - at : 0;
        bool again = more && next <= room;
        b[3 + indicators++] = (uint8_t)(left << 2 | more << 1 | !again);
        *last = *pdu == net.pdus;
    }
    b[2] = indicators == 0;
    memcpy(b + 3 + indicators, data, n);
    memset(b + 3 + indicators + n, 0x2b, 54 - 3 - 50);
    return at;
}

static void make_blocks(void)
{
    static const uint8_t octets[] = {23, 34, 40, 54}, room[] = {20, 30, 36, 50};
    uint32_t at = 0, pdu = 0;
    for (net.blocks = 0; pdu < net.pdus; net.blocks++) {
        uint8_t *b = net.block[net.blocks];
        uint32_t coding = (uint32_t)random_next() % 4;
        bool last = false;
        memset(b, 0x2b, 54);
        at = cut_block(b, room[coding], at, &pdu, &last);
        b[0] = 7;
        b[1] = (uint8_t)(3 << 1 | (pdu == net.pdus));
        b[2] = (uint8_t)(net.blocks % 128 << 1 | b[2]);
        net.block_octets[net.blocks] = octets[coding];
        net.come[net.blocks] = false;
    }
    net.va = net.vs = 0;
}

// ---- What comes out ----

static void take_pdu(void *self, const uint8_t *llc, uint32_t octets, bool too_long)
{
    assert_ptr_equal(self, &got);
    assert_false(too_long);
    assert_int_equal(octets, net.end[got.pdus] - got.octets);
    assert_memory_equal(llc, net.stream + got.octets, octets);
    got.octets += octets;
    got.pdus++;
}

static const struct receiver_owner owner = {&got, take_pdu};

static enum receiver_verdict give(struct receiver *r, uint32_t number)
{
    struct rlcmac_data data;
    assert_int_equal(rlcmac_data_decode(&data, net.block[number], net.block_octets[number]), 0);
    return receiver_take(r, &data, net.block[number], net.block_octets[number], &owner);
}

// V(R), V(Q) and the bitmap, out of the list of what has come.
static void expect_state(const struct receiver *r, uint32_t highest)
{
    uint32_t vq = 0;
    while (vq < highest && net.come[vq])
        vq++;
    assert_int_equal(r->vr, highest % 128);
    assert_int_equal(r->vq, vq % 128);
    for (uint32_t i = 0; i < 64; i++) {
        bool come = highest > i && net.come[highest - 1 - i];
        assert_int_equal(r->vn >> i & 1, come);
    }
    assert_int_equal(r->over, vq == net.blocks);
}

// A block within the network's window, new or again.
static uint32_t next_block(void)
{
    bool may = net.vs < net.blocks && net.vs - net.va < 64;
    if (may && random_next() % 3)
        return net.vs++;
    return net.vs > net.va ? net.va + (uint32_t)random_next() % (net.vs - net.va) : net.vs++;
}

static void transfer(uint32_t octets, uint32_t loss_percent)
{
    static struct receiver r;
    uint32_t highest = 0;
    make_pdus(octets);
    make_blocks();
    receiver_begin(&r);
    got.pdus = got.octets = 0;
    for (uint32_t steps = 0; net.va < net.blocks; steps++) {
        assert_true(steps < 100 * BLOCKS_MOST);
        uint32_t number = next_block();
        if (random_next() % 100 >= loss_percent) {
            bool is_new = !net.come[number];
            net.come[number] = true;
            highest = number >= highest ? number + 1 : highest;
            assert_int_equal(give(&r, number), is_new ? RECEIVER_TAKEN : RECEIVER_DUPLICATE);
            expect_state(&r, highest);
        }
        while (random_next() % 2 && net.va < net.vs && net.come[net.va])
            net.va++; // the network has heard of it, sooner or later
    }
    assert_int_equal(got.pdus, net.pdus);
    assert_int_equal(got.octets, net.octets);
}

static void test_all_pdus_come_once_and_in_order(void **state)
{
    (void)state;
    random_begin();
    for (uint32_t i = 0; i < 300; i++)
        transfer((uint32_t)random_in(1, 30000), (uint32_t)random_next() % 60);
}

// The network says only with a repetition that the block was the last one.
static void test_the_last_block_becomes_known_late(void **state)
{
    static struct receiver r;
    (void)state;
    random_begin();
    make_pdus(10);
    make_blocks();
    assert_int_equal(net.blocks, 1);
    receiver_begin(&r);
    got.pdus = got.octets = 0;
    net.block[0][1] &= 0xfe;
    assert_int_equal(give(&r, 0), RECEIVER_TAKEN);
    assert_false(r.over);
    net.block[0][1] |= 1;
    assert_int_equal(give(&r, 0), RECEIVER_DUPLICATE);
    assert_true(r.over);
}

static uint32_t long_octets;
static void take_long(void *self, const uint8_t *llc, uint32_t octets, bool too_long)
{
    (void)self;
    (void)llc;
    assert_true(too_long);
    long_octets = octets;
}

// A PDU that never ends is cut, and the next one is whole.
static void test_a_pdu_that_is_too_long(void **state)
{
    static struct receiver r;
    struct receiver_owner cut = {NULL, take_long};
    uint8_t b[54];
    struct rlcmac_data data;
    (void)state;
    receiver_begin(&r);
    memset(b, 0xaa, sizeof b);
    for (uint32_t i = 0; i < 1000; i++) {
        b[0] = 7;
        b[1] = 0;
        b[2] = (uint8_t)(i % 128 << 1 | (i < 999));
        b[3] = 4 << 2 | 1;
        assert_int_equal(rlcmac_data_decode(&data, b, sizeof b), 0);
        receiver_take(&r, &data, b, sizeof b, &cut);
        assert_true(r.pdu_octets <= RECEIVER_PDU_MOST);
    }
    assert_int_equal(long_octets, RECEIVER_PDU_MOST);
    assert_int_equal(r.pdu_octets, 0);
    assert_false(r.too_long);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_pdus_come_once_and_in_order),
        cmocka_unit_test(test_the_last_block_becomes_known_late),
        cmocka_unit_test(test_a_pdu_that_is_too_long),
    };
    return cmocka_run_group_tests_name("lab/live/bts/receiver", tests, NULL, NULL);
}

// The sending end of RLC against a plain network: it reads blocks octet by octet from the layout of
// 44.060 10.2.2, keeps a plain list of what has come, joins LLC PDUs, and reports at random.
#include "lab/live/bts/sender.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tests/dataplane/random.h"

#define TLLI        0xc0123456
#define BLOCKS_MOST 6000
#define PDUS_MOST   400

static const uint32_t room[] = {20, 30, 36, 50}, whole[] = {23, 34, 40, 54};

static struct {
    uint8_t at[PDUS_MOST][1560];
    uint32_t octets[PDUS_MOST], n;
} sent;

// The network: the blocks of this TBF, by their number without end.
static struct {
    bool come[BLOCKS_MOST];
    uint8_t block[BLOCKS_MOST][54];
    uint32_t va, highest, last; // last: the block with countdown 0, BLOCKS_MOST until it came
    bool knows_tlli;
} net;

static struct {
    uint8_t at[PDUS_MOST + 1][1600];
    uint32_t octets[PDUS_MOST + 1], n, taken; // taken: blocks of this TBF
} got;

static void queue_one(struct sender *s, uint32_t most)
{
    uint32_t n = (uint32_t)random_in(1, most);
    if (sent.n == PDUS_MOST)
        return;
    random_fill(sent.at[sent.n], n);
    if (!sender_queue(s, sent.at[sent.n], n))
        return;
    sent.octets[sent.n++] = n;
}

static void append(const uint8_t *at, uint32_t n)
{
    assert_true(got.n < PDUS_MOST && got.octets[got.n] + n <= sizeof got.at[0]);
    memcpy(got.at[got.n] + got.octets[got.n], at, n);
    got.octets[got.n] += n;
}

// Joins a block's pieces to PDUs.
static void take_apart(const uint8_t *b, uint32_t coding)
{
    uint32_t indicators = 0, at = 3, end = 3 + room[coding];
    bool extension = b[2] & 1, is_last = (b[0] >> 2 & 15) == 0, rest = true;
    while (!extension) {
        assert_true(at < end);
        extension = b[at++] & 1;
        indicators++;
    }
    at += b[1] & 1 ? 4 : 0;
    for (uint32_t i = 0; i < indicators; i++) {
        uint32_t length = b[3 + i] >> 2;
        rest = b[3 + i] >> 1 & 1;
        assert_true(rest || i == indicators - 1 || b[4 + i] >> 2 == 0);
        if (length == 0) {
            rest = true;
            break;
        }
        append(b + at, length);
        assert_true(at + length <= end);
        at += length;
        got.n++;
        got.octets[got.n] = 0;
    }
    if (rest && at < end) {
        append(b + at, end - at);
        if (is_last && indicators == 0)
            got.octets[++got.n] = 0;
    } else {
        for (; at < end; at++)
            assert_int_equal(b[at], 0x2b);
    }
}

static void take_block(const uint8_t *b, uint32_t n, uint32_t coding, uint8_t tfi)
{
    assert_int_equal(n, whole[coding]);
    assert_int_equal(b[0] & 0xc3, 0);
    assert_int_equal(b[1] >> 1, tfi);
    if (b[1] & 1)
        net.knows_tlli = true;
    uint32_t number = net.va + (uint32_t)((b[2] >> 1) - net.va) % 128;
    assert_true(number < BLOCKS_MOST);
    if (number >= net.va + 64 + 64) // behind the window: again, and known
        return;
    if (net.come[number])
        return;
    assert_true(number < net.va + 64);
    net.come[number] = true;
    memcpy(net.block[number], b, n);
    net.highest = number >= net.highest ? number + 1 : net.highest;
    if ((b[0] >> 2 & 15) == 0)
        net.last = number;
    for (; net.come[got.taken]; got.taken++)
        take_apart(net.block[got.taken], coding);
}

static uint64_t bitmap(void)
{
    uint64_t bits = 0;
    for (uint32_t i = 0; i < 64 && i < net.highest; i++)
        bits |= (uint64_t)net.come[net.highest - 1 - i] << i;
    return bits;
}

static void begin(struct sender *s, uint8_t tfi, uint32_t coding, bool has_tlli)
{
    memset(&net, 0, sizeof net);
    net.last = BLOCKS_MOST;
    got.taken = 0;
    got.octets[got.n] = 0;
    sender_begin(s, tfi, (uint8_t)coding, (uint8_t)random_in(1, 4), has_tlli, TLLI);
}

// Until the network has the last block and all before it, or so many steps. True: it has.
static bool transfer(struct sender *s, uint8_t tfi, uint32_t coding, uint32_t loss_percent,
                     uint32_t steps_most)
{
    for (uint32_t steps = 0; steps < steps_most; steps++) {
        struct sender_sent one = sender_next(s);
        assert_true(s->vs - s->va <= 64);
        if (one.block && random_next() % 100 >= loss_percent)
            take_block(one.block->at, one.block->octets, coding, tfi);
        if (random_next() % 8 == 0)
            queue_one(s, 200);
        if (random_next() % 10 == 0 && net.highest) {
            sender_ack(s, (uint8_t)(net.highest % 128), bitmap());
            while (net.come[net.va])
                net.va++;
            s->has_tlli = s->has_tlli && !net.knows_tlli;
        }
        if (got.taken == net.last + 1)
            return true;
    }
    return false;
}

static void expect_got(uint32_t first)
{
    assert_true(got.n <= sent.n);
    for (uint32_t i = first; i < got.n; i++) {
        assert_int_equal(got.octets[i], sent.octets[i]);
        assert_memory_equal(got.at[i], sent.at[i], sent.octets[i]);
    }
}

static void reset(void)
{
    sent.n = got.n = 0;
    got.octets[0] = 0;
}

static void test_what_is_queued_comes_once_and_in_order(void **state)
{
    (void)state;
    random_begin();
    for (uint32_t i = 0; i < 200; i++) {
        struct sender s = {0};
        reset();
        for (uint32_t n = (uint32_t)random_in(1, 20); n > 0; n--)
            queue_one(&s, 1560);
        while (s.first) {
            uint32_t coding = (uint32_t)random_next() % 4, before = got.n;
            uint8_t tfi = (uint8_t)random_in(0, 31);
            begin(&s, tfi, coding, random_next() % 2);
            assert_true(transfer(&s, tfi, coding, (uint32_t)random_next() % 50, 40000));
            expect_got(before);
            assert_true(sender_end(&s, true) <= got.n - before);
            assert_int_equal(s.pdus, sent.n - got.n);
        }
        assert_int_equal(got.n, sent.n);
        sender_release(&s);
    }
}

// What the network has not acknowledged comes again, whole, in the next TBF.
static void test_a_tbf_that_is_broken_off(void **state)
{
    (void)state;
    random_begin();
    for (uint32_t i = 0; i < 200; i++) {
        struct sender s = {0};
        uint32_t acknowledged = 0;
        reset();
        for (uint32_t n = 0; n < 12; n++)
            queue_one(&s, 400);
        begin(&s, 1, 1, true);
        bool done = transfer(&s, 1, 1, 30, (uint32_t)random_in(1, 60));
        acknowledged = sent.n - s.pdus;
        acknowledged += sender_end(&s, false);
        assert_int_equal(s.pdus, sent.n - acknowledged);
        assert_true(acknowledged <= got.n);
        got.n = acknowledged;
        begin(&s, 2, 1, false);
        while (s.first && transfer(&s, 2, 1, 0, 40000)) {
            sender_end(&s, true);
            begin(&s, 2, 1, false);
        }
        expect_got(0);
        assert_int_equal(got.n, sent.n);
        (void)done;
        sender_release(&s);
    }
}

// 9.3.1, BS_CV_MAX of 4, two slots: ten blocks of CS-1 are 15 until four are left for each slot.
static void test_the_countdown(void **state)
{
    static const uint8_t wanted[] = {15, 4, 4, 3, 3, 2, 2, 1, 1, 0};
    struct sender s = {0};
    uint8_t pdu[200] = {0};
    (void)state;
    assert_true(sender_queue(&s, pdu, sizeof pdu));
    sender_begin(&s, 0, 0, 2, false, 0);
    for (uint32_t i = 0; i < sizeof wanted; i++) {
        struct sender_sent one = sender_next(&s);
        assert_false(one.again);
        assert_int_equal(one.block->at[0], wanted[i] << 2);
        if (i == 2)
            assert_true(sender_queue(&s, pdu, sizeof pdu)); // too late for this TBF
    }
    assert_true(sender_next(&s).again);
    assert_int_equal(sender_end(&s, true), 1);
    assert_int_equal(s.pdus, 1);
    sender_release(&s);
}

// 64 blocks and no more without an acknowledgement; then the oldest again, in turn.
static void test_the_window(void **state)
{
    struct sender s = {0};
    uint8_t pdu[1500] = {0};
    (void)state;
    for (uint32_t i = 0; i < 3; i++)
        assert_true(sender_queue(&s, pdu, sizeof pdu));
    sender_begin(&s, 0, 0, 1, false, 0);
    for (uint32_t i = 0; i < 64; i++)
        assert_false(sender_next(&s).again);
    for (uint32_t i = 0; i < 130; i++) {
        struct sender_sent one = sender_next(&s);
        assert_true(one.again);
        assert_int_equal(one.block->at[2] >> 1, i % 64);
    }
    // All but BSN 3 and 5: these come first, then a new one.
    sender_ack(&s, 64, ~(UINT64_C(1) << 60 | UINT64_C(1) << 58));
    assert_int_equal(sender_next(&s).block->at[2] >> 1, 3);
    assert_int_equal(sender_next(&s).block->at[2] >> 1, 5);
    assert_int_equal(sender_next(&s).block->at[2] >> 1, 64);
    sender_release(&s);
}

static void test_the_queue_has_a_limit(void **state)
{
    struct sender s = {0};
    uint8_t pdu[1024] = {0};
    (void)state;
    for (uint32_t i = 0; i < SENDER_QUEUE_MOST / sizeof pdu; i++)
        assert_true(sender_queue(&s, pdu, sizeof pdu));
    assert_false(sender_queue(&s, pdu, 1));
    assert_false(sender_queue(&s, pdu, 0));
    sender_release(&s);
    assert_int_equal(s.pdus + s.octets, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_queued_comes_once_and_in_order),
        cmocka_unit_test(test_a_tbf_that_is_broken_off),
        cmocka_unit_test(test_the_countdown),
        cmocka_unit_test(test_the_window),
        cmocka_unit_test(test_the_queue_has_a_limit),
    };
    return cmocka_run_group_tests_name("lab/live/bts/sender", tests, NULL, NULL);
}

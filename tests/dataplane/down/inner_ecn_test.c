// RFC 6040 4.2 on decapsulation: all sixteen pairs of outer and inner ECN fields, over IPv4 and
// IPv6 inside, and what is no IP; typed as the table stands there. Then through the whole path.
#include "tests/dataplane/path/path.h"

#include <string.h>

#include "dataplane/down/down.h"
#include "tests/dataplane/random.h"
#include "tests/dataplane/wire/judge.h"

enum { NOT_ECT, ECT_1, ECT_0, CE, DROPPED = -1 };

// By the inner field, then the outer one, in the numbers' order: Not-ECT, ECT(1), ECT(0), CE.
static const int outgoing[4][4] = {
    [NOT_ECT] = {NOT_ECT, NOT_ECT, NOT_ECT, DROPPED},
    [ECT_1] = {ECT_1, ECT_1, ECT_1, CE},
    [ECT_0] = {ECT_0, ECT_1, ECT_0, CE},
    [CE] = {CE, CE, CE, CE},
};

// An IPv4 header with any other octets and a good checksum.
static void any_ipv4(uint8_t *b, uint8_t ecn)
{
    random_fill(b, 20);
    b[0] = 0x45;
    b[1] = (uint8_t)((b[1] & ~3) | ecn);
    put_ipv4_checksum(b);
}

static void any_ipv6(uint8_t *b, uint8_t ecn)
{
    random_fill(b, 40);
    b[0] = (uint8_t)(0x60 | (b[0] & 15));
    b[1] = (uint8_t)((b[1] & 0xcf) | ecn << 4);
}

// `right` is what the octets shall be; its ECN field is set here.
static void expect(uint8_t *b, uint32_t n, const uint8_t *right, uint8_t outer, int wanted)
{
    enum drop_reason reason = down_inner_decap_ecn(b, n, outer);
    assert_int_equal(reason, wanted == DROPPED ? DROP_ecn : DROP_NONE);
    assert_memory_equal(b, right, n);
}

static void test_ipv4_by_the_table(void **state)
{
    uint8_t b[20], right[20];
    (void)state;
    random_begin();
    for (int i = 0; i < 16000; i++) {
        uint8_t inner = i % 4, outer = i / 4 % 4;
        int wanted = outgoing[inner][outer];
        any_ipv4(b, inner);
        memcpy(right, b, sizeof right);
        if (wanted != DROPPED && wanted != inner) {
            right[1] = (uint8_t)((right[1] & ~3) | wanted);
            put_ipv4_checksum(right);
        }
        expect(b, sizeof b, right, outer, wanted);
        assert_int_equal(plain_checksum(b, sizeof b), 0);
    }
}

static void test_ipv6_by_the_table(void **state)
{
    uint8_t b[40], right[40];
    (void)state;
    random_begin();
    for (int i = 0; i < 16000; i++) {
        uint8_t inner = i % 4, outer = i / 4 % 4;
        int wanted = outgoing[inner][outer];
        any_ipv6(b, inner);
        memcpy(right, b, sizeof right);
        if (wanted != DROPPED)
            right[1] = (uint8_t)((right[1] & 0xcf) | wanted << 4);
        expect(b, sizeof b, right, outer, wanted);
    }
}

// What is no IP, or is cut off in its header, cannot say that it is capable: only CE costs it.
static void test_what_is_no_ip_is_not_capable(void **state)
{
    uint8_t b[40], right[40];
    (void)state;
    memset(right, 0xff, sizeof right);
    for (uint8_t version = 0; version < 16; version++)
        for (uint32_t n = 1; n <= (version == 4 ? 19 : version == 6 ? 39 : 40); n++)
            for (uint8_t outer = 0; outer < 4; outer++) {
                right[0] = (uint8_t)(version << 4 | 5);
                memcpy(b, right, n);
                expect(page_end_copy(b, n), n, right, outer, outgoing[NOT_ECT][outer]);
            }
}

static void test_a_wrong_checksum_stays_wrong(void **state)
{
    uint8_t b[20] = {0x45, ECT_0, 0, 20, [11] = 1};
    (void)state;
    assert_int_equal(down_inner_decap_ecn(b, sizeof b, CE), DROP_NONE);
    assert_int_equal(b[1], CE);
    assert_int_not_equal(plain_checksum(b, sizeof b), 0);
}

// --- The whole path ------------------------------------------------------------------------------

static uint8_t came[64];
static uint32_t came_octets;

static void keep(const struct gb_npdu *npdu)
{
    assert_true(npdu->len <= sizeof came);
    memcpy(came, npdu->octets, npdu->len);
    came_octets = (uint32_t)npdu->len;
}

static void send_over(const uint8_t *npdu, uint32_t n, uint8_t outer)
{
    struct rte_mbuf *m = path_gn_frame(p.pdp[0].teid, n, 0);
    uint8_t *b = rte_pktmbuf_mtod(m, uint8_t *);
    memcpy(b + 50, npdu, n);
    b[15] = (uint8_t)(0xb8 | outer); // DSCP EF
    put_ipv4_checksum(b + 14);
    came_octets = 0;
    path_put(STATS_GN, m);
    path_poll();
}

static void open_path(void)
{
    random_begin();
    path_open_small(16, 16);
    path_plain_ms(0, 0, 500);
    p.on_npdu = keep;
}

static void test_the_path_follows_the_table(void **state)
{
    uint8_t b[40];
    uint32_t dropped = 0;
    (void)state;
    open_path();
    for (uint8_t i = 0; i < 32; i++) {
        uint8_t inner = i % 4, outer = i / 4 % 4;
        uint32_t n = i < 16 ? 20 : 40;
        int wanted = outgoing[inner][outer];
        if (i < 16)
            any_ipv4(b, inner);
        else
            any_ipv6(b, inner);
        send_over(b, n, outer);
        dropped += wanted == DROPPED;
        assert_int_equal(path_dropped(DROP_ecn).packets, dropped);
        assert_int_equal(came_octets, wanted == DROPPED ? 0 : n);
        if (wanted != DROPPED)
            assert_int_equal(i < 16 ? came[1] & 3 : came[1] >> 4 & 3, wanted);
    }
    assert_int_equal(dropped, 2);
    assert_int_equal(path_dropped(DROP_ecn).octets, 20 + 40);
    path_close();
}

static void test_ppp_and_short_packets_pass_unless_marked(void **state)
{
    (void)state;
    open_path();
    for (uint8_t outer = 0; outer < 4; outer++) {
        send_over(TYPED(0x45), 1, outer);
        assert_int_equal(came_octets, outer == CE ? 0 : 1);
        send_over(TYPED(0xc0, 0x21, 9, 1), 4, outer);
        assert_int_equal(came_octets, outer == CE ? 0 : 4);
        if (outer != CE)
            assert_memory_equal(came, "\xc0\x21\x09\x01", 4);
    }
    assert_int_equal(path_dropped(DROP_ecn).packets, 2);
    path_close();
}

// The outer header is IPv6: its field stands across two octets.
static void test_an_outer_ipv6_header(void **state)
{
    uint8_t b[20];
    static const uint8_t ends[32] = {0x20, 0x01, 0x0d, 0xb8, 0, 1, [15] = 9, // theirs, and ours
                                     0x20, 0x01, 0x0d, 0xb8, 0, 1, [31] = 1};
    struct command from = {.op = COMMAND_gn_from,
                           .gn_from.nets = {.n = 1, .item[0] = {.prefix = 128}}};
    memcpy(&from.gn_from.nets.item[0].address, ends, 16);
    (void)state;
    open_path();
    path_do(&from);
    for (uint8_t outer = 0; outer < 4; outer++) {
        any_ipv4(b, ECT_0);
        struct rte_mbuf *m = path_gn_frame(p.pdp[0].teid, sizeof b, 0);
        uint8_t *at = (uint8_t *)rte_pktmbuf_prepend(m, 20);
        memcpy(at, "\2\0\0\1\0\1\2\0\0\1\0\7\x86\xdd", 14);
        memcpy(at + 14, TYPED(0x6b, 0x80, 0, 0, 0, 36, 17, 64), 8);
        at[15] = (uint8_t)(0x8f | outer << 4);
        memcpy(at + 22, ends, 32);
        memcpy(at + 70, b, sizeof b);
        came_octets = 0;
        path_put(STATS_GN, m);
        path_poll();
        assert_int_equal(came_octets, sizeof b);
        assert_int_equal(came[1] & 3, outgoing[ECT_0][outer]);
        assert_int_equal(plain_checksum(came, sizeof b), 0);
    }
    path_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ipv4_by_the_table),
        cmocka_unit_test(test_ipv6_by_the_table),
        cmocka_unit_test(test_what_is_no_ip_is_not_capable),
        cmocka_unit_test(test_a_wrong_checksum_stays_wrong),
        cmocka_unit_test(test_the_path_follows_the_table),
        cmocka_unit_test(test_ppp_and_short_packets_pass_unless_marked),
        cmocka_unit_test(test_an_outer_ipv6_header),
    };
    return cmocka_run_group_tests_name("down/inner_ecn", tests, path_start_eal, NULL);
}

// A worker's mirror: blocks octet for octet as typed from the pcapng specification
// (draft-ietf-opsawg-pcapng 4.1 to 4.6), and what is copied of which packet.
#include "tests/dataplane/mirror/mirror_fixture.h"

static void drop(struct rte_mbuf *m, enum drop_reason reason, const struct stats_drop *drops,
                 uint32_t octets)
{
    mirror_dropped(mirror, m, reason, drops, octets);
    rte_pktmbuf_free(m);
}

// All that waits is that, and is taken.
static void expect(const void *octets, uint32_t n)
{
    uint32_t waiting;
    const uint8_t *at = mirror_waiting(mirror, &waiting);
    assert_int_equal(waiting, n);
    assert_memory_equal(at, octets, n);
    mirror_done(mirror, n);
}

// ---- Blocks, typed ----

// clang-format off
static const uint8_t typed_in[] = { // 4.3, with if_tsresol 9 and epb_flags
    6, 0, 0, 0, 52, 0, 0, 0, 1, 0, 0, 0, 4, 3, 2, 1, 8, 7, 6, 5, 5, 0, 0, 0, 5, 0, 0, 0,
    'h', 'e', 'l', 'l', 'o', 0, 0, 0,
    2, 0, 4, 0, 1, 0, 0, 0, 0, 0, 0, 0, 52, 0, 0, 0};
static const uint8_t typed_out[] = {
    6, 0, 0, 0, 48, 0, 0, 0, 0, 0, 0, 0, 4, 3, 2, 1, 8, 7, 6, 5, 4, 0, 0, 0, 4, 0, 0, 0,
    'h', 'e', 'l', 'l',
    2, 0, 4, 0, 2, 0, 0, 0, 0, 0, 0, 0, 48, 0, 0, 0};
static const uint8_t typed_empty[] = {
    6, 0, 0, 0, 44, 0, 0, 0, 0, 0, 0, 0, 4, 3, 2, 1, 8, 7, 6, 5, 0, 0, 0, 0, 0, 0, 0, 0,
    2, 0, 4, 0, 1, 0, 0, 0, 0, 0, 0, 0, 44, 0, 0, 0};
static const uint8_t typed_drop[] = { // and opt_comment
    6, 0, 0, 0, 68, 0, 0, 0, 0, 0, 0, 0, 4, 3, 2, 1, 8, 7, 6, 5, 5, 0, 0, 0, 5, 0, 0, 0,
    'h', 'e', 'l', 'l', 'o', 0, 0, 0, 2, 0, 4, 0, 0, 0, 0, 0,
    1, 0, 12, 0, 'u', 'n', 'k', 'n', 'o', 'w', 'n', '_', 't', 'e', 'i', 'd',
    0, 0, 0, 0, 68, 0, 0, 0};
static const uint8_t typed_npdu[] = {
    6, 0, 0, 0, 56, 0, 0, 0, 2, 0, 0, 0, 4, 3, 2, 1, 8, 7, 6, 5, 4, 0, 0, 0, 4, 0, 0, 0,
    'h', 'e', 'l', 'l', 2, 0, 4, 0, 0, 0, 0, 0, 1, 0, 3, 0, 'e', 'c', 'n', 0,
    0, 0, 0, 0, 56, 0, 0, 0};
static const uint8_t typed_begin[] = {
    0x0a, 0x0d, 0x0d, 0x0a, 40, 0, 0, 0, 0x4d, 0x3c, 0x2b, 0x1a, 1, 0, 0, 0, // 4.1
    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
    4, 0, 3, 0, 'a', ' ', 'b', 0, 0, 0, 0, 0, 40, 0, 0, 0,
    1, 0, 0, 0, 40, 0, 0, 0, 1, 0, 0, 0, 0xff, 0xff, 0, 0, // 4.2
    2, 0, 2, 0, 'g', 'n', 0, 0, 9, 0, 1, 0, 9, 0, 0, 0, 0, 0, 0, 0, 40, 0, 0, 0,
    1, 0, 0, 0, 40, 0, 0, 0, 1, 0, 0, 0, 0xff, 0xff, 0, 0,
    2, 0, 2, 0, 'g', 'b', 0, 0, 9, 0, 1, 0, 9, 0, 0, 0, 0, 0, 0, 0, 40, 0, 0, 0,
    1, 0, 0, 0, 40, 0, 0, 0, 101, 0, 0, 0, 0xff, 0xff, 0, 0,
    2, 0, 4, 0, 'n', 'p', 'd', 'u', 9, 0, 1, 0, 9, 0, 0, 0, 0, 0, 0, 0, 40, 0, 0, 0};
#define TYPED_STATISTICS(interface, received, missed) /* 4.6: isb_ifrecv, isb_ifdrop */ \
    5, 0, 0, 0, 52, 0, 0, 0, interface, 0, 0, 0, 4, 3, 2, 1, 8, 7, 6, 5, \
    4, 0, 8, 0, received, 0, 0, 0, 0, 0, 0, 0, 5, 0, 8, 0, missed, 0, 0, 0, 0, 0, 0, 0, \
    0, 0, 0, 0, 52, 0, 0, 0
static const uint8_t typed_end[] = {
    TYPED_STATISTICS(0, 12, 2), TYPED_STATISTICS(1, 7, 7), TYPED_STATISTICS(2, 5, 0)};
// clang-format on

static void a_frame_is_a_block(void **state)
{
    (void)state;
    put(MIRROR_GB, MIRROR_IN, buffer("hello", 5));
    expect(typed_in, sizeof typed_in);
    put(MIRROR_GN, MIRROR_OUT, buffer("hell", 4));
    expect(typed_out, sizeof typed_out);
    put(MIRROR_GN, MIRROR_IN, buffer("", 0));
    expect(typed_empty, sizeof typed_empty);
    expect_counts(MIRROR_GN, 2, 0);
    expect_counts(MIRROR_GB, 1, 0);
    assert_int_equal(stats.capture_frames, 3);
}

static void a_drop_has_its_reason_and_its_scope(void **state)
{
    (void)state;
    drop(buffer("hello", 5), DROP_unknown_teid, stats.of_port[STATS_GN].drop, 5);
    expect(typed_drop, sizeof typed_drop);
    drop(buffer("hell", 4), DROP_ecn, stats.of_class[CLASS_COUNT - 1].drop, 4);
    expect(typed_npdu, sizeof typed_npdu);
    drop(buffer("hell", 4), DROP_ecn, stats.up.drop, 4);
    expect(typed_npdu, sizeof typed_npdu);
    drop(buffer("hell", 4), DROP_llc, stats.of_port[STATS_GB].drop, 4);
    uint32_t waiting;
    assert_int_equal(mirror_waiting(mirror, &waiting)[8], MIRROR_GB);
    mirror_done(mirror, waiting);
    drop(buffer("hell", 4), DROP_NONE, NULL, 0); // a frame that control gets
    expect("", 0);
    expect_counts(MIRROR_NPDU, 2, 0);
    assert_int_equal(stats.capture_frames, 4);
}

static void a_file_begins_and_ends(void **state)
{
    (void)state;
    uint8_t at[MIRROR_ENDS_OCTETS];
    struct mirror_count sums[MIRROR_INTERFACES] = {{10, 2}, {0, 7}, {5, 0}};
    assert_int_equal(mirror_file_begin(at, 0xffff, "a b"), sizeof typed_begin);
    assert_memory_equal(at, typed_begin, sizeof typed_begin);
    assert_int_equal(mirror_file_end(at, TIME_NS, sums), sizeof typed_end);
    assert_memory_equal(at, typed_end, sizeof typed_end);
    // a version of any length leaves room for the interfaces
    char application[400];
    memset(application, 'x', sizeof application - 1);
    application[sizeof application - 1] = '\0';
    assert_true(mirror_file_begin(at, 0, application) <= sizeof at);
}

// ---- What is copied ----

// The one block that waits has that packet, of such a length, and is whole; it is taken.
static void expect_packet(const void *octets, uint32_t captured, uint32_t original)
{
    uint32_t waiting;
    const uint8_t *at = mirror_waiting(mirror, &waiting);
    assert_true(waiting >= 44 + captured);
    assert_int_equal(waiting % 4, 0);
    assert_int_equal(word_at(at + 4), waiting);
    assert_int_equal(word_at(at + waiting - 4), waiting);
    assert_int_equal(word_at(at + 20), captured);
    assert_int_equal(word_at(at + 24), original);
    assert_memory_equal(at + 28, octets, captured);
    for (uint32_t i = captured; i % 4; i++)
        assert_int_equal(at[28 + i], 0);
    for (uint32_t i = 0; i < 64; i++)
        assert_int_equal(at[waiting + i], 0xff); // as it was
    mirror_done(mirror, waiting);
}

// Addresses, a tag with VID 100 and priority 5, a type; the tag is beside the buffer.
static const uint8_t typed_tagged[] = {1,  2,  3,    4, 5,    6,   7, 8, 9,  10,
                                       11, 12, 0x81, 0, 0xa0, 100, 8, 0, 'x'};

static struct rte_mbuf *untagged(uint64_t flag)
{
    uint8_t b[sizeof typed_tagged - 4];
    memcpy(b, typed_tagged, 12);
    memcpy(b + 12, typed_tagged + 16, sizeof b - 12);
    struct rte_mbuf *m = buffer(b, sizeof b);
    m->ol_flags |= flag;
    m->vlan_tci = 0xa000 | 100;
    return m;
}

// As it was on the wire, or will be; what came with a tag may go without one.
static void a_tag_of_the_nic_is_in_the_frame(void **state)
{
    (void)state;
    const uint32_t n = sizeof typed_tagged;
    put(MIRROR_GN, MIRROR_IN, untagged(RTE_MBUF_F_RX_VLAN | RTE_MBUF_F_RX_VLAN_STRIPPED));
    expect_packet(typed_tagged, n, n);
    put(MIRROR_GB, MIRROR_OUT, untagged(RTE_MBUF_F_TX_VLAN));
    expect_packet(typed_tagged, n, n);
    drop(untagged(RTE_MBUF_F_RX_VLAN_STRIPPED), DROP_vlan, stats.of_port[STATS_GB].drop, n - 4);
    expect_packet(typed_tagged, n, n);
    struct rte_mbuf *in_two = untagged(RTE_MBUF_F_RX_VLAN_STRIPPED);
    rte_pktmbuf_trim(in_two, 2);
    assert_int_equal(rte_pktmbuf_chain(in_two, buffer(typed_tagged + n - 2, 2)), 0);
    put(MIRROR_GN, MIRROR_IN, in_two);
    expect_packet(typed_tagged, n, n);
    // a frame that goes in the buffer in which another came
    uint8_t plain[sizeof typed_tagged - 4];
    memcpy(plain, typed_tagged, 12);
    memcpy(plain + 12, typed_tagged + 16, sizeof plain - 12);
    put(MIRROR_GB, MIRROR_OUT, untagged(RTE_MBUF_F_RX_VLAN | RTE_MBUF_F_RX_VLAN_STRIPPED));
    expect_packet(plain, sizeof plain, sizeof plain);
    put(MIRROR_GN, MIRROR_IN, untagged(RTE_MBUF_F_TX_VLAN));
    expect_packet(plain, sizeof plain, sizeof plain);
    drop(untagged(RTE_MBUF_F_RX_VLAN_STRIPPED), DROP_ecn, stats.of_class[0].drop, sizeof plain);
    expect_packet(plain, sizeof plain, sizeof plain);
}

static void a_short_copy_may_end_in_a_tag(void **state)
{
    (void)state;
    for (uint32_t snap = 0; snap <= sizeof typed_tagged; snap++) {
        mirror->snap_octets = snap;
        put(MIRROR_GN, MIRROR_IN, untagged(RTE_MBUF_F_RX_VLAN_STRIPPED));
        expect_packet(typed_tagged, snap, sizeof typed_tagged);
    }
}

static void of_each_frame_so_many_octets(void **state)
{
    (void)state;
    static const uint8_t octets[] = "0123456789abcdefghijklmnopqrstuvwxyz";
    for (uint32_t snap = 1; snap <= 40; snap++) {
        mirror->snap_octets = snap;
        for (uint32_t n = 0; n <= 36; n++) {
            put(MIRROR_GN, MIRROR_IN, buffer(octets, n));
            expect_packet(octets, n < snap ? n : snap, n);
        }
    }
}

static struct rte_mbuf *in_three(const uint8_t *octets, uint32_t a, uint32_t b, uint32_t c)
{
    struct rte_mbuf *m = buffer(octets, a);
    assert_int_equal(rte_pktmbuf_chain(m, buffer(octets + a, b)), 0);
    assert_int_equal(rte_pktmbuf_chain(m, buffer(octets + a + b, c)), 0);
    return m;
}

static void a_frame_in_several_buffers(void **state)
{
    (void)state;
    static const uint8_t octets[] = "0123456789abcdefghijklmnopqrstuvwxyz";
    for (uint32_t snap = 1; snap <= 40; snap++) {
        mirror->snap_octets = snap;
        put(MIRROR_GN, MIRROR_IN, in_three(octets, 7, 0, 25));
        expect_packet(octets, snap < 32 ? snap : 32, 32);
        drop(in_three(octets, 1, 30, 5), DROP_fragment, stats.of_port[STATS_GN].drop, 36);
        expect_packet(octets, snap < 36 ? snap : 36, 36);
    }
}

// A fragment counts as it came; its headers were taken off, and it may have been in a chain.
static void headers_that_were_taken_off_are_shown(void **state)
{
    (void)state;
    struct rte_mbuf *m = buffer("headerspayload", 14);
    rte_pktmbuf_adj(m, 7);
    m->pkt_len = 999;
    drop(m, DROP_fragment_late, stats.of_port[STATS_GN].drop, 14);
    expect_packet("headerspayload", 14, 14);
    m = buffer("headerspayload", 14);
    rte_pktmbuf_adj(m, 7);
    drop(m, DROP_aqm_out, stats.of_class[0].drop, 14); // never of an N-PDU
    expect_packet("payload", 7, 7);
    m = buffer("payload", 7);
    drop(m, DROP_fragment, stats.of_port[STATS_GN].drop, 8 + RTE_PKTMBUF_HEADROOM); // are not there
    expect_packet("payload", 7, 7);
}

static void what_a_device_refuses_is_not_there(void **state)
{
    (void)state;
    struct rte_mbuf *m[5];
    for (uint32_t i = 0; i < 5; i++)
        m[i] = buffer("hello" + i, 5 - i);
    for (uint32_t taken = 0; taken <= 5; taken++) {
        mirror_put(mirror, MIRROR_GB, MIRROR_OUT, m, 5);
        uint32_t waiting;
        mirror_waiting(mirror, &waiting);
        assert_int_equal(waiting, 0); // before the device has said
        mirror_take(mirror, MIRROR_GB, taken);
        const uint8_t *at = mirror_waiting(mirror, &waiting);
        for (uint32_t i = 0; i < taken; i++) {
            assert_int_equal(word_at(at + 24), 5 - i);
            waiting -= word_at(at + 4);
            at += word_at(at + 4);
        }
        assert_int_equal(waiting, 0);
        mirror_waiting(mirror, &waiting);
        mirror_done(mirror, waiting);
    }
    rte_pktmbuf_free_bulk(m, 5);
    expect_counts(MIRROR_GB, 15, 0);
}

static void whole_blocks_of_a_part(void **state)
{
    (void)state;
    uint8_t blocks[sizeof typed_in + sizeof typed_drop];
    memcpy(blocks, typed_in, sizeof typed_in);
    memcpy(blocks + sizeof typed_in, typed_drop, sizeof typed_drop);
    for (uint32_t most = 0; most <= sizeof blocks + 1; most++)
        assert_int_equal(mirror_whole_blocks(blocks, sizeof blocks, most), most < 52 ? 0
                                                                           : most < 52 + 68
                                                                               ? 52
                                                                               : 52 + 68);
    assert_int_equal(mirror_whole_blocks(blocks, 0, 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        MIRROR_TEST(a_frame_is_a_block),
        MIRROR_TEST(a_tag_of_the_nic_is_in_the_frame),
        MIRROR_TEST(a_short_copy_may_end_in_a_tag),
        MIRROR_TEST(a_drop_has_its_reason_and_its_scope),
        MIRROR_TEST(a_file_begins_and_ends),
        MIRROR_TEST(of_each_frame_so_many_octets),
        MIRROR_TEST(a_frame_in_several_buffers),
        MIRROR_TEST(headers_that_were_taken_off_are_shown),
        MIRROR_TEST(what_a_device_refuses_is_not_there),
        MIRROR_TEST(whole_blocks_of_a_part),
    };
    return cmocka_run_group_tests_name("mirror", tests, open_pool, eal_fixture_teardown);
}

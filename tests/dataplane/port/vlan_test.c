// VLANs: which frames a port takes, with which tag what it sends leaves, whether the NIC handles
// tags or not; two ports at one device against a plain list; every frame accounted for.
#include <rte_ether.h>

#include "tests/dataplane/eal_fixture.h"
#include "tests/dataplane/port/port_fixture.h"
#include "tests/dataplane/random.h"

#define VLAN  100u
#define OTHER 200u
#define TAG   4u

static uint8_t payload[1400];

static void in_a_vlan(struct port_config *config)
{
    config->vlan = VLAN;
}

static int vlan_setup(void **state)
{
    (void)state;
    fixture_open(in_a_vlan);
    return 0;
}

// `type` and the word behind it, in front of what is there.
static uint32_t put_tag(uint8_t *b, uint32_t n, uint16_t type, uint16_t word)
{
    memmove(b + 12 + TAG, b + 12, n - 12);
    put_be16(b + 12, type);
    put_be16(b + 14, word);
    return n + TAG;
}

static uint32_t datagram(uint8_t *b)
{
    return frame_udp_ipv4(b, "hello", 5);
}

// ---- In ----

static void comes(const struct rte_mbuf *m)
{
    assert_int_equal(rte_ring_enqueue(fx.device.rx_ring[0], (void *)(uintptr_t)m), 0);
}

// What the port receives of its ring now; returns how many datagrams are for the path.
static uint32_t receives(void)
{
    struct rte_mbuf *m[PORT_BURST];
    uint32_t passed = 0, n = port_receive(&fx.port, m);
    for (uint32_t i = 0; i < n; i++)
        passed += fixture_receive(m[i], 0);
    fixture_assert_balanced();
    return passed;
}

static void is_dropped(const uint8_t *b, uint32_t n, uint64_t so_far)
{
    comes(fixture_frame(b, n));
    assert_int_equal(receives(), 0);
    fixture_assert_drops(DROP_vlan, so_far);
}

static void a_frame_of_the_vlan_loses_its_tag(void **state)
{
    (void)state;
    uint8_t plain[FRAME_OCTETS_MAX], b[FRAME_OCTETS_MAX];
    uint32_t n = datagram(plain);
    static const uint16_t words[] = {VLAN, 0xe000 | VLAN, 0x1000 | VLAN}; // priority 7, DEI
    for (uint32_t i = 0; i < 3; i++) {
        memcpy(b, plain, n);
        comes(fixture_frame(b, put_tag(b, n, 0x8100, words[i])));
        assert_int_equal(receives(), 1);
        assert_int_equal(fx.frame_octets, n);
        assert_memory_equal(fx.frame, plain, n);
    }
    assert_int_equal(fx.stats.rx_octets, 3 * n);
    fixture_assert_drops(DROP_vlan, 0);
}

// As a NIC leaves it: without the tag, whose word is beside it.
static void a_nic_may_have_taken_it_off(void **state)
{
    (void)state;
    uint8_t b[FRAME_OCTETS_MAX];
    uint32_t n = datagram(b);
    static const struct {
        uint16_t word;
        bool passes;
    } tags[] = {{VLAN, true}, {0x6000 | VLAN, true}, {OTHER, false}, {0, false}};
    for (uint32_t i = 0; i < 4; i++) {
        struct rte_mbuf *m = fixture_frame(b, n);
        m->ol_flags |= RTE_MBUF_F_RX_VLAN | RTE_MBUF_F_RX_VLAN_STRIPPED;
        m->vlan_tci = tags[i].word;
        comes(m);
        assert_int_equal(receives(), tags[i].passes);
    }
    fixture_assert_drops(DROP_vlan, 2);
}

static void what_is_of_no_vlan_or_another_is_dropped(void **state)
{
    (void)state;
    uint8_t b[FRAME_OCTETS_MAX], plain[FRAME_OCTETS_MAX];
    uint32_t n = datagram(plain), dropped = 0;
    is_dropped(plain, n, ++dropped);
    static const uint16_t words[] = {0, 0xe000, 1, VLAN - 1, VLAN + 1, 0xfff};
    for (uint32_t i = 0; i < 6; i++) {
        memcpy(b, plain, n);
        is_dropped(b, put_tag(b, n, 0x8100, words[i]), ++dropped);
    }
    // two tags, of either kind, whichever of them is ours
    static const uint16_t types[] = {0x8100, 0x88a8};
    for (uint32_t i = 0; i < 8; i++) {
        memcpy(b, plain, n);
        uint32_t one = put_tag(b, n, types[i % 2], i & 2 ? VLAN : OTHER);
        is_dropped(b, put_tag(b, one, types[i / 4], VLAN), ++dropped);
    }
    for (uint32_t octets = 1; octets < 18; octets++) { // a tag that is cut off
        memcpy(b, plain, n);
        put_tag(b, n, 0x8100, VLAN);
        is_dropped(b, octets, ++dropped);
    }
}

static void a_tag_may_be_in_two_buffers(void **state)
{
    (void)state;
    uint8_t b[FRAME_OCTETS_MAX];
    uint32_t n = datagram(b);
    n = put_tag(b, n, 0x8100, VLAN);
    for (uint32_t cut = 1; cut < n; cut++) {
        comes(fixture_frame_in_two(b, n, cut));
        assert_int_equal(receives(), 1);
        assert_int_equal(fx.frame_octets, n - TAG);
    }
}

static void without_a_vlan_a_priority_is_no_tag(void **state)
{
    (void)state;
    uint8_t plain[FRAME_OCTETS_MAX], b[FRAME_OCTETS_MAX];
    uint32_t n = datagram(plain);
    static const uint16_t words[] = {0, 0xa000, 0x1000, 0xf000};
    for (uint32_t i = 0; i < 4; i++) {
        memcpy(b, plain, n);
        comes(fixture_frame(b, put_tag(b, n, 0x8100, words[i])));
        assert_int_equal(receives(), 1);
        assert_int_equal(fx.frame_octets, n);
        assert_memory_equal(fx.frame, plain, n);
    }
    assert_int_equal(fx.stats.header_octets, 4 * TAG);
}

static void without_a_vlan_every_other_tag_is_dropped(void **state)
{
    (void)state;
    uint8_t plain[FRAME_OCTETS_MAX], b[FRAME_OCTETS_MAX];
    uint32_t n = datagram(plain), dropped = 0;
    static const uint16_t words[] = {1, VLAN, 0xfff, 0xe001};
    for (uint32_t i = 0; i < 4; i++) {
        memcpy(b, plain, n);
        is_dropped(b, put_tag(b, n, 0x8100, words[i]), ++dropped);
    }
    static const uint16_t types[] = {0x8100, 0x88a8};
    for (uint32_t i = 0; i < 4; i++) {
        memcpy(b, plain, n);
        uint32_t one = put_tag(b, n, types[i % 2], 0);
        is_dropped(b, put_tag(b, one, types[i / 2], 0), ++dropped);
    }
    memcpy(b, plain, n);
    is_dropped(b, put_tag(b, n, 0x88a8, 0), ++dropped);
    for (uint32_t octets = 14; octets < 18; octets++) {
        memcpy(b, plain, n);
        put_tag(b, n, 0x8100, 0);
        is_dropped(b, octets, ++dropped);
    }
}

// ---- Out ----

// clang-format off
static const uint8_t typed_request[] = {
    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2, 0, 0, 0, 0, 1, 0x81, 0, 0x80, 100, 0x08, 0x06,
    0, 1, 0x08, 0, 6, 4, 0, 1,
    2, 0, 0, 0, 0, 1, 10, 0, 0, 1,  0, 0, 0, 0, 0, 0, 10, 0, 0, 2};
static const uint8_t typed_reply[] = {
    2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x81, 0, 0, 100, 0x08, 0x06,
    0, 1, 0x08, 0, 6, 4, 0, 2,
    2, 0, 0, 0, 0, 2, 10, 0, 0, 2,  2, 0, 0, 0, 0, 1, 10, 0, 0, 1};
static const uint8_t typed_solicitation[] = {
    0x33, 0x33, 0xff, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0x81, 0, 0, 100, 0x86, 0xdd,
    0x60, 0, 0, 0, 0, 32, 58, 255,
    0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1,
    0xff, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0xff, 0, 0, 2,
    135, 0, 0x1c, 0x27, 0, 0, 0, 0,
    0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2,
    1, 1, 2, 0, 0, 0, 0, 1};
static const uint8_t typed_advertisement[] = {
    2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x81, 0, 0, 100, 0x86, 0xdd,
    0x60, 0, 0, 0, 0, 32, 58, 255,
    0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2,
    0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1,
    136, 0, 0x8a, 0x71, 0x60, 0, 0, 0,
    0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2,
    2, 1, 2, 0, 0, 0, 0, 2};
// clang-format on

static void answers_have_the_tag(void **state)
{
    (void)state;
    comes(fixture_frame(typed_request, sizeof typed_request));
    comes(fixture_frame(typed_solicitation, sizeof typed_solicitation));
    assert_int_equal(receives(), 0);
    assert_int_equal(fx.stats.host_packets, 2);
    fixture_assert_sent(typed_reply, sizeof typed_reply);
    fixture_assert_sent(typed_advertisement, sizeof typed_advertisement);
    // counted without it
    assert_int_equal(fx.stats.tx_octets, sizeof typed_reply + sizeof typed_advertisement - 2 * TAG);
}

static struct rte_mbuf *frame_of(uint32_t octets)
{
    uint8_t b[FRAME_OCTETS_MAX];
    return fixture_frame(b, frame_udp_ipv4(b, payload, octets));
}

static void fills_the_mtu(struct port_config *config)
{
    in_a_vlan(config);
    config->host.mtu_octets = 576;
    config->tx_frames = 8;
}

static void an_mtu_counts_no_tag(void **state)
{
    (void)state;
    fixture_open(fills_the_mtu);
    uint8_t b[FRAME_OCTETS_MAX];
    struct rte_mbuf *m = frame_of(576 - 28);
    assert_int_equal(port_send(&fx.port, &m, 1), 1);
    assert_int_equal(fixture_sent(b), 14 + TAG + 576);
    fixture_assert_nothing_sent();
    m = frame_of(1004);
    assert_int_equal(port_send(&fx.port, &m, 1), 1);
    static const uint16_t wanted[] = {572, 480}; // of IP packets, as without a VLAN
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(fixture_sent(b), 14 + TAG + wanted[i]);
        assert_int_equal(get_be32(b + 12), 0x81000000 | VLAN);
        assert_int_equal(get_be16(b + 16), 0x0800);
        assert_int_equal(get_be16(b + 20), wanted[i]);
    }
    fixture_assert_nothing_sent();
    fixture_close();
}

// A driver that puts the tag on in its function that prepares frames, as virtio's.
static uint16_t prepare_with_tag(void *queue, struct rte_mbuf **m, uint16_t n)
{
    (void)queue;
    for (uint16_t i = 0; i < n; i++)
        if (m[i]->ol_flags & RTE_MBUF_F_TX_VLAN)
            assert_int_equal(rte_vlan_insert(&m[i]), 0);
    return n;
}

static uint16_t prepare_three(void *queue, struct rte_mbuf **m, uint16_t n)
{
    return prepare_with_tag(queue, m, n < 3 ? n : 3);
}

enum nic { IN_SOFTWARE, IN_THE_NIC, IN_PREPARING, IN_PREPARING_THREE, NICS };

static void be_nic(enum nic nic)
{
    fx.port.inserts_tags = nic != IN_SOFTWARE;
    if (nic == IN_PREPARING)
        rte_eth_fp_ops[fx.port.id].tx_pkt_prepare = prepare_with_tag;
    if (nic == IN_PREPARING_THREE)
        rte_eth_fp_ops[fx.port.id].tx_pkt_prepare = prepare_three;
}

// The next frame on the wire, on which a NIC puts the tag that its buffer asks for.
static uint32_t on_the_wire(uint8_t b[FRAME_OCTETS_MAX])
{
    struct rte_mbuf *m;
    if (rte_ring_dequeue(fx.device.tx_ring[0], (void **)&m) != 0)
        return 0;
    uint32_t n = m->pkt_len;
    memcpy(b, rte_pktmbuf_mtod(m, void *), n);
    if (m->ol_flags & RTE_MBUF_F_TX_VLAN)
        n = put_tag(b, n, 0x8100, m->vlan_tci);
    rte_pktmbuf_free(m);
    return n;
}

// Whoever puts the tag on: frames that the device refuses, at whatever place of a burst, are the
// caller's as they were, and leave with one tag.
static void what_is_refused_is_unchanged(void **state)
{
    (void)state;
    for (enum nic nic = 0; nic < NICS; nic++) {
        struct rte_mbuf *m[300];
        uint8_t b[FRAME_OCTETS_MAX], plain[FRAME_OCTETS_MAX];
        fixture_open(fills_the_mtu);
        be_nic(nic);
        for (uint32_t i = 0; i < 300; i++)
            m[i] = frame_of(i);
        for (uint32_t sent = 0, out = 0; out < 300;) {
            uint32_t n = (uint32_t)random_in(1, 40);
            n = n < 300 - sent ? n : 300 - sent;
            sent += port_send(&fx.port, m + sent, n);
            for (uint32_t i = sent; i < 300; i++) {
                uint32_t octets = frame_udp_ipv4(plain, payload, i);
                assert_int_equal(m[i]->pkt_len, octets);
                assert_int_equal(m[i]->data_len, octets);
                assert_memory_equal(rte_pktmbuf_mtod(m[i], void *), plain, octets);
                assert_int_equal(m[i]->ol_flags & RTE_MBUF_F_TX_VLAN, 0);
            }
            for (uint32_t take = (uint32_t)random_in(0, 8); take > 0 && out < sent; take--, out++) {
                uint32_t octets = frame_udp_ipv4(plain, payload, out);
                octets = put_tag(plain, octets, 0x8100, VLAN);
                assert_int_equal(on_the_wire(b), octets);
                assert_memory_equal(b, plain, octets);
            }
        }
        assert_int_equal(fx.stats.tx_packets, 300);
        fixture_close();
    }
}

// ---- Two ports at one device ----

#define FRAMES 4000u

static struct stats_port gb_stats;
static struct port gb;

// Each has the number of the frame as its source port.
static uint32_t numbered(uint8_t *b, uint32_t number, bool tagged, uint16_t word)
{
    uint32_t n = datagram(b);
    put_be16(b + 34, (uint16_t)number);
    put_be16(b + 40, 0); // no checksum
    return tagged ? put_tag(b, n, 0x8100, word) : n;
}

static uint64_t sum_of(const struct stats_port *s, enum drop_reason except)
{
    uint64_t sum = 0;
    for (int r = 0; r < DROP_COUNT; r++)
        sum += r == (int)except ? 0 : s->drop[r].packets;
    return sum;
}

struct list {
    uint32_t n, at;
    uint16_t number[FRAMES];
};

// What a port receives is what comes next in its list.
static uint32_t next_of(struct port *port, struct list *list)
{
    struct rte_mbuf *m[PORT_BURST];
    uint32_t n = port_receive(port, m);
    assert_true(n <= PORT_BURST);
    for (uint32_t i = 0; i < n; i++) {
        const uint8_t *b = rte_pktmbuf_mtod(m[i], const uint8_t *);
        assert_true(list->at < list->n);
        assert_int_equal(get_be16(b + 12), 0x0800);
        assert_int_equal(get_be16(b + 34), list->number[list->at++]);
        rte_pktmbuf_free(m[i]);
    }
    return n;
}

static void open_two(uint16_t vlan, uint16_t other)
{
    fixture_open(NULL);
    fx.port.vlan = vlan;
    fx.config.vlan = other;
    fx.config.name = "gb";
    gb_stats = (struct stats_port){0};
    assert_int_equal(port_setup(&gb, &fx.device, 0, &fx.config, &gb_stats), 0);
    fx.config.name = "gn";
    port_share(&fx.port, &gb);
}

static void close_two(void)
{
    port_release(&gb);
    port_release(&fx.port);
    port_device_close(&fx.device);
    rte_mempool_free(fx.pool);
}

static void gives(uint32_t number, bool tagged, uint16_t word, bool by_nic)
{
    uint8_t b[FRAME_OCTETS_MAX];
    struct rte_mbuf *m = fixture_frame(b, numbered(b, number, tagged && !by_nic, word));
    if (tagged && by_nic) {
        m->ol_flags |= RTE_MBUF_F_RX_VLAN | RTE_MBUF_F_RX_VLAN_STRIPPED;
        m->vlan_tci = word;
    }
    comes(m);
}

// Frames of both, of neither and without a tag, in any order, while the ports are asked in any
// order: each has its own, in order, and the first counts what is of neither.
static void each_has_its_own_in_order(uint16_t vlan, uint16_t other)
{
    static struct list of[2];
    uint32_t strange = 0, given = 0;
    memset(of, 0, sizeof of);
    open_two(vlan, other);
    while (given < FRAMES || of[0].at < of[0].n || of[1].at < of[1].n) {
        for (uint32_t n = (uint32_t)random_in(0, 60); n > 0 && given < FRAMES; n--) {
            if (rte_ring_full(fx.device.rx_ring[0]))
                break;
            const uint16_t vids[] = {vlan, other, vlan, other, 0, 7};
            uint16_t vid = vids[random_in(0, 5)], word = (uint16_t)(vid | random_in(0, 15) << 12);
            gives(given, vid || random_in(0, 1), word, random_in(0, 1));
            struct list *list = vid == vlan ? &of[0] : vid == other ? &of[1] : NULL;
            if (list)
                list->number[list->n++] = (uint16_t)given;
            strange += list == NULL;
            given++;
        }
        if (random_in(0, 1))
            next_of(&fx.port, &of[0]);
        else
            next_of(&gb, &of[1]);
    }
    next_of(&fx.port, &of[0]); // strangers at the end
    assert_int_equal(fx.stats.drop[DROP_vlan].packets, strange);
    assert_int_equal(fx.stats.rx_packets, strange);
    assert_int_equal(sum_of(&fx.stats, DROP_vlan) + sum_of(&gb_stats, DROP_NONE), 0);
    assert_int_equal(gb_stats.rx_packets, 0);
    close_two();
}

static void two_vlans_share_a_device(void **state)
{
    (void)state;
    each_has_its_own_in_order(VLAN, OTHER);
    each_has_its_own_in_order(VLAN, 0);
    each_has_its_own_in_order(0, OTHER);
}

// One that is not asked stops the other before anything is lost.
static void what_nobody_fetches_waits(void **state)
{
    (void)state;
    static struct list none, of_gb;
    of_gb.n = of_gb.at = 0;
    open_two(VLAN, OTHER);
    for (uint32_t given = 0; given < 2 * PORT_BURST; given++) {
        gives(given, true, OTHER, false);
        of_gb.number[of_gb.n++] = (uint16_t)given;
        next_of(&fx.port, &none);
    }
    assert_int_equal(rte_ring_count(fx.device.rx_ring[0]), PORT_BURST);
    assert_int_equal(next_of(&gb, &of_gb), PORT_BURST);
    assert_int_equal(next_of(&gb, &of_gb), PORT_BURST);
    // and ends with its port
    for (uint32_t i = 0; i < 5; i++)
        gives(i, true, OTHER, false);
    next_of(&fx.port, &none);
    port_flush(&gb);
    assert_int_equal(gb_stats.drop[DROP_shutdown].packets, 5);
    assert_int_equal(gb_stats.rx_packets, 5);
    assert_int_equal(gb_stats.rx_octets, gb_stats.drop[DROP_shutdown].octets);
    assert_int_equal(rte_mempool_in_use_count(fx.pool), 0);
    close_two();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_frame_of_the_vlan_loses_its_tag, vlan_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(a_nic_may_have_taken_it_off, vlan_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(what_is_of_no_vlan_or_another_is_dropped, vlan_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(a_tag_may_be_in_two_buffers, vlan_setup, fixture_teardown),
        PORT_TEST(without_a_vlan_a_priority_is_no_tag),
        PORT_TEST(without_a_vlan_every_other_tag_is_dropped),
        cmocka_unit_test_setup_teardown(answers_have_the_tag, vlan_setup, fixture_teardown),
        cmocka_unit_test(an_mtu_counts_no_tag),
        cmocka_unit_test(what_is_refused_is_unchanged),
        cmocka_unit_test(two_vlans_share_a_device),
        cmocka_unit_test(what_nobody_fetches_waits),
    };
    return cmocka_run_group_tests(tests, eal_fixture_setup, eal_fixture_teardown);
}

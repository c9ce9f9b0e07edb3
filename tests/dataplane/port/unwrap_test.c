// From frame to datagram: both families, every reason to end one, and what the NIC says.
#include "tests/dataplane/eal_fixture.h"
#include "tests/dataplane/port/port_fixture.h"
#include "tests/dataplane/random.h"

// Typed in: Ethernet, IPv4, UDP, "hi", then padding.
static const uint8_t typed_ipv4[] = {
    2,    0,    0,    0,    0,    2,    2,    0,    0,    0,    0,    1,    0x08, 0x00, //
    0x45, 0x03, 0x00, 0x1e, 0x00, 0x01, 0x40, 0x00, 0x40, 0x11, 0x26, 0xc9, 10,   0,
    0,    1,    10,   0,    0,    2, //
    0x0b, 0xb8, 0x08, 0x68, 0x00, 0x0a, 0x00, 0x00, 'h',  'i',  0,    0,    0,    0};
static const uint8_t typed_ipv6[] = {
    2,    0,    0,    0,    0,    2,    2,    0,    0,   0,  0, 1, 0x86, 0xdd,       //
    0x60, 0x20, 0x00, 0x00, 0x00, 0x0a, 0x11, 0x40,                                  //
    0x20, 0x01, 0x0d, 0xb8, 0,    0,    0,    0,    0,   0,  0, 0, 0,    0,    0, 1, //
    0x20, 0x01, 0x0d, 0xb8, 0,    0,    0,    0,    0,   0,  0, 0, 0,    0,    0, 2, //
    0x0b, 0xb8, 0x08, 0x68, 0x00, 0x0a, 0x27, 0xdc, 'h', 'i'};

static void a_datagram_is_found_where_it_lies(void **state)
{
    (void)state;
    assert_true(fixture_receive_octets(typed_ipv4, sizeof typed_ipv4, 0));
    assert_int_equal(fx.datagram.payload_offset, 42);
    assert_int_equal(fx.datagram.payload_octets, 2);
    assert_int_equal(fx.datagram.ip_offset, 14);
    assert_int_equal(fx.datagram.ecn, 3);
    assert_false(fx.datagram.ipv6);
    fx.port.check_udp = true;
    assert_true(fixture_receive_octets(typed_ipv6, sizeof typed_ipv6, 0));
    assert_int_equal(fx.datagram.payload_offset, 62);
    assert_int_equal(fx.datagram.payload_octets, 2);
    assert_int_equal(fx.datagram.ip_offset, 14);
    assert_int_equal(fx.datagram.ecn, 2);
    assert_true(fx.datagram.ipv6);
    assert_int_equal(fx.stats.rx_packets, 2);
    assert_int_equal(fx.stats.rx_octets, sizeof typed_ipv4 + sizeof typed_ipv6);
    fixture_assert_drops(DROP_udp, 0);
}

static void a_sender_is_read_from_its_frame(void **state)
{
    (void)state;
    struct port_datagram v4 = {.payload_offset = 42, .ip_offset = 14};
    struct port_datagram v6 = {.payload_offset = 62, .ip_offset = 14, .ipv6 = true};
    struct rte_mbuf *m = fixture_frame(typed_ipv4, sizeof typed_ipv4);
    struct port_endpoint sender = port_sender(m, &v4);
    struct ipv6_address mapped = address_of_ipv4(PEER_IPV4);
    assert_true(address_same(&sender.address, &mapped));
    assert_int_equal(sender.udp_port, 3000);
    rte_pktmbuf_free(m);
    m = fixture_frame(typed_ipv6, sizeof typed_ipv6);
    sender = port_sender(m, &v6);
    assert_true(address_same(&sender.address, &peer_ipv6));
    assert_int_equal(sender.udp_port, 3000);
    rte_pktmbuf_free(m);
}

// One octet of a good frame is another, or it ends early.
struct flaw {
    uint32_t at;
    uint8_t value;
    bool new_ip_checksum;
    enum drop_reason reason;
};

static void ends_for(const uint8_t *good, uint32_t octets, const struct flaw *flaw)
{
    uint8_t b[FRAME_OCTETS_MAX];
    uint64_t before = fx.stats.drop[flaw->reason].packets;
    memcpy(b, good, octets);
    b[flaw->at] = flaw->value;
    if (flaw->new_ip_checksum)
        frame_ipv4_checksum(b);
    assert_false(fixture_receive_octets(b, octets, 0));
    if (fx.stats.drop[flaw->reason].packets != before + 1)
        fail_msg("octet %u = %#x: not %s", flaw->at, flaw->value, stats_drop_names[flaw->reason]);
}

static void every_flaw_of_ipv4_has_its_reason(void **state)
{
    (void)state;
    static const struct flaw flaws[] = {
        {0, 1, false, DROP_not_ours},       // a group's Ethernet address
        {5, 9, false, DROP_not_ours},       // somebody else's
        {12, 0x81, false, DROP_vlan},       // a VLAN tag
        {12, 0x03, false, DROP_not_ip},     // an 802.3 length
        {13, 0x01, false, DROP_not_ip},     // no type that we know
        {14, 0x55, true, DROP_ip_header},   // version
        {14, 0x44, true, DROP_ip_header},   // header length
        {14, 0x4f, true, DROP_ip_header},   // beyond the packet
        {17, 0x13, true, DROP_ip_header},   // total length less than the header
        {16, 0x10, true, DROP_ip_header},   // more than came
        {22, 0x41, false, DROP_ip_header},  // checksum
        {20, 0x80, true, DROP_ip_header},   // reserved bit
        {33, 3, true, DROP_not_ours},       // another IP address
        {23, 0x06, true, DROP_other_port},  // TCP
        {37, 0x69, false, DROP_other_port}, // another UDP port
        {39, 0x0b, false, DROP_udp},        // UDP longer than the packet
        {39, 0x09, false, DROP_udp},        // and shorter
        {17, 27, true, DROP_udp},           // a packet too short for UDP
    };
    assert_true(fixture_receive_octets(typed_ipv4, sizeof typed_ipv4, 0));
    for (uint32_t i = 0; i < sizeof flaws / sizeof flaws[0]; i++)
        ends_for(typed_ipv4, sizeof typed_ipv4, &flaws[i]);
}

static void every_flaw_of_ipv6_has_its_reason(void **state)
{
    (void)state;
    static const struct flaw flaws[] = {
        {0, 1, false, DROP_not_ours},      // ours in a group's frame
        {14, 0x50, false, DROP_ip_header}, // version
        {18, 0x01, false, DROP_ip_header}, // more than came
        {20, 0x00, false, DROP_ip_header}, // options beyond the packet
        {53, 3, false, DROP_not_ours},     // another address
        {38, 0xff, false, DROP_not_ours},  // a group
        {20, 0x06, false, DROP_other_port}, {57, 0x69, false, DROP_other_port},
        {59, 0x0b, false, DROP_udp},        {63, 'o', false, DROP_udp_checksum},
    };
    fx.port.check_udp = true;
    assert_true(fixture_receive_octets(typed_ipv6, sizeof typed_ipv6, 0));
    for (uint32_t i = 0; i < sizeof flaws / sizeof flaws[0]; i++)
        ends_for(typed_ipv6, sizeof typed_ipv6, &flaws[i]);
}

static void a_frame_that_ends_early_is_nothing_else(void **state)
{
    (void)state;
    const uint32_t octets = 44; // without padding
    for (uint32_t n = 0; n < octets; n++)
        assert_false(fixture_receive_octets(typed_ipv4, n, 0));
    for (uint32_t n = 0; n < sizeof typed_ipv6; n++)
        assert_false(fixture_receive_octets(typed_ipv6, n, 0));
    assert_int_equal(fx.stats.drop[DROP_not_ip].packets, 28);
    assert_int_equal(fx.stats.drop[DROP_ip_header].packets, octets - 14 + sizeof typed_ipv6 - 14);
}

static void a_vlan_is_not_ours(void **state)
{
    (void)state;
    uint8_t b[sizeof typed_ipv4 + 4];
    memcpy(b, typed_ipv4, 12);
    memcpy(b + 12, (uint8_t[]){0x81, 0, 0, 5}, 4);
    memcpy(b + 16, typed_ipv4 + 12, sizeof typed_ipv4 - 12);
    assert_false(fixture_receive_octets(b, sizeof b, 0));
    fixture_assert_drops(DROP_vlan, 1);
}

// IP and UDP agree on a datagram that is shorter than its header.
static void no_datagram_is_shorter_than_its_header(void **state)
{
    (void)state;
    uint8_t b[sizeof typed_ipv4];
    memcpy(b, typed_ipv4, sizeof b);
    for (uint8_t octets = 0; octets < 8; octets++) {
        b[17] = 20 + octets;
        b[39] = octets;
        frame_ipv4_checksum(b);
        assert_false(fixture_receive_octets(b, sizeof b, 0));
    }
    fixture_assert_drops(DROP_udp, 8);
}

static void no_ipv4(struct port_config *config)
{
    config->host.ipv4 = 0;
    memset(&config->host.ipv6, 0, sizeof config->host.ipv6);
}

// What has no address has not the one that stands for none.
static void a_port_without_addresses_takes_no_zeros(void **state)
{
    (void)state;
    fixture_open(no_ipv4);
    uint8_t b[sizeof typed_ipv6];
    memcpy(b, typed_ipv4, sizeof typed_ipv4);
    memset(b + 30, 0, 4);
    frame_ipv4_checksum(b);
    assert_false(fixture_receive_octets(b, sizeof typed_ipv4, 0));
    memcpy(b, typed_ipv6, sizeof typed_ipv6);
    memset(b + 38, 0, 16);
    assert_false(fixture_receive_octets(b, sizeof typed_ipv6, 0));
    fixture_assert_drops(DROP_not_ours, 2);
    fixture_close();
}

// A frame with the NIC's word; true if it was passed on.
static bool judged(const uint8_t *b, uint32_t octets, uint64_t ol_flags)
{
    struct rte_mbuf *m = fixture_frame(b, octets);
    m->ol_flags |= ol_flags;
    return fixture_receive(m, 0);
}

static void the_nic_is_believed(void **state)
{
    (void)state;
    uint8_t good[200], bad[200];
    uint32_t n = frame_udp_ipv4(good, "abcd", 4);
    memcpy(bad, good, n);
    bad[n - 1] ^= 1;
    assert_false(judged(good, n, RTE_MBUF_F_RX_IP_CKSUM_BAD));
    fixture_assert_drops(DROP_ip_header, 1);
    fx.stats.drop[DROP_ip_header] = (struct stats_drop){0};
    fx.stats.rx_packets = fx.stats.rx_octets = 0;
    assert_false(judged(good, n, RTE_MBUF_F_RX_L4_CKSUM_BAD));
    fixture_assert_drops(DROP_udp_checksum, 1);
    for (int check = 0; check < 2; check++) {
        fx.port.check_udp = check;
        assert_true(judged(bad, n, RTE_MBUF_F_RX_L4_CKSUM_GOOD));
        assert_true(judged(bad, n, RTE_MBUF_F_RX_L4_CKSUM_NONE));
        assert_true(judged(good, n, 0));
        assert_int_equal(judged(bad, n, 0), !check);
    }
    fixture_assert_drops(DROP_udp_checksum, 2);
}

static void a_checksum_of_zero_is_none(void **state)
{
    (void)state;
    uint8_t v4[200], v6[200];
    uint32_t n4 = frame_udp_ipv4(v4, "abcd", 4), n6 = frame_udp_ipv6(v6, "abcd", 4);
    memset(v4 + 40, 0, 2);
    memset(v6 + 60, 0, 2);
    for (int check = 0; check < 2; check++) {
        fx.port.check_udp = check;
        assert_true(judged(v4, n4, 0));
        assert_true(judged(v4, n4, RTE_MBUF_F_RX_L4_CKSUM_BAD));
        assert_int_equal(judged(v6, n6, 0), !check);
    }
    fixture_assert_drops(DROP_udp_checksum, 1);
}

static void a_frame_in_several_buffers_becomes_one(void **state)
{
    (void)state;
    uint8_t b[FRAME_OCTETS_MAX], payload[3000];
    random_fill(payload, sizeof payload);
    for (uint32_t first = 1; first < 60; first++) {
        uint32_t n = frame_udp_ipv4(b, payload, 100);
        assert_true(fixture_receive(fixture_frame_in_two(b, n, first), 0));
        assert_memory_equal(fx.frame + fx.datagram.payload_offset, payload, 100);
    }
    assert_true(
        fixture_receive(fixture_frame_in_two(typed_ipv4, sizeof typed_ipv4, 44), 0)); // its padding
    uint32_t n = frame_udp_ipv4(b, payload, 3000);
    assert_false(fixture_receive(fixture_frame_in_two(b, n, 1500), 0));
    fixture_assert_drops(DROP_buffer_chain, 1);
}

static void options_are_stepped_over(void **state)
{
    (void)state;
    uint8_t b[100];
    memcpy(b, typed_ipv4, 34);
    memset(b + 34, 1, 4);
    memcpy(b + 38, typed_ipv4 + 34, 10);
    b[14] = 0x46;
    b[17] = 34;
    put_be16(b + 24, 0);
    put_be16(b + 24, ipv4_fold(ipv4_sum(0, b + 14, 24)));
    assert_true(fixture_receive_octets(b, 48, 0));
    assert_int_equal(fx.datagram.payload_offset, 46);
    assert_memory_equal(fx.frame + 46, "hi", 2);
}

static uint32_t seconds;

static void take_second(void *self, struct rte_mbuf *frame, const struct port_datagram *datagram,
                        uint64_t now_ns)
{
    assert_ptr_equal(self, &seconds);
    assert_int_equal(now_ns, 7);
    assert_int_equal(datagram->payload_octets, 2);
    assert_memory_equal(rte_pktmbuf_mtod_offset(frame, uint8_t *, datagram->payload_offset), "hi",
                        2);
    fx.stats.host_packets++;
    fx.stats.host_octets += frame->pkt_len;
    rte_pktmbuf_free(frame);
    seconds++;
}

// Its datagrams go another way than the first one's, and their checksums are looked at whatever
// check_udp says; without a second port they are for no port, as any other.
static void a_second_udp_port(void **state)
{
    (void)state;
    seconds = 0;
    for (uint32_t open = 0; open < 2; open++) {
        fx.port.second_udp_port = open ? 2123 : 0;
        fx.port.second = open ? take_second : NULL;
        fx.port.second_self = &seconds;
        for (uint32_t ipv6 = 0; ipv6 < 2; ipv6++)
            for (uint32_t flaw = 0; flaw < 3; flaw++) {
                uint8_t b[200];
                uint32_t n = ipv6 ? frame_udp_ipv6(b, "hi", 2) : frame_udp_ipv4(b, "hi", 2);
                uint8_t *udp = b + (ipv6 ? 54 : 34);
                uint32_t before = seconds, sum = get_be16(udp + 6) + 0xffffu;
                put_be16(udp + 2, flaw == 2 ? 2124 : 2123);
                if (!ipv6 && flaw == 0)
                    sum = 0; // none
                else
                    sum = sum + OUR_PORT - 2123 + (flaw == 1);
                put_be16(udp + 6, (uint16_t)(sum == 0 ? 0 : (sum - 1) % 0xffff + 1));
                assert_false(fixture_receive_octets(b, n, 7));
                assert_int_equal(seconds - before, open && flaw == 0);
            }
    }
    assert_int_equal(fx.stats.drop[DROP_udp_checksum].packets, 2);
    assert_int_equal(fx.stats.drop[DROP_other_port].packets, 6 + 2);
}

static void a_burst_keeps_its_order(void **state)
{
    (void)state;
    struct rte_mbuf *frames[PORT_BURST];
    struct port_datagram datagrams[PORT_BURST];
    uint8_t b[200];
    for (uint8_t i = 0; i < PORT_BURST; i++) {
        uint32_t n = i % 2 ? frame_udp_ipv6(b, &i, 1) : frame_udp_ipv4(b, &i, 1);
        b[12] ^= i % 3 == 0;
        frames[i] = fixture_frame(b, n);
    }
    uint32_t passed = port_unwrap(&fx.port, frames, datagrams, PORT_BURST, 0);
    uint8_t expected = 0;
    for (uint32_t i = 0; i < passed; i++) {
        expected += expected % 3 == 2 ? 2 : 1; // every third has another type
        assert_int_equal(
            *rte_pktmbuf_mtod_offset(frames[i], uint8_t *, datagrams[i].payload_offset), expected);
        assert_int_equal(datagrams[i].ipv6, expected % 2);
        fx.passed_packets++;
        fx.passed_octets += frames[i]->pkt_len;
        rte_pktmbuf_free(frames[i]);
    }
    assert_int_equal(passed, PORT_BURST - 22);
    fixture_assert_drops(DROP_not_ip, 22);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PORT_TEST(a_datagram_is_found_where_it_lies),
        PORT_TEST(a_sender_is_read_from_its_frame),
        PORT_TEST(every_flaw_of_ipv4_has_its_reason),
        PORT_TEST(every_flaw_of_ipv6_has_its_reason),
        PORT_TEST(a_frame_that_ends_early_is_nothing_else),
        PORT_TEST(a_vlan_is_not_ours),
        PORT_TEST(no_datagram_is_shorter_than_its_header),
        cmocka_unit_test(a_port_without_addresses_takes_no_zeros),
        PORT_TEST(the_nic_is_believed),
        PORT_TEST(a_checksum_of_zero_is_none),
        PORT_TEST(a_frame_in_several_buffers_becomes_one),
        PORT_TEST(options_are_stepped_over),
        PORT_TEST(a_second_udp_port),
        PORT_TEST(a_burst_keeps_its_order),
    };
    return cmocka_run_group_tests(tests, eal_fixture_setup, eal_fixture_teardown);
}

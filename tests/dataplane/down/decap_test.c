// Decap: a typed frame passes and leaves exactly its payload; for each reason to drop, the smallest
// change that provokes it; truncations at every length. Padding, options, extension headers and
// frames in several buffers are in decap_options_test.c.
#include "tests/dataplane/down/decap_frame.h"

// --- One octet is changed ------------------------------------------------------------------------

static void test_good_frame(void **state)
{
    struct frame f = frame_good();
    (void)state;
    assert_int_equal(plain_checksum(f.at + IP, 20), 0);
    expect_pass(&f, "packet", 6);
}

static void test_smallest_change_for_each_reason(void **state)
{
    static const struct {
        uint8_t at, value;
        enum drop_reason reason;
    } changes[] = {
        {0, 0x03, DROP_not_ours}, // another MAC, a multicast one
        {5, 0x02, DROP_not_ours},
        {12, 0x05, DROP_not_ip},         // an 802.3 length
        {13, 0x06, DROP_arp},            // no ARP, though it says so
        {IP, 0x65, DROP_ip_header},      // version 6
        {IP, 0x44, DROP_ip_header},      // a header of 16 octets
        {IP + 3, 0x2b, DROP_ip_header},  // longer than the frame
        {IP + 3, 0x13, DROP_ip_header},  // shorter than its header
        {IP + 3, 0x29, DROP_udp},        // the datagram's last octet is padding
        {IP + 6, 0x80, DROP_ip_header},  // the reserved bit
        {IP + 6, 0x20, DROP_fragment},   // the first one, of 22 octets
        {IP + 9, 0x06, DROP_other_port}, // TCP
        {IP + 10, 0xf7, DROP_ip_header}, // the checksum
        {IP + 11, 0xbf, DROP_ip_header},
        {IP + 16, 0xc1, DROP_not_ours},
        {IP + 19, 0x02, DROP_not_ours},
        {UDP + 2, 0x09, DROP_other_port},
        {UDP + 3, 0x69, DROP_other_port},
        {UDP + 5, 0x15, DROP_udp},
        {UDP + 5, 0x17, DROP_udp},
        {UDP + 5, 0x07, DROP_udp},
        {GTPU, 0x10, DROP_gtpu_version},
        {GTPU, 0x50, DROP_gtpu_version},
        {GTPU, 0x20, DROP_gtpu_version}, // GTP'
        {GTPU + 1, 2, DROP_gtpu_message},
        {GTPU + 1, 26, DROP_gtpu_malformed}, // an error indication without its elements
        {GTPU + 1, 254, DROP_gtpu_message},
        {GTPU + 1, 0, DROP_gtpu_message},
        {GTPU + 2, 0x01, DROP_gtpu_malformed},
        {GTPU + 3, 0x07, DROP_gtpu_malformed},
        {GTPU + 3, 0x00, DROP_npdu_empty},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(changes); i++) {
        struct frame f = frame_changed(changes[i].at, changes[i].value);
        print_message("# octet %u = %02x\n", changes[i].at, changes[i].value);
        expect_drop(&f, changes[i].reason);
    }
}

// What a gateway may set as it likes, or what the dataplane does not look at.
static void test_changes_that_do_not_matter(void **state)
{
    static const uint8_t places[] = {6,       11,      IP + 1,  IP + 4,  IP + 5,  IP + 8,
                                     IP + 12, IP + 15, UDP + 0, UDP + 1, UDP + 6, UDP + 7};
    (void)state;
    for (size_t i = 0; i < COUNT(places); i++) {
        struct frame f = frame_changed(places[i], 0x77);
        expect_pass(&f, "packet", 6);
    }
    struct frame dont_fragment = frame_changed(IP + 6, 0x40);
    expect_pass(&dont_fragment, "packet", 6);
}

static void test_teid_is_given_back(void **state)
{
    struct frame f = frame_good();
    struct gpdu gpdu;
    (void)state;
    memcpy(f.at + GTPU + 4, "\x89\xab\xcd\xef", 4);
    struct rte_mbuf *m = frame_mbuf(f.at, f.n);
    assert_int_equal(decap_frame(&m, &gpdu), DROP_NONE);
    assert_true(gpdu.teid == 0x89abcdef);
    rte_pktmbuf_free(m);
}

static void test_broadcast_is_not_ours(void **state)
{
    struct frame f = frame_good();
    (void)state;
    memset(f.at, 0xff, 6);
    expect_drop(&f, DROP_not_ours);
}

// --- Truncations ---------------------------------------------------------------------------------

static void test_frame_cut_at_every_length(void **state)
{
    struct frame f = frame_good();
    (void)state;
    for (f.n = 0; f.n < GOOD_OCTETS; f.n++)
        expect_drop(&f, f.n < IP ? DROP_not_ip : DROP_ip_header);
}

static void test_packet_cut_at_every_length(void **state)
{
    (void)state;
    for (uint32_t n = UDP; n < GOOD_OCTETS; n++) {
        struct frame f = frame_good();
        f.n = n;
        frame_repair_lengths(&f, LAYER_IP);
        expect_drop(&f, DROP_udp);
    }
}

static void test_datagram_cut_at_every_length(void **state)
{
    (void)state;
    for (uint32_t n = GTPU; n < GOOD_OCTETS; n++) {
        struct frame f = frame_good();
        f.n = n;
        frame_repair_lengths(&f, LAYER_UDP);
        expect_drop(&f, DROP_gtpu_malformed);
    }
}

static void test_message_cut_at_every_length(void **state)
{
    (void)state;
    for (uint32_t n = TPDU; n < GOOD_OCTETS; n++) {
        struct frame f = frame_good();
        f.n = n;
        frame_repair_lengths(&f, LAYER_GTPU);
        if (n == TPDU)
            expect_drop(&f, DROP_npdu_empty);
        else
            expect_pass(&f, "packet", n - TPDU);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        DECAP_TEST(test_good_frame),
        DECAP_TEST(test_smallest_change_for_each_reason),
        DECAP_TEST(test_changes_that_do_not_matter),
        DECAP_TEST(test_teid_is_given_back),
        DECAP_TEST(test_broadcast_is_not_ours),
        DECAP_TEST(test_frame_cut_at_every_length),
        DECAP_TEST(test_packet_cut_at_every_length),
        DECAP_TEST(test_datagram_cut_at_every_length),
        DECAP_TEST(test_message_cut_at_every_length),
    };
    return cmocka_run_group_tests_name("down/decap", tests, decap_start, decap_stop);
}

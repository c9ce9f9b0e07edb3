// The lab's GGSN: a packet of a host into its tunnel, what comes out of one to its owner, echo
// answered, and a fault for whatever no GGSN expects. The port is a stand-in that keeps what it
// got.
#include "lab/ggsn/ggsn.h"

#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static struct ggsn ggsn;
static struct {
    uint8_t payload[256];
    uint32_t octets, queue, n;
    uint16_t port, from_port;
    uint64_t tag;
    bool has_room;
} sent;
static struct {
    uint32_t teid, octets, n;
    uint8_t npdu[64];
} up;

bool ends_send(struct ends *ends, const struct ends_host *from, uint32_t queue,
               struct octets payload, uint64_t tag, uint64_t now_ns)
{
    sent.port = ends->to.port;
    sent.from_port = from->port;
    assert_true(address_same(&from->address, &ggsn.host.address));
    assert_true(now_ns == 5);
    memcpy(sent.payload, payload.at, payload.n);
    sent.octets = payload.n;
    sent.queue = queue;
    sent.tag = tag;
    sent.n++;
    return sent.has_room;
}

static void take(void *self, uint32_t teid, struct octets npdu, uint64_t now_ns)
{
    assert_ptr_equal(self, &up);
    assert_true(now_ns == 5);
    memcpy(up.npdu, npdu.at, npdu.n);
    up.teid = teid;
    up.octets = npdu.n;
    up.n++;
}

static int make(void **state)
{
    (void)state;
    memset(&sent, 0, sizeof sent);
    memset(&up, 0, sizeof up);
    sent.has_room = true;
    ggsn = (struct ggsn){
        .host = {{{[10] = 255, 255, 192, 0, 2, 2}}, {{2}}, 2152}, .up = take, .self = &up};
    ggsn.ends.to = (struct ends_host){{{[10] = 255, 255, 192, 0, 2, 1}}, {{1}}, 2152};
    return 0;
}

static int release(void **state)
{
    (void)state;
    ggsn_release(&ggsn);
    return 0;
}

static void receive(const void *gtpu, uint32_t octets)
{
    const struct ends_datagram datagram = {.destination = ggsn.host.address,
                                           .source_port = 2152,
                                           .destination_port = 2152,
                                           .payload = {gtpu, octets}};
    ggsn_datagram(&ggsn, &datagram, 5);
}

static void down(void **state)
{
    (void)state;
    assert_true(
        ggsn_down(&ggsn, 0x00400005, 3, (struct octets){(const uint8_t *)"ip packet", 9}, 88, 5));
    assert_int_equal(sent.octets, 17);
    assert_memory_equal(sent.payload, "\x30\xff\x00\x09\x00\x40\x00\x05ip packet", 17);
    assert_int_equal(sent.queue, 3);
    assert_true(sent.tag == 88);
    sent.has_room = false;
    assert_false(ggsn_down(&ggsn, 1, 0, (struct octets){(const uint8_t *)"ip", 2}, 88, 5));
    assert_int_equal(ggsn.down_npdus, 2);
    assert_int_equal(ggsn.down_octets, 11);
}

static void packets_up(void **state)
{
    (void)state;
    receive("\x30\xff\x00\x09\x00\x00\x12\x34ip packet", 17);
    assert_int_equal(up.n, 1);
    assert_int_equal(up.teid, 0x1234);
    assert_int_equal(up.octets, 9);
    assert_memory_equal(up.npdu, "ip packet", 9);
    // With a sequence number; it is no part of the packet.
    receive("\x32\xff\x00\x06\x00\x00\x12\x35\x00\x01\x00\x00ip", 14);
    assert_int_equal(up.n, 2);
    assert_int_equal(up.octets, 2);
    assert_int_equal(ggsn.up_npdus, 2);
    assert_int_equal(ggsn.up_octets, 11);
    assert_int_equal(ggsn.faults, 0);
    assert_int_equal(sent.n, 0);
}

// 29.281 7.2.1: with the sequence number of the request, TEID 0, and a Recovery of 0.
static void echo(void **state)
{
    (void)state;
    receive("\x32\x01\x00\x04\x00\x00\x00\x00\xab\xcd\x00\x00", 12);
    assert_int_equal(ggsn.echoes, 1);
    assert_int_equal(sent.octets, 14);
    assert_memory_equal(sent.payload, "\x32\x02\x00\x06\x00\x00\x00\x00\xab\xcd\x00\x00\x0e\x00",
                        14);
    assert_true(sent.tag == 0);
    assert_int_equal(up.n, 0);
    assert_int_equal(ggsn.faults, 0);
}

static void error_indications_are_counted(void **state)
{
    (void)state;
    receive("\x32\x1a\x00\x10\x00\x00\x00\x00\x00\x00\x00\x00\x10\x00\x00\x00\x07\x85\x00\x04"
            "\xc0\x00\x02\x01",
            24);
    assert_int_equal(ggsn.error_indications, 1);
    assert_int_equal(ggsn.faults, 0);
    assert_int_equal(sent.n + up.n, 0);
}

static void what_no_ggsn_expects(void **state)
{
    static const char packet[] = "\x30\xff\x00\x02\x00\x00\x00\x01ip";
    struct ends_datagram datagram = {.destination = ggsn.host.address,
                                     .destination_port = 2153,
                                     .payload = {(const uint8_t *)packet, 10}};
    (void)state;
    ggsn_datagram(&ggsn, &datagram, 5);
    assert_int_equal(ggsn.faults, 1);
    assert_non_null(strstr(ggsn.first_fault, "not the GGSN's UDP port (2153)"));
    datagram.destination_port = 2152;
    datagram.destination.octet[15]++;
    ggsn_datagram(&ggsn, &datagram, 5);
    assert_int_equal(ggsn.faults, 2);
    receive("\x30\xfe\x00\x00\x00\x00\x00\x01", 8); // an End Marker
    assert_int_equal(ggsn.faults, 3);
    for (uint32_t n = 0; n < 10; n++)
        receive(packet, n);
    assert_int_equal(ggsn.faults, 13);
    assert_int_equal(up.n + sent.n, 0);
}

// To the other port, from it, and to the port that it came from.
static void control(void **state)
{
    struct ends_datagram datagram = {.source = ggsn.ends.to.address,
                                     .destination = ggsn.host.address,
                                     .source_port = 40000,
                                     .destination_port = 2123};
    (void)state;
    datagram.payload =
        (struct octets){(const uint8_t *)"\x32\x01\x00\x04\x00\x00\x00\x00\xab\xcd\x00\x00", 12};
    ggsn_datagram(&ggsn, &datagram, 5);
    assert_int_equal(sent.octets, 14);
    assert_memory_equal(sent.payload, "\x32\x02\x00\x06\x00\x00\x00\x00\xab\xcd\x00\x00\x0e\x01",
                        14);
    assert_int_equal(sent.port, 40000);
    assert_int_equal(sent.from_port, 2123);
    assert_int_equal(ggsn.faults, 0);
    datagram.payload = (struct octets){
        (const uint8_t
             *)"\x32\x10\x00\x37\x00\x00\x00\x00\x00\x01\x00\x00"
               "\x02\x62\x42\x12\x20\x43\x65\x87\xf9\x10\x00\x00\x00\x0a\x11\x00\x00\x00\x0b"
               "\x14\x05\x80\x00\x02\xf1\x21\x85\x00\x04\xc0\x00\x02\x01"
               "\x85\x00\x04\xc0\x00\x02\x01\x87\x00\x04\x02\x1b\x92\x1f\x97\x00\x01\x02",
        63};
    ggsn_datagram(&ggsn, &datagram, 5);
    assert_int_equal(sent.octets, 63);
    assert_memory_equal(sent.payload + 38, "\x0a\x40\x00\x02", 4);
    assert_int_equal(pool_contexts(ggsn.pool), 1);
    datagram.source.octet[15]++; // nobody's
    ggsn_datagram(&ggsn, &datagram, 5);
    assert_int_equal(ggsn.faults, 1);
    assert_non_null(strstr(ggsn.first_fault, "GTP-C: not from the SGSN"));
    assert_int_equal(sent.n, 2);
}

#define GGSN_TEST(name) cmocka_unit_test_setup_teardown(name, make, release)

int main(void)
{
    const struct CMUnitTest tests[] = {
        GGSN_TEST(down),
        GGSN_TEST(packets_up),
        GGSN_TEST(echo),
        GGSN_TEST(error_indications_are_counted),
        GGSN_TEST(what_no_ggsn_expects),
        GGSN_TEST(control),
    };
    return cmocka_run_group_tests_name("lab/ggsn/ggsn", tests, NULL, NULL);
}

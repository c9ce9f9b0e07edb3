// Flows over UDP and ICMP: every octet of a packet, what an end takes, and what it refuses and why.
#include "lab/hosts/flow_table.h"

#include "tests/dataplane/wire/judge.h"
#include "tests/lab/hosts/path.h"

#define HOST_PORT 7000
#define MS_PORT   2000
#define ROOM      2000

static struct {
    uint32_t n, number, ended;
    uint64_t octets, at_ns;
    enum flow_end at;
} got;

// The last packet that was sent, kept instead of a link.
static uint8_t packet[ROOM];
static uint32_t packet_octets, sends;
static enum flow_end packet_from;
static struct flow_table table;
static struct engine *engine;

static void send(void *self, struct flow *flow, enum flow_end from, const uint8_t *ip,
                 uint32_t octets, uint64_t now_ns)
{
    (void)self, (void)flow, (void)now_ns;
    assert_true(octets <= ROOM);
    memcpy(packet, ip, octets);
    packet_octets = octets;
    packet_from = from;
    sends++;
}

static uint16_t next_id(void *self, struct flow *flow, enum flow_end from)
{
    (void)self, (void)flow;
    return from == FLOW_HOST ? 0x1234 : 0x5678;
}

static void received(void *self, struct flow *flow, enum flow_end at, uint32_t number,
                     uint64_t octets, uint64_t now_ns)
{
    (void)flow;
    assert_ptr_equal(self, &got);
    got.n++;
    got.number = number;
    got.octets = octets;
    got.at_ns = now_ns;
    got.at = at;
}

static void ended(void *self, struct flow *flow, uint64_t now_ns)
{
    (void)self, (void)flow, (void)now_ns;
    got.ended++;
}

static const struct flow_user user = {.self = &got, .received = received, .ended = ended};

static int make(void **state)
{
    (void)state;
    memset(&got, 0, sizeof got);
    sends = 0;
    engine = engine_create();
    flow_table_setup(&table, engine, &(struct flow_owner){NULL, send, next_id, NULL}, 1, 0);
    return 0;
}

static int release(void **state)
{
    (void)state;
    flow_table_release(&table, 0);
    engine_destroy(engine);
    return 0;
}

static struct flow_config config_of(uint8_t protocol)
{
    return (struct flow_config){
        .protocol = protocol, .address = {PATH_HOST, PATH_MS}, .port = {HOST_PORT, MS_PORT}};
}

static struct flow *open_flow(uint8_t protocol)
{
    struct flow_config config = config_of(protocol);
    struct flow *flow = flow_open(&table, &config, &user, 0);
    assert_non_null(flow);
    return flow;
}

// The packet for the far end of who sent it, in memory of just that size.
static enum flow_fault arrive(const uint8_t *ip, uint32_t octets)
{
    return flow_table_input(&table, flow_far(packet_from), page_end_copy(ip, octets), octets, 9);
}

static void repair_header(uint8_t *ip)
{
    put16(ip + 10, 0);
    put16(ip + 10, plain_checksum(ip, 20));
}

static uint16_t sum_of_udp(const uint8_t *ip)
{
    uint32_t n = packet_octets - 20;
    uint8_t pseudo[12] = {[9] = 17, [10] = (uint8_t)(n >> 8), [11] = (uint8_t)n};
    memcpy(pseudo, ip + 12, 8);
    return plain_sum(plain_sum(0, pseudo, 12), ip + 20, n);
}

static void test_every_octet_of_a_datagram(void **state)
{
    struct flow *flow = open_flow(17);
    (void)state;
    for (int i = 0; i < 300; i++)
        flow_send(flow, FLOW_HOST, 100, 0);
    // The id is next_id's, the number 299 begins the content at 299 - 251.
    static const uint8_t head[] = {0x45, 0,  0,    100,  0x12, 0x34, 0, 0,  64,   17,   0,    0,
                                   0xcb, 0,  0x71, 0x09, 10,   0,    0, 7,  0x1b, 0x58, 0x07, 0xd0,
                                   0,    80, 0,    0,    0,    0,    1, 43, 48,   49,   50};
    assert_int_equal(plain_checksum(packet, 20), 0);
    assert_int_equal(sum_of_udp(packet), 0xffff);
    put16(packet + 10, 0);
    put16(packet + 26, 0);
    assert_int_equal(packet_octets, 100);
    assert_memory_equal(packet, head, sizeof head);
    assert_int_equal(packet[99], (48 + 67) % 251);
    assert_int_equal(flow->side[FLOW_HOST].sent.packets, 300);
    assert_int_equal(flow->side[FLOW_HOST].sent.octets, 30000);
}

static void test_a_datagram_is_taken(void **state)
{
    struct flow *flow = open_flow(17);
    (void)state;
    flow_send(flow, FLOW_MS, 1500, 0);
    flow_send(flow, FLOW_MS, 1500, 0);
    assert_int_equal(arrive(packet, 1500), FLOW_TAKEN);
    assert_int_equal(got.n, 1);
    assert_int_equal(got.at, FLOW_HOST);
    assert_int_equal(got.number, 1);
    assert_int_equal(got.octets, 1472);
    assert_int_equal(got.at_ns, 9);
    assert_int_equal(flow->side[FLOW_HOST].received.octets, 1500);
    assert_int_equal(table.side[FLOW_HOST].received.octets, 1500);
    assert_int_equal(flow_input(flow, FLOW_HOST, packet, 1500, 9), FLOW_TAKEN);
    assert_int_equal(got.n, 2);
}

// Any wrong bit is found, by a checksum or before: in UDP, and in ICMP.
static void test_every_wrong_bit_is_found(void **state)
{
    static const uint8_t protocols[] = {17, 1};
    (void)state;
    for (int p = 0; p < 2; p++) {
        struct flow *flow = open_flow(protocols[p]);
        flow_send(flow, FLOW_HOST, 120, 0);
        uint32_t sent = sends;
        for (uint32_t bit = 0; bit < 120 * 8; bit++) {
            packet[bit / 8] ^= (uint8_t)(1 << bit % 8);
            assert_true(arrive(packet, 120) != FLOW_TAKEN);
            packet[bit / 8] ^= (uint8_t)(1 << bit % 8);
        }
        assert_int_equal(got.n, 0);
        assert_int_equal(sends, sent); // no echo of it
    }
    assert_int_equal(table.side[FLOW_MS].faults, 2 * 120 * 8);
    assert_true(table.fault[FLOW_MS][FLOW_FAULT_checksum] > 2 * 90 * 8);
}

// Nothing behind the end is read.
static void test_every_length_is_bounded(void **state)
{
    static const uint8_t protocols[] = {17, 1};
    (void)state;
    for (int p = 0; p < 2; p++) {
        struct flow *flow = open_flow(protocols[p]);
        flow_send(flow, FLOW_HOST, 60, 0);
        for (uint32_t n = 0; n < 60; n++)
            assert_int_equal(arrive(packet, n), FLOW_FAULT_ip_header);
        // The same with a total length that fits, and a header that is right.
        for (uint32_t n = 20; n < 60; n++) {
            uint8_t cut[60];
            memcpy(cut, packet, 60);
            put16(cut + 2, n);
            repair_header(cut);
            enum flow_fault fault = arrive(cut, n);
            assert_true(fault == FLOW_FAULT_transport || fault == FLOW_FAULT_checksum);
        }
        packet[60] = 0;
        assert_int_equal(arrive(packet, 61), FLOW_FAULT_ip_header);
    }
    assert_int_equal(got.n, 0);
}

static enum flow_fault arrive_with(uint32_t at, uint32_t value)
{
    uint8_t changed[ROOM];
    memcpy(changed, packet, packet_octets);
    put16(changed + at, value);
    repair_header(changed);
    return arrive(changed, packet_octets);
}

// The octet goes up and UDP's checksum down, so that the sum is right.
static enum flow_fault arrive_with_one_more(uint32_t at)
{
    uint8_t changed[ROOM];
    memcpy(changed, packet, packet_octets);
    changed[at]++;
    put16(changed + 26, (uint32_t)(packet[26] << 8 | packet[27]) - 1);
    repair_header(changed);
    return arrive(changed, packet_octets);
}

static void test_named_faults(void **state)
{
    struct flow *flow = open_flow(17);
    (void)state;
    flow_send(flow, FLOW_HOST, 60, 0);
    assert_int_equal(arrive_with(6, 0x2000), FLOW_FAULT_fragment);
    assert_int_equal(arrive_with(6, 1), FLOW_FAULT_fragment);
    assert_int_equal(arrive_with(8, 64 << 8 | 47), FLOW_FAULT_protocol);
    assert_int_equal(arrive_with(24, 41), FLOW_FAULT_transport);
    assert_int_equal(arrive_with(26, 0), FLOW_FAULT_checksum);
    assert_int_equal(arrive_with_one_more(21), FLOW_FAULT_address); // the far port
    assert_int_equal(arrive_with_one_more(15), FLOW_FAULT_address); // another host
    assert_int_equal(arrive_with_one_more(23), FLOW_FAULT_no_flow); // the MS's port
    assert_int_equal(got.n, 0);
    assert_int_equal(table.side[FLOW_MS].faults, 8);
    assert_int_equal(flow->side[FLOW_MS].faults, 2);
    assert_int_equal(arrive(packet, 60), FLOW_TAKEN);
}

// Segments that were joined in a wrong order have the same checksum, but not the content.
static void test_exchanged_halves_are_found(void **state)
{
    struct flow *flow = open_flow(17);
    uint8_t exchanged[1032];
    (void)state;
    flow_send(flow, FLOW_HOST, 1032, 0);
    memcpy(exchanged, packet, 32);
    memcpy(exchanged + 32, packet + 532, 500);
    memcpy(exchanged + 532, packet + 32, 500);
    assert_int_equal(sum_of_udp(exchanged), 0xffff);
    assert_int_equal(arrive(exchanged, 1032), FLOW_FAULT_content);
    assert_int_equal(got.n, 0);
}

// A number that was never sent, under a right checksum: nothing is missing because of it.
static void test_a_forged_number_is_refused(void **state)
{
    struct flow *flow = open_flow(17);
    (void)state;
    flow_send(flow, FLOW_HOST, 32, 0);
    put16(packet + 28, 0x4000);
    put16(packet + 26, (uint32_t)(packet[26] << 8 | packet[27]) - 0x4000);
    assert_int_equal(sum_of_udp(packet), 0xffff);
    assert_int_equal(arrive(packet, 32), FLOW_FAULT_content);
}

static void test_ecn(void **state)
{
    struct flow_config config = config_of(17);
    (void)state;
    config.ect = true;
    struct flow *flow = flow_open(&table, &config, &user, 0);
    flow_send(flow, FLOW_HOST, 60, 0);
    assert_int_equal(packet[1], 2);
    assert_int_equal(arrive(packet, 60), FLOW_TAKEN);
    assert_int_equal(flow->side[FLOW_MS].marked, 0);
    packet[1] = 3;
    repair_header(packet);
    assert_int_equal(arrive(packet, 60), FLOW_TAKEN);
    assert_int_equal(flow->side[FLOW_MS].marked, 1);
    assert_int_equal(table.side[FLOW_MS].marked, 1);
}

static void test_echo(void **state)
{
    struct flow *flow = open_flow(1);
    (void)state;
    assert_int_equal(flow_send(flow, FLOW_MS, 84, 0), 0);
    assert_int_equal(packet_octets, 84);
    assert_int_equal(plain_checksum(packet + 20, 64), 0);
    assert_memory_equal(packet + 24, "\x07\xd0\x00\x00\x00\x01\x02", 7);
    assert_int_equal(packet[20], 8);
    assert_int_equal(arrive(packet, 84), FLOW_TAKEN);
    assert_int_equal(sends, 2);
    assert_int_equal(got.n, 0);
    assert_int_equal(packet_from, FLOW_HOST);
    assert_int_equal(packet[20], 0);
    assert_memory_equal(packet + 24, "\x07\xd0\x00\x00\x00\x01\x02", 7);
    assert_memory_equal(packet + 4, "\x12\x34", 2);
    assert_int_equal(arrive(packet, 84), FLOW_TAKEN);
    assert_int_equal(got.n, 1);
    assert_int_equal(got.at, FLOW_MS);
    assert_int_equal(got.octets, 56);
}

static void test_ports(void **state)
{
    struct flow_config config = config_of(17);
    (void)state;
    config.port[FLOW_MS] = 50000;
    assert_non_null(flow_open(&table, &config, &user, 0));
    assert_null(flow_open(&table, &config, &user, 0));
    config.address[FLOW_MS]++;
    assert_non_null(flow_open(&table, &config, &user, 0));
    config.protocol = 1;
    assert_non_null(flow_open(&table, &config, &user, 0));
    config = config_of(17);
    config.port[FLOW_MS] = 0;
    // All dynamic ports but the one that is taken.
    uint32_t opened = 0;
    while (flow_open(&table, &config, &user, 0))
        opened++;
    assert_int_equal(opened, 65536 - 49152 - 1);
}

static void test_a_flow_that_has_ended(void **state)
{
    struct flow *flow = open_flow(17);
    (void)state;
    flow_send(flow, FLOW_HOST, 60, 0);
    flow_finish(flow, 0);
    assert_int_equal(got.ended, 0);
    assert_int_equal(arrive(packet, 60), FLOW_FAULT_no_flow);
    assert_int_equal(engine_run(engine, 10, NULL, NULL), 0);
    assert_int_equal(got.ended, 1);
    assert_int_equal(arrive(packet, 60), FLOW_FAULT_no_flow);
    open_flow(17); // its port is free again
}

// Random changes of random packets, and random octets: each is taken or counted, and nothing is
// taken that was not sent.
static void test_random_octets(void **state)
{
    struct flow *flow[2] = {open_flow(17), open_flow(1)};
    struct rng rng;
    uint64_t arrived[FLOW_ENDS] = {0}, faults[FLOW_ENDS][FLOW_FAULTS] = {{0}};
    (void)state;
    rng_seed(&rng, 3, 3);
    for (uint32_t i = 0; i < 200000; i++) {
        uint8_t changed[ROOM];
        flow_send(flow[rng_below(&rng, 2)], (enum flow_end)rng_below(&rng, 2),
                  32 + (uint32_t)rng_below(&rng, 80), 0);
        enum flow_end at = flow_far(packet_from);
        uint32_t n = packet_octets - (uint32_t)(rng_below(&rng, 4) ? 0 : rng_below(&rng, 33));
        memcpy(changed, packet, packet_octets);
        for (uint64_t changes = rng_below(&rng, 4); changes > 0; changes--)
            changed[rng_below(&rng, packet_octets)] = (uint8_t)rng_below(&rng, 256);
        put16(changed + 2, rng_below(&rng, 2) ? n : packet_octets);
        if (rng_below(&rng, 2))
            repair_header(changed);
        bool same = n == packet_octets && memcmp(changed, packet, n) == 0;
        enum flow_fault fault = arrive(changed, n);
        assert_true(!same || fault == FLOW_TAKEN);
        arrived[at]++;
        if (fault != FLOW_TAKEN)
            faults[at][fault]++;
    }
    for (int at = 0; at < FLOW_ENDS; at++) {
        uint64_t sum = 0;
        for (int f = 0; f < FLOW_FAULTS; f++) {
            assert_int_equal(table.fault[at][f], faults[at][f]);
            sum += faults[at][f];
        }
        assert_int_equal(table.side[at].faults, sum);
        assert_int_equal(table.side[at].received.packets + sum, arrived[at]);
        assert_true(sum > 10000 && table.side[at].received.packets > 1000);
    }
}

#define FLOW_TEST(name) cmocka_unit_test_setup_teardown(name, make, release)

int main(void)
{
    const struct CMUnitTest tests[] = {
        FLOW_TEST(test_every_octet_of_a_datagram),
        FLOW_TEST(test_a_datagram_is_taken),
        FLOW_TEST(test_every_wrong_bit_is_found),
        FLOW_TEST(test_every_length_is_bounded),
        FLOW_TEST(test_named_faults),
        FLOW_TEST(test_exchanged_halves_are_found),
        FLOW_TEST(test_a_forged_number_is_refused),
        FLOW_TEST(test_ecn),
        FLOW_TEST(test_echo),
        FLOW_TEST(test_ports),
        FLOW_TEST(test_a_flow_that_has_ended),
        FLOW_TEST(test_random_octets),
    };
    return cmocka_run_group_tests_name("lab/hosts/flow", tests, NULL, NULL);
}

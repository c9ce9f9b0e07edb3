// Flows over TCP: the segments as octets, ECN through the IP header, hostile segments, and what
// ends a flow.
#include "lab/hosts/flow_table.h"

#include "tests/dataplane/wire/judge.h"
#include "tests/lab/hosts/path.h"

static struct tcp_profile profile;
static struct {
    uint64_t octets[FLOW_ENDS], acknowledged[FLOW_ENDS];
    uint32_t events[FLOW_ENDS][TCP_EVENTS], ended;
} got;

static const struct link_config ideal = {.latency_ns = 50 * MS_IN_NS};

static void received(void *self, struct flow *flow, enum flow_end at, uint32_t number,
                     uint64_t octets, uint64_t now_ns)
{
    (void)self, (void)flow, (void)number, (void)now_ns;
    got.octets[at] += octets;
}

static void event(void *self, struct flow *flow, enum flow_end at, enum tcp_event event,
                  uint64_t now_ns)
{
    (void)self;
    got.events[at][event]++;
    if (event == TCP_PEER_CLOSED)
        flow_close(flow, at, now_ns);
}

static void acknowledged(void *self, struct flow *flow, enum flow_end from, uint64_t octets)
{
    (void)self, (void)flow;
    got.acknowledged[from] += octets;
}

static void ended(void *self, struct flow *flow, uint64_t now_ns)
{
    (void)self, (void)flow, (void)now_ns;
    got.ended++;
}

static int make(void **state)
{
    (void)state;
    memset(&got, 0, sizeof got);
    profile = *tcp_profile_find("linux");
    path_setup(&ideal, &ideal);
    return 0;
}

static struct flow *connect_flow(void)
{
    struct flow_config config = {.protocol = FLOW_PROTOCOL_TCP,
                                 .opener = FLOW_MS,
                                 .address = {PATH_HOST, PATH_MS},
                                 .port = {80, 2000},
                                 .profile = {&profile, &profile}};
    struct flow *flow = flow_open(&path.table, &config,
                                  &(struct flow_user){NULL, received, event, ended, acknowledged},
                                  engine_now_ns(path.engine));
    assert_non_null(flow);
    flow_connect(flow, engine_now_ns(path.engine));
    return flow;
}

// Takes the packets out of the links: `spy` has each before its end has it, and may change it.
static void (*spy)(enum flow_end to, uint8_t *ip, uint32_t octets);

static void arrive(void *self, const uint8_t *ip, uint32_t octets, uint64_t now_ns)
{
    enum flow_end to = *(enum flow_end *)self;
    uint8_t copy[2000];
    memcpy(copy, ip, octets);
    spy(to, copy, octets);
    flow_table_input(&path.table, to, copy, octets, now_ns);
    path_expect_books();
}

static void spy_on_links(void (*with)(enum flow_end to, uint8_t *ip, uint32_t octets))
{
    static enum flow_end to[FLOW_ENDS] = {FLOW_MS, FLOW_HOST}; // by the sender
    spy = with;
    for (int from = 0; from < FLOW_ENDS; from++)
        path.link[from].owner = (struct net_owner){.self = &to[from], .deliver = arrive};
}

static uint32_t get32(const uint8_t *b)
{
    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

static uint32_t spied, syns;

// Checksums by the plain model, ports, and the octets of the stream by their numbers.
static void expect_octets_of(enum flow_end to, uint8_t *ip, uint32_t octets)
{
    uint32_t n = octets - 20, header = (uint32_t)(ip[32] >> 4) * 4, sequence = get32(ip + 24);
    uint8_t pseudo[12] = {[9] = 6, [10] = (uint8_t)(n >> 8), [11] = (uint8_t)n};
    memcpy(pseudo, ip + 12, 8);
    assert_int_equal(plain_checksum(ip, 20), 0);
    assert_int_equal(plain_sum(plain_sum(0, pseudo, 12), ip + 20, n), 0xffff);
    assert_int_equal(ip[2] << 8 | ip[3], octets);
    assert_memory_equal(ip + 20, to == FLOW_MS ? "\x00\x50\x07\xd0" : "\x07\xd0\x00\x50", 4);
    for (uint32_t i = 20 + header; i < octets; i++)
        assert_int_equal(ip[i], (sequence % 251 + i - 20 - header) % 251);
    spied++;
    syns += (ip[33] & 2) != 0;
}

static void test_every_octet_of_a_connection(void **state)
{
    (void)state;
    spied = syns = 0;
    spy_on_links(expect_octets_of);
    struct flow *flow = connect_flow();
    flow_write(flow, FLOW_MS, 300, 0);
    flow_close(flow, FLOW_MS, 0);
    path_run_to(120 * MS_IN_NS);
    flow_write(flow, FLOW_HOST, 100000, engine_now_ns(path.engine));
    path_run_to(200 * S_IN_NS);
    assert_int_equal(got.octets[FLOW_HOST], 300);
    assert_int_equal(syns, 2);
    assert_true(spied > 80);
    assert_int_equal(got.ended, 1);
    assert_int_equal(path.table.side[FLOW_HOST].faults + path.table.side[FLOW_MS].faults, 0);
}

// Both ways at once, and the close of both: every event once, and then the flow ends.
static void test_both_ways(void **state)
{
    (void)state;
    struct flow *flow = connect_flow();
    for (int from = 0; from < FLOW_ENDS; from++)
        flow_write(flow, (enum flow_end)from, 1000000, 0);
    path_run_to(100 * S_IN_NS);
    assert_int_equal(got.octets[FLOW_HOST], 1000000);
    assert_int_equal(got.octets[FLOW_MS], 1000000);
    assert_int_equal(got.acknowledged[FLOW_HOST], 1000000);
    assert_int_equal(got.acknowledged[FLOW_MS], 1000000);
    flow_close(flow, FLOW_HOST, engine_now_ns(path.engine));
    path_run_to(300 * S_IN_NS);
    for (int at = 0; at < FLOW_ENDS; at++) {
        assert_int_equal(got.events[at][TCP_OPEN], 1);
        assert_int_equal(got.events[at][TCP_PEER_CLOSED], 1);
        assert_int_equal(got.events[at][TCP_CLOSED], 1);
        assert_int_equal(got.events[at][TCP_ABORTED], 0);
        assert_int_equal(got.events[at][TCP_RECEIVED], 0); // told as octets
        assert_int_equal(got.events[at][TCP_ACKED], 0);
    }
    assert_int_equal(got.ended, 1);
}

static uint64_t marked, ect_packets;

// Marks each tenth packet that says ECT(0), as an AQM does.
static void mark(enum flow_end to, uint8_t *ip, uint32_t octets)
{
    (void)octets;
    if (to != FLOW_MS || (ip[1] & 3) != 2 || ++ect_packets % 10)
        return;
    ip[1] |= 3;
    ip[10] = ip[11] = 0;
    uint16_t sum = plain_checksum(ip, 20);
    ip[10] = (uint8_t)(sum >> 8);
    ip[11] = (uint8_t)sum;
    marked++;
}

static void test_ecn(void **state)
{
    (void)state;
    marked = ect_packets = 0;
    profile.ecn = 1;
    spy_on_links(mark);
    struct flow *flow = connect_flow();
    flow_write(flow, FLOW_HOST, 500000, 0);
    path_run_to(60 * S_IN_NS);
    assert_int_equal(got.octets[FLOW_MS], 500000);
    assert_true(marked > 20);
    assert_int_equal(flow->side[FLOW_MS].marked, marked);
    assert_int_equal(flow_tcp_end(flow, FLOW_MS)->figures.ecn_marks, marked);
    assert_true(flow_tcp_end(flow, FLOW_HOST)->figures.ecn_reductions > 2);
    assert_int_equal(flow_tcp_end(flow, FLOW_HOST)->figures.retransmitted_octets, 0);
}

static void test_without_ecn_nothing_says_ect(void **state)
{
    (void)state;
    marked = ect_packets = 0;
    spy_on_links(mark);
    flow_write(connect_flow(), FLOW_HOST, 500000, 0);
    path_run_to(60 * S_IN_NS);
    assert_int_equal(got.octets[FLOW_MS], 500000);
    assert_int_equal(ect_packets, 0);
}

static struct rng rng;

static uint8_t segment[2000];
static uint32_t segment_octets;

static void keep_data(enum flow_end to, uint8_t *ip, uint32_t octets)
{
    if (to == FLOW_MS && octets > 100 && segment_octets == 0)
        memcpy(segment, ip, segment_octets = octets);
}

static void test_every_wrong_bit_is_found(void **state)
{
    (void)state;
    segment_octets = 0;
    spy_on_links(keep_data);
    struct flow *flow = connect_flow();
    flow_write(flow, FLOW_HOST, 100, 0);
    path_run_to(1 * S_IN_NS);
    assert_int_equal(segment_octets, 152);
    for (uint32_t bit = 0; bit < 152 * 8; bit++) {
        segment[bit / 8] ^= (uint8_t)(1 << bit % 8);
        assert_true(flow_input(flow, FLOW_MS, segment, 152, 1 * S_IN_NS) != FLOW_TAKEN);
        segment[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    assert_int_equal(flow_input(flow, FLOW_MS, segment, 152, 1 * S_IN_NS), FLOW_TAKEN);
    assert_int_equal(path.table.side[FLOW_MS].faults, 152 * 8);
    // The links have not seen these.
    path.link[FLOW_HOST].counters.in.packets += 152 * 8 + 1;
    path.link[FLOW_HOST].counters.out.packets += 152 * 8 + 1;
    path.table.side[FLOW_HOST].sent.packets += 152 * 8 + 1;
}

// Every fifth packet with a wrong octet somewhere.
static void damage(enum flow_end to, uint8_t *ip, uint32_t octets)
{
    (void)to;
    if (rng_below(&rng, 5) == 0)
        ip[rng_below(&rng, octets)] ^= (uint8_t)(1 + rng_below(&rng, 255));
}

// A damaged segment is a lost one: it is counted, and the stream has no hole.
static void test_damaged_segments(void **state)
{
    (void)state;
    rng_seed(&rng, 1, 1);
    spy_on_links(damage);
    struct flow *flow = connect_flow();
    flow_write(flow, FLOW_HOST, 200000, 0);
    path_run_to(2000 * S_IN_NS);
    assert_int_equal(got.octets[FLOW_MS], 200000);
    assert_true(path.table.side[FLOW_MS].faults > 20);
    assert_int_equal(path.table.side[FLOW_MS].faults + path.table.side[FLOW_MS].received.packets,
                     path.link[FLOW_HOST].counters.out.packets);
}

// Any wrong octet of a datagram is found, though nothing can be read in it; what was lost leaves
// nothing behind that grows.
static void test_damaged_outside(void **state)
{
    (void)state;
    rng_seed(&rng, 1, 3);
    profile.outside = TCP_OUTSIDE_QUIC;
    spy_on_links(damage);
    flow_write(connect_flow(), FLOW_HOST, 100000, 0);
    path_run_to(1000 * S_IN_NS);
    profile.outside = TCP_OUTSIDE_TUNNEL;
    flow_write(connect_flow(), FLOW_HOST, 100000, engine_now_ns(path.engine));
    path_run_to(2000 * S_IN_NS);
    assert_int_equal(got.octets[FLOW_MS], 200000);
    uint64_t faults = path.table.side[FLOW_MS].faults + path.table.side[FLOW_HOST].faults;
    assert_true(faults > 40);
    assert_true(path.table.outside.segments.entries <= faults);
}

// The datagram of another segment: right sums, but not what was sent with its identification.
static void test_exchanged_outside(void **state)
{
    (void)state;
    profile.outside = TCP_OUTSIDE_TUNNEL;
    segment_octets = 0;
    spy_on_links(keep_data);
    flow_write(connect_flow(), FLOW_HOST, 30000, 0);
    path_run_to(1 * S_IN_NS);
    assert_int_equal(segment_octets, 124); // the answer to the SYN
    assert_int_equal(path.table.side[FLOW_MS].faults, 0);
    flow_table_input(&path.table, FLOW_MS, segment, segment_octets, 1 * S_IN_NS);
    assert_int_equal(path.table.fault[FLOW_MS][FLOW_FAULT_content], 1);
    // The links have not seen it.
    path.link[FLOW_HOST].counters.in.packets++;
    path.link[FLOW_HOST].counters.out.packets++;
    path.table.side[FLOW_HOST].sent.packets++;
}

// Random header fields and options under right checksums, of every length.
static void test_hostile_segments(void **state)
{
    (void)state;
    rng_seed(&rng, 2, 2);
    struct flow *flow = connect_flow();
    flow_write(flow, FLOW_HOST, 1 << 20, 0);
    uint64_t taken = 0;
    for (uint32_t i = 0; i < 50000; i++) {
        uint32_t n = 40 + (uint32_t)rng_below(&rng, 61);
        uint8_t ip[100] = {0x45, 0, 0, (uint8_t)n, 0, 0, 0, 0, 64, 6};
        memcpy(ip + 12, "\xcb\x00\x71\x09\x0a\x00\x00\x07\x00\x50\x07\xd0", 12);
        for (uint32_t k = 24; k < n; k++)
            ip[k] = (uint8_t)rng_below(&rng, 256);
        uint32_t options = 4 * (uint32_t)rng_below(&rng, 11);
        ip[32] = (uint8_t)((20 + options) << 2);
        if (rng_below(&rng, 2)) // no options, and the content that belongs there
            for (uint32_t k = 40; k < n; k++)
                ip[k] = k < 40 + options ? 1 : (get32(ip + 24) % 251 + k - 40 - options) % 251;
        ip[33] &= (uint8_t)~4; // resets would end it too soon
        put16(ip + 10, plain_checksum(ip, 20));
        put16(ip + 36, 0);
        uint8_t pseudo[12] = {[9] = 6, [11] = (uint8_t)(n - 20)};
        memcpy(pseudo, ip + 12, 8);
        put16(ip + 36, (uint16_t)~plain_sum(plain_sum(0, pseudo, 12), ip + 20, n - 20));
        enum flow_fault fault =
            flow_input(flow, FLOW_MS, page_end_copy(ip, n), n, engine_now_ns(path.engine));
        assert_true(fault == FLOW_TAKEN || fault == FLOW_FAULT_transport ||
                    fault == FLOW_FAULT_content);
        taken += fault == FLOW_TAKEN;
    }
    assert_true(taken > 10000);
    assert_int_equal(path.table.side[FLOW_MS].received.packets, taken);
    assert_int_equal(flow->side[FLOW_MS].faults, 50000 - taken);
}

// One end resets, and the reset is lost: the other end, which waits for nothing, is gone in time.
static void test_a_lost_reset(void **state)
{
    (void)state;
    struct flow *flow = connect_flow();
    path_run_to(1 * S_IN_NS);
    path.link[FLOW_HOST].config.loss_ppm = 1000000;
    flow_abort(flow, FLOW_HOST, engine_now_ns(path.engine));
    path_run_to(120 * S_IN_NS);
    assert_int_equal(got.ended, 0);
    path_run_to(122 * S_IN_NS);
    assert_int_equal(got.ended, 1);
    assert_int_equal(path.table.flows.entries, 0);
}

static void test_a_reset(void **state)
{
    (void)state;
    struct flow *flow = connect_flow();
    path_run_to(1 * S_IN_NS);
    flow_abort(flow, FLOW_HOST, engine_now_ns(path.engine));
    path_run_to(1 * S_IN_NS + 50 * MS_IN_NS);
    assert_int_equal(got.events[FLOW_MS][TCP_ABORTED], 1);
    assert_int_equal(got.ended, 1);
}

#define FLOW_TEST(name) cmocka_unit_test_setup_teardown(name, make, path_release)

int main(void)
{
    const struct CMUnitTest tests[] = {
        FLOW_TEST(test_every_octet_of_a_connection),
        FLOW_TEST(test_both_ways),
        FLOW_TEST(test_ecn),
        FLOW_TEST(test_without_ecn_nothing_says_ect),
        FLOW_TEST(test_every_wrong_bit_is_found),
        FLOW_TEST(test_damaged_segments),
        FLOW_TEST(test_damaged_outside),
        FLOW_TEST(test_exchanged_outside),
        FLOW_TEST(test_hostile_segments),
        FLOW_TEST(test_a_lost_reset),
        FLOW_TEST(test_a_reset),
    };
    return cmocka_run_group_tests_name("lab/hosts/flow_tcp", tests, NULL, NULL);
}

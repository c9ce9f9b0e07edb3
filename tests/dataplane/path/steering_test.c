// One GGSN sends to the contexts of all workers, through a NIC with rules (port/rule_nic.h): by
// each way of steering every N-PDU comes out, and those that rules brought to their worker are
// handed on by none. What has no rule comes to the first queue, as all of one UDP endpoint does
// with RSS.
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tests/dataplane/path/workers.h"
#include "tests/dataplane/port/rule_nic.h"

#define MSS 12u

// Worker 0 has the address of every other test.
static uint32_t own_ipv4(uint32_t worker)
{
    return worker ? OUR_GN + 100 + worker : OUR_GN;
}

static struct dp_config config_of(uint32_t workers, enum port_steering way)
{
    struct dp_config c = path_config(workers);
    c.gn_steering = way;
    c.gb_steering = 3; // strays
    c.gn_addresses.n = workers;
    for (uint32_t w = 0; w < workers; w++) {
        c.gn_addresses.item[w] = (struct dp_address){own_ipv4(w), c.gn.address6};
        c.gn_addresses.item[w].address6.octet[15] = (uint8_t)(w ? 100 + w : 1);
    }
    return c;
}

static void open_by(uint32_t workers, enum port_steering way)
{
    struct dp_config c = config_of(workers, way);
    rule_nic = (struct rule_nic){.knows_addresses = true,
                                 .knows_gtpu = true,
                                 .knows_fragments = true,
                                 .looks_into_first = true,
                                 .rules_most = RULE_NIC_RULES,
                                 .hashes_teids = true,
                                 .tells_key = true,
                                 .entries = 128};
    for (uint32_t i = 0; i < RULE_NIC_KEY; i++)
        rule_nic.key[i] = (uint8_t)(17 * i + 5);
    for (uint32_t i = 0; i < rule_nic.entries; i++)
        rule_nic.table[i] = (uint16_t)(i % workers);
    open_workers(&c);
    add_mss(MSS);
}

static void give_to_its_queue(const struct ip_frame *frame)
{
    int queue = rule_nic_queue(frame->octets, frame->n);
    assert_true(path_give(STATS_GN, queue < 0 ? 0 : (uint32_t)queue, frame));
}

// To the address that its GGSN was told, in fragments of `mtu` if that is not 0.
static void down_through_nic(uint32_t pdp, size_t octets, size_t mtu)
{
    static struct ip_frame frame, piece;
    static uint8_t npdu[PATH_NPDU_OCTETS_MAX];
    static uint32_t id;
    struct ip_ends ends = path_ends_gn(p.pdp[pdp].ggsn);
    uint32_t seed = path_seed(), worker = (pdp / 2) % p.workers;
    ends.destination[15] = (uint8_t)(worker ? 100 + worker + !ends.ipv6 : 1);
    path_fill(npdu, octets, seed);
    path_gpdu(&frame, &ends, p.pdp[pdp].teid, npdu, octets);
    path_expect(&p.pdp[pdp].down, seed, octets);
    if (mtu == 0 || frame.n <= 14 + mtu) {
        give_to_its_queue(&frame);
        return;
    }
    id++;
    for (size_t at = 0; (at = ip_fragment(&frame, id, mtu, at, &piece)) > 0;)
        give_to_its_queue(&piece);
    give_to_its_queue(&piece);
}

static uint32_t traffic_through_nic(uint32_t times, size_t least, size_t mtu)
{
    for (uint32_t i = 0; i < times; i++)
        for (uint32_t pdp = 0; pdp < 2 * MSS; pdp++) {
            down_through_nic(pdp, random_in(least, 1500), mtu);
            if (pdp % 8 == 7)
                path_poll();
        }
    path_poll();
    return times * 2 * MSS;
}

// All contexts have as many N-PDUs, and each worker as many contexts.
static void expect_even_shares(enum port_steering way, uint32_t npdus)
{
    for (uint32_t w = 0; w < p.workers; w++) {
        const struct stats_port *gn = &dp_stats(dp_worker(p.dp, w))->of_port[STATS_GN];
        uint64_t own = gn->rx_packets - gn->strays_out_packets + gn->strays_in_packets;
        print_message("# %u workers, %s: worker %u received %" PRIu64 " of %u frames, handed on "
                      "%" PRIu64 ", worked on %" PRIu64 "\n",
                      p.workers, port_steering_names[way], w, gn->rx_packets, npdus,
                      gn->strays_out_packets, own);
        assert_int_equal(own, npdus / p.workers);
        if (way == PORT_STEERING_STRAYS)
            assert_int_equal(gn->rx_packets, w == 0 ? npdus : 0);
        else
            assert_int_equal(gn->rx_packets, own);
    }
}

// Those of worker 0's contexts come right by chance, a part 1 / workers.
static void rules_leave_no_strays(void **state)
{
    (void)state;
    for (uint32_t workers = 2; workers <= PATH_WORKERS; workers++)
        for (enum port_steering way = PORT_STEERING_ADDRESS; way <= PORT_STEERING_STRAYS; way++) {
            open_by(workers, way);
            uint32_t npdus = traffic_through_nic(20, 1, 0);
            bool hands_on = way == PORT_STEERING_STRAYS;
            assert_int_equal(strays(STATS_GN, true), hands_on ? npdus - npdus / workers : 0);
            expect_even_shares(way, npdus);
            close_whole();
        }
}

static void fragments_come_by_their_address(void **state)
{
    (void)state;
    open_by(3, PORT_STEERING_ADDRESS);
    traffic_through_nic(10, 700, 576);
    assert_int_equal(strays(STATS_GN, true), 0);
    path_expect_all();
    path_close();
}

// By TEID they are joined where they come to, and handed on as one.
static void fragments_are_joined_before_they_are_handed_on(void **state)
{
    (void)state;
    for (enum port_steering way = PORT_STEERING_TEID; way <= PORT_STEERING_STRAYS; way++) {
        open_by(3, way);
        uint32_t npdus = traffic_through_nic(10, 700, 576);
        assert_int_equal(strays(STATS_GN, true), npdus - npdus / 3);
        path_expect_all();
        path_close();
    }
}

// An MS that moves to another worker keeps its TEIDs and what its GGSN knows: its frames come to
// its first worker, which hands them on.
static void an_ms_that_moved_is_found(void **state)
{
    (void)state;
    for (enum port_steering way = PORT_STEERING_ADDRESS; way <= PORT_STEERING_STRAYS; way++) {
        open_by(3, way);
        path_ms_move(0, 1);
        traffic_through_nic(4, 1, 0);
        uint32_t of_one_ms = 2 * 4;
        if (way != PORT_STEERING_STRAYS)
            assert_int_equal(strays(STATS_GN, true), of_one_ms);
        close_whole();
    }
}

static uint32_t said_of;
static uint8_t said_from, said_octets[16];

static void see_answer(const uint8_t *frame, size_t n)
{
    static struct ip_reader reader = {.accept = {.ipv6 = true}};
    struct ip_datagram d;
    assert_int_equal(ip_read(&reader, frame, n, &d), IP_ERR_NONE);
    said_from = d.ends.source[15];
    said_of = d.octets[1];
    memcpy(said_octets, d.octets + d.n - 16, 16);
}

// GTP echo and error indications come from the address that was asked, and an error indication says
// it once more, whichever queue the question came to.
static void answers_come_from_the_address_that_was_asked(void **state)
{
    static const uint8_t echo[] = {0x32, 1, 0, 4, 0, 0, 0, 0, 0x12, 0x34, 0, 0};
    static struct ip_frame frame;
    (void)state;
    open_by(3, PORT_STEERING_ADDRESS);
    p.on_gn = see_answer;
    for (uint32_t ggsn = 0; ggsn < 2; ggsn++)
        for (uint32_t asked = 0; asked < 3; asked++)
            for (uint32_t queue = 0; queue < 3; queue++) {
                struct ip_ends ends = path_ends_gn(ggsn);
                uint8_t last = (uint8_t)(asked ? 100 + asked + !ends.ipv6 : 1);
                ends.destination[15] = last;
                ip_write(&frame, &ends, echo, sizeof echo);
                assert_true(path_give(STATS_GN, queue, &frame));
                path_poll();
                assert_int_equal(said_of, 2);
                assert_int_equal(said_from, last);
                path_gpdu(&frame, &ends, teid_make(teid_bits(3, PATH_PDPS), queue, 1, 7),
                          (const uint8_t *)"x", 1);
                p.now_ns += S_IN_NS;
                assert_true(path_give(STATS_GN, queue, &frame));
                path_poll();
                assert_int_equal(said_of, 26);
                assert_int_equal(said_from, last);
                assert_memory_equal(said_octets + (ends.ipv6 ? 0 : 12),
                                    ends.destination + (ends.ipv6 ? 0 : 12), ends.ipv6 ? 16 : 4);
            }
    assert_int_equal(strays(STATS_GN, true), 0);
    path_close();
}

// No address of ours is another station's.
static void no_ggsn_has_one_of_our_addresses(void **state)
{
    (void)state;
    struct dp_config c = config_of(3, PORT_STEERING_ADDRESS);
    open_workers(&c);
    for (uint32_t w = 0; w < 3; w++) {
        TRY(-EADDRNOTAVAIL, ggsn, .ggsn_id = 5, .address = address_of_ipv4(own_ipv4(w)));
        TRY(-EADDRNOTAVAIL, ggsn, .ggsn_id = 5, .address = c.gn_addresses.item[w].address6);
    }
    TRY(0, ggsn, .ggsn_id = 5, .address = address_of_ipv4(own_ipv4(2) + 1), .has_mac = true,
        .mac = {{2, 0, 0, 1, 0, 9}});
    path_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_leave_no_strays),
        cmocka_unit_test(fragments_come_by_their_address),
        cmocka_unit_test(fragments_are_joined_before_they_are_handed_on),
        cmocka_unit_test(an_ms_that_moved_is_found),
        cmocka_unit_test(answers_come_from_the_address_that_was_asked),
        cmocka_unit_test(no_ggsn_has_one_of_our_addresses),
    };
    return cmocka_run_group_tests(tests, path_start_eal, NULL);
}

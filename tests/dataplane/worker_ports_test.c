// The worker and what its ports have to do in time: it asks to be called for fragments that wait
// and for neighbours that are not known, whether or not anything else is due.
#include "tests/dataplane/path/path.h"

#include <string.h>

#include "dataplane/base/units.h"
#include "tests/dataplane/wire/judge.h"

#define PIECE_OCTETS 104

static const struct stats_drop *port_drop(enum stats_side side, enum drop_reason reason)
{
    return &dp_stats(p.worker)->of_port[side].drop[reason];
}

static uint64_t fragments_held(enum stats_side side)
{
    assert_true(dp_balanced(p.worker));
    return dp_held(p.worker, side).fragments.packets;
}

// A frame to Gn becomes one of the BSS to Gb.
static void put_bss(uint8_t *b)
{
    struct ip_ends ends = path_ends_gb(0);
    memcpy(b, ends.destination_mac, 6);
    memcpy(b + 6, ends.source_mac, 6);
    put32(b + 26, BSS);
    put32(b + 30, OUR_GB);
}

// A piece of a frame's IP payload, from `at` on; to Gb it is from the BSS.
static void give_piece(enum stats_side side, const uint8_t *frame, uint16_t id, uint32_t at,
                       uint32_t octets, bool more)
{
    uint8_t b[34 + 256];
    memcpy(b, frame, 34);
    memcpy(b + 34, frame + 34 + at, octets);
    if (side == STATS_GB)
        put_bss(b);
    put16(b + 16, 20 + octets);
    put16(b + 18, id);
    put16(b + 20, at / 8 | (uint32_t)more << 13);
    put_ipv4_checksum(b + 14);
    path_put_octets(side, b, 34 + octets);
}

// The first piece of a datagram whose other one never comes.
static void give_lone(enum stats_side side, uint16_t id)
{
    struct rte_mbuf *m = path_gn_frame(0, 200, id);
    give_piece(side, rte_pktmbuf_mtod(m, uint8_t *), id, 0, PIECE_OCTETS, true);
    rte_pktmbuf_free(m);
}

// An N-PDU that is expected to come out, its frame cut in two.
static void send_in_two(uint16_t id)
{
    struct rte_mbuf *m = NULL;
    path_down(0, 200);
    assert_int_equal(rte_ring_dequeue(p.far[STATS_GN][0].to_port, (void **)&m), 0);
    const uint8_t *b = rte_pktmbuf_mtod(m, uint8_t *);
    give_piece(STATS_GN, b, id, 0, PIECE_OCTETS, true);
    give_piece(STATS_GN, b, id, PIECE_OCTETS, m->pkt_len - 34 - PIECE_OCTETS, false);
    rte_pktmbuf_free(m);
}

// Goes on as far as the worker asks for, and never while it asks for nothing though fragments wait;
// returns how often it woke.
static uint32_t wake_until(enum stats_side side, uint64_t end_ns)
{
    uint32_t wakes = 0;
    for (uint64_t next_ns; (next_ns = dp_poll(p.worker, p.now_ns)) <= end_ns; wakes++) {
        assert_true(wakes < 100000);
        p.now_ns = next_ns;
    }
    assert_true(fragments_held(side) == 0 || dp_poll(p.worker, p.now_ns) != TIME_NEVER);
    p.now_ns = end_ns;
    return wakes;
}

static void a_fragment_ends_when_the_worker_asked(void **state)
{
    (void)state;
    for (int side = 0; side < STATS_SIDES; side++) {
        path_open_small(16, 16);
        p.now_ns = 5 * S_IN_NS;
        assert_int_equal(dp_poll(p.worker, p.now_ns), TIME_NEVER); // the neighbour's MAC is given
        give_lone(side, 1);
        uint64_t due_ns = dp_poll(p.worker, p.now_ns);
        assert_in_range(due_ns, 6 * S_IN_NS, 8 * S_IN_NS);
        assert_int_equal(dp_poll(p.worker, due_ns - 1), due_ns);
        assert_int_equal(fragments_held(side), 1);
        dp_poll(p.worker, due_ns);
        assert_int_equal(fragments_held(side), 0);
        assert_int_equal(port_drop(side, DROP_fragment_late)->packets, 1);
        assert_int_equal(port_drop(side, DROP_fragment_late)->octets, 34 + PIECE_OCTETS);
        p.now_ns = due_ns;
        assert_in_range(wake_until(side, TIME_NEVER - 1), 0, 3);
        path_close();
    }
}

// One that is lost now and then fills no table, however long that goes on.
static void lone_fragments_over_time_fill_nothing(void **state)
{
    (void)state;
    for (int side = 0; side < STATS_SIDES; side++) {
        uint32_t wakes = 0;
        path_open_small(16, 16);
        for (uint16_t i = 0; i < 2000; i++) {
            give_lone(side, i);
            wakes += wake_until(side, p.now_ns + S_IN_NS / 100);
        }
        assert_in_range(fragments_held(side), 1, 1000);
        wakes += wake_until(side, p.now_ns + 3 * S_IN_NS);
        assert_int_equal(fragments_held(side), 0);
        assert_int_equal(port_drop(side, DROP_fragment_late)->packets, 2000);
        assert_int_equal(port_drop(side, DROP_fragment_full)->packets, 0);
        assert_in_range(wakes, 20, 20 * 23);
        assert_int_equal(dp_poll(p.worker, p.now_ns), TIME_NEVER);
        path_close();
    }
}

// So many at once are too many, but not for long.
static void after_a_burst_fragments_are_joined_again(void **state)
{
    (void)state;
    for (int side = 0; side < STATS_SIDES; side++) {
        path_open_small(16, 16);
        path_plain_ms(0, 0, 500);
        for (uint16_t i = 0; i < 2000; i++) {
            give_lone(side, i);
            if (i % 64 == 63)
                path_poll();
        }
        path_poll();
        uint64_t full = port_drop(side, DROP_fragment_full)->packets;
        assert_int_equal(fragments_held(side) + full, 2000);
        assert_true(full > 900);
        wake_until(side, p.now_ns + 2 * S_IN_NS + 1); // in as many calls as it takes
        assert_int_equal(fragments_held(side), 0);
        give_lone(side, 5000);
        send_in_two(5001);
        path_poll();
        assert_int_equal(fragments_held(side), 1);
        assert_int_equal(port_drop(side, DROP_fragment_full)->packets, full);
        assert_int_equal(p.down_received, 1);
        path_close();
    }
}

// That nothing but so many questions has left the port since.
static void expect_questions(enum stats_side side, uint32_t n)
{
    struct rte_mbuf *m;
    for (; (m = path_next(side)) != NULL; n--) {
        assert_memory_equal(rte_pktmbuf_mtod(m, uint8_t *) + 12, "\x08\x06", 2);
        rte_pktmbuf_free(m);
    }
    assert_int_equal(n, 0);
}

// A command makes it due while the worker waits for nothing, or for something else; neither puts
// off the other.
static void an_unknown_neighbour_is_asked_for_at_once(void **state)
{
    struct command nsvc = path_nsvc_command(1, 0, false, 1);
    struct command ggsn = {.op = COMMAND_ggsn, .ggsn = {.address = address_of_ipv4(GGSN)}};
    (void)state;
    nsvc.nsvc.has_peer_mac = false;
    for (int side = 0; side < STATS_SIDES; side++)
        for (uint16_t fragments = 0; fragments < 2; fragments++) {
            path_open_small(16, 16);
            path_run_until(S_IN_NS);
            if (fragments)
                give_lone(side, 1);
            assert_int_equal(dp_poll(p.worker, S_IN_NS) != TIME_NEVER, fragments);
            path_command(side == STATS_GN ? &ggsn : &nsvc, 0);
            assert_int_equal(dp_poll(p.worker, 2 * S_IN_NS), 3 * S_IN_NS);
            expect_questions(side, 1);
            dp_poll(p.worker, 3 * S_IN_NS - 1);
            expect_questions(side, 0);
            p.now_ns = 3 * S_IN_NS;
            wake_until(side, 7 * S_IN_NS - 1);
            expect_questions(side, 4); // one a second
            assert_int_equal(port_drop(side, DROP_fragment_late)->packets, fragments);
            assert_int_equal(dp_stats(p.worker)->commands_refused, 0);
            path_close();
        }
}

// Pings the port for Gb, 64 at once.
static void give_pings(void)
{
    for (int i = 0; i < 64; i++) {
        struct rte_mbuf *m = path_gn_frame(0, 20, 0);
        uint8_t *b = rte_pktmbuf_mtod(m, uint8_t *);
        put_bss(b);
        b[23] = 1;
        put_ipv4_checksum(b + 14);
        memset(b + 34, 0, m->pkt_len - 34);
        memcpy(b + 34, "\x08\0\xf7\xff", 4); // an echo request, else zeros
        path_put(STATS_GB, m);
    }
}

// Takes so many frames off Gb, gives user data to the receiver, returns how many were answers.
static uint32_t take_answers(uint32_t most)
{
    struct rte_mbuf *m;
    uint32_t answers = 0;
    while (most-- > 0 && (m = path_next(STATS_GB)) != NULL) {
        const uint8_t *b = rte_pktmbuf_mtod(m, uint8_t *);
        if (b[23] == 1)
            answers++;
        else
            assert_int_equal(gb_receiver_frame(p.gb, b, m->pkt_len), 0);
        rte_pktmbuf_free(m);
    }
    return answers;
}

// More is asked of the host and more is to be sent than a slow port takes: each has its part.
static void a_flood_of_pings_and_user_data_share_a_port(void **state)
{
    static const uint32_t takes[] = {32, 16, 4, 1};
    (void)state;
    for (uint32_t i = 0; i < sizeof takes / sizeof takes[0]; i++) {
        uint32_t answers = 0;
        path_open_small(100, 32);
        path_plain_ms(0, 0, 1520);
        for (uint32_t round = 0; round < 1000; round++) {
            while (dp_queued(p.worker).packets + rte_ring_count(p.far[STATS_GN][0].to_port) < 80)
                path_down(0, 300);
            give_pings();
            dp_poll(p.worker, p.now_ns);
            answers += take_answers(takes[i]);
        }
        assert_true(p.down_received >= 1000 * takes[i] / 8);
        assert_true(answers >= 1000 * takes[i] / 8);
        assert_true(dp_balanced(p.worker));
        path_close();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fragment_ends_when_the_worker_asked),
        cmocka_unit_test(lone_fragments_over_time_fill_nothing),
        cmocka_unit_test(after_a_burst_fragments_are_joined_again),
        cmocka_unit_test(an_unknown_neighbour_is_asked_for_at_once),
        cmocka_unit_test(a_flood_of_pings_and_user_data_share_a_port),
    };
    return cmocka_run_group_tests_name("worker_ports", tests, path_start_eal, NULL);
}

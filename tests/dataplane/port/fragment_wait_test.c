// Fragments that wait: for how long, and how many; they are counted exactly, and each ends once.
#include "tests/dataplane/eal_fixture.h"
#include "tests/dataplane/port/fragment_set.h"
#include "tests/dataplane/random.h"

static void what_comes_too_late_finds_nothing(void **state)
{
    (void)state;
    cut(false, 1, 1600, 800);
    assert_int_equal(set.n, 3);
    receive_piece(0, 5 * S);
    assert_int_equal(port_tick(&fx.port, 5 * S), 7 * S + 1);
    receive_piece(1, 6 * S);
    port_tick(&fx.port, 7 * S);
    assert_held(2, set.frame[0].octets + set.frame[1].octets);
    port_tick(&fx.port, 7 * S + 1);
    assert_held(0, 0);
    fixture_assert_drops(DROP_fragment_late, 2);
    assert_int_equal(fx.stats.drop[DROP_fragment_late].octets,
                     set.frame[0].octets + set.frame[1].octets);
    assert_true(port_tick(&fx.port, 7 * S + 1) == TIME_NEVER); // nothing waits any more
    assert_false(receive_piece(2, 7 * S + 2));
    assert_held(1, set.frame[2].octets);
}

// Without a tick, too: a new datagram of the same name finds the old one in its place.
static void one_that_is_late_makes_room(void **state)
{
    (void)state;
    cut(false, 1, 1600, 800);
    receive_piece(0, 0);
    receive_piece(1, 0);
    assert_false(receive_piece(0, 3 * S));
    assert_held(1, set.frame[0].octets);
    fixture_assert_drops(DROP_fragment_late, 2);
    assert_false(receive_piece(1, 3 * S));
    assert_true(receive_piece(2, 3 * S));
    assert_whole();
}

// One source has as many as it leaves.
static void there_is_room_for_so_many(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < PORT_FRAGMENTS + 50; i++) {
        cut(false, i, 100, 56);
        assert_false(receive_piece(0, i));
    }
    uint64_t held, octets;
    port_held(&fx.port, &held, &octets);
    assert_true(held > PORT_FRAGMENTS_STRANGERS / 4 && held <= PORT_FRAGMENTS_STRANGERS / 2);
    fixture_assert_drops(DROP_fragment_full, PORT_FRAGMENTS + 50 - held);
    fixture_assert_balanced();
    // The room comes back, in as many calls as it takes.
    uint64_t now_ns = 10 * S;
    for (uint32_t calls = 0; port_tick(&fx.port, now_ns) <= now_ns; calls++)
        assert_true(calls < 100);
    assert_held(0, 0);
    assert_int_equal(fx.stats.drop[DROP_fragment_late].packets, held);
}

static void there_is_room_for_so_many_of_few(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < PORT_FRAGMENTS / 4 + 10; i++) {
        cut(false, i, 200, 48);
        for (uint32_t k = 0; k < 4; k++)
            assert_false(receive_piece(k, i));
    }
    uint64_t held, octets;
    port_held(&fx.port, &held, &octets);
    assert_int_equal(held, PORT_FRAGMENTS_STRANGERS / 2);
    fixture_assert_drops(DROP_fragment_full, PORT_FRAGMENTS + 40 - held);
}

// Of the table, here the only one: nothing is wrong with what finds it full.
static void a_full_bucket_has_no_room(void **state)
{
    (void)state;
    struct rte_ip_frag_tbl **table = &fx.port.fragments->of[FRAGMENT_STRANGERS].table;
    rte_ip_frag_table_destroy(*table);
    *table = rte_ip_frag_table_create(1, 4, 8, FRAGMENT_WAIT_NS, SOCKET_ID_ANY); // in two halves
    assert_non_null(*table);
    for (uint32_t i = 0; i < 12; i++) {
        cut(false, i, 100, 56);
        assert_false(receive_piece(0, i));
    }
    assert_held(8, 8 * set.frame[0].octets);
    fixture_assert_drops(DROP_fragment_full, 4);
}

static void what_waits_ends_with_the_port(void **state)
{
    (void)state;
    fixture_open(NULL);
    fx.port.expected = (struct port_nets){1, {{.prefix = 0}}}; // everybody
    uint32_t frames = 0;
    for (uint32_t i = 0; i < 300; i++) {
        cut(i % 2, i, 1600, 800);
        for (uint32_t k = 0; k < 2; k++, frames++)
            assert_false(receive_piece(k, i));
    }
    uint64_t octets = fx.stats.rx_octets;
    fixture_close(); // which holds that no buffer is missing
    fixture_assert_drops(DROP_shutdown, frames);
    assert_int_equal(fx.stats.drop[DROP_shutdown].octets, octets);
}

// Pieces that overlap, repeat, contradict each other and are lost, of few datagrams at a time, and
// time that goes on meanwhile.
static void whatever_comes_is_accounted_for(void **state)
{
    (void)state;
    static uint8_t whole[2500];
    uint64_t now_ns = 0;
    random_begin();
    random_fill(whole, sizeof whole);
    for (uint32_t i = 0; i < 200000; i++) {
        uint8_t b[FRAME_OCTETS_MAX];
        bool wild = random_next() % 8 == 0;
        uint32_t at = 8 * (uint32_t)(random_next() % (wild ? 200 : 4));
        uint32_t octets = 8 * (uint32_t)(wild ? random_in(0, 60) : 1 + random_next() % 2);
        bool more = random_next() % 3 != 0;
        if (!more && random_next() % 4 == 0)
            octets += (uint32_t)random_next() % 8;
        uint32_t n =
            frame_piece(random_next() % 2, (uint32_t)random_in(0, 20), at, more, whole, octets, b);
        if (random_next() % 16 == 0)
            b[14 + random_next() % (n - 14)] ^= (uint8_t)(1u << random_next() % 8);
        struct rte_mbuf *m = fixture_frame(b, n);
        if (random_next() % 8 == 0 && n > 100) {
            rte_pktmbuf_trim(m, 50);
            assert_int_equal(rte_pktmbuf_chain(m, fixture_frame(b + n - 50, 50)), 0);
        }
        fixture_receive(m, now_ns);
        now_ns += random_next() % (S / 20);
        if (random_next() % 32 == 0)
            port_tick(&fx.port, now_ns);
        fixture_assert_balanced();
    }
    assert_true(fx.stats.joined_packets > 1000);
    assert_true(fx.stats.drop[DROP_fragment].packets > 1000);
    assert_true(fx.stats.drop[DROP_fragment_late].packets > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PORT_TEST(what_comes_too_late_finds_nothing),
        PORT_TEST(one_that_is_late_makes_room),
        PORT_TEST(there_is_room_for_so_many),
        PORT_TEST(there_is_room_for_so_many_of_few),
        PORT_TEST(a_full_bucket_has_no_room),
        cmocka_unit_test(what_waits_ends_with_the_port),
        PORT_TEST(whatever_comes_is_accounted_for),
    };
    return cmocka_run_group_tests(tests, eal_fixture_setup, eal_fixture_teardown);
}

// Messages between workers: each way has its ring, a full one drops strays, neighbours' words have
// half of it, and nothing behind a migration is read before the migration is.
#include "dataplane/post/post.h"

#include <rte_ring.h>
#include <string.h>

#include "tests/dataplane/eal_fixture.h"
#include "tests/dataplane/ports_fixture.h"

#define WORKERS 3u

static struct post posts[WORKERS];
static struct ports_fixture gn;

static int make(void **state)
{
    (void)state;
    ports_fixture_open(&gn, "gn", 0x0a, 0xc6336401, 2152);
    int fault = 0;
    memset(posts, 0, sizeof posts);
    for (uint32_t worker = 0; worker < WORKERS && !fault; worker++)
        fault = post_setup(posts, worker, WORKERS);
    return fault;
}

static int release(void **state)
{
    (void)state;
    post_release(posts, WORKERS);
    uint32_t held = rte_mempool_in_use_count(gn.device.pool);
    ports_fixture_close(&gn);
    return held != 0;
}

static struct rte_mbuf *a_frame(uint16_t octets)
{
    struct rte_mbuf *m = rte_pktmbuf_alloc(gn.device.pool);
    assert_non_null(m);
    rte_pktmbuf_append(m, octets);
    return m;
}

static void put_stray(uint32_t from, uint32_t to, uint16_t octets)
{
    struct port_datagram datagram = {.payload_octets = octets, .ecn = 3};
    post_stray(&posts[from], to, &gn.port, STATS_GN, a_frame(octets), &datagram);
}

static void a_stray_goes_one_way(void **state)
{
    struct message messages[4];
    (void)state;
    put_stray(0, 2, 100);
    put_stray(1, 2, 101);
    put_stray(2, 0, 102);
    assert_int_equal(post_take(&posts[1], 0, messages, 4), 0);
    assert_int_equal(post_take(&posts[1], 2, messages, 4), 0);
    const uint32_t ways[3][2] = {{0, 2}, {1, 2}, {2, 0}};
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(post_take(&posts[ways[i][1]], ways[i][0], messages, 4), 1);
        assert_int_equal(messages[0].kind, MESSAGE_STRAY);
        assert_int_equal(messages[0].side, STATS_GN);
        assert_int_equal(messages[0].stray.frame->pkt_len, 100 + i);
        assert_int_equal(messages[0].stray.datagram.payload_octets, 100 + i);
        assert_int_equal(messages[0].stray.datagram.ecn, 3);
        rte_pktmbuf_free(messages[0].stray.frame);
    }
    assert_int_equal(gn.stats.strays_out_packets, 3);
    assert_int_equal(gn.stats.strays_out_octets, 303);
}

// Room for one message less than the ring's size.
static void fill(uint32_t from, uint32_t left)
{
    struct message message = {.kind = MESSAGE_NEIGHBOUR};
    for (uint32_t i = left; i < POST_MESSAGES - 1; i++)
        rte_ring_enqueue_elem(posts[from].to[1], &message, sizeof message);
}

static void a_full_ring_drops(void **state)
{
    struct message messages[PORT_BURST];
    (void)state;
    fill(0, 1);
    put_stray(0, 1, 60);
    put_stray(0, 1, 70);
    assert_int_equal(gn.stats.strays_out_packets, 1);
    assert_int_equal(gn.stats.drop[DROP_stray_full].packets, 1);
    assert_int_equal(gn.stats.drop[DROP_stray_full].octets, 70);
    assert_int_equal(post_take(&posts[1], 0, messages, PORT_BURST), PORT_BURST);
    put_stray(0, 1, 80);
    assert_int_equal(gn.stats.strays_out_packets, 2);
    uint32_t frames = 0;
    for (uint32_t n; (n = post_take(&posts[1], 0, messages, PORT_BURST)) > 0;)
        for (uint32_t i = 0; i < n; i++)
            if (messages[i].kind == MESSAGE_STRAY) {
                rte_pktmbuf_free(messages[i].stray.frame);
                frames++;
            }
    assert_int_equal(frames, 2);
}

static void all_others_hear_of_a_neighbour(void **state)
{
    const struct ipv6_address address = {{0xfd, 7}};
    const struct mac mac = {{2, 3, 4, 5, 6, 7}};
    struct message messages[2];
    (void)state;
    post_neighbour(&posts[1], STATS_GB, &address, &mac);
    for (uint32_t to = 0; to < WORKERS; to += 2) {
        assert_int_equal(post_take(&posts[to], 1, messages, 2), 1);
        assert_int_equal(messages[0].kind, MESSAGE_NEIGHBOUR);
        assert_int_equal(messages[0].side, STATS_GB);
        assert_memory_equal(&messages[0].neighbour.address, &address, sizeof address);
        assert_memory_equal(&messages[0].neighbour.mac, &mac, sizeof mac);
    }
}

// What is on the link can say as much as it likes: half of each ring is not for it.
static void neighbours_leave_room(void **state)
{
    const struct ipv6_address address = {{1}};
    const struct mac mac = {{2}};
    struct message message;
    (void)state;
    fill(0, 0);
    posts[0].news = false;
    for (uint32_t i = 0; i < 2 * POST_MESSAGES; i++)
        post_neighbour(&posts[0], STATS_GB, &address, &mac);
    assert_int_equal(rte_ring_free_count(posts[0].to[1]), 0);
    assert_int_equal(rte_ring_free_count(posts[0].to[2]), POST_MESSAGES / 2);
    posts[0].news = false;
    post_neighbour(&posts[0], STATS_GB, &address, &mac);
    assert_false(posts[0].news); // for nobody
    assert_int_equal(post_take(&posts[2], 0, &message, 1), 1);
    post_neighbour(&posts[0], STATS_GB, &address, &mac);
    assert_true(posts[0].news);
}

// Off the wire it has gone nowhere yet; each way counts.
static void a_stray_counts_its_hops(void **state)
{
    struct port_datagram datagram = {.payload_octets = 50};
    struct rte_mbuf *m = a_frame(50);
    struct message message;
    (void)state;
    for (uint32_t hops = 0; hops < POST_HOPS; hops++) {
        assert_true(post_may(&datagram));
        post_stray(&posts[hops % 2], !(hops % 2), &gn.port, STATS_GN, m, &datagram);
        assert_int_equal(post_take(&posts[!(hops % 2)], hops % 2, &message, 1), 1);
        datagram = message.stray.datagram;
        assert_int_equal(datagram.hops, hops + 1);
        assert_int_equal(datagram.payload_octets, 50);
    }
    assert_false(post_may(&datagram));
    rte_pktmbuf_free(m);
}

static void a_migration_is_read_last(void **state)
{
    struct message migration = {.kind = MESSAGE_MIGRATION, .migration = posts[0].migrations},
                   messages[8];
    const struct ipv6_address address = {{1}};
    const struct mac mac = {{2}};
    (void)state;
    for (int i = 0; i < 2; i++) {
        post_neighbour(&posts[0], STATS_GB, &address, &mac);
        rte_ring_enqueue_elem(posts[0].to[1], &migration, sizeof migration);
        rte_ring_enqueue_elem(posts[0].to[1], &migration, sizeof migration);
    }
    const uint32_t taken[] = {2, 1, 2, 1, 0};
    for (uint32_t i = 0; i < 5; i++) {
        assert_int_equal(post_take(&posts[1], 0, messages, 8), taken[i]);
        if (taken[i])
            assert_int_equal(messages[taken[i] - 1].kind, MESSAGE_MIGRATION);
    }
}

// Whoever has left something for another says so, once.
static void news(void **state)
{
    (void)state;
    assert_false(posts[0].news);
    put_stray(0, 1, 60);
    assert_true(posts[0].news);
    assert_false(posts[1].news);
    struct message message;
    assert_int_equal(post_take(&posts[1], 0, &message, 1), 1);
    rte_pktmbuf_free(message.stray.frame);
    assert_false(posts[1].news);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_stray_goes_one_way, make, release),
        cmocka_unit_test_setup_teardown(a_full_ring_drops, make, release),
        cmocka_unit_test_setup_teardown(all_others_hear_of_a_neighbour, make, release),
        cmocka_unit_test_setup_teardown(neighbours_leave_room, make, release),
        cmocka_unit_test_setup_teardown(a_stray_counts_its_hops, make, release),
        cmocka_unit_test_setup_teardown(a_migration_is_read_last, make, release),
        cmocka_unit_test_setup_teardown(news, make, release),
    };
    return cmocka_run_group_tests(tests, eal_fixture_setup, eal_fixture_teardown);
}

// A worker's part of a port: what it is made of, that it all comes back, and that port_octets says
// enough memory for it.
#include "tests/dataplane/eal_fixture.h"
#include "tests/dataplane/port/port_fixture.h"
#include "tests/dataplane/taken_memory.h"

#include <rte_malloc.h>

static void a_part_knows_its_port(void **state)
{
    (void)state;
    fixture_open(NULL);
    assert_int_equal(fx.port.id, fx.device.id);
    assert_int_equal(fx.port.frame_octets_max, 1514);
    assert_memory_equal(&fx.port.host.mac, &our_mac, 6);
    assert_int_equal(fx.port.host.ipv4, OUR_IPV4);
    assert_true(fx.port.neighbours->room >= 16);
    fixture_close();
}

static void three_queues(struct port_config *config)
{
    config->queues = 3;
}

static void parts_of_one_device_are_apart(void **state)
{
    (void)state;
    fixture_open(three_queues);
    struct port second;
    struct port_device device = fx.device;
    struct stats_port stats = {0};
    device.mac = peer_mac; // what the device says counts
    assert_int_equal(port_setup(&second, &device, 2, &fx.config, &stats), 0);
    assert_ptr_not_equal(second.answer_pool, fx.port.answer_pool);
    assert_ptr_not_equal(second.neighbours, fx.port.neighbours);
    assert_memory_equal(&second.host.mac, &peer_mac, 6);
    assert_int_not_equal(second.ip_id, fx.port.ip_id);
    port_neighbour_use(&second, &peer_ipv6, NULL, 0);
    port_tick(&second, 0);
    port_tick(&fx.port, 0);
    assert_int_equal(stats.tx_packets, 1);
    assert_int_equal(fx.stats.tx_packets, 0);
    assert_int_equal(rte_ring_count(fx.device.tx_ring[2]), 1);
    struct rte_mbuf *m = NULL;
    assert_int_equal(rte_ring_dequeue(fx.device.tx_ring[2], (void **)&m), 0);
    rte_pktmbuf_free(m);
    port_release(&second);
    fixture_close();
}

static void without_memory_nothing_is_left(void **state)
{
    (void)state;
    fixture_open(NULL);
    struct port_config config = fx.config;
    struct rte_malloc_socket_stats before, after;
    struct port port;
    config.name = "gb";
    config.neighbours = 50000000;
    rte_malloc_get_socket_stats(0, &before);
    assert_int_equal(port_setup(&port, &fx.device, 0, &config, &fx.stats), -ENOMEM);
    rte_malloc_get_socket_stats(0, &after);
    assert_int_equal(after.heap_allocsz_bytes, before.heap_allocsz_bytes);
    assert_null(rte_mempool_lookup("gb_answer0"));
    port_release(&port);
    fixture_close();
}

static void memory_is_as_much_as_it_says(void **state)
{
    (void)state;
    static const struct {
        uint16_t queues, mtu_octets;
        uint32_t frames, buffers, neighbours;
        bool rings_only;
    } of[] = {{1, 1500, 64, 255, 16, false},       {1, 1500, 64, 255, 16, true},
              {1, 1500, 1024, 4095, 20000, false}, {2, 9000, 100, 511, 1000, false},
              {2, 9000, 100, 511, 1000, true},     {1, 576, 4096, 1000, 1, true}};
    for (uint32_t i = 0; i < sizeof of / sizeof of[0]; i++) {
        const char *why = "";
        struct port_device device;
        struct port part[2];
        struct stats_port stats;
        struct port_config config = {.name = "gn",
                                     .device = PORT_DEVICE_RING,
                                     .queues = of[i].queues,
                                     .rx_frames = of[i].frames,
                                     .tx_frames = of[i].frames,
                                     .buffers = of[i].buffers,
                                     .neighbours = of[i].neighbours,
                                     .rings_only = of[i].rings_only,
                                     .host = {.mac = our_mac, .mtu_octets = of[i].mtu_octets}};
        uint64_t before = taken_memory_octets();
        assert_int_equal(port_device_open(&device, &config, &why), 0);
        for (uint16_t q = 0; q < config.queues; q++)
            assert_int_equal(port_setup(&part[q], &device, q, &config, &stats), 0);
        uint64_t took = taken_memory_octets() - before, said = port_octets(&config);
        if (took > said || said > 2 * took + 1000000)
            fail_msg("%u: says %lu octets, takes %lu", i, said, took);
        for (uint16_t q = 0; q < config.queues; q++)
            port_release(&part[q]);
        port_device_close(&device);
        assert_int_equal(taken_memory_octets(), before);
    }
}

// Of all memory of the process, as the kernel counts it.
static uint64_t mapped_octets(void)
{
    unsigned long pages;
    FILE *file = fopen("/proc/self/statm", "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%lu", &pages), 1);
    fclose(file);
    return pages * 4096;
}

static void a_pool_gives_its_memory_back(void **state)
{
    (void)state;
    uint64_t before = mapped_octets();
    for (int i = 0; i < 50; i++) {
        struct rte_mempool *pool = port_pool("again", 2047, 1500, true);
        assert_non_null(pool);
        assert_int_equal(rte_mempool_avail_count(pool), 2047);
        rte_mempool_free(pool);
    }
    assert_true(mapped_octets() < before + 50 * 2047 * 1500 / 10);
    assert_null(port_pool("more", 100000, 1500, true)); // than DPDK was started with
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_part_knows_its_port),
        cmocka_unit_test(parts_of_one_device_are_apart),
        cmocka_unit_test(without_memory_nothing_is_left),
        cmocka_unit_test(memory_is_as_much_as_it_says),
        cmocka_unit_test(a_pool_gives_its_memory_back),
    };
    return cmocka_run_group_tests(tests, eal_fixture_setup, eal_fixture_teardown);
}

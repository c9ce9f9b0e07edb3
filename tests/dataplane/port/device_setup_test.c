// Devices that open, and in words why others do not. All are virtual and touch nothing outside of
// the program.
#include "tests/dataplane/eal_fixture.h"
#include "tests/dataplane/port/port_fixture.h"

static struct port_device device;

static struct port_config config_of(const char *arguments)
{
    return (struct port_config){.name = "gn",
                                .device = arguments,
                                .queues = 1,
                                .rx_frames = 64,
                                .tx_frames = 64,
                                .buffers = 511,
                                .neighbours = 16,
                                .host = {.mac = our_mac,
                                         .ipv4 = OUR_IPV4,
                                         .ipv6 = our_ipv6,
                                         .udp_port = OUR_PORT,
                                         .mtu_octets = 1500}};
}

static void opens(const struct port_config *config)
{
    const char *why = "";
    int error = port_device_open(&device, config, &why);
    if (error)
        fail_msg("%s", why);
}

static void fails(const struct port_config *config, int error, const char *word)
{
    const char *why = NULL;
    uint16_t ports = rte_eth_dev_count_avail();
    assert_int_equal(port_device_open(&device, config, &why), error);
    assert_non_null(why);
    if (!strstr(why, word) || !strstr(why, config->name))
        fail_msg("'%s' says nothing of '%s'", why, word);
    assert_int_equal(device.id, RTE_MAX_ETHPORTS);
    assert_int_equal(rte_eth_dev_count_avail(), ports);
    assert_null(rte_mempool_lookup(config->name));
}

static void rings_have_a_pair_for_each_queue(void **state)
{
    (void)state;
    struct port_config config = config_of("net_ring");
    config.queues = 3;
    opens(&config);
    assert_true(device.rings);
    assert_memory_equal(&device.mac, &our_mac, 6);
    struct rte_mbuf *m = rte_pktmbuf_alloc(device.pool), *got = NULL;
    assert_non_null(m);
    assert_int_equal(rte_ring_enqueue(device.rx_ring[2], m), 0);
    assert_int_equal(rte_eth_rx_burst(device.id, 0, &got, 1), 0);
    assert_int_equal(rte_eth_rx_burst(device.id, 2, &got, 1), 1);
    assert_ptr_equal(got, m);
    assert_int_equal(rte_eth_tx_burst(device.id, 1, &got, 1), 1);
    assert_int_equal(rte_ring_dequeue(device.tx_ring[1], (void **)&got), 0);
    assert_ptr_equal(got, m);
    assert_int_equal(port_device_stop(&device), 1);
    rte_pktmbuf_free(m);
    assert_int_equal(port_device_stop(&device), 0);
    port_device_close(&device);
    assert_int_equal(rte_eth_dev_count_avail(), 0);
}

// By its arguments, and again under the same name.
static void a_device_of_the_eal_opens_and_closes(void **state)
{
    (void)state;
    struct port_config config = config_of("net_null0,size=100");
    for (int times = 0; times < 3; times++) {
        struct rte_mbuf *m[32];
        opens(&config);
        assert_false(device.rings);
        uint16_t n = rte_eth_rx_burst(device.id, 0, m, 32);
        assert_int_equal(n, 32);
        assert_int_equal(m[0]->pkt_len, 100);
        assert_ptr_equal(m[0]->pool, device.pool);
        assert_int_equal(rte_eth_tx_burst(device.id, 0, m, n), n);
        assert_int_equal(port_device_stop(&device), 0);
        port_device_close(&device);
        assert_int_equal(rte_eth_dev_count_avail(), 0);
    }
}

static void two_devices_are_open_side_by_side(void **state)
{
    (void)state;
    struct port_config first = config_of("net_null1"), second = config_of("net_null10,size=70");
    second.name = "gb";
    opens(&second);
    struct port_device kept = device;
    opens(&first);
    assert_int_not_equal(device.id, kept.id);
    struct rte_mbuf *m = NULL;
    assert_int_equal(rte_eth_rx_burst(kept.id, 0, &m, 1), 1);
    assert_int_equal(m->pkt_len, 70);
    rte_pktmbuf_free(m);
    port_device_close(&device);
    port_device_close(&kept);
}

static void a_device_belongs_to_one_port(void **state)
{
    (void)state;
    struct port_config first = config_of("net_null0"), second = config_of("net_null0");
    second.name = "gb";
    opens(&first);
    struct port_device kept = device;
    fails(&second, -EBUSY, "in use");
    device = kept;
    struct rte_mbuf *m = NULL;
    assert_int_equal(rte_eth_rx_burst(device.id, 0, &m, 1), 1); // and nothing happened to it
    rte_pktmbuf_free(m);
    port_device_close(&device);
}

static void its_own_address_is_taken_if_none_is_given(void **state)
{
    (void)state;
    struct port_config config = config_of("net_null0");
    struct rte_ether_addr own;
    memset(&config.host.mac, 0, sizeof config.host.mac);
    opens(&config);
    assert_int_equal(rte_eth_macaddr_get(device.id, &own), 0);
    assert_memory_equal(&device.mac, &own, 6);
    assert_false(rte_is_zero_ether_addr(&own));
    port_device_close(&device);
}

static void what_does_not_open_says_why(void **state)
{
    (void)state;
    struct port_config config = config_of("net_nonsense0");
    fails(&config, -ENODEV, "no installed DPDK driver supports the device net_nonsense0");
    config = config_of("0000:7f:1f.7");
    fails(&config, -ENODEV, "DPDK cannot open 0000:7f:1f.7");
    config = config_of("");
    fails(&config, -ENODEV, "names no device");
    config = config_of("net_pcap0,rx_pcap=/nonexistent/x.pcap,tx_pcap=/nonexistent/y.pcap");
    fails(&config, -ENODEV, "DPDK cannot open net_pcap0");
    config = config_of("net_af_packet0,iface=nonexistent");
    fails(&config, -ENODEV, "DPDK cannot open net_af_packet0");
    config = config_of("crypto_null0");
    fails(&config, -ENODEV, "no Ethernet device");
    config = config_of("net_ring");
    memset(&config.host.mac, 0, sizeof config.host.mac);
    fails(&config, -EADDRNOTAVAIL, "Ethernet address");
    config = config_of("net_ring");
    config.host.mac.octet[0] = 3;
    fails(&config, -EADDRNOTAVAIL, "group");
    config = config_of("net_ring");
    config.queues = PORT_QUEUES_MAX + 1;
    fails(&config, -EINVAL, "queues");
    config = config_of("net_ring");
    config.buffers = 10000000;
    fails(&config, -ENOMEM, "memory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rings_have_a_pair_for_each_queue),
        cmocka_unit_test(a_device_of_the_eal_opens_and_closes),
        cmocka_unit_test(two_devices_are_open_side_by_side),
        cmocka_unit_test(a_device_belongs_to_one_port),
        cmocka_unit_test(its_own_address_is_taken_if_none_is_given),
        cmocka_unit_test(what_does_not_open_says_why),
    };
    return cmocka_run_group_tests(tests, eal_fixture_setup, eal_fixture_teardown);
}

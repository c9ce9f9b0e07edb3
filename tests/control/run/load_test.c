// What a file says of the lab is in the lab's struct, value by value. BSSs, MSs and applications
// are not there: Lua adds them.
#include "control/run/load.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static bool load_text(struct bind *lua, const char *lab, struct load *load)
{
    char path[] = "/tmp/load_test.XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    dprintf(fd,
            "run { name = 'load', duration = '90 s', seed = 77, workers = 2 }\n"
            "gn { address = '192.0.2.1', mac = '02:00:00:00:00:01', mtu = '1600 octets' }\n"
            "gb { address = '198.51.100.1', mac = '02:00:00:00:00:02', port = 23456,\n"
            "     mtu = '1400 octets' }\n"
            "nse { nsei = 1, ns = 'manual', bvc { bvci = 2, ms { imsi = '001010000000001',\n"
            "      n201_u = '200 octets',\n"
            "      pdp { nsapi = 5, class = 'background', address = '10.0.0.1' } } },\n"
            "      nsvc { nsvci = 1, peer = '198.51.100.2', peer_mac = '02:00:00:00:00:03' } }\n"
            "lab { ggsn = '192.0.2.2', ggsn_mac = '02:00:00:00:00:04', %s traffic {\n"
            "      class = 'background', rate = '8 kbit/s', size = '40 octets' } }\n",
            lab);
    close(fd);
    struct options options = {.file = path};
    bool good = load_config(lua, &options, load);
    unlink(path);
    return good;
}

static void the_file_s_values(void **state)
{
    static const struct mac gn_mac = {{2, 0, 0, 0, 0, 1}}, gb_mac = {{2, 0, 0, 0, 0, 2}},
                            ggsn_mac = {{2, 0, 0, 0, 0, 4}};
    struct load load;
    struct bind *lua = bind_create(false);
    const struct lab_config *c = &load.lab;
    (void)state;
    assert_true(load_text(lua,
                          "gb_rate = '64 kbit/s', step = '5 ms', gi { rate = '2 Mbit/s',"
                          " latency = '20 ms', jitter = '3 ms', loss = '1 %', queue_packets = 7 },"
                          " mobile { n201_u = '300 octets' },",
                          &load));
    assert_int_equal(c->name.n, 4);
    assert_memory_equal(c->name.at, "load", 4);
    assert_int_equal(c->seed, 77);
    assert_true(c->duration_ns == 90 * S_IN_NS);
    assert_int_equal(c->workers, 2);
    assert_int_equal(c->step_ns, 5 * MS_IN_NS);
    assert_int_equal(c->gb_rate_bit_per_s, 64000);
    assert_int_equal(address_ipv4(&c->gn_address), 0xc0000201);
    assert_int_equal(address_ipv4(&c->ggsn_address), 0xc0000202);
    assert_int_equal(address_ipv4(&c->gb_address), 0xc6336401);
    assert_memory_equal(&c->gn_mac, &gn_mac, sizeof gn_mac);
    assert_memory_equal(&c->gb_mac, &gb_mac, sizeof gb_mac);
    assert_memory_equal(&c->ggsn_mac, &ggsn_mac, sizeof ggsn_mac);
    assert_int_equal(c->gn_mtu_octets, 1600);
    assert_int_equal(c->gb_mtu_octets, 1400);
    assert_int_equal(c->gb_port, 23456);
    assert_int_equal(c->gi.rate_bit_per_s, 2000000);
    assert_int_equal(c->gi.latency_ns, 20 * MS_IN_NS);
    assert_int_equal(c->gi.jitter_ns, 3 * MS_IN_NS);
    assert_int_equal(c->gi.loss_ppm, 10000);
    assert_int_equal(c->gi.queue_packets, 7);
    assert_int_equal(c->mobile.n201_u_most_octets, 300);
    bind_destroy(lua);
}

static void what_the_file_leaves_out(void **state)
{
    static const struct link_config none = {0};
    static struct load load; // zeros, between its members too, which are compared
    struct bind *lua = bind_create(false);
    (void)state;
    assert_true(load_text(lua, "", &load));
    assert_true(load.lab.step_ns == S_IN_NS);
    assert_int_equal(load.lab.gb_rate_bit_per_s, 0);
    assert_memory_equal(&load.lab.gi, &none, sizeof none);
    bind_destroy(lua);
}

static void no_descriptor_is_kept(void **state)
{
    struct load load;
    struct bind *lua = bind_create(false);
    int before = dup(STDIN_FILENO), after;
    (void)state;
    assert_true(before >= 0);
    close(before);
    assert_true(load_text(lua, "", &load));
    after = dup(STDIN_FILENO);
    assert_int_equal(after, before); // the lowest that is free
    close(after);
    bind_destroy(lua);
}

// One raw IPv4 packet. AddressSanitizer sees what is kept of it.
static void a_replays_file(void **state)
{
    static const uint32_t head[] = {0xa1b2c3d4, 2 | 4 << 16, 0, 0, 65535, 101, 1, 0, 20, 20};
    static const uint8_t packet[20] = {0x45, 0, 0, 20};
    struct load load;
    struct bind *lua = bind_create(false);
    char path[] = "/tmp/load_test.XXXXXX", block[128];
    int fd = mkstemp(path);
    (void)state;
    assert_int_equal(write(fd, head, sizeof head), sizeof head);
    assert_int_equal(write(fd, packet, sizeof packet), sizeof packet);
    close(fd);
    snprintf(block, sizeof block, "replay { class = 'background', file = '%s' },", path);
    assert_true(load_text(lua, block, &load));
    unlink(path);
    bind_destroy(lua);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_file_s_values),
        cmocka_unit_test(what_the_file_leaves_out),
        cmocka_unit_test(no_descriptor_is_kept),
        cmocka_unit_test(a_replays_file),
    };
    return cmocka_run_group_tests_name("control/program/load", tests, NULL, NULL);
}

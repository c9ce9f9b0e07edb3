// The router: each packet to the host with its address, and no other; what has none, and what is no
// IPv4 packet, is counted.
#include "lab/net/router.h"

#include <errno.h>
#include <string.h>

#include "tests/dataplane/wire/judge.h"

#define ADDRESS 0x0a000001u

static struct router router;
static uint32_t delivered_to[4]; // by the host
static uint32_t lost[NET_LOSSES];
static uint32_t host[4] = {0, 1, 2, 3};

static void deliver(void *self, const uint8_t *ip, uint32_t octets, uint64_t now_ns)
{
    (void)ip;
    assert_int_equal(octets, 24);
    assert_int_equal(now_ns, 7);
    delivered_to[*(uint32_t *)self]++;
}

static void lose(void *self, const uint8_t *ip, uint32_t octets, enum net_loss why, uint64_t now_ns)
{
    (void)self, (void)ip, (void)octets, (void)now_ns;
    lost[why]++;
}

static int make(void **state)
{
    (void)state;
    memset(delivered_to, 0, sizeof delivered_to);
    memset(lost, 0, sizeof lost);
    router_setup(&router, &(struct net_owner){.lost = lose});
    return 0;
}

static int release(void **state)
{
    (void)state;
    const struct net_counters *c = &router.counters;
    uint64_t packets = c->out.packets, octets = c->out.octets;
    for (int why = 0; why < NET_LOSSES; why++) {
        packets += c->lost[why].packets;
        octets += c->lost[why].octets;
    }
    assert_int_equal(packets, c->in.packets);
    assert_int_equal(octets, c->in.octets);
    router_release(&router);
    return 0;
}

static void send_to(uint32_t address, uint32_t n)
{
    uint8_t ip[24] = {0x45, 0, 0, 24, 0, 1, 0, 0, 64, 17, 0, 0, 192, 0, 2, 1};
    for (int i = 0; i < 4; i++)
        ip[16 + i] = (uint8_t)(address >> 8 * (3 - i));
    uint16_t sum = plain_checksum(ip, 20);
    ip[10] = (uint8_t)(sum >> 8);
    ip[11] = (uint8_t)sum;
    router_send(&router, page_end_copy(ip, n), n, 7);
}

static void test_by_address(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(router_add(&router, ADDRESS + i, deliver, &host[i]), 0);
    assert_int_equal(router_add(&router, ADDRESS, deliver, &host[3]), -EEXIST);
    send_to(ADDRESS, 24);
    send_to(ADDRESS + 2, 24);
    send_to(ADDRESS + 2, 24);
    send_to(ADDRESS + 3, 24);
    assert_int_equal(delivered_to[0], 1);
    assert_int_equal(delivered_to[1], 0);
    assert_int_equal(delivered_to[2], 2);
    assert_int_equal(delivered_to[3], 0);
    assert_int_equal(lost[NET_LOSS_no_route], 1);
    assert_int_equal(router.counters.lost[NET_LOSS_no_route].octets, 24);
}

static void test_a_removed_route(void **state)
{
    (void)state;
    assert_int_equal(router_add(&router, ADDRESS, deliver, &host[0]), 0);
    assert_int_equal(router_add(&router, ADDRESS + 1, deliver, &host[1]), 0);
    assert_int_equal(router_remove(&router, ADDRESS), 0);
    assert_int_equal(router_remove(&router, ADDRESS), -ENOENT);
    send_to(ADDRESS, 24);
    send_to(ADDRESS + 1, 24);
    assert_int_equal(lost[NET_LOSS_no_route], 1);
    assert_int_equal(delivered_to[1], 1);
}

static void test_the_owner_takes_the_rest(void **state)
{
    (void)state;
    router_setup(&router, &(struct net_owner){&host[3], deliver, lose});
    assert_int_equal(router_add(&router, ADDRESS, deliver, &host[0]), 0);
    send_to(ADDRESS, 24);
    send_to(ADDRESS + 1, 24);
    assert_int_equal(delivered_to[0], 1);
    assert_int_equal(delivered_to[3], 1);
    assert_int_equal(lost[NET_LOSS_no_route], 0);
}

static void test_no_ip_header(void **state)
{
    (void)state;
    assert_int_equal(router_add(&router, ADDRESS, deliver, &host[0]), 0);
    for (uint32_t n = 0; n < 24; n++)
        send_to(ADDRESS, n);
    assert_int_equal(lost[NET_LOSS_ip_header], 24);
    assert_int_equal(delivered_to[0], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_by_address, make, release),
        cmocka_unit_test_setup_teardown(test_a_removed_route, make, release),
        cmocka_unit_test_setup_teardown(test_the_owner_takes_the_rest, make, release),
        cmocka_unit_test_setup_teardown(test_no_ip_header, make, release),
    };
    return cmocka_run_group_tests_name("lab/net/router", tests, NULL, NULL);
}

// Who may send to a PDP context: who knows its TEID has not shown by that who he is.
#include "dataplane/state/state.h"
#include "tests/dataplane/path/path.h"

#include <string.h>

#include "tests/dataplane/wire/judge.h"

#define STRANGER  0xcb007107u // 203.0.113.7
#define NEIGHBOUR 0xc0000209u // 192.0.2.9, beside the GGSN

// The NIC's address, which is in each frame to it, ends in the address of context 1's GGSN.
static const uint8_t nic[6] = {2, 0, 0xc0, 0, 2, 9};

static void add_ggsn(uint32_t id, uint32_t ipv4)
{
    DO(ggsn, .ggsn_id = id, .address = address_of_ipv4(ipv4), .has_mac = true,
       .mac = {{2, 0, 0, 0, 0, 9}});
}

// Context 0 has no GGSN, context 1 that of id 1.
static void open_with_contexts(void)
{
    struct dp_config config = path_small_config(100, 16);
    memcpy(config.gn.mac.octet, nic, sizeof nic);
    path_open_small_config(&config);
    p.hold_frames = true;
    path_do(&(struct command){.op = COMMAND_gn_from});
    add_ggsn(0, GGSN);
    add_ggsn(1, NEIGHBOUR);
    path_plain_ms(0, 0, 500);
    path_ms(1, 0, 500);
    path_pfc(1, 0, CLASS_BACKGROUND);
    path_pdp(1, 1, 0, 5, 3, 1, -1);
}

static struct rte_mbuf *frame_from(uint32_t pdp, uint32_t from)
{
    struct rte_mbuf *m = path_gn_frame(p.pdp[pdp].teid, 100, 0);
    uint8_t *b = rte_pktmbuf_mtod(m, uint8_t *);
    memcpy(b, nic, sizeof nic);
    put32(b + 14 + 12, from);
    put_ipv4_checksum(b + 14);
    return m;
}

// Else it is refused for its sender.
static bool comes_in(struct rte_mbuf *m)
{
    const uint64_t *in = &dp_stats(p.worker)->of_class[CLASS_BACKGROUND].in_packets, before = *in;
    uint64_t dropped = path_dropped(DROP_gn_source).packets;
    path_put(STATS_GN, m);
    path_poll();
    bool passed = *in == before + 1;
    assert_int_equal(path_dropped(DROP_gn_source).packets, dropped + !passed);
    return passed;
}

static bool passes(uint32_t pdp, uint32_t from)
{
    return comes_in(frame_from(pdp, from));
}

static void a_context_hears_its_own_ggsn_only(void **state)
{
    (void)state;
    open_with_contexts();
    assert_true(passes(1, NEIGHBOUR));
    assert_false(passes(1, GGSN));
    assert_false(passes(1, STRANGER));
    assert_false(passes(1, 0));
    assert_false(passes(1, 1)); // its GGSN's id is no address
    path_close();
}

// Makes room after the IPv4 header. Returns the frame.
static uint8_t *insert(struct rte_mbuf *m, uint16_t octets)
{
    uint8_t *b = rte_pktmbuf_mtod(m, uint8_t *);
    assert_non_null(rte_pktmbuf_append(m, octets));
    memmove(b + 34 + octets, b + 34, m->pkt_len - 34u - octets);
    return b;
}

static struct rte_mbuf *with_option(struct rte_mbuf *m, uint32_t option)
{
    uint8_t *ip = insert(m, 4) + 14;
    ip[0] = 0x46;
    put16(ip + 2, m->pkt_len - 14);
    put32(ip + 20, option);
    put16(ip + 10, 0);
    put16(ip + 10, plain_checksum(ip, 24));
    return m;
}

// From 2001:0:middle::, to 2001:db8:1::1.
static struct rte_mbuf *over_ipv6(struct rte_mbuf *m, uint32_t middle)
{
    uint8_t *b = insert(m, 20), *ip = b + 14;
    put16(b + 12, 0x86dd);
    memset(ip, 0, 40);
    ip[0] = 0x60;
    put16(ip + 4, m->pkt_len - 54);
    ip[6] = 17;
    ip[7] = 9;
    put16(ip + 8, 0x2001);
    put32(ip + 12, middle);
    memcpy(ip + 24, "\x20\x01\x0d\xb8\0\1", 6);
    ip[39] = 1;
    return m;
}

static void its_ggsns_address_elsewhere_in_the_frame_vouches_for_nobody(void **state)
{
    (void)state;
    open_with_contexts();
    for (uint32_t at = 6; at + 4 <= 150;
         at = at == 8 ? 50 : at + 1) { // the sender's MAC; the N-PDU
        struct rte_mbuf *m = frame_from(1, STRANGER);
        put32(rte_pktmbuf_mtod_offset(m, uint8_t *, at), NEIGHBOUR);
        assert_false(comes_in(m));
    }
    assert_true(comes_in(with_option(frame_from(1, NEIGHBOUR), STRANGER)));
    assert_false(comes_in(with_option(frame_from(1, STRANGER), NEIGHBOUR)));
    assert_false(comes_in(over_ipv6(frame_from(1, NEIGHBOUR), NEIGHBOUR)));
    path_close();
}

static void a_context_without_a_ggsn_hears_those_that_there_are(void **state)
{
    (void)state;
    open_with_contexts();
    assert_true(passes(0, GGSN));
    assert_true(passes(0, NEIGHBOUR));
    assert_false(passes(0, STRANGER));
    assert_false(passes(0, STATE_NO_GGSN));
    path_close();
}

static void gn_from_lets_others_send_to_all_contexts(void **state)
{
    (void)state;
    open_with_contexts();
    path_gn_from(STRANGER & ~7u, 29);
    assert_true(passes(0, STRANGER));
    assert_true(passes(1, STRANGER));
    assert_false(passes(0, STRANGER + 1));
    assert_true(passes(1, NEIGHBOUR));
    assert_false(passes(0, GGSN)); // it says who may, and does not name this one
    path_close();
}

// Unlike one that nobody has, it brings no error indication.
static void a_stranger_is_told_nothing(void **state)
{
    (void)state;
    open_with_contexts();
    uint64_t answers = dp_stats(p.worker)->of_port[STATS_GN].answers;
    assert_false(passes(1, STRANGER));
    assert_int_equal(dp_stats(p.worker)->of_port[STATS_GN].answers, answers);
    path_close();
}

static struct state plain;
static struct port gn_port;
static struct state_ggsn ggsns[2] = {{.address = {{0x20, 1, [15] = 2}}},
                                     {.address = {{[10] = 0xff, [11] = 0xff, 192, 0, 2, 2}}}};

static void over_ipv6_as_over_ipv4(void **state)
{
    struct state_pdp its = {.source = 0}, fours = {.source = 0xc0000202};
    struct ipv6_address other = {{0x20, 1, [15] = 3}};
    (void)state;
    plain = (struct state){.gn = &gn_port, .ggsn = ggsns};
    assert_true(state_may_send(&plain, &its, &ggsns[0].address));
    assert_false(state_may_send(&plain, &its, &other));
    assert_false(state_may_send(&plain, &its, &ggsns[1].address));
    assert_true(state_may_send(&plain, &fours, &ggsns[1].address));
    assert_false(state_may_send(&plain, &fours, &ggsns[0].address));
    gn_port.expected = (struct port_nets){1, {{other, 127}}}; // 2001::2 and 2001::3
    assert_true(state_may_send(&plain, &fours, &ggsns[0].address));
    assert_true(state_may_send(&plain, &its, &other));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_context_hears_its_own_ggsn_only),
        cmocka_unit_test(its_ggsns_address_elsewhere_in_the_frame_vouches_for_nobody),
        cmocka_unit_test(a_context_without_a_ggsn_hears_those_that_there_are),
        cmocka_unit_test(gn_from_lets_others_send_to_all_contexts),
        cmocka_unit_test(a_stranger_is_told_nothing),
        cmocka_unit_test(over_ipv6_as_over_ipv4),
    };
    return cmocka_run_group_tests_name("down/source", tests, path_start_eal, NULL);
}

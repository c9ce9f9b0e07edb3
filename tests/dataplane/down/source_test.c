// Who may send to a PDP context: who knows its TEID has not shown by that who he is.
#include "dataplane/state/state.h"
#include "tests/dataplane/down/thread.h"

#include <string.h>

#include "tests/dataplane/wire/judge.h"

#define STRANGER  0xcb007107u // 203.0.113.7
#define NEIGHBOUR 0xc0000209u // 192.0.2.9, beside the GGSN

// The NIC's address, which is in each frame to it, ends in the address of context 1's GGSN.
static const uint8_t nic[6] = {2, 0, 0xc0, 0, 2, 9};

static struct command ggsn(uint32_t id, uint32_t ipv4)
{
    struct command c = {.op = COMMAND_ggsn,
                        .ggsn = {.ggsn_id = id,
                                 .address = {{[10] = 0xff, [11] = 0xff}},
                                 .has_mac = true,
                                 .mac = {{2, 0, 0, 0, 0, 9}}}};
    thread_put32(c.ggsn.address.octet + 12, ipv4);
    return c;
}

// Context 0 has no GGSN, context 1 that of id 1.
static void open_with_contexts(void)
{
    struct dp_config config = thread_config(100, 16);
    memcpy(config.gn.mac.octet, nic, sizeof nic);
    thread_open_config(&config);
    thread_do(&(struct command){.op = COMMAND_gn_from});
    struct command first = ggsn(0, GGSN), second = ggsn(1, NEIGHBOUR);
    thread_do(&first);
    thread_do(&second);
    thread_add_ms(0, 500);
    thread_add_plain_ms(1, 500);
    thread_add_pfc(1, 0, CLASS_BACKGROUND);
    struct command c = {.op = COMMAND_pdp,
                        .pdp = {.pdp_id = 1,
                                .ms_id = 1,
                                .nsapi = 5,
                                .sapi = 3,
                                .has_ggsn_id = true,
                                .ggsn_id = 1,
                                .ggsn_teid = 1}};
    int64_t teid = dp_command(t.dp, &c);
    assert_true(teid > 0);
    t.pdp[1] = (struct thread_pdp){.teid = (uint32_t)teid, .ms = 1, .sapi = 3};
    thread_poll_to_rest();
}

static struct rte_mbuf *frame_from(uint32_t pdp, uint32_t from)
{
    struct rte_mbuf *m = thread_gn_frame(t.pdp[pdp].teid, 100, 0);
    uint8_t *b = rte_pktmbuf_mtod(m, uint8_t *);
    memcpy(b, nic, sizeof nic);
    thread_put32(b + 14 + 12, from);
    thread_put_ip_checksum(b + 14);
    return m;
}

// Else it is refused for its sender.
static bool comes_in(struct rte_mbuf *m)
{
    const uint64_t *in = &dp_stats(t.worker)->of_class[CLASS_BACKGROUND].in_packets, before = *in;
    uint64_t dropped = thread_dropped(DROP_gn_source).packets;
    thread_send_frame(m);
    thread_poll_to_rest();
    bool passed = *in == before + 1;
    assert_int_equal(thread_dropped(DROP_gn_source).packets, dropped + !passed);
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
    thread_close();
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
    thread_put16(ip + 2, m->pkt_len - 14);
    thread_put32(ip + 20, option);
    thread_put16(ip + 10, 0);
    thread_put16(ip + 10, plain_checksum(ip, 24));
    return m;
}

// From 2001:0:middle::, to fd00::1.
static struct rte_mbuf *over_ipv6(struct rte_mbuf *m, uint32_t middle)
{
    uint8_t *b = insert(m, 20), *ip = b + 14;
    thread_put16(b + 12, 0x86dd);
    memset(ip, 0, 40);
    ip[0] = 0x60;
    thread_put16(ip + 4, m->pkt_len - 54);
    ip[6] = 17;
    ip[7] = 9;
    thread_put16(ip + 8, 0x2001);
    thread_put32(ip + 12, middle);
    ip[24] = 0xfd;
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
        thread_put32(rte_pktmbuf_mtod_offset(m, uint8_t *, at), NEIGHBOUR);
        assert_false(comes_in(m));
    }
    assert_true(comes_in(with_option(frame_from(1, NEIGHBOUR), STRANGER)));
    assert_false(comes_in(with_option(frame_from(1, STRANGER), NEIGHBOUR)));
    assert_false(comes_in(over_ipv6(frame_from(1, NEIGHBOUR), NEIGHBOUR)));
    thread_close();
}

static void a_context_without_a_ggsn_hears_those_that_there_are(void **state)
{
    (void)state;
    open_with_contexts();
    assert_true(passes(0, GGSN));
    assert_true(passes(0, NEIGHBOUR));
    assert_false(passes(0, STRANGER));
    assert_false(passes(0, STATE_NO_GGSN));
    thread_close();
}

static void gn_from_lets_others_send_to_all_contexts(void **state)
{
    (void)state;
    open_with_contexts();
    thread_gn_from(STRANGER & ~7u, 29);
    assert_true(passes(0, STRANGER));
    assert_true(passes(1, STRANGER));
    assert_false(passes(0, STRANGER + 1));
    assert_true(passes(1, NEIGHBOUR));
    assert_false(passes(0, GGSN)); // it says who may, and does not name this one
    thread_close();
}

// Unlike one that nobody has, it brings no error indication.
static void a_stranger_is_told_nothing(void **state)
{
    (void)state;
    open_with_contexts();
    uint64_t answers = dp_stats(t.worker)->of_port[STATS_GN].answers;
    assert_false(passes(1, STRANGER));
    assert_int_equal(dp_stats(t.worker)->of_port[STATS_GN].answers, answers);
    thread_close();
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
    return cmocka_run_group_tests_name("down/source", tests, thread_start_eal, NULL);
}

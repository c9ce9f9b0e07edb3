// A datagram's frame turned round: octet by octet, and for whom it is not done.
#include "tests/dataplane/eal_fixture.h"
#include "tests/dataplane/port/port_fixture.h"

// clang-format off
static const uint8_t typed_ipv4[] = {
    2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x08, 0x00,
    0x45, 0, 0, 31, 0, 0, 0, 0, 0x40, 0x11, 0x66, 0xcc, 10, 0, 0, 2, 10, 0, 0, 1,
    0x08, 0x68, 0x0b, 0xb8, 0, 11, 0xeb, 0x4f, 'y', 'e', 's'};
static const uint8_t typed_ipv6[] = {
    2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x86, 0xdd,
    0x60, 0, 0, 0, 0, 11, 17, 64,
    0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2,
    0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1,
    0x08, 0x68, 0x0b, 0xb8, 0, 11, 0xa3, 0xdd, 'y', 'e', 's'};
// clang-format on

static struct rte_mbuf *asked;
static struct port_datagram datagram;

// A datagram that was passed on, with one octet of its frame changed since.
static void ask(bool ipv6, uint32_t at, uint8_t value)
{
    uint8_t b[FRAME_OCTETS_MAX];
    uint32_t n = ipv6 ? frame_udp_ipv6(b, "?", 1) : frame_udp_ipv4(b, "?", 1);
    asked = fixture_frame(b, n);
    assert_true(port_unwrap_general(&fx.port, &asked, &datagram, 0) == PORT_PASSED);
    rte_pktmbuf_mtod(asked, uint8_t *)[at] = value;
}

static void is_replied(bool ipv6, const void *expected, uint32_t octets)
{
    struct rte_mbuf *answer;
    ask(ipv6, 0, 2);
    uint8_t *payload = port_reply(&fx.port, asked, &datagram, 3, &answer);
    assert_non_null(payload);
    memcpy(payload, "yes", 3);
    port_reply_finish(answer);
    port_answer(&fx.port, answer);
    fixture_assert_sent(expected, octets);
    rte_pktmbuf_free(asked);
}

static void a_frame_is_turned_round(void **state)
{
    (void)state;
    is_replied(false, typed_ipv4, sizeof typed_ipv4);
    is_replied(true, typed_ipv6, sizeof typed_ipv6);
    assert_int_equal(fx.stats.answers, 2);
    assert_int_equal(fx.stats.answers_unsent, 0);
}

static void is_not_replied(bool ipv6, uint32_t at, uint8_t value)
{
    struct rte_mbuf *answer;
    ask(ipv6, at, value);
    assert_null(port_reply(&fx.port, asked, &datagram, 3, &answer));
    rte_pktmbuf_free(asked);
}

static void who_is_nobody_is_not_replied(void **state)
{
    (void)state;
    is_not_replied(false, 6, 3);    // a group's Ethernet address
    is_not_replied(false, 26, 224); // a group, beyond, nowhere, loopback
    is_not_replied(false, 26, 255);
    is_not_replied(false, 26, 0);
    is_not_replied(false, 26, 127);
    is_not_replied(false, 29, 255); // all of the link
    is_not_replied(false, 29, 2);   // us
    is_not_replied(true, 6, 3);
    is_not_replied(true, 22, 0xff);
    is_not_replied(true, 37, 2);
    assert_int_equal(fx.stats.answers, 0);
}

static void what_does_not_fit_is_an_answer_unsent(void **state)
{
    (void)state;
    struct rte_mbuf *answer;
    ask(false, 0, 2);
    assert_null(port_reply(&fx.port, asked, &datagram, 5000, &answer));
    assert_null(port_reply(&fx.port, asked, &datagram, 65535, &answer));
    rte_pktmbuf_free(asked);
    assert_int_equal(fx.stats.answers, 2);
    assert_int_equal(fx.stats.answers_unsent, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PORT_TEST(a_frame_is_turned_round),
        PORT_TEST(who_is_nobody_is_not_replied),
        PORT_TEST(what_does_not_fit_is_an_answer_unsent),
    };
    return cmocka_run_group_tests(tests, eal_fixture_setup, eal_fixture_teardown);
}

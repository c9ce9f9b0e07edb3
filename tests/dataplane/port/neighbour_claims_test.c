// Who says unasked that a neighbour's address is his does not get what is for the neighbour, as
// long as that one answers.
#include "dataplane/wire/arp.h"
#include "dataplane/wire/icmpv6.h"
#include "tests/dataplane/eal_fixture.h"
#include "tests/dataplane/port/port_fixture.h"

static const struct mac everybody = {{0xff, 0xff, 0xff, 0xff, 0xff, 0xff}},
                        thief = {{2, 6, 6, 6, 6, 6}};

// An ARP that says that the peer is there, to all (about the peer himself) or to us.
static void say_ipv4(const struct mac *mac, bool to_all, uint16_t operation, uint64_t now_ns)
{
    uint8_t b[60] = {0};
    struct arp arp = {.operation = operation,
                      .sender_mac = *mac,
                      .sender_address = PEER_IPV4,
                      .target_mac = to_all ? everybody : our_mac,
                      .target_address = to_all ? PEER_IPV4 : OUR_IPV4};
    memcpy(b, to_all ? &everybody : &our_mac, 6);
    memcpy(b + 6, mac, 6);
    put_be16(b + 12, ETHER_TYPE_ARP);
    assert_int_equal(arp_encode(&arp, b + 14, ARP_OCTETS), ARP_OCTETS);
    assert_false(fixture_receive_octets(b, sizeof b, now_ns));
}

// A neighbour advertisement of the peer's.
static void say_ipv6(const struct mac *mac, bool to_all, uint64_t now_ns)
{
    static const struct ipv6_address all_nodes = {{0xff, 2, [15] = 1}};
    uint8_t message[32], b[FRAME_OCTETS_MAX];
    struct icmpv6_neighbour_advertisement said = {.solicited = !to_all,
                                                  .override = true,
                                                  .target = peer_ipv6,
                                                  .has_target_mac = true,
                                                  .target_mac = *mac};
    const struct ipv6_address *to = to_all ? &all_nodes : &our_ipv6;
    assert_int_equal(icmpv6_neighbour_advertisement_encode(&said, message, sizeof message), 32);
    icmpv6_put_checksum(message, sizeof message, &peer_ipv6, to);
    struct ipv6 ip = ipv6_from_peer(58, message, sizeof message);
    ip.hop_limit = 255;
    ip.destination = *to;
    uint32_t n = frame_ipv6(b, &ip);
    memcpy(b, to_all ? (uint8_t[]){0x33, 0x33, 0, 0, 0, 1} : our_mac.octet, 6);
    memcpy(b + 6, mac, 6);
    assert_false(fixture_receive_octets(b, n, now_ns));
}

static uint32_t use(bool ipv6)
{
    struct ipv6_address mapped = address_of_ipv4(PEER_IPV4);
    return port_neighbour_use(&fx.port, ipv6 ? &peer_ipv6 : &mapped, NULL, 0);
}

static void say(bool ipv6, const struct mac *mac, bool to_all, uint64_t now_ns)
{
    if (ipv6)
        say_ipv6(mac, to_all, now_ns);
    else
        say_ipv4(mac, to_all, ARP_REPLY, now_ns);
}

static void is_at(uint32_t place, const struct mac *mac)
{
    assert_true(neighbour_known(fx.port.neighbours, place));
    assert_memory_equal(&fx.port.neighbours->of[place].mac, mac, sizeof *mac);
}

// The questions that the port sends from then until then, each answered by who is asked, if he
// does.
static uint32_t questions(bool ipv6, bool answers, uint64_t from_ns, uint64_t to_ns,
                          uint32_t *to_all)
{
    uint8_t b[FRAME_OCTETS_MAX];
    uint32_t n = 0;
    *to_all = 0;
    for (uint64_t now_ns = from_ns; now_ns <= to_ns;) {
        uint64_t next_ns = port_tick(&fx.port, now_ns);
        while (fixture_sent(b)) {
            n++;
            *to_all += b[0] & 1;
            if (answers && (b[0] & 1 || memcmp(b, &peer_mac, 6) == 0))
                say(ipv6, &peer_mac, false, now_ns);
        }
        now_ns = next_ns > now_ns ? next_ns : now_ns + 1;
    }
    return n;
}

static void an_unasked_word_does_not_replace_one_that_answers(void **state)
{
    (void)state;
    for (int ipv6 = 0; ipv6 < 2; ipv6++) {
        uint32_t place = use(ipv6), to_all;
        say(ipv6, &peer_mac, false, 0);
        for (int all = 0; all < 2; all++) {
            uint64_t now_ns = (uint64_t)(1 + all) * S;
            say(ipv6, &thief, all, now_ns);
            is_at(place, &peer_mac);
            assert_int_equal(questions(ipv6, true, now_ns, now_ns + S / 2, &to_all), 1);
            assert_int_equal(to_all, 0); // the thief would answer it
            is_at(place, &peer_mac);
        }
        port_neighbour_unuse(&fx.port, place, false);
    }
    // In an ARP question, too.
    uint32_t place = use(false);
    say(false, &peer_mac, false, 5 * S);
    say_ipv4(&thief, true, ARP_REQUEST, 5 * S);
    say_ipv4(&thief, false, ARP_REQUEST, 5 * S);
    is_at(place, &peer_mac);
}

static void many_words_bring_few_questions(void **state)
{
    uint32_t place, to_all, asked = 0;
    (void)state;
    place = use(false);
    say(false, &peer_mac, false, 0);
    for (uint32_t i = 0; i < 10000; i++) { // in ten seconds
        uint64_t now_ns = S + i * (S / 1000);
        say(false, &thief, i % 2, now_ns);
        asked += questions(false, true, now_ns, now_ns, &to_all);
        is_at(place, &peer_mac);
    }
    assert_in_range(asked, 30, 41);
}

// Another machine has the address now: three questions later it is believed.
static void one_that_answers_no_more_is_replaced(void **state)
{
    (void)state;
    for (int ipv6 = 0; ipv6 < 2; ipv6++) {
        uint32_t place = use(ipv6), to_all;
        say(ipv6, &peer_mac, false, 0);
        say(ipv6, &thief, true, S);
        assert_int_equal(
            questions(ipv6, false, S, S + NEIGHBOUR_PROBES * NEIGHBOUR_PROBE_NS, &to_all),
            NEIGHBOUR_PROBES + 1);
        assert_int_equal(to_all, 1);
        is_at(place, &peer_mac); // nobody has answered yet
        say(ipv6, &thief, false, 2 * S);
        is_at(place, &thief);
        port_neighbour_unuse(&fx.port, place, false);
    }
}

static void one_that_is_silent_is_asked_for_of_all(void **state)
{
    uint32_t place, to_all;
    (void)state;
    place = use(false);
    say(false, &peer_mac, false, 0);
    assert_int_equal(questions(false, false, 0, NEIGHBOUR_REFRESH_NS + 4 * S, &to_all), 3 + 4);
    assert_int_equal(to_all, 4);
    is_at(place, &peer_mac);
    say(false, &peer_mac, false, 35 * S); // and is back
    say(false, &thief, true, 36 * S);
    is_at(place, &peer_mac);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PORT_TEST(an_unasked_word_does_not_replace_one_that_answers),
        PORT_TEST(many_words_bring_few_questions),
        PORT_TEST(one_that_answers_no_more_is_replaced),
        PORT_TEST(one_that_is_silent_is_asked_for_of_all),
    };
    return cmocka_run_group_tests_name("port/neighbour_claims", tests, eal_fixture_setup,
                                       eal_fixture_teardown);
}

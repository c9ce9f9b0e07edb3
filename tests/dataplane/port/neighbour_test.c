// Neighbours: who is asked, when and with what octets; gateways; how long an address stays.
#include "dataplane/wire/arp.h"
#include "tests/dataplane/eal_fixture.h"
#include "tests/dataplane/port/port_fixture.h"
#include "tests/dataplane/random.h"

// clang-format off
static const uint8_t typed_question[] = {
    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2, 0, 0, 0, 0, 2, 0x08, 0x06,
    0, 1, 0x08, 0, 6, 4, 0, 1,
    2, 0, 0, 0, 0, 2, 10, 0, 0, 2,  0, 0, 0, 0, 0, 0, 10, 0, 0, 1};
static const uint8_t typed_solicitation[] = {
    0x33, 0x33, 0xff, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x86, 0xdd,
    0x60, 0, 0, 0, 0, 32, 58, 255,
    0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2,
    0xff, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0xff, 0, 0, 1,
    135, 0, 0x1c, 0x27, 0, 0, 0, 0,
    0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1,
    1, 1, 2, 0, 0, 0, 0, 2};
// clang-format on

static uint32_t use_ipv4(uint32_t address, uint64_t now_ns)
{
    struct ipv6_address mapped = address_of_ipv4(address);
    return port_neighbour_use(&fx.port, &mapped, NULL, now_ns);
}

static bool learn_ipv4(uint32_t address, uint8_t last, uint64_t now_ns)
{
    struct ipv6_address mapped = address_of_ipv4(address);
    struct mac mac = {{2, 0, 0, 0, 0, last}};
    return port_neighbour_learn(&fx.port, &mapped, &mac, now_ns);
}

// Whom the next frame asks for; 0 if there is none.
static uint32_t asked(void)
{
    uint8_t b[FRAME_OCTETS_MAX];
    struct arp arp;
    uint32_t n = fixture_sent(b);
    if (n == 0)
        return 0;
    assert_true(arp_decode(&arp, b + 14, n - 14) > 0);
    assert_int_equal(arp.operation, ARP_REQUEST);
    return arp.target_address;
}

static void one_that_is_not_known_is_asked_for_each_second(void **state)
{
    (void)state;
    assert_true(port_tick(&fx.port, 0) == TIME_NEVER);
    uint32_t place = use_ipv4(PEER_IPV4, 5 * S);
    assert_false(neighbour_known(fx.port.neighbours, place));
    assert_int_equal(port_tick(&fx.port, 5 * S), 6 * S);
    fixture_assert_sent(typed_question, sizeof typed_question);
    assert_int_equal(port_tick(&fx.port, 6 * S - 1), 6 * S);
    fixture_assert_nothing_sent();
    assert_int_equal(port_tick(&fx.port, 6 * S), 7 * S);
    fixture_assert_sent(typed_question, sizeof typed_question);
    assert_int_equal(fx.stats.answers, 2);
    port_neighbour_unuse(&fx.port, place, false);
    port_tick(&fx.port, 7 * S);
    fixture_assert_nothing_sent();
}

static void ipv6_is_asked_for_by_its_group(void **state)
{
    (void)state;
    port_neighbour_use(&fx.port, &peer_ipv6, NULL, 0);
    assert_int_equal(port_tick(&fx.port, 0), S);
    fixture_assert_sent(typed_solicitation, sizeof typed_solicitation);
}

// All buffers for answers wait elsewhere: it is asked for a second later.
static void without_a_buffer_nobody_is_asked_for(void **state)
{
    enum { MOST = 4096 };
    struct rte_mbuf *all[MOST];
    uint32_t n = 0;
    (void)state;
    while (n < MOST && (all[n] = port_answer_alloc(&fx.port, 60)) != NULL)
        n++;
    assert_in_range(n, 1, MOST - 1);
    use_ipv4(PEER_IPV4, 0);
    port_neighbour_use(&fx.port, &peer_ipv6, NULL, 0);
    assert_int_equal(port_tick(&fx.port, 0), S);
    fixture_assert_nothing_sent();
    rte_pktmbuf_free_bulk(all, n);
    assert_int_equal(port_tick(&fx.port, S), 2 * S);
    fixture_assert_sent(typed_question, sizeof typed_question);
    fixture_assert_sent(typed_solicitation, sizeof typed_solicitation);
    fixture_assert_nothing_sent();
}

static void one_that_is_known_is_asked_for_again_and_stays_in_use(void **state)
{
    (void)state;
    uint32_t place = use_ipv4(PEER_IPV4, 0);
    port_tick(&fx.port, 0);
    assert_int_equal(asked(), PEER_IPV4);
    assert_true(learn_ipv4(PEER_IPV4, 9, S / 2));
    assert_true(neighbour_known(fx.port.neighbours, place));
    uint64_t when_ns = port_tick(&fx.port, S); // it was due by then, before it was heard
    assert_int_equal(when_ns, 30 * S + S / 2);
    assert_int_equal(asked(), 0);
    assert_int_equal(port_tick(&fx.port, when_ns), when_ns + S / 4);
    assert_int_equal(asked(), PEER_IPV4);
    assert_true(neighbour_known(fx.port.neighbours, place));
    uint8_t mac[6];
    neighbour_put_mac(fx.port.neighbours, place, mac);
    assert_memory_equal(mac, ((uint8_t[]){2, 0, 0, 0, 0, 9}), 6);
}

// Five questions, be they to him or to all, and the sixth says that none was answered: a new one
// after 5 s, one that was known after 3 of 250 ms and 2 s.
static void one_that_does_not_answer_is_silent(void **state)
{
    (void)state;
    struct neighbours *n = fx.port.neighbours;
    uint32_t place = use_ipv4(PEER_IPV4, 0), before = n->changes;
    for (uint64_t s = 0; s <= 5; s++) {
        assert_false(neighbour_silent(n, place));
        port_tick(&fx.port, s * S);
    }
    assert_true(neighbour_silent(n, place));
    assert_int_equal(n->changes, before + 1);
    for (uint64_t s = 6; s <= 600; s++)
        port_tick(&fx.port, s * S);
    assert_int_equal(n->changes, before + 1);
    assert_int_equal(use_ipv4(PEER_IPV4, 600 * S), place); // a second user is told of it
    assert_int_equal(n->changes, before + 2);
    learn_ipv4(PEER_IPV4, 9, 600 * S);
    assert_false(neighbour_silent(n, place));
    assert_int_equal(n->changes, before + 3);
    learn_ipv4(PEER_IPV4, 9, 601 * S);
    assert_int_equal(n->changes, before + 3);
    const uint64_t from_ns = 601 * S + NEIGHBOUR_REFRESH_NS;
    for (uint64_t now_ns = from_ns; now_ns < from_ns + 11 * S / 4; now_ns += S / 4)
        port_tick(&fx.port, now_ns);
    assert_false(neighbour_silent(n, place));
    port_tick(&fx.port, from_ns + 11 * S / 4);
    assert_true(neighbour_silent(n, place));
}

static void a_groups_address_is_not_learnt(void **state)
{
    (void)state;
    struct ipv6_address mapped = address_of_ipv4(PEER_IPV4);
    uint32_t place = use_ipv4(PEER_IPV4, 0);
    struct mac group = {{3, 0, 0, 0, 0, 1}}, none = {{0}};
    assert_false(port_neighbour_learn(&fx.port, &mapped, &group, 0));
    assert_false(port_neighbour_learn(&fx.port, &mapped, &none, 0));
    assert_false(neighbour_known(fx.port.neighbours, place));
}

static void one_that_is_given_is_not_asked_for(void **state)
{
    (void)state;
    struct ipv6_address mapped = address_of_ipv4(PEER_IPV4);
    uint32_t place = port_neighbour_use(&fx.port, &mapped, &peer_mac, 0);
    assert_true(neighbour_known(fx.port.neighbours, place));
    assert_true(port_tick(&fx.port, 100 * S) == TIME_NEVER);
    fixture_assert_nothing_sent();
}

// Two say its address and one does not: who is left wants to know it, and keeps it meanwhile.
static void one_whose_giver_has_gone_is_asked_for(void **state)
{
    (void)state;
    struct ipv6_address mapped = address_of_ipv4(PEER_IPV4);
    uint32_t place = port_neighbour_use(&fx.port, &mapped, &peer_mac, 0);
    use_ipv4(PEER_IPV4, 0);
    port_neighbour_use(&fx.port, &mapped, &peer_mac, 0);
    port_neighbour_unuse(&fx.port, place, true);
    assert_true(port_tick(&fx.port, 100 * S) == TIME_NEVER);
    fixture_assert_nothing_sent();
    port_neighbour_unuse(&fx.port, place, true);
    assert_true(fx.port.due_ns <= 100 * S);
    assert_true(neighbour_known(fx.port.neighbours, place));
    for (uint32_t i = 0; i < NEIGHBOUR_PROBES; i++) {
        port_tick(&fx.port, 100 * S + i * NEIGHBOUR_PROBE_NS);
        assert_int_equal(asked(), PEER_IPV4);
    }
    assert_true(learn_ipv4(PEER_IPV4, 9, 101 * S));
    assert_int_equal(fx.port.neighbours->of[place].mac.octet[5], 9);
    port_neighbour_unuse(&fx.port, place, false);
    port_tick(&fx.port, 1000 * S);
    fixture_assert_nothing_sent();
}

// It was learnt before it was given, so that it is not due for long: now it is.
static void one_that_was_learnt_too_is_asked_for_when_its_giver_goes(void **state)
{
    (void)state;
    struct ipv6_address mapped = address_of_ipv4(PEER_IPV4);
    use_ipv4(PEER_IPV4, 0);
    assert_true(learn_ipv4(PEER_IPV4, 9, 0));
    uint32_t place = port_neighbour_use(&fx.port, &mapped, &peer_mac, S);
    port_neighbour_unuse(&fx.port, place, true);
    port_tick(&fx.port, 2 * S);
    assert_int_equal(asked(), PEER_IPV4);
}

static void users_of_a_next_hop_share_a_place(void **state)
{
    (void)state;
    uint32_t place = use_ipv4(PEER_IPV4, 0);
    assert_int_equal(use_ipv4(PEER_IPV4, 0), place);
    assert_true(learn_ipv4(PEER_IPV4, 9, 0));
    port_neighbour_unuse(&fx.port, place, false);
    assert_true(neighbour_known(fx.port.neighbours, place));
    port_neighbour_unuse(&fx.port, place, false);
    assert_false(learn_ipv4(PEER_IPV4, 9, 0));
    place = use_ipv4(PEER_IPV4, 0); // and nothing is left of it
    assert_false(neighbour_known(fx.port.neighbours, place));
}

static void with_gateways(struct port_config *config)
{
    config->host.ipv4_gateway = 0x0a0000fe;
    config->host.ipv4_prefix = 28;
    config->host.ipv6_prefix = 61;
    config->host.ipv6_gateway = (struct ipv6_address){{0xfe, 0x80, [15] = 0xfe}};
}

static struct ipv6_address hop_of_ipv4(uint32_t address)
{
    return fx.port.neighbours->of[use_ipv4(address, 0)].address;
}

static struct ipv6_address hop_of_ipv6(struct ipv6_address address)
{
    return fx.port.neighbours->of[port_neighbour_use(&fx.port, &address, NULL, 0)].address;
}

static void what_is_not_on_the_link_goes_to_the_gateway(void **state)
{
    (void)state;
    fixture_open(with_gateways);
    struct ipv6_address gateway = address_of_ipv4(0x0a0000fe), hop;
    static const struct {
        uint32_t address;
        bool on_link;
    } ipv4[] = {{0x0a000001, true},  {0x0a00000f, true},  {0x0a000010, false},
                {0x0a000102, false}, {0x8a000002, false}, {0xc0000201, false}};
    for (uint32_t i = 0; i < sizeof ipv4 / sizeof ipv4[0]; i++) {
        struct ipv6_address own = address_of_ipv4(ipv4[i].address);
        hop = hop_of_ipv4(ipv4[i].address);
        assert_true(address_same(&hop, ipv4[i].on_link ? &own : &gateway));
    }
    struct ipv6_address near = {{0x20, 1, 0x0d, 0xb8, [7] = 7, [15] = 5}};
    struct ipv6_address far = {{0x20, 1, 0x0d, 0xb8, [7] = 8, [15] = 5}};
    struct ipv6_address local = {{0xfe, 0x80, [15] = 9}};
    hop = hop_of_ipv6(near);
    assert_true(address_same(&hop, &near));
    hop = hop_of_ipv6(local);
    assert_true(address_same(&hop, &local));
    hop = hop_of_ipv6(far);
    assert_true(address_same(&hop, &fx.config.host.ipv6_gateway));
    fixture_close();
}

static void without_a_gateway_all_is_on_the_link(void **state)
{
    (void)state;
    struct ipv6_address far = {{0x30, 1, [15] = 5}}, hop = hop_of_ipv6(far);
    assert_true(address_same(&hop, &far));
    far = address_of_ipv4(0xc0000201);
    hop = hop_of_ipv4(0xc0000201);
    assert_true(address_same(&hop, &far));
}

#define MANY 3000u

static void with_many(struct port_config *config)
{
    config->neighbours = MANY;
    config->tx_frames = 32;
}

// Asks for all that are due at that time, some a call; each exactly once.
static void all_are_asked_once(uint64_t now_ns)
{
    static bool seen[MANY];
    memset(seen, 0, sizeof seen);
    uint32_t calls = 0, n = 0, address;
    while (port_tick(&fx.port, now_ns) <= now_ns) {
        uint32_t questions = 0;
        assert_true(++calls < MANY);
        for (; (address = asked()) != 0; questions++) {
            assert_in_range(address - 0x0b000000, 0, MANY - 1);
            assert_false(seen[address - 0x0b000000]);
            seen[address - 0x0b000000] = true;
        }
        assert_true(questions <= 16);
        n += questions;
    }
    while ((address = asked()) != 0) {
        assert_false(seen[address - 0x0b000000]);
        n++;
    }
    assert_int_equal(n, MANY);
}

static void many_are_asked_for_some_at_a_time(void **state)
{
    (void)state;
    static uint32_t place[MANY];
    fixture_open(with_many);
    for (uint32_t i = 0; i < MANY; i++)
        place[i] = use_ipv4(0x0b000000 + i, 0);
    all_are_asked_once(0);
    all_are_asked_once(S);
    for (uint32_t i = 0; i < MANY; i++)
        assert_true(learn_ipv4(0x0b000000 + i, 1, 2 * S));
    while (port_tick(&fx.port, 2 * S) <= 2 * S)
        ;
    assert_int_equal(asked(), 0);
    assert_int_equal(port_tick(&fx.port, 31 * S), 32 * S);
    all_are_asked_once(32 * S);
    for (uint32_t i = 0; i < MANY; i++)
        port_neighbour_unuse(&fx.port, place[i], false);
    while (port_tick(&fx.port, 62 * S) <= 62 * S)
        ;
    assert_int_equal(asked(), 0);
    assert_true(port_tick(&fx.port, 62 * S) == TIME_NEVER);
    fixture_close();
}

// One that comes while a round is under way is not forgotten.
static void one_that_comes_meanwhile_is_asked_for_too(void **state)
{
    (void)state;
    fixture_open(with_many);
    for (uint32_t i = 0; i < 100; i++)
        use_ipv4(0x0b000000 + i, 0);
    assert_true(port_tick(&fx.port, 0) <= 0);
    use_ipv4(0x0c000000, 0);
    bool seen = false;
    for (uint32_t calls = 0, address; calls < 100; calls++) {
        port_tick(&fx.port, 0);
        while ((address = asked()) != 0)
            seen |= address == 0x0c000000;
    }
    assert_true(seen);
    assert_int_equal(fx.stats.answers, 101);
    fixture_close();
}

// In a place that the round has passed already.
static void one_that_comes_behind_the_round_is_asked_for_too(void **state)
{
    (void)state;
    static uint32_t place[MANY];
    fixture_open(with_many);
    for (uint32_t i = 0; i < MANY; i++)
        place[i] = use_ipv4(0x0b000000 + i, 0);
    port_tick(&fx.port, 0);
    uint32_t first = asked();
    port_neighbour_unuse(&fx.port, place[first - 0x0b000000], false);
    assert_int_equal(use_ipv4(0x0c000000, 0), place[first - 0x0b000000]);
    bool seen = false;
    for (uint32_t address; port_tick(&fx.port, 0) == 0;)
        while ((address = asked()) != 0)
            seen |= address == 0x0c000000;
    assert_true(seen);
    fixture_close();
}

// Many places with nobody in them are not gone through at once.
static void a_call_looks_at_some_places(void **state)
{
    (void)state;
    fixture_open(with_many);
    use_ipv4(0x0b000000, 0);
    uint32_t calls = 1;
    for (; port_tick(&fx.port, 0) == 0; calls++)
        ;
    assert_in_range(calls, MANY / 256, MANY / 256 + 1);
    fixture_close();
}

// As many as there is room for, whatever they hash to, come and go.
static void room_is_what_it_says(void **state)
{
    (void)state;
    static uint32_t address[MANY], place[MANY];
    fixture_open(with_many);
    random_begin();
    for (uint32_t i = 0; i < MANY; i++) {
        address[i] = 0x0b000000 + i;
        place[i] = use_ipv4(address[i], 0);
        assert_true(place[i] < fx.port.neighbours->room);
    }
    for (uint32_t n = 0; n < 100000; n++) {
        uint32_t i = (uint32_t)(random_next() % MANY);
        assert_true(learn_ipv4(address[i], 1, 0));
        port_neighbour_unuse(&fx.port, place[i], false);
        assert_false(learn_ipv4(address[i], 1, 0));
        address[i] = 0x0c000000 + n;
        place[i] = use_ipv4(address[i], 0);
        assert_true(place[i] < fx.port.neighbours->room);
        assert_int_equal(fx.port.neighbours->of[place[i]].users, 1);
    }
    fixture_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PORT_TEST(one_that_is_not_known_is_asked_for_each_second),
        PORT_TEST(ipv6_is_asked_for_by_its_group),
        PORT_TEST(without_a_buffer_nobody_is_asked_for),
        PORT_TEST(one_that_is_known_is_asked_for_again_and_stays_in_use),
        PORT_TEST(one_that_does_not_answer_is_silent),
        PORT_TEST(a_groups_address_is_not_learnt),
        PORT_TEST(one_that_is_given_is_not_asked_for),
        PORT_TEST(one_whose_giver_has_gone_is_asked_for),
        PORT_TEST(one_that_was_learnt_too_is_asked_for_when_its_giver_goes),
        PORT_TEST(users_of_a_next_hop_share_a_place),
        cmocka_unit_test(what_is_not_on_the_link_goes_to_the_gateway),
        PORT_TEST(without_a_gateway_all_is_on_the_link),
        cmocka_unit_test(many_are_asked_for_some_at_a_time),
        cmocka_unit_test(one_that_comes_meanwhile_is_asked_for_too),
        cmocka_unit_test(one_that_comes_behind_the_round_is_asked_for_too),
        cmocka_unit_test(a_call_looks_at_some_places),
        cmocka_unit_test(room_is_what_it_says),
    };
    return cmocka_run_group_tests(tests, eal_fixture_setup, eal_fixture_teardown);
}

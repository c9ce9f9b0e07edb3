// Random worlds: two endpoints of random profiles, with random values in their fields, write to
// each other, read at once or now and then, and close, over ways that lose, delay, reorder, double
// and mark. Whatever happens, every octet arrives once and in order, both ends close, and the
// counters balance. The test keeps its own book of the octets that have arrived.
#include "tests/dataplane/random.h"
#include "tests/lab/hosts/tcp_pair.h"

#define WORLDS      600
#define OCTETS_MOST 120000
#define END_NS      (20000 * S_IN_NS)

struct world {
    uint32_t lose_ppm, twice_ppm, later_ppm, mark_ppm;
    uint64_t later_most_ns, quiet_after_ns;
    uint64_t to_write[2], written[2];
    uint8_t *arrived[2]; // by octet of the stream from end i
    uint64_t prefix[2];
    bool reset; // one has arrived
    struct tcp_profile profile[2];
};

static bool chance(uint32_t ppm)
{
    return random_next() % 1000000 < ppm;
}

static void fate(struct pair *pair, int from, const struct tcp *segment, bool ect,
                 struct pair_fate *fate)
{
    const struct world *world = pair->more;
    (void)from, (void)segment, (void)ect;
    if (pair->now_ns > world->quiet_after_ns)
        return;
    fate->lose = chance(world->lose_ppm);
    fate->twice = chance(world->twice_ppm);
    fate->mark = chance(world->mark_ppm);
    if (chance(world->later_ppm))
        fate->later_ns = random_next() % world->later_most_ns;
}

// --- The world -----------------------------------------------------------------------------------

static void random_profile(struct tcp_profile *p)
{
    *p = tcp_profiles[random_next() % tcp_profile_count].profile;
    p->mss_octets = random_in(100, 1460);
    p->receive_window_octets = random_in(1000, 200000);
    p->initial_window = (uint32_t)random_in(0, 20);
    if (random_next() % 3)
        return;
    p->sack = random_next() % 2;
    p->dsack = random_next() % 2;
    p->timestamps = random_next() % 2;
    p->recovery = random_next() % 4;
    p->reduction = random_next() % 3;
    p->halving_least = random_next() % 2;
    p->spurious = random_next() % 3;
    p->congestion = random_next() % 2;
    p->tail_probe = random_next() % 2;
    p->limited_transmit = random_next() % 2;
    p->impatient = random_next() % 2;
    p->nagle = random_next() % 2;
    p->burst = random_next() % 4;
    p->count_octets = random_next() % 3;
    p->ack_every = (uint32_t)random_in(1, 4);
    p->send_buffer_octets = random_next() % 2 ? random_in(1000, 100000) : 0;
    p->window_scale = random_next() % 2 ? (uint32_t)random_in(1, 14) : 0;
}

static void random_world(struct world *world, struct pair *pair)
{
    memset(world, 0, sizeof *world);
    world->lose_ppm = random_next() % 3 ? (uint32_t)random_in(0, 150000) : 0;
    world->twice_ppm = random_next() % 3 ? 0 : (uint32_t)random_in(0, 50000);
    world->later_ppm = random_next() % 2 ? 0 : (uint32_t)random_in(0, 200000);
    world->mark_ppm = random_next() % 2 ? 0 : (uint32_t)random_in(0, 300000);
    world->later_most_ns = random_in(1, 3000) * MS_IN_NS;
    world->quiet_after_ns = 3000 * S_IN_NS;
    for (int i = 0; i < 2; i++) {
        random_profile(&world->profile[i]);
        world->profile[i].ecn = random_next() % 2;
        world->profile[i].retries = world->profile[i].syn_retries = 100;
        world->to_write[i] = random_next() % 4 ? random_in(0, OCTETS_MOST) : 0;
        world->arrived[i] = calloc(1, OCTETS_MOST + 1);
    }
    pair_setup(pair, &world->profile[0], &world->profile[1]);
    pair->more = world;
    for (int i = 0; i < 2; i++) {
        pair->end[i].hold = random_next() % 4 == 0;
        pair->way[i].fate = fate;
        pair->way[i].delay_ns = random_in(0, 2000) * MS_IN_NS;
        pair->way[i].rate_bit_per_s = random_next() % 2 ? random_in(20000, 1000000) : 0;
        pair->way[i].buffer_octets = random_next() % 2 ? random_in(3000, 100000) : 0;
    }
}

static void release_world(struct world *world, struct pair *pair)
{
    pair_release(pair);
    free(world->arrived[0]);
    free(world->arrived[1]);
}

// --- The book ------------------------------------------------------------------------------------

// The segment that arrives next, if a segment is next.
static void book(struct world *world, const struct pair *pair)
{
    if (pair->packets == 0 || pair->packet[pair->packets - 1].at_ns != pair_next_ns(pair))
        return;
    const struct tcp *segment = &pair->packet[pair->packets - 1].segment;
    int from = segment->source_port;
    world->reset = world->reset || segment->flags & TCP_RST;
    uint32_t at = segment->sequence - pair->end[from].own_isn - 1;
    for (uint32_t i = 0; i < segment->payload.n; i++) {
        assert_true(at + i < world->written[from]);
        world->arrived[from][at + i] = 1;
    }
    while (world->arrived[from][world->prefix[from]])
        world->prefix[from]++;
}

static void check_book(const struct world *world, const struct pair *pair)
{
    for (int i = 0; i < 2; i++)
        assert_true(pair->end[1 - i].figures.received_octets <= world->prefix[i]);
}

// --- The applications ----------------------------------------------------------------------------

static void apply(struct world *world, struct pair *pair, int i)
{
    uint64_t left = world->to_write[i] - world->written[i];
    if (pair->end[i].hold && random_next() % 8 == 0)
        tcp_read(&pair->end[i], random_in(1, 20000), pair->now_ns);
    if (left && random_next() % 4 == 0) {
        uint64_t octets = random_in(1, left);
        world->written[i] += octets;
        tcp_write(&pair->end[i], octets, pair->now_ns);
    } else if (left == 0 && !pair->end[i].closing && random_next() % 4 == 0) {
        tcp_close(&pair->end[i], pair->now_ns);
    }
}

static bool is_over(const struct pair *pair)
{
    return pair->side[0].events[TCP_CLOSED] && pair->side[1].events[TCP_CLOSED];
}

static void run_world(uint32_t number)
{
    struct world world;
    struct pair pair;
    uint32_t idle = 0;
    random_world(&world, &pair);
    pair_connect(&pair);
    while (!is_over(&pair)) {
        for (int i = 0; i < 2; i++)
            if (pair.side[i].events[TCP_OPEN])
                apply(&world, &pair, i);
        book(&world, &pair);
        // Where nothing is under way, an application's turn comes sooner or later.
        idle = pair_step(&pair, END_NS) ? 0 : idle + 1;
        if (idle > 1000)
            fail_msg("world %u: not over at %.3f s: %llu of %llu and %llu of %llu octets", number,
                     (double)pair.now_ns / 1e9,
                     (unsigned long long)pair.end[1].figures.received_octets,
                     (unsigned long long)world.to_write[0],
                     (unsigned long long)pair.end[0].figures.received_octets,
                     (unsigned long long)world.to_write[1]);
        pair_check(&pair);
        check_book(&world, &pair);
    }
    for (int i = 0; i < 2; i++) {
        const struct tcp_figures *mine = &pair.end[i].figures, *peer = &pair.end[1 - i].figures;
        assert_int_equal(peer->received_octets, world.to_write[i]);
        // A last ACK may be lost for good: the peer has forgotten the connection and says so.
        if (!world.reset)
            assert_int_equal(mine->acked_octets, world.to_write[i]);
        assert_int_equal(mine->sent_octets - mine->retransmitted_octets, world.to_write[i]);
        assert_int_equal(pair.side[i].events[TCP_OPEN], 1);
        assert_int_equal(pair.side[i].events[TCP_PEER_CLOSED], 1);
        assert_int_equal(pair.side[i].events[TCP_CLOSED], 1);
        assert_int_equal(pair.side[i].events[TCP_ABORTED], 0);
    }
    release_world(&world, &pair);
}

static void test_random_worlds(void **state)
{
    (void)state;
    random_begin();
    for (uint32_t i = 0; i < WORLDS; i++)
        run_world(i);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_worlds),
    };
    return cmocka_run_group_tests_name("hosts/tcp_random", tests, NULL, NULL);
}

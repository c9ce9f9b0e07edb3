// One flow through a bottleneck, against closed forms: a link that is never idle delivers its rate;
// a round trip is at most the full buffer's time, or the window's where that is less; a queue that
// grows by tens of seconds does not time the sender out. And what such a flow costs.
#include "tests/lab/hosts/tcp_pair.h"

#define EACH_PROFILE(i) (uint32_t i = 0; i < tcp_profile_count; i++)

struct path {
    uint64_t rate_bit_per_s, buffer_octets, seconds, delay_ns;
};

static void run_path(struct pair *pair, const struct tcp_profile *profile, const struct path *path)
{
    pair_setup(pair, profile, profile);
    pair->way[0].rate_bit_per_s = path->rate_bit_per_s;
    pair->way[0].buffer_octets = path->buffer_octets;
    pair->way[0].delay_ns = pair->way[1].delay_ns = path->delay_ns;
    pair_connect(pair);
    tcp_write(&pair->end[0], TCP_UNLIMITED, 0);
    pair_run(pair, path->seconds * S_IN_NS);
}

static uint64_t full_packet_octets(const struct pair *pair)
{
    return pair->end[0].mss_octets + (pair->end[0].timestamps ? 52 : 40);
}

static uint64_t line_ns(uint64_t octets, const struct path *path)
{
    return octets * 8 * S_IN_NS / path->rate_bit_per_s;
}

// A whole RTT of the least window keeps the line busy if the buffer holds more than the path: then
// octets = rate x time, but for the first round trips and what came twice.
static void test_busy_link(void **state)
{
    const struct path path = {100000, 30000, 300, 50 * MS_IN_NS};
    (void)state;
    for
        EACH_PROFILE(i)
        {
            struct pair pair;
            run_path(&pair, &tcp_profiles[i].profile, &path);
            const struct tcp_figures *sender = &pair.end[0].figures, *peer = &pair.end[1].figures;
            uint64_t packets = peer->received_octets / pair.end[0].mss_octets;
            uint64_t used = packets * full_packet_octets(&pair);
            uint64_t carried = path.rate_bit_per_s / 8 * path.seconds;
            print_message("# %s: %.1f %% busy, %llu sent again, RTT at most %.3f s\n",
                          tcp_profiles[i].name, 100.0 * (double)used / (double)carried,
                          (unsigned long long)sender->retransmitted_segments,
                          (double)sender->rtt_most_ns / 1e9);
            assert_true(used >= carried * 98 / 100 && used <= carried);
            assert_int_equal(sender->timeouts, 0);
            // Nothing is sent again but what was lost.
            assert_in_range(sender->retransmitted_segments, pair.way[0].lost * 9 / 10,
                            pair.way[0].lost + 3);
            pair_release(&pair);
        }
}

// The fullest buffer, one packet more in service, both delays; a delayed ACK may add its time.
static void test_longest_round_trip_is_the_buffer(void **state)
{
    const struct path path = {100000, 30000, 300, 50 * MS_IN_NS};
    (void)state;
    for
        EACH_PROFILE(i)
        {
            struct tcp_profile profile = tcp_profiles[i].profile;
            struct pair pair;
            profile.ack_every = 1; // without delayed ACKs
            run_path(&pair, &profile, &path);
            uint64_t most_ns = line_ns(path.buffer_octets, &path) + 2 * path.delay_ns;
            uint64_t packet_ns = line_ns(full_packet_octets(&pair), &path);
            uint64_t most = pair.end[0].figures.rtt_most_ns;
            if (most > most_ns + profile.tick_ns || most < most_ns - packet_ns - profile.tick_ns)
                fail_msg("%s: %.3f s, not %.3f", tcp_profiles[i].name, (double)most / 1e9,
                         (double)most_ns / 1e9);
            pair_release(&pair);
        }
}

// HyStart behind a queue that grows with each segment: the first round is that of the first ten
// segments, the eight samples of ACKs 11 to 18 are the next one's, and the ACK behind them ends
// slow start with the window that it found. So did Linux 6.18 (tests/soak/referee.py).
static void test_slow_start_ends_behind_eight_samples_of_a_round(void **state)
{
    const struct path path = {60000, 0, 1, 250 * MS_IN_NS};
    struct tcp_profile profile = *tcp_profile_find("linux");
    struct pair pair;
    (void)state;
    profile.ack_every = 1;
    run_path(&pair, &profile, &path);
    const struct tcp_end *sender = &pair.end[0];
    while (sender->ssthresh == TCP_UNLIMITED)
        assert_true(pair_step(&pair, 60 * S_IN_NS));
    assert_int_equal(sender->una / sender->mss_octets, 19);
    assert_int_equal(sender->ssthresh / sender->mss_octets, 10 + 18);
    // CUBIC's target is one least round trip (0.7 s) ahead: within 1 s it is at most
    // 0.4 (1 + 0.7)^3 = 2 segments above, of which five ACKs make less than one. One smoothed round
    // trip of this queue, more than 2 s, would be half the window.
    assert_true(sender->srtt_ns > 2 * S_IN_NS);
    pair_run(&pair, pair.now_ns + S_IN_NS);
    assert_int_equal(sender->cwnd / sender->mss_octets, 10 + 18);
    pair_release(&pair);
}

// PRR may go below the threshold while a window with many losses is repaired. That is no slow
// start, which HyStart could end with a threshold that is lower still.
static void test_a_recovery_keeps_its_threshold(void **state)
{
    const struct path path = {12000, 24000, 1, 250 * MS_IN_NS};
    struct tcp_profile profile = *tcp_profile_find("linux");
    struct pair pair;
    (void)state;
    run_path(&pair, &profile, &path);
    const struct tcp_end *sender = &pair.end[0];
    while (sender->phase != TCP_PHASE_RECOVERY)
        assert_true(pair_step(&pair, 60 * S_IN_NS));
    uint64_t threshold = sender->ssthresh, least = sender->cwnd;
    while (sender->phase == TCP_PHASE_RECOVERY) {
        least = sender->cwnd < least ? sender->cwnd : least;
        assert_true(pair_step(&pair, 120 * S_IN_NS));
    }
    assert_true(least < threshold);
    assert_int_equal(sender->ssthresh, threshold);
    assert_int_equal(sender->cwnd, threshold);
    pair_release(&pair);
}

// 10 kbit/s and a buffer of 63 s (buffer-2004): a window of 64 KB fills less than that, so that
// nothing is lost, the longest round trip is the window's, and nothing is ever sent twice.
static void test_63_seconds_of_buffer(void **state)
{
    const struct path path = {10000, 63 * 10000 / 8, 900, 300 * MS_IN_NS};
    (void)state;
    for
        EACH_PROFILE(i)
        {
            struct tcp_profile profile = tcp_profiles[i].profile;
            struct pair pair;
            profile.receive_window_octets = 65535;
            profile.window_scale = 0;
            profile.ack_every = 1;
            run_path(&pair, &profile, &path);
            const struct tcp_figures *sender = &pair.end[0].figures;
            uint64_t packets = 65535 / pair.end[0].mss_octets;
            uint64_t most_ns = line_ns(packets * full_packet_octets(&pair), &path);
            assert_int_equal(pair.way[0].lost, 0);
            assert_int_equal(sender->timeouts, 0);
            assert_int_equal(sender->retransmitted_segments, 0);
            if (sender->rtt_most_ns / (10 * MS_IN_NS) != most_ns / (10 * MS_IN_NS))
                fail_msg("%s: %.3f s, not %.3f", tcp_profiles[i].name,
                         (double)sender->rtt_most_ns / 1e9, (double)most_ns / 1e9);
            pair_release(&pair);
        }
}

static void stall(struct pair *pair, uint64_t ns)
{
    for (uint32_t i = 0; i < pair->packets; i++)
        if (pair->packet[i].segment.source_port == 0)
            pair->packet[i].at_ns += ns;
    pair->way[0].free_ns += ns;
    pair_sort(pair);
}

// The link stands still for 30 s and loses nothing, ten times: the time-outs are none. They end by
// themselves; what finds them (Eifel, F-RTO) sends but the first segment again for each of them,
// NewReno the window once.
static void test_stalls(void **state)
{
    const struct path path = {100000, 0, 60, 50 * MS_IN_NS};
    (void)state;
    for
        EACH_PROFILE(i)
        {
            struct tcp_profile profile = tcp_profiles[i].profile;
            struct pair pair;
            profile.receive_window_octets = 65535;
            profile.window_scale = 0;
            run_path(&pair, &profile, &path);
            for (int stalls = 0; stalls < 10; stalls++) {
                stall(&pair, 30 * S_IN_NS);
                pair_run(&pair, pair.now_ns + 200 * S_IN_NS);
            }
            const struct tcp_figures *sender = &pair.end[0].figures;
            print_message("# %s: %llu time-outs, %llu spurious, %llu of %llu segments again\n",
                          tcp_profiles[i].name, (unsigned long long)sender->timeouts,
                          (unsigned long long)sender->spurious,
                          (unsigned long long)sender->retransmitted_segments,
                          (unsigned long long)sender->sent_segments);
            assert_int_equal(pair.way[0].lost, 0);
            assert_in_range(sender->timeouts, 10, 40);
            bool finds = profile.spurious != TCP_SPURIOUS_NONE;
            assert_int_equal(sender->spurious, finds ? 10 : 0);
            uint64_t window = 65535 / pair.end[0].mss_octets;
            assert_true(sender->retransmitted_segments <=
                        sender->timeouts + (finds ? 10 : 10 * window));
            // The line was busy in all the time that it ran.
            uint64_t octets = pair.end[1].figures.received_octets / pair.end[0].mss_octets *
                              full_packet_octets(&pair);
            uint64_t ran_s = pair.now_ns / S_IN_NS - 10 * 30;
            assert_true(octets >= ran_s * path.rate_bit_per_s / 8 * (finds ? 97 : 75) / 100);
            pair_release(&pair);
        }
}

// Small windows on a long path: window / round trip, exactly.
static void test_window_limits_the_rate(void **state)
{
    const struct path path = {0, 0, 100, 500 * MS_IN_NS};
    (void)state;
    for
        EACH_PROFILE(i)
        {
            struct tcp_profile profile = tcp_profiles[i].profile;
            struct pair pair;
            profile.ack_every = 1;
            profile.mss_octets = 1000 + (profile.timestamps ? 12 : 0);
            profile.receive_window_octets = 8000;
            run_path(&pair, &profile, &path);
            uint64_t rounds = path.seconds - 1; // the handshake takes one
            uint64_t received = pair.end[1].figures.received_octets;
            assert_in_range(received, (rounds - 2) * 8000, rounds * 8000);
            pair_release(&pair);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_busy_link),
        cmocka_unit_test(test_longest_round_trip_is_the_buffer),
        cmocka_unit_test(test_slow_start_ends_behind_eight_samples_of_a_round),
        cmocka_unit_test(test_a_recovery_keeps_its_threshold),
        cmocka_unit_test(test_63_seconds_of_buffer),
        cmocka_unit_test(test_stalls),
        cmocka_unit_test(test_window_limits_the_rate),
    };
    return cmocka_run_group_tests_name("hosts/tcp_bottleneck", tests, NULL, NULL);
}

// Losses at every position of a window, for each profile: the stream arrives whole, and each
// profile repairs it in its own way, with the least that has to be sent again. A window of W
// segments is sent at once; the position counts from its first segment.
#include "tests/lab/hosts/tcp_pair.h"

#define MSS       1000
#define WINDOWS   20
#define DUPTHRESH 3

struct losses {
    uint32_t position[3], times[3]; // how often the segment that begins there is lost
    uint32_t count;
    uint64_t later_ns; // it is not lost, but comes so much later
};

static void lose(struct pair *pair, int from, const struct tcp *segment, bool ect,
                 struct pair_fate *fate)
{
    struct losses *losses = pair->more;
    (void)ect;
    if (from != 0 || segment->payload.n == 0)
        return;
    uint32_t at = segment->sequence - pair->end[0].own_isn - 1;
    for (uint32_t i = 0; i < losses->count; i++) {
        if (at != losses->position[i] * pair->end[0].mss_octets || losses->times[i] == 0)
            continue;
        losses->times[i]--;
        fate->lose = losses->later_ns == 0;
        fate->later_ns = losses->later_ns;
    }
}

// The transfer of so many segments, W of them in the first window. Returns the sender's figures.
static struct tcp_figures transfer(uint32_t profile, uint32_t window, uint32_t segments,
                                   const struct losses *losses)
{
    struct tcp_profile p = tcp_profiles[profile].profile;
    struct losses left = *losses;
    struct pair pair;
    p.mss_octets = MSS + (p.timestamps ? 12 : 0);
    p.initial_window = window;
    pair_setup(&pair, &p, &p);
    pair.more = &left;
    pair.way[0].fate = lose;
    pair_connect(&pair);
    tcp_write(&pair.end[0], (uint64_t)segments * MSS, 0);
    pair_run(&pair, 1000 * S_IN_NS);
    assert_int_equal(pair.end[1].figures.received_octets, segments * MSS);
    assert_int_equal(pair.end[0].figures.acked_octets, segments * MSS);
    for (uint32_t i = 0; i < left.count; i++)
        assert_int_equal(left.times[i], 0);
    struct tcp_figures figures = pair.end[0].figures;
    pair_release(&pair);
    return figures;
}

static bool is(uint32_t profile, const char *name)
{
    return strcmp(tcp_profiles[profile].name, name) == 0;
}

#define EACH_PROFILE(i) (uint32_t i = 0; i < tcp_profile_count; i++)

static void expect(uint32_t profile, uint32_t window, uint32_t position, const char *what,
                   uint64_t got, uint64_t want)
{
    if (got != want)
        fail_msg("%s, window %u, position %u: %llu %s instead of %llu", tcp_profiles[profile].name,
                 window, position, (unsigned long long)got, what, (unsigned long long)want);
}

// Nothing follows the window. With three segments behind the lost one there is a fast retransmit;
// with fewer RACK finds it by time, its tail probe repairs the last one, and the others need the
// time-out.
static void test_one_loss_in_a_last_window(void **state)
{
    (void)state;
    for
        EACH_PROFILE(i)
        {
            for (uint32_t window = 1; window <= WINDOWS; window++) {
                for (uint32_t position = 0; position < window; position++) {
                    const struct losses losses = {{position}, {1}, 1, 0};
                    struct tcp_figures f = transfer(i, window, window, &losses);
                    uint32_t behind = window - 1 - position;
                    bool rack = is(i, "linux");
                    bool fast = behind >= (rack ? 1 : DUPTHRESH);
                    expect(i, window, position, "sent again", f.retransmitted_segments, 1);
                    expect(i, window, position, "fast recoveries", f.fast_recoveries, fast);
                    expect(i, window, position, "probes", f.tail_probes, rack && !fast);
                    expect(i, window, position, "time-outs", f.timeouts, !fast && !rack);
                    expect(i, window, position, "duplicate octets", f.spurious, 0);
                }
            }
        }
}

// With more data behind, even a window of two has its duplicate ACKs, if Limited Transmit asks for
// them.
static void test_one_loss_in_a_long_transfer(void **state)
{
    (void)state;
    for
        EACH_PROFILE(i)
        {
            for (uint32_t window = 2; window <= WINDOWS; window++) {
                for (uint32_t position = 0; position < window; position++) {
                    const struct losses losses = {{position}, {1}, 1, 0};
                    struct tcp_figures f = transfer(i, window, 200, &losses);
                    // Each segment before the lost one lets two more go (one by ACK, one by
                    // growth).
                    uint32_t behind = window - 1 - position + 2 * position;
                    bool fast = behind >= DUPTHRESH || (behind >= 1 && !is(i, "newreno-ns2"));
                    expect(i, window, position, "sent again", f.retransmitted_segments, 1);
                    expect(i, window, position, "fast recoveries", f.fast_recoveries, fast);
                    expect(i, window, position, "time-outs", f.timeouts, !fast);
                }
            }
        }
}

// Any two of a window: each is sent again once, and nothing else, without a time-out.
static void test_two_losses(void **state)
{
    (void)state;
    for
        EACH_PROFILE(i)
        {
            for (uint32_t window = 8; window <= WINDOWS; window += 4) {
                for (uint32_t a = 0; a + 1 < window - 4; a++) {
                    for (uint32_t b = a + 1; b < window - 4; b++) {
                        const struct losses losses = {{a, b}, {1, 1}, 2, 0};
                        struct tcp_figures f = transfer(i, window, 200, &losses);
                        expect(i, window, a * 100 + b, "sent again", f.retransmitted_segments, 2);
                        expect(i, window, a * 100 + b, "fast recoveries", f.fast_recoveries, 1);
                        expect(i, window, a * 100 + b, "time-outs", f.timeouts, 0);
                    }
                }
            }
        }
}

// A retransmission that is lost: only RACK sees it before the time-out.
static void test_lost_retransmission(void **state)
{
    (void)state;
    for
        EACH_PROFILE(i)
        {
            for (uint32_t position = 0; position < 10; position++) {
                const struct losses losses = {{position}, {2}, 1, 0};
                struct tcp_figures f = transfer(i, 16, 200, &losses);
                bool rack = is(i, "linux");
                expect(i, 16, position, "time-outs", f.timeouts, !rack);
                if (rack)
                    expect(i, 16, position, "sent again", f.retransmitted_segments, 2);
            }
        }
}

// All of a window but the first or nothing at all: recovery by time-out.
static void test_whole_window(void **state)
{
    (void)state;
    for
        EACH_PROFILE(i)
        {
            const struct losses losses = {{0, 1, 2}, {3, 2, 1}, 3, 0};
            struct tcp_figures f = transfer(i, 3, 3, &losses);
            assert_true(f.timeouts >= 2);
            assert_true(f.retransmitted_segments <= 8);
        }
}

// One segment of a last window comes 10 ms late, behind all others: three of them look like a loss,
// which Eifel finds out; fewer do not, and RACK waits for longer than that.
static void test_reordering(void **state)
{
    (void)state;
    for
        EACH_PROFILE(i)
        {
            for (uint32_t window = 1; window <= WINDOWS; window++) {
                for (uint32_t position = 0; position < window; position++) {
                    const struct losses losses = {{position}, {1}, 1, 10 * MS_IN_NS};
                    struct tcp_figures f = transfer(i, window, window, &losses);
                    bool fast = window - 1 - position >= DUPTHRESH;
                    expect(i, window, position, "sent again", f.retransmitted_segments, fast);
                    expect(i, window, position, "fast recoveries", f.fast_recoveries, fast);
                    expect(i, window, position, "time-outs", f.timeouts, 0);
                    expect(i, window, position, "found out", f.spurious,
                           fast && is(i, "linux-2.4"));
                }
            }
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_loss_in_a_last_window),
        cmocka_unit_test(test_one_loss_in_a_long_transfer),
        cmocka_unit_test(test_two_losses),
        cmocka_unit_test(test_lost_retransmission),
        cmocka_unit_test(test_whole_window),
        cmocka_unit_test(test_reordering),
    };
    return cmocka_run_group_tests_name("hosts/tcp_losses", tests, NULL, NULL);
}

// A mirror's ring: with and without room, round and round against a plain list, and with a reader
// in another thread.
#include "tests/dataplane/mirror/mirror_fixture.h"

#include <pthread.h>

#include "tests/dataplane/random.h"

// ---- Room ----

static void what_does_not_fit_is_missed(void **state)
{
    (void)state;
    static uint8_t octets[980]; // a block of 1024, so that the last one fits exactly
    struct rte_mbuf *m = buffer(octets, sizeof octets), *small = buffer("", 0);
    const uint64_t fit = MIRROR_OCTETS / 1024;
    for (uint64_t i = 0; i < fit + 3; i++) {
        mirror_put(mirror, MIRROR_GN, MIRROR_IN, &m, 1);
        mirror_take(mirror, MIRROR_GN, 1);
    }
    expect_counts(MIRROR_GN, fit, 3);
    mirror_dropped(mirror, m, DROP_llc, stats.of_port[STATS_GB].drop, sizeof octets);
    expect_counts(MIRROR_GB, 0, 1);
    mirror_done(mirror, 1024);
    mirror_put(mirror, MIRROR_GN, MIRROR_IN, (struct rte_mbuf *[]){small, m, small}, 3);
    mirror_take(mirror, MIRROR_GN, 3); // none behind one that is missed in its burst
    expect_counts(MIRROR_GN, fit + 1, 5);
    assert_int_equal(stats.capture_frames, fit + 1);
    assert_int_equal(stats.capture_missed, 6);
    mirror_done(mirror, 2048);
    mirror_put(mirror, MIRROR_GN, MIRROR_IN, (struct rte_mbuf *[]){m, m}, 2);
    mirror_take(mirror, MIRROR_GN, 2);
    expect_counts(MIRROR_GN, fit + 3, 5);
    rte_pktmbuf_free(m);
    rte_pktmbuf_free(small);
}

// Of sizes by chance, through five rings: each comes out as it went in, in its order.
static void round_and_round(void **state)
{
    (void)state;
    static uint8_t octets[2048];
    static uint16_t went[1 << 20];
    uint64_t in = 0, out = 0;
    random_fill(octets, sizeof octets);
    while (mirror->head < 5ULL * MIRROR_OCTETS) {
        uint64_t copied = mirror->count[MIRROR_GN].copied;
        for (uint32_t n = (uint32_t)random_in(1, 12000); n > 0; n--) {
            went[in % (1 << 20)] = (uint16_t)random_in(0, 1500);
            put(MIRROR_GN, MIRROR_IN, buffer(octets + in % 500, went[in % (1 << 20)]));
            in += mirror->count[MIRROR_GN].copied > copied;
            copied = mirror->count[MIRROR_GN].copied;
        }
        uint32_t waiting, taken = 0;
        const uint8_t *at = mirror_waiting(mirror, &waiting);
        uint32_t most = (uint32_t)random_in(0, waiting),
                 whole = mirror_whole_blocks(at, waiting, most);
        for (; taken < whole; taken += word_at(at + taken + 4), out++) {
            assert_int_equal(word_at(at + taken + 20), went[out % (1 << 20)]);
            assert_memory_equal(at + taken + 28, octets + out % 500, went[out % (1 << 20)]);
        }
        assert_int_equal(taken, whole);
        assert_true(whole == waiting || whole + word_at(at + whole + 4) > most);
        mirror_done(mirror, whole);
    }
    assert_true(mirror->count[MIRROR_GN].missed > 0);
    assert_true(out <= in && in - out < 1 << 20);
}

// ---- Two threads ----

#define FRAMES 200000u

static bool writer_ended;
static uint64_t read_frames, wrong_frames;

// Each block that comes is whole and of a later frame.
static void *read_all(void *unused)
{
    uint64_t next = 0, counted = 0;
    for (bool last = false;;) {
        uint32_t waiting;
        const uint8_t *at = mirror_waiting(mirror, &waiting), *end = at + waiting;
        for (; at < end; at += word_at(at + 4), read_frames++) {
            uint64_t number, again;
            uint32_t octets = word_at(at + 20);
            memcpy(&number, at + 28, sizeof number);
            memcpy(&again, at + 28 + octets - sizeof again, sizeof again);
            wrong_frames += number < next || number != again || octets != 16 + number % 1000 ||
                            word_at(at + word_at(at + 4) - 4) != word_at(at + 4);
            next = number + 1;
        }
        mirror_done(mirror, waiting);
        uint64_t count = __atomic_load_n(&mirror->count[MIRROR_GN].copied, __ATOMIC_RELAXED);
        wrong_frames += count < counted;
        counted = count;
        if (last)
            return unused;
        last = __atomic_load_n(&writer_ended, __ATOMIC_ACQUIRE);
    }
}

static void a_reader_in_another_thread(void **state)
{
    (void)state;
    pthread_t reader;
    struct rte_mbuf *m = rte_pktmbuf_alloc(pool);
    assert_int_equal(pthread_create(&reader, NULL, read_all, NULL), 0);
    for (uint64_t i = 0; i < FRAMES; i++) {
        m->data_len = (uint16_t)(16 + i % 1000);
        m->pkt_len = m->data_len;
        memcpy(rte_pktmbuf_mtod(m, void *), &i, sizeof i);
        memcpy(rte_pktmbuf_mtod_offset(m, void *, m->data_len - sizeof i), &i, sizeof i);
        mirror_put(mirror, MIRROR_GN, MIRROR_IN, &m, 1);
        mirror_take(mirror, MIRROR_GN, 1);
    }
    __atomic_store_n(&writer_ended, true, __ATOMIC_RELEASE);
    pthread_join(reader, NULL);
    rte_pktmbuf_free(m);
    assert_int_equal(wrong_frames, 0);
    assert_true(read_frames > 0);
    expect_counts(MIRROR_GN, read_frames, FRAMES - read_frames);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        MIRROR_TEST(what_does_not_fit_is_missed),
        MIRROR_TEST(round_and_round),
        MIRROR_TEST(a_reader_in_another_thread),
    };
    return cmocka_run_group_tests_name("mirror_ring", tests, open_pool, eal_fixture_teardown);
}

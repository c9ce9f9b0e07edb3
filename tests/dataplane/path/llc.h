// LLC frames of control's for the tests of what becomes of them: made by their number, known again
// and judged octet for octet as they come out, and a world of two NSEs to send them in.
#ifndef SLUICE_TESTS_DATAPLANE_PATH_LLC_H
#define SLUICE_TESTS_DATAPLANE_PATH_LLC_H

#include <string.h>

#include "dataplane/base/units.h"
#include "tests/dataplane/path/path.h"

#define FRAMES_MAX 4096

// What came out.
static struct {
    uint32_t ms, number;
    uint16_t bvci, octets, lifetime_cs;
    uint32_t received; // N-PDUs before it
} went[FRAMES_MAX];
static uint32_t wents;

// Each is of a length and a content that follow from its number; it is no UI frame.
static inline size_t frame_of(uint32_t number, uint8_t octets[1526])
{
    size_t n = number % 7 == 6 ? 1526 : 5 + number * 37 % 300;
    path_fill(octets, n, number);
    octets[0] = 0x41;
    octets[1] = 0xe3;
    octets[2] = (uint8_t)(number >> 8);
    octets[3] = (uint8_t)number;
    return n;
}

static inline const uint8_t *expect_octets(const uint8_t *b, const void *wanted, size_t n)
{
    assert_memory_equal(b, wanted, n);
    return b + n;
}

static inline void judge(const struct ip_datagram *d)
{
    uint8_t wanted[1526];
    const uint8_t *b = d->octets;
    uint32_t tlli = (uint32_t)b[5] << 24 | (uint32_t)b[6] << 16 | (uint32_t)b[7] << 8 | b[8];
    uint32_t ms = tlli & 0xffff;
    assert_true(ms < PATH_MSS && p.ms[ms].made && p.ms[ms].tlli == tlli);
    assert_int_equal(b[2] << 8 | b[3], p.bvc[p.ms[ms].bvc].bvci);
    expect_octets(expect_octets(b, "\0\0", 2) + 2, "\0", 1);
    // QoS: best effort, no LLC acknowledgement in it, signalling, acknowledged RLC; then a
    // lifetime.
    b = expect_octets(b + 9, "\0\0\x21\x16\x82", 5);
    uint16_t lifetime_cs = (uint16_t)(b[0] << 8 | b[1]);
    b = expect_octets(b + 2, p.ms[ms].options, p.ms[ms].options_n);
    assert_int_equal(b[0], 0x0e);
    size_t header = b[1] & 0x80 ? 2 : 3;
    size_t n = header == 2 ? b[1] & 0x7fu : (size_t)(b[1] << 8 | b[2]);
    b += header;
    assert_int_equal(n, (size_t)(d->octets + d->n - b));
    uint32_t number = (uint32_t)b[2] << 8 | b[3];
    assert_int_equal(n, frame_of(number, wanted));
    assert_memory_equal(b, wanted, n);
    assert_true(wents < FRAMES_MAX);
    went[wents].ms = ms;
    went[wents].number = number;
    went[wents].octets = (uint16_t)n;
    went[wents].bvci = (uint16_t)(d->octets[2] << 8 | d->octets[3]);
    went[wents].received = p.down_received;
    went[wents++].lifetime_cs = lifetime_cs;
    uint32_t nsvc = 0;
    while (!p.nsvc[nsvc].made || memcmp(path_ends_gb(nsvc).source, d->ends.destination, 16) != 0)
        assert_true(++nsvc < PATH_NSVCS);
    assert_int_equal(p.nsvc[nsvc].nse, p.bvc[p.ms[ms].bvc].nse);
}

static uint32_t numbers;

static inline void give(uint32_t ms)
{
    uint8_t octets[1526];
    uint32_t n = (uint32_t)frame_of(numbers++, octets);
    DO(llc, .ms_id = ms, .pdu = {octets, n});
}

// NSE 0 with cells 0 and 1, NSE 1 with cell 2; MSs are the caller's.
static inline void open_world(uint32_t workers, bool ipv6)
{
    struct dp_config c = path_config(workers);
    c.gb.mtu_octets = 1700; // the largest frame goes in one piece
    path_open(&c);
    wents = numbers = 0;
    p.on_llc = judge;
    path_ggsn(0, ipv6);
    for (uint32_t nse = 0; nse < 2; nse++) {
        path_nse(nse);
        path_nsvc(nse, nse, ipv6, 1);
    }
    for (uint32_t bvc = 0; bvc < 3; bvc++)
        path_bvc(bvc, bvc / 2, (uint16_t)(2 + bvc));
}

static inline void answers_are(uint64_t answers, uint64_t unsent)
{
    uint64_t sum = 0, none = 0;
    for (uint32_t w = 0; w < p.workers; w++) {
        sum += dp_stats(dp_worker(p.dp, w))->of_port[STATS_GB].answers;
        none += dp_stats(dp_worker(p.dp, w))->of_port[STATS_GB].answers_unsent;
    }
    assert_int_equal(sum, answers);
    assert_int_equal(none, unsent);
}

#endif

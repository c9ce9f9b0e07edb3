// An MS of the lab under any row of LLC PDUs and N-PDUs, in buffers that end with them: no N-PDU
// comes out that is empty or too long, the books agree after each step, and a frame that LLC
// refuses changes nothing in the MS. A step is an octet that says what it is, a length of two
// octets, and that many octets. A frame's FCS is made good, and the frame is enciphered, if the
// step says so.
#include <string.h>

#include "lab/ms/ms_parts.h"
#include "tests/fuzz/check.h"
#include "tests/lab/ms/books.h"
#include "tests/oracle/fcs.h"

#define NPDU_OCTETS_MAX (SNDCP_SEGMENTS_MAX * (uint32_t)LLC_N201_U_MAX)

enum { STEP_FRAME, STEP_GOOD_FRAME, STEP_NPDU, STEP_CONTEXT, STEP_TERMS, STEPS };

static struct ms_counters counters;
static struct ms_shared shared;
static struct ms ms;
static struct ms_sgsn sgsn;

static uint64_t npdus_lost, excused;

static void lost(void *self, struct ms *of, uint8_t nsapi, const uint8_t *npdu, uint32_t octets,
                 enum ms_lost why, uint64_t now_ns)
{
    (void)self, (void)of, (void)now_ns;
    CHECK(octets > 0 && octets <= NPDU_OCTETS_MAX && nsapi >= 5 && nsapi <= 15);
    CHECK(why < MS_LOST_COUNT);
    volatile uint8_t last = npdu[octets - 1];
    (void)last;
    npdus_lost++;
}

// As a host in the MS answers.
static void down(void *self, struct ms *of, uint8_t nsapi, const uint8_t *npdu, uint32_t octets,
                 uint64_t now_ns)
{
    (void)self;
    CHECK(octets > 0 && octets <= NPDU_OCTETS_MAX);
    CHECK(nsapi >= 5 && nsapi <= 15);
    volatile uint8_t last = npdu[octets - 1];
    (void)last;
    CHECK(books_wrong(&counters) == NULL);
    if (npdu[0] % 2)
        ms_up(of, nsapi, npdu, octets, now_ns);
}

static void up(void *self, struct ms *of, const uint8_t *llc, uint32_t octets, uint64_t now_ns)
{
    volatile uint8_t last = llc[octets - 1];
    (void)self, (void)of, (void)last, (void)now_ns;
    CHECK(octets >= 5 && octets <= MS_FRAME_OCTETS_MAX);
}

static void make_good(uint8_t *frame, uint32_t n)
{
    if (n < LLC_UI_HEADER_OCTETS + LLC_FCS_OCTETS)
        return;
    bool is_ui = (frame[1] & LLC_UI_FORMAT_MASK) == LLC_UI_FORMAT;
    uint32_t covered = n - LLC_FCS_OCTETS;
    if (is_ui && !(frame[2] & LLC_BIT_PM) && covered > LLC_UI_HEADER_OCTETS + LLC_N202_OCTETS)
        covered = LLC_UI_HEADER_OCTETS + LLC_N202_OCTETS;
    uint32_t value = plain_fcs(frame, covered);
    for (uint32_t i = 0; i < LLC_FCS_OCTETS; i++)
        frame[n - LLC_FCS_OCTETS + i] = (uint8_t)(value >> 8 * i);
    uint32_t lle = ms_lle_of(frame[0] & 15);
    if (!is_ui || lle == MS_LLES || !ms.gea || !(frame[2] & LLC_BIT_E) || n > MS_FRAME_OCTETS_MAX)
        return;
    uint32_t nu = (frame[1] & 7u) << 6 | frame[2] >> 2;
    ms_cipher_frame(&ms, frame[0] & 15, ms_number_down(ms.lle[lle].down_next, nu), CIPHER_DOWNLINK,
                    frame, n);
}

static uint64_t refused_by_llc(void)
{
    return counters.refused[MS_REFUSED_llc].packets + counters.refused[MS_REFUSED_xid].packets +
           counters.refused[MS_REFUSED_cipher].packets + counters.refused[MS_REFUSED_long].packets +
           counters.refused[MS_REFUSED_deciphered].packets;
}

static void give(uint8_t *frame, uint32_t n)
{
    struct ms before = ms;
    struct ms_what what;
    uint64_t refused = refused_by_llc();
    struct ms_stamp stamp = ms_sgsn_sent(&sgsn, frame, n);
    ms_read(&ms, stamp, frame, n, &what);
    CHECK(memcmp(&before, &ms, sizeof ms) == 0);
    uint64_t faults = shared.faults;
    bool is_refused = ms_down_stamped(&ms, stamp, frame, n, 0) != MS_REFUSED_COUNT;
    excused += is_refused && shared.faults == faults;
    CHECK(refused == refused_by_llc() || memcmp(&before, &ms, sizeof ms) == 0);
}

static void set_terms(const uint8_t *b, uint32_t n)
{
    struct ms_terms terms = {.gea = n == 8    ? 3
                                    : n == 16 ? 4
                                              : 0,
                             .n201_u_octets = n % 2 ? 1520 : 140,
                             .kc = {b, n}};
    CHECK(ms_set_terms(&ms, &terms) == 0);
}

static void step(uint8_t what, uint8_t *b, uint32_t n)
{
    if (what % STEPS == STEP_GOOD_FRAME)
        make_good(b, n);
    if (what % STEPS <= STEP_GOOD_FRAME)
        give(b, n);
    else if (what % STEPS == STEP_NPDU)
        ms_up(&ms, what / STEPS % 16, b, n, 0);
    else if (what % STEPS == STEP_TERMS)
        set_terms(b, n);
    else if (n % 2)
        ms_remove_context(&ms, what / STEPS % 16, 0);
    else
        ms_add_context(&ms, what / STEPS % 16, n % 16);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct ms_config config = {1520, 1, size % 2};
    const struct ms_owner owner = {NULL, down, lost, up};
    const struct ms_terms terms = {.n201_u_octets = 1520};
    memset(&counters, 0, sizeof counters);
    npdus_lost = excused = 0;
    ms_shared_setup(&shared, &config, &owner);
    CHECK(ms_setup(&ms, &shared, &counters, &terms) == 0);
    ms_sgsn_setup(&sgsn, &ms);
    CHECK(ms_add_context(&ms, 5, 3) == 0 && ms_add_context(&ms, 6, 11) == 0);
    for (size_t at = 0; size - at >= 3;) {
        uint32_t n = (uint32_t)data[at + 1] << 8 | data[at + 2], left = (uint32_t)(size - at - 3);
        n = n < left ? n : left;
        uint8_t *octets = malloc(n ? n : 1);
        memcpy(octets, data + at + 3, n);
        step(data[at], octets, n);
        free(octets);
        CHECK(books_wrong(&counters) == NULL);
        at += 3 + n;
    }
    ms_release(&ms, 0);
    CHECK(books_wrong(&counters) == NULL && counters.npdus_open == 0);
    CHECK(counters.npdus_begun == counters.npdus_delivered + npdus_lost);
    CHECK(shared.faults + excused >= books_faults(&counters));
    ms_shared_release(&shared);
    return 0;
}

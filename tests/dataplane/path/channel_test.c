// The uplink over a bad channel: frames that are lost, come twice, late, or in another order. What
// comes out of that a plain model says (model.h); then the edges of the window
// (TS 44.064 8.4.2).
#include <stdlib.h>

#include "tests/dataplane/path/model.h"
#include "tests/dataplane/path/turns.h"
#include "tests/dataplane/random.h"

#define CHANNEL_FRAMES 8192u
#define CHANNEL_MSS    12u

// A frame under way to the SGSN, and when it arrives among those of its MS.
struct under_way {
    struct model_frame is;
    uint32_t arrives;
    struct ip_frame frame;
};
static struct under_way channel[CHANNEL_FRAMES];
static uint32_t in_channel;

static void put_into_channel(const struct model_frame *is, uint32_t arrives,
                             const struct ip_frame *frame)
{
    assert_true(in_channel < CHANNEL_FRAMES);
    channel[in_channel++] = (struct under_way){*is, arrives, *frame};
}

static bool one_in(uint32_t n)
{
    return n && random_next() % n == 0;
}

// Lost one time in 10, twice one time in 8, late by up to 30 frames one time in `late_one_in` (0:
// never).
static void send_through_channel(uint32_t pdp, size_t octets, uint32_t late_one_in)
{
    static struct ip_frame frames[UL_SEGMENTS_MAX];
    static uint8_t npdu[1500];
    struct ul_ms *up = &p.ms[p.pdp[pdp].ms].up;
    uint8_t sapi = p.pdp[pdp].sapi, nsapi = p.pdp[pdp].nsapi;
    struct ul_cell cell = path_cell(p.ms[p.pdp[pdp].ms].bvc);
    struct model_frame is = {pdp, up->next_ui[sapi], path_seed(), up->next_npdu[nsapi], 0, 0, 0};
    path_fill(npdu, octets, is.seed);
    is.octets = (uint16_t)octets;
    is.segments = (uint8_t)ul_send(up, &cell, sapi, nsapi, npdu, octets, frames);
    for (; is.segment < is.segments; is.segment++, is.number++) {
        uint32_t late = one_in(late_one_in) ? (uint32_t)random_in(1, 30) : 0;
        if (one_in(10))
            continue;
        put_into_channel(&is, is.number + late, &frames[is.segment]);
        if (one_in(8))
            put_into_channel(&is, is.number + (uint32_t)random_in(1, 30), &frames[is.segment]);
    }
}

static int by_arrival(const void *a, const void *b)
{
    const struct under_way *x = a, *y = b;
    if (x->arrives != y->arrives)
        return x->arrives < y->arrives ? -1 : 1;
    if (x->is.number != y->is.number)
        return x->is.number < y->is.number ? -1 : 1;
    return x->is.pdp < y->is.pdp ? -1 : x->is.pdp > y->is.pdp;
}

static void empty_channel(struct model *model)
{
    qsort(channel, in_channel, sizeof channel[0], by_arrival);
    for (uint32_t i = 0; i < in_channel; i++) {
        const struct model_frame *is = &channel[i].is;
        assert_true(path_give(STATS_GB, path_worker_of_bvc(p.ms[p.pdp[is->pdp].ms].bvc),
                              &channel[i].frame));
        if (model_take(model, is))
            path_expect(&p.pdp[is->pdp].up, is->seed, is->octets);
        if (one_in(12))
            path_poll();
    }
    in_channel = 0;
    path_poll();
}

// Two contexts of each MS, on one LLE or on two.
static void a_bad_channel(uint32_t late_one_in, uint16_t n201_u_most)
{
    static struct model model;
    uint32_t sent = 0, came = 0;
    struct dp_config c = path_config(1);
    random_begin();
    memset(&model, 0, sizeof model);
    turns_open(&c, 6);
    for (uint32_t ms = 0; ms < CHANNEL_MSS; ms++) {
        turns_ms(ms, (uint16_t)random_in(140, n201_u_most), turns_geas[ms % 3]);
        p.ms[ms].up.unprotected = false;
        path_pdp(CHANNEL_MSS + ms, ms, 0, (uint8_t)(5 + (ms + 1) % 11), turns_sapis[ms / 3], 0, -1);
    }
    for (uint32_t round = 0; round < 120 / (STRIDE > 1 ? 4 : 1); round++) {
        for (uint32_t i = 0; i < 16 * CHANNEL_MSS; i++, sent++)
            send_through_channel((uint32_t)random_in(0, 2 * CHANNEL_MSS - 1), random_in(1, 1500),
                                 late_one_in);
        empty_channel(&model);
    }
    for (uint32_t pdp = 0; pdp < 2 * CHANNEL_MSS; pdp++) {
        assert_int_equal(p.pdp[pdp].up.received, p.pdp[pdp].up.sent);
        came += p.pdp[pdp].up.received;
    }
    print_message("# %u of %u N-PDUs came, %lu duplicates\n", came, sent,
                  (unsigned long)path_dropped(DROP_llc_duplicate).packets);
    assert_in_range(came, sent / 10, sent - sent / 50);
    assert_int_equal(path_dropped(DROP_llc_duplicate).packets, model.duplicates);
    assert_int_equal(path_dropped(DROP_segment_order).packets, model.out_of_order);
    assert_int_equal(dp_held(dp_worker(p.dp, 0), STATS_GB).inner.packets, model_held(&model));
    path_close();
}

static void losses_and_repeats(void **state)
{
    (void)state;
    a_bad_channel(0, 1520);
}

static void reordering_within_the_window(void **state)
{
    (void)state;
    a_bad_channel(6, 1520);
}

static void reordering_of_small_segments(void **state)
{
    (void)state;
    a_bad_channel(10, 300);
}

// ---- The window's edge (TS 44.064 8.4.2) ----

// An N-PDU of one frame that is held back; it is to come after what is expected already, or never.
static void held_back(uint32_t pdp, const struct ul_cell *cell, struct ip_frame *late)
{
    uint8_t npdu[10] = {0};
    path_fill(npdu, sizeof npdu, 0);
    ul_send(&p.ms[p.pdp[pdp].ms].up, cell, p.pdp[pdp].sapi, p.pdp[pdp].nsapi, npdu, sizeof npdu,
            late);
}

static void give_late(uint32_t pdp, const struct ip_frame *late, bool comes)
{
    uint64_t before = p.up_received;
    if (comes)
        path_expect(&p.pdp[pdp].up, 0, 10);
    assert_true(path_give(STATS_GB, 0, late));
    path_poll();
    assert_int_equal(p.up_received - before, comes);
}

// Frame 600 of one MS comes when 600 + ahead was the newest.
static void expect_late_frame(uint8_t gea, uint32_t ahead, bool comes)
{
    static struct ip_frame late;
    struct dp_config c = path_config(1);
    turns_open(&c, 6);
    turns_ms(0, 500, gea);
    struct ul_cell cell = path_cell(0);
    for (uint32_t i = 0; i <= 600 + ahead; i++) {
        if (i == 600)
            held_back(0, &cell, &late);
        else
            path_up(0, 10);
        path_poll();
    }
    give_late(0, &late, comes);
    assert_int_equal(path_dropped(DROP_llc_fcs).packets, !comes);
    path_close();
}

// 32 behind V(UR), which is one more than the newest, may be new. With one more it has the number
// that it would have ahead, which under a key is noise.
static void a_frame_is_late_by_32_at_most(void **state)
{
    (void)state;
    for (uint8_t gea = 3; gea <= 4; gea++) {
        expect_late_frame(gea, 1, true);
        expect_late_frame(gea, 31, true);
        expect_late_frame(gea, 32, false);
        expect_late_frame(gea, 100, false);
    }
    expect_late_frame(0, 31, true);
}

// As many as 479 in a row may be lost; the overflow counter follows.
static void a_long_gap(void **state)
{
    uint32_t sent = 0;
    struct dp_config c = path_config(1);
    (void)state;
    turns_open(&c, 6);
    for (uint32_t ms = 0; ms < 3; ms++)
        turns_ms(ms, 500, turns_geas[ms]);
    for (uint32_t i = 0; i < 50; i++)
        for (uint32_t ms = 0; ms < 3; ms++) {
            path_up(ms, 40);
            path_poll();
            sent++;
            p.ms[ms].up.next_ui[p.pdp[ms].sapi] += 479;
        }
    assert_true(path_oc_most >= 49 * 480 / 512 * 512);
    assert_int_equal(p.up_received, sent);
    path_expect_all();
    path_close();
}

// What was sent before it moved and comes late does not move it back.
static void a_late_frame_moves_nobody(void **state)
{
    static struct ip_frame late;
    struct dp_config c = path_config(1);
    (void)state;
    turns_open(&c, 6);
    for (uint32_t ms = 0; ms < 3; ms++) {
        struct ul_cell old = path_cell(ms % 2);
        turns_ms(ms, 500, turns_geas[ms]);
        held_back(ms, &old, &late);
        path_up_from(ms, ms % 2 + 2, 20);
        path_poll();
        give_late(ms, &late, true);
        assert_int_equal(p.ms[ms].bvc, ms % 2 + 2);
        path_down(ms, 30);
        path_poll();
    }
    assert_int_equal(p.events[EVENT_moved], 3);
    path_expect_all();
    path_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(losses_and_repeats),
        cmocka_unit_test(reordering_within_the_window),
        cmocka_unit_test(reordering_of_small_segments),
        cmocka_unit_test(a_frame_is_late_by_32_at_most),
        cmocka_unit_test(a_long_gap),
        cmocka_unit_test(a_late_frame_moves_nobody),
    };
    return cmocka_run_group_tests_name("path_channel", tests, path_start_eal, NULL);
}

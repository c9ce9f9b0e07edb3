// Property S8 for the whole path: whatever happens, each packet that came in has come out, was
// dropped by a reason that is counted, or is still there; at every return of dp_poll by the
// dataplane's own books, at the end by what its neighbours have counted; and no buffer is lost.
#include "tests/dataplane/path/path.h"

#include <errno.h>
#include <string.h>

#include "dataplane/base/units.h"
#include "tests/dataplane/path/cipher.h"
#include "tests/dataplane/random.h"

#ifdef __SANITIZE_ADDRESS__
#define LESS 3 // a sample: instrumented code is some twenty times slower
#else
#define LESS 1
#endif

static const uint8_t geas[] = {0, 3, 4};

// `cells` cells in each of `nses` NSEs, their BVCIs from 2 on; one NS-VC an NSE, one GGSN.
static void open_cells(const struct dp_config *c, uint32_t nses, uint32_t cells)
{
    path_open(c);
    path_ciphers_begin();
    path_ggsn(0, false);
    for (uint32_t nse = 0; nse < nses; nse++) {
        path_nse(nse);
        path_nsvc(nse, nse, nse % 2, 1);
        for (uint32_t i = 0; i < cells; i++)
            path_bvc(nse * cells + i, nse, (uint16_t)(2 + i));
    }
}

static void stop_or_open(uint32_t cells, bool stop)
{
    for (uint32_t bvc = 0; bvc < cells; bvc++)
        path_bvc_flow(bvc, stop ? 0 : TIME_NEVER, 0);
}

static void send_down(uint32_t times, uint32_t pdps)
{
    for (uint32_t i = 0; i < times; i++) {
        path_down(i % pdps, random_in(1, 1500));
        if (i % 32 == 31)
            path_poll();
    }
    path_poll();
}

static uint64_t queued(void)
{
    uint64_t sum = 0;
    for (uint32_t w = 0; w < p.workers; w++)
        sum += dp_queued(dp_worker(p.dp, w)).packets;
    return sum;
}

// With nothing queued: each class's own N-PDUs have gone or were dropped, not another's.
static void expect_classes(void)
{
    assert_int_equal(queued(), 0);
    for (int i = 0; i < CLASS_COUNT; i++) {
        struct stats_drop in = {0, 0}, ended = {0, 0};
        for (uint32_t w = 0; w < p.workers; w++) {
            const struct stats_class *k = &dp_stats(dp_worker(p.dp, w))->of_class[i];
            in.packets += k->in_packets;
            in.octets += k->in_octets;
            ended.packets += k->out_packets;
            ended.octets += k->out_octets;
            for (int reason = 0; reason < DROP_COUNT; reason++) {
                ended.packets += k->drop[reason].packets;
                ended.octets += k->drop[reason].octets;
            }
        }
        assert_true(in.packets > 0);
        assert_int_equal(in.packets, ended.packets);
        assert_int_equal(in.octets, ended.octets);
    }
}

// ---- Ten times as much as goes ----

// Ten cells of 40 kbit/s are offered 400 kbit/s each in all classes, with an AQM that drops and
// lifetimes that end; the uplink goes on beside.
static void ten_times_overload(void **state)
{
    struct dp_config c = path_config(2);
    (void)state;
    random_begin();
    c.queue_packets = 1000;
    c.cell_packets = 150;
    for (int i = 0; i < CLASS_COUNT; i++)
        c.classes.item[i].lifetime_ns = 4 * S_IN_NS;
    open_cells(&c, 2, 5);
    p.lossy_down = true;
    gb_receiver_allow_unfinished(p.gb); // a half-sent one ends with its lifetime
    for (uint32_t ms = 0; ms < 70; ms++) {
        path_ms(ms, ms % 10, (uint16_t)random_in(140, 1520));
        path_pfc(ms, 0, (uint8_t)(ms % CLASS_COUNT));
        path_pdp(ms, ms, 0, 5, 3, 0, -1);
        path_key(ms, geas[ms % 3]);
    }
    for (uint32_t bvc = 0; bvc < 10; bvc++)
        path_bvc_flow(bvc, 40000, 5000);
    for (uint64_t at_ns = 0; at_ns < 20 * S_IN_NS / LESS; at_ns += 10 * MS_IN_NS) {
        path_run_until(at_ns);
        for (uint32_t i = 0; i < 7; i++) // 10 x 400 kbit/s
            path_down((uint32_t)random_in(0, 69), random_in(1, 1500));
        path_up((uint32_t)random_in(0, 69), random_in(1, 1500));
        path_poll();
    }
    path_expect_conservation();
    uint64_t full = path_dropped(DROP_queue_full).packets + path_dropped(DROP_bvc_full).packets;
    print_message("# %lu N-PDUs came, %lu too many, %lu too old\n", (unsigned long)p.down_received,
                  (unsigned long)full, (unsigned long)path_dropped(DROP_expired).packets);
    assert_true(full > 1000 / LESS);
    stop_or_open(10, false);
    path_poll();
    expect_classes();
    path_expect_conservation();
    path_close();
}

// ---- Full queues, and what they were for goes ----

#define MSS 60u

static void open_queues(uint32_t nses, uint32_t queue_packets, uint32_t sent)
{
    struct dp_config c = path_config(nses);
    random_begin();
    c.queue_packets = queue_packets;
    open_cells(&c, nses, 2);
    p.lossy_down = true;
    stop_or_open(2 * nses, true);
    for (uint32_t ms = 0; ms < MSS; ms++) {
        path_ms(ms, ms % (2 * nses), (uint16_t)random_in(140, 1520));
        path_pfc(ms, 0, (uint8_t)(ms % CLASS_COUNT));
        path_pdp(ms, ms, 0, 5, 3, 0, -1);
        path_pdp(MSS + ms, ms, 0, 6, 9, 0, 17);
        path_key(ms, geas[ms % 3]);
    }
    send_down(sent, 2 * MSS);
    assert_int_equal(queued(), sent < queue_packets * nses ? sent : queue_packets * nses);
    // A little goes, so that N-PDUs are half sent.
    for (uint32_t bvc = 0; bvc < 2 * nses; bvc++)
        path_bvc_flow(bvc, 16000, 1000);
    path_run_until(p.now_ns + S_IN_NS);
}

static void open_full_queues(uint32_t nses)
{
    open_queues(nses, 2000, 2 * 2000 * nses);
}

static void end_empty(uint32_t cells)
{
    stop_or_open(cells, false);
    path_poll();
    expect_classes();
    path_expect_conservation();
    path_close();
}

static void contexts_go_with_full_queues(void **state)
{
    (void)state;
    open_full_queues(1);
    for (uint32_t pdp = 0; pdp < 2 * MSS; pdp += 3) {
        path_pdp_remove(pdp);
        path_run_until(p.now_ns + 20 * MS_IN_NS);
        // Another one has its place and NSAPI at once.
        path_pdp(pdp, pdp % MSS, 0, pdp < MSS ? 5 : 6, 11, 0, -1);
        path_down(pdp, random_in(1, 1500));
        path_run_until(p.now_ns + 20 * MS_IN_NS);
    }
    stop_or_open(2, false);
    assert_true(path_dropped(DROP_removed).packets > 100);
    end_empty(2);
}

// 29.281 7.3.1: to TEID 0; last, the TEID that is nobody's and our address.
static void expect_error_indication(const uint8_t *frame, size_t n)
{
    static struct ip_reader reader;
    struct ip_datagram d;
    uint8_t wanted[] = {16, 0, 0, 0, 0, 133, 0, 4, 192, 0, 2, 1};
    for (int i = 0; i < 4; i++)
        wanted[1 + i] = (uint8_t)(p.pdp[0].teid >> (24 - 8 * i));
    assert_int_equal(ip_read(&reader, frame, n, &d), IP_ERR_NONE);
    assert_true(d.n >= 8 + sizeof wanted);
    assert_int_equal(d.octets[1], 26);
    assert_memory_equal(d.octets + 4, "\0\0\0\0", 4);
    assert_memory_equal(d.octets + d.n - sizeof wanted, wanted, sizeof wanted);
}

static void mss_go_with_full_queues(void **state)
{
    (void)state;
    open_full_queues(1);
    p.on_gn = expect_error_indication;
    for (uint32_t ms = 0; ms < MSS; ms++) {
        path_up(ms, 900);
        path_ms_remove(ms);
        path_down((ms + 1) % MSS, 1000); // the last of them to nobody
        path_run_until(p.now_ns + 20 * MS_IN_NS);
    }
    assert_int_equal(queued(), 0);
    assert_true(path_dropped(DROP_removed).packets > 1000);
    assert_int_equal(path_dropped(DROP_unknown_teid).packets, 1);
    end_empty(2);
}

// With its MSs, cells and NS-VC, while the other goes on.
static void an_nse_goes_with_full_queues(void **state)
{
    (void)state;
    open_full_queues(2);
    for (uint32_t ms = 0; ms < MSS; ms++)
        if (ms % 4 < 2) { // of NSE 0
            path_ms_remove(ms);
            path_run_until(p.now_ns + 10 * MS_IN_NS);
        }
    for (uint32_t bvc = 0; bvc < 2; bvc++) {
        DO(bvc_remove, .bvc_id = bvc);
        path_run_until(p.now_ns + 10 * MS_IN_NS);
    }
    path_nsvc_remove(0);
    DO(nse_remove, .nse_id = 0);
    for (uint32_t bvc = 2; bvc < 4; bvc++)
        path_bvc_flow(bvc, TIME_NEVER, 0);
    path_poll();
    assert_true(p.down_received > 1000);
    // And again, under the same ids.
    path_nse(0);
    path_nsvc(0, 0, true, 1);
    path_bvc(0, 0, 2);
    path_bvc(1, 0, 3);
    path_plain_ms(0, 0, 500);
    path_down(0, 1500);
    path_up(0, 1500);
    path_poll();
    assert_int_equal(p.pdp[0].down.received, 1);
    assert_int_equal(p.pdp[0].up.received, 1);
    end_empty(4);
}

static void flushes_and_freezes(void **state)
{
    (void)state;
    open_full_queues(1);
    for (uint32_t i = 0; i < 10 * MSS; i++) {
        uint32_t ms = (uint32_t)random_in(0, MSS - 1);
        if (i % 10 == 0)
            path_ms_flush(ms);
        else if (i % 2)
            DO(ms_freeze, .ms_id = ms);
        else
            DO(ms_release, .ms_id = ms);
        path_down((uint32_t)random_in(0, 2 * MSS - 1), random_in(1, 1500));
        path_run_until(p.now_ns + 10 * MS_IN_NS);
    }
    for (uint32_t ms = 0; ms < MSS; ms++)
        DO(ms_release, .ms_id = ms);
    assert_true(path_dropped(DROP_flushed).packets > 100);
    end_empty(2);
}

// A BVC-RESET: the cell is stopped until it has a bucket again; what is queued stays.
static void resets_keep_what_is_queued(void **state)
{
    (void)state;
    open_full_queues(1);
    uint64_t before = queued();
    for (uint32_t bvc = 0; bvc < 2; bvc++)
        DO(bvc_reset, .bvc_id = bvc);
    path_run_until(p.now_ns + 10 * S_IN_NS);
    assert_int_equal(queued(), before);
    end_empty(2);
}

// ---- With the MS goes its queue ----

static void move_around(uint32_t cells)
{
    uint64_t before = queued(), received = p.down_received;
    for (uint32_t i = 0; i < 10 * MSS; i++) {
        path_ms_move((uint32_t)random_in(0, MSS - 1), (uint32_t)random_in(0, cells - 1));
        path_run_until(p.now_ns + MS_IN_NS);
    }
    assert_int_equal(queued(), before - (p.down_received - received));
}

static void expect_no_loss(uint32_t cells)
{
    stop_or_open(cells, false);
    path_poll();
    assert_int_equal(p.down_received, p.frames_in[STATS_GN]);
    path_expect_all();
    end_empty(cells);
}

static void moves_between_cells_lose_nothing(void **state)
{
    (void)state;
    open_queues(1, 2000, 1500);
    p.lossy_down = false;
    move_around(2);
    expect_no_loss(2);
}

// Also to another worker; who finds its queue full there is dropped as any other.
static void moves_between_nses_lose_nothing(void **state)
{
    (void)state;
    open_queues(3, 3000, 2000);
    p.lossy_down = false;
    move_around(6);
    expect_no_loss(6);
}

// ---- Stopped altogether ----

// FLOW-CONTROL-BVC: tag 1, 10 000 octets, 8000 bit/s, and 5000 and 4000 of them for each MS.
static const uint8_t flow_control[] = {0x00, 0x00, 0x00, 0x02, 0x26, 0x1e, 0x81, 0x01,
                                       0x05, 0x82, 0x00, 0x64, 0x03, 0x82, 0x00, 0x50,
                                       0x01, 0x82, 0x00, 0x32, 0x1c, 0x82, 0x00, 0x28};
static const uint8_t flow_control_ack[] = {0x00, 0x00, 0x00, 0x02, 0x27, 0x1e, 0x81, 0x01};
static uint32_t acks;

static void expect_flow_control(const struct event *event)
{
    assert_int_equal(event->kind, EVENT_ns);
    assert_int_equal(event->nsvc_id, 0);
    assert_int_equal(event->pdu.n, sizeof flow_control);
    assert_memory_equal(event->pdu.at, flow_control, sizeof flow_control);
}

// The acknowledgement comes before anything that the new values let go.
static void expect_ack(const struct ip_datagram *datagram)
{
    assert_int_equal(datagram->n, sizeof flow_control_ack);
    assert_memory_equal(datagram->octets, flow_control_ack, sizeof flow_control_ack);
    assert_int_equal(p.down_received, 0);
    acks++;
}

static void give_flow_control(void)
{
    static struct ip_frame frame;
    struct ip_ends ends = path_ends_gb(0);
    ip_write(&frame, &ends, flow_control, sizeof flow_control);
    assert_true(path_give(STATS_GB, 0, &frame));
}

// R = 0 everywhere, and Gn's buffers all taken; the uplink and control go on as if nothing were.
static void a_stopped_downlink_still_takes_flow_control(void **state)
{
    struct dp_config c = path_config(1);
    (void)state;
    random_begin();
    c.queue_packets = 1000;
    open_cells(&c, 1, 1);
    for (uint32_t ms = 0; ms < 20; ms++)
        path_plain_ms(ms, 0, 500);
    stop_or_open(1, true);
    p.lossy_down = true;
    send_down(3000, 20);
    while (path_give(STATS_GN, 0, &(struct ip_frame){.n = 60})) // no poll takes these
        ;
    for (uint32_t i = 0; i < 100; i++) {
        uint64_t before = p.up_received;
        path_up(i % 20, random_in(1, 1500));
        give_flow_control();
        path_poll();
        assert_int_equal(p.up_received, before + 1);
        assert_int_equal(p.events[EVENT_ns], i + 1);
        path_run_until(p.now_ns + 10 * MS_IN_NS);
        p.on_event = expect_flow_control;
    }
    assert_int_equal(p.down_received, 0);
    assert_int_equal(queued(), 1000);
    p.on_gb = expect_ack;
    acks = 0;
    p.defer = true;
    path_bvc_flow(0, TIME_NEVER, 0);
    DO(send, .nsvc_id = 0, .pdu = {flow_control_ack, sizeof flow_control_ack});
    p.defer = false;
    path_poll();
    assert_int_equal(acks, 1);
    assert_int_equal(p.down_received, 1000);
    path_expect_conservation();
    path_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ten_times_overload),
        cmocka_unit_test(contexts_go_with_full_queues),
        cmocka_unit_test(mss_go_with_full_queues),
        cmocka_unit_test(an_nse_goes_with_full_queues),
        cmocka_unit_test(flushes_and_freezes),
        cmocka_unit_test(resets_keep_what_is_queued),
        cmocka_unit_test(moves_between_cells_lose_nothing),
        cmocka_unit_test(moves_between_nses_lose_nothing),
        cmocka_unit_test(a_stopped_downlink_still_takes_flow_control),
    };
    return cmocka_run_group_tests_name("path_conservation", tests, path_start_eal, NULL);
}

// Windows (dataplane/window) through a whole dataplane: what a flow's share is, which classes are
// touched, and that a context's place, and a worker, keep nothing of a context that has left.
#include "tests/dataplane/path/workers.h"

#include <string.h>

#include "tests/dataplane/window/segment.h"

#define WINDOW_MS 2000u
#define RATE      40000u // of a cell, bit/s: 10000 octets in that time
#define HEADERS   50u    // of a frame of Gn, before its N-PDU

static struct packet came; // on Gn
static uint32_t npdus;

static void keep(enum stats_side side, const uint8_t *frame, size_t n)
{
    if (side != STATS_GN || n <= HEADERS)
        return;
    came.n = (uint32_t)n - HEADERS;
    assert_true(came.n <= sizeof came.octets);
    memcpy(came.octets, frame + HEADERS, came.n);
    npdus++;
}

// The background class has a window, and others have none. contexts: that there is room for.
static void open_for(uint32_t contexts, uint32_t workers, uint64_t window_ns)
{
    struct dp_config c = path_config(workers);
    c.pdps = c.worker_pdps = contexts;
    c.queue_flows = 16;
    c.classes.item[CLASS_BACKGROUND].flows = true;
    c.classes.item[CLASS_BACKGROUND].window_ns = window_ns;
    random_begin();
    path_open(&c);
    path_ggsn(0, false);
    for (uint32_t i = 0; i < workers; i++) {
        path_nse(i);
        path_nsvc(i, i, false, 1);
        path_bvc(i, i, (uint16_t)(2 + i));
        path_bvc_flow(i, RATE, 1000000);
    }
    p.blind = true;
    p.on_frame = keep;
}

static void open_with(uint32_t workers, uint64_t window_ns)
{
    open_for(8, workers, window_ns);
}

static struct draft flow_of(uint32_t pdp)
{
    return (struct draft){.ms = (uint8_t)(1 + pdp), .host = 200, .ms_port = 40000, .host_port = 80};
}

// Sends a packet of the context's MS, or to it, from the MS's cell.
static void send(uint32_t pdp, const struct packet *packet, bool up)
{
    static struct ip_frame frames[UL_SEGMENTS_MAX];
    struct path_ms *ms = &p.ms[p.pdp[pdp].ms];
    struct ul_cell cell = path_cell(ms->bvc);
    if (!up) {
        struct ip_ends ends = path_ends_gn(0);
        path_gpdu(frames, &ends, p.pdp[pdp].teid, packet->octets, packet->n);
        assert_true(path_give(STATS_GN, 0, frames));
    } else {
        unsigned n = ul_send(&ms->up, &cell, p.pdp[pdp].sapi, p.pdp[pdp].nsapi, packet->octets,
                             packet->n, frames);
        for (unsigned i = 0; i < n; i++)
            assert_true(path_give(STATS_GB, path_worker_of_bvc(ms->bvc), &frames[i]));
    }
    path_poll();
}

static void begin(uint32_t pdp)
{
    for (int answer = 0; answer < 2; answer++) {
        struct draft d = flow_of(pdp);
        d.up = !answer;
        d.flags = answer ? SYN | ACK : SYN;
        d.acknowledgement = 1;
        draft_options(&d, 1400, -1);
        struct packet packet = segment_of(&d);
        send(pdp, &packet, d.up);
    }
}

static uint32_t window_after(uint32_t pdp, uint32_t payload_octets)
{
    struct draft d = flow_of(pdp);
    uint32_t before = npdus;
    d.up = true;
    d.flags = ACK;
    d.window = 65535;
    d.payload_octets = payload_octets;
    struct packet packet = segment_of(&d);
    send(pdp, &packet, true);
    assert_int_equal(npdus, before + 1);
    assert_int_equal(came.n, packet.n);
    came.tcp = packet.tcp;
    assert_int_equal(segment_sum(&came) % 0xffff, 0);
    return two(came.octets + came.tcp + 14);
}

// Fills the cell's bucket, and queues so many packets to the context, of one flow or of several.
static void queue(uint32_t pdp, uint32_t packets, bool of_several)
{
    for (uint32_t i = 0; i < packets; i++) {
        struct draft d = flow_of(pdp);
        d.flags = ACK;
        d.ms_port = (uint16_t)(1000 + of_several * i);
        d.payload_octets = 300;
        struct packet packet = segment_of(&d);
        send(pdp, &packet, false);
    }
}

static void a_share_of_the_cell(void **state)
{
    (void)state;
    open_with(1, WINDOW_MS * MS_IN_NS);
    for (uint32_t ms = 0; ms < 3; ms++) {
        path_plain_ms(ms, 0, 500);
        begin(ms);
    }
    assert_int_equal(window_after(0, 0), 10000);
    assert_int_equal(window_after(0, 200), 10000);
    path_bvc_flow(0, RATE, 100); // full from here on
    queue(1, 5, false);
    assert_int_equal(window_after(0, 0), 5000);
    assert_int_equal(window_after(1, 0), 10000);
    queue(2, 2, false);
    assert_int_equal(window_after(0, 0), 3332); // 1666 octets/s
    queue(1, 6, true);
    assert_int_equal(window_after(1, 0), 2800); // of seven flows, two segments
    path_bvc_flow(0, 10 * RATE, 100);
    assert_true(window_after(2, 0) > 30000);
    path_ms_flush(1);
    path_ms_flush(2);
    path_close();
}

// In segments, too: they are N-PDUs by then.
static void an_npdu_in_segments(void **state)
{
    (void)state;
    open_with(1, WINDOW_MS * MS_IN_NS);
    path_plain_ms(0, 0, 140);
    begin(0);
    assert_int_equal(window_after(0, 300), 10000);
    path_close();
}

static struct packet any_packet(void)
{
    static const uint8_t flags[] = {SYN, SYN | ACK, ACK, ACK, ACK | PSH, RST, FIN | ACK};
    struct draft d = flow_of(random_in(0, 1) != 0);
    d.ipv6 = random_in(0, 1);
    d.up = random_in(0, 1);
    d.ms_port = (uint16_t)random_in(0, 3);
    d.flags = flags[random_in(0, sizeof flags - 1)];
    d.window = (uint16_t)random_next();
    d.acknowledgement = 1;
    d.payload_octets = (uint32_t)random_in(0, 200);
    draft_options(&d, 1400, (int)random_in(0, 14));
    struct packet packet = segment_of(&d);
    if (random_in(0, 3) == 3)
        random_fill(packet.octets, packet.n);
    return packet;
}

static struct stats_up counted(void)
{
    return dp_stats(p.worker)->up;
}

// Off everywhere, or in the class: no octet changes, whatever goes either way.
static void without_a_window_no_octet_changes(void **state)
{
    (void)state;
    for (int elsewhere = 0; elsewhere < 2; elsewhere++) {
        open_with(1, elsewhere ? WINDOW_MS * MS_IN_NS : 0);
        path_ms(0, 0, 500);
        path_pfc(0, 0, CLASS_STREAMING);
        path_pdp(0, 0, 0, 5, 3, 0, -1);
        begin(0);
        for (uint32_t i = 0; i < 2000; i++) {
            struct packet packet = any_packet();
            bool up = random_in(0, 1);
            uint32_t before = npdus;
            send(0, &packet, up);
            p.now_ns += S_IN_NS;
            if (!up)
                continue;
            assert_int_equal(npdus, before + 1);
            assert_int_equal(came.n, packet.n);
            assert_memory_equal(came.octets, packet.octets, packet.n);
        }
        assert_int_equal(window_after(0, 0), 65535);
        struct stats_up up = counted();
        assert_int_equal(up.window_lowered + up.window_enough + up.window_unseen + up.window_ends +
                             up.window_flows + up.window_other + up.window_malformed,
                         0);
        path_run_until(p.now_ns + 100 * S_IN_NS);
        path_close();
    }
}

static void a_context_at_the_place_of_another(void **state)
{
    (void)state;
    open_for(1, 1, WINDOW_MS * MS_IN_NS);
    path_plain_ms(0, 0, 500);
    begin(0);
    assert_int_equal(window_after(0, 0), 10000);
    path_pdp_remove(0);
    path_pdp(0, 0, 0, 5, 3, 0, -1);
    assert_int_equal(window_after(0, 0), 65535);
    assert_int_equal(counted().window_unseen, 1);
    begin(0);
    assert_int_equal(window_after(0, 0), 10000);
    path_close();
}

// It may have begun other flows meanwhile.
static void an_ms_that_comes_back(void **state)
{
    (void)state;
    open_with(2, WINDOW_MS * MS_IN_NS);
    path_plain_ms(0, 0, 500);
    begin(0);
    assert_int_equal(window_after(0, 0), 10000);
    path_ms_move(0, 1);
    path_poll();
    assert_int_equal(window_after(0, 0), 65535);
    begin(0);
    assert_int_equal(window_after(0, 0), 10000);
    path_ms_move(0, 0);
    path_poll();
    assert_int_equal(window_after(0, 0), 65535);
    path_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_share_of_the_cell),
        cmocka_unit_test(an_npdu_in_segments),
        cmocka_unit_test(without_a_window_no_octet_changes),
        cmocka_unit_test(a_context_at_the_place_of_another),
        cmocka_unit_test(an_ms_that_comes_back),
    };
    return cmocka_run_group_tests_name("path/window", tests, path_start_eal, NULL);
}

// Control beside the data: commands and PDUs keep their order. A PDU that is sent after a command
// is on the wire behind all that was framed before the command, and before all that is framed after
// it; PDUs keep their order among themselves. Events are in events_test.c.
#include "tests/dataplane/path/control.h"

#include <errno.h>

#define TLLI_STEP 0x10000u

static uint32_t pdu_number(const struct ip_datagram *d)
{
    assert_int_equal(d->n, 8);
    assert_memory_equal(d->octets, "\0\0\0\0\x7f", 5);
    return (uint32_t)d->octets[5] << 16 | (uint32_t)d->octets[6] << 8 | d->octets[7];
}

static int64_t send_pdu(uint32_t nsvc, uint32_t number)
{
    uint8_t pdu[8];
    pdu_put(pdu, number);
    return dp_command(
        p.dp, &(struct command){.op = COMMAND_send, .send = {.nsvc_id = nsvc, .pdu = {pdu, 8}}});
}

static uint32_t pdus_seen;

static void expect_next_pdu(const struct ip_datagram *datagram)
{
    struct ip_ends bss = path_ends_gb(pdus_seen % 2), back = path_ends_gb(pdus_seen % 2);
    memcpy(back.source, bss.destination, 16);
    memcpy(back.destination, bss.source, 16);
    assert_int_equal(pdu_number(datagram), pdus_seen);
    assert_memory_equal(datagram->ends.source, back.source, 32);
    assert_memory_equal(datagram->ends.destination_mac, bss.source_mac, 6);
    assert_int_equal(datagram->ends.destination_port, bss.source_port);
    assert_int_equal(datagram->ends.source_port, bss.destination_port);
    pdus_seen++;
}

// ---- In order with the data ----

static uint32_t tlli_sent; // what control has said last

// From this PDU on frames have the MS's next TLLI: none sooner, none of the old ones later. p's
// receiver and judge refuse whatever else comes.
static void expect_new_tlli(const struct ip_datagram *datagram)
{
    struct path_ms *ms = &p.ms[0];
    assert_int_equal(pdu_number(datagram), pdus_seen++);
    gb_receiver_rename(p.gb, ms->tlli, ms->tlli + TLLI_STEP);
    ms->tlli += TLLI_STEP;
    ms->nsvc = PATH_NONE;
}

static void change_tlli_and_say_so(uint32_t number)
{
    tlli_sent += TLLI_STEP;
    TRY(0, ms_tlli, .ms_id = 0, .tlli = tlli_sent);
    assert_int_equal(send_pdu(0, number), 0);
}

// Polls, and takes a few frames at a time, so that the port often refuses some.
static void poll_and_take(uint32_t most)
{
    uint64_t next_ns;
    path_poll_once(&next_ns);
    path_take(STATS_GB, most);
}

static void changes_amid_traffic(uint32_t gb_tx_frames, uint8_t gea)
{
    uint32_t said = 0, refused;
    open_one_cell(gb_tx_frames);
    path_plain_ms(0, 0, 200);
    path_key(0, gea);
    p.on_gb = expect_new_tlli;
    pdus_seen = 0;
    tlli_sent = p.ms[0].tlli;
    for (uint32_t round = 0; round < 3000; round++) {
        for (uint32_t i = (uint32_t)random_in(0, 3);
             i > 0 && dp_queued(dp_worker(p.dp, 0)).packets < 500; i--)
            path_down(0, random_in(1, 1500));
        for (uint32_t i = (uint32_t)random_in(0, 5); i > 3; i--)
            change_tlli_and_say_so(said++);
        for (uint32_t i = (uint32_t)random_in(0, 3); i > 0; i--)
            poll_and_take((uint32_t)random_in(0, 3 * gb_tx_frames));
    }
    path_poll();
    refused = (uint32_t)dp_stats(dp_worker(p.dp, 0))->of_port[STATS_GB].tx_refused;
    print_message("# %u changes among %lu frames, %u refusals\n", said,
                  (unsigned long)p.frames_out[STATS_GB], refused);
    assert_int_equal(pdus_seen, said);
    assert_int_equal(refused > 100, gb_tx_frames < 100);
    assert_true(said > 500);
    path_expect_all();
    path_close();
}

static void a_pdu_stands_between_before_and_after(void **state)
{
    (void)state;
    changes_amid_traffic(1024, 0);
    changes_amid_traffic(1024, 3);
}

static void also_when_the_port_refuses(void **state)
{
    (void)state;
    changes_amid_traffic(4, 0);
    changes_amid_traffic(15, 4);
    changes_amid_traffic(1, 0);
}

// While PDUs wait for the port, to two NS-VCs by turns, control is told to try again in the end;
// what it was promised goes, in order.
static void pdus_keep_their_order(void **state)
{
    uint32_t sent = 0, again = 0;
    (void)state;
    open_one_cell(8);
    path_nsvc(1, 0, true, 1);
    p.on_gb = expect_next_pdu;
    pdus_seen = 0;
    while (sent < 20000) {
        int64_t answer = send_pdu(sent % 2, sent);
        assert_true(answer == 0 || answer == -EAGAIN);
        sent += answer == 0;
        again += answer == -EAGAIN;
        if (answer == -EAGAIN || random_next() % 400 == 0)
            poll_and_take((uint32_t)random_in(0, 30));
    }
    path_poll();
    assert_int_equal(pdus_seen, 20000);
    assert_true(again > 10);
    path_close();
}

// What the ring has accepted is carried out in order, however full it was.
static void a_full_ring_of_commands_loses_nothing(void **state)
{
    uint32_t accepted = 0;
    (void)state;
    open_one_cell(1024);
    path_plain_ms(0, 0, 200);
    tlli_sent = p.ms[0].tlli;
    for (;; accepted++) {
        int64_t answer = dp_command(
            p.dp, &(struct command){.op = COMMAND_ms_tlli,
                                    .ms_tlli = {.ms_id = 0, .tlli = tlli_sent + TLLI_STEP}});
        if (answer == -EAGAIN)
            break;
        assert_int_equal(answer, 0);
        tlli_sent += TLLI_STEP;
    }
    assert_in_range(accepted, 4000, 4096); // some of its 4096 places may be kept free
    assert_false(dp_settled(p.dp));
    path_poll();
    assert_true(dp_settled(p.dp));
    gb_receiver_rename(p.gb, p.ms[0].tlli, tlli_sent);
    p.ms[0].tlli = p.ms[0].up.tlli = tlli_sent;
    path_down(0, 1000);
    path_up(0, 1000);
    path_poll();
    path_expect_all();
    path_close();
}

// An NS-VC that goes has sent what was to be sent on it before.
static void a_pdu_goes_before_its_nsvc(void **state)
{
    (void)state;
    open_one_cell(64);
    path_nsvc(1, 0, true, 1);
    p.on_gb = expect_next_pdu;
    for (uint32_t i = 0; i < 50; i++) {
        pdus_seen = 1;
        p.hold_frames = true;
        assert_int_equal(send_pdu(1, 1), 0);
        p.defer = true;
        path_nsvc_remove(1);
        p.defer = false;
        path_poll();
        p.hold_frames = false;
        path_poll();
        assert_int_equal(pdus_seen, 2);
        path_nsvc(1, 0, true, 1);
    }
    path_close();
}

// ---- A PDU larger than the MTU, and larger than a buffer ----

static uint8_t large[3000];
static size_t large_n;
static uint32_t larges;

static void expect_large(const struct ip_datagram *d)
{
    assert_int_equal(d->n, large_n);
    assert_memory_equal(d->octets, large, large_n);
    larges++;
}

static void pdus_of_all_sizes(void **state)
{
    (void)state;
    open_one_cell(1024);
    path_nsvc(1, 0, true, 1);
    p.on_gb = expect_large;
    larges = 0;
    memcpy(large, "\x0d\0\0\0", 4); // an NS PDU of a type that the receiver leaves to us
    for (large_n = 1; large_n <= 1500; large_n++) {
        large[large_n - 1] = large_n == 1 ? 0x0d : (uint8_t)(large_n * 7);
        for (uint32_t nsvc = 0; nsvc < 2; nsvc++)
            DO(send, .nsvc_id = nsvc, .pdu = {large, (uint32_t)large_n});
    }
    assert_int_equal(larges, 3000);
    TRY(-ERANGE, send, .nsvc_id = 0, .pdu = {large, 0});
    TRY(-EMSGSIZE, send, .nsvc_id = 0, .pdu = {large, 3000});
    path_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pdu_stands_between_before_and_after),
        cmocka_unit_test(also_when_the_port_refuses),
        cmocka_unit_test(pdus_keep_their_order),
        cmocka_unit_test(a_full_ring_of_commands_loses_nothing),
        cmocka_unit_test(a_pdu_goes_before_its_nsvc),
        cmocka_unit_test(pdus_of_all_sizes),
    };
    return cmocka_run_group_tests_name("path_control", tests, path_start_eal, NULL);
}

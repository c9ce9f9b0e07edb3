// An MS that control puts in standby, or whose LLC PDUs the BSS discards: what waits for it, or
// comes, is told, and nothing goes until it is heard. And one for which control listens, which is
// not held by that.
#include "tests/dataplane/path/hold.h"

// By control's word, whatever `ready_ns` is: held from then on, and what waits then or comes is
// told.
static void control_puts_an_ms_in_standby(void **state)
{
    (void)state;
    open_world(1, 0);
    p.on_event = event_is;
    p.lossy_down = true;
    DO(ms_standby, 0);
    path_run_until(100 * S_IN_NS);
    expect(0, 0, 0); // nothing waits
    down(0);
    expect(0, 1, 0);
    down(0);
    expect(0, 1, 0);
    path_ms_flush(0);
    path_poll();
    down(0);
    expect(0, 2, 0); // still in standby
    path_up(0, 100);
    expect(1, 2, 1);
    down(2);
    DO(ms_freeze, .ms_id = 0);
    down(2);
    DO(ms_standby, 0);
    expect(2, 3, 1); // what waited already
    DO(ms_release, 0);
    expect(3, 3, 1);
    down(4);
    path_up(0, 100);
    expect(4, 3, 1);
    path_close();
}

static void a_standby_by_control_goes_along_with_a_move(void **state)
{
    (void)state;
    for (uint32_t to = 1; to < 3; to++) {
        open_world(2, 0);
        DO(ms_standby, 0);
        path_ms_move(0, to);
        path_run_until(50 * S_IN_NS);
        down(0);
        expect(0, 1, 0);
        path_up(0, 100);
        expect(1, 1, 1);
        close_whole();
    }
}

// Nothing waits for that, but control is told, once; not of an MS that it has moved since.
static void one_that_is_listened_for_is_not_held(void **state)
{
    (void)state;
    open_world(2, 0);
    p.on_event = event_is;
    DO(ms_listen, 0);
    down(1);
    path_up(0, 100);
    expect(1, 0, 1);
    path_up(0, 100);
    expect(1, 0, 1);
    for (uint32_t to = 1; to < 3; to++) {
        DO(ms_listen, 0);
        path_ms_move(0, to);
        path_poll();
        path_up(0, 100);
        expect(to, 0, 1);
        down(to + 1);
    }
    DO(ms_listen, 0);
    DO(ms_freeze, .ms_id = 0);
    down(3);
    path_up(0, 100);
    expect(3, 0, 2); // which ends no hold
    DO(ms_release, 0);
    expect(4, 0, 2);
    close_whole();
}

// Two in vain for each that was discarded, one less for each that goes.
static void discard(uint8_t llc_pdus)
{
    DO(ms_credit, .ms_id = 0, .octets = 300u * llc_pdus, .discarded = llc_pdus);
    path_poll();
}

static void all_that_goes_in_vain_puts_an_ms_in_standby(void **state)
{
    (void)state;
    static const struct {
        uint8_t at_once, times;
    } lost[] = {{1, 23}, {2, 8}, {3, 5}, {11, 2}, {12, 1}, {128, 1}, {255, 1}};
    for (uint32_t i = 0; i < RTE_DIM(lost); i++) {
        uint32_t gone = 0;
        open_world(1, 0);
        p.on_event = event_is;
        for (int n = 0; n < lost[i].times; n++) {
            down(++gone);
            discard(lost[i].at_once);
        }
        expect(gone, 0, 0); // nothing waits
        down(gone);
        down(gone);
        expect(gone, 1, 0);
        discard(255); // of what the BSS has still
        path_run_until(100 * S_IN_NS);
        expect(gone, 1, 0);
        path_up(0, 100);
        expect(gone + 2, 1, 1);
        discard(11); // it begins anew
        down(gone + 3);
        path_up(0, 100);
        expect(gone + 3, 1, 1);
        close_whole();
    }
}

// What waits when the last one is discarded is told at once; not before, because READY is over.
static void one_whose_queue_waits_is_paged_at_once(void **state)
{
    (void)state;
    open_world(1, READY_S);
    p.on_event = event_is;
    DO(ms_bucket, .ms_id = 0, .has_rate_100_bit_per_s = true, .rate_100_bit_per_s = 1,
       .bucket_octets = 400);
    down(1);
    down(1);
    path_run_until((READY_S + 2) * S_IN_NS);
    DO(ms_credit, .ms_id = 0, .octets = 1, .discarded = 1);
    expect(1, 0, 0);
    discard(12);
    expect(1, 1, 0);
    path_up(0, 100);
    expect(2, 1, 1);
    close_whole();
}

static uint32_t of_control;

static void count_of_control(const struct ip_datagram *datagram)
{
    (void)datagram;
    of_control++;
}

// An LLC PDU of control's takes one off, as one of user data does; what is heard or moved begins
// anew.
static void not_while_half_of_all_arrives_or_it_is_heard(void **state)
{
    static const uint8_t frame[] = {0x41, 0xc0, 0x01, 0x08, 0x08, 1, 2, 3};
    (void)state;
    of_control = 0;
    open_world(2, 0);
    p.on_llc = count_of_control;
    for (uint32_t i = 0; i < 20; i++) { // in vain: 22 at most
        discard(11);
        for (uint32_t n = 0; n < 11; n++)
            down(i * 11 + n + 1);
        for (uint32_t n = 0; n < 11; n++)
            DO(llc, .ms_id = 0, .pdu = {frame, sizeof frame});
        path_poll();
    }
    assert_int_equal(of_control, 220);
    discard(11);
    path_up(0, 100);
    path_poll();
    discard(11);
    DO(ms_release, 0);
    discard(11);
    path_ms_move(0, 1);
    discard(11);
    path_ms_move(0, 2);
    discard(11);
    down(221);
    expect(221, 0, 0);
    close_whole();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(control_puts_an_ms_in_standby),
        cmocka_unit_test(a_standby_by_control_goes_along_with_a_move),
        cmocka_unit_test(one_that_is_listened_for_is_not_held),
        cmocka_unit_test(all_that_goes_in_vain_puts_an_ms_in_standby),
        cmocka_unit_test(one_whose_queue_waits_is_paged_at_once),
        cmocka_unit_test(not_while_half_of_all_arrives_or_it_is_heard),
    };
    return cmocka_run_group_tests_name("path_standby", tests, path_start_eal, NULL);
}

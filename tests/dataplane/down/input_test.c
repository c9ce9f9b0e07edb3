// From a frame of Gn into the queues: each limit drops by its own reason, the flow queues are told
// flows apart, and what the AQM refuses at the door is counted and freed.
#include "tests/dataplane/path/path.h"

#include <string.h>

#include "tests/dataplane/wire/judge.h"

// Two MSs of two classes in cell 0, one in cell 1; nothing goes out.
static void open_limited(const struct dp_config *c)
{
    path_open_small_config(c);
    DO(bvc, .bvc_id = 1, .bvci = 3);
    for (uint32_t ms = 0; ms < 3; ms++) {
        path_ms(ms, ms / 2, 500);
        path_pfc(ms, 0, CLASS_BACKGROUND);
        path_pfc(ms, 1, CLASS_STREAMING);
        path_pdp(2 * ms, ms, 0, 5, 3, PATH_NONE, -1);
        path_pdp(2 * ms + 1, ms, 1, 6, 11, PATH_NONE, -1);
    }
    path_bvc_flow(0, 0, 1000);
}

// Ten packets of 100 octets to each of the six contexts, in turn; asserts how many are dropped and
// that the rest is queued.
static void offer(enum drop_reason reason, uint32_t dropped)
{
    for (uint32_t i = 0; i < 60; i++)
        path_offer(i % 6, 100);
    path_poll();
    assert_true(dp_balanced(p.worker));
    assert_int_equal(path_dropped(reason).packets, dropped);
    assert_int_equal(path_dropped(reason).octets, 100 * dropped);
    assert_int_equal(dp_queued(p.worker).packets, 60 - dropped);
    path_close();
}

static void each_limit_drops_by_its_own_reason(void **state)
{
    const struct dp_config good = path_small_config(1000, 16);
    struct dp_config c = good;
    (void)state;
    c.queue_packets = 25;
    open_limited(&c);
    offer(DROP_queue_full, 35);
    c = good;
    c.queue_octets = 2599;
    open_limited(&c);
    offer(DROP_queue_full, 35);
    c = good;
    c.cell_packets = 15; // two cells
    open_limited(&c);
    offer(DROP_bvc_full, 60 - 2 * 15);
    c = good;
    c.ms_packets = 7; // three MSs
    open_limited(&c);
    offer(DROP_ms_full, 60 - 21);
    c = good;
    c.ms_octets = 799;
    open_limited(&c);
    offer(DROP_ms_full, 60 - 21);
    c = good;
    c.classes.item[CLASS_STREAMING].packets = 11; // half of all is of that class
    open_limited(&c);
    offer(DROP_class_full, 30 - 11);
}

// A limit of one MS's queue is its own; another's N-PDUs come in as before.
static void a_full_ms_shuts_out_no_other(void **state)
{
    struct dp_config c = path_small_config(1000, 16);
    (void)state;
    c.ms_packets = 5;
    open_limited(&c);
    for (int i = 0; i < 20; i++)
        path_offer(0, 100);
    path_offer(2, 100);
    path_poll();
    assert_int_equal(path_dropped(DROP_ms_full).packets, 15);
    assert_int_equal(dp_queued(p.worker).packets, 6);
    path_close();
}

static void send_udp(uint32_t pdp, uint16_t port)
{
    uint8_t b[200] = {0x45, 0, 0, 200, 0, 0, 0, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2};
    put_ipv4_checksum(b);
    put16(b + 22, port);
    path_offer_octets(pdp, b, sizeof b);
}

static uint16_t ports[64];
static uint32_t port_count;

static void note_port(const struct gb_npdu *npdu)
{
    assert_true(port_count < 64);
    ports[port_count++] = (uint16_t)(npdu->octets[22] << 8 | npdu->octets[23]);
}

// Behind twenty packets of one flow, one of another waits its turn in one queue; with queues by
// flow it is among the first.
static uint32_t place_of_the_other_flow(bool flows)
{
    struct dp_config c = path_small_config(1000, 64);
    c.queue_flows = 16;
    c.classes.item[CLASS_BACKGROUND].flows = flows;
    open_limited(&c);
    p.on_npdu = note_port;
    port_count = 0;
    for (int i = 0; i < 20; i++)
        send_udp(0, 1);
    send_udp(0, 2);
    path_poll();
    path_bvc_flow(0, TIME_NEVER, 0);
    path_poll();
    assert_int_equal(port_count, 21);
    uint32_t place = 0;
    while (ports[place] != 2)
        place++;
    path_close();
    return place;
}

static void flows_are_told_apart(void **state)
{
    (void)state;
    assert_int_equal(place_of_the_other_flow(false), 20);
    assert_in_range(place_of_the_other_flow(true), 0, 3);
}

// RED without an average (weight 1) and with max_p 1 drops every N-PDU once the queue is at max.
static void what_the_aqm_refuses_is_counted(void **state)
{
    struct dp_config c = path_small_config(1000, 64);
    struct dp_class *class = &c.classes.item[CLASS_BACKGROUND];
    (void)state;
    path_set_aqm(class, "red");
    const struct aqm_ops *ops = aqm_list[class->aqm];
    for (uint32_t i = 0; i < ops->param_count; i++) {
        struct dp_aqm_param *param = &class->aqm_params.item[i];
        if (strcmp(ops->params[i].name, "min") == 0)
            *param = (struct dp_aqm_param){AQM_LEVEL_OCTETS, 1000};
        else if (strcmp(ops->params[i].name, "max") == 0)
            *param = (struct dp_aqm_param){AQM_LEVEL_OCTETS, 2000};
        else if (strcmp(ops->params[i].name, "weight") == 0)
            param->value = 1000000;
        else if (strcmp(ops->params[i].name, "gentle") == 0)
            param->value = 0;
    }
    open_limited(&c);
    for (int i = 0; i < 200; i++)
        path_offer(0, 100);
    path_poll();
    assert_true(dp_balanced(p.worker));
    assert_in_range(dp_queued(p.worker).packets, 10, 21);
    assert_int_equal(path_dropped(DROP_aqm_in).packets + dp_queued(p.worker).packets, 200);
    assert_int_equal(dp_stats(p.worker)->of_class[CLASS_BACKGROUND].in_packets, 200);
    path_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_limit_drops_by_its_own_reason),
        cmocka_unit_test(a_full_ms_shuts_out_no_other),
        cmocka_unit_test(flows_are_told_apart),
        cmocka_unit_test(what_the_aqm_refuses_is_counted),
    };
    return cmocka_run_group_tests_name("down/input", tests, path_start_eal, NULL);
}

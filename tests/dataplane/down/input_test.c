// From a frame of Gn into the queues: each limit drops by its own reason, the flow queues are told
// flows apart, and what the AQM refuses at the door is counted and freed.
#include "tests/dataplane/down/thread.h"

#include <string.h>

// Two MSs of two classes in cell 0, one in cell 1; nothing goes out.
static void open_limited(const struct dp_config *c)
{
    thread_open_config(c);
    thread_do(&(struct command){.op = COMMAND_bvc, .bvc = {.bvc_id = 1, .bvci = 3}});
    for (uint32_t ms = 0; ms < 3; ms++) {
        thread_do(&(struct command){
            .op = COMMAND_ms,
            .ms = {.ms_id = ms, .bvc_id = ms / 2, .tlli = TLLI_FIRST + ms, .n201_u = 500}});
        thread_add_pfc(ms, 0, CLASS_BACKGROUND);
        thread_add_pfc(ms, 1, CLASS_STREAMING);
        thread_add_pdp(2 * ms, ms, 0, 5, 3);
        thread_add_pdp(2 * ms + 1, ms, 1, 6, 11);
    }
    thread_cell(0, 1000);
}

// Ten packets of 100 octets to each of the six contexts, in turn; asserts how many are dropped and
// that the rest is queued.
static void offer(enum drop_reason reason, uint32_t dropped)
{
    for (uint32_t i = 0; i < 60; i++)
        thread_send_frame(thread_gn_frame(t.pdp[i % 6].teid, 100, 0));
    thread_poll_to_rest();
    assert_true(dp_balanced(t.worker));
    assert_int_equal(thread_dropped(reason).packets, dropped);
    assert_int_equal(thread_dropped(reason).octets, 100 * dropped);
    assert_int_equal(dp_queued(t.worker).packets, 60 - dropped);
    thread_close();
}

static void each_limit_drops_by_its_own_reason(void **state)
{
    const struct dp_config good = thread_config(1000, 16);
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
    struct dp_config c = thread_config(1000, 16);
    (void)state;
    c.ms_packets = 5;
    open_limited(&c);
    for (int i = 0; i < 20; i++)
        thread_send_frame(thread_gn_frame(t.pdp[0].teid, 100, 0));
    thread_send_frame(thread_gn_frame(t.pdp[2].teid, 100, 0));
    thread_poll_to_rest();
    assert_int_equal(thread_dropped(DROP_ms_full).packets, 15);
    assert_int_equal(dp_queued(t.worker).packets, 6);
    thread_close();
}

static void send_udp(uint32_t pdp, uint16_t port)
{
    uint8_t b[200] = {0x45, 0, 0, 200, 0, 0, 0, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2};
    thread_put_ip_checksum(b);
    thread_put16(b + 22, port);
    thread_send_octets(pdp, b, sizeof b);
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
    struct dp_config c = thread_config(1000, 64);
    c.queue_flows = 16;
    c.classes.item[CLASS_BACKGROUND].flows = flows;
    open_limited(&c);
    t.on_npdu = note_port;
    port_count = 0;
    for (int i = 0; i < 20; i++)
        send_udp(0, 1);
    send_udp(0, 2);
    thread_poll_to_rest();
    thread_cell(TIME_NEVER, 0);
    thread_poll_and_take_all();
    assert_int_equal(port_count, 21);
    uint32_t place = 0;
    while (ports[place] != 2)
        place++;
    thread_close();
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
    struct dp_config c = thread_config(1000, 64);
    struct dp_class *class = &c.classes.item[CLASS_BACKGROUND];
    (void)state;
    thread_set_aqm(class, "red");
    const struct aqm_ops *ops = aqm_list[class->aqm];
    for (uint32_t i = 0; i < ops->param_count; i++) {
        struct dp_aqm_param *p = &class->aqm_params.item[i];
        if (strcmp(ops->params[i].name, "min") == 0)
            *p = (struct dp_aqm_param){AQM_LEVEL_OCTETS, 1000};
        else if (strcmp(ops->params[i].name, "max") == 0)
            *p = (struct dp_aqm_param){AQM_LEVEL_OCTETS, 2000};
        else if (strcmp(ops->params[i].name, "weight") == 0)
            p->value = 1000000;
        else if (strcmp(ops->params[i].name, "gentle") == 0)
            p->value = 0;
    }
    open_limited(&c);
    for (int i = 0; i < 200; i++)
        thread_send_frame(thread_gn_frame(t.pdp[0].teid, 100, 0));
    thread_poll_to_rest();
    assert_true(dp_balanced(t.worker));
    assert_in_range(dp_queued(t.worker).packets, 10, 21);
    assert_int_equal(thread_dropped(DROP_aqm_in).packets + dp_queued(t.worker).packets, 200);
    assert_int_equal(dp_stats(t.worker)->of_class[CLASS_BACKGROUND].in_packets, 200);
    thread_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_limit_drops_by_its_own_reason),
        cmocka_unit_test(a_full_ms_shuts_out_no_other),
        cmocka_unit_test(flows_are_told_apart),
        cmocka_unit_test(what_the_aqm_refuses_is_counted),
    };
    return cmocka_run_group_tests_name("down/input", tests, thread_start_eal, NULL);
}

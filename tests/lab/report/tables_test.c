// The CSV files of a small run, byte for byte: two MSs in two cells, a flow in both directions,
// losses in two places; and the series of a kind.
#include "lab/report/tables.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dataplane/base/units.h"
#include "lab/report/ledger_series.h"

#define KEYS                                                                               \
    ",direction,sent_packets,sent_octets,delivered_packets,delivered_octets,lost_packets," \
    "lost_octets,under_way_packets,under_way_octets,marked_packets,goodput_bit_per_s,"     \
    "delay_mean_ms,delay_p50_ms,delay_p95_ms,delay_p99_ms,delay_max_ms\n"

static struct ledger ledger;

static void send(uint32_t context, enum ledger_way way, uint16_t id, uint32_t octets, uint32_t flow)
{
    ledger_sent(&ledger, (struct ledger_key){context, way, id}, octets, flow, true, 0);
}

// Context 1 loses one of four packets in the radio before one in the dataplane, and one is under
// way.
static int begin(void **state)
{
    static const char *const a[] = {"queue_full", "aqm_in"}, *const b[] = {"bler"};
    static const struct ledger_place places[] = {{"dataplane", a, a, 2}, {"radio", b, b, 1}};
    (void)state;
    ledger_setup(&ledger);
    ledger_add_place(&ledger, &places[0]);
    ledger_add_place(&ledger, &places[1]);
    ledger_add_cell(&ledger, "101-2");
    ledger_add_cell(&ledger, "101-3");
    ledger_add_ms(&ledger, "001010000000001", 0);
    ledger_add_ms(&ledger, "a \"b\", c", 0);
    ledger_add_context(&ledger, 0, CLASS_COUNT - 1);
    ledger_add_context(&ledger, 1, 0);
    ledger_add_flow(&ledger, "ftp", 0);
    ledger_add_flow(&ledger, "ping", 1);
    ledger_move(&ledger, 1, 1);
    send(0, LEDGER_DOWN, 1, 1500, 0);
    send(0, LEDGER_UP, 1, 40, 0);
    for (uint16_t id = 0; id < 4; id++)
        send(1, LEDGER_DOWN, id, 100, 1);
    ledger_delivered(&ledger, (struct ledger_key){0, LEDGER_DOWN, 1}, 1500, true, 1234567890);
    ledger_delivered(&ledger, (struct ledger_key){0, LEDGER_UP, 1}, 40, false, 5000);
    ledger_lost(&ledger, (struct ledger_key){1, LEDGER_DOWN, 3}, 2, 9);
    ledger_lost(&ledger, (struct ledger_key){1, LEDGER_DOWN, 2}, 1, 9);
    ledger_delivered(&ledger, (struct ledger_key){1, LEDGER_DOWN, 0}, 100, false, 70 * MS_IN_NS);
    return ledger_sound(&ledger) ? 0 : -1;
}

static int finish(void **state)
{
    (void)state;
    ledger_release(&ledger);
    return 0;
}

static void is(const char *name, const char *right)
{
    struct tables tables = {&ledger, 2 * S_IN_NS};
    for (int i = 0; i < TABLES_FILES; i++) {
        if (strcmp(tables_files[i].name, name) != 0)
            continue;
        char *text = NULL;
        size_t n = 0;
        FILE *out = open_memstream(&text, &n);
        tables_files[i].put(&tables, out);
        fclose(out);
        assert_string_equal(text, right);
        free(text);
        return;
    }
    fail();
}

#define OF_0_DOWN \
    ",down,1,1500,1,1500,0,0,0,0,1,6000,1234.567,1234.567,1234.567,1234.567,1234.567\n"
#define OF_0_UP   ",up,1,40,1,40,0,0,0,0,0,160,0.005,0.005,0.005,0.005,0.005\n"
#define OF_1_DOWN ",down,4,400,1,100,2,200,1,100,0,400,70.000,70.000,70.000,70.000,70.000\n"

static void groups(void **state)
{
    (void)state;
    is("classes.csv",
       "class" KEYS "signalling" OF_1_DOWN "background" OF_0_DOWN "background" OF_0_UP);
    is("cells.csv", "cell" KEYS "101-2" OF_0_DOWN "101-2" OF_0_UP "101-3" OF_1_DOWN);
    is("mss.csv", "ms,cell" KEYS "001010000000001,101-2" OF_0_DOWN "001010000000001,101-2" OF_0_UP
                  "\"a \"\"b\"\", c\",101-3" OF_1_DOWN);
    is("flows.csv",
       "flow,application,ms,class" KEYS "0,ftp,001010000000001,background" OF_0_DOWN
       "0,ftp,001010000000001,background" OF_0_UP "1,ping,\"a \"\"b\"\", c\",signalling" OF_1_DOWN);
}

// In the order of the reasons, not of what happened.
static void drops(void **state)
{
    (void)state;
    is("drops.csv", "by,name,direction,place,reason,packets,octets\n"
                    "class,signalling,down,dataplane,aqm_in,1,100\n"
                    "class,signalling,down,radio,bler,1,100\n"
                    "cell,101-3,down,dataplane,aqm_in,1,100\n"
                    "cell,101-3,down,radio,bler,1,100\n"
                    "ms,\"a \"\"b\"\", c\",down,dataplane,aqm_in,1,100\n"
                    "ms,\"a \"\"b\"\", c\",down,radio,bler,1,100\n"
                    "flow,1,down,dataplane,aqm_in,1,100\n"
                    "flow,1,down,radio,bler,1,100\n");
}

static void delays(void **state)
{
    (void)state;
    ledger_delivered(&ledger, (struct ledger_key){1, LEDGER_DOWN, 1}, 100, false, 90 * MS_IN_NS);
    for (uint16_t id = 0; id < 2; id++) {
        send(1, LEDGER_DOWN, id, 100, 1);
        ledger_delivered(&ledger, (struct ledger_key){1, LEDGER_DOWN, id}, 100, false, 127);
    }
    is("delays.csv", "class,direction,delay_ms,packets,share\n"
                     "signalling,down,0.000,2,0.500000\n"
                     "signalling,down,70.254,1,0.750000\n"
                     "signalling,down,90.000,1,1.000000\n"
                     "background,down,1234.567,1,1.000000\n"
                     "background,up,0.005,1,1.000000\n");
}

// The second step has only what came after the first; a flow with nothing to say has no row.
static void series(void **state)
{
    struct ledger_series by_class, by_flow;
    char *text[2] = {NULL, NULL};
    size_t n[2];
    FILE *out[2] = {open_memstream(&text[0], &n[0]), open_memstream(&text[1], &n[1])};
    (void)state;
    ledger_series_setup(&by_class, &ledger, LEDGER_CLASS, out[0]);
    ledger_series_setup(&by_flow, &ledger, LEDGER_FLOW, out[1]);
    for (uint64_t s = 1; s <= 2; s++) {
        series_step(&by_class.series, s * S_IN_NS / 2);
        series_step(&by_flow.series, s * S_IN_NS / 2);
        ledger_step(&ledger);
        if (s == 1)
            ledger_delivered(&ledger, (struct ledger_key){1, LEDGER_DOWN, 1}, 100, true, S_IN_NS);
    }
    fclose(out[0]);
    fclose(out[1]);
    assert_string_equal(
        text[0], "time_s,class,direction,sent_octets,delivered_octets,goodput_bit_per_s,"
                 "lost_packets,marked_packets,under_way_octets,delay_mean_ms,delay_p95_ms,"
                 "delay_max_ms\n"
                 "0.500000,signalling,down,400,100,1600,2,0,100,70.000,70.000,70.000\n"
                 "0.500000,background,down,1500,1500,24000,0,1,0,1234.567,1234.567,1234.567\n"
                 "0.500000,background,up,40,40,640,0,0,0,0.005,0.005,0.005\n"
                 "1.000000,signalling,down,0,100,1600,0,1,0,1000.000,1000.000,1000.000\n"
                 "1.000000,background,down,0,0,0,0,0,0,,,\n"
                 "1.000000,background,up,0,0,0,0,0,0,,,\n");
    assert_non_null(strstr(text[1], "\n1.000000,1,ping,down,0,100,"));
    assert_null(strstr(text[1], "\n1.000000,0,"));
    free(text[0]);
    free(text[1]);
}

#define TABLES_TEST(name) cmocka_unit_test_setup_teardown(name, begin, finish)

int main(void)
{
    const struct CMUnitTest tests[] = {TABLES_TEST(groups), TABLES_TEST(drops), TABLES_TEST(delays),
                                       TABLES_TEST(series)};
    return cmocka_run_group_tests_name("lab/report/tables", tests, NULL, NULL);
}

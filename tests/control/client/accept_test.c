// Which type a client prefers, by the field Accept as Prometheus, browsers and others send it.
#include "control/client/accept.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { TEXT, OPENMETRICS };
static const char *const types[] = {"text/plain", "application/openmetrics-text", NULL};

static void test_the_greatest_weight_wins_then_the_first(void **state)
{
    (void)state;
    static const struct {
        const char *field;
        int type;
    } rows[] = {
        {NULL, TEXT},
        {"", TEXT},
        {"*/*", TEXT},
        {"text/html, */*;q=0.8", TEXT},
        {"text/plain;version=0.0.4", TEXT},
        {"application/openmetrics-text", OPENMETRICS},
        {" Application/OpenMetrics-Text ; version=1.0.0", OPENMETRICS},
        // Prometheus 2.42, Prometheus 3, and a server that has OpenMetrics switched off
        {"application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;"
         "q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1",
         OPENMETRICS},
        {"text/plain;version=0.0.4;q=1,*/*;q=0.1", TEXT},
        {"text/plain;q=0.9, application/openmetrics-text;q=0.899", TEXT},
        {"text/plain;q=0.899, application/openmetrics-text;q=0.9", OPENMETRICS},
        {"text/plain, application/openmetrics-text", TEXT},
        {"application/openmetrics-text, text/plain", OPENMETRICS},
        {"text/plain;q=0.5, application/openmetrics-text; x=y; Q=0.6; z", OPENMETRICS},
        // weight 0: not wanted
        {"application/openmetrics-text;q=0", TEXT},
        {"application/openmetrics-text;q=0.000, */*", TEXT},
        // weights of another form count as 0
        {"application/openmetrics-text;q=2", TEXT},
        {"application/openmetrics-text;q=1.001", TEXT},
        {"application/openmetrics-text;q=0.9999", TEXT},
        {"application/openmetrics-text;q=-1", TEXT},
        {"application/openmetrics-text;q=01", TEXT},
        {"application/openmetrics-text;q=.5", TEXT},
        {"application/openmetrics-text;q= 1", TEXT},
        // names of another form
        {"application/openmetrics-texts", TEXT},
        {"application/openmetrics", TEXT},
        {"xapplication/openmetrics-text", TEXT},
        {",,;;,", TEXT},
        {",;q=1,application/openmetrics-text,", OPENMETRICS},
        {"text/plain;q=0.1,;,application/openmetrics-text;q=0.2;", OPENMETRICS},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (accept_type(rows[i].field, types) != rows[i].type)
            fail_msg("\"%s\"", rows[i].field ? rows[i].field : "no field");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_greatest_weight_wins_then_the_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

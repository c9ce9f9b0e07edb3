// figures.json as plots: points, names and intervals; and nothing of them is kept (AddressSanitizer
// sees it).
#include "control/report/redrawn.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "control/client/value.h"

static const char figures[] =
    "{\"figures\": ["
    "{\"x\": {\"title\": \"load\", \"unit\": \"kbit/s\"}, \"y\": {},"
    " \"series\": [{\"kind\": \"ours\", \"points\": [[1, 5, 1], [2, 6, 1], [2, \"\"]]},"
    " {\"published\": [[1, 4, 5]]}]},"
    "{\"x\": {\"names\": [\"a\", \"b\"]}, \"y\": {},"
    " \"series\": [{\"kind\": \"ours\", \"points\": [[2, 7]]}]}]}";

static void what_is_drawn(void **state)
{
    struct json_object *json = value_parse_object(figures);
    struct redrawn r;
    (void)state;
    assert_true(redrawn_make(&r, json));
    assert_int_equal(r.count, 2);
    const struct plot *first = &r.figure[0].plot, *second = &r.figure[1].plot;
    assert_string_equal(first->x_title, "load in kbit/s");
    assert_int_equal(first->lines, 1);
    assert_int_equal(first->line[0].points, 2);
    assert_true(first->line[0].point[1].x == 2 && first->line[0].point[1].y == 6);
    assert_int_equal(first->values, 2);
    assert_true(first->value[0].least == 4 && first->value[0].most == 6);
    assert_int_equal(first->publisheds, 1);
    assert_int_equal(second->lines, 0);
    assert_int_equal(second->columns, 1);
    assert_int_equal(second->ticks, 2);
    assert_string_equal(second->tick[1].text, "b");
    redrawn_release(&r);
    assert_null(r.figure);
    value_free(json);
}

static void no_figures(void **state)
{
    struct json_object *json = value_parse_object("{\"figures\": []}");
    struct redrawn r;
    (void)state;
    assert_true(redrawn_make(&r, json));
    assert_int_equal(r.count, 0);
    redrawn_release(&r);
    value_free(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_drawn),
        cmocka_unit_test(no_figures),
    };
    return cmocka_run_group_tests_name("control/report/redrawn", tests, NULL, NULL);
}

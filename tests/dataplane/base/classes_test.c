// The traffic classes: how many, in which order, under which names.
#include "dataplane/base/classes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_names_in_order(void **state)
{
    (void)state;
    assert_int_equal(CLASS_COUNT, 7);
    assert_string_equal(class_names[CLASS_SIGNALLING], "signalling");
    assert_string_equal(class_names[CLASS_CONVERSATIONAL], "conversational");
    assert_string_equal(class_names[CLASS_STREAMING], "streaming");
    assert_string_equal(class_names[CLASS_INTERACTIVE_1], "interactive-1");
    assert_string_equal(class_names[CLASS_INTERACTIVE_2], "interactive-2");
    assert_string_equal(class_names[CLASS_INTERACTIVE_3], "interactive-3");
    assert_string_equal(class_names[CLASS_BACKGROUND], "background");
    assert_int_equal(CLASS_SIGNALLING, 0);
    assert_int_equal(CLASS_BACKGROUND, 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_names_in_order)};
    return cmocka_run_group_tests_name("base/classes", tests, NULL, NULL);
}

// The procedures as a task: whatever ends them ends them alone, and not the process, whose traffic
// goes on.
#include "control/bind/bind.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "control/plane/control.h"
#include "dataplane/dataplane.h"

static struct control control;

// Their modules are there, and there is neither a configuration nor a dataplane.
static struct bind *begun(void)
{
    static const char *const modules[] = {"dp", "board", "contexts", "lab"};
    struct bind *lua = bind_create(false);
    assert_non_null(lua);
    control = (struct control){.lua = lua};
    for (size_t i = 0; i < sizeof modules / sizeof modules[0]; i++)
        bind_add_calls(lua, modules[i], NULL, 0, NULL);
    bind_add_fields(lua, "limits", dp_config_fields, dp_config_field_count);
    bind_procedures.begin(lua, &control);
    return lua;
}

static void expect_failure(struct bind *lua)
{
    uint64_t next_ns;
    for (int step = 0; step < 2; step++) // and it stays so
        assert_int_equal(bind_procedures.step(lua, 0, &next_ns), PROCEDURES_FAILED);
    bind_destroy(lua);
}

static void a_fault_ends_it(void **state)
{
    (void)state;
    expect_failure(begun());
}

static void memory_that_is_used_up_ends_it(void **state)
{
    (void)state;
    struct bind *lua = begun();
    bind_limit(lua, 0);
    expect_failure(lua);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fault_ends_it),
        cmocka_unit_test(memory_that_is_used_up_ends_it),
    };
    return cmocka_run_group_tests_name("control/bind/task", tests, NULL, NULL);
}

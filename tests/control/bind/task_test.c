// The procedures as a task: whatever ends them ends them alone, and not the process, whose traffic
// goes on.
#include "control/bind/host.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "control/plane/control.h"
#include "dataplane/dataplane.h"

static struct control control;

// Their modules are there, and there is neither a configuration nor a dataplane.
static struct host *begun(void)
{
    static const char *const modules[] = {"dp", "board", "contexts", "lab"};
    struct host *host = host_create(false);
    assert_non_null(host);
    control = (struct control){.host = host};
    for (size_t i = 0; i < sizeof modules / sizeof modules[0]; i++)
        host_add_calls(host, modules[i], NULL, 0, NULL);
    host_add_fields(host, "limits", dp_config_fields, dp_config_field_count);
    host_procedures.begin(host, &control);
    return host;
}

static void expect_failure(struct host *host)
{
    uint64_t next_ns;
    for (int step = 0; step < 2; step++) // and it stays so
        assert_int_equal(host_procedures.step(host, 0, &next_ns), PROCEDURES_FAILED);
    host_destroy(host);
}

static void a_fault_ends_it(void **state)
{
    (void)state;
    expect_failure(begun());
}

static void memory_that_is_used_up_ends_it(void **state)
{
    (void)state;
    struct host *host = begun();
    host_limit(host, 0);
    expect_failure(host);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fault_ends_it),
        cmocka_unit_test(memory_that_is_used_up_ends_it),
    };
    return cmocka_run_group_tests_name("control/bind/task", tests, NULL, NULL);
}

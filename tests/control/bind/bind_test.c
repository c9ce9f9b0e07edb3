// What Lua may load: the control plane what is built into the program, a script of `sluice lua`
// files and libraries of Lua, too.
#include "control/bind/bind.h"

#include "tests/control/bind/script.h"

#define SCRIPT_OCTETS 512

static char folder[32], path[64];

static int make_module(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/bind_test.XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/module.lua", folder);
    FILE *out = fopen(path, "w");
    if (!out)
        return -1;
    fputs("return 'from a file'\n", out);
    return fclose(out);
}

static int remove_module(void **state)
{
    (void)state;
    return unlink(path) || rmdir(folder);
}

// Runs the text with `module` as the name of a module in a file where Lua looks for modules.
static void expect(bool full, const char *text)
{
    char script[SCRIPT_OCTETS];
    struct bind *lua = bind_create(full);
    assert_non_null(lua);
    int n = snprintf(script, sizeof script, "package.path = '%s/?.lua'\n%s", folder, text);
    assert_true(n > 0 && (size_t)n < sizeof script);
    assert_true(script_runs(lua, script));
    bind_destroy(lua);
}

static const char built_in[] = "for _, name in ipairs { 'sluice.core.timers', 'wire', 'aqm' } do\n"
                               "    assert(type(require(name)) == 'table', name)\n"
                               "end\n";

static void what_is_built_in_is_there_for_all(void **state)
{
    (void)state;
    expect(false, built_in);
    expect(true, built_in);
}

static void the_control_plane_loads_no_file(void **state)
{
    (void)state;
    expect(false, "local found, why = pcall(require, 'module')\n"
                  "assert(not found and not why:find('/', 1, true), why)\n" // nor looks for one
                  "assert(not io and not os and not dofile and not loadfile)\n");
}

static void the_control_plane_has_no_chance_of_its_own(void **state)
{
    (void)state;
    expect(false, "assert(math.floor and not math.random and not math.randomseed)\n");
}

static void a_script_loads_files_and_libraries(void **state)
{
    (void)state;
    expect(true, "assert(require 'module' == 'from a file')\n"
                 "assert(io.open and os.time and dofile and loadfile and math.random)\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_built_in_is_there_for_all),
        cmocka_unit_test(the_control_plane_loads_no_file),
        cmocka_unit_test(the_control_plane_has_no_chance_of_its_own),
        cmocka_unit_test(a_script_loads_files_and_libraries),
    };
    return cmocka_run_group_tests_name("control/bind/bind", tests, make_module, remove_module);
}

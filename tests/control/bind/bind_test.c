// What Lua may load: the control plane what is built into the program, a script of `sluice lua`
// files and libraries of Lua, too. And what comes of it without memory, which --wrap takes away.
#include "control/bind/bind.h"
#include "control/bind/pool.h"

#include "tests/control/bind/script.h"

#include <limits.h>

#define SCRIPT_OCTETS 512

static char folder[32], path[64];

static struct {
    unsigned left; // how many more blocks there are
    int held;      // of ours
} blocks = {.left = UINT_MAX};

void *__real_malloc(size_t octets);
void *__real_calloc(size_t n, size_t octets);
void *__real_pool_resize(struct pool *pool, void *block, size_t old_octets, size_t octets);
void __real_free(void *block);
void *__wrap_malloc(size_t octets);
void *__wrap_calloc(size_t n, size_t octets);
void *__wrap_pool_resize(struct pool *pool, void *block, size_t old_octets, size_t octets);
void __wrap_free(void *block);

static bool is_left(void)
{
    return blocks.left > 0 && blocks.left--;
}

void *__wrap_calloc(size_t n, size_t octets)
{
    void *block = is_left() ? __real_calloc(n, octets) : NULL;
    blocks.held += block != NULL;
    return block;
}

void *__wrap_malloc(size_t octets)
{
    void *block = __real_malloc(octets);
    blocks.held += block != NULL;
    return block;
}

// Lua's blocks are those of a pool, which has many of them in one of malloc's.
void *__wrap_pool_resize(struct pool *pool, void *block, size_t old_octets, size_t octets)
{
    bool may = octets <= old_octets || is_left();
    return may ? __real_pool_resize(pool, block, old_octets, octets) : NULL;
}

void __wrap_free(void *block)
{
    blocks.held -= block != NULL;
    __real_free(block);
}

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

// With no block at all, with one, and so on until there are enough.
static void without_memory_there_is_no_lua_and_nothing_is_left_behind(void **state)
{
    (void)state;
    int held = blocks.held;
    unsigned enough = 0;
    struct bind *lua = NULL;
    for (; !lua; enough += !lua) {
        blocks.left = enough;
        lua = bind_create(false);
        blocks.left = UINT_MAX;
        assert_true(lua || blocks.held == held);
    }
    assert_true(enough > 100); // the libraries alone are more
    bind_destroy(lua);
    assert_int_equal(blocks.held, held);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_built_in_is_there_for_all),
        cmocka_unit_test(the_control_plane_loads_no_file),
        cmocka_unit_test(the_control_plane_has_no_chance_of_its_own),
        cmocka_unit_test(a_script_loads_files_and_libraries),
        cmocka_unit_test(without_memory_there_is_no_lua_and_nothing_is_left_behind),
    };
    return cmocka_run_group_tests_name("control/bind/bind", tests, make_module, remove_module);
}

// Memory of a Lua state: blocks keep what is in them, lie apart, are aligned, and are used again;
// with the address sanitizer, nobody may touch what is beyond a block, or one that was given back.
#include "control/bind/pool.h"

#include <sanitizer/asan_interface.h>
#include <stdbool.h>
#include <string.h>

#include "tests/dataplane/random.h"

#define BLOCKS      512
#define OCTETS_MOST (2 * POOL_OCTETS_MAX + 3)

struct block {
    uint8_t *at;
    size_t octets;
    uint8_t mark; // in each octet
};

static void is_marked(const struct block *b, size_t octets)
{
    for (size_t i = 0; i < octets; i++)
        assert_int_equal(b->at[i], b->mark);
}

static void resize(struct pool *pool, struct block *b, size_t octets)
{
    is_marked(b, b->octets);
    b->at = pool_resize(pool, b->at, b->octets, octets);
    assert_int_equal(b->at != NULL, octets > 0);
    assert_int_equal((uintptr_t)b->at % 16, 0);
    is_marked(b, b->octets < octets ? b->octets : octets);
    b->octets = octets;
    b->mark = (uint8_t)random_next();
    if (octets)
        memset(b->at, b->mark, octets);
}

static void test_contents(void **state)
{
    (void)state;
    static struct block block[BLOCKS];
    struct pool pool = {0};
    for (uint32_t i = 0; i < 200000; i++)
        resize(&pool, &block[random_next() % BLOCKS], random_in(0, OCTETS_MOST));
    for (uint32_t i = 0; i < BLOCKS; i++)
        resize(&pool, &block[i], 0);
    pool_end(&pool);
}

static void test_what_was_given_back_is_used_again(void **state)
{
    (void)state;
    static struct block block[BLOCKS];
    struct pool pool = {0};
    struct pool_chunk *newest = NULL;
    for (uint32_t round = 0; round < 50; round++) {
        for (uint32_t i = 0; i < BLOCKS; i++)
            resize(&pool, &block[i], 1 + i % POOL_OCTETS_MAX);
        for (uint32_t i = 0; i < BLOCKS; i++)
            resize(&pool, &block[i], 0);
        if (round == 0)
            newest = pool.chunks;
        assert_non_null(newest);
        assert_ptr_equal(pool.chunks, newest);
    }
    pool_end(&pool);
    assert_null(pool.chunks);
}

static bool is_full;

void *__real_malloc(size_t octets);
void *__wrap_malloc(size_t octets);
void *__real_calloc(size_t n, size_t octets);
void *__wrap_calloc(size_t n, size_t octets);

void *__wrap_malloc(size_t octets)
{
    return is_full ? NULL : __real_malloc(octets);
}

void *__wrap_calloc(size_t n, size_t octets)
{
    return is_full ? NULL : __real_calloc(n, octets);
}

static void test_without_memory_none_grows_and_each_may_shrink(void **state)
{
    (void)state;
    struct pool pool = {0};
    char *large = pool_resize(&pool, NULL, 0, 300);
    memcpy(large, "stays", 6);
    is_full = true;
    assert_null(pool_resize(&pool, NULL, 0, 20));
    assert_ptr_equal(pool_resize(&pool, large, 300, 20), large);
    assert_string_equal(large, "stays");
    is_full = false;
    char *small = pool_resize(&pool, NULL, 0, 20);
    memcpy(small, "stays", 6);
    is_full = true;
    assert_null(pool_resize(&pool, small, 20, 300));
    assert_string_equal(small, "stays");
    is_full = false;
    free(large);
    pool_end(&pool);
}

static void test_the_sanitizer_knows(void **state)
{
    (void)state;
#ifdef __SANITIZE_ADDRESS__
    struct pool pool = {0};
    char *block = pool_resize(&pool, NULL, 0, 20);
    assert_false(__asan_address_is_poisoned(block + 19));
    assert_true(__asan_address_is_poisoned(block + 20));
    block = pool_resize(&pool, block, 20, 30); // in its place
    assert_false(__asan_address_is_poisoned(block + 29));
    assert_true(__asan_address_is_poisoned(block + 30));
    pool_resize(&pool, block, 30, 0);
    assert_true(__asan_address_is_poisoned(block));
    assert_ptr_equal(pool_resize(&pool, NULL, 0, 17), block);
    assert_false(__asan_address_is_poisoned(block + 16));
    assert_true(__asan_address_is_poisoned(block + 17));
    pool_end(&pool);
#else
    skip();
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_contents), cmocka_unit_test(test_what_was_given_back_is_used_again),
        cmocka_unit_test(test_without_memory_none_grows_and_each_may_shrink),
        cmocka_unit_test(test_the_sanitizer_knows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

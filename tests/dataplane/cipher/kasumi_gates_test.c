// The S-boxes: as tables and as gates, gates by their expressions and by their truth tables,
// against the equations that TS 35.202 clauses 4.5.1 and 4.5.2 publish, on every input.
#include "dataplane/cipher/kasumi.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

typedef uint64_t V; // 64 inputs at once
#define INLINE static inline

static uint32_t wrong_tables;

// The expression; and a count of the gates whose truth table says something else.
static V checked(V expression, uint32_t table, V a, V b, V c)
{
    V by_table = 0;
    for (uint32_t i = 0; i < 8; i++)
        if (table >> i & 1)
            by_table |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
    wrong_tables += by_table != expression;
    return expression;
}

#define GATE(expression, table, a, b, c) checked(expression, table, a, b, c)
#include "dataplane/cipher/kasumi_gates.h"

static const char *const s7_equations[7] = {
    "x1x3 ^ x4 ^ x0x1x4 ^ x5 ^ x2x5 ^ x3x4x5 ^ x6 ^ x0x6 ^ x1x6 ^ x3x6 ^ x2x4x6 ^ x1x5x6 ^ x4x5x6",
    "x0x1 ^ x0x4 ^ x2x4 ^ x5 ^ x1x2x5 ^ x0x3x5 ^ x6 ^ x0x2x6 ^ x3x6 ^ x4x5x6 ^ 1",
    "x0 ^ x0x3 ^ x2x3 ^ x1x2x4 ^ x0x3x4 ^ x1x5 ^ x0x2x5 ^ x0x6 ^ x0x1x6 ^ x2x6 ^ x4x6 ^ 1",
    "x1 ^ x0x1x2 ^ x1x4 ^ x3x4 ^ x0x5 ^ x0x1x5 ^ x2x3x5 ^ x1x4x5 ^ x2x6 ^ x1x3x6",
    "x0x2 ^ x3 ^ x1x3 ^ x1x4 ^ x0x1x4 ^ x2x3x4 ^ x0x5 ^ x1x3x5 ^ x0x4x5 ^ x1x6 ^ x3x6 ^ x0x3x6 ^ "
    "x5x6 ^ 1",
    "x2 ^ x0x2 ^ x0x3 ^ x1x2x3 ^ x0x2x4 ^ x0x5 ^ x2x5 ^ x4x5 ^ x1x6 ^ x1x2x6 ^ x0x3x6 ^ x3x4x6 ^ "
    "x2x5x6 ^ 1",
    "x1x2 ^ x0x1x3 ^ x0x4 ^ x1x5 ^ x3x5 ^ x6 ^ x0x1x6 ^ x2x3x6 ^ x1x4x6 ^ x0x5x6",
};

static const char *const s9_equations[9] = {
    "x0x2 ^ x3 ^ x2x5 ^ x5x6 ^ x0x7 ^ x1x7 ^ x2x7 ^ x4x8 ^ x5x8 ^ x7x8 ^ 1",
    "x1 ^ x0x1 ^ x2x3 ^ x0x4 ^ x1x4 ^ x0x5 ^ x3x5 ^ x6 ^ x1x7 ^ x2x7 ^ x5x8 ^ 1",
    "x1 ^ x0x3 ^ x3x4 ^ x0x5 ^ x2x6 ^ x3x6 ^ x5x6 ^ x4x7 ^ x5x7 ^ x6x7 ^ x8 ^ x0x8 ^ 1",
    "x0 ^ x1x2 ^ x0x3 ^ x2x4 ^ x5 ^ x0x6 ^ x1x6 ^ x4x7 ^ x0x8 ^ x1x8 ^ x7x8",
    "x0x1 ^ x1x3 ^ x4 ^ x0x5 ^ x3x6 ^ x0x7 ^ x6x7 ^ x1x8 ^ x2x8 ^ x3x8",
    "x2 ^ x1x4 ^ x4x5 ^ x0x6 ^ x1x6 ^ x3x7 ^ x4x7 ^ x6x7 ^ x5x8 ^ x6x8 ^ x7x8 ^ 1",
    "x0 ^ x2x3 ^ x1x5 ^ x2x5 ^ x4x5 ^ x3x6 ^ x4x6 ^ x5x6 ^ x7 ^ x1x8 ^ x3x8 ^ x5x8 ^ x7x8",
    "x0x1 ^ x0x2 ^ x1x2 ^ x3 ^ x0x3 ^ x2x3 ^ x4x5 ^ x2x6 ^ x3x6 ^ x2x7 ^ x5x7 ^ x8 ^ 1",
    "x0x1 ^ x2 ^ x1x2 ^ x3x4 ^ x1x5 ^ x2x5 ^ x1x6 ^ x4x6 ^ x7 ^ x2x8 ^ x3x8",
};

// A sum of products of bits of x: `x1x3`, or `1`.
static uint32_t equation(const char *text, uint32_t x)
{
    uint32_t sum = 0, product = 1;
    for (;; text++) {
        if (*text == '^' || !*text) {
            sum ^= product;
            product = 1;
        }
        if (!*text)
            return sum;
        if (*text == 'x')
            product &= x >> (*++text - '0') & 1;
        else
            assert_true(*text == '^' || *text == ' ' || *text == '1');
    }
}

static uint32_t equations(const char *const text[], uint32_t bits, uint32_t x)
{
    uint32_t y = 0;
    for (uint32_t i = 0; i < bits; i++)
        y |= equation(text[i], x) << i;
    return y;
}

static void test_tables(void **state)
{
    (void)state;
    for (uint32_t x = 0; x < 128; x++)
        assert_int_equal(cipher_kasumi_s7[x], equations(s7_equations, 7, x));
    for (uint32_t x = 0; x < 512; x++)
        assert_int_equal(cipher_kasumi_s9[x], equations(s9_equations, 9, x));
}

// in[i] has bit i of the 64 inputs from `first` on.
static void slices(V in[], uint32_t bits, uint32_t first)
{
    for (uint32_t i = 0; i < bits; i++) {
        in[i] = 0;
        for (uint32_t lane = 0; lane < 64; lane++)
            in[i] |= (V)((first + lane) >> i & 1) << lane;
    }
}

static uint32_t value_of(const V slice[], uint32_t bits, uint32_t lane)
{
    uint32_t value = 0;
    for (uint32_t i = 0; i < bits; i++)
        value |= (uint32_t)(slice[i] >> lane & 1) << i;
    return value;
}

static void test_gates_of_s7(void **state)
{
    V in[7], out[7];
    (void)state;
    for (uint32_t x = 0; x < 128; x++) {
        slices(in, 7, x & ~63u);
        gates_s7(in, out);
        assert_int_equal(value_of(out, 7, x & 63),
                         equations(s7_equations, 7, x) ^ equations(s7_equations, 7, 0));
    }
    assert_int_equal(wrong_tables, 0);
}

static void test_gates_of_s9(void **state)
{
    V in[9], out[9];
    (void)state;
    for (uint32_t x = 0; x < 512; x++) {
        slices(in, 9, x & ~63u);
        gates_s9(in, out);
        assert_int_equal(value_of(out, 9, x & 63),
                         equations(s9_equations, 9, x) ^ equations(s9_equations, 9, 0));
    }
    assert_int_equal(wrong_tables, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tables),
        cmocka_unit_test(test_gates_of_s7),
        cmocka_unit_test(test_gates_of_s9),
    };
    return cmocka_run_group_tests_name("cipher/kasumi_gates", tests, NULL, NULL);
}

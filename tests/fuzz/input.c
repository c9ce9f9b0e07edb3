// See input.h.
#include "tests/fuzz/input.h"

static struct {
    const uint8_t *at;
    size_t left;
} input;

void input_begin(const uint8_t *octets, size_t n)
{
    input.at = octets;
    input.left = n;
}

size_t input_left(void)
{
    return input.left;
}

uint32_t input_octet(void)
{
    if (input.left == 0)
        return 0;
    input.left--;
    return *input.at++;
}

uint32_t input_word(void)
{
    uint32_t high = input_octet();
    return high << 8 | input_octet();
}

uint32_t input_long(void)
{
    uint32_t high = input_word();
    return high << 16 | input_word();
}

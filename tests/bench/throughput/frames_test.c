// The frame to a worker's own address is the other frame but for the address and the header's
// checksum, which is right.
#include "bench/throughput/frames.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

// RFC 1071, octet by octet.
static uint32_t sum_of(const uint8_t *header)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < 20; i += 2)
        sum += (uint32_t)header[i] << 8 | header[i + 1];
    while (sum >> 16)
        sum = (sum & 0xffff) + (sum >> 16);
    return sum;
}

static void another_address(void **state)
{
    static const uint32_t addresses[] = {0xc0000266, 0xffffffff, 1};
    const uint32_t of_address = 30, of_sum = 24;
    static struct frames frames;
    const struct bench_options options = {.size_octets = OPTIONS_IMIX, .n201_u = 1520};
    uint8_t before[FRAMES_OCTETS_MAX], after[FRAMES_OCTETS_MAX];
    (void)state;
    assert_true(frames_make(&frames, &options, false));
    for (uint32_t i = 0; i < frames.sizes * 3; i++) {
        const struct frame *frame = &frames.frame[i / 3];
        uint32_t address = addresses[i % 3];
        frames_put(&frames, frame, 0x12345678, i, before);
        frames_put(&frames, frame, 0x12345678, i, after);
        assert_int_equal(sum_of(before + 14), 0xffff);
        frames_put_address(address, after);
        assert_int_equal(sum_of(after + 14), 0xffff);
        for (uint32_t k = 0; k < 4; k++)
            assert_int_equal(after[of_address + k], address >> (24 - 8 * k) & 0xff);
        memcpy(after + of_address, before + of_address, 4);
        memcpy(after + of_sum, before + of_sum, 2);
        assert_memory_equal(after, before, frame->n);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(another_address)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

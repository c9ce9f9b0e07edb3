// 200 000 mutants of good frames, of which none may crash the Gb receiver or bring a wrong N-PDU.
#include "tests/oracle/gb_receiver.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "tests/oracle/receiver_fixture.h"
#include "tests/oracle/typed_frames.h"

static uint64_t random_state = 88172645463325252;

static unsigned random_below(size_t bound)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (unsigned)((random_state >> 20) % bound);
}

static void mutate_once(struct frame *f)
{
    size_t at = random_below(f->len);
    uint8_t octet = (uint8_t)random_below(256);
    switch (random_below(12)) {
    case 0:
        f->len = at + 1;
        break;
    case 1:
        frame_insert(f, at, &octet, 1);
        break;
    case 2:
        memmove(f->at + at, f->at + at + 1, f->len - at - 1);
        f->len -= f->len > 1;
        break;
    case 3:
        f->at[at] = octet;
        break;
    default:
        f->at[at] ^= (uint8_t)(1u << octet % 8);
    }
}

// Most mutants get good lengths and a good IP checksum, so that they reach the upper layers; the
// FCS is never repaired.
static struct frame mutant(struct frame f)
{
    for (unsigned times = 1 + random_below(3); times > 0; times--)
        mutate_once(&f);
    if (f.len < NS || random_below(8) == 0)
        return f;
    f.at[UDP + 6] = f.at[UDP + 7] = 0;
    frame_lengths(&f);
    frame_ip_checksum(&f);
    return f;
}

// Whatever is delivered must be the original, since the FCS covers all of it (PM = 1). The frames
// stay below 255 bits, where the FCS is good for any few flipped bits; test_fcs_period has the
// rest.
static void test_mutations(void **state)
{
    uint64_t delivered = 0, errors[GB_ERR_COUNT] = {0};
    struct spec s = plain;
    s.len = 17;
    const struct frame whole[] = {frame_built(&s)};
    const struct spec parts[] = {{9, 11, 6, F | M, 0, 0, 0, 12, three_npdu},
                                 {9, 11, 6, M, 1, 0, 1, 12, three_npdu + 12},
                                 {9, 11, 6, 0, 2, 0, 2, 12, three_npdu + 24}};
    const struct frame three[] = {frame_built(&parts[0]), frame_built(&parts[1]),
                                  frame_built(&parts[2])};
    (void)state;
    for (unsigned i = 0; i < 200000; i++) {
        const struct frame *frames = i % 2 ? whole : three;
        unsigned count = i % 2 ? 1 : 3, victim = random_below(count);
        void *fresh;
        assert_int_equal(receiver_setup(&fresh), 0);
        struct caught *caught = fresh;
        for (unsigned n = 0; n < count; n++) {
            struct frame f = n == victim ? mutant(frames[n]) : frames[n];
            errors[-receiver_fed(caught, f.at, f.len)]++;
        }
        assert_in_range(caught->npdus, 0, 1);
        if (caught->npdus > 0)
            expect_npdu(caught, i % 2 ? single_npdu : three_npdu, i % 2 ? 17 : 36);
        delivered += caught->npdus;
        receiver_teardown(&fresh);
    }
    assert_in_range(delivered, 10000, 199999);
    assert_in_range(errors[GB_ERR_LLC_FCS], 10000, 199999);
    assert_in_range(errors[GB_ERR_BSSGP_IE], 1000, 199999);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RECEIVER_TEST(test_mutations),
    };
    return cmocka_run_group_tests_name("oracle/gb_receiver mutants", tests, NULL, NULL);
}

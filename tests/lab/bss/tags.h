// The tags that down() and in() of peer.h give with an LLC PDU: the BSS has the same one when it
// delivers the LLC PDU or loses it.
#ifndef TESTS_LAB_BSS_TAGS_H
#define TESTS_LAB_BSS_TAGS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "lab/bss/bss.h"

#define TAG_IN           0xabcdef0123456789ULL // in(), which may be any PDU
#define TAG_DOWN(number) (1 + (uint64_t)(number))

static struct {
    const struct bss *there; // the BSS that delivers; NULL: that of peer.h
    uint64_t last;
} tags;

static uint32_t number_of(const uint8_t *llc, uint32_t octets)
{
    return octets >= 3 ? (uint32_t)llc[1] << 8 | llc[2] : 0;
}

// number_of, and that the tag is right.
static uint32_t number_with_tag(const struct bss *bss, enum bss_way way, const uint8_t *llc,
                                uint32_t octets)
{
    uint32_t number = number_of(llc, octets);
    tags.last = bss_tag(tags.there ? tags.there : bss);
    if (way == BSS_DOWN)
        assert_true(tags.last == TAG_IN || tags.last == TAG_DOWN(number));
    return number;
}

#endif

// See path_draft.h.
#include "tests/fuzz/path_draft.h"

struct draft draft;

void draft_begin(void)
{
    uint32_t choice = input_octet();
    draft.first = draft.end = PATH_FRAME_OCTETS;
    draft.faulty = choice >= 176 && !path.faultless;
    draft.layer = choice % LAYER_COUNT;
    draft.late = choice / LAYER_COUNT % 2;
}

uint8_t *draft_at(void)
{
    return draft.octets + draft.first;
}

uint32_t draft_octets(void)
{
    return draft.end - draft.first;
}

uint8_t *draft_front(uint32_t n)
{
    CHECK(n <= draft.first);
    draft.first -= n;
    return draft_at();
}

void draft_behind(uint32_t n, uint8_t octet)
{
    uint32_t room = draft.first + PATH_FRAME_OCTETS - 1024 - draft.end;
    if (n > room)
        n = room;
    memset(draft.octets + draft.end, octet, n);
    draft.end += n;
}

static void cut(uint32_t n)
{
    draft.end = draft.first + n;
}

static void insert(uint32_t at, uint32_t n)
{
    uint8_t *b = draft_front(n);
    memmove(b, b + n, at);
}

static void take_out(uint32_t at, uint32_t n)
{
    uint8_t *b = draft_at();
    memmove(b + n, b, at);
    draft.first += n;
}

// Headers are short, so most faults are near the front.
static void spoil(void)
{
    uint32_t kind = input_octet() % 8, n = draft_octets();
    uint32_t at = input_octet(), value = input_word();
    if (n < 2 || kind == 0) {
        draft_behind(value % 2048, (uint8_t)at);
        return;
    }
    at = (at & 0x80 ? at << 4 | value % 16 : at % 32) % (n - 1);
    uint8_t *b = draft_at() + at;
    if (kind <= 2)
        b[0] = (uint8_t)value;
    else if (kind == 3)
        put_be16(b, (uint16_t)value);
    else if (kind == 4)
        b[0] ^= (uint8_t)(1u << value % 8);
    else if (kind == 5)
        cut(value % 2 ? at : value % n);
    else if (kind == 6)
        insert(at, 1 + value % 16);
    else
        take_out(at, 1 + value % (n - at < 16 ? n - at : 16) % (n - at));
}

void draft_fault(enum path_layer layer, bool late)
{
    if (draft.faulty && draft.layer == layer && draft.late == late)
        spoil();
}

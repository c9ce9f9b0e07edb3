// Frames with good or wanted checksums, and a receiver that keeps what it delivers. The FCS here is
// computed one bit at a time, apart from the receiver's.
#include "tests/oracle/receiver_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/oracle/fcs.h"
#include "tests/oracle/typed_frames.h"

const struct spec plain = {0xc0000001, 3, 5, F, 0, 0, 0, sizeof(single_npdu), single_npdu};
const uint8_t octets_1520[GB_NPDU_OCTETS_MAX] = {1, 2, 3, [500] = 4, [1519] = 5};
bool expected_verdicts[GB_ERR_COUNT];

static void npdu_catch(void *ctx, const struct gb_npdu *npdu)
{
    struct caught *caught = ctx;
    caught->npdu = *npdu;
    memcpy(caught->octets, npdu->octets, npdu->len);
    caught->npdus++;
}

int receiver_setup(void **state)
{
    struct caught *caught = calloc(1, sizeof(*caught));
    caught->receiver = gb_receiver_new(npdu_catch, caught);
    *state = caught;
    return caught->receiver ? 0 : -1;
}

int receiver_teardown(void **state)
{
    struct caught *caught = *state;
    gb_receiver_free(caught->receiver);
    free(caught);
    return 0;
}

// From memory of exactly its size, so that a sanitizer sees the first octet read past the end.
int receiver_fed(struct caught *caught, const uint8_t *octets, size_t len)
{
    uint8_t *copy = malloc(len ? len : 1);
    memcpy(copy, octets, len);
    int code = gb_receiver_frame(caught->receiver, copy, len);
    free(copy);
    return code;
}

void expect_verdict(struct caught *caught, struct frame f, enum gb_error error)
{
    int code = receiver_fed(caught, f.at, f.len);
    if (code != -(int)error)
        print_error("got \"%s\", expected \"%s\"\n", gb_receiver_error_text(code),
                    gb_receiver_error_text(-(int)error));
    assert_int_equal(code, -(int)error);
    expected_verdicts[error] = true;
}

void expect_npdu(const struct caught *caught, const uint8_t *octets, size_t len)
{
    assert_int_equal(caught->npdu.len, len);
    assert_memory_equal(caught->octets, octets, len);
}

void put16(uint8_t *at, size_t value)
{
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
}

static unsigned checksum(const uint8_t *at, size_t octets, unsigned long sum)
{
    for (size_t i = 0; i < octets; i++)
        sum += i % 2 ? at[i] : at[i] * 256ul;
    return (unsigned)(~(sum % 65535) & 0xffff);
}

void frame_ip_checksum(struct frame *f)
{
    put16(f->at + IP + 10, 0);
    put16(f->at + IP + 10, checksum(f->at + IP, 20, 0));
}

// A checksum of 0 means none, and stays.
void frame_udp_checksum(struct frame *f)
{
    size_t octets = f->len - UDP;
    if (f->len < NS || (f->at[UDP + 6] == 0 && f->at[UDP + 7] == 0))
        return;
    put16(f->at + UDP + 6, 0);
    put16(f->at + UDP + 6, checksum(f->at + UDP - 8, octets + 8, 17 + octets));
}

void frame_fcs(struct frame *f)
{
    size_t end = f->len - 3;
    if (f->len < f->llc + 6)
        return;
    if (!(f->at[f->llc + 2] & 1) && end > f->llc + 7)
        end = f->llc + 7;
    uint32_t fcs = plain_fcs(f->at + f->llc, end - f->llc);
    for (size_t i = 0; i < 3; i++)
        f->at[f->len - 3 + i] = (uint8_t)(fcs >> (8 * i));
}

void frame_lengths(struct frame *f)
{
    put16(f->at + IP + 2, f->len - IP);
    put16(f->at + UDP + 4, f->len - UDP);
}

struct frame frame_repaired(struct frame f)
{
    frame_fcs(&f);
    frame_udp_checksum(&f);
    frame_ip_checksum(&f);
    return f;
}

struct frame frame_typed(const uint8_t *octets, size_t len)
{
    struct frame f = {.len = len, .llc = LLC};
    memcpy(f.at, octets, len);
    return f;
}

void frame_insert(struct frame *f, size_t at, const uint8_t *octets, size_t count)
{
    memmove(f->at + at + count, f->at + at, f->len - at);
    memcpy(f->at + at, octets, count);
    f->len += count;
}

struct frame frame_built(const struct spec *s)
{
    struct frame f = TYPED(single);
    size_t header = s->bits & F ? 4 : 3, pdu = 6 + header + s->len;
    for (size_t i = 0; i < 4; i++)
        f.at[TLLI + i] = (uint8_t)(s->tlli >> (24 - 8 * i));
    f.llc = pdu < 128 ? LLC : LLC + 1;
    f.at[LLC_IE + 1] = (uint8_t)(0x80 | pdu);
    if (pdu >= 128)
        put16(f.at + LLC_IE + 1, pdu);
    uint8_t *llc = f.at + f.llc;
    llc[0] = 0x40 | s->sapi;
    put16(llc + 1, 0xc001 | s->nu << 2);
    llc[3] = UNITDATA | s->bits | s->nsapi;
    llc[4] = 0;
    put16(llc + 3 + header - 2, (s->segment & 15) << 12 | s->npdu_number);
    memcpy(llc + 3 + header, s->octets, s->len);
    f.len = f.llc + pdu;
    frame_lengths(&f);
    return frame_repaired(f);
}

// The independent Gb receiver of tests/oracle: a row of frames, each behind its length in two
// octets. It must take or refuse each, count it, and deliver nothing longer than an N-PDU. The high
// bit of a length says that the IPv4 checksum and the FCS of the frame are to be made good first.
#include <string.h>

#include "tests/fuzz/check.h"
#include "tests/oracle/fcs.h"
#include "tests/oracle/gb_receiver.h"

enum { IP = 14, UDP = 34, LENGTH = 62 };

static uint64_t delivered;

static void deliver(void *ctx, const struct gb_npdu *npdu)
{
    (void)ctx;
    CHECK(npdu->len > 0 && npdu->len <= GB_NPDU_OCTETS_MAX);
    CHECK(npdu->nsapi >= 5 && npdu->nsapi <= 15);
    volatile uint8_t last = npdu->octets[npdu->len - 1]; // all of it can be read
    (void)last;
    delivered++;
}

// Every other MS has a cipher, which changes nothing, so that its frames get past the FCS as well.
static bool decipher(void *ctx, const struct gb_ciphered *frame, uint8_t *octets, size_t len)
{
    (void)ctx;
    CHECK(frame->oc % 512 == 0 && frame->nu < 512 && len <= 1523);
    if (len > 0)
        octets[0] ^= 0, octets[len - 1] ^= 0; // all of it can be written
    return frame->tlli % 2;
}

static void put16(uint8_t *at, size_t value)
{
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
}

// The LLC-PDU's length, in the form in which it stands; where the LLC frame begins.
static size_t repair_llc_length(uint8_t *frame, size_t n)
{
    if (frame[LENGTH] & 0x80) {
        frame[LENGTH] = (uint8_t)(0x80 | (n - LENGTH - 1));
        return LENGTH + 1;
    }
    put16(frame + LENGTH, (n - LENGTH - 2) & 0x7fff);
    return LENGTH + 2;
}

static void repair(uint8_t *frame, size_t n)
{
    uint32_t sum = 0;
    if (n < LENGTH + 2 + 6)
        return;
    put16(frame + IP + 2, n - IP);
    put16(frame + UDP + 4, n - UDP);
    memset(frame + UDP + 6, 0, 2);
    memset(frame + IP + 10, 0, 2);
    for (size_t i = IP; i < UDP; i += 2)
        sum += (uint32_t)frame[i] << 8 | frame[i + 1];
    put16(frame + IP + 10, ~((sum & 0xffff) + (sum >> 16)));
    size_t llc = repair_llc_length(frame, n);
    uint32_t fcs = plain_fcs(frame + llc, n - llc - 3);
    for (size_t i = 0; i < 3; i++)
        frame[n - 3 + i] = (uint8_t)(fcs >> 8 * i);
}

static void give(struct gb_receiver *r, const uint8_t *octets, size_t n, int repaired)
{
    uint8_t *frame = malloc(n ? n : 1);
    memcpy(frame, octets, n);
    if (repaired)
        repair(frame, n);
    int code = gb_receiver_frame(r, frame, n);
    CHECK(code <= 0 && code > -GB_ERR_COUNT);
    CHECK(strlen(gb_receiver_error_text(code)) > 0);
    free(frame);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct gb_receiver *r = gb_receiver_new(deliver, NULL);
    gb_receiver_set_decipher(r, decipher, NULL);
    gb_receiver_accept(r, &(struct ip_accept){.ipv6 = true, .fragments = true});
    uint64_t frames = 0, refused = 0;
    delivered = 0;
    for (size_t at = 0; size - at > 2; frames++) {
        size_t n = (size_t)(data[at] & 0x7f) << 8 | data[at + 1], left = size - at - 2;
        int repaired = data[at] & 0x80;
        n = n < left ? n : left;
        give(r, data + at + 2, n, repaired);
        at += 2 + n;
    }
    const struct gb_receiver_counters *counters = gb_receiver_counters(r);
    for (int error = 0; error < GB_ERR_COUNT; error++)
        refused += counters->errors[error];
    CHECK(counters->frames == frames);
    CHECK(counters->npdus == delivered);
    CHECK(refused + delivered <= frames);
    gb_receiver_free(r);
    return 0;
}

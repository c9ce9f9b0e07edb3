// What the oracle's MS and BSS send: two frames typed octet by octet after the tables of 48.016,
// 48.018 10.2.2, 44.064 and 44.065 (a separate program divided by the FCS's generator, and tshark
// reads the same fields and finds the FCS right), then sizes, numbers, the cipher and the faults.
#include "tests/oracle/ul_sender.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "tests/oracle/fcs.h"
#include "tests/oracle/ip_reader.h"

// clang-format off
#define ETHERNET 2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1
#define CELL 0x62, 0xf2, 0x24, 0x12, 0x34, 0x56, 0x78, 0x9a
#define NPDU 'E', '-', 's', 'l', 'i', 'c', 'e', ' ', 'o', 'f', ' ', 'a', 'n', ' ', 'N', '-', 'P',  \
             'D', 'U'
static const uint8_t typed_single[] = { // BVCI 258, SAPI 3, N(U) 0, NSAPI 5, N-PDU 0
    ETHERNET, 0x08, 0x00, 0x45, 0x00, 0x00, 0x51, 0x00, 0x00, 0x00, 0x00, 0x40, 0x11, 0xf6, 0x98,
    192, 0, 2, 1, 192, 0, 2, 2, 0x59, 0xd9, 0x59, 0xd8, 0x00, 0x3d, 0x82, 0x25,
    0x00, 0x00, 0x01, 0x02, 0x01, 0xc0, 0x00, 0x00, 0x01, 0x00, 0x50, 0x20, 0x08, 0x88, CELL,
    0x0e, 0x9d, 0x03, 0xc0, 0x01, 0x65, 0x00, 0x00, 0x00, NPDU, 0x4d, 0xfe, 0xdc,
};
// BVCI 2, PFI 9, two alignment octets, SAPI 11, N(U) 511, NSAPI 15, N-PDU 4095, segment 1; then
// 130 octets of N-PDU, 0 to 0x81, and the FCS f2 27 14.
static const uint8_t typed_last[] = {
    ETHERNET, 0x86, 0xdd, 0x60, 0x00, 0x00, 0x00, 0x00, 0xb3, 0x11, 0x40,
    0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1,
    0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2,
    0x59, 0xd9, 0x59, 0xd8, 0x00, 0xb3, 0x7b, 0x94,
    0x00, 0x00, 0x00, 0x02, 0x01, 0x80, 0x00, 0x00, 0x02, 0x00, 0x00, 0x04, 0x08, 0x88, CELL,
    0x28, 0x81, 0x09, 0x00, 0x82, 0x00, 0x00, 0x0e, 0x00, 0x8b, 0x0b, 0xc7, 0xfd, 0x2f, 0x1f, 0xff,
};
static const struct ul_cell cell_4 = {
    .ends = {{2, 0, 0, 0, 0, 1}, {2, 0, 0, 0, 0, 2}, false, {[10] = 0xff, 0xff, 192, 0, 2, 1},
             {[10] = 0xff, 0xff, 192, 0, 2, 2}, 23001, 23000, 0},
    .bvci = 0x0102, .id = {CELL}, .qos = {0x00, 0x50, 0x20}};
static const struct ul_cell cell_6 = {
    .ends = {{2, 0, 0, 0, 0, 1}, {2, 0, 0, 0, 0, 2}, true, {0x20, 1, 0x0d, 0xb8, [15] = 1},
             {0x20, 1, 0x0d, 0xb8, [15] = 2}, 23001, 23000, 0},
    .bvci = 2, .id = {CELL}, .qos = {0, 0, 4}, .has_pfi = true, .aligned = true, .pfi = 9};
// clang-format on

static struct ip_frame frames[UL_SEGMENTS_MAX];
static uint8_t npdu[2300];

// LLC's place in the frames of cell_4: Ethernet 14, IPv4 20, UDP 8, NS 4, BSSGP 18 and the length.
enum { LLC_LENGTH = 14 + 20 + 8 + 4 + 18 + 1 };

static const uint8_t *llc_of(const struct ip_frame *f, size_t *n)
{
    const uint8_t *length = f->octets + LLC_LENGTH;
    const uint8_t *llc = length + (*length & 0x80 ? 1 : 2);
    *n = f->n - (size_t)(llc - f->octets);
    assert_int_equal(*length & 0x80 ? *length & 0x7f : length[0] << 8 | length[1], *n);
    return llc;
}

static void test_fcs_vectors(void **state)
{
    (void)state;
    assert_int_equal(plain_fcs((const uint8_t *)"123456789", 9), 0x4e86cb);
    assert_int_equal(plain_fcs((const uint8_t *)"\x01\xc0\x10\x08\x05\x09", 6), 0x33e6af);
    assert_int_equal(plain_fcs((const uint8_t *)"\x03\xfb\x16\x04\xd2", 5), 0x84f916);
}

static void test_typed_single(void **state)
{
    static const uint8_t octets[] = {NPDU};
    struct ul_ms ms = {.tlli = 0xc0000001, .n201_u = 500};
    (void)state;
    assert_int_equal(ul_send(&ms, &cell_4, 3, 5, octets, sizeof(octets), frames), 1);
    assert_int_equal(frames[0].n, sizeof(typed_single));
    assert_memory_equal(frames[0].octets, typed_single, frames[0].n);
    assert_int_equal(ms.next_ui[3], 1);
    assert_int_equal(ms.next_npdu[5], 1);
}

static void test_typed_last_of_two(void **state)
{
    struct ul_ms ms = {.tlli = 0x80000002, .n201_u = 140};
    (void)state;
    ms.next_ui[11] = 5 * 512 + 510;
    ms.next_npdu[15] = 4095;
    for (size_t i = 0; i < 266; i++)
        npdu[i] = (uint8_t)(i - 136);
    assert_int_equal(ul_send(&ms, &cell_6, 11, 15, npdu, 266, frames), 2);
    assert_int_equal(frames[1].n, sizeof(typed_last) + 130 + 3);
    assert_memory_equal(frames[1].octets, typed_last, sizeof(typed_last));
    assert_memory_equal(frames[1].octets + sizeof(typed_last), npdu + 136, 130);
    assert_memory_equal(frames[1].octets + sizeof(typed_last) + 130, "\xf2\x27\x14", 3);
    assert_int_equal(ms.next_ui[11], 6 * 512);
    assert_int_equal(ms.next_npdu[15], 0);
}

// Cut into segments as large as N201-U allows, in order, with a good FCS each.
static void test_sizes(void **state)
{
    static const uint16_t n201_us[] = {140, 141, 500, 1503, 1504, 1520};
    struct ul_ms ms = {.tlli = 1};
    (void)state;
    for (size_t i = 0; i < sizeof(npdu); i++)
        npdu[i] = (uint8_t)(i * 7 + (i >> 8));
    for (size_t k = 0; k < 6; k++)
        for (size_t n = 1; n <= 1520; n += 1 + n % 3) {
            uint32_t nu = ms.next_ui[9];
            uint16_t number = ms.next_npdu[6];
            size_t at = 0;
            ms.n201_u = n201_us[k];
            unsigned segments = ul_send(&ms, &cell_4, 9, 6, npdu, n, frames);
            for (unsigned s = 0; s < segments; s++, nu++) {
                size_t octets, header = s ? 3 : 4;
                const uint8_t *llc = llc_of(&frames[s], &octets), *sn = llc + 3;
                uint32_t fcs = plain_fcs(llc, octets - 3);
                const uint8_t sent[] = {(uint8_t)fcs, (uint8_t)(fcs >> 8), (uint8_t)(fcs >> 16)};
                assert_memory_equal(llc + octets - 3, sent, 3);
                assert_int_equal(llc[0], 9);
                assert_int_equal(llc[1] << 8 | llc[2], 0xc001 | (nu % 512) << 2);
                assert_int_equal(sn[0], 0x26 | (s ? 0 : 0x40) | (s + 1 < segments ? 0x10 : 0));
                assert_int_equal(sn[header - 2] << 8 | sn[header - 1], s << 12 | number);
                assert_true(s + 1 < segments ? octets - 6 == ms.n201_u : octets - 6 <= ms.n201_u);
                assert_memory_equal(sn + header, npdu + at, octets - 6 - header);
                at += octets - 6 - header;
            }
            assert_int_equal(at, n);
        }
    assert_true(ms.next_ui[9] > 512); // it went round
}

static void test_sixteen_segments_and_no_more(void **state)
{
    struct ul_ms ms = {.tlli = 1, .n201_u = 140};
    (void)state;
    assert_int_equal(ul_send(&ms, &cell_4, 3, 5, npdu, 136 + 15 * 137, frames), 16);
    assert_int_equal(ul_send(&ms, &cell_4, 3, 5, npdu, 136 + 15 * 137 + 1, frames), 0);
    assert_int_equal(ul_send(&ms, &cell_4, 3, 5, npdu, 0, frames), 0);
    assert_int_equal(ms.next_ui[3], 16);
    assert_int_equal(ms.next_npdu[5], 1);
}

static void test_alignment(void **state)
{
    struct ul_ms ms = {.tlli = 1, .n201_u = 1520};
    struct ul_cell cell = cell_4;
    bool lengths[4] = {false};
    (void)state;
    cell.aligned = true;
    for (int pfi = 0; pfi < 2; pfi++)
        for (size_t n = 1; n < 200; n++) {
            cell.has_pfi = pfi;
            ul_send(&ms, &cell, 3, 5, npdu, n, frames);
            const uint8_t *bssgp = frames[0].octets + 14 + 20 + 8 + 4, *at = bssgp + 18 + 3 * pfi;
            assert_int_equal(at[0], 0);
            assert_in_range(at[1], 0x80, 0x83);
            lengths[at[1] & 3] = true;
            at += 2 + (at[1] & 3);
            assert_int_equal(at[0], 0x0e);
            at += at[1] & 0x80 ? 2 : 3;
            assert_int_equal((at - bssgp) % 4, 0);
            assert_int_equal(at[0], 3);
        }
    assert_true(lengths[1] && lengths[2] && lengths[3]); // what stands before it leaves no 0
}

static uint32_t asked_oc, asked_nu;

static bool toy(void *ctx, const struct ul_ciphered *frame, uint8_t *octets, size_t n)
{
    (void)ctx;
    asked_oc = frame->oc;
    asked_nu = frame->nu;
    for (size_t i = 0; i < n; i++)
        octets[i] ^= 0x5a;
    return frame->tlli == 1;
}

static void test_cipher(void **state)
{
    struct ul_ms ms = {.tlli = 1, .n201_u = 500, .encipher = toy}, none = ms;
    uint8_t clear[64];
    size_t n;
    (void)state;
    ms.next_ui[5] = 1023;
    ul_send(&ms, &cell_4, 5, 5, npdu, 30, frames);
    assert_int_equal(asked_oc, 512);
    assert_int_equal(asked_nu, 511);
    const uint8_t *llc = llc_of(&frames[0], &n);
    assert_int_equal(llc[2] & 3, 3);
    memcpy(clear, llc, n);
    for (size_t i = 3; i < n; i++)
        clear[i] ^= 0x5a;
    assert_memory_equal(clear + 7, npdu, 30);
    uint32_t fcs = plain_fcs(clear, n - 3);
    assert_int_equal(clear[n - 3] | clear[n - 2] << 8 | clear[n - 1] << 16, fcs);
    ul_send(&ms, &cell_4, 5, 5, npdu, 30, frames);
    assert_int_equal(asked_oc, 1024);
    assert_int_equal(asked_nu, 0);
    none.tlli = 2;
    ul_send(&none, &cell_4, 5, 5, npdu, 30, frames);
    assert_int_equal(llc_of(&frames[0], &n)[2] & 3, 1);
}

static void test_unprotected_mode(void **state)
{
    struct ul_ms ms = {.tlli = 1, .n201_u = 500, .unprotected = true};
    size_t n;
    (void)state;
    ul_send(&ms, &cell_4, 3, 5, npdu, 30, frames);
    const uint8_t *llc = llc_of(&frames[0], &n);
    assert_int_equal(llc[2] & 1, 0);
    assert_int_equal(llc[n - 3] | llc[n - 2] << 8 | llc[n - 1] << 16, plain_fcs(llc, 7));
}

static void test_fcs_fault(void **state)
{
    struct ul_ms ms = {.tlli = 1, .n201_u = 500};
    struct ul_cell cell = cell_4;
    struct ip_reader reader = {0};
    struct ip_datagram datagram;
    size_t n;
    (void)state;
    cell.fcs_fault = 0x800001;
    ul_send(&ms, &cell, 3, 5, npdu, 30, frames);
    const uint8_t *llc = llc_of(&frames[0], &n);
    uint32_t sent = llc[n - 3] | (uint32_t)llc[n - 2] << 8 | (uint32_t)llc[n - 1] << 16;
    assert_int_equal(sent ^ plain_fcs(llc, n - 3), 0x800001);
    assert_int_equal(ip_read(&reader, frames[0].octets, frames[0].n, &datagram), IP_ERR_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fcs_vectors),
        cmocka_unit_test(test_typed_single),
        cmocka_unit_test(test_typed_last_of_two),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_sixteen_segments_and_no_more),
        cmocka_unit_test(test_alignment),
        cmocka_unit_test(test_cipher),
        cmocka_unit_test(test_unprotected_mode),
        cmocka_unit_test(test_fcs_fault),
    };
    return cmocka_run_group_tests_name("oracle/ul_sender", tests, NULL, NULL);
}

// See fixture.h.
#include "tests/lab/ms/fixture.h"

#include <osmocom/crypt/gprs_cipher.h>

#include "tests/lab/ms/books.h"
#include "tests/oracle/fcs.h"

struct fixture f;
uint32_t fixture_number;
const uint8_t kc[16] = {1, 2, 3, 0xff, 0x80, 7};

static void look(void)
{
    const char *wrong = books_wrong(&f.counters);
    if (wrong)
        fail_msg("not so: %s", wrong);
    assert_int_equal(f.counters.npdus_delivered, f.npdus);
    assert_int_equal(f.counters.delivered.octets, f.octets);
    uint64_t lost = 0;
    for (uint32_t i = 0; i < MS_LOST_COUNT; i++)
        lost += f.counters.npdus_lost[i];
    assert_int_equal(lost, f.npdus_lost);
}

static void down(void *self, struct ms *ms, uint8_t nsapi, const uint8_t *npdu, uint32_t octets,
                 uint64_t now_ns)
{
    assert_ptr_equal(self, &f);
    assert_ptr_equal(ms, &f.ms);
    assert_int_equal(now_ns, 77);
    f.npdus++;
    f.octets += octets;
    f.nsapi = nsapi;
    f.npdu_octets = octets;
    assert_in_range(octets, 1, sizeof f.npdu);
    memcpy(f.npdu, npdu, octets);
    look();
}

static void lost(void *self, struct ms *ms, uint8_t nsapi, const uint8_t *npdu, uint32_t octets,
                 enum ms_lost why, uint64_t now_ns)
{
    assert_ptr_equal(self, &f);
    assert_ptr_equal(ms, &f.ms);
    assert_int_equal(now_ns, 77);
    f.npdus_lost++;
    f.nsapi = nsapi;
    f.why = why;
    f.npdu_octets = octets;
    memcpy(f.npdu, npdu, octets);
}

static void up(void *self, struct ms *ms, const uint8_t *llc, uint32_t octets, uint64_t now_ns)
{
    assert_ptr_equal(self, &f);
    assert_ptr_equal(ms, &f.ms);
    assert_int_equal(now_ns, 77);
    assert_in_range(f.pdus, 0, PDUS_MAX - 1);
    assert_in_range(octets, 1, sizeof f.pdu[0].octets);
    memcpy(f.pdu[f.pdus].octets, llc, octets);
    f.pdu[f.pdus++].n = octets;
    look();
}

int fixture_begin(void **state)
{
    struct ms_config config = {0};
    const struct ms_owner owner = {&f, down, lost, up};
    (void)state;
    for (uint32_t i = 0; i < ms_config_field_count; i++)
        field_set(&ms_config_fields[i], &config, ms_config_fields[i].key->standard);
    memset(&f, 0, sizeof f);
    fixture_number = 0;
    ms_shared_setup(&f.shared, &config, &owner);
    int fault = ms_setup(&f.ms, &f.shared, &f.counters, &(struct ms_terms){.n201_u_octets = 1520});
    f.ms.label = 0xc0000001;
    return fault || ms_add_context(&f.ms, 5, 3) || ms_add_context(&f.ms, 6, 9);
}

int fixture_end(void **state)
{
    (void)state;
    look();
    ms_release(&f.ms, 77);
    look();
    assert_int_equal(f.counters.npdus_open, 0);
    ms_shared_release(&f.shared);
    return 0;
}

void fixture_key(uint8_t gea)
{
    struct ms_terms terms = {.n201_u_octets = 1520,
                             .gea = gea,
                             .kc = {kc, gea == 3   ? 8
                                        : gea == 4 ? 16
                                                   : 0},
                             .iov_ui = IOV_UI};
    assert_int_equal(ms_set_terms(&f.ms, &terms), 0);
}

void fixture_cipher(uint8_t gea, const uint8_t *key, uint32_t iov_ui, uint8_t sapi, uint32_t number,
                    bool downlink, uint8_t *octets, size_t n)
{
    uint8_t stream[GSM0464_CIPH_MAX_BLOCK], kc_of[16];
    uint32_t nu = number % 512, input = gprs_cipher_gen_input_ui(iov_ui, sapi, nu, number - nu);
    memcpy(kc_of, key, gea == 3 ? 8 : 16);
    assert_int_equal(gprs_cipher_run(stream, (uint16_t)n,
                                     gea == 3 ? GPRS_ALGO_GEA3 : GPRS_ALGO_GEA4, kc_of, input,
                                     downlink ? GPRS_CIPH_SGSN2MS : GPRS_CIPH_MS2SGSN),
                     0);
    for (size_t i = 0; i < n; i++)
        octets[i] ^= stream[i];
}

void fixture_down(const uint8_t *llc, uint32_t octets)
{
    uint8_t *exact = malloc(octets ? octets : 1); // so that a sanitizer sees reading beyond
    if (octets)
        memcpy(exact, llc, octets);
    ms_down(&f.ms, exact, octets, 77);
    free(exact);
    look();
}

static void put_fcs(uint8_t *b, uint32_t n)
{
    uint32_t fcs = plain_fcs(b, n);
    for (uint32_t i = 0; i < 3; i++)
        b[n + i] = (uint8_t)(fcs >> 8 * i);
}

void fixture_ui(uint8_t sapi, uint32_t number, const uint8_t *info, uint32_t octets, uint8_t flip)
{
    uint8_t b[2048];
    uint32_t head = 0xc001u | (number % 512) << 2 | (f.ms.gea ? 2u : 0);
    b[0] = 0x40 | sapi;
    b[1] = (uint8_t)(head >> 8);
    b[2] = (uint8_t)head;
    memcpy(b + 3, info, octets);
    put_fcs(b, 3 + octets);
    b[3 + octets + 2] ^= flip;
    if (f.ms.gea)
        fixture_cipher(f.ms.gea, kc, IOV_UI, sapi, number, true, b + 3, octets + 3);
    fixture_down(b, octets + 6);
}

void fixture_segment(bool first, bool more, uint8_t segment, uint16_t npdu, uint32_t octets)
{
    uint8_t info[1600] = {0};
    uint32_t header = first ? 4 : 3;
    info[0] = (uint8_t)(0x25 | (first ? 0x40 : 0) | (more ? 0x10 : 0));
    info[header - 2] = (uint8_t)(segment << 4 | npdu >> 8);
    info[header - 1] = (uint8_t)npdu;
    fixture_ui(3, fixture_number++, info, header + octets, 0);
}

void fixture_u(uint8_t address, uint8_t control, const uint8_t *info, uint32_t octets)
{
    uint8_t b[2048] = {address, control};
    if (octets)
        memcpy(b + 2, info, octets);
    put_fcs(b, 2 + octets);
    fixture_down(b, octets + 5);
}

uint32_t fixture_reset(uint32_t iov_ui, uint8_t *b)
{
    const uint8_t frame[] = {0x41,
                             0xfb,
                             0x30,
                             0x84,
                             0x10,
                             (uint8_t)(iov_ui >> 24),
                             (uint8_t)(iov_ui >> 16),
                             (uint8_t)(iov_ui >> 8),
                             (uint8_t)iov_ui};
    memcpy(b, frame, sizeof frame);
    put_fcs(b, sizeof frame);
    return sizeof frame + 3;
}

void fixture_expect(uint64_t npdus, uint64_t octets)
{
    assert_int_equal(f.npdus, npdus);
    assert_int_equal(f.octets, octets);
}

void fixture_expect_fault(uint64_t faults, const char *text)
{
    assert_int_equal(f.shared.faults, faults);
    if (!strstr(f.shared.first_fault, text))
        fail_msg("'%s' is not in '%s'", text, f.shared.first_fault);
}

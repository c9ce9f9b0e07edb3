// A BSS under test, with its octets typed: what it sends is compared octet by octet, what the SGSN
// sends is given as hex. Nothing here uses the codecs of dataplane/wire. One world a test.
#ifndef TESTS_LAB_BSS_PEER_H
#define TESTS_LAB_BSS_PEER_H

#include <stdio.h>
#include <string.h>

#include "lab/bss/bss.h"
#include "tests/dataplane/random.h"
#include "tests/lab/bss/tags.h"

#define S  1000000000ULL
#define MS 1000000ULL

#define SENT_MAX 4096
#define PDU_MAX  2048
#define LOST_MAX 4096
#define TLLI     0xc0000001u

struct sent {
    uint64_t at_ns;
    uint32_t nsvc, n;
    uint8_t octets[PDU_MAX];
};

struct arrived { // delivered, or lost
    uint64_t at_ns;
    struct bss_ms *ms;  // delivered
    uint32_t tlli;      // lost
    uint32_t n, number; // number: the two octets behind the address, see llc()
    enum bss_loss why;
    enum bss_way way;
};

static struct peer {
    struct engine *engine;
    struct bss_config config;
    struct bss_cell_config cell_config;
    struct bss *bss;
    struct bss_cell *cell, *other;
    struct sent sent[SENT_MAX];
    struct arrived delivered[LOST_MAX], lost[LOST_MAX];
    uint32_t sends, read, deliveries, losses, ups;
    void (*on_send)(uint32_t nsvc, const uint8_t *ns, uint32_t octets); // NULL: kept in `sent`
} w;

static inline uint64_t now(void)
{
    return engine_now_ns(w.engine);
}

static void peer_send(void *self, uint32_t nsvc, const uint8_t *ns, uint32_t octets,
                      uint64_t now_ns)
{
    (void)self;
    assert_true(now_ns == now());
    if (w.on_send) {
        w.on_send(nsvc, ns, octets);
        return;
    }
    assert_true(w.sends < SENT_MAX && octets <= PDU_MAX);
    w.sent[w.sends] = (struct sent){now_ns, nsvc, octets, {0}};
    memcpy(w.sent[w.sends++].octets, ns, octets);
}

static void peer_deliver(void *self, struct bss_ms *ms, const uint8_t *llc, uint32_t octets,
                         uint64_t now_ns)
{
    (void)self;
    w.delivered[w.deliveries++ % LOST_MAX] =
        (struct arrived){.at_ns = now_ns,
                         .ms = ms,
                         .n = octets,
                         .number = number_with_tag(w.bss, BSS_DOWN, llc, octets)};
}

static void peer_lost(void *self, uint32_t tlli, enum bss_way way, const uint8_t *llc,
                      uint32_t octets, enum bss_loss why, uint64_t now_ns)
{
    (void)self;
    w.lost[w.losses++ % LOST_MAX] =
        (struct arrived){.at_ns = now_ns,
                         .tlli = tlli,
                         .n = octets,
                         .number = number_with_tag(w.bss, way, llc, octets),
                         .why = why,
                         .way = way};
}

static void peer_up(void *self, struct bss_cell *cell, uint64_t now_ns)
{
    (void)self, (void)cell, (void)now_ns;
    w.ups++;
}

// ---- Books ----

static void check_books(const struct bss_traffic *t, const char *of)
{
    for (int way = 0; way < BSS_WAYS; way++) {
        struct bss_tally sum = t->out[way];
        sum.pdus += t->held[way].pdus;
        sum.octets += t->held[way].octets;
        for (int why = 0; why < BSS_LOSSES; why++)
            if (bss_loss_way((enum bss_loss)why) == (enum bss_way)way) {
                sum.pdus += t->lost[why].pdus;
                sum.octets += t->lost[why].octets;
            }
        if (way == BSS_DOWN) {
            sum.pdus += t->over.pdus;
            sum.octets += t->over.octets;
        }
        if (sum.pdus != t->in[way].pdus || sum.octets != t->in[way].octets)
            fail_msg("%s, way %d: in %llu/%llu, accounted %llu/%llu", of, way,
                     (unsigned long long)t->in[way].pdus, (unsigned long long)t->in[way].octets,
                     (unsigned long long)sum.pdus, (unsigned long long)sum.octets);
    }
}

static inline void books(void)
{
    check_books(&bss_counters(w.bss)->traffic, "the NSE");
    check_books(bss_cell_traffic(w.cell), "the cell");
    if (w.other)
        check_books(bss_cell_traffic(w.other), "the other cell");
}

// ---- Hex ----

static uint32_t from_hex(const char *text, uint8_t *b)
{
    uint32_t n = 0, high = 0;
    bool half = false;
    for (; *text; text++) {
        if (*text == ' ')
            continue;
        uint32_t digit = (uint32_t)(*text <= '9' ? *text - '0' : *text - 'a' + 10);
        assert_true(digit < 16);
        if (half)
            b[n++] = (uint8_t)(high << 4 | digit);
        high = digit;
        half = !half;
    }
    assert_false(half);
    return n;
}

static const char *to_hex(const uint8_t *b, uint32_t n)
{
    static char text[3 * PDU_MAX + 1];
    text[0] = 0;
    for (uint32_t i = 0; i < n; i++)
        sprintf(text + 3 * i, "%02x ", b[i]);
    return text;
}

// ---- What passes ----

// The SGSN sends.
static inline void in_on(uint32_t nsvc, const char *hex)
{
    uint8_t b[PDU_MAX];
    uint32_t n = from_hex(hex, b);
    uint8_t *exact = malloc(n ? n : 1); // so that a sanitizer sees the first octet beyond
    memcpy(exact, b, n);
    bss_input_tagged(w.bss, nsvc, exact, n, TAG_IN, now());
    free(exact);
    books();
}

static inline void in(const char *hex)
{
    in_on(0, hex);
}

// The next thing that the BSS sent, which nobody has asked for yet.
static inline const struct sent *out_any(void)
{
    if (w.read == w.sends)
        fail_msg("nothing was sent");
    return &w.sent[w.read++];
}

static inline void out_at(uint64_t at_ns, const char *hex)
{
    uint8_t b[PDU_MAX];
    uint32_t n = from_hex(hex, b);
    const struct sent *s = out_any();
    if (s->n != n || memcmp(s->octets, b, n) != 0)
        fail_msg("sent %s\n instead of %s", to_hex(s->octets, s->n), hex);
    if (s->at_ns != at_ns)
        fail_msg("%s at %llu instead of %llu", hex, (unsigned long long)s->at_ns,
                 (unsigned long long)at_ns);
}

static inline void out(const char *hex)
{
    out_at(now(), hex);
}

static inline void none(void)
{
    if (w.read != w.sends)
        fail_msg("sent: %s", to_hex(w.sent[w.read].octets, w.sent[w.read].n));
}

static inline void forget_sent(void)
{
    w.read = w.sends = 0;
}

static inline void run_to(uint64_t t_ns)
{
    assert_int_equal(engine_run(w.engine, t_ns, NULL, NULL), 0);
    books();
}

static inline void run(uint64_t ns)
{
    run_to(now() + ns);
}

static inline uint64_t faults(void)
{
    return bss_counters(w.bss)->faults;
}

static inline void no_fault(void)
{
    if (faults())
        fail_msg("%s", bss_counters(w.bss)->first_fault);
}

// ---- Worlds ----

// 262-42, LAC 0x1234, RAC 0x56, as 62 f2 24 12 34 56 on the wire; CI 0x0102.
static inline void set_identity(struct bss_cell_config *config, uint16_t bvci, uint16_t ci)
{
    config->bvci = bvci;
    config->identity = (struct bssgp_area){
        .mcc = 262, .mnc = 42, .mnc_digits = 2, .lac = 0x1234, .rac = 0x56, .ci = ci};
}

// The standard configurations; a test changes them, and then calls make().
static inline void configure(enum bss_ns_mode ns)
{
    memset(&w, 0, sizeof w);
    bss_config_standard(&w.config);
    bss_cell_config_standard(&w.cell_config);
    w.config.nsei = 101;
    w.config.ns = (uint8_t)ns;
    w.cell_config.flow_measurement = false;
    w.cell_config.r_bit_per_s = 48000;
    set_identity(&w.cell_config, 2, 0x0102);
}

static inline struct bss_nsvc_config nsvc_config(uint16_t nsvci, uint8_t last)
{
    struct bss_nsvc_config config = {
        .nsvci = nsvci, .port = 23000, .signalling_weight = 1, .data_weight = 1};
    static const uint8_t address[16] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 198, 51, 100, 0};
    memcpy(config.address.octet, address, sizeof address);
    config.address.octet[15] = last;
    return config;
}

static inline void make(uint32_t nsvcs, uint32_t cells)
{
    struct bss_owner owner = {
        .send = peer_send, .deliver = peer_deliver, .lost = peer_lost, .up = peer_up};
    w.engine = engine_create();
    w.bss = bss_create(&w.config, &owner, w.engine);
    for (uint32_t i = 0; i < nsvcs; i++) {
        struct bss_nsvc_config config = nsvc_config((uint16_t)(7 + i), (uint8_t)(2 + i));
        bss_add_nsvc(w.bss, &config);
    }
    w.cell = bss_add_cell(w.bss, &w.cell_config);
    if (cells > 1) {
        set_identity(&w.cell_config, 3, 0x0103);
        w.other = bss_add_cell(w.bss, &w.cell_config);
        set_identity(&w.cell_config, 2, 0x0102);
    }
}

static inline struct bss_ms *enter(struct bss_cell *cell, uint32_t tlli)
{
    struct bss_identity identity = {.tlli = tlli};
    snprintf(identity.imsi.text, sizeof identity.imsi.text, "00101%010u", tlli & 0xffff);
    struct bss_ms *ms = bss_enter(w.bss, cell, &identity, NULL, now());
    assert_non_null(ms);
    return ms;
}

static int end_world(void **state)
{
    (void)state;
    if (w.bss)
        bss_destroy(w.bss);
    if (w.engine)
        engine_destroy(w.engine);
    w.bss = NULL;
    w.engine = NULL;
    return 0;
}

// With ns = "reset", one NS-VC: everything up to the flow control values of all cells,
// acknowledged. The exchange itself is the test of bss_bvc.
#define BVCI_2  "0000 0002 "
#define BVCI_3  "0000 0003 "
#define BVCI_0  "0000 0000 "
#define TLLI_IE "1f 84 c0000001 "
static inline void bring_up(const char *features_ack)
{
    bss_start(w.bss, now());
    in("03 01 82 0007 04 82 0065"); // RESET-ACK
    in("0b");                       // ALIVE-ACK
    in("07");                       // UNBLOCK-ACK
    in(features_ack ? features_ack : BVCI_0 "23 04 82 0000");
    in(BVCI_0 "23 04 82 0002");
    if (w.other)
        in(BVCI_0 "23 04 82 0003");
    in(BVCI_2 "27 1e 81 01");
    if (w.other)
        in(BVCI_3 "27 1e 81 01");
    assert_int_equal(w.ups, w.other ? 2 : 1);
    forget_sent();
    no_fault();
}

// ---- DL-UNITDATA ----

// An LLC PDU of that many octets: the address with its SAPI, then `number`, then filler.
struct dl {
    uint32_t tlli, octets, number;
    uint16_t bvci, lifetime_cs; // 0 cs: infinite
    uint8_t sapi, precedence;   // SAPI 0: 3
    int pfi, priority;          // 0: none
    bool signalling;
    uint32_t old_tlli;
    uint32_t nsvc;
};

static inline uint32_t put_dl(const struct dl *dl, uint8_t *b)
{
    assert_true(dl->octets <= 1600);
    uint32_t n = 0, octets = dl->octets ? dl->octets : 100, tlli = dl->tlli ? dl->tlli : TLLI;
    uint32_t cs = dl->lifetime_cs ? dl->lifetime_cs : 0xffff, bvci = dl->bvci ? dl->bvci : 2;
    const uint8_t head[] = {0,
                            0,
                            (uint8_t)(bvci >> 8),
                            (uint8_t)bvci,
                            0,
                            (uint8_t)(tlli >> 24),
                            (uint8_t)(tlli >> 16),
                            (uint8_t)(tlli >> 8),
                            (uint8_t)tlli,
                            0,
                            0,
                            (uint8_t)((dl->signalling ? 0x20 : 0x30) | dl->precedence),
                            0x16,
                            0x82,
                            (uint8_t)(cs >> 8),
                            (uint8_t)cs};
    memcpy(b, head, sizeof head);
    n = sizeof head;
    if (dl->priority) {
        b[n++] = 0x17, b[n++] = 0x81;
        b[n++] = (uint8_t)(dl->priority << 2);
    }
    if (dl->old_tlli) {
        b[n++] = 0x1f, b[n++] = 0x84;
        for (int shift = 24; shift >= 0; shift -= 8)
            b[n++] = (uint8_t)(dl->old_tlli >> shift);
    }
    if (dl->pfi) {
        b[n++] = 0x28, b[n++] = 0x81;
        b[n++] = (uint8_t)dl->pfi;
    }
    b[n++] = 0x0e;
    b[n++] = (uint8_t)(octets >> 8);
    b[n++] = (uint8_t)octets;
    memset(b + n, 0x2b, octets);
    b[n] = (uint8_t)(0x40 | (dl->sapi ? dl->sapi : 3));
    if (octets >= 3) {
        b[n + 1] = (uint8_t)(dl->number >> 8);
        b[n + 2] = (uint8_t)dl->number;
    }
    return n + octets;
}

#define DOWN(...) down(&(struct dl){__VA_ARGS__})
static inline void down(const struct dl *dl)
{
    uint8_t b[PDU_MAX];
    uint32_t n = put_dl(dl, b);
    bss_input_tagged(w.bss, dl->nsvc, b, n, TAG_DOWN(dl->number & 0xffff), now());
    books();
}

#define TEST(name) cmocka_unit_test_teardown(name, end_world)

#endif

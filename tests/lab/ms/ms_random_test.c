// Random worlds: MSs with random keys, contexts, N201-U; N-PDUs of random sizes down and up. The
// SGSN is the oracles': their sender makes the downlink, their receiver judges the uplink, with
// libosmocore's cipher. The way loses, repeats and delays LLC PDUs. Exactly the N-PDUs of which
// each segment came in order are delivered, in order and octet by octet; the books agree after each
// LLC PDU, and ms_read tells what the lost ones carried.
#include "tests/dataplane/random.h"
#include "tests/lab/ms/books.h"
#include "tests/lab/ms/fixture.h"
#include "tests/oracle/gb_receiver.h"

#define MSS        4
#define NPDU_MOST  1520
#define BURST_MOST 255
#define WORLDS     9
#define STEPS      4000

static const uint8_t sapis[MS_LLES] = {3, 5, 9, 11};

// What an LLC PDU on its way carries.
struct tag {
    uint32_t npdu; // counted per context from 1
    uint32_t segment, segments;
    uint8_t nsapi;
    uint32_t octets, at; // of the N-PDU: the segment's
};

struct sent {
    struct tag tag;
    struct ul_llc pdu;
    struct ms_stamp stamp;
};

static struct station {
    struct ms ms;
    struct ms_counters counters;
    struct ms_sgsn numbers;
    struct ul_ms sgsn;
    uint8_t gea, kc[16];
    uint32_t iov_ui;
    uint8_t sapi_of[16]; // by NSAPI; 0: no context
    struct model {
        uint32_t npdus;     // sent by the SGSN
        uint32_t begun;     // the last whose first segment came
        uint32_t now, next; // the N-PDU whose segments come in order so far, and the next segment
        uint32_t expected;  // the N-PDU that must be delivered now; 0: none
    } model[16];
    uint32_t burst; // LLC PDUs that will be lost
    struct sent delayed[MS_LLES];
    bool has_delayed[MS_LLES];
    uint64_t npdus, npdus_lost;
} station[MSS];

static struct ms_shared shared;
static struct gb_receiver *sgsn_up;
static uint64_t delivered, lost_npdus, up_read, oc_most, up_oc_most;

// ---- Ciphers ----

static bool encipher(void *ctx, const struct ul_ciphered *frame, uint8_t *octets, size_t n)
{
    struct station *s = ctx;
    if (s->gea && n)
        fixture_cipher(s->gea, s->kc, s->iov_ui, frame->sapi, frame->oc + frame->nu, true, octets,
                       n);
    oc_most = frame->oc > oc_most ? frame->oc : oc_most;
    return s->gea;
}

static bool decipher_up(void *ctx, const struct gb_ciphered *frame, uint8_t *octets, size_t n)
{
    struct station *s = &station[frame->tlli];
    (void)ctx;
    if (s->gea && n)
        fixture_cipher(s->gea, s->kc, s->iov_ui, frame->sapi, frame->oc + frame->nu, false, octets,
                       n);
    up_oc_most = frame->oc > up_oc_most ? frame->oc : up_oc_most;
    return s->gea;
}

// ---- Contents: a function of MS, NSAPI, way and number ----

static uint8_t content(const struct station *s, uint8_t nsapi, uint32_t npdu, uint32_t at)
{
    return (uint8_t)((uint32_t)(s - station) * 31 + nsapi * 7 + npdu * 13 + (npdu >> 8) + at * 11 +
                     (at >> 8) * 3);
}

static void fill(const struct station *s, uint8_t nsapi, uint32_t npdu, uint8_t *b, uint32_t octets)
{
    for (uint32_t i = 0; i < octets; i++)
        b[i] = content(s, nsapi, npdu, i);
}

static uint32_t size_of(const struct station *s, uint8_t nsapi, uint32_t npdu)
{
    uint32_t most = s->sgsn.n201_u == 140 ? 1000 : NPDU_MOST;
    uint32_t kind = content(s, nsapi, npdu, 3) % 4;
    return kind == 0 ? 1 + npdu % 60 : kind == 1 ? most : 1 + npdu * 977 % most;
}

static struct station *any(void)
{
    return &station[random_next() % MSS];
}

static uint8_t any_nsapi(const struct station *s)
{
    uint8_t nsapi;
    do
        nsapi = (uint8_t)(5 + random_next() % 11);
    while (!s->sapi_of[nsapi]);
    return nsapi;
}

// ---- The MS's ends ----

static void down(void *self, struct ms *ms, uint8_t nsapi, const uint8_t *npdu, uint32_t octets,
                 uint64_t now_ns)
{
    struct station *s = (struct station *)(void *)ms;
    struct model *m = &s->model[nsapi];
    (void)self, (void)now_ns;
    if (!m->expected)
        fail_msg("an N-PDU that had not all its segments");
    assert_int_equal(octets, size_of(s, nsapi, m->expected));
    for (uint32_t i = 0; i < octets; i++)
        assert_int_equal(npdu[i], content(s, nsapi, m->expected, i));
    m->expected = 0;
    s->npdus++;
    delivered++;
}

// What came of an N-PDU that the MS gives up.
static void lost(void *self, struct ms *ms, uint8_t nsapi, const uint8_t *npdu, uint32_t octets,
                 enum ms_lost why, uint64_t now_ns)
{
    struct station *s = (struct station *)(void *)ms;
    (void)self, (void)why, (void)now_ns;
    uint32_t number = s->model[nsapi].begun;
    assert_true(s->model[nsapi].expected != number);
    assert_true(octets < size_of(s, nsapi, number));
    for (uint32_t i = 0; i < octets; i++)
        assert_int_equal(npdu[i], content(s, nsapi, number, i));
    s->npdus_lost++;
}

static uint8_t up_npdu[NPDU_MOST];
static size_t up_octets; // of the N-PDU that is on its way; 0: it has arrived
static uint8_t up_nsapi;

static void deliver_up(void *ctx, const struct gb_npdu *n)
{
    (void)ctx;
    assert_int_equal(n->nsapi, up_nsapi);
    assert_int_equal(n->len, up_octets);
    assert_memory_equal(n->octets, up_npdu, up_octets);
    up_octets = 0;
}

// Read by the oracle.
static void up(void *self, struct ms *ms, const uint8_t *llc, uint32_t octets, uint64_t now_ns)
{
    uint32_t tlli = (uint32_t)((struct station *)(void *)ms - station);
    (void)self, (void)now_ns;
    int code = gb_receiver_llc_pdu(sgsn_up, tlli, llc, octets);
    if (code)
        fail_msg("%s", gb_receiver_error_text(code));
    up_read++;
}

// ---- The way down ----

static void look(const struct station *s)
{
    const char *wrong = books_wrong(&s->counters);
    if (wrong)
        fail_msg("not so: %s", wrong);
    assert_int_equal(s->counters.npdus_delivered, s->npdus);
    assert_int_equal(s->counters.npdus_begun - s->counters.npdus_open, s->npdus + s->npdus_lost);
}

// What the segment does to the N-PDUs, by their definition alone.
static void arrives(struct model *m, const struct tag *tag)
{
    if (tag->segment == 0) {
        m->now = tag->npdu;
        m->next = 0;
    }
    m->next = m->now == tag->npdu && m->next == tag->segment ? m->next + 1 : UINT32_MAX;
    lost_npdus += m->next == UINT32_MAX && tag->segment + 1 == tag->segments;
    m->expected = m->next == tag->segments ? tag->npdu : 0;
}

static void give(struct station *s, const struct sent *sent, bool again)
{
    struct model *m = &s->model[sent->tag.nsapi];
    if (!again)
        arrives(m, &sent->tag);
    ms_down_stamped(&s->ms, sent->stamp, sent->pdu.octets, (uint32_t)sent->pdu.n, 0);
    if (!again && sent->tag.segment == 0)
        m->begun = sent->tag.npdu;
    if (m->expected)
        fail_msg("an N-PDU is missing");
    look(s);
}

static void lose(const struct station *s, const struct sent *sent)
{
    struct ms before = s->ms;
    struct ms_what what;
    assert_true(ms_read(&s->ms, sent->stamp, sent->pdu.octets, (uint32_t)sent->pdu.n, &what));
    assert_memory_equal(&before, &s->ms, sizeof before);
    assert_int_equal(what.sapi, s->sapi_of[sent->tag.nsapi]);
    assert_int_equal(what.segment.nsapi, sent->tag.nsapi);
    assert_int_equal(what.segment.npdu_number, (sent->tag.npdu - 1) % 4096);
    assert_int_equal(what.segment.segment, sent->tag.segment);
    assert_int_equal(what.segment.first, sent->tag.segment == 0);
    assert_int_equal(what.segment.more, sent->tag.segment + 1 < sent->tag.segments);
    assert_int_equal(what.segment.data.n, sent->tag.octets);
    for (uint32_t i = 0; i < what.segment.data.n; i++)
        assert_int_equal(what.segment.data.at[i],
                         content(s, sent->tag.nsapi, sent->tag.npdu, sent->tag.at + i));
}

static bool delays(const struct station *s)
{
    return s->has_delayed[0] || s->has_delayed[1] || s->has_delayed[2] || s->has_delayed[3];
}

// Of sixty one is given twice, one behind the next of its SAPI, and two begin a burst of losses,
// which is short while a frame is kept back: more than 32 numbers later it would be a new one.
static void on_the_way(struct station *s, uint32_t lle, const struct sent *sent)
{
    uint32_t kind = (uint32_t)(random_next() % 60);
    if (s->burst == 0 && kind < 2)
        s->burst = kind || delays(s) ? 1 : 1 + (uint32_t)(random_next() % BURST_MOST);
    if (s->burst) {
        s->burst--;
        lose(s, sent);
        return;
    }
    if (kind == 2 && !s->has_delayed[lle]) {
        s->delayed[lle] = *sent;
        s->has_delayed[lle] = true;
        return;
    }
    give(s, sent, false);
    if (kind == 3)
        give(s, sent, true);
    if (s->has_delayed[lle]) {
        give(s, &s->delayed[lle], false);
        s->has_delayed[lle] = false;
    }
}

// N-PDUs of one SAPI follow one another; those of different SAPIs take turns, LLC PDU by LLC PDU.
static uint32_t begin_npdu(struct station *s, uint8_t nsapi, struct sent *sent)
{
    static uint8_t npdu[NPDU_MOST];
    static struct ul_llc pdus[UL_SEGMENTS_MAX];
    uint32_t number = ++s->model[nsapi].npdus, octets = size_of(s, nsapi, number), at = 0;
    fill(s, nsapi, number, npdu, octets);
    uint32_t n = ul_llc(&s->sgsn, s->sapi_of[nsapi], nsapi, npdu, octets, 0, pdus);
    assert_true(n > 0);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t piece = (uint32_t)pdus[i].n - 6 - (i ? 3 : 4);
        struct ms_stamp stamp = ms_sgsn_sent(&s->numbers, pdus[i].octets, (uint32_t)pdus[i].n);
        sent[i] = (struct sent){{number, i, n, nsapi, piece, at}, pdus[i], stamp};
        at += piece;
    }
    return n;
}

static void down_of_one(struct station *s)
{
    static struct sent sent[MS_LLES][UL_SEGMENTS_MAX];
    uint32_t n[MS_LLES] = {0}, at[MS_LLES] = {0}, left = 0;
    for (uint32_t i = 0; i < 1 + random_next() % 3; i++) {
        uint8_t nsapi = any_nsapi(s);
        uint32_t lle = 0;
        while (sapis[lle] != s->sapi_of[nsapi])
            lle++;
        if (n[lle] == 0)
            left += n[lle] = begin_npdu(s, nsapi, sent[lle]);
    }
    for (; left > 0; left--) {
        uint32_t lle;
        do
            lle = (uint32_t)(random_next() % MS_LLES);
        while (at[lle] == n[lle]);
        on_the_way(s, lle, &sent[lle][at[lle]++]);
    }
}

static void up_of_one(struct station *s)
{
    static uint32_t numbers;
    up_nsapi = any_nsapi(s);
    up_octets = 1 + random_next() % (s->sgsn.n201_u == 140 ? 1000 : NPDU_MOST);
    fill(s, up_nsapi, ++numbers, up_npdu, (uint32_t)up_octets);
    assert_true(ms_up(&s->ms, up_nsapi, up_npdu, (uint32_t)up_octets, 0));
    assert_int_equal(up_octets, 0);
    look(s);
}

// ---- Worlds ----

static void begin_station(struct station *s, uint32_t world)
{
    static const uint16_t n201_us[] = {140, 500, 500, 1503, 1520};
    memset(s, 0, sizeof *s);
    s->gea = (uint8_t)((world + (uint32_t)(s - station)) % 3);
    s->gea += s->gea ? 2 : 0;
    random_fill(s->kc, sizeof s->kc);
    s->iov_ui = (uint32_t)random_next();
    uint16_t n201_u = n201_us[random_next() % 5];
    s->sgsn = (struct ul_ms){.tlli = (uint32_t)(s - station),
                             .n201_u = n201_u,
                             .of_sgsn = true,
                             .encipher = encipher,
                             .ctx = s};
    struct ms_terms terms = {.n201_u_octets = n201_u,
                             .gea = s->gea,
                             .kc = {s->kc, s->gea == 3 ? 8 : 16},
                             .iov_ui = s->iov_ui};
    assert_int_equal(ms_setup(&s->ms, &shared, &s->counters, &terms), 0);
    ms_sgsn_setup(&s->numbers, &s->ms);
    for (uint32_t i = 0; i < 1 + random_next() % 6; i++) {
        uint8_t nsapi = (uint8_t)(5 + random_next() % 11), sapi = sapis[random_next() % MS_LLES];
        if (!s->sapi_of[nsapi] && ms_add_context(&s->ms, nsapi, sapi) == 0)
            s->sapi_of[nsapi] = sapi;
    }
}

static void begin_world(uint32_t world)
{
    struct ms_config config = {0};
    for (uint32_t i = 0; i < ms_config_field_count; i++)
        field_set(&ms_config_fields[i], &config, ms_config_fields[i].key->standard);
    config.protects_all = world % 2;
    ms_shared_setup(&shared, &config, &(struct ms_owner){NULL, down, lost, up});
    sgsn_up = gb_receiver_new(deliver_up, NULL);
    gb_receiver_uplink(sgsn_up);
    gb_receiver_set_decipher(sgsn_up, decipher_up, NULL);
    for (uint32_t i = 0; i < MSS; i++)
        begin_station(&station[i], world);
}

static void end_world(void)
{
    uint64_t faults = 0;
    for (uint32_t i = 0; i < MSS; i++) {
        struct station *s = &station[i];
        uint64_t refused = books_faults(&s->counters);
        assert_int_equal(refused, s->counters.refused[MS_REFUSED_duplicate].packets);
        assert_int_equal(s->counters.lost[MS_LOST_order].packets, 0);
        assert_int_equal(s->counters.lost[MS_LOST_unfinished].packets, 0);
        faults += refused;
        ms_release(&s->ms, 0);
        look(s);
        assert_int_equal(s->counters.npdus_open, 0);
    }
    assert_int_equal(shared.faults, faults);
    gb_receiver_free(sgsn_up);
    ms_shared_release(&shared);
}

static void test_random_worlds(void **state)
{
    (void)state;
    random_begin();
    for (uint32_t world = 0; world < WORLDS; world++) {
        begin_world(world);
        for (uint32_t step = 0; step < STEPS; step++) {
            down_of_one(any());
            up_of_one(any());
        }
        end_world();
    }
    print_message("# %llu N-PDUs delivered, %llu spoiled; OC up to %llu down, %llu up\n",
                  (unsigned long long)delivered, (unsigned long long)lost_npdus,
                  (unsigned long long)oc_most, (unsigned long long)up_oc_most);
    assert_true(delivered > 5000 && lost_npdus > 300);
    assert_true(oc_most >= 4 * 512 && up_oc_most >= 512 && up_read > 10000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_worlds)};
    return cmocka_run_group_tests_name("lab/ms/ms_random", tests, NULL, NULL);
}

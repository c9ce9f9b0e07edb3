// The scheduler under a random sequence of calls, decoded from the input: nodes come, change, move
// and go, N-PDUs come and are taken, time passes, ids and values are wrong now and then. Tables are
// small, so that they fill. After each call the books (sched_books.h) must agree and sched_check()
// find nothing; at the end every N-PDU has come back exactly once. The first octets choose the
// configuration; one that cannot be must be refused, and that is all.
#include <string.h>

#include "tests/fuzz/check.h"
#include "tests/fuzz/sched_books.h"
#include "tests/fuzz/sched_input.h"
#include "tests/dataplane/sched/check.h"

#define CALLS_MAX 250 // bounds the work of an input

// 0 or a refusal that has words; true if it was done.
static bool done(int code)
{
    CHECK(code <= 0 && code > -SCHED_ERR_COUNT);
    CHECK(strlen(sched_err_text(code)) > 0);
    return code == 0;
}

static void call_nse(struct books *b, uint32_t what)
{
    uint32_t nse = input_nse_id();
    bool there = nse < BOOKS_NSES && b->nse[nse];
    if (what == 0 && done(sched_nse_add(b->sched, nse, input_terms(), b->now_ns))) {
        CHECK(nse < BOOKS_NSES && !there);
        b->nse[nse] = true;
    }
    if (what == 1 && done(sched_nse_set(b->sched, nse, input_terms(), b->now_ns)))
        CHECK(there);
    if (what == 2 && done(sched_nse_remove(b->sched, nse))) {
        CHECK(there);
        b->nse[nse] = false;
        for (uint32_t i = 0; i < BOOKS_BVCS; i++)
            CHECK(!b->bvc[i] || b->nse_of[i] != nse);
    }
}

static void call_bvc(struct books *b, uint32_t what)
{
    uint32_t bvc = input_bvc_id(), nse;
    bool there = bvc < BOOKS_BVCS && b->bvc[bvc];
    if (what == 0 && done(sched_bvc_add(b->sched, bvc, nse = input_nse_id(), b->now_ns))) {
        CHECK(bvc < BOOKS_BVCS && !there && b->nse[nse]);
        b->bvc[bvc] = true;
        b->nse_of[bvc] = nse;
    }
    if (what == 1) {
        struct bucket_terms own = input_terms(), defaults = input_terms();
        CHECK(!done(sched_bvc_set(b->sched, bvc, own, defaults, b->now_ns)) || there);
    }
    if (what == 2)
        CHECK(done(sched_bvc_level(b->sched, bvc, input_level(), b->now_ns)) == there);
    if (what == 3)
        CHECK(done(sched_bvc_reset(b->sched, bvc, b->now_ns)) == there);
    if (what == 4 && done(sched_bvc_remove(b->sched, bvc))) {
        CHECK(there);
        b->bvc[bvc] = false;
        for (uint32_t i = 0; i < BOOKS_MSS; i++)
            CHECK(!b->ms[i].exists || b->ms[i].bvc != bvc);
    }
}

// Again and again while the list of drops is full: that many are never queued.
#define UNTIL_DONE(code, call)           \
    do {                                 \
        code = call;                     \
        if (code == -SCHED_MORE)         \
            CHECK(books_empty_drops(b)); \
    } while (code == -SCHED_MORE)

static void ms_remove(struct books *b, uint32_t ms)
{
    int code;
    UNTIL_DONE(code, sched_ms_remove(b->sched, ms, DROP_removed, b->now_ns));
    bool there = ms < BOOKS_MSS && b->ms[ms].exists;
    CHECK(done(code) == there);
    if (!there)
        return;
    books_empty_drops(b);
    CHECK(b->ms[ms].queued.packets == 0);
    b->ms[ms] = (struct books_ms){0};
}

static void call_ms(struct books *b, uint32_t what)
{
    int code;
    uint32_t ms = input_ms_id(), bvc;
    bool there = ms < BOOKS_MSS && b->ms[ms].exists;
    switch (what) {
    case 0:
        bvc = input_bvc_id();
        if (!done(sched_ms_add(b->sched, ms, bvc, input_n201_u(), b->now_ns)))
            return;
        CHECK(ms < BOOKS_MSS && !there && b->bvc[bvc]);
        b->ms[ms] = (struct books_ms){.exists = true, .bvc = bvc};
        return;
    case 1:
        CHECK(!done(sched_ms_set(b->sched, ms, input_terms(), b->now_ns)) || there);
        return;
    case 2:
        CHECK(done(sched_ms_default(b->sched, ms, b->now_ns)) == there);
        return;
    case 3:
        CHECK(!done(sched_ms_n201_u(b->sched, ms, input_octet() % 5, input_n201_u(), b->now_ns)) ||
              there);
        return;
    case 4:
        if (done(sched_ms_freeze(b->sched, ms, b->now_ns)))
            b->ms[ms].frozen = true;
        return;
    case 5:
        if (done(sched_ms_release(b->sched, ms, b->now_ns)))
            b->ms[ms].frozen = false;
        return;
    case 6:
        bvc = input_bvc_id();
        if (done(sched_ms_move(b->sched, ms, bvc, b->now_ns)))
            b->ms[ms].bvc = bvc;
        return;
    case 7:
        CHECK(done(sched_ms_level(b->sched, ms, input_level(), b->now_ns)) == there);
        return;
    case 8:
        UNTIL_DONE(code, sched_ms_flush(b->sched, ms, DROP_flushed, b->now_ns));
        books_empty_drops(b);
        CHECK(done(code) == there && (!there || b->ms[ms].queued.packets == 0));
        return;
    default:
        ms_remove(b, ms);
    }
}

static void pfc_share(struct books *b, uint32_t ms, uint32_t slot, bool there)
{
    uint32_t with = input_slot_id();
    bool goes = there && with < SCHED_SLOTS && with != slot && b->ms[ms].pfc[with];
    CHECK(done(sched_pfc_share(b->sched, ms, slot, with, b->now_ns)) == goes);
    if (goes)
        b->ms[ms].bucket[slot] = b->ms[ms].bucket[with];
}

static void call_pfc(struct books *b, uint32_t what)
{
    int code;
    uint32_t ms = input_ms_id(), slot = input_slot_id(), class;
    bool there = ms < BOOKS_MSS && slot < SCHED_SLOTS && b->ms[ms].pfc[slot];
    switch (what) {
    case 0:
        class = input_octet() % (CLASS_COUNT + 1);
        if (!done(sched_pfc_add(b->sched, ms, slot, (enum traffic_class) class)))
            return;
        CHECK(!there && class < CLASS_COUNT);
        b->ms[ms].pfc[slot] = true;
        b->ms[ms].class[slot] = class;
        b->ms[ms].bucket[slot] = ++b->buckets;
        return;
    case 1:
        CHECK(!done(sched_pfc_set(b->sched, ms, slot, input_terms(), b->now_ns)) || there);
        return;
    case 2:
        CHECK(done(sched_pfc_unlimit(b->sched, ms, slot, b->now_ns)) == there);
        return;
    case 3:
        CHECK(done(sched_pfc_level(b->sched, ms, slot, input_level(), b->now_ns)) == there);
        return;
    case 5:
        pfc_share(b, ms, slot, there);
        return;
    default:
        UNTIL_DONE(code, sched_pfc_remove(b->sched, ms, slot, DROP_removed, b->now_ns));
        books_empty_drops(b);
        CHECK(done(code) == there);
        if (there) {
            CHECK(b->ms[ms].packets_of[slot] == 0);
            b->ms[ms].pfc[slot] = false;
        }
    }
}

static void call_put(struct books *b, uint32_t times)
{
    uint32_t ms = input_ms_id(), slot = input_slot_id(), octets = input_word(),
             choice = input_octet();
    if (choice & 1)
        octets %= 1600;
    while (times--) {
        struct books_npdu *n = books_free_npdu(b);
        if (!n)
            return;
        n->pdu = (struct pdu){.buffer = n,
                              .octets = (uint16_t)octets,
                              .context = octets * 31 & 0xffffff,
                              .lle = choice >> 1 & 3,
                              .ect = choice >> 3 & 1,
                              .flow_hash = choice >> 4 ^ times};
        n->ms = ms;
        n->slot = slot;
        sched_prefetch(b->sched, ms, slot);
        sched_prefetch_flow(b->sched, ms, slot, ms);
        sched_prefetch_tail(b->sched, ms, slot, ms);
        enum drop_reason reason = sched_put(b->sched, ms, slot, &n->pdu, b->now_ns);
        books_put(b, n, reason);
    }
}

static void call_time(struct books *b)
{
    uint32_t shift = input_octet() % 37;
    b->now_ns += (1ULL << shift) + input_octet();
}

static void call_any(struct books *b)
{
    uint32_t octet = input_octet(), what = octet % 32;
    if (what < 3)
        call_nse(b, what);
    else if (what < 8)
        call_bvc(b, what - 3);
    else if (what < 18)
        call_ms(b, what - 8);
    else if (what < 23)
        call_pfc(b, what == 20 && octet & 32 ? 5 : what - 18);
    else if (what < 26)
        call_put(b, 1);
    else if (what == 26)
        call_put(b, input_octet() * 4);
    else if (what < 29)
        books_take(b, input_octet());
    else if (what < 31)
        call_time(b);
    else
        books_run(b);
}

// Most inputs should not have to find out first how a tree is built.
static void plant(struct books *b)
{
    struct bucket_terms wide = {BUCKET_UNLIMITED, 0}, narrow = {1220, 4000};
    b->nse[0] = sched_nse_add(b->sched, 0, wide, 0) == 0;
    for (uint32_t bvc = 0; bvc < 3; bvc++) {
        b->bvc[bvc] = sched_bvc_add(b->sched, bvc, 0, 0) == 0;
        CHECK(sched_bvc_set(b->sched, bvc, (struct bucket_terms){65000, 60000}, narrow, 0) == 0);
    }
    for (uint32_t ms = 0; ms < 7; ms++) {
        CHECK(sched_ms_add(b->sched, ms, ms % 3, 500, 0) == 0);
        b->ms[ms] = (struct books_ms){.exists = true, .bvc = ms % 3};
        for (uint32_t slot = 0; slot < b->config.pfcs_an_ms; slot++) {
            uint32_t class = (ms + slot) % CLASS_COUNT;
            CHECK(sched_pfc_add(b->sched, ms, slot, (enum traffic_class) class) == 0);
            b->ms[ms].pfc[slot] = true;
            b->ms[ms].class[slot] = class;
            b->ms[ms].bucket[slot] = ++b->buckets;
        }
    }
}

static void run_calls(struct books *b)
{
    if (input_octet() % 4)
        plant(b);
    for (int i = 0; i < CALLS_MAX && input_left(); i++) {
        call_any(b);
        books_check(b);
    }
    books_run(b);
    books_check(b);
    for (uint32_t ms = 0; ms < BOOKS_MSS; ms++)
        if (b->ms[ms].exists)
            ms_remove(b, ms);
    books_check(b);
    for (uint32_t i = 0; i < BOOKS_NPDUS; i++)
        CHECK(!b->npdu[i].queued);
    CHECK(b->queued.packets == 0 && b->queued.octets == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct books books;
    bool good;
    memset(&books, 0, sizeof books);
    input_begin(data, size);
    books.config = input_config(&good);
    if (!good) {
        CHECK(!done(sched_setup(&books.sched, &books.config, NULL)));
        return 0;
    }
    uint64_t octets = (sched_octets(&books.config) + 63) / 64 * 64;
    void *memory = aligned_alloc(64, octets); // exactly, so that a sanitizer sees what is beyond
    memset(memory, 0, octets);
    CHECK(done(sched_setup(&books.sched, &books.config, memory)));
    run_calls(&books);
    free(memory);
    return 0;
}

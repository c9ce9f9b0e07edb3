// Random packets both ways, of few ports so that flows meet, against a plain model of what becomes
// of each: a list of connections by addresses and ports. And under a class without a window no
// octet changes: that is the callers', see up/window_test.c.
#include "dataplane/window/window.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/dataplane/random.h"
#include "tests/dataplane/window/segment.h"

#define CONTEXTS 3u
#define PACKETS  400000u

// ---- The model ----

struct options {
    int mss, scale; // -1: without
};

struct connection {
    bool used, ipv6;
    uint32_t ends[4];
    bool by_ms, answered, doubtful;
    uint32_t began_at; // the SYN's number
    struct options ms, host;
    uint64_t used_at;
};

static struct connection model[CONTEXTS][16];
static uint64_t clock_of_uses, forgotten, begun;

static struct connection *found(uint32_t context, const struct draft *d)
{
    const uint32_t ends[4] = {d->ms, d->host, d->ms_port, d->host_port};
    for (int i = 0; i < 16; i++) {
        struct connection *c = &model[context][i];
        if (!c->used || c->ipv6 != d->ipv6 || memcmp(c->ends, ends, sizeof ends) != 0)
            continue;
        c->used_at = ++clock_of_uses;
        return c;
    }
    return NULL;
}

static struct connection *made(uint32_t context, const struct draft *d)
{
    struct connection *c = found(context, d), *oldest = &model[context][0];
    for (int i = 0; i < 16 && !c; i++) {
        struct connection *other = &model[context][i];
        if (!other->used || (oldest->used && other->used_at < oldest->used_at))
            oldest = other;
        if (!oldest->used)
            break;
    }
    begun += !c;
    forgotten += !c && oldest->used;
    c = c ? c : oldest;
    *c = (struct connection){.used = true,
                             .ipv6 = d->ipv6,
                             .ends = {d->ms, d->host, d->ms_port, d->host_port},
                             .used_at = ++clock_of_uses};
    return c;
}

static int mss_of(struct options options)
{
    return options.mss < 0 ? 1460 : options.mss;
}

static bool same(struct options a, struct options b, bool scale_alone)
{
    return scale_alone ? (a.scale < 0) == (b.scale < 0)
                       : mss_of(a) == mss_of(b) && a.scale == b.scale;
}

static void model_syn(uint32_t context, const struct draft *d, struct options options)
{
    struct connection *c = found(context, d);
    bool again = c && c->began_at == d->sequence && (c->by_ms == d->up || c->doubtful);
    if (again && !same(d->up ? c->ms : c->host, options, !d->up))
        c->doubtful = true;
    if (again)
        return;
    c = made(context, d);
    c->by_ms = d->up;
    c->began_at = d->sequence;
    *(d->up ? &c->ms : &c->host) = options;
}

static void model_answer(uint32_t context, const struct draft *d, struct options options)
{
    struct connection *c = found(context, d);
    if (!c || c->by_ms == d->up || c->began_at + 1 != d->acknowledgement)
        return;
    struct options *own = d->up ? &c->ms : &c->host;
    if (c->answered && !same(*own, options, !d->up))
        c->doubtful = true;
    else
        *own = options;
    c->answered = true;
}

// The window that the host should see.
static uint32_t model_window(uint32_t context, const struct draft *d, uint64_t octets)
{
    const struct connection *c = found(context, d);
    if (!c || !c->answered || c->doubtful)
        return d->window;
    uint32_t unit = 1;
    if (c->ms.scale >= 0 && c->host.scale >= 0)
        for (int i = 0; i < c->ms.scale && i < 14; i++)
            unit *= 2;
    uint64_t mss = (uint64_t)mss_of(c->ms), units = 0;
    mss = mss < 536 ? 536 : mss;
    while (units < d->window && (units * unit < octets || units * unit < 2 * mss))
        units++;
    return (uint32_t)units;
}

// ---- The packets ----

static uint32_t one_of(uint32_t n)
{
    return (uint32_t)(random_next() >> 33) % n;
}

static struct draft drawn(struct options *options)
{
    static const uint8_t flags[] = {SYN, SYN, SYN | ACK, SYN | ACK, ACK, ACK,      ACK | PSH,
                                    ACK, RST, FIN | ACK, RST | ACK, 0,   SYN | FIN};
    static const int sizes[] = {-1, 0, 536, 1380, 1460, 65535},
                     scales[] = {-1, 0, 2, 7, 14, 15, 255};
    struct draft d = {.ipv6 = one_of(4) == 0,
                      .up = one_of(2),
                      .ms = (uint8_t)(one_of(8) ? 1 : 2),
                      .host = (uint8_t)(one_of(4) ? 1 : 2),
                      .ms_port = (uint16_t)(1 + one_of(one_of(4) ? 3 : 8)),
                      .host_port = (uint16_t)(one_of(4) ? 1 : 2),
                      .sequence = one_of(16) == 0,
                      .acknowledgement = one_of(4) ? 1 : one_of(3),
                      .flags = flags[one_of(sizeof flags)],
                      .window = (uint16_t)(one_of(2) ? one_of(2000) : random_in(0, 65535)),
                      .ip_options = one_of(8) ? 0 : one_of(10),
                      .extensions = one_of(8) ? 0 : one_of(10),
                      .payload_octets = one_of(4) ? 0 : one_of(100),
                      .fragment = one_of(50) == 0,
                      .fragment_at = one_of(50) == 0,
                      .protocol = one_of(50) ? 6 : 17,
                      .spoilt = (uint16_t)(one_of(4) ? 0 : random_next())};
    *options =
        (struct options){sizes[one_of(32) ? 3 : one_of(6)], scales[one_of(32) ? 3 : one_of(7)]};
    draft_options(&d, options->mss, options->scale);
    if (options->scale > 14)
        options->scale = 14;
    return d;
}

static bool is_read(const struct draft *d)
{
    return !d->fragment && !d->fragment_at && d->protocol == 6 && (!d->ipv6 || d->extensions < 9);
}

static uint32_t expected(uint32_t context, const struct draft *d, struct options options,
                         uint64_t octets)
{
    uint8_t what = d->flags & (SYN | ACK | FIN | RST);
    if (!is_read(d))
        return d->window;
    if (what == SYN)
        model_syn(context, d, options);
    else if (what == (SYN | ACK))
        model_answer(context, d, options);
    else if (what == ACK && d->up)
        return model_window(context, d, octets);
    return d->window;
}

// An octet or the end is changed at random: nothing but the window may change then, and not up.
static void one_hostile(struct window *w, uint32_t context, struct packet p, bool up)
{
    struct window_ack ack;
    p.octets[one_of(p.n)] = (uint8_t)random_next();
    p.n = one_of(3) ? p.n : one_of(p.n);
    uint8_t *b = malloc(p.n ? p.n : 1);
    memcpy(b, p.octets, p.n);
    if (!up) // forgotten behind it: the model does not know it
        window_down(w, context, b, p.n);
    else if (window_up(w, context, b, p.n, &ack)) {
        uint32_t at = (uint32_t)(ack.tcp - b);
        assert_true(at + 20 <= p.n);
        window_lower(w, &ack, random_in(0, 100000));
        assert_true(two(b + at + 14) <= two(p.octets + at + 14));
        memcpy(b + at + 14, p.octets + at + 14, 4);
    }
    assert_memory_equal(b, p.octets, p.n);
    free(b);
    window_forget(w, context);
    memset(model[context], 0, sizeof model[context]);
}

static void one(struct window *w, uint32_t context)
{
    struct options options;
    struct window_ack ack;
    struct draft d = drawn(&options);
    struct packet p = segment_of(&d), after = p;
    uint64_t octets = random_in(0, 100000);
    uint32_t should = expected(context, &d, options, octets);
    if (!d.up)
        window_down(w, context, after.octets, after.n);
    else if (window_up(w, context, after.octets, after.n, &ack))
        window_lower(w, &ack, octets);
    assert_int_equal(two(after.octets + after.tcp + 14), should);
    assert_int_equal(segment_sum(&after) % 0xffff, segment_sum(&p) % 0xffff);
    memcpy(after.octets + after.tcp + 14, p.octets + p.tcp + 14, 4);
    assert_memory_equal(after.octets, p.octets, p.n);
    if (one_of(2000) == 0)
        one_hostile(w, context, p, d.up);
}

static void as_the_model(void **state)
{
    static const uint64_t of_class_ns[CLASS_COUNT] = {0};
    struct stats_up stats = {0};
    struct window w;
    void *memory = calloc(1, window_octets(CONTEXTS));
    (void)state;
    assert_non_null(memory);
    random_begin();
    window_setup(&w, random_next(), of_class_ns, &stats, memory);
    for (uint32_t i = 0; i < PACKETS; i++)
        one(&w, one_of(CONTEXTS));
    free(memory);
    // A hostile packet may have begun a flow, and pushed one out.
    assert_in_range(stats.window_flows - begun, 0, PACKETS / 1000);
    assert_in_range(stats.window_evicted - forgotten, 0, PACKETS / 1000);
    // The packets meet all that there is.
    assert_true(stats.window_lowered > PACKETS / 500 && stats.window_enough > PACKETS / 500);
    assert_true(stats.window_unseen > PACKETS / 50 && stats.window_ends > PACKETS / 50);
    assert_true(stats.window_fragments && stats.window_other && stats.window_malformed);
    assert_true(forgotten > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_the_model)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// sluice gi under any row of frames: every frame has a fate, every segment a flow, no record is
// left behind, and the series has all frames. The first octet is the link type, whether tunnels
// tell users apart, and all hashes are the same; then each frame has two octets of length, two of
// time since the one before in units of 10 ms (the highest bit: backwards) and an octet of what is
// cut off its end. Checksums are not judged, for a fuzzer does not guess them.
#include <pcap/pcap.h>
#include <string.h>

#include "dataplane/base/units.h"
#include "lab/captures/gi/gi.h"
#include "lab/captures/gi/gi_hash.h"
#include "lab/captures/gi/gi_sheets.h"
#include "lab/captures/gi/gi_tops.h"
#include "lab/captures/gi/gi_write.h"
#include "tests/fuzz/check.h"

static struct gi_sheets *sheets;
static struct gi_tops *tops;
static struct gi_history history;
static struct gi_sequence sequence;
static uint64_t frames_in_series;

static void take(void *self, const struct gi_result *result)
{
    gi_sheets_count(sheets, result);
    gi_tops_count(tops, result);
    table_csv_row(&gi_list_flows, NULL, result, self);
    CHECK(result->lasted >= 0);
    CHECK(result->down_resent_octets <= result->down_data_octets);
    CHECK(result->share == GI_NONE || result->share >= 0);
}

static void take_moment(void *self, const struct gi_moment *moment)
{
    (void)self;
    frames_in_series += moment->frames;
    CHECK(moment->begin_ns % moment->interval_ns == 0);
    gi_history_take(&history, moment);
    CHECK(history.count > 0 && history.count <= GI_HISTORY_ROWS);
}

// In a buffer that ends with it.
static struct capture_packet frame(const uint8_t *octets, uint32_t n, uint32_t cut,
                                   uint64_t time_ns, int link)
{
    uint32_t captured = n - cut % (n + 1);
    uint8_t *copy = malloc(captured ? captured : 1);
    CHECK(copy);
    if (captured)
        memcpy(copy, octets, captured);
    return (struct capture_packet){0, time_ns, link, copy, captured, n};
}

static void take_all(struct gi *gi, const uint8_t *data, size_t size)
{
    static const int links[32] = {DLT_RAW,         DLT_EN10MB,     DLT_LINUX_SLL,
                                  DLT_NULL,        DLT_PPP,        DLT_PPP_SERIAL,
                                  DLT_C_HDLC,      DLT_FRELAY,     DLT_FRELAY_WITH_DIR,
                                  DLT_MPLS,        DLT_IEEE802_11, DLT_IEEE802_11_RADIO,
                                  DLT_ATM_RFC1483, DLT_PPP_ETHER,  DLT_LINUX_SLL2};
    uint32_t link = (data[0] & 3u) | (data[0] >> 5) << 2;
    uint64_t time_ns = 1000 * S_IN_NS;
    for (size_t at = 1; at + 5 <= size;) {
        uint32_t n = (uint32_t)(data[at] << 8 | data[at + 1]);
        uint64_t step_ns = (uint64_t)((data[at + 2] & 0x7f) << 8 | data[at + 3]) * 10 * MS_IN_NS;
        bool back = data[at + 2] & 0x80 && step_ns < time_ns;
        time_ns += back ? -step_ns : step_ns;
        at += 5;
        n = n < size - at ? n : (uint32_t)(size - at);
        struct capture_packet one = frame(data + at, n, data[at - 1], time_ns, links[link]);
        gi_take(gi, &one);
        CHECK(gi_wrong(gi) == NULL);
        free((void *)one.octets);
        at += n;
    }
}

// Steps have all octets of their ends, each waits for what there is, and no time is negative.
static void check_vectors(const struct gi_vectors *vectors)
{
    for (uint32_t i = 1; i < vectors->vectors; i++) {
        const struct gi_vector *v = &vectors->vector[i];
        const struct gi_vector_user *user = vectors->user[v->user];
        uint64_t octets[GI_SIDES] = {0};
        bool longer = false;
        CHECK(v->after <= user->connections && (v->after == 0 || v->after != v->number));
        for (uint32_t k = v->first; k; k = vectors->step[k].next) {
            const struct gi_step *s = &vectors->step[k];
            CHECK(k < vectors->steps && s->after <= user->connections);
            CHECK(s->after || s->received <= v->side[!s->side].sent);
            CHECK(s->think_us <= s->at_us && s->octets <= GI_VECTORS_STEP_MOST);
            CHECK((s->what == GI_STEP_SENDS) == (s->octets > 0));
            octets[s->side] += s->octets;
        }
        longer = octets[GI_DOWN] > v->side[GI_DOWN].sent; // one that the end of the capture cut
        CHECK(octets[GI_UP] == v->side[GI_UP].sent);
        CHECK(octets[GI_DOWN] == v->side[GI_DOWN].sent || longer);
    }
    for (uint32_t i = 0; i < vectors->users; i++) {
        const struct gi_channel *channel = &vectors->user[i]->channel;
        CHECK(channel->flight == 0 && channel->queued == 0 && channel->acked == channel->sent);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct gi_config config = {.take_bad_checksums = true, .idle_s = 60, .flows_most = 3};
    if (!sheets) // the tables, of all inputs
        sheets = gi_sheets_create();
    if (size == 0)
        return 0;
    config.users_by_tunnel = data[0] & 4;
    config.interval_ns = S_IN_NS;
    config.moment = take_moment;
    gi_history_begin(&history, S_IN_NS);
    memset(&sequence, 0, sizeof sequence);
    CHECK(gi_sequence_read(&sequence, "10.0.0.1:40000,203.0.113.9:80"));
    config.sequence = &sequence;
    frames_in_series = 0;
    if (!tops) // of all inputs, too: it is large
        tops = gi_tops_create(2);
    char *rows = NULL;
    size_t octets;
    FILE *out = open_memstream(&rows, &octets);
    CHECK(out);
    config.losses = out;
    config.vectors = gi_vectors_create();
    struct gi *gi = gi_create(&config, take, out);
    if (data[0] & 16) // without a key all flows over IPv4 have one hash
        memset(gi_hash_key, 0, sizeof gi_hash_key);
    take_all(gi, data, size);
    gi_finish(gi);
    CHECK(gi_wrong(gi) == NULL);
    CHECK(frames_in_series == gi_counts_of(gi)->frames);
    CHECK(sequence.count <= GI_SEQUENCE_POINTS);
    gi_vectors_finish(config.vectors);
    check_vectors(config.vectors);
    gi_destroy(gi);
    gi_vectors_destroy(config.vectors);
    fclose(out);
    free(rows);
    return 0;
}

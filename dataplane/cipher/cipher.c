// See cipher.h: the choice of variant, and the assignment of frames to lanes. Frames are sorted
// by number of blocks, longest first, so that lanes that run together end together. While enough
// streams are unfinished all run bit-sliced; a form for few then finishes the longest ones.
#include "dataplane/cipher/cipher.h"

#include <string.h>

#include "dataplane/cipher/ipsec_mb.h"
#include "dataplane/cipher/kasumi.h"

#define BLOCKS_MOST 8192u // of a frame: 65535 octets of length

struct work {
    _Alignas(64) uint8_t sliced[KASUMI_SCRATCH_OCTETS];
    struct kasumi_stream stream[CIPHER_GATHERED];
    uint16_t place[BLOCKS_MOST + 1]; // by number of blocks: the index of the next such stream
};
_Static_assert(sizeof(struct work) <= sizeof(struct cipher_scratch), "more scratch memory");

// A bit-sliced form, and the form for few that runs when fewer than `least` streams are unfinished.
struct forms {
    uint32_t lanes, least;
    void (*many)(void *scratch, struct kasumi_stream *streams, uint32_t n, uint32_t blocks);
    void (*few)(struct kasumi_stream *streams, uint32_t n, uint32_t done);
};

// Longest first. Returns the number of non-empty frames; empty ones are behind them.
static uint32_t places(uint16_t *place, const struct cipher_frame *frames, uint32_t n)
{
    uint32_t longest = 0;
    uint16_t streams = 0;
    for (uint32_t i = 0; i < n; i++)
        if (longest < frames[i].length_octets)
            longest = frames[i].length_octets;
    longest = kasumi_blocks(longest);
    memset(place, 0, (longest + 1) * sizeof *place);
    for (uint32_t i = 0; i < n; i++)
        place[kasumi_blocks(frames[i].length_octets)]++;
    for (uint32_t blocks = longest; blocks; blocks--) {
        uint16_t here = place[blocks];
        place[blocks] = streams;
        streams += here;
    }
    place[0] = streams;
    return streams;
}

static uint32_t sort(struct work *work, const struct cipher_frame *frames, uint32_t n)
{
    uint32_t count = places(work->place, frames, n);
    for (const struct cipher_frame *s = frames; s < frames + n; s++) {
        struct kasumi_stream *stream =
            &work->stream[work->place[kasumi_blocks(s->length_octets)]++];
        stream->key = s->key;
        stream->octets = s->octets;
        stream->a = kasumi_initial(s->input, s->direction);
        stream->last = 0;
        stream->length_octets = s->length_octets;
    }
    return count;
}

static void run_lanes(const struct forms *forms, struct work *work, struct kasumi_stream *streams,
                      uint32_t n)
{
    uint32_t together = 0, left = n;
    if (n >= forms->least) {
        together = kasumi_blocks(streams[forms->least - 1].length_octets);
        forms->many(work->sliced, streams, n, together);
        for (left = 0; kasumi_blocks(streams[left].length_octets) > together;)
            left++;
    }
    if (left)
        forms->few(streams, left, together);
}

static void run(const struct forms *forms, struct cipher_scratch *scratch,
                const struct cipher_frame *frames, uint32_t n)
{
    struct work *work = (struct work *)scratch;
    for (uint32_t here; n; frames += here, n -= here) {
        here = n < CIPHER_GATHERED ? n : CIPHER_GATHERED;
        uint32_t count = sort(work, frames, here);
        for (uint32_t i = 0; i < count; i += forms->lanes)
            run_lanes(forms, work, work->stream + i,
                      count - i < forms->lanes ? count - i : forms->lanes);
    }
}

static void run_scalar(struct cipher_scratch *scratch, const struct cipher_frame *frames,
                       uint32_t n)
{
    static const struct forms forms = {CIPHER_GATHERED, UINT32_MAX, NULL, cipher_kasumi_scalar};
    run(&forms, scratch, frames, n);
}

static void run_avx2(struct cipher_scratch *scratch, const struct cipher_frame *frames, uint32_t n)
{
    static const struct forms forms = {256, 37, cipher_kasumi_avx2, cipher_kasumi_scalar};
    run(&forms, scratch, frames, n);
}

static void run_avx512(struct cipher_scratch *scratch, const struct cipher_frame *frames,
                       uint32_t n)
{
    static const struct forms forms = {512, 161, cipher_kasumi_avx512, cipher_kasumi_few_avx512};
    run(&forms, scratch, frames, n);
}

static bool always(void)
{
    return true;
}

static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2");
}

static bool has_avx512(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw");
}

const struct cipher_variant cipher_variants[] = {
    {"ipsec-mb", 64, cipher_ipsec_mb_ready, cipher_ipsec_mb_run},
    {"scalar", 64, always, run_scalar},
    {"avx2", 256, has_avx2, run_avx2},
    {"avx512", 512, has_avx512, run_avx512},
};
const uint32_t cipher_variant_count = sizeof cipher_variants / sizeof cipher_variants[0];

cipher_run_fn *cipher_run = run_scalar;

static uint32_t bits_most = 512;

void cipher_limit(uint32_t bits)
{
    bits_most = bits;
}

const struct cipher_variant *cipher_choose(void)
{
    uint32_t best = cipher_variant_count - 1;
    while (!cipher_variants[best].supported() || cipher_variants[best].bits > bits_most)
        best--;
    cipher_run = cipher_variants[best].run;
    return &cipher_variants[best];
}

const struct cipher_variant *cipher_variant_named(const char *name)
{
    for (uint32_t i = 0; i < cipher_variant_count; i++)
        if (strcmp(cipher_variants[i].name, name) == 0)
            return &cipher_variants[i];
    return NULL;
}

// A BTS of the lab under any row of messages from the PCU, blocks' ends, IP packets and hang-ups:
// the counts add up after each step. A step is an octet that says what it is; a message has two
// octets of length, then that many octets, and may be given the frame number that the BTS asked
// for.
#include <string.h>

#include "lab/bts/bts.h"
#include "tests/fuzz/check.h"

enum { STEP_MESSAGE, STEP_ANSWER, STEP_TICK, STEP_PACKET, STEP_HANG_UP, STEPS };

static struct bts *bts;
static uint8_t fn[PCUIF_SLOTS][4];

static bool to_pcu(void *self, const uint8_t *message, uint32_t octets)
{
    (void)self;
    CHECK(octets >= 4 && octets <= PCUIF_OCTETS_MOST);
    if (message[0] == 0x10)
        memcpy(fn[message[15] % PCUIF_SLOTS], message + 8, 4);
    return true;
}

static bool to_ip(void *self, const uint8_t *packet, uint32_t octets)
{
    (void)self;
    CHECK(octets > 0);
    volatile uint8_t last = packet[octets - 1];
    (void)last;
    return true;
}

static void create(uint32_t loss_ppm)
{
    struct bts_config config = {.cell = {.pdchs = 4, .coding = 4},
                                .loss_down_ppm = loss_ppm,
                                .loss_up_ppm = loss_ppm,
                                .seed = 1};
    struct bts_owner owner = {.to_pcu = to_pcu, .to_ip = to_ip};
    bts = bts_create(&config, &owner);
    for (uint32_t i = 0; i < 2; i++) {
        struct bts_ms ms = {.tlli = 0xc0000001 + i,
                            .address = 0x0a000001 + i,
                            .nsapi = 5,
                            .sapi = 3,
                            .terms = {.n201_u_octets = 500}};
        CHECK(bts_add_ms(bts, &ms) == 0);
    }
}

// In a buffer that ends with it.
static void message(const uint8_t *data, size_t n, bool answers)
{
    uint8_t *copy = malloc(n ? n : 1);
    if (n)
        memcpy(copy, data, n);
    if (answers && n >= 176)
        memcpy(copy + 168, fn[copy[175] % PCUIF_SLOTS], 4);
    bts_take(bts, copy, (uint32_t)n);
    free(copy);
}

static size_t step(const uint8_t *data, size_t size)
{
    size_t n = size >= 3 ? (size_t)(data[1] << 8 | data[2]) : 0;
    uint8_t what = data[0] % STEPS;
    n = size >= 3 && n > size - 3 ? size - 3 : n;
    switch (what) {
    case STEP_MESSAGE:
    case STEP_ANSWER:
        message(data + 3, n, what == STEP_ANSWER);
        return 3 + n;
    case STEP_TICK:
        bts_tick(bts);
        return 1;
    case STEP_PACKET:
        bts_send(bts, data + 3, (uint32_t)n);
        return 3 + n;
    default:
        bts_disconnected(bts);
        bts_connected(bts);
        return 1;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    create(data[0] % 4 * 100000u);
    bts_connected(bts);
    for (size_t at = 1; at < size;) {
        at +=
            size - at < 3 && data[at] % STEPS != STEP_TICK ? size - at : step(data + at, size - at);
        CHECK(bts_wrong(bts) == NULL);
    }
    bts_disconnected(bts);
    CHECK(bts_wrong(bts) == NULL);
    bts_destroy(bts);
    return 0;
}

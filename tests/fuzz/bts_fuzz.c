// Two cells of the lab under any row of messages from their PCUs, blocks' ends, IP packets,
// hang-ups, and MSs that change their cell: the counts add up after each step. A step is an octet
// that says what it is and in which cell; a message has two octets of length, then that many
// octets, and may be given the frame number that the BTS asked for.
#include <string.h>

#include "lab/live/bts/bts.h"
#include "tests/fuzz/check.h"

enum { STEP_MESSAGE, STEP_ANSWER, STEP_TICK, STEP_PACKET, STEP_HANG_UP, STEP_MOVE, STEPS };

#define CELLS 2
#define MSS   2
static struct cell {
    struct bts *bts;
    uint8_t fn[PCUIF_SLOTS][4];
} cells[CELLS];
static const char *const imsi[MSS] = {"001010000000001", "001010000000002"};

static bool to_pcu(void *self, const uint8_t *message, uint32_t octets)
{
    struct cell *cell = self;
    CHECK(octets >= 4 && octets <= PCUIF_OCTETS_MOST);
    if (message[0] == 0x10)
        memcpy(cell->fn[message[15] % PCUIF_SLOTS], message + 8, 4);
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

static void add_mss(struct bts *bts)
{
    for (uint32_t i = 0; i < MSS; i++) {
        struct bts_ms ms = {.tlli = 0xc0000001 + i,
                            .link_db = 4 * i,
                            .address = 0x0a000001 + i,
                            .nsapi = 5,
                            .sapi = 3,
                            .terms = {.n201_u_octets = 500}};
        memcpy(ms.imsi, imsi[i], sizeof ms.imsi);
        CHECK(bts_add_ms(bts, &ms) == 0);
    }
}

static void create(uint32_t loss_ppm)
{
    struct bts_config config = {.cell = {.pdchs = 4, .coding = 4},
                                .loss_down_ppm = loss_ppm,
                                .loss_up_ppm = loss_ppm,
                                .seed = 1};
    for (uint32_t i = 0; i < CELLS; i++) {
        struct bts_owner owner = {.self = &cells[i], .to_pcu = to_pcu, .to_ip = to_ip};
        cells[i].bts = bts_create(&config, &owner);
        bts_connected(cells[i].bts);
    }
    add_mss(cells[0].bts);
}

// Each LLC PDU and packet of an MS is in the counts of one cell.
static void check(void)
{
    for (uint32_t i = 0; i < CELLS; i++)
        CHECK(bts_wrong(cells[i].bts) == NULL);
    CHECK(bts_counted(cells[0].bts, BTS_COUNT_moves_in) ==
          bts_counted(cells[1].bts, BTS_COUNT_moves_out));
    CHECK(bts_counted(cells[0].bts, BTS_COUNT_pdus_up_out) ==
          bts_counted(cells[1].bts, BTS_COUNT_pdus_up_in));
}

// In a buffer that ends with it.
static void message(struct cell *cell, const uint8_t *data, size_t n, bool answers)
{
    uint8_t *copy = malloc(n ? n : 1);
    if (n)
        memcpy(copy, data, n);
    if (answers && n >= 176)
        memcpy(copy + 168, cell->fn[copy[175] % PCUIF_SLOTS], 4);
    bts_take(cell->bts, copy, (uint32_t)n);
    free(copy);
}

static size_t step(const uint8_t *data, size_t size)
{
    size_t n = size >= 3 ? (size_t)(data[1] << 8 | data[2]) : 0;
    uint8_t what = data[0] % STEPS, ms = data[0] >> 7, at = data[0] / STEPS % CELLS;
    struct cell *cell = &cells[at];
    n = size >= 3 && n > size - 3 ? size - 3 : n;
    switch (what) {
    case STEP_MESSAGE:
    case STEP_ANSWER:
        message(cell, data + 3, n, what == STEP_ANSWER);
        return 3 + n;
    case STEP_TICK:
        bts_tick(cell->bts);
        return 1;
    case STEP_PACKET:
        bts_send(cell->bts, data + 3, (uint32_t)n);
        return 3 + n;
    case STEP_MOVE:
        bts_move(cell->bts, cells[1 - at].bts, imsi[ms]);
        return 1;
    default:
        bts_disconnected(cell->bts);
        bts_connected(cell->bts);
        return 1;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    create(data[0] % 4 * 100000u);
    for (size_t at = 1; at < size;) {
        at +=
            size - at < 3 && data[at] % STEPS != STEP_TICK ? size - at : step(data + at, size - at);
        check();
    }
    for (uint32_t i = 0; i < CELLS; i++)
        bts_disconnected(cells[i].bts);
    check();
    for (uint32_t i = 0; i < CELLS; i++)
        bts_destroy(cells[i].bts);
    return 0;
}

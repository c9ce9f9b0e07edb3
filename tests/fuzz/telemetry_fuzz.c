// The words of telemetry commands, which any process of the user or the container may send, under
// any text: a number, a cell and what to trace are what another reading of the same words says, and
// only what is on the board is found. The first octet says which.
#include <string.h>

#include "control/export/telemetry_parts.h"
#include "tests/fuzz/check.h"

static const struct dp_config config = {.nses = 3, .nsvcs = 3, .bvcs = 8, .mss = 8};
static struct telemetry telemetry;

static void put(struct board *board, const char *name, const void *argument)
{
    for (uint32_t i = 0; i < board_call_count; i++)
        if (strcmp(board_calls[i].name, name) == 0)
            CHECK(board_calls[i].call(board, argument) == 0);
}

// NSE 7 has cells 2 and 65535; NSE 65535 has cell 2. The MSs' IMSIs are 1, 01 and 15 digits.
static void begin(void)
{
    static const char *const imsis[] = {"1", "01", "001010000000001"};
    static const struct octets up = {(const uint8_t *)"up", 2};
    struct board *board = board_create(&config);
    CHECK(board);
    telemetry.source.board = board;
    telemetry.source.config = &config;
    put(board, "nse", &(struct board_nse){.nse_id = 0, .nsei = 7, .state = up});
    put(board, "nse", &(struct board_nse){.nse_id = 1, .nsei = 65535, .state = up});
    put(board, "bvc", &(struct board_bvc){.bvc_id = 0, .nse_id = 0, .bvci = 2, .state = up});
    put(board, "bvc", &(struct board_bvc){.bvc_id = 1, .nse_id = 0, .bvci = 65535, .state = up});
    put(board, "bvc", &(struct board_bvc){.bvc_id = 5, .nse_id = 1, .bvci = 2, .state = up});
    for (uint32_t i = 0; i < sizeof imsis / sizeof imsis[0]; i++) {
        struct board_ms ms = {.ms_id = 2 * i, .state = up};
        strcpy(ms.imsi.text, imsis[i]);
        put(board, "ms", &ms);
    }
}

// The other reading: digits up to a comma or the end. -1: it is none.
static int64_t number_of(const char *words, size_t *n)
{
    int64_t value = 0;
    *n = strspn(words, "0123456789");
    if (*n == 0 || *n > 19 || (words[*n] && words[*n] != ','))
        return -1;
    for (size_t i = 0; i < *n; i++)
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, words[i] - '0', &value))
            return INT64_MAX;
    *n += words[*n] == ',';
    return value;
}

static void read_number(const char *words, uint64_t most)
{
    const char *at = words;
    uint64_t value;
    size_t n;
    int64_t wanted = number_of(words, &n);
    bool found = telemetry_number(&at, most, &value);
    CHECK(found == (wanted >= 0 && (uint64_t)wanted <= most));
    CHECK(at == words + (found ? n : 0));
    CHECK(!found || value == (uint64_t)wanted);
}

// The index of the cell, or VIEW_ALL; `n`: what was read.
static uint32_t cell_of(const char *words, size_t *n)
{
    size_t second = 0;
    int64_t nsei = number_of(words, n);
    int64_t bvci = nsei < 0 ? -1 : number_of(words + *n, &second);
    *n += second;
    if (nsei == 7 && (bvci == 2 || bvci == 65535))
        return bvci == 2 ? 0 : 1;
    return nsei == 65535 && bvci == 2 ? 5 : VIEW_ALL;
}

static void read_cell(const char *words)
{
    const char *at = words;
    uint32_t bvc = 0;
    size_t n = 0;
    uint32_t wanted = cell_of(words, &n);
    bool found = telemetry_cell(&telemetry, &at, &bvc);
    CHECK(found == (wanted != VIEW_ALL));
    CHECK(!found || (bvc == wanted && at == words + n));
}

static void read_wish(const char *words)
{
    struct trace_wish wish;
    size_t n, m = 0;
    const char *why = telemetry_wish(&telemetry, words, &wish);
    int64_t packets = number_of(words, &n);
    CHECK(!why || why[0]);
    if (why)
        return;
    words += n;
    CHECK(packets > 0 && packets <= TRACE_PACKETS_MAX && wish.packets == packets);
    CHECK(wish.ms_id == TRACE_ANY || wish.bvc_id == TRACE_ANY);
    if (wish.bvc_id != TRACE_ANY)
        CHECK(strncmp(words, "cell,", 5) == 0 && cell_of(words + 5, &m) == wish.bvc_id &&
              words[5 + m] == '\0');
    else if (wish.ms_id != TRACE_ANY)
        CHECK(strncmp(words, "ms,", 3) == 0 &&
              board_ms_of(telemetry.source.board, words + 3) == wish.ms_id);
    else
        CHECK(*words == '\0');
}

static void find_ms(const char *words)
{
    uint32_t id = board_ms_of(telemetry.source.board, words);
    struct board_ms ms;
    CHECK(id == VIEW_ALL || id == 0 || id == 2 || id == 4);
    if (id != VIEW_ALL)
        CHECK(board_ms(telemetry.source.board, id, &ms) && strcmp(ms.imsi.text, words) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint64_t mosts[] = {0, 0xffff, UINT32_MAX, TRACE_PACKETS_MAX};
    if (size == 0)
        return 0;
    if (!telemetry.source.board)
        begin();
    char *words = malloc(size);
    CHECK(words);
    memcpy(words, data + 1, size - 1);
    words[size - 1] = '\0';
    if (data[0] % 4 == 0)
        read_number(words, mosts[data[0] / 4 % 4]);
    else if (data[0] % 4 == 1)
        read_cell(words);
    else if (data[0] % 4 == 2)
        read_wish(words);
    else
        find_ms(words);
    free(words);
    return 0;
}

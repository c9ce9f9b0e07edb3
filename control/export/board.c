// See board.h. A record's word: bit 63 is set if the record exists, bits 57-62 are the index of the
// state word; the rest is
//   NSE    NSEI 0-15, features 16-23, extended features 24-31
//   NS-VC  NSVCI 0-15, its NSE 16-31
//   cell   BVCI 0-15, its NSE 16-31
//   MS     IMSI as a number 0-49, the number of its digits 50-53
#include "control/export/board.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MADE        (1ULL << 63)
#define STATE_SHIFT 57
#define REST_MASK   ((1ULL << STATE_SHIFT) - 1)
#define IMSI_BITS   50
#define NONE        UINT32_MAX

struct table {
    uint64_t *record;
    uint32_t n;
};

struct board {
    struct table nse, nsvc, bvc, ms;
    uint32_t words;
    char word[BOARD_WORDS][BOARD_WORD_OCTETS + 1]; // the first is ""
};

static const struct field nse_fields[] = FIELD_TABLE(board_nse, BOARD_NSE_FIELDS);
static const struct field nsvc_fields[] = FIELD_TABLE(board_nsvc, BOARD_NSVC_FIELDS);
static const struct field bvc_fields[] = FIELD_TABLE(board_bvc, BOARD_BVC_FIELDS);
static const struct field ms_fields[] = FIELD_TABLE(board_ms, BOARD_MS_FIELDS);
const struct field_record board_nse_record = FIELD_RECORD_OF(board_nse, nse_fields);
const struct field_record board_nsvc_record = FIELD_RECORD_OF(board_nsvc, nsvc_fields);
const struct field_record board_bvc_record = FIELD_RECORD_OF(board_bvc, bvc_fields);
const struct field_record board_ms_record = FIELD_RECORD_OF(board_ms, ms_fields);

static bool table_setup(struct table *table, uint32_t n)
{
    *table = (struct table){calloc(n, sizeof *table->record), n};
    return table->record;
}

struct board *board_create(const struct dp_config *config)
{
    struct board *board = calloc(1, sizeof *board);
    if (!board)
        return NULL;
    board->words = 1;
    if (table_setup(&board->nse, config->nses) && table_setup(&board->nsvc, config->nsvcs) &&
        table_setup(&board->bvc, config->bvcs) && table_setup(&board->ms, config->mss))
        return board;
    board_destroy(board);
    return NULL;
}

void board_destroy(struct board *board)
{
    if (!board)
        return;
    free(board->nse.record);
    free(board->nsvc.record);
    free(board->bvc.record);
    free(board->ms.record);
    free(board);
}

// ---- Writing ----

// The state word is written before a record with its index, which is stored with release.
static uint64_t state_of(struct board *board, struct octets state)
{
    for (uint32_t i = 0; i < board->words; i++)
        if (strlen(board->word[i]) == state.n && memcmp(board->word[i], state.at, state.n) == 0)
            return (uint64_t)i << STATE_SHIFT;
    if (board->words == BOARD_WORDS || memchr(state.at, '\0', state.n))
        return 0;
    memcpy(board->word[board->words], state.at, state.n);
    return (uint64_t)board->words++ << STATE_SHIFT;
}

static int64_t put(struct table *table, uint32_t id, uint64_t record)
{
    if (id >= table->n)
        return -ERANGE;
    __atomic_store_n(&table->record[id], record, __ATOMIC_RELEASE);
    return 0;
}

static int64_t put_nse(void *target, const void *argument)
{
    struct board *board = target;
    const struct board_nse *nse = argument;
    return put(&board->nse, nse->nse_id,
               MADE | state_of(board, nse->state) | nse->nsei | (uint64_t)nse->features << 16 |
                   (uint64_t)nse->extended_features << 24);
}

static int64_t put_nsvc(void *target, const void *argument)
{
    struct board *board = target;
    const struct board_nsvc *nsvc = argument;
    return put(&board->nsvc, nsvc->nsvc_id,
               MADE | state_of(board, nsvc->state) | nsvc->nsvci | (uint64_t)nsvc->nse_id << 16);
}

static int64_t put_bvc(void *target, const void *argument)
{
    struct board *board = target;
    const struct board_bvc *bvc = argument;
    return put(&board->bvc, bvc->bvc_id,
               MADE | state_of(board, bvc->state) | bvc->bvci | (uint64_t)bvc->nse_id << 16);
}

static uint64_t imsi_of(const char *text)
{
    return (uint64_t)strlen(text) << IMSI_BITS | strtoull(text, NULL, 10);
}

static int64_t put_ms(void *target, const void *argument)
{
    struct board *board = target;
    const struct board_ms *ms = argument;
    return put(&board->ms, ms->ms_id, MADE | state_of(board, ms->state) | imsi_of(ms->imsi.text));
}

#define ID_FIELDS(MUST, MAY, T, name) MUST(T, U32, name, 0, UINT32_MAX, "its index")
#define GONE(kind)                                                         \
    struct gone_##kind {                                                   \
        uint32_t kind##_id;                                                \
    };                                                                     \
    static const struct field gone_##kind##_fields[] = {                   \
        ID_FIELDS(FIELD_ROW_MUST, FIELD_ROW_MAY, gone_##kind, kind##_id)}; \
    static int64_t remove_##kind(void *target, const void *argument)       \
    {                                                                      \
        const struct gone_##kind *gone = argument;                         \
        return put(&((struct board *)target)->kind, gone->kind##_id, 0);   \
    }
GONE(nse)
GONE(nsvc)
GONE(bvc)
GONE(ms)

#define CALL(kind, help)                                                                   \
    {#kind,                                                                                \
     help,                                                                                 \
     kind##_fields,                                                                        \
     sizeof kind##_fields / sizeof kind##_fields[0],                                       \
     sizeof(struct board_##kind),                                                          \
     put_##kind},                                                                          \
        {"gone_" #kind, "removes it", gone_##kind##_fields, 1, sizeof(struct gone_##kind), \
         remove_##kind},
const struct field_call board_calls[] = {CALL(nse, "an NSE") CALL(nsvc, "an NS-VC")
                                             CALL(bvc, "a cell") CALL(ms, "an MS")};
const uint32_t board_call_count = sizeof board_calls / sizeof board_calls[0];

// ---- Reading ----

static uint64_t record_of(const struct table *table, uint32_t id)
{
    return id < table->n ? __atomic_load_n(&table->record[id], __ATOMIC_ACQUIRE) : 0;
}

static struct octets word_of(const struct board *board, uint64_t record)
{
    const char *word = board->word[record >> STATE_SHIFT & (BOARD_WORDS - 1)];
    return (struct octets){(const uint8_t *)word, (uint32_t)strlen(word)};
}

bool board_nse(const struct board *board, uint32_t id, struct board_nse *nse)
{
    uint64_t r = record_of(&board->nse, id);
    *nse = (struct board_nse){.nse_id = id,
                              .nsei = (uint16_t)r,
                              .state = word_of(board, r),
                              .features = (uint8_t)(r >> 16),
                              .extended_features = (uint8_t)(r >> 24)};
    return r & MADE;
}

bool board_nsvc(const struct board *board, uint32_t id, struct board_nsvc *nsvc)
{
    uint64_t r = record_of(&board->nsvc, id);
    *nsvc = (struct board_nsvc){.nsvc_id = id,
                                .nse_id = (uint16_t)(r >> 16),
                                .nsvci = (uint16_t)r,
                                .state = word_of(board, r)};
    return r & MADE;
}

bool board_bvc(const struct board *board, uint32_t id, struct board_bvc *bvc)
{
    uint64_t r = record_of(&board->bvc, id);
    *bvc = (struct board_bvc){.bvc_id = id,
                              .nse_id = (uint16_t)(r >> 16),
                              .bvci = (uint16_t)r,
                              .state = word_of(board, r)};
    return r & MADE;
}

bool board_ms(const struct board *board, uint32_t id, struct board_ms *ms)
{
    uint64_t r = record_of(&board->ms, id);
    *ms = (struct board_ms){.ms_id = id, .state = word_of(board, r)};
    snprintf(ms->imsi.text, sizeof ms->imsi.text, "%0*llu", (int)(r >> IMSI_BITS & 15),
             (unsigned long long)(r & ((1ULL << IMSI_BITS) - 1)));
    return r & MADE;
}

// The index of the record that equals `wanted` in the bits of `mask`.
static uint32_t find(const struct table *table, uint64_t wanted, uint64_t mask)
{
    for (uint32_t id = 0; id < table->n; id++)
        if ((record_of(table, id) & (MADE | mask)) == (MADE | wanted))
            return id;
    return NONE;
}

uint32_t board_nse_of(const struct board *board, uint16_t nsei)
{
    return find(&board->nse, nsei, 0xffff);
}

uint32_t board_bvc_of(const struct board *board, uint32_t nse_id, uint16_t bvci)
{
    return find(&board->bvc, bvci | (uint64_t)nse_id << 16, UINT32_MAX);
}

uint32_t board_ms_of(const struct board *board, const char *imsi)
{
    size_t n = strlen(imsi);
    if (n == 0 || n > 15 || strspn(imsi, "0123456789") != n)
        return NONE;
    return find(&board->ms, imsi_of(imsi), REST_MASK);
}

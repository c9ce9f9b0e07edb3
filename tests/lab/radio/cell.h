// A cell for the radio's tests: the BSC's buffers, the MSs' senders, a log of what arrived and what
// was lost, and the account of all LLC PDUs, kept apart from the radio's own.
#ifndef TESTS_LAB_RADIO_CELL_H
#define TESTS_LAB_RADIO_CELL_H

#include "lab/radio/radio.h"

#include <string.h>

#include "tests/dataplane/random.h"

#define CELL_MSS_MAX 64
#define CELL_LOG_MAX 200000
#define ARRIVED      RADIO_LOSSES // in a log's `why`

#define MS(n) ((uint64_t)(n)*MS_IN_NS)

struct cell_pdu {
    struct radio_pdu radio;
    struct cell_pdu *next;
    uint32_t number; // of its MS and way, from 0
};

struct cell_log {
    uint64_t now_ns;
    uint32_t ms, way, number, octets, why;
};

struct cell_ms {
    struct cell_pdu *first, *last;       // the BSC's buffer
    uint32_t endless_octets[RADIO_WAYS]; // without end, PDUs of so many octets
    uint32_t numbers[RADIO_WAYS], next_arrival[RADIO_WAYS];
    uint64_t arrived_octets[RADIO_WAYS];
};

struct cell {
    struct engine *engine;
    struct radio *radio;
    struct radio_config config;
    struct cell_ms ms[CELL_MSS_MAX];
    struct radio_amount given[RADIO_WAYS], back[RADIO_WAYS];
    struct cell_log *log;
    uint32_t logs;
    uint32_t events[RADIO_UP_OPEN + 1];
    uint64_t event_ns[RADIO_UP_OPEN + 1]; // the last
    bool quiet;                           // no log
    bool answers;                         // MSs answer a third of the PDUs that arrive
    bool ready_when_back;                 // the owner says what its buffer has
    bool logs_events;                     // as reasons ARRIVED + 1 and on
    const uint8_t *ranks;                 // of each MS's PDUs
};

static struct cell cell;

static inline uint64_t cell_now(void)
{
    return engine_now_ns(cell.engine);
}

// Of uplink PDUs too, where it means nothing. Without cell.ranks they differ from PDU to PDU.
static inline uint8_t cell_rank(uint32_t ms, uint32_t number)
{
    return cell.ranks ? cell.ranks[ms] : (uint8_t)((number / 3 + 5 * ms) % RADIO_RANKS);
}

static inline struct cell_pdu *cell_pdu(uint32_t ms, enum radio_way way, uint32_t octets)
{
    struct cell_pdu *pdu = calloc(1, sizeof *pdu);
    assert_non_null(pdu);
    pdu->radio.octets = octets;
    pdu->number = cell.ms[ms].numbers[way]++;
    pdu->radio.rank = cell_rank(ms, pdu->number);
    return pdu;
}

static inline void cell_give(enum radio_way way, uint32_t octets)
{
    cell.given[way].packets++;
    cell.given[way].octets += octets;
}

static inline struct radio_pdu *cell_next_down(void *self, uint32_t ms, uint64_t now_ns)
{
    (void)self;
    assert_true(now_ns == cell_now());
    struct cell_ms *of = &cell.ms[ms];
    struct cell_pdu *pdu = of->first;
    if (pdu) {
        of->first = pdu->next;
        if (!of->first)
            of->last = NULL;
    } else if (of->endless_octets[RADIO_DOWN]) {
        pdu = cell_pdu(ms, RADIO_DOWN, of->endless_octets[RADIO_DOWN]);
    }
    if (!pdu)
        return NULL;
    cell_give(RADIO_DOWN, pdu->radio.octets);
    return &pdu->radio;
}

static inline void cell_up(uint32_t ms, uint32_t octets)
{
    cell_give(RADIO_UP, octets);
    radio_up(cell.radio, ms, &cell_pdu(ms, RADIO_UP, octets)->radio, cell_now());
}

static inline void cell_down(uint32_t ms, uint32_t octets)
{
    struct cell_pdu *pdu = cell_pdu(ms, RADIO_DOWN, octets);
    struct cell_ms *of = &cell.ms[ms];
    if (of->last)
        of->last->next = pdu;
    else
        of->first = pdu;
    of->last = pdu;
    radio_ready(cell.radio, ms, cell_now());
}

// PDUs of so many octets without end.
static inline void cell_endless(uint32_t ms, enum radio_way way, uint32_t octets)
{
    cell.ms[ms].endless_octets[way] = octets;
    if (way == RADIO_DOWN)
        radio_ready(cell.radio, ms, cell_now());
    for (uint32_t i = 0; way == RADIO_UP && i < 200; i++)
        cell_up(ms, octets);
}

static inline void cell_note(uint32_t ms, uint32_t way, uint32_t number, uint32_t octets,
                             uint32_t why)
{
    if (cell.quiet)
        return;
    assert_true(cell.logs < CELL_LOG_MAX);
    cell.log[cell.logs++] = (struct cell_log){cell_now(), ms, way, number, octets, why};
}

static inline void cell_take_back(uint32_t ms, uint32_t way, struct radio_pdu *pdu, uint32_t why)
{
    cell.back[way].packets++;
    cell.back[way].octets += pdu->octets;
    cell_note(ms, way, ((struct cell_pdu *)pdu)->number, pdu->octets, why);
    free(pdu);
}

static inline void cell_arrived(void *self, uint32_t ms, enum radio_way way, struct radio_pdu *pdu,
                                uint64_t now_ns)
{
    (void)self;
    assert_true(now_ns == cell_now());
    struct cell_ms *of = &cell.ms[ms];
    uint32_t number = ((struct cell_pdu *)pdu)->number, octets = pdu->octets;
    assert_true(number >= of->next_arrival[way]); // in order
    of->next_arrival[way] = number + 1;
    of->arrived_octets[way] += octets;
    cell_take_back(ms, way, pdu, ARRIVED);
    if (way == RADIO_UP && of->endless_octets[way])
        cell_up(ms, octets);
    if (way == RADIO_DOWN && cell.answers && number % 3 == 0)
        cell_up(ms, 40);
}

static inline void cell_lost(void *self, uint32_t ms, enum radio_way way, struct radio_pdu *pdu,
                             enum radio_loss why, uint64_t now_ns)
{
    (void)self;
    assert_true(now_ns == cell_now());
    cell_take_back(ms, way, pdu, why);
}

static inline void cell_empty_buffer(uint32_t ms)
{
    struct cell_ms *of = &cell.ms[ms];
    for (struct cell_pdu *pdu = of->first, *next; pdu; pdu = next) {
        next = pdu->next;
        free(pdu);
    }
    of->first = of->last = NULL;
}

static inline void cell_event(void *self, uint32_t ms, enum radio_event event, uint64_t now_ns)
{
    (void)self;
    cell.events[event]++;
    cell.event_ns[event] = now_ns;
    if (cell.logs_events)
        cell_note(ms, 0, 0, 0, ARRIVED + 1 + event);
    if (event == RADIO_FLUSH)
        cell_empty_buffer(ms);
    if (event == RADIO_BACK && cell.ready_when_back && cell.ms[ms].first)
        radio_ready(cell.radio, ms, now_ns);
}

// in = out + lost + held, in the radio's account and in the test's, cell-wide and summed over MSs.
static inline void cell_check(void)
{
    for (uint32_t way = 0; way < RADIO_WAYS; way++) {
        const struct radio_counts *c = radio_counts(cell.radio, way);
        uint64_t packets = c->out.packets + c->held.packets;
        uint64_t octets = c->out.octets + c->held.octets;
        for (uint32_t why = 0; why < RADIO_LOSSES; why++) {
            packets += c->lost[why].packets;
            octets += c->lost[why].octets;
        }
        assert_true(c->in.packets == packets && c->in.octets == octets);
        assert_true(c->in.packets == cell.given[way].packets);
        assert_true(c->in.octets == cell.given[way].octets);
        assert_true(c->held.packets == cell.given[way].packets - cell.back[way].packets);
        assert_true(c->held.octets == cell.given[way].octets - cell.back[way].octets);
    }
}

// A config with no set-up, no release and the standard's defaults; change it, then cell_begin.
static inline void cell_config(void)
{
    memset(&cell, 0, sizeof cell);
    struct radio_config *c = &cell.config;
    radio_config_standard(c);
    c->down_setup_ns = c->up_setup_ns = c->down_setup_beside_ns = c->up_setup_beside_ns = 0;
    c->down_release_ns = c->up_release_ns = 0;
}

static inline void cell_begin(uint32_t mss, uint64_t seed)
{
    static const struct radio_owner owner = {.next_down = cell_next_down,
                                             .arrived = cell_arrived,
                                             .lost = cell_lost,
                                             .event = cell_event};
    assert_null(radio_config_fault(&cell.config));
    cell.engine = engine_create();
    cell.log = calloc(CELL_LOG_MAX, sizeof *cell.log);
    cell.radio = radio_create(cell.engine, &cell.config, &owner, seed, 7);
    for (uint32_t i = 0; i < mss; i++)
        assert_int_equal(radio_add_ms(cell.radio, i, NULL), i);
}

static inline void cell_run(uint64_t until_ns)
{
    assert_int_equal(engine_run(cell.engine, until_ns, NULL, NULL), 0);
    cell_check();
}

// Removes the MSs: all comes back. Frees everything.
static inline void cell_end(uint32_t mss)
{
    for (uint32_t i = 0; i < mss; i++) {
        cell.ms[i].endless_octets[RADIO_DOWN] = cell.ms[i].endless_octets[RADIO_UP] = 0;
        cell_empty_buffer(i);
        radio_remove_ms(cell.radio, i, cell_now());
    }
    cell_check();
    for (uint32_t way = 0; way < RADIO_WAYS; way++)
        assert_true(cell.given[way].packets == cell.back[way].packets);
    radio_destroy(cell.radio);
    engine_destroy(cell.engine);
    free(cell.log);
}

// All keys of an MS, until the next call.
static inline struct radio_own cell_own(const struct radio_config *config)
{
    static uint8_t keys[64 * 12];
    for (uint32_t i = 0; i < radio_config_field_count; i++) {
        uint64_t value = field_get(&radio_config_fields[i], config);
        for (uint32_t octet = 0; octet < 12; octet++)
            keys[12 * i + octet] =
                (uint8_t)(octet < 4 ? i >> (24 - 8 * octet) : value >> (88 - 8 * octet));
    }
    return (struct radio_own){{keys, 12 * radio_config_field_count}, NULL};
}

// The log's entry i is this.
static inline void cell_expect(uint32_t i, uint64_t now_ns, uint32_t ms, uint32_t way,
                               uint32_t number, uint32_t why)
{
    assert_true(i < cell.logs);
    const struct cell_log *log = &cell.log[i];
    assert_true(log->now_ns == now_ns);
    assert_int_equal(log->ms, ms);
    assert_int_equal(log->way, way);
    assert_int_equal(log->number, number);
    assert_int_equal(log->why, why);
}

#endif

// See pcuif.h.
#include "lab/live/bts/pcuif.h"

#include <string.h>

#include "dataplane/wire/bytes.h"

enum type {
    DATA_REQ = 0x00,
    DATA_CNF = 0x01,
    DATA_IND = 0x02,
    RTS_REQ = 0x10,
    DATA_CNF_2 = 0x11,
    RACH_IND = 0x22,
    INFO_IND = 0x32,
    ACT_REQ = 0x40,
    TXT_IND = 0x70
};

enum sapi { RACH = 1, AGCH = 2, PCH = 3, PDTCH = 5, PCH_2 = 8, AGCH_2 = 9 };

#define HEAD         4
#define DATA_OCTETS  180
#define DATA_AT      (HEAD + 2)            // behind SAPI and length
#define TEXT_OCTETS  (1 + PCUIF_TEXT_ROOM) // with its type
#define TEXT_VERSION 0
#define GROUP_DIGITS 3   // of the paging group, before a message for the PCH
#define IMSI_OCTETS  17  // the same in later versions
#define ARFCN        871 // of GSM 1800, the band of MSs in the shipped configuration
#define TSC          7
#define TRAINING_0   1 // an access burst with the first training sequence (45.002 5.2.7)

static uint16_t get_le16(const uint8_t *b)
{
    return (uint16_t)(b[0] | b[1] << 8);
}

static uint32_t get_le32(const uint8_t *b)
{
    return get_le16(b) | (uint32_t)get_le16(b + 2) << 16;
}

// ---- From the PCU ----

static int decode_text(struct pcuif *m, const uint8_t *b, uint32_t n)
{
    if (n < HEAD + TEXT_OCTETS)
        return wire_fault(WIRE_TRUNCATED, n);
    const uint8_t *text = b + HEAD + 1;
    m->kind = b[HEAD] == TEXT_VERSION ? PCUIF_TEXT : PCUIF_OTHER;
    m->octets = (struct octets){text, (uint32_t)strnlen((const char *)text, PCUIF_TEXT_ROOM - 1)};
    return 0;
}

static int decode_activate(struct pcuif *m, const uint8_t *b, uint32_t n)
{
    if (n < HEAD + 4)
        return wire_fault(WIRE_TRUNCATED, n);
    if (b[HEAD + 1] != 0 || b[HEAD + 2] >= PCUIF_SLOTS)
        return wire_fault(WIRE_RANGE, HEAD + 1);
    m->kind = PCUIF_ACTIVATE;
    m->on = b[HEAD];
    m->slot = b[HEAD + 2];
    return 0;
}

// Behind `before` octets; the last octet says whether the PCU waits for the confirmation.
static int decode_numbered(struct pcuif *m, struct octets data, uint32_t before)
{
    if (data.n < before + PCUIF_CCCH_OCTETS + 1)
        return wire_fault(WIRE_TRUNCATED, DATA_AT + data.n);
    m->numbered = true;
    m->number = get_le32(data.at);
    m->octets = (struct octets){data.at + before, PCUIF_CCCH_OCTETS};
    m->confirm = data.at[before + PCUIF_CCCH_OCTETS];
    return 0;
}

static int decode_plain(struct pcuif *m, struct octets data, uint32_t before)
{
    if (data.n != before + PCUIF_CCCH_OCTETS)
        return wire_fault(WIRE_LENGTH, HEAD + 1);
    m->octets = (struct octets){data.at + before, PCUIF_CCCH_OCTETS};
    m->confirm = before > 0;
    return 0;
}

static int decode_ccch(struct pcuif *m, uint8_t sapi, struct octets data)
{
    m->kind = PCUIF_CCCH;
    m->sapi = sapi;
    switch (sapi) {
    case AGCH:
        return decode_plain(m, data, 0);
    case PCH:
        return decode_plain(m, data, GROUP_DIGITS);
    case AGCH_2:
        return decode_numbered(m, data, sizeof m->number);
    case PCH_2:
        return decode_numbered(m, data, sizeof m->number + IMSI_OCTETS);
    default:
        m->kind = PCUIF_OTHER;
        return 0;
    }
}

static int decode_data(struct pcuif *m, const uint8_t *b, uint32_t n)
{
    if (n < HEAD + DATA_OCTETS)
        return wire_fault(WIRE_TRUNCATED, n);
    struct octets data = {b + DATA_AT, b[HEAD + 1]};
    if (data.n > PCUIF_BLOCK_MOST)
        return wire_fault(WIRE_LENGTH, HEAD + 1);
    const uint8_t *behind = data.at + PCUIF_BLOCK_MOST; // fn, ARFCN, carrier, slot
    if (b[HEAD] != PDTCH)
        return decode_ccch(m, b[HEAD], data);
    if (behind[6] != 0 || behind[7] >= PCUIF_SLOTS)
        return wire_fault(WIRE_RANGE, (uint32_t)(behind - b) + 6);
    m->kind = PCUIF_BLOCK;
    m->octets = data;
    m->fn = get_le32(behind);
    m->slot = behind[7];
    return 0;
}

int pcuif_decode(struct pcuif *message, const uint8_t *b, uint32_t n)
{
    *message = (struct pcuif){.kind = PCUIF_OTHER};
    if (n < HEAD)
        return wire_fault(WIRE_TRUNCATED, n);
    switch (b[0]) {
    case TXT_IND:
        return decode_text(message, b, n);
    case ACT_REQ:
        return decode_activate(message, b, n);
    case DATA_REQ:
        return decode_data(message, b, n);
    default:
        return 0;
    }
}

uint8_t pcuif_version_of(struct octets text)
{
    uint32_t number[2] = {0, 0}, part = 0;
    for (uint32_t i = 0; i < text.n && part < 2; i++) {
        uint8_t c = text.at[i];
        if (c == '.')
            part++;
        else if (c >= '0' && c <= '9' && number[part] < 1000)
            number[part] = number[part] * 10 + (c - '0');
        else
            break;
    }
    uint32_t version = number[0] * 1000 + number[1];
    return version >= 1004 ? 12 : version == 1003 ? 11 : 10;
}

// ---- To the PCU ----

// Where the next field goes.
struct put {
    uint8_t *b;
    uint32_t n;
};

static void put8(struct put *p, uint32_t value)
{
    p->b[p->n++] = (uint8_t)value;
}

static void put16(struct put *p, uint32_t value)
{
    put8(p, value);
    put8(p, value >> 8);
}

static void put32(struct put *p, uint32_t value)
{
    put16(p, value);
    put16(p, value >> 16);
}

static void put_octets(struct put *p, const uint8_t *octets, uint32_t n)
{
    memcpy(p->b + p->n, octets, n);
    p->n += n;
}

static struct put put_begin(uint8_t *b, enum type type)
{
    memset(b, 0, PCUIF_OCTETS_MOST);
    b[0] = (uint8_t)type;
    return (struct put){b, HEAD};
}

#define SLOT_OCTETS 13
#define CARRIERS    8
static void put_carriers(struct put *p, const struct pcuif_cell *cell)
{
    uint32_t mask = 0xff & 0xff << pcuif_first_slot(cell);
    for (uint32_t carrier = 0; carrier < CARRIERS; carrier++) {
        put16(p, carrier == 0 ? ARFCN : 0);
        put8(p, carrier == 0 ? mask : 0);
        p->n += 5; // spare, the handle of a PHY
        for (uint32_t slot = 0; slot < PCUIF_SLOTS; slot++) {
            p->b[p->n] = carrier == 0 ? TSC : 0;
            p->n += SLOT_OCTETS; // no hopping
        }
    }
}

// The cell's place, and the timers of NS and BSSGP in seconds (48.016, 48.018).
static void put_place(struct put *p, const struct pcuif_cell *cell)
{
    static const uint8_t ns[] = {3, 3, 3, 3, 30, 3, 10},
                         bssgp[] = {3, 3, 3, 3, 3, 10, 3, 10, 3, 10, 3};
    put8(p, 63); // BSIC
    put16(p, cell->area.mcc);
    put16(p, cell->area.mnc);
    put8(p, cell->area.mnc_digits == 3);
    put16(p, cell->area.lac);
    put16(p, cell->area.rac);
    put16(p, cell->nsei);
    put_octets(p, ns, sizeof ns);
    put_octets(p, bssgp, sizeof bssgp);
    put16(p, cell->bvci); // the cell's identity
}

// Timers and counters of 44.060, table 13.1: T3142, T3169, T3191 in s, T3193 in 10 ms, T3195,
// N3101, N3103, N3105, and BS_CV_MAX; how long TBFs stay open; the coding schemes to begin with.
static void put_radio(struct put *p, const struct pcuif_cell *cell)
{
    static const uint8_t timers[] = {20, 5, 5, 160, 5, 10, 4, 8, PCUIF_BS_CV_MAX};
    put16(p, 50); // repetition of a PDU
    put8(p, 1);
    put16(p, cell->bvci);
    put_octets(p, timers, sizeof timers);
    put16(p, 250);
    put16(p, 250);
    put8(p, cell->coding);
    put8(p, 1);
}

#define FLAG_ACTIVE   1u
#define FLAG_CS1_BIT  16
#define ADDRESS_IPV4  4
#define BTS_MODEL_TRX 5
static void put_nsvcs(struct put *p, const struct pcuif_cell *cell)
{
    put32(p, cell->nsvci); // of two NS-VCs there is one
    put32(p, cell->local_port);
    put32(p, cell->remote_port);
    put16(p, ADDRESS_IPV4);
    put_be32(p->b + p->n, cell->remote_address);
    p->n += 2 * 16;
}

uint32_t pcuif_put_info(const struct pcuif_cell *cell, uint8_t b[PCUIF_OCTETS_MOST])
{
    struct put p = put_begin(b, INFO_IND);
    uint32_t codings = (1u << cell->coding) - 1;
    put32(&p, cell->version);
    put32(&p, FLAG_ACTIVE | codings << FLAG_CS1_BIT);
    put_carriers(&p, cell);
    put_place(&p, cell);
    put_radio(&p, cell);
    put_nsvcs(&p, cell);
    if (cell->version >= 12)
        put8(&p, BTS_MODEL_TRX);
    return p.n;
}

// With an RSSI of -60 dBm and no bit error.
static uint32_t put_data(enum type type, uint32_t sapi, uint32_t fn, uint8_t slot,
                         struct octets octets, uint32_t link_db, uint8_t *b)
{
    struct put p = put_begin(b, type);
    put8(&p, sapi);
    put8(&p, octets.n);
    if (octets.n)
        memcpy(b + p.n, octets.at, octets.n);
    p.n += PCUIF_BLOCK_MOST;
    put32(&p, fn);
    put16(&p, ARFCN);
    put8(&p, 0);
    put8(&p, slot);
    put8(&p, pcuif_block_number(fn));
    put8(&p, (uint8_t)-60);
    put16(&p, 0);
    put16(&p, 0);
    put16(&p, 10 * link_db);
    return p.n;
}

uint32_t pcuif_put_block(uint32_t fn, uint8_t slot, struct octets block, uint32_t link_db,
                         uint8_t b[PCUIF_OCTETS_MOST])
{
    return put_data(DATA_IND, PDTCH, fn, slot, block, link_db, b);
}

uint32_t pcuif_put_ready(uint32_t fn, uint8_t slot, uint8_t b[PCUIF_OCTETS_MOST])
{
    struct put p = put_begin(b, RTS_REQ);
    put32(&p, PDTCH); // and three spare octets
    put32(&p, fn);
    put16(&p, ARFCN);
    put8(&p, 0);
    put8(&p, slot);
    put8(&p, pcuif_block_number(fn));
    return p.n;
}

uint32_t pcuif_put_access(uint32_t fn, uint8_t burst, uint8_t b[PCUIF_OCTETS_MOST])
{
    struct put p = put_begin(b, RACH_IND);
    put8(&p, RACH);
    put16(&p, burst);
    put16(&p, 0); // timing advance
    put32(&p, fn);
    put16(&p, ARFCN);
    put8(&p, 0); // 8 bits
    put8(&p, TRAINING_0);
    put16(&p, 0); // carrier and slot 0
    return p.n;
}

uint32_t pcuif_put_confirm(const struct pcuif *message, uint8_t b[PCUIF_OCTETS_MOST])
{
    if (!message->numbered)
        return put_data(DATA_CNF, message->sapi, message->fn, 0, message->octets, PCUIF_LINK_DB, b);
    struct put p = put_begin(b, DATA_CNF_2);
    put8(&p, message->sapi);
    put32(&p, message->number);
    return p.n;
}

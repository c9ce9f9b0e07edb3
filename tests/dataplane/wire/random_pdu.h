// Random structs of any PDU, within the ranges of its fields and what else the wire can carry. The
// rules for the latter stand here a second time, in the words of the standards: each wire unit,
// rate table and "all or none" that a range does not say.
#ifndef TESTS_DATAPLANE_WIRE_RANDOM_PDU_H
#define TESTS_DATAPLANE_WIRE_RANDOM_PDU_H

#include "tests/dataplane/random.h"
#include "tests/dataplane/wire/any_pdu.h"

static uint8_t random_payload[65536]; // what random OCTETS point into

static inline void random_fields(const struct field *fields, uint32_t count, void *owner,
                                 uint32_t payload_most);

// Labels behind their lengths, of n octets; in a place of their own, as other fields may overlap.
static inline struct octets random_labels(uint32_t n)
{
    static uint8_t labels[128];
    random_fill(labels, n);
    for (uint32_t at = 0; at < n; at += 1u + labels[at]) {
        uint32_t rest = n - at - 1; // what is left after a label must not be its length alone
        labels[at] = (uint8_t)(rest > 2 ? random_in(1, rest - 2) : rest);
    }
    return (struct octets){labels, n};
}

static inline struct octets random_octets(const struct field *field, uint32_t most)
{
    if (most > field->most)
        most = (uint32_t)field->most;
    if (most < field->least)
        most = (uint32_t)field->least;
    uint32_t n = (uint32_t)random_in(field->least, most);
    if (strcmp(field->name, "apn") == 0)
        return random_labels(n);
    uint32_t from = (uint32_t)random_in(0, sizeof random_payload - n);
    random_fill(random_payload + from, n < 64 ? n : 64);
    return (struct octets){random_payload + from, n};
}

static inline void random_digits(const struct field *field, struct digits *digits)
{
    uint64_t n = random_in(field->least, field->most);
    memset(digits, 0, sizeof *digits);
    for (uint64_t i = 0; i < n; i++)
        digits->text[i] = (char)('0' + random_next() % 10);
}

static inline void random_items(const struct field *field, char *at, uint32_t payload_most)
{
    uint64_t n = 1;
    if (field->kind == FIELD_LIST) {
        n = *(uint64_t *)at = random_in(field->least, field->most);
        at += FIELD_LIST_ITEMS_AT;
    }
    for (uint64_t i = 0; i < n; i++, at += field->record->octets)
        random_fields(field->record->fields, field->record->count, at, payload_most);
}

static inline void random_field(const struct field *field, void *owner, uint32_t payload_most)
{
    char *at = (char *)owner + field->offset;
    if (field->has_offset != FIELD_ALWAYS)
        *((bool *)owner + field->has_offset) = random_next() % 2;
    switch (field->kind) {
    case FIELD_MAC:
        random_fill(at, sizeof(struct mac));
        break;
    case FIELD_IPV6:
        random_fill(at, sizeof(struct ipv6_address));
        break;
    case FIELD_OCTETS:
        *(struct octets *)at = random_octets(field, payload_most);
        break;
    case FIELD_DIGITS:
        random_digits(field, (struct digits *)at);
        break;
    case FIELD_RECORD:
    case FIELD_LIST:
        random_items(field, at, payload_most);
        break;
    default:
        field_set(field, owner, random_in(field->least, field->most));
    }
}

static inline void random_fields(const struct field *fields, uint32_t count, void *owner,
                                 uint32_t payload_most)
{
    for (uint32_t i = 0; i < count; i++)
        random_field(&fields[i], owner, payload_most);
}

// --- What the wire can carry ---------------------------------------------------------------------

static inline bool ends_with(const char *name, const char *end)
{
    size_t n = strlen(name), e = strlen(end);
    return n >= e && strcmp(name + n - e, end) == 0;
}

static inline uint64_t random_step(const uint64_t (*rows)[3], size_t count)
{
    const uint64_t *row = rows[random_next() % count]; // first, step, how many
    return row[0] + row[1] * random_in(0, row[2] - 1);
}
#define RANDOM_STEP(rows) random_step(rows, sizeof(rows) / sizeof(rows)[0])

// 24.008 10.5.7.3: five bits of 2 s, of minutes, of tenths of an hour, or no end.
static inline uint64_t random_gprs_timer_s(void)
{
    static const uint64_t rows[][3] = {{0, 2, 32}, {0, 60, 32}, {0, 360, 32}, {UINT32_MAX, 0, 1}};
    return RANDOM_STEP(rows);
}

// 48.018 11.3.28: 16 bits of 100, 1000, 10 000 or 100 000 bit/s.
static inline uint64_t random_peak_bit_per_s(void)
{
    static const uint64_t rows[][3] = {
        {0, 100, 65536}, {0, 1000, 65536}, {0, 10000, 65536}, {0, 100000, 65536}};
    return RANDOM_STEP(rows);
}

static inline void fit_bssgp_field(const struct field *f, void *owner, uint64_t unit)
{
    const char *name = f->name;
    if (strcmp(name, "peak_bit_per_s") == 0)
        field_set(f, owner, random_peak_bit_per_s());
    else if (ends_with(name, "bit_per_s") || ends_with(name, "bmax_octets") ||
             ends_with(name, "default_octets"))
        field_set(f, owner, random_in(0, 65535) * 100 * unit);
    else if (ends_with(name, "_ms"))
        field_set(f, owner, random_in(0, 65535) * 10);
    else if (ends_with(name, "_s"))
        field_set(f, owner, random_gprs_timer_s());
    else if (strcmp(name, "ti") == 0) // 7 and 15 would be extended ones
        field_set(f, owner, random_in(0, 6) + 8 * random_in(0, 1));
    else if (strcmp(name, "mnc_digits") == 0 && field_get(f, owner) == 2)
        ((struct bssgp_area *)owner)->mnc %= 100;
}

static inline void fit_bssgp(const struct field *fields, uint32_t count, void *owner, uint64_t unit)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct field *f = &fields[i];
        const char *item = NULL;
        uint64_t items = f->record ? any_field_items(f, (const char *)owner + f->offset, &item) : 0;
        fit_bssgp_field(f, owner, unit);
        for (uint64_t k = 0; k < items; k++, item += f->record->octets)
            fit_bssgp(f->record->fields, f->record->count, (void *)(uintptr_t)item, unit);
    }
}

static inline uint64_t flow_unit(const struct wire_pdu *pdu, const void *any)
{
    static const uint64_t units[] = {1, 10, 100, 1000};
    for (uint32_t i = 0; i < pdu->field_count; i++)
        if (strcmp(pdu->fields[i].name, "granularity") == 0 && any_field_at(&pdu->fields[i], any))
            return units[field_get(&pdu->fields[i], any)];
    return 1;
}

// With the CBL feature each flow has its ratio, without it none has.
static inline void fit_pfc_flows(union wire_any *any)
{
    struct bssgp_pfc_flows *flows = &any->bssgp_flow_control_pfc.flows;
    for (uint64_t i = 1; i < flows->n; i++)
        flows->item[i].has_full_percent = flows->item[0].has_full_percent;
}

// 24.008 10.5.6.5: rates, delays and sizes that have a code.
static inline uint32_t random_abqp_rate(void)
{
    static const uint64_t rows[][3] = {{0, 0, 1},
                                       {1000, 1000, 63},
                                       {64000, 8000, 64},
                                       {576000, 64000, 127},
                                       {8700000, 100000, 74},
                                       {17000000, 1000000, 112},
                                       {130000000, 2000000, 64}};
    return (uint32_t)RANDOM_STEP(rows);
}

static inline void fit_abqp(union wire_any *any)
{
    struct abqp *abqp = &any->abqp;
    static const uint64_t delays[][3] = {{10, 10, 15}, {200, 50, 16}, {1000, 100, 31}};
    static const uint64_t sizes[][3] = {{10, 10, 150}, {1502, 0, 1}, {1510, 10, 2}};
    abqp->sdu_octets = (uint16_t)RANDOM_STEP(sizes);
    abqp->transfer_delay_ms = (uint16_t)RANDOM_STEP(delays);
    abqp->mbr_up_bit_per_s = random_abqp_rate();
    abqp->mbr_down_bit_per_s = random_abqp_rate();
    abqp->gbr_up_bit_per_s = random_abqp_rate();
    abqp->gbr_down_bit_per_s = random_abqp_rate();
}

// RFC 8200: without a fragment header the type of one of the extension headers would make the
// payload one; a fragment's header counts as payload.
static inline void fit_ipv6(union wire_any *any)
{
    struct ipv6 *packet = &any->ipv6;
    uint8_t next = packet->next_header;
    if (!packet->has_fragment && (next == 0 || next == 43 || next == 44 || next == 60))
        packet->next_header = 17;
    if (packet->has_fragment && packet->payload.n > 65527)
        packet->payload.n = 65527;
}

// 29.281 5.2: one to three extension headers that an endpoint may step over.
static inline struct octets random_extensions(void)
{
    static const uint8_t types[] = {0x20, 0x40, 0x01, 0x7f, 0xc0};
    static uint8_t chain[36];
    uint32_t n = 0;
    for (uint64_t left = random_in(1, 3); left-- > 0;) {
        uint32_t octets = 4 * (uint32_t)random_in(1, 3);
        random_fill(chain + n, octets);
        chain[n] = (uint8_t)(octets / 4);
        n += octets;
        chain[n - 1] = left ? types[random_next() % sizeof types] : 0;
    }
    return (struct octets){chain, n};
}

static inline void fit_gtpu(union wire_any *any)
{
    struct gtpu *message = &any->gtpu;
    message->has_extensions = message->has_extension_type && random_next() % 2;
    message->extension_type = message->has_extensions ? 0x40 : 0;
    message->extensions = random_extensions();
    if (message->payload.n > 65535 - 4 - 36)
        message->payload.n = 65535 - 4 - 36;
}

// RFC 9293 3.1: 40 octets of options. SYNs carry those of the handshake, the others SACK blocks,
// three where there are timestamps.
static inline void fit_tcp(union wire_any *any)
{
    struct tcp *segment = &any->tcp;
    bool syn = segment->has_mss_octets || segment->has_window_scale || segment->sack_permitted;
    if (syn)
        segment->sack.n = 0;
    else if (segment->has_timestamps && segment->sack.n > 3)
        segment->sack.n = 3;
    if (segment->payload.n > 65535 - 60)
        segment->payload.n = 65535 - 60;
}

static inline void fit_gtpu_error(union wire_any *any)
{
    any->gtpu_error_indication.has_ipv6_address = !any->gtpu_error_indication.has_ipv4_address;
}

static inline void fit_sndcp(union wire_any *any)
{
    if (!any->sndcp_unitdata.first)
        any->sndcp_unitdata.dcomp = any->sndcp_unitdata.pcomp = 0;
}

// 44.064 table 6: T200 counts 100 ms; buffers count 16 octets, none or at least 9 x 16.
static inline void fit_llc_xid(union wire_any *any)
{
    static const uint64_t buffers[][3] = {{0, 0, 1}, {144, 16, 24312}};
    any->llc_xid.t200_ms = (uint32_t)random_in(1, 4095) * 100;
    any->llc_xid.md_octets = (uint32_t)RANDOM_STEP(buffers);
    any->llc_xid.mu_octets = (uint32_t)RANDOM_STEP(buffers);
}

// 44.065 6.5 and 6.6: an algorithm has as many octets of DCOMP or PCOMP values; only an answer has
// none, and only what has NSAPIs has parameters. An unknown algorithm is nothing but parameters.
static inline void fit_sndcp_entity(struct sndcp_entity *entity, const uint8_t *codes,
                                    uint32_t known)
{
    entity->algorithm = (uint8_t)random_in(0, known);
    bool is_known = entity->algorithm < known || !entity->has_algorithm;
    entity->codes.n = entity->has_algorithm && is_known ? codes[entity->algorithm] : 0;
    entity->has_nsapis = entity->has_nsapis && is_known;
    entity->parameters.n = entity->has_nsapis || !is_known ? (uint32_t)random_in(0, 20) : 0;
    entity->codes.at = entity->parameters.at = random_payload;
}

static inline void fit_sndcp_xid(union wire_any *any)
{
    static const uint8_t data[] = {1, 1}, protocol[] = {1, 3, 1};
    struct sndcp_xid *block = &any->sndcp_xid;
    block->data_compression.n = random_in(0, 5);
    block->protocol_compression.n = random_in(0, 5);
    for (uint64_t i = 0; i < block->data_compression.n; i++)
        fit_sndcp_entity(&block->data_compression.item[i], data, sizeof data);
    for (uint64_t i = 0; i < block->protocol_compression.n; i++)
        fit_sndcp_entity(&block->protocol_compression.item[i], protocol, sizeof protocol);
    if (!block->has_data_compression && !block->has_protocol_compression)
        block->has_version = true;
}

// An enciphered frame is read with its FCS as it stands, any other without.
static inline void fit_llc_ui(union wire_any *any)
{
    any->llc_ui.has_enciphered_fcs = any->llc_ui.enciphered;
}

static const struct {
    const char *pdu;
    void (*fit)(union wire_any *any);
} random_fits[] = {
    {"ipv6", fit_ipv6},
    {"tcp", fit_tcp},
    {"gtpu", fit_gtpu},
    {"gtpu_error_indication", fit_gtpu_error},
    {"llc_ui", fit_llc_ui},
    {"llc_xid", fit_llc_xid},
    {"sndcp_unitdata", fit_sndcp},
    {"sndcp_xid", fit_sndcp_xid},
    {"bssgp_flow_control_pfc", fit_pfc_flows},
    {"abqp", fit_abqp},
};

static inline bool is_pdu(const struct wire_pdu *pdu, const char *name)
{
    return strcmp(pdu->name, name) == 0;
}

static inline void make_sendable(const struct wire_pdu *pdu, union wire_any *any)
{
    if (pdu->group && strcmp(pdu->group, "ns") != 0)
        fit_bssgp(pdu->fields, pdu->field_count, any, flow_unit(pdu, any));
    for (size_t i = 0; i < sizeof random_fits / sizeof random_fits[0]; i++)
        if (is_pdu(pdu, random_fits[i].pdu))
            random_fits[i].fit(any);
}

// Optional elements that exclude each other are drawn until one is there.
static inline void random_pdu(const struct wire_pdu *pdu, union wire_any *any,
                              uint32_t payload_most)
{
    static uint8_t b[2 * 65536];
    for (int draw = 0; draw < 1000; draw++) {
        memset(any, 0, sizeof *any);
        random_fields(pdu->fields, pdu->field_count, any, payload_most);
        make_sendable(pdu, any);
        int n = pdu->encode(any, b, sizeof b);
        enum wire_err err = n < 0 ? wire_fault_err(n) : WIRE_OK;
        if (err != WIRE_MISSING_IE && err != WIRE_MISSING_CONDITIONAL && err != WIRE_UNEXPECTED_IE)
            return;
    }
    fail_msg("%s: of 1000 random structs none has the elements that it needs", pdu->name);
}

#endif

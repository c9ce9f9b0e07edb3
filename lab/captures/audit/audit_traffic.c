// See audit_traffic.h. A user is an MS, with all its addresses: on Gb they are in the first segment
// of each N-PDU, unless the LLC PDU is enciphered or its header compressed; then nobody knows whose
// it is.
#include "lab/captures/audit/audit_traffic.h"

#include <string.h>

#include "dataplane/wire/address.h"
#include "dataplane/wire/gtpu.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/llc.h"
#include "dataplane/wire/sndcp.h"
#include "lab/captures/audit/audit_parts.h"
#include "lab/engine/need.h"

#define SAPIS_OF_DATA 0x0a28u // 3, 5, 9 and 11
#define IPV4_LEAST    20u
#define IPV6_LEAST    40u
#define COPY_NS       (20 * MS_IN_NS) // as audit_copies.c
#define KNOWN_OCTETS  28u // of a packet, by which it is known again: IP and the next header's begin
#define SEEN          65536u // as 16 bits of the key tell

// A TLLI of an SGSN, or an address, and whose it is by now.
struct owned {
    struct bss_link link;
    struct ipv6_address address; // of a TLLI: none
    uint32_t user;
};

// What tells the flows apart.
struct ends {
    struct ipv6_address source, destination;
    uint32_t ports; // 0: it has none
    uint8_t protocol;
};

struct stream {
    struct bss_link link;
    struct ends ends;
    uint32_t number; // as they begin
    bool ect;
};

// Rows as they come, with what is looked up at the end.
struct place {
    uint64_t time_ns;
    uint32_t user;
    const struct audit_bvc *bvc;
};

struct value {
    struct audit_traffic_value value;
    const struct audit_bvc *bvc;
    const struct audit_nse *nse;
    uint32_t tlli;
    bool of_ms;
};

struct seen {
    uint64_t key, time_ns; // key 0: none
    uint16_t ip_id;        // of the packet around it
    bool on_gb;
};

struct audit_traffic_room {
    struct audit_traffic result;
    struct bss_table tllis_table, addresses_table, streams_table;
    const struct audit_bvc **at; // where each user is
    struct stream **stream;
    struct owned **owned;
    struct audit_traffic_packet *packet;
    struct place *place;
    struct value *value;
    uint32_t users, owns, streams, packets, places, values;
    struct seen *seen;         // SEEN of them; NULL: no G-PDU yet
    struct histogram *wait_us; // NULL: none was seen again
    uint64_t wait_sum_ns;
};

// Room for one more; doubles at powers of two.
static void *grown(void *list, uint32_t n, size_t octets)
{
    return n & (n - 1) ? list : need(realloc(list, (n ? 2 * (size_t)n : 1) * octets));
}

#define ADD(room, list, count, what)                                             \
    do {                                                                         \
        (room)->list = grown((room)->list, (room)->count, sizeof *(room)->list); \
        (room)->list[(room)->count++] = (what);                                  \
    } while (0)

struct audit_traffic_room *audit_traffic_begin(void)
{
    return need(calloc(1, sizeof(struct audit_traffic_room)));
}

// The auditor's clock, from the first frame on.
static uint64_t since_begin(const struct audit *audit, uint64_t time_ns)
{
    return time_ns - audit->first_ns;
}

// ---- IP packets inside ----

static uint32_t ports_of(const uint8_t *b, uint32_t captured, uint32_t header, uint8_t protocol)
{
    bool has = protocol == IPPROTO_TCP || protocol == IPV4_PROTOCOL_UDP;
    return has && captured >= header + 4 ? get_be32(b + header) : 0;
}

static bool ends_of(const uint8_t *b, uint32_t captured, struct ends *ends)
{
    *ends = (struct ends){0};
    if (captured >= IPV4_LEAST && b[0] >> 4 == 4) {
        ends->source = address_of_ipv4(get_be32(b + 12));
        ends->destination = address_of_ipv4(get_be32(b + 16));
        ends->protocol = b[9];
        if (!(get_be16(b + 6) & (IPV4_FLAG_MF | 0x1fff)))
            ends->ports = ports_of(b, captured, 4u * (b[0] & 15), b[9]);
    } else if (captured >= IPV6_LEAST && b[0] >> 4 == 6) {
        memcpy(ends->source.octet, b + 8, sizeof ends->source.octet);
        memcpy(ends->destination.octet, b + 24, sizeof ends->destination.octet);
        ends->protocol = b[6];
        ends->ports = ports_of(b, captured, IPV6_LEAST, b[6]);
    } else {
        return false;
    }
    return true;
}

// Of what no network changes on the way from Gn to Gb: not the mark of congestion, nor what sums
// it up.
static uint64_t key_of_packet(const uint8_t *b, uint32_t captured)
{
    uint8_t head[KNOWN_OCTETS + 4] = {0};
    uint64_t key = 0, word;
    if (captured < KNOWN_OCTETS)
        return 0;
    memcpy(head, b, KNOWN_OCTETS);
    if (b[0] >> 4 == 4)
        head[1] = head[10] = head[11] = 0;
    else
        head[1] &= 0xcf;
    for (uint32_t at = 0; at < sizeof head; at += sizeof word) {
        memcpy(&word, head + at, sizeof word);
        key = bss_hash(&bss_hash_key, key ^ word);
    }
    return key | 1;
}

static bool is_ect(const uint8_t *b)
{
    uint8_t ecn = b[0] >> 4 == 4 ? b[1] & 3 : b[1] >> 4 & 3;
    return ecn == 1 || ecn == 2;
}

// ---- Users, where they are ----

static uint64_t tlli_key(const struct audit_nse *nse, uint32_t tlli)
{
    return (uint64_t)nse->sgsn << 32 | tlli;
}

static struct owned *owned_of(const struct bss_table *table, uint64_t key)
{
    struct bss_link *link = bss_table_find(table, key);
    return link ? BSS_OWNER(link, struct owned, link) : NULL;
}

// 0: nobody's.
static uint32_t user_of_tlli(const struct audit_traffic_room *room, const struct audit_nse *nse,
                             uint32_t tlli)
{
    const struct owned *owned = owned_of(&room->tllis_table, tlli_key(nse, tlli));
    return owned ? owned->user : 0;
}

static uint32_t user_of(const struct audit_traffic_room *room, const struct ipv6_address *address)
{
    const struct owned *owned = owned_of(&room->addresses_table, audit_key_of(address, 0));
    return owned && address_same(&owned->address, address) ? owned->user : 0;
}

static void own(struct audit_traffic_room *room, struct bss_table *table, uint64_t key,
                const struct ipv6_address *address, uint32_t user)
{
    struct owned *owned = owned_of(table, key);
    if (!owned) {
        owned = need(calloc(1, sizeof *owned));
        owned->address = *address;
        bss_table_put(table, &owned->link, key);
        ADD(room, owned, owns, owned);
    }
    owned->user = user;
}

// The SGSN sends a packet to that address under that TLLI. A TLLI that is known is an MS, which has
// this address as well, or has it now; one that is not is another TLLI of the address's MS.
static void identify(struct audit_traffic_room *room, const struct audit_nse *nse, uint32_t tlli,
                     const struct ipv6_address *address)
{
    static const struct ipv6_address none;
    uint32_t by_tlli = user_of_tlli(room, nse, tlli), by_address = user_of(room, address);
    uint32_t user = by_tlli ? by_tlli : by_address;
    if (by_tlli && by_tlli == by_address)
        return;
    if (!user && room->users == AUDIT_TRAFFIC_USERS_MOST) {
        room->result.beyond++;
        return;
    }
    if (!user) {
        ADD(room, at, users, NULL);
        user = room->users;
    }
    own(room, &room->tllis_table, tlli_key(nse, tlli), &none, user);
    own(room, &room->addresses_table, audit_key_of(address, 0), address, user);
}

static void put_place(struct audit_traffic_room *room, uint32_t user, const struct audit_bvc *bvc,
                      uint64_t time_ns)
{
    if (room->at[user - 1] == bvc)
        return;
    room->at[user - 1] = bvc;
    if (room->places == AUDIT_TRAFFIC_ROWS_MOST) {
        room->result.beyond++;
        return;
    }
    struct place place = {time_ns, user, bvc};
    ADD(room, place, places, place);
}

// ---- Gb ----

// The N-PDU that begins in the LLC PDU, as far as it was captured; of 0 octets: none begins, or
// what is in it cannot be read.
static struct octets npdu_of(struct audit_traffic_room *room, const uint8_t *llc, uint32_t captured)
{
    const uint8_t *sn = llc + LLC_UI_HEADER_OCTETS;
    struct octets none = {0};
    if (captured < LLC_UI_HEADER_OCTETS + SNDCP_FIRST_OCTETS ||
        !(SAPIS_OF_DATA >> (llc[0] & 15) & 1) || (llc[1] & LLC_UI_FORMAT_MASK) != LLC_UI_FORMAT)
        return none;
    if (llc[2] & LLC_BIT_E) {
        room->result.enciphered++;
        return none;
    }
    if (!(sn[0] & SNDCP_BIT_F) || !(sn[0] & SNDCP_BIT_T))
        return none;
    room->result.compressed += sn[1] != 0;
    uint32_t head = LLC_UI_HEADER_OCTETS + SNDCP_FIRST_OCTETS;
    return sn[1] ? none : (struct octets){llc + head, captured - head};
}

static void take_wait(struct audit_traffic_room *room, const struct octets *npdu, uint64_t now_ns)
{
    uint64_t key = key_of_packet(npdu->at, npdu->n);
    struct seen *seen = room->seen ? &room->seen[key >> 48] : NULL;
    if (!key || !seen || seen->key != key || seen->on_gb)
        return;
    seen->on_gb = true;
    room->result.waits++;
    room->wait_sum_ns += now_ns - seen->time_ns;
    room->wait_us = room->wait_us ? room->wait_us : need(calloc(1, sizeof *room->wait_us));
    histogram_add(room->wait_us, (now_ns - seen->time_ns) / 1000);
}

void audit_traffic_unitdata(struct audit *audit, const struct audit_bvc *bvc, uint32_t tlli,
                            const uint8_t *llc, uint32_t captured)
{
    struct audit_traffic_room *room = audit->traffic;
    struct ends ends;
    if (!room)
        return;
    uint64_t now_ns = since_begin(audit, audit->at.time_ns);
    struct octets npdu = npdu_of(room, llc, captured);
    if (audit->at.down && ends_of(npdu.at, npdu.n, &ends)) {
        identify(room, bvc->nse, tlli, &ends.destination);
        take_wait(room, &npdu, now_ns);
    }
    uint32_t user = user_of_tlli(room, bvc->nse, tlli);
    if (user && (audit->at.up || !room->at[user - 1])) // down, it is where the SGSN takes it to be
        put_place(room, user, bvc, now_ns);
}

void audit_traffic_flow(struct audit *audit, const struct audit_flow *flow)
{
    struct audit_traffic_room *room = audit->traffic;
    if (!room)
        return;
    room->result.of_packet_flows += flow->flows.n > 0;
    if (!flow->has_values)
        return;
    if (room->values == AUDIT_TRAFFIC_ROWS_MOST) {
        room->result.beyond++;
        return;
    }
    bool of_ms = flow->kind != FLOW_BVC;
    struct value value = {
        .value = {.time_ns = since_begin(audit, flow->time_ns),
                  .bmax_octets = flow->bmax,
                  .r_bit_per_s = flow->r,
                  .ms_bmax_octets = flow->bmax_default,
                  .ms_r_bit_per_s = flow->r_default,
                  .user = of_ms ? user_of_tlli(room, flow->bvc->nse, flow->tlli) : 0},
        .bvc = flow->bvc,
        .nse = flow->bvc->nse,
        .tlli = flow->tlli,
        .of_ms = of_ms};
    ADD(room, value, values, value);
}

// ---- Gn ----

static struct stream *stream_of(struct audit_traffic_room *room, const struct ends *ends)
{
    uint64_t key = audit_key_of(&ends->source, ends->ports);
    key = audit_key_of(&ends->destination, key ^ ends->protocol);
    struct bss_link *link = bss_table_find(&room->streams_table, key);
    struct stream *stream = link ? BSS_OWNER(link, struct stream, link) : NULL;
    if (stream && memcmp(&stream->ends, ends, sizeof *ends) == 0)
        return stream;
    if (stream || room->streams == AUDIT_TRAFFIC_STREAMS_MOST)
        return NULL;
    stream = need(calloc(1, sizeof *stream));
    memcpy(&stream->ends, ends, sizeof *ends);
    stream->number = room->streams;
    bss_table_put(&room->streams_table, &stream->link, key);
    ADD(room, stream, streams, stream);
    return stream;
}

static uint32_t octets_of(const struct octets *packet)
{
    const uint8_t *b = packet->at;
    return b[0] >> 4 == 4 ? get_be16(b + 2) : get_be16(b + 4) + IPV6_LEAST;
}

// A UDP datagram; captured: of its n octets.
bool audit_traffic_gn(struct audit *audit, const uint8_t *b, uint32_t captured, uint32_t n)
{
    struct audit_traffic_room *room = audit->traffic;
    struct gtpu message;
    struct ends ends;
    if (!room || audit->phase != AUDIT_JUDGE || gtpu_decode(&message, b, n) < 0 ||
        message.type != GTPU_G_PDU)
        return false;
    uint32_t before = (uint32_t)(message.payload.at - b);
    struct octets packet = {message.payload.at, captured > before ? captured - before : 0};
    packet.n = packet.n < message.payload.n ? packet.n : (uint32_t)message.payload.n;
    if (!ends_of(packet.at, (uint32_t)packet.n, &ends))
        return true;
    uint64_t now_ns = since_begin(audit, audit->packet_time_ns);
    uint64_t key = key_of_packet(packet.at, (uint32_t)packet.n);
    struct stream *stream = stream_of(room, &ends);
    if (!stream || room->packets == AUDIT_TRAFFIC_PACKETS_MOST) {
        room->result.beyond++;
        return true;
    }
    room->seen = room->seen ? room->seen : need(calloc(SEEN, sizeof *room->seen));
    struct seen *seen = &room->seen[key >> 48];
    if (key && seen->key == key && seen->ip_id == audit->ip_id &&
        now_ns - seen->time_ns <= COPY_NS) {
        room->result.copies++;
        return true;
    }
    *seen = (struct seen){key, now_ns, audit->ip_id, false};
    stream->ect |= is_ect(packet.at);
    struct audit_traffic_packet one = {now_ns, stream->number, (uint16_t)octets_of(&packet)};
    ADD(room, packet, packets, one);
    return true;
}

// ---- The end ----

static int by_stream(const void *a, const void *b)
{
    const struct audit_traffic_packet *one = a, *other = b;
    if (one->stream != other->stream)
        return one->stream < other->stream ? -1 : 1;
    return one->time_ns < other->time_ns ? -1 : one->time_ns > other->time_ns;
}

// The streams to a user get their numbers, from 1 on, as they began; the others get none.
static void keep_streams(struct audit_traffic_room *room, struct audit_traffic_stream *kept)
{
    uint32_t *number = need(calloc(room->streams + 1, sizeof *number)), n = 0;
    for (uint32_t i = 0; i < room->streams; i++) {
        uint32_t user = user_of(room, &room->stream[i]->ends.destination);
        if (!user)
            continue;
        number[i] = n + 1;
        kept[n++] = (struct audit_traffic_stream){user, 0, room->stream[i]->ect};
    }
    uint32_t packets = 0;
    for (uint32_t i = 0; i < room->packets; i++) {
        struct audit_traffic_packet packet = room->packet[i];
        const struct ends *ends = &room->stream[packet.stream]->ends;
        packet.stream = number[packet.stream];
        if (packet.stream) {
            kept[packet.stream - 1].packets++;
            room->packet[packets++] = packet;
        } else {
            room->result.for_nobody += !user_of(room, &ends->source); // else it goes up
        }
    }
    free(number);
    if (packets)
        qsort(room->packet, packets, sizeof *room->packet, by_stream);
    room->result.streams = n;
    room->result.packets = packets;
}

static void number_cells(struct audit *audit, struct audit_traffic *result)
{
    struct audit_traffic_cell *cell = NULL;
    for (struct audit_bvc *at = audit->bvcs; at; at = at->next) {
        if (at->bvci < 2)
            continue;
        struct audit_traffic_cell one = {
            .nse = at->nse->number + 1u, .nsei = at->nse->nsei, .bvci = at->bvci};
        cell = grown(cell, result->cells, sizeof *cell);
        cell[result->cells++] = one;
        at->number = result->cells;
    }
    result->cell = cell;
}

static void look_up(struct audit_traffic_room *room)
{
    struct audit_traffic *result = &room->result;
    struct audit_traffic_place *place = need(calloc(room->places + 1, sizeof *place));
    struct audit_traffic_value *value = need(calloc(room->values + 1, sizeof *value));
    for (uint32_t i = 0; i < room->places; i++)
        if (room->place[i].bvc->number)
            place[result->places++] = (struct audit_traffic_place){
                room->place[i].time_ns, room->place[i].user, room->place[i].bvc->number};
    for (uint32_t i = 0; i < room->values; i++) {
        struct value one = room->value[i];
        one.value.cell = one.bvc->number;
        if (one.of_ms && !one.value.user) // it may be known only by now
            one.value.user = user_of_tlli(room, one.nse, one.tlli);
        if (one.value.cell && (!one.of_ms || one.value.user)) // else it has no packets
            value[result->values++] = one.value;
    }
    result->place = place;
    result->value = value;
}

void audit_traffic_finish(struct audit *audit)
{
    struct audit_traffic_room *room = audit->traffic;
    if (!room)
        return;
    struct audit_traffic *result = &room->result;
    struct audit_traffic_stream *kept = need(calloc(room->streams + 1, sizeof *kept));
    keep_streams(room, kept);
    number_cells(audit, result);
    look_up(room);
    result->users = room->users;
    result->steps_back = audit->counts[AUDIT_clock_jumps];
    result->stream = kept;
    result->packet = room->packet;
    result->wait_mean_ns = result->waits ? room->wait_sum_ns / result->waits : 0;
    if (room->wait_us) {
        result->wait_half_ns = histogram_quantile(room->wait_us, 500) * 1000;
        result->wait_most_ns = histogram_quantile(room->wait_us, 950) * 1000;
    }
}

const struct audit_traffic *audit_traffic(const struct audit *audit)
{
    return audit->traffic ? &audit->traffic->result : NULL;
}

#define FREE_EACH(list, count)             \
    for (uint32_t i = 0; i < (count); i++) \
        free((list)[i]);                   \
    free(list)

void audit_traffic_end(struct audit_traffic_room *room)
{
    if (!room)
        return;
    FREE_EACH(room->owned, room->owns);
    FREE_EACH(room->stream, room->streams);
    bss_table_release(&room->tllis_table);
    bss_table_release(&room->addresses_table);
    bss_table_release(&room->streams_table);
    free(room->seen);
    free(room->wait_us);
    free(room->at);
    free(room->packet);
    free(room->place);
    free(room->value);
    free((void *)room->result.stream);
    free((void *)room->result.cell);
    free((void *)room->result.place);
    free((void *)room->result.value);
    free(room);
}

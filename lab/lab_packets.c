// packets.csv: a row for each thing that becomes of an IP packet: sent by its end, passed between
// GGSN and SGSN (the place of gn.pcap), arrived, lost. Context, direction and identification say
// which packet; the row of its sending has what its sender put into it. lab_packets.def has the
// columns.
#include "lab/hosts/flow_packet.h"
#include "lab/lab_parts.h"
#include "lab/base/table.h"

struct packet_event {
    const char *name;
    struct ledger_key key;
    const struct ledger_place *place; // of a loss, with the reason's number there
    uint32_t own;
    uint32_t octets; // of a sending
    const struct flow_packet *packet;
};

static bool is_down(const struct packet_event *event)
{
    return event->key.way == LEDGER_DOWN;
}

static bool is_tcp(const struct packet_event *event)
{
    return event->packet && event->packet->ip.protocol == FLOW_PROTOCOL_TCP;
}

static uint32_t ms_address(const struct packet_event *event)
{
    return is_down(event) ? event->packet->ip.destination : event->packet->ip.source;
}

static const char *address_text(uint32_t address, char room[TABLE_ROOM])
{
    snprintf(room, TABLE_ROOM, "%u.%u.%u.%u", address >> 24, address >> 16 & 255,
             address >> 8 & 255, address & 255);
    return room;
}

#define TABLE_FILE  "lab/lab_packets.def"
#define TABLE_OWNER const struct lab *lab
#include "lab/base/table_make.h"

void lab_packets_start(struct lab *lab)
{
    if (lab->out.packets)
        table_csv_head(&lab_table_packets, lab->out.packets);
}

static void put(const struct lab *lab, const struct packet_event *event)
{
    table_csv_row(&lab_table_packets, lab, event, lab->out.packets);
}

void lab_packet_sent(struct lab *lab, struct ledger_key key, const uint8_t *ip, uint32_t octets)
{
    struct flow_packet packet;
    if (!lab->out.packets)
        return;
    bool taken = flow_packet_decode(&packet, ip, octets) == FLOW_TAKEN;
    put(lab, &(struct packet_event){
                 .name = "sent", .key = key, .octets = octets, .packet = taken ? &packet : NULL});
}

void lab_packet_met(struct lab *lab, const char *event, struct ledger_key key)
{
    if (lab->out.packets)
        put(lab, &(struct packet_event){.name = event, .key = key});
}

void lab_packet_lost(struct lab *lab, struct ledger_key key, uint32_t reason)
{
    struct packet_event event = {.name = "lost", .key = key};
    if (!lab->out.packets)
        return;
    event.place = ledger_place_of(&lab->ledger, reason, &event.own);
    put(lab, &event);
}

// packets.csv: a row for each thing that becomes of an IP packet: sent by its end, passed between
// GGSN and SGSN (the place of gn.pcap), arrived, lost. Context, direction and identification say
// which packet; the row of its sending has what its sender put into it. lab/report/README.md has
// the columns.
#include "lab/hosts/flow_packet.h"
#include "lab/lab_parts.h"
#include "lab/base/csv.h"

void lab_packets_start(struct lab *lab)
{
    struct csv csv = {.out = lab->out.packets};
    if (!csv.out)
        return;
    csv_head(&csv, "time_s,event,context,direction,ip_id,place,reason,octets,ms_address,ms_port,"
                   "host_port,sequence,acknowledgement,flags,data_octets");
    csv_end(&csv);
}

static void put_event(struct csv *csv, const char *event, struct ledger_key key, uint64_t now_ns)
{
    csv_decimal(csv, now_ns, 9);
    csv_text(csv, event);
    csv_number(csv, key.context);
    csv_text(csv, ledger_way_names[key.way]);
    csv_number(csv, key.id);
}

static void put_none(struct csv *csv, int cells)
{
    for (int i = 0; i < cells; i++)
        csv_none(csv);
}

static void put_content(struct csv *csv, const struct flow_packet *packet, enum ledger_way way)
{
    bool down = way == LEDGER_DOWN;
    uint32_t address = down ? packet->ip.destination : packet->ip.source;
    char text[16];
    snprintf(text, sizeof text, "%u.%u.%u.%u", address >> 24, address >> 16 & 255,
             address >> 8 & 255, address & 255);
    csv_text(csv, text);
    csv_number(csv, down ? packet->destination_port : packet->source_port);
    csv_number(csv, down ? packet->source_port : packet->destination_port);
    if (packet->ip.protocol != FLOW_PROTOCOL_TCP) {
        put_none(csv, 4);
        return;
    }
    csv_number(csv, packet->tcp.sequence);
    csv_number(csv, packet->tcp.acknowledgement);
    csv_number(csv, packet->tcp.flags);
    csv_number(csv, packet->tcp.payload.n);
}

void lab_packet_sent(struct lab *lab, struct ledger_key key, const uint8_t *ip, uint32_t octets)
{
    struct csv csv = {.out = lab->out.packets};
    struct flow_packet packet;
    if (!csv.out)
        return;
    put_event(&csv, "sent", key, engine_now_ns(lab->engine));
    put_none(&csv, 2);
    csv_number(&csv, octets);
    if (flow_packet_decode(&packet, ip, octets) == FLOW_TAKEN)
        put_content(&csv, &packet, key.way);
    else
        put_none(&csv, 7);
    csv_end(&csv);
}

void lab_packet_met(struct lab *lab, const char *event, struct ledger_key key)
{
    struct csv csv = {.out = lab->out.packets};
    if (!csv.out)
        return;
    put_event(&csv, event, key, engine_now_ns(lab->engine));
    put_none(&csv, 10);
    csv_end(&csv);
}

void lab_packet_lost(struct lab *lab, struct ledger_key key, uint32_t reason)
{
    struct csv csv = {.out = lab->out.packets};
    uint32_t own;
    if (!csv.out)
        return;
    const struct ledger_place *place = ledger_place_of(&lab->ledger, reason, &own);
    put_event(&csv, "lost", key, engine_now_ns(lab->engine));
    csv_text(&csv, place->name);
    csv_text(&csv, place->reasons[own]);
    put_none(&csv, 8);
    csv_end(&csv);
}

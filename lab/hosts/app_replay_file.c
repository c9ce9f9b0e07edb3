// The reader of app_replay.h. The file is hostile: libpcap bounds its records, and an IP packet's
// length is its header's only as far as the record goes on the line.
#include <pcap/pcap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "dataplane/wire/bytes.h"
#include "lab/base/rows.h"
#include "lab/engine/need.h"
#include "lab/hosts/app_replay.h"

#define ETHER_OCTETS  14
#define COOKED_OCTETS 16
#define TYPE_IPV4     0x0800
#define TYPE_IPV6     0x86dd
#define IPV4_LEAST    20
#define IPV6_HEADER   40

// A link type, the octets before the IP packet, and where the EtherType is; 0: there is none.
static const struct link_type {
    int dlt;
    uint32_t octets, type_at;
} link_types[] = {
    {DLT_EN10MB, ETHER_OCTETS, ETHER_OCTETS - 2},
    {DLT_LINUX_SLL, COOKED_OCTETS, COOKED_OCTETS - 2},
    {DLT_RAW, 0, 0},
    {DLT_IPV4, 0, 0},
};

static const struct link_type *link_type_of(int dlt)
{
    for (uint32_t i = 0; i < sizeof link_types / sizeof link_types[0]; i++)
        if (link_types[i].dlt == dlt)
            return &link_types[i];
    return NULL;
}

// The length of the record's IP packet; 0: it has none.
static uint32_t ip_octets(const struct link_type *link, const struct pcap_pkthdr *record,
                          const uint8_t *b)
{
    if (record->caplen < link->octets + IPV4_LEAST || record->len < record->caplen)
        return 0;
    uint16_t type = link->type_at ? get_be16(b + link->type_at) : 0;
    const uint8_t *ip = b + link->octets;
    uint32_t most = record->len - link->octets, octets;
    if (ip[0] >> 4 == 4 && (!link->type_at || type == TYPE_IPV4))
        octets = get_be16(ip + 2);
    else if (ip[0] >> 4 == 6 && (!link->type_at || type == TYPE_IPV6))
        octets = get_be16(ip + 4) + IPV6_HEADER;
    else
        return 0;
    return octets >= IPV4_LEAST && octets <= most ? octets : most;
}

static void append(struct replay_file *file, uint32_t *room, struct replay_packet packet)
{
    if (file->packets == *room) {
        *room = *room ? 2 * *room : 1024;
        file->packet = need(realloc(file->packet, *room * sizeof *file->packet));
    }
    file->packet[file->packets++] = packet;
}

static void add_packet(struct replay_file *file, uint32_t *room, uint64_t at_ns, uint32_t octets)
{
    uint32_t size = octets < FLOW_DATAGRAM_LEAST ? FLOW_DATAGRAM_LEAST : octets;
    size = size > APP_OCTETS_MOST ? APP_OCTETS_MOST : size;
    file->resized += size != octets;
    if (file->packets && at_ns < file->packet[file->packets - 1].at_ns) {
        at_ns = file->packet[file->packets - 1].at_ns;
        file->early++;
    }
    append(file, room, (struct replay_packet){at_ns, size});
}

// With nanosecond precision libpcap has nanoseconds in tv_usec; both parts are the file's.
static bool time_of(const struct pcap_pkthdr *record, uint64_t *t_ns)
{
    uint64_t s = (uint64_t)record->ts.tv_sec, ns = (uint64_t)record->ts.tv_usec;
    *t_ns = s * S_IN_NS + ns;
    return s <= UINT32_MAX && ns < S_IN_NS;
}

// Returns NULL, or what is wrong with the file.
static const char *read_packets(struct replay_file *file, pcap_t *pcap, uint64_t first_ns)
{
    const struct link_type *link = link_type_of(pcap_datalink(pcap));
    struct pcap_pkthdr *record;
    const uint8_t *octets;
    uint32_t room = 0;
    uint64_t t_ns;
    int more;
    if (!link)
        return "its link type is neither Ethernet nor Linux cooked nor raw IP";
    while ((more = pcap_next_ex(pcap, &record, &octets)) == 1) {
        uint32_t n = ip_octets(link, record, octets);
        file->left_out += n == 0;
        if (n == 0)
            continue;
        if (!time_of(record, &t_ns))
            return "a packet's time is out of range";
        if (file->packets == APP_REPLAY_PACKETS_MOST)
            return "more than 10000000 packets";
        first_ns = file->packets ? first_ns : t_ns;
        add_packet(file, &room, t_ns > first_ns ? t_ns - first_ns : 0, n);
    }
    if (more == PCAP_ERROR)
        return pcap_geterr(pcap);
    if (!file->packets)
        return "no IP packets";
    return file->packet[file->packets - 1].at_ns > APP_TIME_MOST ? "longer than 1000000 s" : NULL;
}

struct replay_file *app_replay_read(const char *name, char error[APP_ERROR_ROOM])
{
    char reason[PCAP_ERRBUF_SIZE] = "";
    struct stat about;
    if (stat(name, &about) == 0 && !S_ISREG(about.st_mode)) { // a pipe would wait for its writer
        snprintf(error, APP_ERROR_ROOM, "replay: %.200s: not a regular file", name);
        return NULL;
    }
    pcap_t *pcap =
        pcap_open_offline_with_tstamp_precision(name, PCAP_TSTAMP_PRECISION_NANO, reason);
    if (!pcap) {
        snprintf(error, APP_ERROR_ROOM, "replay: %.200s", reason);
        return NULL;
    }
    struct replay_file *file = need(calloc(1, sizeof *file));
    file->name = need(strdup(name));
    const char *fault = read_packets(file, pcap, 0);
    if (fault) {
        snprintf(error, APP_ERROR_ROOM, "replay: %.120s: %.100s", name, fault);
        app_replay_free(file);
        file = NULL;
    }
    pcap_close(pcap);
    return file;
}

// ---- Files of packets ----

struct flows_reader {
    struct replay_file *file;
    uint32_t room;
};

// NULL, or what is wrong with it, and with it behind those before.
static const char *read_row(const struct replay_file *file, char *rest, uint64_t *flow,
                            struct replay_packet *packet)
{
    uint64_t at_ns, octets;
    const struct replay_packet *last = file->packets ? &file->packet[file->packets - 1] : NULL;
    if (!rows_number(&rest, 1, APP_REPLAY_FLOWS_MOST, flow) || *flow < file->flows ||
        *flow > file->flows + 1)
        return "flow: a number from 1 on, each flow behind the one before";
    if (!rows_number(&rest, 0, APP_TIME_MOST, &at_ns) ||
        (last && *flow == file->flows && at_ns < last->at_ns))
        return "time_ns: a number up to 1000000000000000, not before the flow's last one";
    if (!rows_number(&rest, FLOW_DATAGRAM_LEAST, APP_OCTETS_MOST, &octets))
        return "octets: a number from 32 to 1500";
    *packet = (struct replay_packet){at_ns, (uint32_t)octets};
    return rest ? "more columns than the head has" : NULL;
}

static const char *take_row(void *self, char *text)
{
    struct flows_reader *reader = self;
    struct replay_file *file = reader->file;
    struct replay_packet packet;
    uint64_t flow;
    const char *fault = read_row(file, text, &flow, &packet);
    if (fault)
        return fault;
    if (file->packets == APP_REPLAY_PACKETS_MOST)
        return "more than 10000000 packets";
    if (flow > file->flows) {
        file->begin = need(realloc(file->begin, (flow + 2) * sizeof *file->begin));
        file->begin[flow] = file->packets;
        file->flows++;
    }
    append(file, &reader->room, packet);
    return NULL;
}

struct replay_file *app_replay_read_flows(const char *name, char error[APP_ERROR_ROOM])
{
    struct flows_reader reader = {.file = need(calloc(1, sizeof *reader.file))};
    struct replay_file *file = reader.file;
    uint32_t line;
    file->name = need(strdup(name));
    const char *fault = rows_read(name, REPLAY_HEAD, take_row, &reader, &line);
    fault = !fault && !file->packets ? "no packets" : fault;
    if (!fault) {
        file->begin[file->flows + 1] = file->packets;
        return file;
    }
    rows_fault("replay", name, line, fault, error, APP_ERROR_ROOM);
    app_replay_free(file);
    return NULL;
}

void app_replay_free(struct replay_file *first)
{
    while (first) {
        struct replay_file *next = first->next;
        free(first->begin);
        free(first->packet);
        free(first->name);
        free(first);
        first = next;
    }
}

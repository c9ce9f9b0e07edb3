// gi_capture FILE FLOWS LIVE ROUNDS SEGMENT SNAP: a capture for bench/gi_file.py, of downloads over
// GPRS. So many flows, so many of which live at once, four of each user; a flow has a set-up, a
// request, ROUNDS of eight segments of so many octets (IP) with an ACK for each two of them, and
// two FINs. In each twelfth round the third segment is lost behind the capture: duplicate ACKs with
// SACK, a repetition, and an ACK of all. Data are zeros; every checksum is right.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dataplane/base/units.h"
#include "dataplane/wire/bytes.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/tcp.h"

#define HOST         0xcb007109 // 203.0.113.9
#define FIRST_USER   0x0a000000
#define USER_FLOWS   4
#define REQUEST      300
#define LINK_RAW     101
#define FRAME_MOST   65536
#define LOSSY_ROUNDS 12

// A packet of a round: when, behind the round's first; which segment comes, or up to which an ACK
// goes; up to which SACK does, from the fourth on.
struct part {
    uint16_t at_ms;
    bool down;
    uint8_t segment, sacked;
};
static const struct part smooth[] = {{0, true, 0, 0},     {1, true, 1, 0},     {2, true, 2, 0},
                                     {3, true, 3, 0},     {4, true, 4, 0},     {5, true, 5, 0},
                                     {6, true, 6, 0},     {7, true, 7, 0},     {800, false, 2, 0},
                                     {1100, false, 4, 0}, {1400, false, 6, 0}, {1700, false, 8, 0}};
static const struct part lossy[] = {
    {0, true, 0, 0},     {1, true, 1, 0},     {2, true, 2, 0},     {3, true, 3, 0},
    {4, true, 4, 0},     {5, true, 5, 0},     {6, true, 6, 0},     {7, true, 7, 0},
    {800, false, 2, 0},  {1000, false, 2, 4}, {1100, false, 2, 5}, {1200, false, 2, 6},
    {1300, false, 2, 7}, {1400, false, 2, 8}, {1450, true, 2, 0},  {2400, false, 8, 0}};
#define ROUND_NS  (1800 * MS_IN_NS)
#define LOSSY_NS  (2500 * MS_IN_NS)
#define SEGMENTS  8
#define PARTS(of) (sizeof(of) / sizeof(of)[0])

struct flow {
    uint64_t next_ns, round_ns;
    uint32_t number, round, part;
};

static struct {
    FILE *file;
    uint32_t flows, rounds, data_octets, snap;
    uint64_t packets;
    uint8_t frame[16 + FRAME_MOST];
} all;

static void put(const struct flow *flow, bool down, uint8_t flags, uint32_t sequence, uint32_t ack,
                uint32_t data_octets, const uint32_t sack[2])
{
    uint32_t head = TCP_OCTETS + (sack ? 12 : 0), length = IPV4_OCTETS + head + data_octets;
    uint32_t user = FIRST_USER + flow->number / USER_FLOWS;
    uint16_t port = (uint16_t)(40000 + flow->number % USER_FLOWS);
    struct ipv4 ip = {.ttl = 64,
                      .protocol = IPV4_PROTOCOL_TCP,
                      .id = (uint16_t)++all.packets,
                      .source = down ? HOST : user,
                      .destination = down ? user : HOST};
    uint32_t captured = length < all.snap ? length : all.snap;
    uint32_t record[4] = {(uint32_t)(flow->next_ns / S_IN_NS),
                          (uint32_t)(flow->next_ns % S_IN_NS / 1000), captured, length};
    uint8_t *b = all.frame + sizeof record, *t = b + IPV4_OCTETS;
    memcpy(all.frame, record, sizeof record);
    ipv4_put_header(&ip, length - IPV4_OCTETS, b);
    put_be16(t, down ? 80 : port);
    put_be16(t + 2, down ? port : 80);
    put_be32(t + 4, sequence);
    put_be32(t + 8, ack);
    t[12] = (uint8_t)(head / 4 << 4);
    t[13] = flags;
    put_be16(t + 14, 16384);
    memset(t + 16, 0, head - 16 + data_octets);
    if (sack) {
        put_be32(t + 20, 0x0101050a);
        put_be32(t + 24, sack[0]);
        put_be32(t + 28, sack[1]);
    }
    tcp_put_checksum(t, length - IPV4_OCTETS, ip.source, ip.destination);
    fwrite(all.frame, sizeof record + captured, 1, all.file);
}

static void put_part(const struct flow *flow, const struct part *part)
{
    uint32_t first = 1 + flow->round * SEGMENTS * all.data_octets;
    uint32_t number = first + part->segment * all.data_octets;
    uint32_t sack[2] = {first + 3 * all.data_octets, first + part->sacked * all.data_octets};
    if (part->down)
        put(flow, true, TCP_ACK, number, 1 + REQUEST, all.data_octets, NULL);
    else
        put(flow, false, TCP_ACK, 1 + REQUEST, number, 0, part->sacked ? sack : NULL);
}

// Before and behind the rounds; the packet's number counts from 0.
static void put_setup(const struct flow *flow)
{
    static const struct {
        bool down;
        uint8_t flags, sequence, ack;
    } ends[] = {{false, TCP_SYN, 0, 0}, {true, TCP_SYN | TCP_ACK, 0, 1}, {false, TCP_ACK, 1, 1}};
    if (flow->part < 3)
        put(flow, ends[flow->part].down, ends[flow->part].flags, ends[flow->part].sequence,
            ends[flow->part].ack, 0, NULL);
    else
        put(flow, false, TCP_ACK, 1, 1, REQUEST, NULL);
}

static void put_end(const struct flow *flow)
{
    uint32_t last = 1 + all.rounds * SEGMENTS * all.data_octets;
    if (flow->part == 0)
        put(flow, true, TCP_ACK | TCP_FIN, last, 1 + REQUEST, 0, NULL);
    else if (flow->part == 1)
        put(flow, false, TCP_ACK | TCP_FIN, 1 + REQUEST, last + 1, 0, NULL);
    else
        put(flow, true, TCP_ACK, last + 1, 2 + REQUEST, 0, NULL);
}

// The flow's next packet. False: that was the last.
static bool step(struct flow *flow)
{
    static const uint16_t setup_ms[] = {80, 650, 660, 1500}, end_ms[] = {600, 700};
    if (flow->round == UINT32_MAX) {
        put_setup(flow);
        flow->next_ns = flow->round_ns + setup_ms[flow->part] * MS_IN_NS;
        if (++flow->part < PARTS(setup_ms))
            return true;
        flow->round_ns = flow->next_ns;
        flow->round = flow->part = 0;
        return true;
    }
    if (flow->round == all.rounds) {
        put_end(flow);
        if (flow->part == PARTS(end_ms))
            return false;
        flow->next_ns = flow->round_ns + end_ms[flow->part++] * MS_IN_NS;
        return true;
    }
    bool is_lossy = flow->round % LOSSY_ROUNDS == LOSSY_ROUNDS - 1;
    const struct part *parts = is_lossy ? lossy : smooth;
    put_part(flow, &parts[flow->part]);
    if (++flow->part < (is_lossy ? PARTS(lossy) : PARTS(smooth))) {
        flow->next_ns = flow->round_ns + parts[flow->part].at_ms * MS_IN_NS;
        return true;
    }
    flow->round_ns += is_lossy ? LOSSY_NS : ROUND_NS;
    flow->next_ns = flow->round_ns;
    flow->round++;
    flow->part = 0;
    return true;
}

// ---- The flows that live, a heap by their next packet ----

static void sift(struct flow *heap, uint32_t n, uint32_t i)
{
    for (uint32_t least = i;; i = least) {
        for (uint32_t child = 2 * i + 1; child <= 2 * i + 2 && child < n; child++)
            if (heap[child].next_ns < heap[least].next_ns)
                least = child;
        if (least == i)
            return;
        struct flow flow = heap[i];
        heap[i] = heap[least];
        heap[least] = flow;
    }
}

static struct flow begun(uint32_t number, uint64_t now_ns)
{
    return (struct flow){now_ns, now_ns, number, UINT32_MAX, 0};
}

static void put_all(struct flow *heap, uint32_t n)
{
    uint64_t begin_ns = 1000000000 * S_IN_NS, apart_ns = ROUND_NS / n;
    uint32_t next = 0;
    for (; next < n; next++) // in the order of their times, which is a heap
        heap[next] = begun(next, begin_ns + next * apart_ns);
    while (n) {
        uint64_t now_ns = heap[0].next_ns;
        if (!step(&heap[0]))
            heap[0] = next < all.flows ? begun(next++, now_ns + apart_ns) : heap[--n];
        sift(heap, n, 0);
    }
}

static char file_room[4096]; // as tcpdump has it

static uint32_t number(const char *text)
{
    return (uint32_t)strtoul(text, NULL, 10);
}

int main(int argc, char **argv)
{
    if (argc != 7)
        return 2;
    all.file = fopen(argv[1], "wbe");
    all.flows = number(argv[2]);
    uint32_t live = number(argv[3]), segment = number(argv[5]);
    all.rounds = number(argv[4]);
    all.snap = number(argv[6]);
    struct flow *heap = calloc(live, sizeof *heap);
    if (!all.file || !heap || live == 0 || live > all.flows || segment > FRAME_MOST ||
        segment <= IPV4_OCTETS + TCP_OCTETS)
        return 1;
    all.data_octets = segment - IPV4_OCTETS - TCP_OCTETS;
    setvbuf(all.file, file_room, _IOFBF, sizeof file_room);
    uint32_t head[6] = {0xa1b2c3d4, 4 << 16 | 2, 0, 0, FRAME_MOST, LINK_RAW};
    fwrite(head, sizeof head, 1, all.file);
    put_all(heap, live);
    free(heap);
    printf("%llu\n", (unsigned long long)all.packets);
    return fclose(all.file) != 0;
}

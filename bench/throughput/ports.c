// See ports.h.
#include "bench/throughput/ports.h"

#include <errno.h>
#include <rte_alarm.h>
#include <rte_dev.h>
#include <rte_ethdev.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dataplane/port/port.h"

#define DEVICES_MAX     4
#define END_BUFFERS     16383u
#define END_DESCRIPTORS 1024
#define MTU_OCTETS      1600
#define PACKET_OCTETS   1500
// The kernel's devices take no more than this, and not every NIC does.
#define ETHERNET_MTU_OCTETS    1500
#define ETHERNET_PACKET_OCTETS 1400
#define LINK_TRIES             300
#define LINK_WAIT_US           10000

static bool wrong(const char *text, const char *why)
{
    fprintf(stderr, "sluice bench: --ports %s: %s\n", text, why);
    return false;
}

static void memif(struct ports *p, enum stats_side side)
{
    snprintf(p->ours[side], PORTS_TEXT, "net_memif%d,role=server,id=%d,socket=sluice_bench_%d",
             2 * side, side, getpid());
    snprintf(p->theirs[side], PORTS_TEXT, "net_memif%d,role=client,id=%d,socket=sluice_bench_%d",
             2 * side + 1, side, getpid());
}

static bool pcap(struct ports *p, const char *text)
{
    p->pcap = text + strlen("pcap:");
    p->by_itself = true;
    int n = snprintf(p->ours[STATS_GN], PORTS_TEXT, "net_pcap0,rx_pcap=%s,infinite_rx=1", p->pcap);
    if (*p->pcap == 0 || n >= PORTS_TEXT || strchr(p->pcap, ','))
        return wrong(text, "the file's name has to be there, short, and without a comma");
    return true;
}

// A device's arguments come behind commas as well; they have an '='.
static bool begins_device(const char *at)
{
    size_t n = strcspn(at, ",");
    return n > 0 && !memchr(at, '=', n);
}

// Returns how many; 0: too many, or none.
static uint32_t split(const char *text, char device[DEVICES_MAX][PORTS_TEXT])
{
    uint32_t n = 0;
    for (const char *at = text, *end; *at; at = *end ? end + 1 : end) {
        end = at + strcspn(at, ",");
        while (*end && !begins_device(end + 1))
            end += 1 + strcspn(end + 1, ",");
        if (n == DEVICES_MAX || end - at >= PORTS_TEXT || !begins_device(at))
            return 0;
        snprintf(device[n++], PORTS_TEXT, "%.*s", (int)(end - at), at);
    }
    return n;
}

// 0000:01:00.0 or 01:00.0
static bool is_pci(const char *device)
{
    return strchr(device, ':') && strchr(device, '.') &&
           strspn(device, "0123456789abcdefABCDEF") >= 2;
}

static bool devices(struct ports *p, const char *text)
{
    char device[DEVICES_MAX][PORTS_TEXT];
    char *place[] = {p->ours[STATS_GN], p->theirs[STATS_GN], p->ours[STATS_GB],
                     p->theirs[STATS_GB]};
    uint32_t n = split(text, device);
    if (n == 0 || n == 3)
        return wrong(text, "found neither ring, memif, pcap:FILE nor one, two or four DPDK devices "
                           "with commas between them");
    for (uint32_t i = 0; i < n; i++) {
        if (!is_pci(device[i]) && strncmp(device[i], "net_", 4) != 0)
            return wrong(device[i], "found neither a PCI address nor a device of DPDK (net_...)");
        p->nic |= is_pci(device[i]);
        memcpy(place[i], device[i], PORTS_TEXT);
    }
    p->by_itself = n == 1;
    p->ethernet = true;
    if (!p->nic)
        p->packet_octets_max = ETHERNET_PACKET_OCTETS;
    return true;
}

void ports_fit(struct ports *p, uint32_t packet_octets)
{
    if (p->ethernet && packet_octets <= ETHERNET_PACKET_OCTETS)
        p->mtu_octets = ETHERNET_MTU_OCTETS;
}

bool ports_parse(struct ports *p, const char *text)
{
    *p = (struct ports){.mtu_octets = MTU_OCTETS, .queues = 1, .packet_octets_max = PACKET_OCTETS};
    for (int side = 0; side < STATS_SIDES; side++)
        snprintf(p->ours[side], PORTS_TEXT, "%s", PORT_DEVICE_RING);
    if (strcmp(text, "ring") == 0)
        return true;
    if (strncmp(text, "pcap:", 5) == 0)
        return pcap(p, text);
    if (strcmp(text, "memif") != 0)
        return devices(p, text);
    memif(p, STATS_GN);
    memif(p, STATS_GB);
    return true;
}

// ---- The pcap file: microsecond stamps, all 0, in the byte order of this machine ----

// A packet of the file: whose it is, and how many that MS has before it.
struct drawn {
    uint32_t ms, before;
};

// Returns how many the MS has that has fewest.
static uint32_t draw(struct drawn *drawn, uint32_t *count, uint32_t mss)
{
    uint64_t random = 1;
    uint32_t fewest = UINT32_MAX;
    for (uint32_t i = 0; i < PORTS_PCAP_FRAMES; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u; // Knuth's MMIX
        uint32_t ms = (uint32_t)((random >> 33) % mss);
        drawn[i] = (struct drawn){ms, count[ms]++};
    }
    for (uint32_t ms = 0; ms < mss; ms++)
        fewest = count[ms] < fewest ? count[ms] : fewest;
    return fewest;
}

// Writes the octets; of a file that is there already, looks whether it has them.
static bool put(FILE *file, bool is_there, const void *octets, uint32_t n)
{
    uint8_t found[FRAMES_OCTETS_MAX];
    if (!is_there)
        return fwrite(octets, n, 1, file) == 1;
    return fread(found, n, 1, file) == 1 && memcmp(found, octets, n) == 0;
}

static bool put_records(FILE *file, bool is_there, const struct frames *frames,
                        const uint32_t *teid, const struct drawn *drawn)
{
    const uint32_t head[6] = {0xa1b2c3d4, 4 << 16 | 2, 0, 0, 65535, 1};
    bool good = put(file, is_there, head, sizeof head);
    for (uint32_t i = 0; i < PORTS_PCAP_FRAMES && good; i++) {
        uint8_t octets[FRAMES_OCTETS_MAX];
        uint32_t turn = i % frames->weights, size = 0;
        while (turn >= frames->weight[size])
            turn -= frames->weight[size++];
        const struct frame *frame = &frames->frame[size];
        const uint32_t record[4] = {0, 0, frame->n, frame->n};
        frames_put(frames, frame, teid[drawn[i].ms], drawn[i].before, octets);
        good = put(file, is_there, record, sizeof record) && put(file, is_there, octets, frame->n);
    }
    return good && (!is_there || getc(file) == EOF);
}

static bool write_pcap(const struct ports *p, const struct frames *frames, const uint32_t *teid,
                       const struct drawn *drawn)
{
    bool is_there = access(p->pcap, F_OK) == 0;
    FILE *file = fopen(p->pcap, is_there ? "rbe" : "wbe");
    if (!file)
        return wrong(p->pcap, strerror(errno));
    bool good = put_records(file, is_there, frames, teid, drawn);
    good &= fclose(file) == 0;
    return good || wrong(p->pcap, is_there ? "this file has other packets than --ms, --size and "
                                             "--flows make; give another name, or remove it"
                                           : strerror(errno));
}

bool ports_write_pcap(const struct ports *p, const struct frames *frames, const uint32_t *teid,
                      uint32_t mss)
{
    struct drawn *drawn = calloc(PORTS_PCAP_FRAMES, sizeof *drawn);
    uint32_t *count = calloc(mss, sizeof *count);
    if (!drawn || !count)
        abort();
    bool good = draw(drawn, count, mss) >= frames->flows ||
                wrong(p->pcap, "a file has too few packets for --flows of each MS; give less --ms");
    good = good && write_pcap(p, frames, teid, drawn);
    free(drawn);
    free(count);
    return good;
}

// ---- The ends ----

static int start(const struct port_end *end, uint16_t mtu_octets)
{
    struct rte_eth_conf conf = {0};
    uint16_t id = end->device, rx = END_DESCRIPTORS, tx = END_DESCRIPTORS;
    int fault = rte_eth_dev_configure(id, end->queues, end->queues, &conf);
    if (!fault)
        fault = rte_eth_dev_adjust_nb_rx_tx_desc(id, &rx, &tx);
    rte_eth_dev_set_mtu(id, mtu_octets); // one that cannot be told may do with what it has
    for (uint16_t q = 0; q < end->queues && !fault; q++)
        fault = rte_eth_rx_queue_setup(id, q, rx, SOCKET_ID_ANY, NULL, end->pool)
                    ?: rte_eth_tx_queue_setup(id, q, tx, SOCKET_ID_ANY, NULL);
    if (!fault)
        fault = rte_eth_dev_start(id);
    rte_eth_promiscuous_enable(id); // what Sluice sends is for others' addresses
    return fault;
}

// A queue for each worker, if it has as many: over memif what is sent on one comes to the queue of
// its number. Over a cable the NIC at the other end chooses.
static uint16_t queues_of(uint16_t id, uint16_t wanted)
{
    struct rte_eth_dev_info info;
    if (rte_eth_dev_info_get(id, &info) != 0)
        return 1;
    uint16_t most = RTE_MIN(info.max_rx_queues, info.max_tx_queues);
    return RTE_MAX(RTE_MIN(wanted, most), (uint16_t)1);
}

static bool open_device(struct port_end *end, const struct ports *p, enum stats_side side)
{
    const char *device = p->theirs[side];
    struct rte_dev_iterator iterator;
    char name[RTE_ETH_NAME_MAX_LEN];
    uint16_t id;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(device, ","), device);
    int fault = rte_dev_probe(device);
    if (fault && fault != -EEXIST)
        return wrong(device, "DPDK cannot open this device; look whether its driver is installed, "
                             "and a NIC bound to vfio-pci");
    RTE_ETH_FOREACH_MATCHING_DEV(id, name, &iterator)
    {
        rte_eth_iterator_cleanup(&iterator);
        end->device = id;
        break;
    }
    if (end->device == RTE_MAX_ETHPORTS)
        return wrong(device, "this is no Ethernet device");
    snprintf(name, sizeof name, "bench_%s", stats_side_names[side]);
    end->pool = port_pool(name, END_BUFFERS, MTU_OCTETS, false);
    end->own = true;
    end->vlan = p->vlan;
    end->queues = queues_of(end->device, p->queues);
    if (!end->pool)
        return wrong(device, "there is too little memory for the generator's buffers");
    fault = start(end, p->mtu_octets);
    return fault == 0 || wrong(device, strerror(-fault));
}

bool port_end_open(struct port_end *end, const struct ports *p, enum stats_side side,
                   const struct dp *dp, uint32_t worker, const struct port_end *first)
{
    struct dp_far_end far = dp_far_end(dp, side, worker);
    *end = (struct port_end){.to_port = far.to_port,
                             .from_port = far.from_port,
                             .device = RTE_MAX_ETHPORTS,
                             .pool = far.to_port ? far.pool : NULL};
    if (far.to_port || p->theirs[side][0] == 0)
        return true;
    if (!first)
        return open_device(end, p, side);
    *end = *first;
    end->own = false;
    end->queue = (uint16_t)(worker % first->queues);
    return true;
}

static void note(void *done)
{
    __atomic_store_n((bool *)done, true, __ATOMIC_RELEASE);
}

// Until the EAL's interrupt thread has worked off what it has been told: an alarm is its work, too,
// and a second one comes behind all that was there before the first.
static void settle_interrupts(void)
{
    for (int alarm = 0; alarm < 2; alarm++) {
        bool done = false;
        if (rte_eal_alarm_set(1, note, &done) != 0)
            return;
        while (!__atomic_load_n(&done, __ATOMIC_ACQUIRE))
            usleep(100);
    }
}

// If this process has both ends of a net_memif, that thread takes the other end down when this end
// closes, and the driver does not expect a concurrent close.
void port_end_close(struct port_end *end)
{
    struct rte_eth_dev_info info;
    if (end->device < RTE_MAX_ETHPORTS && end->own) {
        bool known = rte_eth_dev_info_get(end->device, &info) == 0;
        rte_eth_dev_stop(end->device);
        rte_eth_dev_close(end->device);
        if (known && info.device)
            rte_dev_remove(info.device);
        settle_interrupts();
    }
    if (end->own)
        rte_mempool_free(end->pool);
    *end = (struct port_end){.device = RTE_MAX_ETHPORTS};
}

bool port_end_ready(const struct port_end *end)
{
    struct rte_eth_link link = {0};
    if (end->device == RTE_MAX_ETHPORTS)
        return true;
    for (int i = 0; i < LINK_TRIES; i++) {
        if (rte_eth_link_get_nowait(end->device, &link) == 0 && link.link_status)
            return true;
        usleep(LINK_WAIT_US);
    }
    return false;
}

// What the port refuses keeps its tag, and is given up.
static void put_tags(struct rte_mbuf **m, uint32_t n, uint16_t vlan)
{
    for (uint32_t i = 0; i < n; i++) {
        m[i]->vlan_tci = vlan;
        rte_vlan_insert(&m[i]);
    }
}

uint32_t port_end_send(const struct port_end *end, struct rte_mbuf **m, uint32_t n)
{
    if (end->to_port)
        return rte_ring_enqueue_burst(end->to_port, (void **)m, n, NULL);
    if (end->device == RTE_MAX_ETHPORTS)
        return 0;
    if (end->vlan)
        put_tags(m, n, end->vlan);
    return rte_eth_tx_burst(end->device, end->queue, m, (uint16_t)n);
}

uint32_t port_end_receive(const struct port_end *end, struct rte_mbuf **m, uint32_t n)
{
    if (end->from_port)
        return rte_ring_dequeue_burst(end->from_port, (void **)m, n, NULL);
    return end->device < RTE_MAX_ETHPORTS
               ? rte_eth_rx_burst(end->device, end->queue, m, (uint16_t)n)
               : 0;
}

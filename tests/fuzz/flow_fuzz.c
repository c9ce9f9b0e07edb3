// Flows of the lab's hosts over UDP, ICMP and TCP, under a row of steps: packets of the input for
// either end, what the applications do, and time that goes on. Every packet that arrives is taken
// or counted with a reason. A packet's addresses, ports, checksums and content are put right where
// the first octet of its step says so.
#include <string.h>

#include "lab/hosts/flow_table.h"
#include "lab/net/link.h"
#include "tests/fuzz/check.h"

enum { FLOWS = 3, PACKET_MOST = 1500, HOST = 0x0b007109, MS = 0x0a000007, PORT = 2000 };
enum { STEP_KINDS = 8, REPAIR = 8, AT_MS = 16, CONTENT = 32 };

static const uint8_t protocols[FLOWS] = {17, 1, 6};
static struct engine *engine;
static struct link links[FLOW_ENDS];
static struct flow_table table;
static struct flow *flows[FLOWS];
static uint64_t arrived[FLOW_ENDS], told_octets[FLOW_ENDS];

static void send(void *self, struct flow *flow, enum flow_end from, const uint8_t *ip,
                 uint32_t octets, uint64_t now_ns)
{
    (void)self, (void)flow;
    link_send(&links[from], ip, octets, now_ns);
}

static uint16_t next_id(void *self, struct flow *flow, enum flow_end from)
{
    (void)self, (void)flow, (void)from;
    return 1;
}

static void received(void *self, struct flow *flow, enum flow_end at, uint32_t number,
                     uint64_t octets, uint64_t now_ns)
{
    (void)self, (void)flow, (void)number, (void)now_ns;
    told_octets[at] += octets;
}

static void ended(void *self, struct flow *flow, uint64_t now_ns)
{
    (void)flow, (void)now_ns;
    *(struct flow **)self = NULL;
}

static void arrive(enum flow_end at, const uint8_t *ip, uint32_t octets)
{
    enum flow_fault fault = flow_table_input(&table, at, ip, octets, engine_now_ns(engine));
    CHECK(fault <= FLOW_TAKEN);
    arrived[at]++;
}

static void deliver(void *self, const uint8_t *ip, uint32_t octets, uint64_t now_ns)
{
    (void)now_ns;
    arrive(self == &links[FLOW_HOST] ? FLOW_MS : FLOW_HOST, ip, octets);
}

static void begin(void)
{
    static const struct link_config way = {.rate_bit_per_s = 1000000, .latency_ns = 5 * MS_IN_NS};
    const struct tcp_profile *profile = tcp_profile_find("linux");
    memset(arrived, 0, sizeof arrived);
    engine = engine_create();
    for (int end = 0; end < FLOW_ENDS; end++)
        link_setup(&links[end], engine, &way, &(struct net_owner){&links[end], deliver, NULL}, 1,
                   (uint64_t)end);
    flow_table_setup(&table, engine, &(struct flow_owner){NULL, send, next_id, NULL}, 1, 9);
    for (int i = 0; i < FLOWS; i++) {
        struct flow_config config = {.protocol = protocols[i],
                                     .opener = FLOW_MS,
                                     .address = {HOST, MS},
                                     .port = {80, PORT},
                                     .profile = {profile, profile}};
        flows[i] = flow_open(
            &table, &config,
            &(struct flow_user){.self = &flows[i], .received = received, .ended = ended}, 0);
    }
    flow_connect(flows[2], 0);
}

static void put16(uint8_t *b, uint32_t value)
{
    b[0] = (uint8_t)(value >> 8);
    b[1] = (uint8_t)value;
}

static uint32_t sum_of(uint32_t sum, const uint8_t *b, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        sum += i % 2 ? b[i] : (uint32_t)b[i] << 8;
    return sum;
}

static uint32_t fold(uint32_t sum)
{
    sum = (sum & 0xffff) + (sum >> 16);
    return ~((sum & 0xffff) + (sum >> 16)) & 0xffff;
}

static void put_content(uint8_t *b, uint32_t n, uint32_t place)
{
    for (uint32_t i = 0; i < n; i++)
        b[i] = (uint8_t)((place % 251 + i) % 251);
}

// Behind the IP header: the content in UDP, ICMP or TCP.
static void repair_content(uint8_t protocol, uint8_t *b, uint32_t n)
{
    uint32_t header = protocol == 17 ? 12 : protocol == 1 ? 8 : (uint32_t)(b[12] >> 4) * 4;
    uint32_t place = (uint32_t)b[4] << 24 | (uint32_t)b[5] << 16 | (uint32_t)b[6] << 8 | b[7];
    if (protocol == 17)
        place = (uint32_t)b[8] << 24 | (uint32_t)b[9] << 16 | (uint32_t)b[10] << 8 | b[11];
    if (n > header)
        put_content(b + header, n - header, protocol == 1 ? place & 0xffff : place);
}

static void repair(uint8_t step, uint8_t *ip, uint32_t n)
{
    uint8_t protocol = protocols[(step >> 6) % FLOWS];
    static const uint8_t host[] = {0x0b, 0, 0x71, 9}, ms[] = {10, 0, 0, 7};
    if (n < 40)
        return;
    uint8_t *b = ip + 20;
    uint32_t sum_at = protocol == 17 ? 6 : protocol == 1 ? 2 : 16;
    ip[0] = 0x45;
    ip[6] = ip[7] = 0;
    ip[9] = protocol;
    put16(ip + 2, n);
    memcpy(ip + (step & AT_MS ? 12 : 16), host, 4);
    memcpy(ip + (step & AT_MS ? 16 : 12), ms, 4);
    put16(protocol == 1 ? b + 4 : b + (step & AT_MS ? 2 : 0), PORT);
    if (protocol != 1)
        put16(b + (step & AT_MS ? 0 : 2), 80);
    if (protocol == 17)
        put16(b + 4, n - 20);
    if (step & CONTENT)
        repair_content(protocol, b, n - 20);
    put16(b + sum_at, 0);
    uint32_t pseudo = protocol == 1 ? 0 : sum_of(protocol + n - 20, ip + 12, 8);
    put16(b + sum_at, fold(sum_of(pseudo, b, n - 20)));
    put16(ip + 10, 0);
    put16(ip + 10, fold(sum_of(0, ip, 20)));
}

// In memory of just its size. Returns how many octets of the input it took.
static size_t give(uint8_t step, const uint8_t *data, size_t left)
{
    if (left == 0)
        return 0;
    size_t n = (size_t)data[0] * 4;
    n = n < left - 1 ? n : left - 1;
    uint8_t *ip = malloc(n ? n : 1);
    memcpy(ip, data + 1, n);
    if (step & REPAIR)
        repair(step, ip, (uint32_t)n);
    arrive(step & AT_MS ? FLOW_MS : FLOW_HOST, ip, (uint32_t)n);
    free(ip);
    return 1 + n;
}

static void act(uint8_t step)
{
    enum flow_end from = step & AT_MS ? FLOW_MS : FLOW_HOST;
    uint64_t now_ns = engine_now_ns(engine);
    if (step % STEP_KINDS == 5) {
        for (int i = 0; i < 2; i++)
            if (flows[i])
                flow_send(flows[i], from, 32 + step, now_ns);
    } else if (flows[2] && step % STEP_KINDS == 6) {
        flow_write(flows[2], from, 1 + (uint64_t)step * 20, now_ns);
    } else if (flows[2] && step & REPAIR) {
        flow_close(flows[2], from, now_ns);
    } else if (flows[2] && step & CONTENT) {
        flow_abort(flows[2], from, now_ns);
    }
}

static void expect_books(void)
{
    for (int at = 0; at < FLOW_ENDS; at++) {
        const struct flow_side *side = &table.side[at];
        uint64_t faults = 0;
        for (int fault = 0; fault < FLOW_FAULTS; fault++)
            faults += table.fault[at][fault];
        CHECK(side->faults == faults);
        CHECK(side->received.packets + faults == arrived[at]);
        CHECK(side->sent.packets == links[at].counters.in.packets);
        CHECK(side->sent.octets == links[at].counters.in.octets);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint64_t now_ns = 0;
    begin();
    for (size_t at = 0; at < size;) {
        uint8_t step = data[at++];
        if (step % STEP_KINDS < 4)
            at += give(step, data + at, size - at);
        else if (step % STEP_KINDS == 4)
            now_ns += (uint64_t)step * step * step * 10000; // up to 166 s
        else
            act(step);
        CHECK(engine_run(engine, now_ns, NULL, NULL) == 0);
        expect_books();
    }
    flow_table_release(&table, now_ns);
    for (int end = 0; end < FLOW_ENDS; end++)
        link_release(&links[end]);
    engine_destroy(engine);
    return 0;
}

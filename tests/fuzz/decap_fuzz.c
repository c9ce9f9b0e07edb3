// Decap of any frame, in a buffer made by hand, without DPDK's environment: either a reason, and
// the frame is as it was, or an N-PDU that lies whole within the frame. The IPv4 checksum is made
// good first, unless the last octet of the input is odd; that octet is no part of the frame.
#include <string.h>

#include "dataplane/down/down.h"
#include "tests/fuzz/check.h"

#define FRAME_MAX 9000u
#define HEADROOM  128u

static const struct down_gn gn = {.mac = {{0x02, 0, 0, 0, 0, 0x01}}, .address = 0xc0000201};

static void repair_checksum(uint8_t *frame, uint32_t n)
{
    if (n < ETHER_OCTETS + IPV4_OCTETS)
        return;
    uint8_t *ip = frame + ETHER_OCTETS;
    uint32_t header = (ip[0] & 15u) * 4;
    if (header > n - ETHER_OCTETS)
        return;
    ip[10] = ip[11] = 0;
    uint16_t checksum = ipv4_fold(ipv4_sum(0, ip, header));
    ip[10] = (uint8_t)(checksum >> 8);
    ip[11] = (uint8_t)checksum;
}

// A buffer that ends with its frame, so that a sanitizer sees the first octet beyond.
static struct rte_mbuf mbuf_of(uint8_t *buffer, uint32_t n)
{
    return (struct rte_mbuf){.buf_addr = buffer,
                             .buf_len = (uint16_t)(HEADROOM + n),
                             .data_off = HEADROOM,
                             .data_len = (uint16_t)n,
                             .pkt_len = n,
                             .nb_segs = 1,
                             .refcnt = 1};
}

static void check_frame(uint8_t *buffer, uint32_t n)
{
    struct rte_mbuf m = mbuf_of(buffer, n), before = m;
    uint32_t teid;
    enum drop_reason reason = decap(&gn, &m, &teid);
    if (reason != DROP_NONE) {
        CHECK(reason < DROP_COUNT);
        CHECK(memcmp(&m, &before, sizeof m) == 0);
        return;
    }
    CHECK(m.pkt_len > 0 && m.pkt_len == m.data_len);
    CHECK(m.data_off >= HEADROOM + 14 + 20 + 8 + 8);
    CHECK(m.data_off + m.data_len <= m.buf_len);
    CHECK(memcmp(buffer + HEADROOM, &gn.mac, sizeof gn.mac) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0 || size > FRAME_MAX)
        return 0;
    uint32_t n = (uint32_t)size - 1;
    uint8_t *buffer = calloc(1, HEADROOM + n);
    memcpy(buffer + HEADROOM, data, n);
    if (data[n] % 2 == 0)
        repair_checksum(buffer + HEADROOM, n);
    check_frame(buffer, n);
    free(buffer);
    return 0;
}

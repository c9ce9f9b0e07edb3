// Packets of a few flows, either way: each a control octet, a length and so many octets, in a
// buffer that ends with them. Nothing but the window and the checksum of TCP may change, and only
// of a packet from an MS; a window is never raised, and a checksum stays as good as it was. The
// IPv4 checksum is made good first, unless a bit of the control octet says no. Each packet from an
// MS is counted once.
#include <string.h>

#include "dataplane/window/window.h"
#include "dataplane/wire/bytes.h"
#include "dataplane/wire/ipv4.h"
#include "tests/fuzz/check.h"

#define CONTEXTS 2u
#define UP       1u
#define CONTEXT  2u
#define AS_IT_IS 4u

static struct window_flow memory[CONTEXTS][WINDOW_FLOWS];

static void repair(uint8_t *b, uint32_t n)
{
    uint32_t header = n ? (b[0] & 15u) * 4 : 0;
    if (n < IPV4_OCTETS || b[0] >> 4 != 4 || header < IPV4_OCTETS || header > n)
        return;
    put_be16(b + 10, 0);
    put_be16(b + 10, ipv4_fold(ipv4_sum(0, b, header)));
}

// Both sums are of the same words but for the window and the checksum.
static void check_change(const uint8_t *before, const uint8_t *after, uint32_t n, uint32_t tcp)
{
    const uint8_t *was = before + tcp, *is = after + tcp;
    CHECK(tcp >= IPV4_OCTETS && tcp + 20 <= n);
    CHECK(memcmp(before, after, tcp + 14) == 0);
    CHECK(memcmp(was + 18, is + 18, n - tcp - 18) == 0);
    CHECK(get_be16(is + 14) <= get_be16(was + 14));
    CHECK((get_be16(is + 14) + get_be16(is + 16)) % 0xffff ==
          (get_be16(was + 14) + get_be16(was + 16)) % 0xffff);
}

static void give(struct window *w, uint8_t control, uint8_t *b, uint32_t n, uint64_t octets)
{
    struct window_ack ack;
    uint8_t before[256];
    uint32_t context = (control & CONTEXT) / CONTEXT;
    if (!(control & AS_IT_IS))
        repair(b, n);
    memcpy(before, b, n);
    if (!(control & UP)) {
        window_down(w, context, b, n);
        CHECK(memcmp(before, b, n) == 0);
    } else if (window_up(w, context, b, n, &ack)) {
        CHECK(memcmp(before, b, n) == 0 && ack.scale <= 14 && ack.least_octets >= 1072);
        window_lower(w, &ack, octets);
        check_change(before, b, n, (uint32_t)(ack.tcp - b));
    } else {
        CHECK(memcmp(before, b, n) == 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint64_t of_class_ns[CLASS_COUNT] = {0};
    struct stats_up stats = {0};
    struct window w;
    uint64_t up = 0;
    memset(memory, 0, sizeof memory);
    window_setup(&w, 1, of_class_ns, &stats, memory);
    while (size >= 2) {
        uint32_t n = data[1] < size - 2 ? data[1] : (uint32_t)(size - 2);
        uint8_t *b = malloc(n ? n : 1);
        memcpy(b, data + 2, n);
        give(&w, data[0], b, n, (uint64_t)data[0] * data[1]);
        up += data[0] & UP;
        free(b);
        data += 2 + n;
        size -= 2 + n;
    }
    CHECK(up == stats.window_lowered + stats.window_enough + stats.window_unseen +
                    stats.window_ends + stats.window_other + stats.window_fragments +
                    stats.window_malformed);
    CHECK(stats.window_evicted <= stats.window_flows);
    return 0;
}

// See decap_frame.h. Checksums here are those of judge.h, not the code's own.
#include "tests/dataplane/down/decap_frame.h"

#include "dataplane/wire/gtpu.h"
#include "tests/dataplane/eal_fixture.h"
#include "tests/dataplane/ports_fixture.h"

static const uint8_t good[GOOD_OCTETS] = {
    0x02, 0x00, 0x00, 0x00, 0x00, 0x01, 0x02, 0x00, 0x00, 0x00, 0x00, 0x02, 0x08, 0x00, // Ethernet
    0x45, 0x00, 0x00, 0x2a, 0x00, 0x01, 0x00, 0x00, 0x40, 0x11, 0xf6, 0xbe,             // IPv4
    0xc0, 0x00, 0x02, 0x02, 0xc0, 0x00, 0x02, 0x01,                                     //
    0x08, 0x68, 0x08, 0x68, 0x00, 0x16, 0x00, 0x00,                                     // UDP
    0x30, 0xff, 0x00, 0x06, 0x00, 0x40, 0x00, 0x05,                                     // GTP-U
    'p',  'a',  'c',  'k',  'e',  't',
};

struct rte_mempool *decap_pool;
static struct ports_fixture gn;
static struct stats_worker stats;
static struct state none;
struct down decap_down = {.gn = &gn.port, .state = &none, .stats = &stats};
struct stats_port *const decap_stats = &gn.stats;
static unsigned in_use;

struct frame frame_good(void)
{
    struct frame f = {.n = sizeof good};
    memcpy(f.at, good, sizeof good);
    return f;
}

void frame_repair_checksum(struct frame *f)
{
    uint32_t header = 4u * (f->at[IP] & 15);
    put16(f->at + IP + 10, 0);
    put16(f->at + IP + 10, plain_checksum(f->at + IP, header));
}

void frame_repair_lengths(struct frame *f, enum layer top)
{
    put16(f->at + IP + 2, f->n - IP);
    if (top >= LAYER_UDP)
        put16(f->at + UDP + 4, f->n - UDP);
    if (top >= LAYER_GTPU)
        put16(f->at + GTPU + 2, f->n - TPDU);
    frame_repair_checksum(f);
}

struct frame frame_changed(uint32_t at, uint8_t value)
{
    struct frame f = frame_good();
    f.at[at] = value;
    if (at >= IP && at < UDP && at != IP + 10 && at != IP + 11)
        frame_repair_checksum(&f);
    return f;
}

void frame_insert(struct frame *f, uint32_t at, const uint8_t *octets, uint32_t n)
{
    memmove(f->at + at + n, f->at + at, f->n - at);
    memcpy(f->at + at, octets, n);
    f->n += n;
}

struct rte_mbuf *frame_mbuf(const uint8_t *octets, uint32_t n)
{
    struct rte_mbuf *m = rte_pktmbuf_alloc(decap_pool);
    assert_non_null(m);
    memcpy(rte_pktmbuf_append(m, (uint16_t)n), octets, n);
    return m;
}

// The reason for which the port has dropped its only frame.
static uint32_t dropped_by_port(uint32_t octets)
{
    for (uint32_t reason = 0; reason < DROP_COUNT; reason++) {
        struct stats_drop *drop = &decap_stats->drop[reason];
        if (drop->packets == 0)
            continue;
        assert_int_equal(drop->packets, 1);
        assert_int_equal(drop->octets, octets);
        return reason;
    }
    return DECAP_TAKEN;
}

uint32_t decap_frame(struct rte_mbuf **m, struct gpdu *gpdu)
{
    struct port_datagram datagram;
    uint32_t octets = (*m)->pkt_len;
    *decap_stats = (struct stats_port){0};
    if (port_unwrap(decap_down.gn, m, &datagram, 1, 0) == 0) {
        *m = NULL;
        return dropped_by_port(octets);
    }
    uint32_t reason = down_decap(&decap_down, *m, &datagram, gpdu);
    if (reason == DECAP_TAKEN)
        *m = NULL;
    else
        assert_int_equal((*m)->pkt_len, octets); // what a drop is counted with
    return reason;
}

static const char *name_of(uint32_t reason)
{
    return reason < DROP_COUNT   ? stats_drop_names[reason]
           : reason == DROP_NONE ? "passed"
                                 : "taken";
}

void expect_mbuf_dropped(struct rte_mbuf *m, enum drop_reason expected)
{
    struct gpdu gpdu;
    uint32_t reason = decap_frame(&m, &gpdu);
    if (reason != expected)
        fail_msg("%s, expected %s", name_of(reason), stats_drop_names[expected]);
    rte_pktmbuf_free(m);
}

void expect_mbuf_passed(struct rte_mbuf *m, const void *payload, uint32_t n)
{
    struct gpdu gpdu = {0};
    uint32_t reason = decap_frame(&m, &gpdu);
    if (reason != DROP_NONE)
        fail_msg("%s", name_of(reason));
    assert_true(gpdu.teid == 0x00400005);
    assert_int_equal(m->nb_segs, 1);
    assert_int_equal(gpdu.octets, n);
    assert_in_range(gpdu.offset + n, n, m->data_len);
    assert_memory_equal(rte_pktmbuf_mtod_offset(m, uint8_t *, gpdu.offset), payload, n);
    rte_mbuf_sanity_check(m, 1);
    rte_pktmbuf_free(m);
}

void expect_drop(const struct frame *f, enum drop_reason expected)
{
    expect_mbuf_dropped(frame_mbuf(f->at, f->n), expected);
}

void expect_pass(const struct frame *f, const void *payload, uint32_t n)
{
    expect_mbuf_passed(frame_mbuf(f->at, f->n), payload, n);
}

int decap_start(void **state)
{
    if (eal_fixture_setup(state) != 0)
        return -1;
    ports_fixture_open(&gn, "gn", 1, 0xc0000201, GTPU_PORT);
    decap_pool = rte_pktmbuf_pool_create("decap_test", 255, 0, 0, RTE_MBUF_DEFAULT_BUF_SIZE, 0);
    return decap_pool ? 0 : -1;
}

int decap_stop(void **state)
{
    ports_fixture_close(&gn);
    return eal_fixture_teardown(state);
}

int decap_count_buffers(void **state)
{
    (void)state;
    in_use = rte_mempool_in_use_count(decap_pool);
    return 0;
}

int decap_expect_as_many_buffers(void **state)
{
    (void)state;
    return rte_mempool_in_use_count(decap_pool) == in_use ? 0 : -1;
}

// See fixture.h: what comes out of the uplink.
#include "tests/dataplane/up/fixture.h"

#include <rte_ring_elem.h>

#include "tests/dataplane/wire/judge.h"

struct stats_drop fixture_dropped(void)
{
    const struct stats_balance b = stats_balance_up(&u.stats);
    return (struct stats_drop){b.packets.dropped, b.octets.dropped};
}

struct rte_mbuf *fixture_take(struct port_device *device)
{
    void *m = NULL;
    return rte_ring_dequeue(device->tx_ring[0], &m) == 0 ? m : NULL;
}

static void expect_outer_ipv4(const uint8_t *b, uint32_t octets)
{
    const uint8_t ends[] = {192, 0, 2, 1, 192, 0, 2, 2, 0x08, 0x68, 0x08, 0x68};
    assert_memory_equal(b + 14 + 12, ends, sizeof ends); // addresses, UDP ports 2152
    assert_int_equal(b[14], 0x45);
    assert_int_equal(b[14 + 2] << 8 | b[14 + 3], 20 + 8 + octets);
    assert_int_equal(b[38] << 8 | b[39], 8 + octets);
    assert_int_equal(plain_checksum(b + 14, 20), 0);
}

static void expect_outer_ipv6(const uint8_t *b, uint32_t octets)
{
    const uint8_t ends[36] = {
        0x20, 1,    0xd,      0xb8, [15] = 1, 0x20, 1,
        0xd,  0xb8, [31] = 2, 0x08, 0x68,     0x08, 0x68}; // addresses, UDP ports 2152
    assert_memory_equal(b + 14 + 8, ends, sizeof ends);
    assert_int_equal(b[14] >> 4, 6);
    assert_int_equal(b[14 + 4] << 8 | b[14 + 5], 8 + octets);
    uint16_t half =
        (uint16_t)(8 + octets + 17); // of the pseudo-header; the addresses are the other
    assert_int_equal(plain_sum(half, b + 22, 32 + 8 + octets), 0xffff);
}

void fixture_expect(uint32_t pdp, const uint8_t *npdu, uint32_t octets)
{
    const uint8_t macs[] = {2, 0, 0, 0, 1, 1, 2, 0, 0, 0, 0, 1};
    bool ipv6 = pdp == 3;
    const uint8_t gtpu[] = {0x30, 0xff, (uint8_t)(octets >> 8), (uint8_t)octets,
                            0x0a, 0x00, (uint8_t)(pdp >> 8),    (uint8_t)pdp};
    uint32_t at = ipv6 ? 62 : 42;
    up_output(&u.up);
    fixture_assert_conserved();
    struct rte_mbuf *m = fixture_take(&u.gn_device);
    if (!m)
        fail_msg("no N-PDU");
    const uint8_t *b = rte_pktmbuf_mtod(m, const uint8_t *);
    assert_int_equal(m->pkt_len, at + 8 + octets);
    assert_int_equal(m->data_len, m->pkt_len);
    assert_memory_equal(b, macs, sizeof macs);
    (ipv6 ? expect_outer_ipv6 : expect_outer_ipv4)(b, 8 + octets);
    assert_memory_equal(b + at, gtpu, sizeof gtpu);
    assert_memory_equal(b + at + 8, npdu, octets);
    rte_pktmbuf_free(m);
}

void fixture_expect_any(uint32_t pdp)
{
    fixture_expect(pdp, fixture_npdu(), NPDU_OCTETS);
}

void fixture_expect_nothing(void)
{
    up_output(&u.up);
    assert_null(fixture_take(&u.gn_device));
}

void fixture_expect_numbers(uint32_t ms, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        fixture_expect_any(ms == KEYED ? 6 : 0);
    fixture_expect_nothing();
}

bool fixture_event(struct event *event)
{
    return rte_ring_sc_dequeue_elem(u.up.events, event, sizeof *event) == 0;
}

void fixture_expect_event(enum event_kind kind, uint32_t nsvc, const uint8_t *pdu, uint32_t octets)
{
    struct event e;
    const struct ipv6_address from = address_of_ipv4(nsvc == STRANGER ? BSS + 75 : BSS + nsvc);
    assert_true(fixture_event(&e));
    struct rte_mbuf *m = e.buffer;
    assert_int_equal(e.kind, kind);
    assert_int_equal(e.nsvc_id, nsvc == STRANGER ? EVENT_NONE : nsvc);
    assert_int_equal(e.nse_id, nsvc == STRANGER ? EVENT_NONE : nsvc); // one NS-VC each
    assert_int_equal(e.udp_port, BSS_PORT);
    assert_memory_equal(&e.source, &from, sizeof from);
    assert_ptr_equal(e.pdu.at, rte_pktmbuf_mtod_offset(m, const uint8_t *, PAYLOAD_AT));
    assert_int_equal(e.pdu.n, octets);
    assert_memory_equal(e.pdu.at, pdu, octets);
    rte_pktmbuf_free(m);
}

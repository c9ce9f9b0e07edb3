// See fixture.h.
#include "tests/dataplane/up/fixture.h"

#include <rte_ring_elem.h>

#include "dataplane/wire/gtpu.h"
#include "dataplane/wire/llc.h"
#include "dataplane/wire/llc_cipher.h"
#include "tests/dataplane/drop_scopes.h"
#include "tests/dataplane/eal_fixture.h"
#include "tests/dataplane/state/tree_fixture.h"
#include "tests/dataplane/sched/check.h"

#define BUFFERS    4600u // of Gb
#define GN_BUFFERS 256u
#define PADDING    5u

struct fixture u;

static const struct state_limits limits = {
    .nses = 2, .nsvcs = 2, .bvcs = 3, .ggsns = 3, .mss = 400, .pdps = CONTEXTS_MOST};
static struct cipher_scratch scratch;
static const uint8_t kc[8] = {0xd3, 0xc5, 0xd5, 0x92, 0x32, 0x7f, 0xb1, 0x1c};
static uint8_t key[CIPHER_KEY_OCTETS];
static const struct mac sgsn_gn = {{2, 0, 0, 0, 0, 1}}, sgsn_gb = {{2, 0, 0, 0, 0, 2}},
                        ggsn_mac = {{2, 0, 0, 0, 1, 1}}, bss_mac = {{2, 0, 0, 0, 1, 2}};
static const struct ipv6_address sgsn_ipv6 = {{0x20, 1, 0xd, 0xb8, [15] = 1}},
                                 ggsn_ipv6 = {{0x20, 1, 0xd, 0xb8, [15] = 2}};

int fixture_start(void **state)
{
    return eal_fixture_setup(state);
}

void fixture_command(const struct command *command)
{
    assert_int_equal(state_apply(&u.state, u.sched, command, u.now_ns), 0);
}
#define DO(name, ...)                                             \
    fixture_command(&(const struct command){.op = COMMAND_##name, \
                                            .name = (struct command_##name){__VA_ARGS__}})

static void open_port(struct port *port, struct port_device *device, const char *name,
                      enum stats_side side, struct port_host host)
{
    const char *why = NULL;
    host.ipv4_prefix = 24;
    host.ipv6_prefix = 64;
    host.mtu_octets = 2000;
    const struct port_config config = {.name = name,
                                       .device = PORT_DEVICE_RING,
                                       .queues = 1,
                                       .rx_frames = GN_FRAMES,
                                       .tx_frames = GN_FRAMES,
                                       .buffers = side == STATS_GB ? BUFFERS : GN_BUFFERS,
                                       .neighbours = 8,
                                       .host = host};
    if (port_device_open(device, &config, &why) != 0)
        fail_msg("no device: %s", why);
    assert_int_equal(port_setup(port, device, 0, &config, &u.stats.of_port[side]), 0);
}

static void add_context(uint32_t pdp, uint32_t ms, uint8_t nsapi, uint8_t sapi, uint32_t ggsn)
{
    struct command c = {.op = COMMAND_pdp,
                        .teid = teid_make(u.state.teid_bits, 0, 1, pdp),
                        .pdp = {.pdp_id = pdp,
                                .ms_id = ms,
                                .nsapi = nsapi,
                                .sapi = sapi,
                                .has_ggsn_id = ggsn != STATE_NONE,
                                .ggsn_id = ggsn,
                                .ggsn_teid = TEID_FIRST + pdp}};
    fixture_command(&c);
}

static void add_ms(uint32_t ms, uint32_t bvc)
{
    DO(ms, .ms_id = ms, .bvc_id = bvc, .tlli = TLLI_FIRST + ms, .n201_u = 1520);
    u.state.ms_up[ms].id = ms; // as if control had the same
    DO(pfc, .ms_id = ms, .traffic_class = CLASS_BACKGROUND);
}

static void add_cells(void)
{
    for (uint32_t nse = 0; nse < 2; nse++) {
        DO(nse, .nse_id = nse, .nsei = (uint16_t)(101 + nse));
        DO(nsvc, .nsvc_id = nse, .nse_id = nse, .nsvci = 1,
           .peer_address = address_of_ipv4(BSS + nse), .peer_port = BSS_PORT, .has_peer_mac = true,
           .peer_mac = bss_mac, .weight = 1);
    }
    DO(bvc, .bvc_id = 0, .nse_id = 0, .bvci = 2);
    DO(bvc, .bvc_id = 1, .nse_id = 0, .bvci = 3);
    DO(bvc, .bvc_id = 2, .nse_id = 1, .bvci = 2);
}

static void add_mss(void)
{
    struct command cipher = {.op = COMMAND_ms_cipher,
                             .octets_n = CIPHER_KEY_OCTETS,
                             .ms_cipher = {.ms_id = KEYED, .gea = 3, .iov_ui = IOV_UI}};
    const char *why;
    for (uint32_t ms = 0; ms < 3; ms++)
        add_ms(ms, ms == 2 ? 2 : 0);
    assert_int_equal(cipher_key("GEA3", kc, sizeof kc, key, &why), 0);
    memcpy(cipher.octets, key, sizeof key);
    fixture_command(&cipher);
    for (uint32_t i = 0; i < 2; i++)
        DO(ggsn, .ggsn_id = i, .address = i ? ggsn_ipv6 : address_of_ipv4(GGSN), .has_mac = true,
           .mac = ggsn_mac);
    DO(ggsn, .ggsn_id = 2, .address = address_of_ipv4(GGSN + 1));
    add_context(0, 0, 5, 3, 0);
    add_context(1, 0, 6, 3, 0);
    add_context(2, 0, 7, 5, 0);
    add_context(3, 0, 8, 11, 1);
    add_context(4, 0, 9, 3, STATE_NONE);
    add_context(5, 0, 10, 3, 2);
    add_context(6, KEYED, 5, 3, 0);
    add_context(7, KEYED, 6, 5, 0);
    add_context(8, 2, 5, 3, 0);
}

// What the ports sent of themselves is of no interest.
static void drain(struct port_device *device)
{
    for (struct rte_mbuf *m; (m = fixture_take(device));)
        rte_pktmbuf_free(m);
}

int fixture_open(void **state)
{
    (void)state;
    memset(&u, 0, sizeof u);
    u.sched = tree_fixture_create(&limits);
    open_port(&u.gn, &u.gn_device, "gn", STATS_GN,
              (struct port_host){
                  .mac = sgsn_gn, .ipv4 = SGSN_GN, .ipv6 = sgsn_ipv6, .udp_port = GTPU_PORT});
    open_port(&u.gb, &u.gb_device, "gb", STATS_GB,
              (struct port_host){.mac = sgsn_gb, .ipv4 = SGSN_GB, .udp_port = 23000});
    assert_int_equal(state_setup(&u.state, 0, &limits, &u.gn, &u.gb), 0);
    u.up = (struct up){.state = &u.state,
                       .sched = u.sched,
                       .gn = &u.gn,
                       .gb = &u.gb,
                       .stats = &u.stats,
                       .scratch = &scratch,
                       .events = rte_ring_create_elem("events", sizeof(struct event), EVENTS + 1,
                                                      SOCKET_ID_ANY, RING_F_SP_ENQ | RING_F_SC_DEQ),
                       .moves = u.moves};
    assert_non_null(u.up.events);
    up_setup(&u.up);
    add_cells();
    add_mss();
    port_tick(&u.gn, u.now_ns);
    drain(&u.gn_device);
    return 0;
}

int fixture_close(void **state)
{
    struct event event;
    (void)state;
    up_flush(&u.up);
    fixture_assert_conserved();
    uint64_t packets, octets;
    up_held(&u.up, &packets, &octets);
    expect_drop_scopes(&u.stats);
    assert_int_equal(packets + octets, 0);
    while (fixture_event(&event))
        rte_pktmbuf_free(event.buffer);
    drain(&u.gn_device);
    drain(&u.gb_device);
    port_flush(&u.gb);
    port_flush(&u.gn);
    assert_int_equal(rte_mempool_avail_count(u.gb_device.pool), BUFFERS);
    assert_null(sched_check(u.sched));
    state_release(&u.state);
    port_release(&u.gn);
    port_release(&u.gb);
    port_device_close(&u.gn_device);
    port_device_close(&u.gb_device);
    rte_ring_free(u.up.events);
    free(u.sched);
    return 0;
}

// ---- In. ----

void fixture_fill(uint8_t *b, uint32_t octets, uint32_t seed)
{
    for (uint32_t i = 0; i < octets; i++)
        b[i] = (uint8_t)(i * 7 + seed * 31 + (i >> 8));
}

const uint8_t *fixture_npdu(void)
{
    static uint8_t npdu[NPDU_OCTETS];
    fixture_fill(npdu, sizeof npdu, 1);
    return npdu;
}

static uint32_t put_sndcp(const struct segment *s, uint8_t *b, uint32_t room)
{
    const struct sndcp_unitdata pdu = {
        .first = !s->next,
        .more = s->more,
        .nsapi = s->nsapi ? s->nsapi : 5,
        .dcomp = s->dcomp,
        .pcomp = s->pcomp,
        .segment = s->segment,
        .npdu_number = s->npdu,
        .data = {s->data ? s->data : fixture_npdu(), s->data ? s->octets : NPDU_OCTETS}};
    int n = sndcp_unitdata_encode(&pdu, b, room);
    assert_true(n > 0);
    return (uint32_t)n;
}

uint32_t fixture_llc(const struct segment *s, uint8_t *b)
{
    uint8_t sndcp[4000];
    struct llc_ui llc = {.sapi = s->sapi ? s->sapi : 3,
                         .nu = s->number % LLC_NU_COUNT,
                         .enciphered = s->ms == KEYED && !s->clear,
                         .protect_all = !s->header_only,
                         .info = {sndcp, put_sndcp(s, sndcp, sizeof sndcp)}};
    int n = llc_ui_encode(&llc, b, 4000);
    assert_true(n > 0);
    b[n - 1] ^= s->forged;
    struct cipher_frame enciphered = {
        .key = key,
        .octets = b + LLC_UI_HEADER_OCTETS,
        .input = llc_cipher_input_ui(IOV_UI, llc.sapi, llc.nu, s->number - llc.nu),
        .length_octets = (uint16_t)(n - LLC_UI_HEADER_OCTETS),
        .direction = CIPHER_UPLINK};
    if (llc.enciphered)
        cipher_run(&scratch, &enciphered, 1);
    return (uint32_t)n;
}

// NS-UNITDATA; UL-UNITDATA with TLLI, QoS, cell identifier, LLC PDU.
uint32_t fixture_ul_unitdata(uint32_t tlli, uint16_t bvci, const uint8_t *llc, uint32_t octets,
                             uint8_t *b)
{
    // clang-format off
    const uint8_t head[] = {
        0x00, 0x00, (uint8_t)(bvci >> 8), (uint8_t)bvci,
        0x01, (uint8_t)(tlli >> 24), (uint8_t)(tlli >> 16), (uint8_t)(tlli >> 8), (uint8_t)tlli,
        0x00, 0x00, 0x04,
        0x08, 0x88, 0x62, 0xf2, 0x10, 0x00, 0x01, 0x02, 0x00, 0x05,
        0x0e, (uint8_t)(octets >> 8), (uint8_t)octets};
    // clang-format on
    memcpy(b, head, sizeof head);
    if (octets)
        memcpy(b + sizeof head, llc, octets);
    return (uint32_t)sizeof head + octets;
}

struct rte_mbuf *fixture_put(uint32_t nsvc, const uint8_t *pdu, uint32_t octets)
{
    struct rte_mbuf *m = rte_pktmbuf_alloc(u.gb_device.pool);
    // clang-format off
    const uint8_t outer[PAYLOAD_AT] = {
        2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 1, 2, 8, 0,
        0x45, 0, (uint8_t)((28 + octets) >> 8), (uint8_t)(28 + octets), 0, 0, 0, 0, 64, 17, 0, 0,
        198, 51, 100, (uint8_t)(nsvc == STRANGER ? 77 : 2 + nsvc), 198, 51, 100, 1,
        BSS_PORT >> 8, BSS_PORT & 0xff, 23000 >> 8, 23000 & 0xff,
        (uint8_t)((8 + octets) >> 8), (uint8_t)(8 + octets), 0, 0};
    // clang-format on
    assert_non_null(m);
    assert_true(u.n < PORT_BURST);
    uint8_t *b = (uint8_t *)rte_pktmbuf_append(m, (uint16_t)(PAYLOAD_AT + octets + PADDING));
    assert_non_null(b);
    memcpy(b, outer, sizeof outer);
    if (octets)
        memcpy(b + PAYLOAD_AT, pdu, octets);
    memset(b + PAYLOAD_AT + octets, 0x02, PADDING); // as an NS-RESET begins
    u.frame[u.n] = m;
    u.datagram[u.n++] = (struct port_datagram){
        .payload_offset = PAYLOAD_AT, .payload_octets = (uint16_t)octets, .ip_offset = 14};
    u.stats.of_port[STATS_GB].rx_packets++;
    u.stats.of_port[STATS_GB].rx_octets += m->pkt_len;
    return m;
}

void fixture_put_segment(const struct segment *s)
{
    uint8_t llc[4000], b[4100];
    uint32_t octets = fixture_llc(s, llc);
    fixture_put(s->ms == 2, b,
                fixture_ul_unitdata(TLLI_FIRST + s->ms, s->bvci ? s->bvci : 2, llc, octets, b));
}

void fixture_assert_conserved(void)
{
    const struct stats_balance b = stats_balance_up(&u.stats);
    uint64_t packets, octets;
    up_held(&u.up, &packets, &octets);
    assert_int_equal(b.packets.in, b.packets.aside + b.packets.out + b.packets.dropped + packets);
    assert_int_equal(b.octets.in,
                     b.octets.headers + b.octets.aside + b.octets.out + b.octets.dropped + octets);
    assert_int_equal(b.packets.in, b.packets.aside + b.dropped_frames.packets + b.inner_packets);
    assert_int_equal(b.inner_octets, b.octets.out + b.dropped_inner.octets + octets);
}

void fixture_burst(void)
{
    uint32_t n = u.n;
    u.n = 0;
    up_input(&u.up, u.frame, u.datagram, n, u.now_ns);
    fixture_assert_conserved();
}

void fixture_give(const struct segment *segment)
{
    fixture_put_segment(segment);
    fixture_burst();
}

void fixture_give_number(uint32_t ms, uint32_t number)
{
    fixture_give(SEGMENT(.ms = ms, .number = number));
}

void fixture_give_pdu(uint32_t nsvc, const uint8_t *pdu, uint32_t octets)
{
    fixture_put(nsvc, pdu, octets);
    fixture_burst();
}

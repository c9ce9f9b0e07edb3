// What the tests of a whole dataplane share: a dataplane over net_ring in virtual time with GGSNs
// and BSSs around it, told by the same calls as the dataplane, and behind both ports the oracles of
// tests/oracle, which know what to expect of each PDP context in each way. At every poll
// dp_balanced is asserted; every frame that comes out is judged: its ends, its cell, its NS-VC, its
// elements; at the end the ports' counters are compared with what was taken off them.
//
// Ids are the caller's, below the limits here. A TLLI is 0xc0000000 | generation << 16 | MS.
#ifndef SLUICE_TESTS_DATAPLANE_PATH_PATH_H
#define SLUICE_TESTS_DATAPLANE_PATH_PATH_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <rte_mbuf.h>
#include <rte_ring.h>

#include "dataplane/dataplane.h"
#include "tests/oracle/gb_receiver.h"
#include "tests/oracle/gn_receiver.h"
#include "tests/oracle/ul_sender.h"

#define PATH_WORKERS         4u
#define PATH_NSES            8u
#define PATH_NSVCS           64u
#define PATH_GGSNS           8u
#define PATH_BVCS            32u
#define PATH_MSS             2048u
#define PATH_PDPS            2048u
#define PATH_NSAPIS          16u
#define PATH_NPDU_OCTETS_MAX 2200u
#define PATH_NONE            UINT32_MAX
#define PATH_LIFETIME_CS     4000
#define PATH_TLLI            0xc0000000u // of MS 0, and of others of the first generation behind it

#define OUR_GN      0xc0000201u // 192.0.2.1
#define OUR_GB      0xc6336401u // 198.51.100.1
#define OUR_GB_PORT 23000
#define GGSN        0xc0000202u // number 0; the others' addresses follow
#define BSS         0xc6336402u // of NS-VC 0; the others' addresses and ports follow
#define BSS_PORT    23001

// Sent and not come out yet; in a list for each context and way.
struct path_expected {
    uint32_t seed, next; // index + 1
    uint16_t octets;
};

struct path_way {
    uint32_t head, tail; // index + 1
    uint32_t sent, received;
};

struct path_nsvc {
    bool made, ipv6;
    uint32_t nse;
    uint32_t frames; // LLC frames that came over it
};

struct path_ggsn {
    bool made, ipv6;
};

struct path_bvc {
    uint32_t nse;
    uint16_t bvci;
};

struct path_key {
    uint8_t gea, kc[16];
    uint32_t iov_ui;
};

struct path_ms {
    bool made;
    uint32_t tlli, bvc;
    uint32_t nsvc;    // over which its last frame came; PATH_NONE
    uint32_t changes; // of that
    struct ul_ms up;  // as a sender
    struct path_key key;
    uint16_t n201_u[16]; // downlink, by SAPI
    uint8_t options[64];
    size_t options_n;
    uint32_t pdp_of[PATH_NSAPIS]; // PATH_NONE
};

struct path_pdp {
    bool made, has_pfi;
    uint8_t nsapi, sapi, pfi;
    uint32_t teid, ms, ggsn; // ggsn: PATH_NONE
    uint16_t lifetime_cs;    // of the N-PDU that came on Gb last
    struct path_way down, up;
};

struct path {
    struct dp *dp;
    uint32_t workers;
    struct dp_worker *worker; // number 0
    struct dp_far_end far[STATS_SIDES][PATH_WORKERS];
    struct gb_receiver *gb;
    struct gn_receiver *gn;
    uint64_t now_ns;
    struct path_nsvc nsvc[PATH_NSVCS];
    struct path_bvc bvc[PATH_BVCS];
    struct path_ggsn ggsn[PATH_GGSNS];
    struct path_ms ms[PATH_MSS];
    struct path_pdp pdp[PATH_PDPS];
    struct path_expected *expected;
    uint32_t expecteds, expected_room, seeds;

    // Frames that the neighbours send are cut into fragments to fit; 0: never.
    size_t gn_mtu_octets, gb_mtu_octets;
    // Some are known to be dropped: what comes out may skip others of its context.
    bool lossy_down, lossy_up;
    bool any_segments; // N201-U changes while N-PDUs wait: not to be judged by their number
    bool any_lifetime; // else at most PATH_LIFETIME_CS is right
    bool refused_by_gb[GB_ERR_COUNT]; // what the receiver may say against a frame
    bool defer; // the calls below that are commands do not poll, so that several come at once
    bool blind; // what comes out is counted and not judged
    bool hold_frames, hold_events; // nothing is taken off the ports; off the event rings
    // Has each frame as it leaves a port, whatever it is.
    void (*on_frame)(enum stats_side side, const uint8_t *frame, size_t n);
    // If set, has each N-PDU on Gb instead of the comparison with what is expected.
    void (*on_npdu)(const struct gb_npdu *npdu);
    // Have each event, before it is done; each datagram from Gb that is no DL-UNITDATA and each
    // frame from Gn that is no G-PDU, none of which is expected otherwise.
    void (*on_event)(const struct event *event);
    void (*on_gb)(const struct ip_datagram *datagram);
    void (*on_gn)(const uint8_t *frame, size_t n);
    // Has each DL-UNITDATA that says signalling, which only a frame of control's does.
    void (*on_llc)(const struct ip_datagram *datagram);
    uint64_t events[EVENT_COUNT];
    uint64_t frames_in[STATS_SIDES], frames_out[STATS_SIDES], octets_out[STATS_SIDES];
    uint64_t down_received, up_received, wrong;
};

extern struct path p;

// Both families on both ports, all queues as large as they may be, lifetimes of 40 s, tail-drop.
struct dp_config path_config(uint32_t workers);
void path_open(const struct dp_config *config);
void path_set_aqm(struct dp_class *class, const char *name);

// A small world: one worker, NSE 0 with NS-VC 0 and cell 0 (BVCI 2) over IPv4, and room for one
// NS-VC, one cell and two GGSNs more. There is no GGSN yet, but GGSN 0's address may send to all
// contexts.
struct dp_config path_small_config(uint32_t queue_packets, uint32_t gb_tx_frames);
void path_open_small_config(const struct dp_config *config);
void path_open_small(uint32_t queue_packets, uint32_t gb_tx_frames);

// Asserts that no buffer was lost and nothing came out wrong.
void path_close(void);

// A command, its answer, and, of path_do, that it is carried out before anything else happens; TRY
// and DO are those with a command's name and its fields.
void path_command(const struct command *command, int64_t wanted);
void path_do(const struct command *command);
#define TRY(wanted, name_, ...) \
    path_command(&(struct command){.op = COMMAND_##name_, .name_ = {__VA_ARGS__}}, wanted)
#define DO(name_, ...) path_do(&(struct command){.op = COMMAND_##name_, .name_ = {__VA_ARGS__}})

// ---- The world. Each is the command, and what the oracles have to know. ----
void path_nse(uint32_t nse);
struct command path_nsvc_command(uint32_t nsvc, uint32_t nse, bool ipv6, uint8_t weight);
void path_nsvc(uint32_t nsvc, uint32_t nse, bool ipv6, uint8_t weight);
void path_nsvc_weight(uint32_t nsvc, uint8_t weight);
void path_nsvc_remove(uint32_t nsvc);
void path_ggsn(uint32_t ggsn, bool ipv6);
void path_gn_from(uint32_t ipv4, uint8_t prefix); // who may send to all contexts, and nobody else
void path_bvc(uint32_t bvc, uint32_t nse, uint16_t bvci);                     // without a limit
void path_bvc_flow(uint32_t bvc, uint64_t bit_per_s, uint32_t bucket_octets); // TIME_NEVER: none
void path_ms(uint32_t ms, uint32_t bvc, uint16_t n201_u);
void path_ms_move(uint32_t ms, uint32_t bvc);
void path_ms_tlli(uint32_t ms); // the next generation
void path_ms_options(uint32_t ms, const struct command_ms_options *options, const uint8_t *octets,
                     size_t n);
void path_ms_flush(uint32_t ms);
void path_ms_n201_u(uint32_t ms, uint8_t sapi, uint16_t n201_u);
void path_ms_remove(uint32_t ms); // with its contexts
void path_pfc(uint32_t ms, uint8_t slot, uint8_t traffic_class);
void path_pdp(uint32_t pdp, uint32_t ms, uint8_t slot, uint8_t nsapi, uint8_t sapi, uint32_t ggsn,
              int pfi); // PATH_NONE, and below 0: none
void path_pdp_remove(uint32_t pdp);
// NSE 0 with NS-VC 0, cell 0 (BVCI 2) and GGSN 0, each over that family; what most tests begin
// with.
void path_one_cell(bool gb_ipv6, bool gn_ipv6);
// MS and PDP context of one number in a cell: slot 0, background, NSAPI 5, SAPI 3, GGSN 0 if there
// is one.
void path_plain_ms(uint32_t ms, uint32_t bvc, uint16_t n201_u);

// ---- Ends ----
struct ip_ends path_ends_gn(uint32_t ggsn); // from a GGSN to us
struct ip_ends path_ends_gb(uint32_t nsvc); // from a BSS to us
struct ul_cell path_cell(uint32_t bvc);     // over the first NS-VC of its NSE
uint32_t path_worker_of_bvc(uint32_t bvc);

// ---- Traffic ----
void path_fill(uint8_t *octets, size_t n, uint32_t seed);
uint32_t path_seed(void);
void path_expect(struct path_way *way, uint32_t seed, size_t octets);

// Puts a frame at a port, in fragments if it is to be; false if there is no room.
bool path_give(enum stats_side side, uint32_t worker, const struct ip_frame *frame);
// Makes a G-PDU.
void path_gpdu(struct ip_frame *frame, const struct ip_ends *ends, uint32_t teid,
               const uint8_t *octets, size_t n);
// An N-PDU that is expected to come out at the other side.
void path_down(uint32_t pdp, size_t octets);
void path_up(uint32_t pdp, size_t octets);
// From that cell, where the MS is then.
void path_up_from(uint32_t pdp, uint32_t bvc, size_t octets);

// ---- Frames to and from the ports of worker 0, past the oracles ----
// A G-PDU from GGSN 0 over IPv4, without a UDP checksum: Ethernet 14, IPv4 20, UDP 8, GTP-U 8, then
// the N-PDU, whose octets are those of path_fill.
struct rte_mbuf *path_gn_frame(uint32_t teid, uint32_t octets, uint32_t seed);
void path_put(enum stats_side side, struct rte_mbuf *frame);
void path_put_octets(enum stats_side side, const uint8_t *frame, size_t n);
// An N-PDU that is not expected to come out.
void path_offer(uint32_t pdp, uint32_t octets);
void path_offer_octets(uint32_t pdp, const uint8_t *npdu, uint32_t octets);
struct rte_mbuf *path_next(enum stats_side side); // NULL: there is none
uint32_t path_discard(enum stats_side side);      // all that there are; how many
void put_ipv4_checksum(uint8_t *ip);              // of a header of 20 octets

// ---- Time ----
// In which order workers take turns: 0: that of their numbers; else a random one, other each time.
extern uint64_t path_order;
// Polls one; returns what dp_poll does. Checks conservation.
uint64_t path_poll_worker(uint32_t worker);
// Polls all workers once; true if one has work left.
bool path_poll_once(uint64_t *next_ns);
uint32_t path_take(enum stats_side side, uint32_t most); // off each worker's port
void path_poll(void); // until there is nothing to do at this instant
void path_run_until(uint64_t end_ns);

struct stats_drop path_dropped(enum drop_reason reason); // of all workers, ports and ways
void path_expect_all(void); // nothing is missing, half there or dropped
// Takes all the buffers that segments are framed in, and gives so many of them back.
void path_hold_segment_buffers(void);
void path_give_segment_buffers(uint32_t n);

// What was given at either port is what came out, was dropped by a reason, given to control, or is
// held: counted here on the outside. Of no use with fragments.
void path_expect_conservation(void);

// A CMocka group setup.
int path_start_eal(void **state);

#endif

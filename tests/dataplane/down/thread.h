// What the tests of the thread share: a dataplane with one cell over net_ring, Gn frames built by
// hand, and the independent receiver of tests/oracle behind Gb, which is told what to expect of
// each PDP context.
#ifndef SLUICE_TESTS_DATAPLANE_DOWN_THREAD_H
#define SLUICE_TESTS_DATAPLANE_DOWN_THREAD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <rte_mbuf.h>
#include <rte_ring.h>

#include "dataplane/dataplane.h"
#include "dataplane/wire/address.h"
#include "tests/oracle/gb_receiver.h"

#define SGSN_GN         0xc0000201u
#define GGSN            0xc0000202u
#define SGSN_GB         0xc6336401u
#define BSS             0xc6336402u // of NSE 0; the next address is that of the next one
#define BSS_PORT        23001
#define TLLI_FIRST      0xc0000000u
#define LIFETIME_CS     4000
#define SIZE_MAX_OCTETS 1500u
#define MSS             2048u
#define PDPS            2048u
#define NSAPIS          16

// Sent and not come out yet; in a list for each PDP context.
struct expected {
    uint32_t seed, next; // index + 1
    uint16_t octets;
};

struct thread_pdp {
    uint32_t teid, ms;
    uint32_t head, tail; // index + 1
    uint8_t sapi;
    uint32_t received;
    uint16_t lifetime_cs; // of the one received last
};

struct thread {
    struct dp *dp;
    uint32_t workers;
    struct dp_worker *worker; // the first; of more than one only commands are taken care of here
    struct dp_far_end gn, gb; // its
    struct gb_receiver *receiver;
    struct expected *expected;
    uint32_t expecteds, expected_room;
    struct thread_pdp pdp[PDPS];
    uint32_t pdp_of[MSS][NSAPIS];
    uint32_t bvc_of[MSS];
    uint32_t received, wrong;
    // Some are known to be dropped: what comes out may skip others of its context.
    bool lossy;
    bool any_lifetime; // else at most LIFETIME_CS is right
    // If set, it has each N-PDU instead of the comparison with what is expected.
    void (*on_npdu)(const struct gb_npdu *npdu);
    // If set, it has each Gb frame as well, before the receiver.
    void (*on_frame)(const uint8_t *frame, uint32_t octets);
    uint64_t taken_frames, taken_octets; // off Gb
    uint64_t now_ns;
};

extern struct thread t;

// Limits are the queue's, lifetime 40 s with nothing kept back, no AQM, equal weights.
struct dp_config thread_config(uint32_t queue_packets, uint32_t gb_ring);
void thread_set_aqm(struct dp_class *class, const char *name);
void thread_open_config(const struct dp_config *config);
void thread_open(uint32_t queue_packets, uint32_t gb_ring);

// Closes it and asserts that no buffer was lost, nothing came out wrong, and each drop is counted
// where the scope of its reason says.
void thread_close(void);

// Asserts what dp_command answers.
void thread_command(const struct command *c, int64_t wanted);

// Sends it and lets the worker carry it out.
void thread_do(const struct command *c);

// Both with a command's name and its fields.
#define TRY(wanted, name_, ...) \
    thread_command(&(struct command){.op = COMMAND_##name_, .name_ = {__VA_ARGS__}}, wanted)
#define DO(name_, ...) thread_do(&(struct command){.op = COMMAND_##name_, .name_ = {__VA_ARGS__}})

// One more NSE with an NS-VC, both of that number; and the command that makes such an NS-VC.
void thread_add_nse(uint32_t nse);
struct command thread_nsvc(uint32_t nsvc, uint32_t nse);

// A cell that is not limited; BVCI 2 and on.
void thread_gn_from(uint32_t ipv4, uint8_t prefix);
void thread_add_cell(uint32_t bvc, uint32_t nse);

// The cell's bucket; TIME_NEVER bit/s is none.
void thread_cell(uint64_t rate_bit_per_s, uint32_t bucket_octets);

// An MS alone, in cell 0 or another; a packet flow of it; a PDP context. thread_add_ms is all
// three: context and MS of one number, NSAPI 5, SAPI 3, slot 0, background.
void thread_add_plain_ms(uint32_t ms, uint16_t n201_u);
void thread_add_plain_ms_in(uint32_t bvc, uint32_t ms, uint16_t n201_u);
void thread_add_pfc(uint32_t ms, uint8_t slot, uint8_t traffic_class);
void thread_add_pdp(uint32_t pdp, uint32_t ms, uint8_t slot, uint8_t nsapi, uint8_t sapi);
void thread_add_ms(uint32_t id, uint16_t n201_u);

// Ethernet 14, IPv4 20, UDP 8, GTP-U 8, then the N-PDU.
// From GGSN's port 2152, MAC 02:00:00:00:00:07.
struct rte_mbuf *thread_gn_frame(uint32_t teid, uint32_t octets, uint32_t seed);
void thread_send_frame(struct rte_mbuf *m);

// A frame that is expected to come out.
void thread_send(uint32_t pdp, uint32_t octets);

// These octets as an N-PDU, of which nothing is expected.
void thread_send_octets(uint32_t pdp, const uint8_t *npdu, uint32_t octets);

void thread_poll_to_rest(void);

// Takes at most n frames off Gb and gives them to the receiver; returns how many there were.
uint32_t thread_take(uint32_t n);
void thread_poll_and_take_all(void);

// Goes on until that time, at each instant that the worker asks for, taking all that comes.
void thread_run_until(uint64_t end_ns);

// Of frames of Gn, and of N-PDUs.
struct stats_drop thread_dropped(enum drop_reason reason);

// Takes all the buffers that segments are framed in, and gives so many of them back.
void thread_hold_segment_buffers(void);
void thread_give_segment_buffers(uint32_t n);

void thread_put16(uint8_t *b, uint32_t v);
void thread_put32(uint8_t *b, uint32_t v);
void thread_put_ip_checksum(uint8_t *ip); // of a header of 20 octets

// A CMocka group setup.
int thread_start_eal(void **state);

#endif

// The far side of Gb, as far as the downlink needs one: Gb frames to N-PDUs, by the project's own
// codecs, with reassembly per PDP context, and the delay of each N-PDU by the time stamp it
// carries. Simulated: there is no radio behind it and no flow control; what arrives counts as
// received.
#ifndef SLUICE_LAB_BSS_RECEIVER_H
#define SLUICE_LAB_BSS_RECEIVER_H

#include <stdbool.h>
#include <stdint.h>

#include "dataplane/base/classes.h"
#include "dataplane/base/histogram.h"
#include "lab/bss/decipher.h"

struct receiver_class {
    uint64_t npdus, octets;
    struct histogram delay_ns;
};

struct receiver_context;
struct rte_hash;

struct receiver {
    struct rte_hash *by_key; // struct receiver_key -> context; of NSAPI 0 -> decipher
    struct receiver_context *context;
    uint32_t contexts, room;
    struct decipher *decipher;
    uint32_t deciphers, decipher_room;
    struct cipher_scratch *scratch;
    uint8_t clear[LLC_UI_HEADER_OCTETS + LLC_N201_U_MAX + LLC_FCS_OCTETS]; // the frame at hand
    uint64_t frames, faults, discarded; // N-PDUs given up because a segment was missing
    char first_fault[160];
    struct receiver_class of_class[CLASS_COUNT];
};

// What rte_hash takes for so many contexts and enciphered MSs, at most.
uint64_t receiver_memory_octets(uint32_t contexts_max, uint32_t deciphers_max);

// 0 or a negative errno.
int receiver_setup(struct receiver *receiver, uint32_t contexts_max, uint32_t deciphers_max);
void receiver_release(struct receiver *receiver);
// A TLLI means something within its NSE only, and the NSE is known by its endpoint: so that is part
// of the key. -EEXIST when there is one already.
struct receiver_key {
    uint32_t address;
    uint16_t port;
    uint16_t nsapi;
    uint32_t tlli;
};

int receiver_add_context(struct receiver *receiver, const struct receiver_key *key,
                         uint8_t traffic_class);

// What comes for this MS must be enciphered; the key's NSAPI is 0. -EEXIST when it has a key
// already.
int receiver_add_cipher(struct receiver *receiver, const struct receiver_key *key, uint8_t gea,
                        struct octets kc, uint32_t iov_ui);

// A line_deliver_fn.
void receiver_frame(void *self, const uint8_t *frame, uint32_t octets, uint64_t now_ns);

// N-PDUs of which some segments have come and some have not.
uint32_t receiver_partial(const struct receiver *receiver);

#endif

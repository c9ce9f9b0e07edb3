// The BSS's end of Gb, one struct bss an NSE: NS-VCs, BVCI 0, cells, MSs, with the codecs of
// dataplane/wire. LLC PDUs from the SGSN wait in the BSC buffers of their cell and leave by its
// radio, at a fixed rate, or at once; LLC PDUs of an MS go up as UL-UNITDATA.
//
// Each LLC PDU that came is delivered, lost with a reason, handed over to another BSS, or held: the
// counters say so at any instant. What comes from the SGSN is decoded strictly: what a BSS has no
// reason to expect is counted as a fault, with a text of the first.
//
// An owner's function may call bss_up, and no other function of this file.
#ifndef SLUICE_LAB_BSS_BSS_H
#define SLUICE_LAB_BSS_BSS_H

#include "dataplane/wire/field.h"
#include "lab/bss/bss_config.h"
#include "lab/engine/engine.h"
#include "lab/radio/radio.h"

struct bss;
struct bss_cell;
struct bss_ms;

enum bss_way { BSS_DOWN, BSS_UP, BSS_WAYS };

enum bss_loss {
#define BSS_LOSS(name, way, told, help) BSS_LOST_##name,
#include "lab/bss/bss_losses.def"
#undef BSS_LOSS
    BSS_LOSSES
};
const char *bss_loss_name(enum bss_loss loss);
const char *bss_loss_help(enum bss_loss loss);

// lost: no MS of the BSS need have the TLLI, or has it any more. up: the SGSN has acknowledged the
// cell's first FLOW-CONTROL-BVC since a reset (ns = "manual": at the start). neighbour: the BSS of
// that NSEI, for FLUSH-LL with inter-NSE rerouting; NULL, also instead of the function: none.
struct bss_owner {
    void *self;
    void (*send)(void *self, uint32_t nsvc, const uint8_t *ns, uint32_t octets, uint64_t now_ns);
    void (*deliver)(void *self, struct bss_ms *ms, const uint8_t *llc, uint32_t octets,
                    uint64_t now_ns);
    void (*lost)(void *self, uint32_t tlli, enum bss_way way, const uint8_t *llc, uint32_t octets,
                 enum bss_loss why, uint64_t now_ns);
    void (*up)(void *self, struct bss_cell *cell, uint64_t now_ns);
    struct bss *(*neighbour)(void *self, uint16_t nsei);
};

struct bss_tally {
    uint64_t pdus, octets;
};

// in = out + the lost + over + held, each way. over: handed over to another BSS less taken over
// from another one (it may be below 0, modulo 2^64).
struct bss_traffic {
    struct bss_tally in[BSS_WAYS], out[BSS_WAYS], held[BSS_WAYS];
    struct bss_tally lost[BSS_LOSSES]; // each reason belongs to one way
    struct bss_tally over;
};

#define BSS_TEXT_OCTETS 160
struct bss_counters {
    struct bss_traffic traffic;
    struct bss_tally told; // frames and octets in the LLC-DISCARDED that were sent
    uint64_t ns_in[32], ns_out[32], bssgp_in[256], bssgp_out[256]; // by type
    uint64_t retries, timeouts, unsent; // unsent: PDUs for which there was no NS-VC
    uint64_t faults;                    // what the SGSN should not have sent
    uint64_t statuses;                  // STATUS and NS-STATUS of the SGSN
    uint64_t late;                      // answers that nobody waits for any more
    char first_fault[BSS_TEXT_OCTETS], first_status[BSS_TEXT_OCTETS];
};

enum bss_way bss_loss_way(enum bss_loss loss);

struct bss *bss_create(const struct bss_config *config, const struct bss_owner *owner,
                       struct engine *engine);
void bss_destroy(struct bss *bss); // what it holds is gone

// The BSS's endpoint of an NS-VC; the SGSN has one endpoint of each family. NS-VCs are numbered
// from 0 as they are added.
struct bss_nsvc_config {
    uint16_t nsvci;
    struct ipv6_address address; // IPv4 as ::ffff:a.b.c.d
    uint16_t port;
    uint8_t signalling_weight, data_weight;
};
uint32_t bss_add_nsvc(struct bss *bss, const struct bss_nsvc_config *config);
bool bss_nsvc_is_up(const struct bss *bss, uint32_t nsvc);

// A cell that is added later comes up by bss_cell_reset.
struct bss_cell *bss_add_cell(struct bss *bss, const struct bss_cell_config *config);

// Gives the cell a radio, before any MS enters. Returns it, for plans and its counters; all else of
// it is the BSS's. Without one LLC PDUs leave at buffer.rate, or at once.
struct radio *bss_cell_add_radio(struct bss_cell *cell, const struct radio_config *config,
                                 uint64_t seed);
struct radio *bss_cell_radio(const struct bss_cell *cell); // NULL: none

// From now on the cell's buckets are those of the file, which it takes over; not with ns =
// "manual".
struct bss_trace;
void bss_cell_follow(struct bss_cell *cell, struct bss_trace *trace);

// Begins with NS. With ns = "manual" NS-VCs and cells are up at once, and the BSS begins nothing
// but UL-UNITDATA: no reset, no test, no flow control, no SUSPEND, no report.
void bss_start(struct bss *bss, uint64_t now_ns);

// An NS PDU from the SGSN on that NS-VC.
void bss_input(struct bss *bss, uint32_t nsvc, const uint8_t *ns, uint32_t octets, uint64_t now_ns);

// A tag of the owner's goes with an LLC PDU through the BSS, into another BSS as well (FLUSH-LL),
// and is not in the octets. bss_tag: that of the LLC PDU for which `send`, `deliver` or `lost` is
// called, to be asked before the owner's function calls anything else; 0: none.
void bss_input_tagged(struct bss *bss, uint32_t nsvc, const uint8_t *ns, uint32_t octets,
                      uint64_t tag, uint64_t now_ns);
uint64_t bss_tag(const struct bss *bss);

// ---- MSs ----

struct bss_identity {
    uint32_t tlli;                 // unique within the BSS
    struct digits imsi;            // "" if nobody pages it by its IMSI
    uint32_t number;               // by which plans of a radio name it
    const struct radio_own *radio; // must stay; NULL: the cells' keys
};

// The MS is in the cell, and silent; `user` is the owner's. What it left behind there is delivered
// inside, perhaps. NULL: the TLLI is in use.
struct bss_ms *bss_enter(struct bss *bss, struct bss_cell *cell,
                         const struct bss_identity *identity, void *user, uint64_t now_ns);

// The MS has left the NSE. Its LLC PDUs wait for FLUSH-LL.
void bss_leave(struct bss_ms *ms, uint64_t now_ns);

// The MS is in another cell, of any BSS, where it sends an LLC PDU without information (NULL), in a
// call or out of reach as soon as that is over. Returns false, and it stays, if another MS of that
// BSS has its TLLI.
bool bss_move(struct bss_ms *ms, struct bss_cell *cell, uint64_t now_ns);

// The MS sends an LLC PDU without information, by which the SGSN learns its cell: after bss_enter,
// or when it answers a page.
void bss_hello(struct bss_ms *ms, uint64_t now_ns);

// An LLC PDU of the MS for the radio's uplink; at least one octet.
void bss_up(struct bss_ms *ms, const uint8_t *llc, uint32_t octets, uint64_t now_ns);
void bss_up_tagged(struct bss_ms *ms, const uint8_t *llc, uint32_t octets, uint64_t tag,
                   uint64_t now_ns);

// A call begins (SUSPEND) and ends (RESUME); meanwhile the BSC buffers hold the MS's LLC PDUs.
void bss_suspend(struct bss_ms *ms, uint64_t now_ns);
void bss_resume(struct bss_ms *ms, uint64_t now_ns);

// The MS answers pages, gets LLC PDUs and sends them only while it is reachable; so it is at first.
void bss_reach(struct bss_ms *ms, bool reachable, uint64_t now_ns);

// The MS has another TLLI, that no MS of the BSS has. What is sent to the one before finds it, too,
// until it has yet another one.
void bss_rename(struct bss_ms *ms, uint32_t tlli);

void *bss_ms_user(const struct bss_ms *ms);
struct bss_cell *bss_ms_cell(const struct bss_ms *ms);
uint32_t bss_ms_tlli(const struct bss_ms *ms);
struct bss_ms *bss_ms_find(struct bss *bss, uint32_t tlli); // NULL: none
bool bss_ms_is_suspended(const struct bss_ms *ms);
struct bss_tally bss_ms_held(const struct bss_ms *ms); // in its cell, on the way down

// ---- Cells ----

struct bss_cell *bss_cell_find(struct bss *bss, uint16_t bvci); // NULL: none
uint16_t bss_cell_bvci(const struct bss_cell *cell);
bool bss_cell_is_up(const struct bss_cell *cell);
const struct bss_traffic *bss_cell_traffic(const struct bss_cell *cell);

void bss_cell_reset(struct bss *bss, struct bss_cell *cell, uint64_t now_ns);
void bss_cell_block(struct bss *bss, struct bss_cell *cell, uint8_t cause, uint64_t now_ns);
void bss_cell_unblock(struct bss *bss, struct bss_cell *cell, uint64_t now_ns);

// The radio channel of an MS, or of the whole cell (ms NULL), is taken away, or back; for cells
// without a radio.
void bss_channel(struct bss *bss, struct bss_cell *cell, struct bss_ms *ms, bool there,
                 uint64_t now_ns);

// ---- Procedures that the BSS begins ----

void bss_radio_status(struct bss *bss, struct bss_ms *ms, uint8_t cause, uint64_t now_ns);
void bss_ra_capability_update(struct bss *bss, struct bss_ms *ms, uint64_t now_ns);
void bss_pfc_modify(struct bss *bss, struct bss_ms *ms, uint8_t pfi, uint64_t rate_bit_per_s,
                    uint64_t now_ns);
void bss_pfc_delete(struct bss *bss, struct bss_ms *ms, uint8_t pfi, uint8_t cause,
                    uint64_t now_ns);

// ---- Counters ----

const struct bss_counters *bss_counters(const struct bss *bss);

#endif

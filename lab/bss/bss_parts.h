// What the files of the BSS share: its structs, and who calls whom. For lab/bss alone.
#ifndef SLUICE_LAB_BSS_PARTS_H
#define SLUICE_LAB_BSS_PARTS_H

#include "dataplane/wire/pdus.h"
#include "lab/bss/bss.h"
#include "lab/bss/bss_codel.h"
#include "lab/bss/bss_table.h"
#include "lab/radio/radio.h"

#define BSS_SAPIS 16

// ---- LLC PDUs ----

// The packet flow that an LLC PDU names, if it does.
struct bss_flow_id {
    bool has_pfi;
    uint8_t pfi;
};

// Behind next_down an LLC PDU is no more in its buffer's queues, but still held (on the air).
struct bss_pdu {
    struct radio_pdu air;          // while the radio has it
    struct bss_pdu *next, *before; // in its LLE's queue
    struct bss_buffer *buffer;     // up: its MS's when it was sent
    struct engine_timer expiry;    // of its PDU lifetime
    uint64_t dies_ns;              // TIME_NEVER: an infinite lifetime
    uint64_t since_ns, order;      // when it came, and as which of the NSE
    uint32_t octets;
    uint16_t rank; // the lower goes first
    struct bss_flow_id flow;
    uint64_t tag;
    uint8_t sapi, room;
    uint8_t llc[];
};

struct bss_queue {
    struct bss_pdu *first, *last;
};

// ---- Flow control of one bucket: what was said last, and what was carried ----

struct bss_said {
    uint64_t bmax_octets, r_bit_per_s, ms_bmax_octets, ms_r_bit_per_s;
    uint64_t at_ns;
    uint8_t tag;
    bool ever, acknowledged;
};

// By time, or with a radio by its slots.
struct bss_meter {
    uint64_t octets;            // carried since the last reading
    uint64_t busy_ns, since_ns; // how long there was something to carry; since when there is
    struct radio_use use;       // of the radio, at the last reading
    struct radio_use read;      // and what that reading found; without slots: nothing yet
    uint64_t r_bit_per_s;       // of the last reading with enough of all; 0: none
    bool busy, moved;           // moved: something came or went since the last reading
};

// ---- Packet flow contexts ----

enum bss_pfc_state { BSS_PFC_ASKED, BSS_PFC_KNOWN, BSS_PFC_MODIFYING, BSS_PFC_DELETING };

struct bss_pfc {
    struct bss_pfc *next;
    struct bss_buffer *buffer;
    struct engine_timer timer; // T6, T8
    struct abqp abqp, wanted;  // wanted: MODIFY-BSS-PFC's
    uint64_t used_ns, idle_ns; // idle_ns: the packet flow timer; TIME_NEVER: none
    uint32_t tries, octets;    // octets: waiting
    uint8_t pfi, cause;
    enum bss_pfc_state state;
};

// ---- A buffer: what a cell holds for a TLLI ----

struct bss_discards {
    uint32_t frames, octets;
    bool has_pfi;
    uint8_t pfi;
};

struct bss_trace;

struct bss_buffer {
    struct bss_cell *cell;
    struct bss_ms *ms; // NULL: the MS is not in the cell
    struct bss_link by_tlli;
    struct bss_buffer *turn_next, *turn_before; // in the cell's turns, without a radio
    struct bss_buffer *of_cell_next, *of_cell_before;
    uint32_t tlli;
    uint32_t pdus, octets;         // waiting
    uint32_t air_pdus, air_octets; // on the air
    uint16_t waiting;              // bit i: LLE i has some
    uint32_t air;                  // its MS's index in the cell's radio
    bool in_turn, no_channel;
    struct bss_queue lle[BSS_SAPIS];
    struct engine_timer absent, gather, flow;
    struct bss_discards discards;
    struct bss_said said, traced; // traced: what the cell's file says
    bool follows;                 // it has said something
    struct bss_meter meter;
    struct bss_codel codel;
    struct bss_pfc *pfcs;
};

// ---- A cell ----

enum bss_cell_state {
    BSS_CELL_DOWN,
    BSS_CELL_RESETTING,
    BSS_CELL_UP,
    BSS_CELL_BLOCKING,
    BSS_CELL_BLOCKED,
    BSS_CELL_UNBLOCKING
};

struct bss_cell {
    struct bss *bss;
    struct bss_cell_config config;
    struct bss_cell *next; // in the order in which they were added
    struct bss_link by_bvci;
    enum bss_cell_state state;
    uint8_t cause;
    uint32_t tries;
    bool told_up, no_channel, without_channels; // without_channels: none of its MSs has one
    struct engine_timer timer, flow, server, tracer;
    struct bss_said said, traced;
    struct bss_trace *trace; // NULL: it follows no file
    uint32_t trace_next;
    bool follows; // the file has said something
    struct bss_meter meter;
    uint64_t offered_bit_per_s; // the radio's rate when it last had slots
    uint64_t delay_ns, delays;  // in the buffers, since the last FLOW-CONTROL-BVC
    struct bss_traffic traffic;
    struct bss_buffer *buffers; // all of the cell
    uint32_t busy_buffers;      // whose meter runs
    struct bss_buffer *turn;    // whose turn it is
    struct bss_pdu *served;
    struct radio *radio;        // NULL: none
    struct bss_buffer **on_air; // by the MS's index in the radio
    uint32_t air_room;
};

// ---- An MS ----

struct bss_ms {
    struct bss *bss;
    void *user;
    uint32_t tlli, tlli_before, number;
    bool has_imsi, has_before, suspended, unreachable;
    bool unheard; // it has changed its cell, and could not say so
    struct digits imsi;
    const struct radio_own *radio; // of this MS; NULL: the cell's
    struct bss_link by_tlli, by_before, by_imsi;
    struct bss_buffer *buffer;
    // SUSPEND and RESUME
    struct engine_timer timer;
    enum { BSS_CALL_NONE, BSS_CALL_SUSPENDING, BSS_CALL_SUSPENDED, BSS_CALL_RESUMING } call;
    struct bssgp_area area; // of the cell of the SUSPEND
    uint8_t reference;
    bool has_reference;
    uint32_t tries;
    struct engine_timer page, capability;
    uint32_t capability_tries;
    uint8_t capability_tag;
};

// In a call, or out of reach: it neither gets nor sends anything.
static inline bool bss_ms_is_silent(const struct bss_ms *ms)
{
    return ms->suspended || ms->unreachable;
}

// ---- NS ----

enum bss_nsvc_state {
    BSS_NSVC_DEAD,
    BSS_NSVC_RESETTING,
    BSS_NSVC_BLOCKED,
    BSS_NSVC_UNBLOCKING,
    BSS_NSVC_UP
};

struct bss_nsvc {
    struct bss *bss;
    struct bss_nsvc_config config;
    uint32_t index;
    enum bss_nsvc_state state;
    struct engine_timer timer, test;
    uint32_t tries;
    bool asked; // NS-ALIVE is out
};

enum bss_sns_state {
    BSS_SNS_IDLE,
    BSS_SNS_SIZING,
    BSS_SNS_CONFIGURING,
    BSS_SNS_WAITING,
    BSS_SNS_UP
};

// ---- All of it ----

#define BSS_ROOMS 3 // sizes of LLC PDUs that are kept for reuse

struct bss {
    struct bss_config config;
    struct bss_owner owner;
    struct engine *engine;
    struct bss_nsvc **nsvc;
    uint32_t nsvcs, usable; // usable: NS-VCs that are up
    bool fresh;             // BVCs are to be reset once an NS-VC is up
    enum bss_sns_state sns;
    struct engine_timer sns_timer;
    uint32_t sns_tries;
    struct bss_cell *cells, **cells_end;
    bool resetting, signalling_up; // BVCI 0
    struct engine_timer t2;
    uint8_t features, extended; // in force
    struct bss_table cell_by_bvci, ms_by_tlli, ms_by_before, ms_by_imsi, buffer_by_tlli;
    struct bss_pdu *free[BSS_ROOMS];
    uint64_t orders;      // of LLC PDUs
    uint64_t in_tag, tag; // of the NS PDU that has come; for bss_tag
    struct bss_counters counters;
    const struct wire_pdu *ns_pdu[32], *bssgp_pdu[256];
    uint8_t out[4096];
};

static inline bool bss_cbl(const struct bss *bss)
{
    return bss->features & 0x02;
}

// ---- bss_gb: what goes out, faults ----

// A BSSGP PDU on a BVC; false: there was no NS-VC for it.
bool bss_send(struct bss *bss, uint16_t bvci, uint8_t type, const void *pdu, uint64_t now_ns);
bool bss_send_unitdata(struct bss *bss, uint16_t bvci, const struct bssgp_ul_unitdata *pdu,
                       uint64_t tag, uint64_t now_ns);
void bss_send_ns(struct bss_nsvc *nsvc, uint8_t type, const void *pdu, uint64_t now_ns);
void bss_status(struct bss *bss, struct bss_cell *cell, uint8_t cause, const uint16_t *bvci,
                struct octets in_error, uint64_t now_ns);
void bss_fault(struct bss *bss, const char *pdu, const char *what, uint32_t offset,
               uint64_t now_ns);

// ---- bss_ns, bss_sns ----

void bss_ns_start(struct bss_nsvc *nsvc, uint64_t now_ns);
void bss_ns_input(struct bss_nsvc *nsvc, uint8_t type, const union wire_any *pdu, uint64_t now_ns);
void bss_ns_test(struct bss_nsvc *nsvc, uint64_t now_ns);
void bss_ns_enter(struct bss_nsvc *nsvc, enum bss_nsvc_state state, uint64_t now_ns);
void bss_ns_init(struct bss_nsvc *nsvc);
void bss_sns_init(struct bss *bss);
void bss_sns_start(struct bss *bss, uint64_t now_ns);
void bss_sns_input(struct bss_nsvc *nsvc, uint8_t type, const union wire_any *pdu, uint64_t now_ns);
void bss_sns_lost(struct bss *bss, uint64_t now_ns); // no NS-VC is alive

// ---- bss_bvc ----

void bss_bvc_init(struct bss *bss);
void bss_bvc_init_cell(struct bss_cell *cell);
void bss_bvc_ns_up(struct bss *bss, uint64_t now_ns);
void bss_bvc_input(struct bss *bss, uint8_t type, const union wire_any *pdu, uint64_t now_ns);
static inline bool bss_bvc_takes(const struct bss_cell *cell)
{
    return cell->state == BSS_CELL_UP || cell->state == BSS_CELL_BLOCKING;
}

// ---- bss_input ----

void bss_input_sdu(struct bss_nsvc *nsvc, uint16_t bvci, struct octets sdu, uint64_t now_ns);

// ---- bss_flow, bss_flow_ms, bss_value ----

void bss_flow_init(struct bss_cell *cell);
void bss_flow_begin(struct bss_cell *cell, uint64_t now_ns); // the cell was reset
void bss_flow_end(struct bss_cell *cell);
void bss_flow_ack(struct bss_cell *cell, uint8_t tag, uint64_t now_ns);
void bss_flow_ack_ms(struct bss_cell *cell, uint32_t tlli, uint8_t tag);
void bss_flow_channel(struct bss_cell *cell, struct bss_buffer *buffer, uint64_t now_ns);
void bss_flow_init_buffer(struct bss_buffer *buffer);
void bss_flow_arrived(struct bss_buffer *buffer, uint64_t now_ns); // traffic for the MS
// From now on these are the values: they are said now, if the cell is up.
void bss_flow_follow(struct bss_cell *cell, const struct bss_said *values, uint64_t now_ns);
void bss_flow_follow_ms(struct bss_buffer *buffer, const struct bss_said *values, uint64_t now_ns);
void bss_trace_end(struct bss_cell *cell);
void bss_meter_set(struct bss_meter *meter, bool busy, uint64_t now_ns);
void bss_meter_read_cell(struct bss_cell *cell, uint64_t now_ns);
void bss_meter_read_ms(struct bss_buffer *buffer, uint64_t now_ns);

// ---- bss_pdu: memory, and the traffic's books ----

struct bss_pdu *bss_pdu_make(struct bss *bss, struct octets llc, uint64_t tag);
void bss_pdu_free(struct bss *bss, struct bss_pdu *pdu);
void bss_pdu_release(struct bss *bss);

struct bss_item {          // an LLC PDU for the books
    struct bss_cell *cell; // NULL: no cell was named
    uint32_t tlli;
    const uint8_t *llc;
    uint32_t octets;
    uint64_t tag;
};
void bss_book_in(struct bss *bss, const struct bss_item *item, enum bss_way way);
void bss_book_held(struct bss *bss, const struct bss_item *item, enum bss_way way, int sign);
void bss_book_out(struct bss *bss, const struct bss_item *item, enum bss_way way);
void bss_book_over(struct bss *bss, const struct bss_item *item, int sign);
// Tells the owner, too.
void bss_book_lost(struct bss *bss, const struct bss_item *item, enum bss_loss why,
                   uint64_t now_ns);

// ---- bss_place: where the buffers are ----

struct bss_buffer *bss_buffer_find(struct bss *bss, const struct bss_cell *cell, uint32_t tlli);
struct bss_buffer *bss_buffer_make(struct bss_cell *cell, uint32_t tlli, struct bss_ms *ms);
void bss_buffer_attach(struct bss_buffer *buffer, struct bss_ms *ms, uint64_t now_ns);
void bss_buffer_detach(struct bss_buffer *buffer, uint64_t now_ns); // the MS has left the cell
void bss_buffer_free_idle(struct bss_buffer *buffer, uint64_t now_ns);
void bss_buffer_free(struct bss_buffer *buffer);
void bss_buffer_rename(struct bss_buffer *buffer, uint32_t tlli);
void bss_buffer_pass(struct bss_buffer *from, struct bss_buffer *to, uint64_t now_ns);

// ---- bss_buffer: queues; bss_rank ----

struct bss_item bss_pdu_item(const struct bss_pdu *pdu);
void bss_buffer_append(struct bss_buffer *buffer, struct bss_pdu *pdu);
void bss_buffer_count(struct bss_buffer *buffer, const struct bss_pdu *pdu, int sign);
// What is held has changed, or a channel.
void bss_buffer_meter(struct bss_buffer *buffer, uint64_t now_ns);
void bss_buffer_put(struct bss_buffer *buffer, const struct bssgp_dl_unitdata *dl, uint64_t now_ns);
// Takes the next LLC PDU, which is then on the air; NULL: none.
struct bss_pdu *bss_buffer_next(struct bss_buffer *buffer, uint64_t now_ns);
void bss_buffer_delivered(struct bss_pdu *pdu, uint64_t now_ns);
void bss_buffer_lose(struct bss_pdu *pdu, enum bss_loss why, uint64_t now_ns); // waiting or on air
void bss_buffer_lose_all(struct bss_buffer *buffer, enum bss_loss why, uint64_t now_ns);
uint32_t bss_pdu_rank(const struct bss_buffer *buffer, const struct bssgp_dl_unitdata *dl);

// ---- bss_serve: from the buffers to the MSs ----

void bss_serve_init(struct bss_cell *cell);
void bss_serve(struct bss_buffer *buffer, uint64_t now_ns); // there may be something for it to do
bool bss_serve_may(const struct bss_buffer *buffer);        // the MS can get something now
void bss_serve_cell(struct bss_cell *cell, uint64_t now_ns);
void bss_serve_leave(struct bss_buffer *buffer);
void bss_serve_call(struct bss_buffer *buffer, bool begins, uint64_t now_ns);
void bss_serve_up(struct bss_ms *ms, struct octets llc, uint64_t tag, uint64_t now_ns);

// ---- bss_radio: nothing in a cell without one ----

void bss_radio_enter(struct bss_buffer *buffer, uint64_t now_ns);
void bss_radio_leave(struct bss_buffer *buffer, uint64_t now_ns);

// ---- bss_channel ----

void bss_channel_ms(struct bss_buffer *buffer, bool there, uint64_t now_ns);

// ---- bss_report: LLC-DISCARDED, RADIO-STATUS ----

void bss_report_init(struct bss_buffer *buffer);
void bss_report_loss(struct bss_cell *cell, struct bss_buffer *buffer, uint32_t tlli,
                     const struct bss_flow_id *flow, uint32_t octets, enum bss_loss why,
                     uint64_t now_ns);
void bss_report_flush(struct bss_buffer *buffer, uint64_t now_ns); // what is gathered
void bss_report_radio(struct bss_cell *cell, uint32_t tlli, uint8_t cause, uint64_t now_ns);

// ---- bss_ms ----

void bss_ms_input(struct bss *bss, uint8_t type, const union wire_any *pdu, uint64_t now_ns);
void bss_ms_rename(struct bss_ms *ms, uint32_t tlli);
// By the TLLI that it had before; NULL: none.
struct bss_ms *bss_ms_find_before(struct bss *bss, uint32_t tlli);
struct bss_ms *bss_ms_find_imsi(struct bss *bss, const struct digits *imsi);
void bss_flush_input(struct bss *bss, const struct bssgp_flush_ll *pdu, uint64_t now_ns);
void bss_page_input(struct bss *bss, const struct bssgp_paging_ps *pdu, uint64_t now_ns);

// ---- bss_pfc ----

void bss_pfc_input(struct bss_cell *cell, uint8_t type, const union wire_any *pdu, uint64_t now_ns);
struct bss_pfc *bss_pfc_find(struct bss_buffer *buffer, uint8_t pfi, uint64_t now_ns);
void bss_pfc_used(struct bss_buffer *buffer, uint8_t pfi, uint64_t now_ns);
void bss_pfc_forget(struct bss_buffer *buffer);
void bss_pfc_pass(struct bss_buffer *from, struct bss_buffer *to);

#endif

// Control's state for the live view: for each NSE, NS-VC, cell and MS its number on the wire, its
// state as a word, and an MS's IMSI. Lua writes the board through `require "board"`; DPDK's
// telemetry threads read it and never call Lua.
//
// One record is one 64-bit word, written and read whole, so there is no lock and no torn record; a
// million MSs take 8 MB. One writer, control's thread; any number of readers. Each state word is
// stored once; there is room for BOARD_WORDS - 1 of them, further ones are shown as "".
#ifndef SLUICE_CONTROL_EXPORT_BOARD_H
#define SLUICE_CONTROL_EXPORT_BOARD_H

#include "dataplane/dataplane.h"

#define BOARD_WORDS       64u
#define BOARD_WORD_OCTETS 20u // the longest state

#define BOARD_STATE(MUST, T) MUST(T, OCTETS, state, 0, BOARD_WORD_OCTETS, "its state, a word")

#define BOARD_NSE_FIELDS(MUST, MAY, T)                                         \
    MUST(T, U32, nse_id, 0, UINT32_MAX, "index of the NSE")                    \
    MUST(T, U16, nsei, 0, 0xffff, "NSEI")                                      \
    BOARD_STATE(MUST, T)                                                       \
    MUST(T, U8, features, 0, 255, "features in force, as in BVC-RESET's bits") \
    MUST(T, U8, extended_features, 0, 255, "extended features in force")
#define BOARD_NSVC_FIELDS(MUST, MAY, T)                        \
    MUST(T, U32, nsvc_id, 0, UINT32_MAX, "index of the NS-VC") \
    MUST(T, U32, nse_id, 0, 0xffff, "index of its NSE")        \
    MUST(T, U16, nsvci, 0, 0xffff, "NSVCI")                    \
    BOARD_STATE(MUST, T)
#define BOARD_BVC_FIELDS(MUST, MAY, T)                       \
    MUST(T, U32, bvc_id, 0, UINT32_MAX, "index of the cell") \
    MUST(T, U32, nse_id, 0, 0xffff, "index of its NSE")      \
    MUST(T, U16, bvci, 0, 0xffff, "BVCI")                    \
    BOARD_STATE(MUST, T)
#define BOARD_MS_FIELDS(MUST, MAY, T)                     \
    MUST(T, U32, ms_id, 0, UINT32_MAX, "index of the MS") \
    MUST(T, DIGITS, imsi, 1, 15, "IMSI")                  \
    BOARD_STATE(MUST, T)
FIELD_STRUCT(board_nse, BOARD_NSE_FIELDS);
FIELD_STRUCT(board_nsvc, BOARD_NSVC_FIELDS);
FIELD_STRUCT(board_bvc, BOARD_BVC_FIELDS);
FIELD_STRUCT(board_ms, BOARD_MS_FIELDS);
extern const struct field_record board_nse_record, board_nsvc_record, board_bvc_record,
    board_ms_record;

struct board;

// Makes a board with the dataplane's number of places. Returns NULL without memory.
struct board *board_create(const struct dp_config *config);
void board_destroy(struct board *board);

// The calls of `require "board"`: nse, nsvc, bvc and ms write a record; gone_nse and so on remove
// it. Their target is the struct board.
extern const struct field_call board_calls[];
extern const uint32_t board_call_count;

// Read a record; return false if there is none. `state` is valid while the board lives.
bool board_nse(const struct board *board, uint32_t id, struct board_nse *nse);
bool board_nsvc(const struct board *board, uint32_t id, struct board_nsvc *nsvc);
bool board_bvc(const struct board *board, uint32_t id, struct board_bvc *bvc);
bool board_ms(const struct board *board, uint32_t id, struct board_ms *ms);

// Find a record by its number on the wire, in a linear search; UINT32_MAX: there is none.
uint32_t board_nse_of(const struct board *board, uint16_t nsei);
uint32_t board_bvc_of(const struct board *board, uint32_t nse_id, uint16_t bvci);
uint32_t board_ms_of(const struct board *board, const char *imsi);

#endif

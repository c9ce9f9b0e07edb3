// UL-UNITDATA (TS 48.018 10.2.2): the path needs its TLLI and its LLC PDU. The common form (cell
// identifier, perhaps PFI, perhaps alignment, LLC PDU) is read here; any other form by the table's
// decoder, which is some 20 times slower and decides on validity. Both give the same result on the
// common form, including the check of the cell's PLMN digits.
#include "dataplane/up/up_parts.h"
#include "dataplane/wire/bytes.h"

#define TLLI_AT        1u
#define CELL_AT        8u
#define CELL_OCTETS    8u
#define BEHIND_CELL_AT (CELL_AT + 2 + CELL_OCTETS)
#define TAG_ALIGNMENT  0x00
#define TAG_CELL       0x08
#define TAG_LLC_PDU    0x0e
#define TAG_PFI        0x28

static bool digits(uint8_t octet)
{
    return (octet & 15) <= 9 && octet >> 4 <= 9;
}

// The MNC's third digit may be absent (15).
static bool good_plmn(const uint8_t *b)
{
    return digits(b[0]) && digits(b[1] >> 4 == 15 ? b[1] & 15 : b[1]) && digits(b[2]);
}

static bool has_cell(const uint8_t *b)
{
    return b[CELL_AT] == TAG_CELL && b[CELL_AT + 1] == (BSSGP_LENGTH_SHORT | CELL_OCTETS) &&
           good_plmn(b + CELL_AT + 2);
}

// Returns the offset behind an element with that tag and a length in those bounds, if it is at `at`
// and ends before n.
static uint32_t skip(const uint8_t *b, uint32_t n, uint32_t at, uint8_t tag, uint32_t least,
                     uint32_t most)
{
    if (n - at < 2 || b[at] != tag || b[at + 1] < (BSSGP_LENGTH_SHORT | least) ||
        b[at + 1] > (BSSGP_LENGTH_SHORT | most))
        return at;
    uint32_t behind = at + 2 + (b[at + 1] & ~BSSGP_LENGTH_SHORT);
    return behind <= n ? behind : at;
}

// The LLC PDU, if it is at `at` and ends the PDU.
static bool get_llc_pdu(const uint8_t *b, uint32_t n, uint32_t at, struct octets *llc)
{
    if (n - at < 2 || b[at] != TAG_LLC_PDU)
        return false;
    uint32_t head = b[at + 1] & BSSGP_LENGTH_SHORT ? 2 : 3;
    if (n - at < head)
        return false;
    *llc = (struct octets){b + at + head, n - at - head};
    return llc->n == (head == 2 ? b[at + 1] & ~BSSGP_LENGTH_SHORT : get_be16(b + at + 1));
}

bool up_bssgp_plain(const uint8_t *b, uint32_t n, uint32_t *tlli, struct octets *llc)
{
    if (n < BEHIND_CELL_AT || b[0] != BSSGP_UL_UNITDATA_TYPE || !has_cell(b))
        return false;
    uint32_t at = skip(b, n, BEHIND_CELL_AT, TAG_PFI, 1, 1);
    at = skip(b, n, at, TAG_ALIGNMENT, 0, 3);
    *tlli = get_be32(b + TLLI_AT);
    return get_llc_pdu(b, n, at, llc);
}

int up_bssgp(const uint8_t *b, uint32_t n, uint32_t *tlli, struct octets *llc)
{
    struct bssgp_ul_unitdata pdu;
    if (up_bssgp_plain(b, n, tlli, llc))
        return 0;
    int fault = bssgp_ul_unitdata_decode(&pdu, b, n);
    if (fault < 0)
        return fault;
    *tlli = pdu.tlli;
    *llc = pdu.llc_pdu;
    return 0;
}

// What a datagram carries: GTP-U messages from GGSNs, NS PDUs from NS-VCs and from strangers. What
// is good is good for the state that the worker is in: tunnels that there are, an MS in its cell
// with the next N(U) under its key, the segment that is expected next. The input leads away from
// that at each step.
#include <string.h>

#include "dataplane/wire/fcs.h"
#include "dataplane/wire/gtpu.h"
#include "dataplane/wire/llc_cipher.h"
#include "tests/fuzz/path_draft.h"

static const struct state *state; // of the worker that has the MS
static const struct up *uplink;   // and its uplink

// ---- Gn ----

static const uint16_t sizes[] = {20, 40, 64, 140, 300, 576, 1000, 1100, 1, 0, 1960, 2300};

static uint32_t any_octets(void)
{
    uint32_t choice = input_octet();
    return choice < 224 ? sizes[choice % (sizeof sizes / sizeof *sizes)] : input_word() % 2800;
}

// An IP packet as far as the path looks, or no packet at all.
static void put_inner(void)
{
    uint32_t n = any_octets(), choice = input_octet();
    draft_behind(n, (uint8_t)choice);
    uint8_t *b = draft_at();
    if (n >= 28) {
        b[0] = choice & 1 ? 0x60 : 0x45;
        b[1] = choice & 1 ? (uint8_t)(choice << 3) : (uint8_t)(choice >> 1);
        b[choice & 1 ? 6 : 9] = choice & 4 ? 17 : 6;
        b[choice & 1 ? 40 % n : 21] = (uint8_t)choice;
    }
    draft_fault(LAYER_INNER, false);
    draft_fault(LAYER_INNER, true);
}

static uint32_t any_teid(void)
{
    uint32_t choice = input_octet(), teid = path_teid(input_word() % path.pdps);
    return choice < 240 ? teid : choice < 244 ? teid ^ 0x01000000 : input_long();
}

// A chain of n headers, written from its end; the type of the first.
static uint8_t put_chain(uint32_t n)
{
    static const uint8_t types[] = {0xc0, 0x20, 0x40, 0x85, 0x03, 0x81, 0x00};
    uint8_t next = 0;
    while (n--) {
        uint32_t octets = 4 * (1 + input_octet() % 3);
        uint8_t *b = draft_front(octets);
        memset(b, 0, octets);
        b[0] = (uint8_t)(octets / 4);
        b[octets - 1] = next;
        next = INPUT_ONE_OF(types);
    }
    return next;
}

static void put_gtpu(uint8_t type, uint32_t teid)
{
    uint32_t choice = input_octet(), flags = choice >= 200 ? choice % 8 : 0;
    if (flags) {
        uint8_t first = put_chain(flags & 4 ? 1 + choice % 3 : 0);
        uint8_t *b = draft_front(4);
        put_be16(b, (uint16_t)choice);
        b[2] = 0;
        b[3] = first;
    }
    uint32_t octets = draft_octets();
    uint8_t *b = draft_front(8);
    b[0] = (uint8_t)(0x30 | flags);
    b[1] = type;
    put_be16(b + 2, (uint16_t)octets);
    put_be32(b + 4, teid);
    draft_fault(LAYER_TUNNEL, false);
    draft_fault(LAYER_TUNNEL, true);
}

// What messages other than a G-PDU hold: the elements that there are, and any.
static void put_gtpu_elements(void)
{
    static const uint8_t teid[] = {0x10, 0, 0, 0x10, 1, 0x85, 0, 4, 192, 0, 2, 1},
                         restart[] = {14, 0}, list[] = {141, 2, 0xc0, 0x40};
    uint32_t choice = input_octet();
    if (choice & 1)
        memcpy(draft_front(sizeof teid), teid, sizeof teid);
    if (choice & 2)
        memcpy(draft_front(sizeof restart), restart, sizeof restart);
    if (choice & 4)
        memcpy(draft_front(sizeof list), list, sizeof list);
    if (choice >= 192)
        draft_behind(choice % 32, (uint8_t)input_octet());
}

static struct path_endpoint from_gn(void)
{
    static const uint8_t types[] = {GTPU_ECHO_REQUEST,     GTPU_ECHO_RESPONSE,
                                    GTPU_ERROR_INDICATION, GTPU_SUPPORTED_EXTENSIONS,
                                    GTPU_END_MARKER,       GTPU_ERROR_INDICATION};
    uint32_t choice = input_octet(), place = 1 + choice % 8;
    if (choice < 208) {
        put_inner();
        put_gtpu(GTPU_G_PDU, any_teid());
    } else {
        put_gtpu_elements();
        put_gtpu(choice < 252 ? INPUT_ONE_OF(types) : (uint8_t)input_octet(), 0);
    }
    return (struct path_endpoint){path_address(STATS_GN, choice / 8 % 2, place),
                                  path_mac(STATS_GN, place),
                                  choice == 7 ? 0 : path_port(STATS_GN, place)};
}

// ---- Gb ----

// What has been written since the last poll, which the worker has not seen yet.
static struct {
    uint32_t polls;
    uint32_t frames[PATH_MSS][STATE_LLES];
    struct {
        bool known, partial;
        uint8_t segments;
        uint16_t npdu;
    } of[PATH_PDPS];
} ahead;

static bool some_pdp(uint32_t ms, uint32_t *pdp)
{
    uint32_t hops = input_octet() % PATH_NSAPIS, first = state->ms_up[ms].first_pdp;
    *pdp = first;
    while (*pdp != STATE_NONE && hops-- && state->pdp_up[*pdp].next != STATE_NONE)
        *pdp = state->pdp_up[*pdp].next;
    return *pdp < path.pdps;
}

static struct sndcp_unitdata next_segment(uint32_t pdp)
{
    uint32_t choice = input_octet();
    bool more = choice % 2 != 0;
    if (pdp >= PATH_PDPS) // one of many, in a scene of path_count.c
        return (struct sndcp_unitdata){.first = true, .more = !path.stalled[STATS_GN]};
    if (!ahead.of[pdp].known) {
        ahead.of[pdp].known = true;
        const struct up_partial *begun = up_partial_of(uplink, pdp);
        ahead.of[pdp].partial = begun != NULL;
        ahead.of[pdp].segments = begun ? begun->segments : 0;
        ahead.of[pdp].npdu = begun ? begun->npdu_number : 0;
    }
    bool goes_on = ahead.of[pdp].partial && choice < 240;
    struct sndcp_unitdata s = {.first = !goes_on, .more = more};
    s.segment = goes_on ? ahead.of[pdp].segments & 15 : 0;
    s.npdu_number = goes_on ? ahead.of[pdp].npdu : (ahead.of[pdp].npdu + 1) % 4096;
    ahead.of[pdp].partial = more;
    ahead.of[pdp].segments = (uint8_t)(s.segment + 1);
    ahead.of[pdp].npdu = s.npdu_number;
    return s;
}

static void put_sndcp(uint32_t pdp)
{
    uint32_t choice = input_octet();
    struct sndcp_unitdata s = next_segment(pdp);
    s.nsapi = state->pdp[pdp].nsapi;
    if (choice >= 248)
        s.nsapi = (uint8_t)(5 + choice % 8);
    else if (choice >= 244)
        s.segment = (uint8_t)(choice % 16);
    else if (choice >= 240)
        s.pcomp = s.first;
    draft_behind(choice % 4 == 3 ? 1400 : any_octets() % 1500, (uint8_t)choice);
    if (choice % 2 && draft_octets() >= IPV4_OCTETS) // else it proves nothing
        ipv4_put_header(&(const struct ipv4){.ttl = 64, .source = choice},
                        draft_octets() - IPV4_OCTETS, draft_at());
    uint8_t header[SNDCP_FIRST_OCTETS];
    uint32_t n = sndcp_unitdata_put_header(&s, header);
    memcpy(draft_front(n), header, n);
    draft_fault(LAYER_SNDCP, false);
    draft_fault(LAYER_SNDCP, true);
}

static uint32_t next_number(uint32_t ms, uint32_t lle)
{
    uint32_t choice = input_octet(), number = state->ms_up[ms].lle[lle].next;
    if (ms < PATH_MSS)
        number += ahead.frames[ms][lle]++;
    if (choice >= 252)
        return number + input_word();
    if (choice >= 240)
        return number - (choice - 239) * 3;
    return choice >= 232 ? number + choice - 230 : number;
}

static void encipher(uint32_t ms, const struct llc_ui *ui, uint32_t number)
{
    static struct cipher_scratch scratch;
    const struct state_ms *m = &state->ms[ms];
    uint32_t n = draft_octets(), input = m->iov_ui;
    if (n < LLC_UI_HEADER_OCTETS || n - LLC_UI_HEADER_OCTETS > CIPHER_FRAME_OCTETS)
        return;
    struct cipher_frame enciphered = {
        .key = m->key,
        .octets = draft_at() + LLC_UI_HEADER_OCTETS,
        .input = llc_cipher_input_ui(input, ui->sapi, ui->nu, number - ui->nu),
        .length_octets = (uint16_t)(n - LLC_UI_HEADER_OCTETS),
        .direction = CIPHER_UPLINK};
    cipher_run(&scratch, &enciphered, 1);
}

static void put_fcs(bool all)
{
    uint32_t n = draft_octets(), most = LLC_UI_HEADER_OCTETS + LLC_N202_OCTETS;
    uint32_t value = fcs(draft_at(), all || n < most ? n : most);
    draft_behind(LLC_FCS_OCTETS, 0);
    fcs_put(draft.octets + draft.end - LLC_FCS_OCTETS, value);
}

static void put_ui(uint32_t ms, uint32_t pdp)
{
    uint32_t choice = input_octet(), lle = state->pdp[pdp].lle % STATE_LLES;
    uint32_t number = next_number(ms, lle);
    struct llc_ui ui = {.sapi = state->pdp[pdp].sapi,
                        .nu = number % LLC_NU_COUNT,
                        .enciphered = state->ms[ms].enciphered != (choice >= 250),
                        .protect_all = choice % 16 != 0};
    if (choice >= 246 && choice < 250)
        ui.sapi = (uint8_t)(choice * 3 % 14 + 1);
    uint8_t *b = draft_front(LLC_UI_HEADER_OCTETS);
    llc_ui_put_header(&ui, b);
    draft_fault(LAYER_LLC, false);
    put_fcs(ui.protect_all);
    if (ui.enciphered)
        encipher(ms, &ui, number);
    draft_fault(LAYER_LLC, true);
}

// I, S and U frames, with their FCS over all.
static void put_other_llc(void)
{
    uint32_t n = input_octet() % 40;
    draft_behind(n, (uint8_t)input_octet());
    uint8_t *b = draft_front(3);
    b[0] = (uint8_t)input_octet();
    b[1] = (uint8_t)input_octet();
    b[2] = (uint8_t)input_octet();
    put_fcs(true);
}

static void put_tlv(uint8_t tag, const uint8_t *value, uint32_t n)
{
    uint8_t *b = draft_front(n);
    if (n)
        memcpy(b, value, n);
    if (n < 128 && tag != 0x0e) {
        b = draft_front(2);
        b[0] = tag, b[1] = (uint8_t)(0x80 | n);
    } else {
        b = draft_front(3);
        b[0] = tag;
        put_be16(b + 1, (uint16_t)(n & 0x7fff));
    }
}

static void put_any_tlvs(void)
{
    uint8_t value[32];
    for (uint32_t n = input_octet() % 5; n > 0; n--) {
        uint32_t octets = input_octet() % sizeof value;
        memset(value, (int)input_octet(), sizeof value);
        put_tlv((uint8_t)input_octet(), value, octets);
    }
}

// The LLC PDU is there already.
static void put_ul_unitdata(uint32_t tlli)
{
    static const uint8_t cell[8] = {0x62, 0xf2, 0x10, 0, 1, 2, 0, 5}, pfi = 9;
    uint32_t octets = draft_octets(), choice = input_octet();
    uint8_t *b = draft_front(3);
    b[0] = 0x0e;
    put_be16(b + 1, (uint16_t)octets);
    if (choice >= 224)
        put_any_tlvs();
    if (choice % 8 == 1)
        put_tlv(0x28, &pfi, 1);
    put_tlv(0x08, cell, sizeof cell);
    b = draft_front(8);
    b[0] = 0x01;
    put_be32(b + 1, choice >= 222 && choice < 224 ? input_long() : tlli);
    memset(b + 5, 0, 3);
    draft_fault(LAYER_BSSGP, false);
    draft_fault(LAYER_BSSGP, true);
}

static void put_other_bssgp(void)
{
    put_any_tlvs();
    *draft_front(1) = (uint8_t)input_octet();
}

static void put_unitdata(uint16_t bvci)
{
    uint32_t choice = input_octet();
    uint8_t *b = draft_front(4);
    b[0] = 0;
    b[1] = choice >= 248 ? (uint8_t)(choice & 3) : 0;
    put_be16(b + 2, choice == 247 ? (uint16_t)input_word() : bvci);
    draft_fault(LAYER_TUNNEL, false);
    draft_fault(LAYER_TUNNEL, true);
}

static void put_other_ns(void)
{
    static const uint8_t types[] = {0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x0a, 0x0b, 0x0c,
                                    0x0d, 0x0e, 0x0f, 0x10, 0x11, 0x12, 0x13, 0x0a, 0x0a, 0x42};
    uint32_t choice = input_octet();
    if (choice == 255)
        return; // an empty datagram
    put_any_tlvs();
    *draft_front(1) = types[choice % sizeof types];
    draft_fault(LAYER_TUNNEL, false);
}

static struct path_endpoint from_stranger(void)
{
    uint32_t place = 1 + input_octet() % 9;
    return (struct path_endpoint){path_address(STATS_GB, place & 1, place), path_mac(STATS_GB, 3),
                                  path_port(STATS_GB, place / 2)};
}

static struct path_endpoint from_nse(uint32_t nse)
{
    uint32_t choice = input_octet(), first = choice % PATH_NSVCS;
    if (choice >= 250)
        return from_stranger();
    for (uint32_t i = 0; i < PATH_NSVCS && choice < 240; i++, first = (first + 1) % PATH_NSVCS)
        if (state->nsvc[first].nse == nse && state->nsvc[first].peer.made)
            break;
    const struct state_endpoint *e = &state->nsvc[first].endpoint;
    return (struct path_endpoint){e->address, path_mac(STATS_GB, 1 + first), (uint16_t)e->udp_port};
}

// A UI frame with a segment; nothing if the MS has no context.
static void put_user_data(uint32_t ms)
{
    uint32_t pdp;
    if (!some_pdp(ms, &pdp))
        return;
    put_sndcp(pdp);
    put_ui(ms, pdp);
}

static void look_at(uint32_t ms)
{
    state = path_state_of_ms(ms);
    uplink = &path.worker[state->worker]->up;
    if (ahead.polls != path.polls)
        memset(&ahead, 0, sizeof ahead), ahead.polls = path.polls;
}

struct octets path_llc(uint32_t ms)
{
    look_at(ms);
    draft_begin();
    put_user_data(ms);
    return (struct octets){draft_at(), draft_octets()};
}

static struct path_endpoint from_gb(void)
{
    uint32_t choice = input_octet(), ms = input_word() % path.mss;
    look_at(ms);
    uint32_t bvc = state->ms[ms].bvc % PATH_BVCS, nse = state->bvc[bvc].nse % PATH_NSES;
    if (choice >= 240) {
        put_other_ns();
        return from_nse(nse);
    }
    if (choice >= 232)
        put_other_bssgp();
    else if (choice >= 222)
        put_other_llc(), put_ul_unitdata(state->ms[ms].tlli);
    else
        put_user_data(ms), put_ul_unitdata(state->ms[ms].tlli);
    if (choice >= 212 && choice < 218) // from another cell
        bvc = (bvc + 1) % PATH_BVCS;
    put_unitdata(choice == 239 ? 0 : state->bvc[bvc].bvci);
    return from_nse(nse);
}

struct path_endpoint path_payload(enum stats_side side)
{
    return side == STATS_GN ? from_gn() : from_gb();
}

// See phone.h: LLC's SAPI 1, and when something is due.
#include "lab/ms/phone.h"

#include <stdlib.h>
#include <string.h>

#include "dataplane/wire/gmm.h"
#include "dataplane/wire/l3.h"
#include "dataplane/wire/llc_cipher.h"
#include "lab/ms/ms_parts.h"
#include "lab/ms/phone_parts.h"

#define SAPI_GMM   1
#define FRAME_MOST (LLC_UI_HEADER_OCTETS + PHONE_MESSAGE_MOST + LLC_FCS_OCTETS)

const char *const phone_count_names[PHONE_COUNTS] = {
#define COUNT(name, help) #name,
#include "lab/ms/phone_counts.def"
#undef COUNT
};

void phone_setup(struct phone *phone, const struct phone_config *config,
                 const struct phone_owner *owner)
{
    *phone = (struct phone){.owner = *owner,
                            .config = *config,
                            .cksn = PHONE_NO_KEY,
                            .message_ns = PHONE_NEVER_NS,
                            .wait_ns = PHONE_NEVER_NS,
                            .update_ns = PHONE_NEVER_NS,
                            .context_ns = PHONE_NEVER_NS};
}

const char *phone_state_name(const struct phone *phone)
{
    static const char *const names[] = {[PHONE_OFF] = "off",
                                        [PHONE_WAITS] = "waits",
                                        [PHONE_REFUSED] = "refused",
                                        [PHONE_ATTACHING] = "attaching",
                                        [PHONE_ATTACHED] = "attached",
                                        [PHONE_UPDATING] = "updating",
                                        [PHONE_DETACHING] = "detaching"};
    return names[phone->state];
}

// ---- The cipher ----

void phone_take_key(struct phone *phone, uint8_t gea, struct octets kc)
{
    if (ms_key_of(gea, kc, phone->key) != 0)
        abort(); // its caller has read gea and made kc
    phone->gea = gea;
    phone->lle.up_next %= LLC_NU_COUNT; // OC is 0, and N(U) goes on
    phone->lle.down_next %= LLC_NU_COUNT;
    phone->owner.keyed(phone->owner.self, phone, gea, kc);
}

// Messages that are in clear under a key, too (24.008 4.7.1.2).
static bool is_clear(struct octets message)
{
    static const uint8_t types[] = {
        GMM_ATTACH_REQUEST_TYPE,         GMM_ATTACH_REJECT_TYPE,
        GMM_UPDATE_REQUEST_TYPE,         GMM_UPDATE_REJECT_TYPE,
        GMM_AUTHENTICATION_REQUEST_TYPE, GMM_AUTHENTICATION_RESPONSE_TYPE,
        GMM_AUTHENTICATION_FAILURE_TYPE, GMM_AUTHENTICATION_REJECT_TYPE,
        GMM_IDENTITY_REQUEST_TYPE,       GMM_IDENTITY_RESPONSE_TYPE};
    bool is = false;
    for (uint32_t i = 0; i < sizeof types && message.n >= 2 && message.at[0] == L3_GMM; i++)
        is |= message.at[1] == types[i];
    return is;
}

static void cipher(const struct phone *phone, uint32_t number, enum cipher_direction direction,
                   uint8_t *frame, uint32_t octets)
{
    uint32_t nu = number % LLC_NU_COUNT;
    ms_cipher_by(phone->owner.scratch, phone->key,
                 llc_cipher_input_ui(phone->iov_ui, SAPI_GMM, nu, number - nu), direction, frame,
                 octets);
}

// ---- Up ----

// Periodic updates begin behind READY (24.008 4.7.2.1, 4.7.2.2); either may be off.
void phone_sent(struct phone *phone, uint64_t now_ns)
{
    bool periodic = phone_is_attached(phone) && phone->t3312_ns != PHONE_NEVER_NS &&
                    phone->ready_ns != PHONE_NEVER_NS;
    phone->update_ns = periodic ? now_ns + phone->ready_ns + phone->t3312_ns : PHONE_NEVER_NS;
}

void phone_send(struct phone *phone, const uint8_t *message, int n, uint64_t now_ns)
{
    uint8_t frame[FRAME_MOST];
    if (n < 0)
        abort(); // the phone's own values
    uint32_t number = phone->lle.up_next++;
    struct llc_ui ui = {.cr = llc_cr(true, false),
                        .sapi = SAPI_GMM,
                        .nu = (uint16_t)(number % LLC_NU_COUNT),
                        .protect_all = true,
                        .info = {message, (uint32_t)n}};
    ui.enciphered = phone->gea && !is_clear(ui.info);
    int octets = llc_ui_encode(&ui, frame, sizeof frame);
    if (ui.enciphered)
        cipher(phone, number, CIPHER_UPLINK, frame, (uint32_t)octets);
    PHONE_ADD(phone, messages_sent);
    phone_sent(phone, now_ns);
    phone->owner.send(phone->owner.self, phone, frame, (uint32_t)octets, now_ns);
}

// ---- Down ----

void phone_reset(struct phone *phone)
{
    phone->lle = (struct ms_lle){0};
}

static void take_message(struct phone *phone, struct octets message, uint64_t now_ns)
{
    uint8_t discriminator = message.n > 0 ? message.at[0] & 15 : 0;
    PHONE_ADD(phone, messages);
    if (discriminator == L3_GMM)
        phone_gmm_take(phone, message, now_ns);
    else if (discriminator == L3_SM)
        phone_sm_take(phone, message, now_ns);
    else
        PHONE_ADD(phone, messages_odd);
}

// The frame in clear, in `clear`; false: nobody may send it so.
static bool open(const struct phone *phone, struct llc_ui *ui, uint32_t number, struct octets frame,
                 uint8_t clear[FRAME_MOST])
{
    if (!ui->enciphered)
        return !phone->gea || is_clear(ui->info);
    if (!phone->gea || frame.n > FRAME_MOST)
        return false;
    memcpy(clear, frame.at, frame.n);
    cipher(phone, number, CIPHER_DOWNLINK, clear, frame.n);
    ui->info.at = clear + LLC_UI_HEADER_OCTETS;
    return llc_ui_fcs_good(clear, frame.n);
}

static void take_frame(struct phone *phone, struct octets frame, uint64_t now_ns)
{
    uint8_t clear[FRAME_MOST];
    struct llc_ui ui;
    bool late;
    PHONE_ADD(phone, frames);
    if (llc_ui_decode(&ui, frame.at, frame.n) < 0) {
        PHONE_ADD(phone, frames_bad);
        return;
    }
    uint32_t number = ms_number_down(phone->lle.down_next, ui.nu);
    if (!open(phone, &ui, number, frame, clear))
        PHONE_ADD(phone, frames_bad);
    else if (!ms_number_take(&phone->lle, number, &late))
        PHONE_ADD(phone, frames_duplicate);
    else
        take_message(phone, ui.info, now_ns);
}

bool phone_down(struct phone *phone, const uint8_t *llc, uint32_t octets, uint64_t now_ns)
{
    bool cr;
    uint8_t sapi;
    if (octets < 2 || llc_address_decode(llc[0], &cr, &sapi) < 0 || sapi != SAPI_GMM ||
        (llc[1] & LLC_UI_FORMAT_MASK) != LLC_UI_FORMAT)
        return false;
    take_frame(phone, (struct octets){llc, octets}, now_ns);
    return true;
}

// ---- Time ----

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

uint64_t phone_next_ns(const struct phone *phone)
{
    return least(least(phone->message_ns, phone->wait_ns),
                 least(phone->update_ns, phone->context_ns));
}

// Whether it is over; then it is set no more.
static bool is_over(uint64_t *at_ns, uint64_t now_ns)
{
    if (now_ns < *at_ns)
        return false;
    *at_ns = PHONE_NEVER_NS;
    return true;
}

void phone_turn(struct phone *phone, uint64_t now_ns)
{
    if (is_over(&phone->message_ns, now_ns))
        phone_gmm_time_out(phone, now_ns);
    if (is_over(&phone->wait_ns, now_ns))
        phone_gmm_begin(phone, now_ns);
    if (is_over(&phone->update_ns, now_ns) && phone->state == PHONE_ATTACHED) {
        phone->periodic = true;
        phone_gmm_begin(phone, now_ns);
    }
    if (is_over(&phone->context_ns, now_ns))
        phone_sm_time_out(phone, now_ns);
}

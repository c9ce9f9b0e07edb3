// A phone under any messages of an SGSN and any waits: each frame is counted once, an address is
// there while a context is, a timer runs wherever the phone waits for something, and what it sends
// can be read as it goes up. A message is any octets behind a head that is often one of 24.008, in
// a frame of SAPI 1 with a good FCS; now and then the frame is any octets.
#include <string.h>

#include "dataplane/wire/llc.h"
#include "dataplane/wire/pdus.h"
#include "dataplane/wire/wire.h"
#include "lab/ms/phone_parts.h"
#include "tests/fuzz/check.h"
#include "tests/fuzz/input.h"

#define ROOM 300

static struct phone phone;
static uint32_t told;

static void take(void *self, struct phone *from, const uint8_t *llc, uint32_t octets,
                 uint64_t now_ns)
{
    struct llc_ui ui;
    int fault;
    (void)self, (void)now_ns;
    CHECK(from == &phone && llc_ui_decode(&ui, llc, octets) == (int)octets && ui.info.n >= 2);
    CHECK(!ui.enciphered || phone.gea);
    if (ui.enciphered)
        return;
    const char *group = (ui.info.at[0] & 15) == 8 ? "gmm_up" : "sm";
    const struct wire_pdu *pdu = wire_pdu_in(group, ui.info.at, ui.info.n, &fault);
    CHECK(pdu);
    char *decoded = malloc(pdu->struct_octets + 1);
    CHECK(decoded && pdu->decode(decoded, ui.info.at, ui.info.n) == (int)ui.info.n);
    free(decoded);
}

static void hear(void *self, struct phone *from, uint64_t now_ns)
{
    (void)self, (void)now_ns;
    told = from->address;
}

static uint32_t draw(void *self)
{
    (void)self;
    return 0x12345678;
}

static void down(uint64_t now_ns)
{
    static const uint8_t gmm[] = {2, 4, 5, 6, 9, 11, 16, 18, 20, 21, 32, 33};
    static const uint8_t sm[] = {66, 67, 68, 70, 71, 72, 75, 85};
    static uint16_t nu;
    uint8_t info[ROOM], frame[ROOM + 8];
    uint32_t choice = input_octet(), n = 2 + input_octet();
    for (uint32_t i = 0; i < n; i++)
        info[i] = (uint8_t)input_octet();
    if (choice < 128) {
        info[0] = 8;
        info[1] = INPUT_ONE_OF(gmm);
    } else if (choice < 250) {
        info[0] = (uint8_t)(choice < 240 ? 0x8a : info[0] << 4 | 10);
        info[1] = INPUT_ONE_OF(sm);
    }
    struct llc_ui ui = {.cr = true, .sapi = 1, .nu = nu, .protect_all = true, .info = {info, n}};
    nu = (uint16_t)((nu + 1) % LLC_NU_COUNT);
    int octets = llc_ui_encode(&ui, frame, sizeof frame);
    CHECK(octets > 0);
    if (choice == 255)
        frame[input_octet() % (uint32_t)octets] ^= (uint8_t)(1 + input_octet() % 255);
    uint8_t *exact = malloc((size_t)octets); // which ends where the frame does
    CHECK(exact);
    memcpy(exact, frame, (size_t)octets);
    phone_down(&phone, exact, (uint32_t)octets, now_ns);
    free(exact);
}

static void expect_sound(uint64_t now_ns)
{
    const uint64_t *count = phone.count;
    CHECK(count[PHONE_COUNT_frames] == count[PHONE_COUNT_frames_bad] +
                                           count[PHONE_COUNT_frames_duplicate] +
                                           count[PHONE_COUNT_messages]);
    CHECK((phone.address != 0) == (phone.context == PHONE_CONTEXT_ACTIVE));
    CHECK(told == phone.address);
    CHECK(phone.context == PHONE_CONTEXT_NONE || phone.state == PHONE_ATTACHED ||
          phone.state == PHONE_UPDATING);
    bool waits = phone.state == PHONE_ATTACHING || phone.state == PHONE_UPDATING ||
                 phone.state == PHONE_DETACHING;
    CHECK(waits == (phone.message_ns != PHONE_NEVER_NS));
    CHECK(phone.state != PHONE_WAITS || phone.wait_ns != PHONE_NEVER_NS);
    CHECK(phone.context != PHONE_CONTEXT_ACTIVATING || phone.context_ns != PHONE_NEVER_NS);
    CHECK(phone_next_ns(&phone) > now_ns);
}

static void hear_of_key(void *self, struct phone *of, uint8_t gea, struct octets kc)
{
    (void)self;
    CHECK(of->gea == gea && kc.n == (gea == 4 ? 16 : gea == 3 ? 8 : 0));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct phone_config config = {.imsi = "001010000000001",
                                  .imeisv = "0010170000000101",
                                  .apn = "internet",
                                  .nsapi = 5,
                                  .sapi = 3,
                                  .has_card = size % 2 && milenage_ready()};
    static struct cipher_scratch scratch;
    static const struct phone_owner owner = {
        .send = take, .context = hear, .random = draw, .scratch = &scratch, .keyed = hear_of_key};
    uint64_t now_ns = 1;
    input_begin(data, size);
    told = 0;
    phone_setup(&phone, &config, &owner);
    phone_on(&phone, now_ns);
    while (input_left()) {
        uint32_t choice = input_octet();
        if (choice < 200)
            down(now_ns);
        else if (choice < 240)
            now_ns = phone_next_ns(&phone) == PHONE_NEVER_NS ? now_ns : phone_next_ns(&phone);
        else if (choice < 244)
            phone_off(&phone, now_ns);
        else if (choice < 248)
            phone_on(&phone, now_ns);
        else if (choice < 250)
            phone_detach(&phone, now_ns);
        else if (choice < 252)
            phone_update(&phone, now_ns);
        else if (choice < 254 && config.has_card)
            phone_take_key(&phone, 3, (struct octets){(const uint8_t *)"an 8oct.", 8});
        else
            phone_reset(&phone);
        phone_turn(&phone, now_ns);
        expect_sound(now_ns);
    }
    return 0;
}

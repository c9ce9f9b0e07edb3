// libosmogb as the baseline of gb_bench: bssgp_rcvmsg of a FLOW-CONTROL-BVC for a cell it knows, up
// to the acknowledgement that it hands down to its NS. GPL: linked into this benchmark alone.
#include "bench/control/gb.h"

#include <stdlib.h>
#include <string.h>
#include <x86intrin.h>

#include <osmocom/core/application.h>
#include <osmocom/core/logging.h>
#include <osmocom/core/msgb.h>
#include <osmocom/core/prim.h>
#include <osmocom/core/talloc.h>
#include <osmocom/gprs/gprs_bssgp.h>
#include <osmocom/gprs/gprs_msgb.h>

#define NSEI 101
#define BVCI 2

static const uint8_t pdu[] = {0x26, 0x1e, 0x81, 0,    0x05, 0x82, 0x00, 0x64, 0x03, 0x82,
                              0x00, 0x50, 0x01, 0x82, 0x00, 0x32, 0x1c, 0x82, 0x00, 0x28};

static uint64_t acknowledged;

// What the library wants of who uses it.
int bssgp_prim_cb(struct osmo_prim_hdr *primitive, void *context);
int bssgp_prim_cb(struct osmo_prim_hdr *primitive, void *context)
{
    (void)primitive, (void)context;
    return 0;
}

static int take_answer(void *data, struct msgb *msg)
{
    (void)data;
    acknowledged += msgb_bssgph(msg) ? *msgb_bssgph(msg) == 0x27 : msg->data[0] == 0x27;
    msgb_free(msg);
    return 0;
}

static void begin(void)
{
    static const struct log_info nothing = {0};
    void *context = talloc_named_const(NULL, 0, "osmogb");
    if (!context || osmo_init_logging2(context, &nothing) < 0)
        abort();
    log_set_log_level(osmo_stderr_target, LOGL_FATAL); // nothing of its own between the rows
    bssgp_set_bssgp_callback(take_answer, NULL);
    if (!btsctx_alloc(BVCI, NSEI))
        abort();
}

static struct msgb *message(uint8_t tag)
{
    struct msgb *msg = msgb_alloc_headroom(512, 128, "flow control");
    uint8_t *at = msg ? msgb_put(msg, sizeof pdu) : NULL;
    if (!at)
        abort();
    memcpy(at, pdu, sizeof pdu);
    at[3] = tag;
    msgb_bssgph(msg) = at;
    msgb_nsei(msg) = NSEI;
    msgb_bvci(msg) = BVCI;
    return msg;
}

uint64_t osmogb_flow_control_bvc(void)
{
    static bool begun;
    struct msgb *burst[GB_BURST];
    if (!begun)
        begin();
    begun = true;
    for (uint32_t i = 0; i < GB_BURST; i++)
        burst[i] = message((uint8_t)i);
    uint64_t before = acknowledged, start = __rdtsc();
    for (uint32_t i = 0; i < GB_BURST; i++)
        bssgp_rcvmsg(burst[i]);
    uint64_t took = __rdtsc() - start;
    for (uint32_t i = 0; i < GB_BURST; i++)
        msgb_free(burst[i]);
    if (acknowledged != before + GB_BURST)
        abort(); // it did something else than what is measured
    return took;
}

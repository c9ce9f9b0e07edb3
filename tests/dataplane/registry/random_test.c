// Any commands at all on two workers under traffic both ways, with MSs that are heard in other
// cells and events that control takes late. A plain model says of each command whether it is
// accepted; what was accepted is carried out (no worker refuses any), and at rest workers know what
// the model knows, each under its names. A worker has room for less than there are, so ids there
// are its own.
#include "tests/dataplane/registry/model.h"

#include <errno.h>
#include <string.h>

#include "dataplane/base/units.h"
#include "tests/dataplane/random.h"
#include "tests/oracle/ul_sender.h"

// --- Any command ---------------------------------------------------------------------------------

// Values within their ranges, by the commands' own description, and ids and names so small that
// many of them are there.
static void any_values(const struct field_call *call, struct command *c)
{
    for (uint32_t i = 0; i < call->field_count; i++) {
        const struct field *f = &call->fields[i];
        bool is_id = f->kind == FIELD_U32 && strstr(f->name, "_id");
        uint64_t most = is_id || strcmp(f->name, "slot") == 0 ? 6 : f->most;
        if (strcmp(f->name, "slot") == 0)
            most = SLOTS;
        else if (strcmp(f->name, "tlli") == 0)
            most = TLLIS - 1;
        else if (strcmp(f->name, "bvci") == 0)
            most = 1 + BVCIS;
        else if (strcmp(f->name, "peer_port") == 0)
            most = PORTS;
        field_set(f, &c->nse, f->least + random_next() % (most - f->least + 1));
        if (f->has_offset != FIELD_ALWAYS)
            *((bool *)&c->nse + f->has_offset) = random_next() % 4 != 0;
    }
}

static struct command any_command(bool down)
{
    static const uint8_t octets[48] = {1, 2, 3};
    static const uint8_t gea[] = {0, 3, 4}, key_octets[] = {0, 8, 16};
    struct command c = {.op = (uint32_t)random_in(0, COMMAND_COUNT - 1)};
    const struct field_call *call = &dp_calls[1 + c.op]; // behind `settled`
    uint32_t pick = (uint32_t)(random_next() % 3);
    // In turns the tree grows and is taken down.
    bool takes_away = strstr(call->name, "remove") || strcmp(call->name, "ms_freeze") == 0;
    if (takes_away != down && random_next() % 20 != 0)
        return any_command(down);
    any_values(call, &c);
    if (c.op == COMMAND_pdp)
        c.pdp.sapi = (uint8_t[]){3, 5, 9, 11}[random_next() % 4];
    if (c.op == COMMAND_ms_n201_u)
        c.ms_n201_u.sapi = (uint8_t[]){3, 5, 9, 11, 4}[random_next() % 5];
    if (c.op == COMMAND_ms_cipher) {
        c.ms_cipher.gea = gea[pick];
        c.ms_cipher.key = (struct octets){octets, key_octets[pick]};
    }
    if (c.op == COMMAND_ms_options) {
        c.ms_options.ra_capability = (struct octets){octets, 1 + (uint32_t)random_next() % 20};
        strcpy(c.ms_options.imsi.text, pick ? "001010123456789" : "00101");
    }
    // Most stay open, or there is no traffic.
    if (c.op == COMMAND_nsvc && random_next() % 4)
        c.nsvc.blocked = false;
    if (c.op == COMMAND_nsvc_weight && random_next() % 4)
        c.nsvc_weight.blocked = false;
    if (c.op == COMMAND_bvc_block && random_next() % 2)
        c.bvc_block.blocked = false;
    if (c.op == COMMAND_class_aqm)
        model_aqm_params(&c.class_aqm, pick);
    if (c.op == COMMAND_class_set && pick) // else most lifetimes do not go together
        c.class_set.bss_least_ns = c.class_set.bss_most_ns = c.class_set.lifetime_ns = 0;
    if (c.op == COMMAND_llc)
        c.llc.pdu = (struct octets){octets, 1 + (uint32_t)random_next() % sizeof octets};
    if (c.op == COMMAND_ms_prove)
        c.ms_prove.pdu = (struct octets){octets, 1 + (uint32_t)random_next() % sizeof octets};
    if (c.op == COMMAND_bvc_llc) {
        c.bvc_llc.pdu = (struct octets){octets, 1 + (uint32_t)random_next() % sizeof octets};
        c.bvc_llc.ra_capability = (struct octets){octets, 1 + (uint32_t)random_next() % 20};
        strcpy(c.bvc_llc.imsi.text, pick ? "001010123456789" : "00101");
    }
    if (c.op == COMMAND_ggsn_send)
        c.ggsn_send.pdu = (struct octets){octets, 1 + (uint32_t)random_next() % sizeof octets};
    if (c.op == COMMAND_send)
        c.send.pdu = (struct octets){octets, 1 + (uint32_t)random_next() % sizeof octets};
    if (c.op == COMMAND_nsvc)
        c.nsvc.peer_address = address_of_ipv4(BSS);
    if (c.op == COMMAND_gn_from) {
        c.gn_from.nets.n = (uint64_t)(random_next() % 16); // more than 12 are too many
        c.gn_from.nets.item[0] = (struct command_net){address_of_ipv4(GGSN), 128};
    }
    if (c.op == COMMAND_ggsn)
        c.ggsn.address = address_of_ipv4(GGSN);
    return c;
}

static uint32_t accepted[COMMAND_COUNT], refused[COMMAND_COUNT];

static void give(struct command c)
{
    model_settle();
    bool wanted = model_accepts(&c);
    int64_t result = dp_command(p.dp, &c);
    // Control may be out of buffers for PDUs; and a cell that goes is neither there nor free.
    if (result == -EAGAIN &&
        (c.op == COMMAND_send || c.op == COMMAND_llc || c.op == COMMAND_ms_prove ||
         c.op == COMMAND_ggsn_send || c.op == COMMAND_bvc_llc || !wanted))
        return;
    if ((result >= 0) != wanted)
        fail_msg("%s: %d, but the model %s", dp_calls[1 + c.op].name, (int)result,
                 wanted ? "accepts" : "refuses");
    accepted[c.op] += result >= 0;
    refused[c.op] += result < 0;
    if (result >= 0)
        model_note(&c, (uint32_t)result);
}

// Removes a cell that an MS has come to, of which control has not been told.
static void remove_where_one_was_heard(void)
{
    for (uint32_t ms = 0; ms < CALLERS; ms++) {
        if (!model.ms[ms].made)
            continue;
        uint32_t at = dp_at_place(dp_ms_at(p.dp, ms));
        uint32_t bvc = worker(model_nse_of(ms) % WORKERS)->state.ms[at].bvc;
        if (bvc != model.ms[ms].bvc && model_has_bvc(bvc) && model_bvc_empty(bvc))
            give((struct command){.op = COMMAND_bvc_remove, .bvc_remove = {bvc}});
    }
}

// --- Traffic -------------------------------------------------------------------------------------

// To any worker, if its port has room.
static void put(enum stats_side side, const struct ip_frame *frame)
{
    path_give(side, (uint32_t)(random_next() % WORKERS), frame);
}

static void downlink(void)
{
    static struct ip_frame frame;
    static const uint8_t npdu[1400];
    struct ip_ends ends = path_ends_gn(0);
    uint32_t pdp = (uint32_t)(random_next() % TUNNELS);
    path_gpdu(&frame, &ends, model.pdp[pdp].teid, npdu, random_in(1, sizeof npdu));
    put(STATS_GN, &frame);
}

// From an MS in any cell, over any NS-VC; those of other NSEs are no good.
static void uplink(void)
{
    static struct ip_frame frames[UL_SEGMENTS_MAX];
    static const uint8_t npdu[40] = {0x45};
    uint32_t ms = (uint32_t)(random_next() % CALLERS), bvc = (uint32_t)(random_next() % BVCS);
    uint32_t nsvc = (uint32_t)(random_next() % NSVCS), pdp = (uint32_t)(random_next() % TUNNELS);
    uint8_t sapi = 3, nsapi = 5;
    if (model.pdp[pdp].made) {
        ms = model.pdp[pdp].ms;
        sapi = (uint8_t)model.pdp[pdp].sapi;
        nsapi = (uint8_t)model.pdp[pdp].nsapi;
    }
    if (!model.ms[ms].made || model.ms[ms].keyed)
        return;
    bool old = model.ms[ms].has_old_tlli && random_next() % 4;
    struct ul_ms sender = {.tlli = old ? model.ms[ms].old_tlli : model.ms[ms].tlli, .n201_u = 500};
    struct ul_cell cell = {.ends = path_ends_gb(0), .bvci = (uint16_t)model.bvc[bvc].bvci};
    cell.ends.source_port = (uint16_t)model.nsvc[nsvc].port;
    sender.next_ui[sapi] = model.ms[ms].number++;
    assert_int_equal(ul_send(&sender, &cell, sapi, nsapi, npdu, sizeof npdu, frames), 1);
    put(STATS_GB, &frames[0]);
}

static void drain(void)
{
    path_take(STATS_GN, UINT32_MAX);
    path_take(STATS_GB, UINT32_MAX);
}

static void poll_one(void)
{
    uint32_t w = (uint32_t)(random_next() % WORKERS);
    p.now_ns += random_in(0, 20 * MS_IN_NS);
    path_poll_worker(w);
    assert_int_equal(dp_stats(worker(w))->commands_refused, 0);
}

static void come_to_rest(void)
{
    for (int i = 0; i < 100; i++) {
        for (uint32_t w = 0; w < WORKERS; w++)
            dp_poll(worker(w), p.now_ns);
        drain();
        model_take_event();
    }
    while (model_take_event())
        continue;
    assert_true(dp_settled(p.dp));
    model_expect();
    for (uint32_t i = 0; i < BVCS; i++)
        assert_false(model.bvc[i].going || model.bvc[i].kept);
}

static void whatever_is_accepted_is_carried_out(void **state)
{
    uint64_t out = 0, up = 0, moved = 0;
    (void)state;
    random_begin();
    model_open();
    for (int i = 0; i < 400000; i++) {
        give(any_command(i / 2000 % 4 == 3));
        if (i % 64 == 0)
            remove_where_one_was_heard();
        if (i % 3 == 0)
            downlink();
        if (i % 4 == 0)
            uplink();
        if (i % 5 == 0)
            poll_one();
        if (random_next() % 16 == 0)
            model_take_event();
        if (i % 16 == 0)
            drain();
        if (i % 512 == 511)
            come_to_rest();
    }
    come_to_rest();
    for (int op = 0; op < COMMAND_COUNT; op++)
        if (accepted[op] < 30 || (refused[op] < 30 && op != COMMAND_class_set))
            fail_msg("%s was accepted %u times and refused %u times", dp_calls[1 + op].name,
                     accepted[op], refused[op]);
    for (uint32_t w = 0; w < WORKERS; w++) {
        out += stats_balance(dp_stats(worker(w))).packets.out;
        up += dp_stats(worker(w))->up.in_packets;
        for (int c = 0; c < CLASS_COUNT; c++)
            moved += dp_stats(worker(w))->of_class[c].moved_in_packets;
    }
    print_message("# %u N-PDUs out, %u segments in, %u with MSs to another worker\n", (unsigned)out,
                  (unsigned)up, (unsigned)moved);
    print_message("# %u moves told in time, %u late, %u of cells that had gone, %u cells kept\n",
                  model_moves, model_late_moves, model_ahead, model_kept);
    print_message("# %u pages, %u times heard, %u moves to a full worker\n", model_pages,
                  model_heard, model_full);
    assert_true(out > 1000 && up > 100 && moved > 100);
    assert_true(model_pages > 30 && model_heard > 10 && model_tunnels > 10 && model_full > 100);
    assert_true(model_moves > 100 && model_late_moves > 10 && model_kept > 10);
    assert_true(model_ahead > 3);
    path_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whatever_is_accepted_is_carried_out),
    };
    return cmocka_run_group_tests_name("random", tests, path_start_eal, NULL);
}

// The poll loop's body: messages from other workers, commands, then a burst of frames in from each
// port, then a few bursts out, so that none waits long for the others. Enciphered traffic comes and
// goes in up to eight bursts.
#include "dataplane/worker.h"

#include <rte_ring_elem.h>

#include "dataplane/wire/gtpc.h"

#define COMMANDS_A_POLL 64

// ---- Other workers ----

// Consecutive strays of one port.
struct strays {
    uint32_t n, side;
    struct rte_mbuf *frame[PORT_BURST];
    struct port_datagram datagram[PORT_BURST];
};

static void strays_go(struct dp_worker *worker, struct strays *strays, uint64_t now_ns)
{
    if (strays->n && strays->side == STATS_GN)
        down_datagrams(&worker->down, strays->frame, strays->datagram, strays->n, now_ns);
    else if (strays->n)
        up_input(&worker->up, strays->frame, strays->datagram, strays->n, now_ns);
    strays->n = 0;
}

static void stray_add(struct dp_worker *worker, struct strays *strays,
                      const struct message *message, uint64_t now_ns)
{
    struct stats_port *stats = &worker->stats.of_port[message->side];
    if (message->side != strays->side)
        strays_go(worker, strays, now_ns);
    strays->side = message->side;
    stats->strays_in_packets++;
    stats->strays_in_octets += message->stray.frame->pkt_len;
    strays->frame[strays->n] = message->stray.frame;
    strays->datagram[strays->n++] = message->stray.datagram;
}

static void read_message(struct dp_worker *worker, uint32_t from, struct strays *strays,
                         const struct message *message, uint64_t now_ns)
{
    switch ((enum message_kind)message->kind) {
    case MESSAGE_STRAY:
        stray_add(worker, strays, message, now_ns);
        break;
    case MESSAGE_NEIGHBOUR:
        port_neighbour_learn(&worker->port[message->side], &message->neighbour.address,
                             &message->neighbour.mac, now_ns);
        break;
    case MESSAGE_MIGRATION:
        worker->post->waiting[from] = message->migration;
        break;
    }
}

// True if there may be more.
static bool take_messages_of(struct dp_worker *worker, uint32_t from, uint64_t now_ns)
{
    struct message messages[PORT_BURST];
    struct strays strays;
    strays.n = strays.side = 0;
    if (from == worker->post->worker || worker->post->waiting[from])
        return false;
    uint32_t n = post_take(worker->post, from, messages, PORT_BURST);
    for (uint32_t i = 0; i < n; i++)
        read_message(worker, from, &strays, &messages[i], now_ns);
    strays_go(worker, &strays, now_ns);
    return n > 0;
}

static bool take_messages(struct dp_worker *worker, uint64_t now_ns)
{
    bool more = false;
    for (uint32_t from = 0; from < worker->post->workers; from++)
        more |= take_messages_of(worker, from, now_ns);
    return more;
}

// ---- Commands ----

// Before a context ends, or leaves this worker: another one at its place has other flows.
static void forget_windows(struct dp_worker *worker, uint32_t pdp)
{
    if (worker->window_memory)
        window_forget(&worker->window, pdp);
}

// Drops the MS's uplink reassemblies, and control's LLC frames to it.
static void forget(struct dp_worker *worker, uint32_t ms, enum drop_reason reason, uint64_t now_ns)
{
    const struct state *state = &worker->state;
    for (uint32_t pdp = state->ms_up[ms].first_pdp; pdp != STATE_NONE;
         pdp = state->pdp_up[pdp].next)
        up_forget(&worker->up, pdp, reason);
    down_llc_forget(&worker->down, ms, now_ns);
}

// Before a command: drops reassemblies and LLC frames of its MS or context. With another key a
// Reset that waits would take effect on numbers that it was not meant for.
static void prepare(struct dp_worker *worker, const struct command *command, uint64_t now_ns)
{
    if (command->op == COMMAND_pdp_remove) {
        up_forget(&worker->up, command->pdp_remove.pdp_id, DROP_removed);
        forget_windows(worker, command->pdp_remove.pdp_id);
    }
    if (command->op == COMMAND_ms_cipher)
        forget(worker, command->ms_cipher.ms_id, DROP_flushed, now_ns);
    if (command->op == COMMAND_ms_remove)
        down_llc_forget(&worker->down, command->ms_remove.ms_id, now_ns);
}

// A cell in which an MS has just been heard stays; control reads that in the cell's record.
static int apply(struct dp_worker *worker, const struct command *command, uint64_t now_ns)
{
    int fault;
    prepare(worker, command, now_ns);
    do { // a command may drop more than the scheduler's list holds
        fault = state_apply(&worker->state, worker->sched, command, now_ns);
        down_drops(&worker->down);
    } while (fault == -SCHED_MORE);
    if (command->op == COMMAND_ms_standby)
        down_standby(&worker->down, command->ms_standby.ms_id, now_ns);
    if (command->op == COMMAND_ms_credit)
        down_standby(&worker->down, command->ms_credit.ms_id, now_ns);
    if (command->op != COMMAND_bvc_remove)
        return fault;
    if (worker->state.bvc[command->bvc_remove.bvc_id].nse == STATE_NONE)
        down_llc_forget_bvc(&worker->down, command->bvc_remove.bvc_id, now_ns);
    return 0;
}

// An MS that moves to another worker leaves its uplink reassembly behind, and what is known of its
// flows' windows.
static bool send_ms(struct dp_worker *worker, const struct command *command, uint64_t now_ns)
{
    const struct state *state = &worker->state;
    forget(worker, command->ms_move.ms_id, DROP_removed, now_ns);
    for (uint32_t pdp = state->ms_up[command->ms_move.ms_id].first_pdp; pdp != STATE_NONE;
         pdp = state->pdp_up[pdp].next)
        forget_windows(worker, pdp);
    return post_migration_send(worker->post, &worker->state, worker->sched, &worker->stats, command,
                               now_ns);
}

static void redirect(struct dp_worker *worker, const struct command *command)
{
    struct state_pdp *pdp = &worker->state.pdp[command->redirect.pdp_id];
    pdp->ms = STATE_NONE;
    pdp->elsewhere = command->teid;
    if (command->teid == 0) // no worker has the context now
        pdp->teid = 0;
}

// False: there is no room, or a migration has not come yet; the command waits.
static bool carry_out_or_wait(struct dp_worker *worker, const struct command *command,
                              uint64_t now_ns)
{
    switch (command->op) {
    case COMMAND_send:
        return down_send(&worker->down, command->send.nsvc_id, command->buffer);
    case COMMAND_llc:
        down_llc(&worker->down, command, now_ns);
        return true;
    case COMMAND_bvc_llc:
        down_bvc_llc(&worker->down, command, now_ns);
        return true;
    case COMMAND_ggsn_send:
        up_send(&worker->up, command->ggsn_send.ggsn_id,
                command->ggsn_send.has_port ? command->ggsn_send.port : GTPC_PORT, command->buffer);
        return true;
    case COMMAND_ms_prove:
        up_prove(&worker->up, command->ms_prove.ms_id, command->ms_prove.bvc_id, command->buffer);
        return true;
    case COMMAND_expect:
        take_messages_of(worker, command->worker, now_ns);
        return post_migration_unpack(worker->post, &worker->state, worker->sched, &worker->stats,
                                     command, now_ns);
    case COMMAND_redirect:
        redirect(worker, command);
        return true;
    case COMMAND_ms_move:
        if (command->worker != worker->state.worker)
            return send_ms(worker, command, now_ns);
        break;
    default:
        break;
    }
    worker->stats.commands_refused += apply(worker, command, now_ns) != 0;
    return true;
}

static bool carry_out(struct dp_worker *worker, const struct command *command, uint64_t now_ns)
{
    if (!carry_out_or_wait(worker, command, now_ns))
        return false;
    __atomic_store_n(&worker->stats.commands, worker->stats.commands + 1, __ATOMIC_RELEASE);
    return true;
}

// True if the ring may hold more.
static bool take_commands(struct dp_worker *worker, uint64_t now_ns)
{
    for (int i = 0; i < COMMANDS_A_POLL; i++) {
        if (down_stalled(&worker->down))
            return false;
        if (!worker->waits && rte_ring_sc_dequeue_elem(worker->commands, &worker->waiting,
                                                       sizeof worker->waiting) != 0)
            return false;
        worker->waits = !carry_out(worker, &worker->waiting, now_ns);
        if (worker->waits) // the worker that it waits for has `news` then
            return false;
    }
    return true;
}

// ---- Frames ----

// True if the port may have more.
static bool take_gn(struct dp_worker *worker, uint64_t now_ns)
{
    struct rte_mbuf *frames[PORT_BURST];
    uint32_t n = PORT_BURST;
    for (uint32_t left = down_bursts_in(&worker->down); left > 0 && n == PORT_BURST; left--) {
        n = port_receive(&worker->port[STATS_GN], frames);
        if (n)
            down_input(&worker->down, frames, n, now_ns);
    }
    return n == PORT_BURST;
}

static bool take_gb(struct dp_worker *worker, uint64_t now_ns)
{
    struct rte_mbuf *frames[PORT_BURST];
    struct port_datagram datagrams[PORT_BURST];
    uint32_t n = port_receive(&worker->port[STATS_GB], frames);
    if (n == 0)
        return false;
    uint32_t left = port_unwrap(&worker->port[STATS_GB], frames, datagrams, n, now_ns);
    up_input(&worker->up, frames, datagrams, left, now_ns);
    return n == PORT_BURST;
}

// Takes up the mirror that control has published, or lets go of the one before. Control closes a
// mirror that it has withdrawn and sees nobody use: so one is used only if, once control can see
// that, it has not been withdrawn.
static void use_mirror(struct dp_worker *worker, struct mirror *mirror, uint64_t now_ns)
{
    if (mirror != worker->mirror) {
        __atomic_store_n(&worker->mirror, mirror, __ATOMIC_SEQ_CST);
        if (mirror != __atomic_load_n(&worker->mirror_wanted, __ATOMIC_SEQ_CST)) {
            __atomic_store_n(&worker->mirror, NULL, __ATOMIC_SEQ_CST);
            mirror = NULL;
        }
    }
    for (int side = 0; side < STATS_SIDES; side++) {
        worker->port[side].mirror = mirror;
        worker->port[side].mirror_interface = (enum mirror_interface)side;
    }
    port_watch = mirror ? (struct port_watch){mirror_dropped, mirror} : (struct port_watch){0};
    if (mirror)
        mirror->now_ns = mirror->epoch_ns + now_ns;
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static void tick(struct port *port, uint64_t now_ns)
{
    if (now_ns >= port->due_ns || port->answers)
        port_tick(port, now_ns);
}

uint64_t dp_poll(struct dp_worker *worker, uint64_t now_ns)
{
    struct mirror *mirror = __atomic_load_n(&worker->mirror_wanted, __ATOMIC_ACQUIRE);
    worker->now_ns = now_ns;
    worker->post->news = false;
    if (unlikely(mirror || worker->mirror))
        use_mirror(worker, mirror, now_ns);
    struct stages *stages = worker->down.stages;
    struct port *gn = &worker->port[STATS_GN], *gb = &worker->port[STATS_GB];
    bool more = worker->post->workers > 1 && take_messages(worker, now_ns);
    more |= take_commands(worker, now_ns);
    stages_mark(stages, STAGE_rest);
    more |= take_gb(worker, now_ns);
    stages_mark(stages, STAGE_uplink);
    more |= take_gn(worker, now_ns);
    bool blocked = down_output(&worker->down, now_ns);
    stages_mark(stages, STAGE_rest);
    up_output(&worker->up);
    stages_mark(stages, STAGE_uplink);
    tick(gn, now_ns);
    tick(gb, now_ns);
    if (__builtin_expect(__atomic_load_n(&worker->view.query, __ATOMIC_ACQUIRE) != NULL, 0))
        view_answer(&worker->view, now_ns);
    uint64_t up_ns = earlier(up_tick(&worker->up, now_ns), up_look(&worker->up, now_ns));
    if (more || worker->post->news || gb->waiting)
        return now_ns;
    uint64_t next_ns = earlier(earlier(gn->due_ns, gb->due_ns), up_ns);
    next_ns = earlier(next_ns, blocked ? sched_expiry_ns(worker->sched, now_ns)
                                       : earlier(sched_next_ns(worker->sched, now_ns),
                                                 down_llc_end_ns(&worker->down)));
    return next_ns > now_ns ? next_ns : now_ns;
}

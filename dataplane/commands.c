// See commands.h. A command is checked (ranges first, then what it names), put on the ring, and
// only then noted: what the ring refused has not happened. Removed ids may be given again at once,
// for the ring keeps the order.
#include "dataplane/commands.h"

#include <errno.h>
#include <rte_ring_elem.h>
#include <stdlib.h>
#include <string.h>

#include "dataplane/cipher/cipher.h"
#include "dataplane/dataplane.h"

#define COMMAND(name, LIST, help) \
    static const struct field command_##name##_fields[] = FIELD_TABLE(command_##name, LIST);
#include "dataplane/state/commands.def"
#undef COMMAND

static const struct field_record of_op[COMMAND_COUNT] = {
#define COMMAND(name, LIST, help) \
    [COMMAND_##name] = FIELD_RECORD_OF(command_##name, command_##name##_fields),
#include "dataplane/state/commands.def"
#undef COMMAND
};

static int values_check(const struct command *c)
{
    for (uint32_t i = 0; i < of_op[c->op].count; i++) {
        const struct field *f = &of_op[c->op].fields[i];
        const void *owner = &c->nse; // the union's members all begin here
        uint64_t value = field_get(f, owner);
        bool given = f->has_offset == FIELD_ALWAYS || *((const bool *)owner + f->has_offset);
        if (given && field_is_integer(f) && (value < f->least || value > f->most))
            return -ERANGE;
    }
    return c->op == COMMAND_pdp && state_lle_of_sapi(c->pdp.sapi) < 0 ? -ERANGE : 0;
}

// An id that has to be there, or one that has to be free.
#define THERE(k, kind, count, id) \
    ((id) >= (k)->limits.count ? -ERANGE : (k)->kind[id].made ? 0 : -ENOENT)
#define FREE(k, kind, count, id) \
    ((id) >= (k)->limits.count ? -ERANGE : (k)->kind[id].made ? -EEXIST : 0)

static int nse_there(const struct commands *k, uint32_t nse)
{
    return THERE(k, nse, nses, nse);
}

static int bvc_there(const struct commands *k, uint32_t bvc)
{
    return THERE(k, bvc, bvcs, bvc);
}

static int ms_there(const struct commands *k, uint32_t ms)
{
    return THERE(k, ms, mss, ms);
}

static int pfc_there(const struct commands *k, uint32_t ms, uint32_t slot)
{
    int fault = ms_there(k, ms);
    if (fault)
        return fault;
    return k->ms[ms].slots >> slot & 1 ? 0 : -ENOENT;
}

static int bvc_new(const struct commands *k, const struct command_bvc *c)
{
    int fault = FREE(k, bvc, bvcs, c->bvc_id);
    return fault ? fault : nse_there(k, c->nse_id);
}

static int ms_new(const struct commands *k, const struct command_ms *c)
{
    int fault = FREE(k, ms, mss, c->ms_id);
    return fault ? fault : bvc_there(k, c->bvc_id);
}

static int pfc_new(const struct commands *k, const struct command_pfc *c)
{
    int fault = c->slot < k->pfcs_an_ms ? ms_there(k, c->ms_id) : -ERANGE;
    if (fault)
        return fault;
    return k->ms[c->ms_id].slots >> c->slot & 1 ? -EEXIST : 0;
}

static int pdp_new(const struct commands *k, const struct command_pdp *c)
{
    int fault = FREE(k, pdp, pdps, c->pdp_id);
    if (!fault)
        fault = pfc_there(k, c->ms_id, c->slot);
    if (fault)
        return fault;
    return k->ms[c->ms_id].nsapis >> c->nsapi & 1 ? -EEXIST : 0;
}

static int ms_moves(const struct commands *k, const struct command_ms_move *c)
{
    int fault = ms_there(k, c->ms_id);
    return fault ? fault : bvc_there(k, c->bvc_id);
}

static int busy(int fault, bool held)
{
    if (fault)
        return fault;
    return held ? -EBUSY : 0;
}

// A PDP context is in that packet flow.
static bool pfc_held(const struct made_ms *ms, uint32_t slot)
{
    for (int nsapi = 0; nsapi < MADE_NSAPIS; nsapi++)
        if (ms->nsapis >> nsapi & 1 && ms->slot_of[nsapi] == slot)
            return true;
    return false;
}

static int pfc_removable(const struct commands *k, const struct command_pfc_remove *c)
{
    int fault = pfc_there(k, c->ms_id, c->slot);
    return busy(fault, !fault && pfc_held(&k->ms[c->ms_id], c->slot));
}

static int ids_check(const struct commands *k, const struct command *c)
{
    int fault;
    switch ((enum command_op)c->op) {
    case COMMAND_nse:
        return FREE(k, nse, nses, c->nse.nse_id);
    case COMMAND_nse_flow:
        return nse_there(k, c->nse_flow.nse_id);
    case COMMAND_nse_remove:
        fault = nse_there(k, c->nse_remove.nse_id);
        return busy(fault, !fault && k->nse[c->nse_remove.nse_id].bvcs > 0);
    case COMMAND_bvc:
        return bvc_new(k, &c->bvc);
    case COMMAND_bvc_flow:
        return bvc_there(k, c->bvc_flow.bvc_id);
    case COMMAND_bvc_reset:
        return bvc_there(k, c->bvc_reset.bvc_id);
    case COMMAND_bvc_remove:
        fault = bvc_there(k, c->bvc_remove.bvc_id);
        return busy(fault, !fault && k->bvc[c->bvc_remove.bvc_id].mss > 0);
    case COMMAND_ms:
        return ms_new(k, &c->ms);
    case COMMAND_ms_cipher:
        return ms_there(k, c->ms_cipher.ms_id);
    case COMMAND_ms_flow:
        return ms_there(k, c->ms_flow.ms_id);
    case COMMAND_ms_default:
        return ms_there(k, c->ms_default.ms_id);
    case COMMAND_ms_freeze:
        return ms_there(k, c->ms_freeze.ms_id);
    case COMMAND_ms_release:
        return ms_there(k, c->ms_release.ms_id);
    case COMMAND_ms_move:
        return ms_moves(k, &c->ms_move);
    case COMMAND_ms_flush:
        return ms_there(k, c->ms_flush.ms_id);
    case COMMAND_ms_remove:
        fault = ms_there(k, c->ms_remove.ms_id);
        return busy(fault, !fault && k->ms[c->ms_remove.ms_id].nsapis != 0);
    case COMMAND_pfc:
        return pfc_new(k, &c->pfc);
    case COMMAND_pfc_flow:
        return pfc_there(k, c->pfc_flow.ms_id, c->pfc_flow.slot);
    case COMMAND_pfc_remove:
        return pfc_removable(k, &c->pfc_remove);
    case COMMAND_pdp:
        return pdp_new(k, &c->pdp);
    case COMMAND_pdp_remove:
        return THERE(k, pdp, pdps, c->pdp_remove.pdp_id);
    case COMMAND_COUNT:
        break;
    }
    return -EINVAL;
}

static void note_bvc(struct commands *k, const struct command_bvc *c)
{
    k->bvc[c->bvc_id] = (struct made_bvc){.made = true, .nse = c->nse_id};
    k->nse[c->nse_id].bvcs++;
}

static void note_bvc_removed(struct commands *k, uint32_t bvc)
{
    k->bvc[bvc].made = false;
    k->nse[k->bvc[bvc].nse].bvcs--;
}

static void note_ms(struct commands *k, const struct command_ms *c)
{
    k->ms[c->ms_id] = (struct made_ms){.made = true, .bvc = c->bvc_id};
    k->bvc[c->bvc_id].mss++;
}

static void note_ms_moved(struct commands *k, const struct command_ms_move *c)
{
    struct made_ms *ms = &k->ms[c->ms_id];
    k->bvc[ms->bvc].mss--;
    ms->bvc = c->bvc_id;
    k->bvc[ms->bvc].mss++;
}

static void note_ms_removed(struct commands *k, uint32_t ms)
{
    k->ms[ms].made = false;
    k->bvc[k->ms[ms].bvc].mss--;
}

static void note_pdp(struct commands *k, const struct command_pdp *c, uint32_t teid)
{
    struct made_ms *ms = &k->ms[c->ms_id];
    k->pdp[c->pdp_id] = (struct made_pdp){true, c->nsapi, (uint8_t)teid_generation(teid), c->ms_id};
    ms->nsapis |= (uint16_t)(1u << c->nsapi);
    ms->slot_of[c->nsapi] = c->slot;
}

static void note_pdp_removed(struct commands *k, uint32_t id)
{
    struct made_pdp *pdp = &k->pdp[id];
    pdp->made = false;
    k->ms[pdp->ms].nsapis &= (uint16_t) ~(1u << pdp->nsapi);
}

static void note(struct commands *k, const struct command *c)
{
    switch ((enum command_op)c->op) {
    case COMMAND_nse:
        k->nse[c->nse.nse_id].made = true;
        break;
    case COMMAND_nse_remove:
        k->nse[c->nse_remove.nse_id].made = false;
        break;
    case COMMAND_bvc:
        note_bvc(k, &c->bvc);
        break;
    case COMMAND_bvc_remove:
        note_bvc_removed(k, c->bvc_remove.bvc_id);
        break;
    case COMMAND_ms:
        note_ms(k, &c->ms);
        break;
    case COMMAND_ms_move:
        note_ms_moved(k, &c->ms_move);
        break;
    case COMMAND_ms_remove:
        note_ms_removed(k, c->ms_remove.ms_id);
        break;
    case COMMAND_pfc:
        k->ms[c->pfc.ms_id].slots |= (uint8_t)(1u << c->pfc.slot);
        break;
    case COMMAND_pfc_remove:
        k->ms[c->pfc_remove.ms_id].slots &= (uint8_t) ~(1u << c->pfc_remove.slot);
        break;
    case COMMAND_pdp:
        note_pdp(k, &c->pdp, c->teid);
        break;
    case COMMAND_pdp_remove:
        note_pdp_removed(k, c->pdp_remove.pdp_id);
        break;
    default: // the others make and remove nothing
        break;
    }
}

static uint32_t new_teid(const struct commands *k, uint32_t pdp)
{
    return teid_make(k->worker, teid_generation_after(k->pdp[pdp].generation), pdp);
}

// The key as the worker wants it, in place of a pointer to what is the caller's. GEA1, GEA2 and
// GEA5 are told apart from numbers that nobody knows.
static int take_key(struct command *c)
{
    struct octets kc = c->ms_cipher.key;
    char name[] = "GEA?";
    const char *why;
    name[3] = (char)('0' + c->ms_cipher.gea);
    c->ms_cipher.key = (struct octets){0};
    if (c->ms_cipher.gea == 0)
        return kc.n == 0 ? 0 : -EINVAL;
    return cipher_key(name, kc.at, kc.n, c->key, &why);
}

int64_t commands_send(struct commands *k, const struct command *command)
{
    struct command c = *command;
    int fault = c.op < COMMAND_COUNT ? values_check(&c) : -EINVAL;
    if (!fault)
        fault = ids_check(k, &c);
    if (!fault && c.op == COMMAND_ms_cipher)
        fault = take_key(&c);
    if (fault)
        return fault;
    c.teid = c.op == COMMAND_pdp ? new_teid(k, c.pdp.pdp_id) : 0;
    if (rte_ring_sp_enqueue_elem(k->ring, &c, sizeof c) != 0)
        return -EAGAIN;
    note(k, &c);
    return c.teid;
}

bool commands_setup(struct commands *k, const struct state_limits *limits, uint32_t pfcs_an_ms,
                    struct rte_ring *ring)
{
    *k = (struct commands){.ring = ring, .limits = *limits, .pfcs_an_ms = pfcs_an_ms};
    k->nse = calloc(limits->nses, sizeof *k->nse);
    k->bvc = calloc(limits->bvcs, sizeof *k->bvc);
    k->ms = calloc(limits->mss, sizeof *k->ms);
    k->pdp = calloc(limits->pdps, sizeof *k->pdp);
    return k->nse && k->bvc && k->ms && k->pdp;
}

void commands_release(struct commands *k)
{
    free(k->nse);
    free(k->bvc);
    free(k->ms);
    free(k->pdp);
}

#define COMMAND(name, LIST, help)                                  \
    static int64_t call_##name(void *target, const void *argument) \
    {                                                              \
        struct command command = {.op = COMMAND_##name};           \
        memcpy(&command.name, argument, sizeof command.name);      \
        return dp_command(target, &command);                       \
    }
#include "dataplane/state/commands.def"
#undef COMMAND

static int64_t call_settled(void *target, const void *argument)
{
    (void)argument;
    return dp_settled(target) ? 0 : -EAGAIN;
}

const struct field_call dp_calls[] = {
    {"settled", "waits until the worker has carried out every command", NULL, 0, 0, call_settled},
#define COMMAND(name, LIST, help)                                        \
    {#name,                                                              \
     help,                                                               \
     command_##name##_fields,                                            \
     sizeof command_##name##_fields / sizeof command_##name##_fields[0], \
     sizeof(struct command_##name),                                      \
     call_##name},
#include "dataplane/state/commands.def"
#undef COMMAND
};
const uint32_t dp_call_count = sizeof dp_calls / sizeof dp_calls[0];

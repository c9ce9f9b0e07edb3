// Set-up of MSs; see ms.h. Buffers of open N-PDUs return to the free lists in ms_npdu.c.
#include "lab/ms/ms.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lab/engine/need.h"
#include "lab/ms/ms_parts.h"

_Static_assert(sizeof(struct ms) <= 320, "10 000 MSs are to take 3 MB");

const struct field ms_config_fields[] = FIELD_KEYS_TABLE(ms_config, MS_CONFIG_FIELDS);
const uint32_t ms_config_field_count = sizeof ms_config_fields / sizeof ms_config_fields[0];
const struct field_record ms_config_record = FIELD_RECORD_OF(ms_config, ms_config_fields);

const struct ms_reason ms_refused_reasons[MS_REFUSED_COUNT] = {
#define MS_REFUSED(name, help) {#name, help},
#include "lab/ms/ms_losses.def"
};
const struct ms_reason ms_lost_reasons[MS_LOST_COUNT] = {
#define MS_LOST(name, help) {#name, help},
#include "lab/ms/ms_losses.def"
};

void ms_shared_setup(struct ms_shared *shared, const struct ms_config *config,
                     const struct ms_owner *owner)
{
    *shared = (struct ms_shared){.config = *config, .owner = *owner};
    shared->scratch =
        need(aligned_alloc(_Alignof(struct cipher_scratch), sizeof(struct cipher_scratch)));
}

void ms_shared_release(struct ms_shared *shared)
{
    ms_npdus_release(shared);
    free(shared->scratch);
}

int ms_key_of(uint8_t gea, struct octets kc, uint8_t key[CIPHER_KEY_OCTETS])
{
    const char *why;
    if (gea == 0)
        return 0;
    if (gea != 3 && gea != 4)
        return -ENOTSUP;
    return cipher_key(gea == 3 ? "GEA3" : "GEA4", kc.at, kc.n, key, &why);
}

int ms_set_terms(struct ms *ms, const struct ms_terms *terms)
{
    uint8_t key[CIPHER_KEY_OCTETS] = {0};
    if (terms->n201_u_octets < LLC_N201_U_MIN || terms->n201_u_octets > LLC_N201_U_MAX)
        return -ERANGE;
    int fault = ms_key_of(terms->gea, terms->kc, key);
    if (fault)
        return fault;
    memcpy(ms->key, key, sizeof key);
    ms->gea = terms->gea;
    ms->iov_ui = terms->iov_ui;
    ms_llc_begin(ms, terms->n201_u_octets);
    return 0;
}

int ms_take_key(struct ms *ms, uint8_t gea, struct octets kc)
{
    uint8_t key[CIPHER_KEY_OCTETS] = {0};
    int fault = ms_key_of(gea, kc, key);
    if (fault)
        return fault;
    if (ms->gea)
        memcpy(ms->before->key[ms->before->n++ % MS_KEYS_BEFORE], ms->key, sizeof ms->key);
    memcpy(ms->key, key, sizeof key);
    ms->gea = gea;
    for (uint32_t i = 0; i < MS_LLES; i++) {
        struct ms_lle *lle = &ms->lle[i];
        *lle = (struct ms_lle){.down_missed = lle->down_missed + 1,
                               .n201_u_octets = lle->n201_u_octets,
                               .down_octets_most = lle->down_octets_most};
    }
    return 0;
}

int ms_setup(struct ms *ms, struct ms_shared *shared, struct ms_counters *counters,
             const struct ms_terms *terms)
{
    *ms = (struct ms){.shared = shared, .counters = counters};
    return ms_set_terms(ms, terms);
}

void ms_release(struct ms *ms, uint64_t now_ns)
{
    for (uint8_t nsapi = MS_NSAPI_FIRST; nsapi < MS_NSAPI_FIRST + MS_NSAPIS; nsapi++)
        ms_remove_context(ms, nsapi, now_ns);
}

int ms_add_context(struct ms *ms, uint8_t nsapi, uint8_t sapi)
{
    uint32_t lle = ms_lle_of(sapi);
    struct ms_context *context = ms_context_of(ms, nsapi);
    if (!context || lle == MS_LLES)
        return -EINVAL;
    if (context->used)
        return -EEXIST;
    *context = (struct ms_context){
        .used = true, .lle = (uint8_t)lle, .down_missed = ms->lle[lle].down_missed};
    return 0;
}

void ms_remove_context(struct ms *ms, uint8_t nsapi, uint64_t now_ns)
{
    struct ms_context *context = ms_context_of(ms, nsapi);
    if (!context)
        return;
    if (context->open)
        ms_give_up(ms, context, MS_LOST_removed, now_ns);
    context->used = false;
}

// What was on its way before is lost with the old numbers, so the gap counter moves on.
void ms_llc_begin(struct ms *ms, uint16_t n201_u_octets)
{
    for (uint32_t i = 0; i < MS_LLES; i++)
        ms->lle[i] = (struct ms_lle){.down_missed = ms->lle[i].down_missed + 1,
                                     .n201_u_octets = n201_u_octets,
                                     .down_octets_most = n201_u_octets};
}

void ms_fault(struct ms *ms, const char *layer, const char *what, uint32_t offset)
{
    struct ms_shared *shared = ms->shared;
    if (shared->faults++ == 0)
        snprintf(shared->first_fault, sizeof shared->first_fault,
                 "LLC PDU %llu, for MS %08x, %s: %s (octet %u of the layer)",
                 (unsigned long long)shared->pdus, ms->label, layer, what, offset);
}

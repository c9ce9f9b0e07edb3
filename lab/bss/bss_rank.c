// Which of an MS's LLC PDUs goes first, by what its DL-UNITDATA carries (TS 48.018 10.2.1): the
// lower rank. Within an LLE the order stays whatever the ranks.
#include "lab/bss/bss_parts.h"

#define SIGNALLING 0
#define LAST       15

enum { INTERACTIVE = 3, BACKGROUND }; // 24.008 10.5.6.5

// Low and the values beyond are alike (11.3.28); signalling goes before all user data.
static uint32_t by_qos(const struct bssgp_qos *qos)
{
    uint32_t precedence = qos->precedence > 2 ? 2 : qos->precedence;
    return qos->user_data ? 1 + precedence : SIGNALLING;
}

// The priority level, bits 3 to 6 (11.3.27): 1 the highest, 14 the lowest, 15 and 0 none.
static uint32_t by_element(const struct bssgp_dl_unitdata *dl)
{
    uint32_t level = dl->has_priority ? dl->priority >> 2 & 15 : 0;
    return level ? level : LAST;
}

// Conversational, streaming, interactive by its handling priority, background.
static uint32_t by_class(const struct abqp *abqp)
{
    if (abqp->signalling)
        return SIGNALLING;
    if (abqp->traffic_class == INTERACTIVE)
        return 2u + (abqp->handling_priority ? abqp->handling_priority : 3);
    return abqp->traffic_class == BACKGROUND ? 6 : abqp->traffic_class;
}

// The PFIs that need no context (24.008 10.5.6.11): 0 best effort, 1 signalling, 2 SMS, 3 TOM8.
static uint32_t by_flow(const struct bss_buffer *buffer, const struct bssgp_dl_unitdata *dl)
{
    if (!dl->has_pfi || dl->pfi == 0)
        return LAST;
    if (dl->pfi < 4)
        return SIGNALLING;
    for (const struct bss_pfc *pfc = buffer->pfcs; pfc; pfc = pfc->next)
        if (pfc->pfi == dl->pfi && pfc->state != BSS_PFC_ASKED)
            return by_class(&pfc->abqp);
    return LAST;
}

uint32_t bss_pdu_rank(const struct bss_buffer *buffer, const struct bssgp_dl_unitdata *dl)
{
    switch (buffer->cell->config.priority) {
    case BSS_PRIORITY_QOS:
        return by_qos(&dl->qos);
    case BSS_PRIORITY_SDU:
        return by_element(dl);
    case BSS_PRIORITY_PFC:
        return by_flow(buffer, dl);
    default:
        return 0;
    }
}

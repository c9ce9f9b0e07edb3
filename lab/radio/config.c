// See config.h.
#include "lab/radio/config.h"

const struct field radio_config_fields[] = FIELD_KEYS_TABLE(radio_config, RADIO_CONFIG_FIELDS);
const uint32_t radio_config_field_count =
    sizeof radio_config_fields / sizeof radio_config_fields[0];
const struct field_record radio_config_record = FIELD_RECORD_OF(radio_config, radio_config_fields);

const struct field radio_plan_fields[] = FIELD_KEYS_TABLE(radio_plan, RADIO_PLAN_FIELDS);
const uint32_t radio_plan_field_count = sizeof radio_plan_fields / sizeof radio_plan_fields[0];
const struct field_record radio_plan_record = FIELD_RECORD_OF(radio_plan, radio_plan_fields);

void radio_config_standard(struct radio_config *config)
{
    for (uint32_t i = 0; i < radio_config_field_count; i++)
        field_set(&radio_config_fields[i], config, radio_config_fields[i].key->standard);
}

const char *radio_config_fault(const struct radio_config *c)
{
    if (c->slots > c->carriers * RADIO_SLOTS_A_CARRIER)
        return "radio.slots: more than 8 for each of radio.carriers";
    if ((c->down_coding || c->up_coding) && c->period_ns != 20 * MS_IN_NS)
        return "radio.period: other than 20 ms is for a radio without a coding scheme";
    if (c->round_trip_ns < c->period_ns)
        return "radio.round_trip: shorter than radio.period";
    return NULL;
}

const char *radio_plan_fault(const struct radio_plan *p)
{
    bool ends = p->kind == RADIO_PLAN_CALLS || p->kind == RADIO_PLAN_MS_CALL;
    if (p->lasts_ns && !ends)
        return "plan.lasts: only calls last";
    if (p->every_ns && ends && p->every_ns <= p->lasts_ns)
        return "plan.every: not longer than the call lasts";
    if (p->every_ns && ends && p->lasts_ns == 0)
        return "plan.every: the first call lasts without end";
    return NULL;
}

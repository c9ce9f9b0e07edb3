// The cell's block periods: who sends in which slot, and who waits for which period.
#include "lab/radio/radio_parts.h"

static void list_push(struct tbf_list *list, struct tbf *tbf)
{
    tbf->next = NULL;
    tbf->before = list->last;
    *(list->last ? &list->last->next : &list->first) = tbf;
    list->last = tbf;
}

static void list_remove(struct tbf_list *list, struct tbf *tbf)
{
    *(tbf->before ? &tbf->before->next : &list->first) = tbf->next;
    *(tbf->next ? &tbf->next->before : &list->last) = tbf->before;
}

static void turns_join(struct share *share, struct tbf *tbf)
{
    list_push(&share->turns[tbf->rank], tbf);
}

static void turns_leave(struct share *share, struct tbf *tbf)
{
    list_remove(&share->turns[tbf->rank], tbf);
}

// The one whose turn it is, or NULL.
static struct tbf *turns_first(const struct share *share)
{
    for (uint32_t rank = 0; rank < RADIO_RANKS; rank++)
        if (share->turns[rank].first)
            return share->turns[rank].first;
    return NULL;
}

// --- Waiting and set-up --------------------------------------------------------------------------

// Out of the round robin or the calendar.
void share_leave(struct radio *radio, struct tbf *tbf)
{
    uint32_t day = tbf->due % CALENDAR_DAYS;
    if (tbf->state == TBF_TURNS) {
        turns_leave(&radio->share[tbf->way], tbf);
        use_counts_to(tbf, radio->last_period + 1);
    }
    if (tbf->state == TBF_WAITS) {
        list_remove(&radio->day[day], tbf);
        if (!radio->day[day].first)
            radio->days_used &= ~(1ULL << day);
    }
    tbf->state = TBF_RESTS;
}

static void wait_for(struct radio *radio, struct tbf *tbf, uint32_t period)
{
    tbf->state = TBF_WAITS;
    tbf->due = period;
    list_push(&radio->day[period % CALENDAR_DAYS], tbf);
    radio->days_used |= 1ULL << period % CALENDAR_DAYS;
}

static bool is_open(const struct tbf *tbf, uint64_t now_ns)
{
    return tbf->open && (tbf->state != TBF_RESTS || now_ns < tbf->closes_ns);
}

static uint32_t period_from(const struct radio *radio, uint64_t t_ns)
{
    return (uint32_t)((t_ns + radio->config.period_ns - 1) / radio->config.period_ns);
}

// The first period that is still to start, not before from_ns.
uint32_t share_first_period(const struct radio *radio, uint64_t from_ns, uint64_t now_ns)
{
    uint32_t first = period_from(radio, from_ns);
    uint32_t next =
        radio->arriving ? radio->last_period + 1 : (uint32_t)(now_ns / radio->config.period_ns) + 1;
    return first > next ? first : next;
}

static void set_up(struct radio *radio, struct tbf *tbf, uint32_t next, uint64_t now_ns)
{
    const struct tbf *other = &tbf->ms->tbf[!tbf->way];
    bool beside = is_open(other, now_ns) && !other->sets_up;
    uint64_t end_ns = now_ns + (beside ? tbf->law->setup_beside_ns : tbf->law->setup_ns);
    uint32_t first = period_from(radio, end_ns);
    tbf->open = tbf->sets_up = true;
    radio->share[tbf->way].counts.tbfs++;
    wait_for(radio, tbf, first > next ? first : next);
}

// The TBF has something to send.
void share_wake(struct radio *radio, struct tbf *tbf, uint64_t now_ns)
{
    uint64_t from_ns = tbf->way == RADIO_UP ? tbf->unsent->from_ns : now_ns;
    uint32_t next = share_first_period(radio, from_ns, now_ns);
    if (tbf->state == TBF_TURNS || tbf->sleeps || !channel_has(radio, tbf->ms))
        return;
    if (!is_open(tbf, now_ns)) {
        set_up(radio, tbf, next, now_ns);
        return;
    }
    if (tbf->state == TBF_WAITS && (tbf->sets_up || tbf->stalled || tbf->due <= next))
        return;
    share_leave(radio, tbf);
    wait_for(radio, tbf, next);
}

static void join_due(struct radio *radio, uint32_t period)
{
    struct tbf *next;
    for (struct tbf *tbf = radio->day[period % CALENDAR_DAYS].first; tbf; tbf = next) {
        next = tbf->next;
        if (tbf->due != period)
            continue;
        share_leave(radio, tbf);
        if (!tbf->stalled)
            tbf->since = period;
        tbf->state = TBF_TURNS;
        turns_join(&radio->share[tbf->way], tbf);
    }
}

// Tells of the TBFs whose set-up has ended; they are the last of a rank's round robin.
static void tell_set_up(struct radio *radio, struct tbf *tbf, uint64_t now_ns)
{
    for (; tbf; tbf = tbf->next) {
        if (tbf->sets_up && tbf->way == RADIO_UP) {
            tbf->sets_up = false;
            radio->owner.event(radio->owner.self, tbf->ms->index, RADIO_UP_OPEN, now_ns);
            channel_active(radio, tbf->ms, now_ns);
        }
        tbf->sets_up = false;
    }
}

// Those that waited for this period join the round robin, in the order in which they began to wait.
static void wake_due(struct radio *radio, uint32_t period, uint64_t now_ns)
{
    struct tbf *last[RADIO_WAYS][RADIO_RANKS];
    for (uint32_t i = 0; i < RADIO_WAYS * RADIO_RANKS; i++)
        last[i / RADIO_RANKS][i % RADIO_RANKS] =
            radio->share[i / RADIO_RANKS].turns[i % RADIO_RANKS].last;
    join_due(radio, period);
    for (uint32_t i = 0; i < RADIO_WAYS * RADIO_RANKS; i++) {
        struct tbf *before = last[i / RADIO_RANKS][i % RADIO_RANKS];
        struct tbf *first = radio->share[i / RADIO_RANKS].turns[i % RADIO_RANKS].first;
        tell_set_up(radio, before ? before->next : first, now_ns);
    }
}

// --- A period ------------------------------------------------------------------------------------

// The blocks of the last period arrive, if that has ended and they have not.
void share_receive(struct radio *radio, uint64_t now_ns)
{
    if ((radio->last_period + 1) * radio->config.period_ns > now_ns)
        return;
    radio->arriving = true;
    for (uint32_t way = 0; way < RADIO_WAYS; way++) {
        struct share *share = &radio->share[way];
        struct tbf *tbf = share->sent_first, *next;
        share->sent_first = share->sent_last = NULL;
        for (; tbf; tbf = next) {
            next = tbf->next_sent;
            tbf->in_sent = false;
            tbf_receive(radio, tbf, now_ns);
        }
    }
    radio->arriving = false;
}

static void note_sent(struct share *share, struct tbf *tbf)
{
    if (tbf->in_sent)
        return;
    tbf->in_sent = true;
    tbf->next_sent = NULL;
    *(share->sent_last ? &share->sent_last->next_sent : &share->sent_first) = tbf;
    share->sent_last = tbf;
    tbf->slots_used = 0;
    use_sends(share, tbf);
}

// What the rate carries in this period, in bit/s * ns.
static uint64_t credit_of(const struct radio *radio, const struct share *share, uint32_t slots)
{
    uint64_t begin_ns = radio->last_period * radio->config.period_ns;
    if (!share->trace)
        return share->rate_bit_per_s * slots / radio->config.slots * radio->config.period_ns;
    return (
        uint64_t)(radio_trace_carried(share->trace, begin_ns, begin_ns + radio->config.period_ns) *
                  slots / radio->config.slots);
}

// The slots of this period; with a rate, the blocks: the part of a block that is left over counts
// for the next period. Control blocks take their share of them.
static uint32_t slots_of(struct radio *radio, struct share *share)
{
    uint32_t slots = channel_slots(radio);
    if (share->rate_bit_per_s) {
        uint64_t block = (uint64_t)share->law.block_octets * OCTETS_IN_BITS * S_IN_NS;
        share->credit += credit_of(radio, share, slots);
        slots = (uint32_t)(share->credit / block);
        share->credit %= block;
    }
    share->counts.slots += slots;
    uint64_t control = share->control_credit + (uint64_t)slots * share->control_ppm;
    share->control_credit = (uint32_t)(control % PPM);
    share->counts.slots_control += control / PPM;
    return slots - (uint32_t)(control / PPM);
}

static void rest(struct radio *radio, struct tbf *tbf, uint32_t period)
{
    uint32_t next = tbf_next_period(radio, tbf, period);
    tbf->state = TBF_RESTS;
    use_counts_to(tbf, period + tbf->in_sent);
    if (next != UINT32_MAX) {
        radio->share[tbf->way].counts.stalls += tbf->stalled;
        wait_for(radio, tbf, next);
        return;
    }
    uint32_t acknowledged = tbf->last_sent + radio->round_trip;
    tbf->closes_ns = (acknowledged > period ? acknowledged : period) * radio->config.period_ns +
                     tbf->law->release_ns;
}

static void share_slots(struct radio *radio, struct share *share, uint32_t period)
{
    if (!turns_first(share))
        return;
    uint32_t slots = slots_of(radio, share);
    struct tbf_list full = {0}; // those that have all slots that they may have
    struct tbf *tbf;
    while (slots > 0 && (tbf = turns_first(share))) {
        turns_leave(share, tbf);
        if (!tbf_send(radio, tbf, period)) {
            rest(radio, tbf, period);
            continue;
        }
        slots--;
        share->counts.slots_used++;
        note_sent(share, tbf);
        if (++tbf->slots_used < tbf->law->slots_most)
            turns_join(share, tbf);
        else
            list_push(&full, tbf);
    }
    while ((tbf = full.first)) {
        list_remove(&full, tbf);
        turns_join(share, tbf);
    }
    use_count(radio, share, slots, turns_first(share));
}

void share_period(struct radio *radio, uint64_t now_ns)
{
    uint32_t period = (uint32_t)(now_ns / radio->config.period_ns);
    radio->last_period = period;
    wake_due(radio, period, now_ns);
    for (uint32_t way = 0; way < RADIO_WAYS; way++)
        share_slots(radio, &radio->share[way], period);
}

// The start of the next period with something to do; of an earlier one if that is far away.
uint64_t share_next_ns(const struct radio *radio, uint64_t now_ns)
{
    uint64_t period = radio->last_period + 1;
    for (uint32_t way = 0; way < RADIO_WAYS; way++)
        if (turns_first(&radio->share[way]) || radio->share[way].sent_first)
            return period * radio->config.period_ns;
    if (!radio->days_used)
        return TIME_NEVER;
    if (period < now_ns / radio->config.period_ns)
        period = now_ns / radio->config.period_ns;
    uint32_t turn = period % CALENDAR_DAYS;
    uint64_t days = radio->days_used >> turn;
    if (turn)
        days |= radio->days_used << (CALENDAR_DAYS - turn);
    return (period + (uint32_t)__builtin_ctzll(days)) * radio->config.period_ns;
}

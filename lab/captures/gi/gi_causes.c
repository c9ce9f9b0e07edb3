// See gi_causes.h. The first segment that is sent again of each loss tells what began the repair:
// three ACKs that did not advance, or SACK, began a fast retransmission; without those, after a
// silence, the host's timer did, or, if it is the last segment and others are missing too, a tail
// loss probe (RFC 8985). The first that is not acknowledged, in a silence in the middle of the
// repair, is the timer's again. What was lost before here and was the last comes again in its
// order: nobody sees that it does.
#include "lab/captures/gi/gi_causes.h"

#include <stdlib.h>

#include "dataplane/base/units.h"
#include "dataplane/wire/tcp.h"
#include "lab/captures/gi/gi_half_parts.h"

#define DUPLICATES 3
#define TIMER_US   150000 // no host's timer is shorter than 200 ms
#define ROOM_FIRST 64u

// ---- Memory ----

static struct gi_causes *causes_of(struct gi_records *records, gi_causes_number *number)
{
    if (*number)
        return &records->causes[*number];
    if (!records->causes_free) {
        uint32_t before = records->causes_room, room = before ? 2 * before : ROOM_FIRST;
        records->causes = realloc(records->causes, room * sizeof *records->causes);
        if (!records->causes)
            abort();
        for (uint32_t i = room; i-- > before + !before;) { // 0 is none
            records->causes[i].recover = records->causes_free;
            records->causes_free = i;
        }
        records->causes_room = room;
    }
    *number = records->causes_free;
    records->causes_used++;
    records->causes_free = records->causes[*number].recover;
    records->causes[*number] = (struct gi_causes){.recover = 0};
    return &records->causes[*number];
}

const struct gi_causes *gi_causes_read(const struct gi_records *records, gi_causes_number number)
{
    static const struct gi_causes none;
    return number ? &records->causes[number] : &none;
}

void gi_causes_end(struct gi_records *records, gi_causes_number *number)
{
    if (!*number)
        return;
    records->causes[*number].recover = records->causes_free;
    records->causes_free = *number;
    records->causes_used--;
    *number = 0;
}

// ---- What passes ----

static void count_if(uint16_t *number, bool is)
{
    *number += is && *number < UINT16_MAX;
}

static void begin_repair(struct gi_causes *causes, const struct gi_half *down, uint32_t sequence,
                         uint32_t end, bool timer)
{
    bool sacked = down->sacked_to != down->una && gi_half_after(down->sacked_to, down->una);
    bool fast = causes->duplicates >= DUPLICATES || sacked;
    bool probe = end == down->next && sequence != down->una;
    if (!fast && !timer)
        return; // overtaken on its way
    count_if(&causes->fast, fast);
    count_if(&causes->probes, !fast && probe);
    count_if(&causes->timeouts, !fast && !probe);
    causes->repairs = true;
    causes->recover = down->next;
}

void gi_causes_data(struct gi_records *records, gi_causes_number *number,
                    const struct gi_half *down, const struct gi_packet *packet, uint32_t silent_us)
{
    uint32_t end = packet->sequence + packet->data_octets;
    bool timer = silent_us >= TIMER_US;
    bool below = down->started && gi_half_after(down->next, packet->sequence);
    bool keepalive = packet->data_octets == 1 && end == down->next && down->una == down->next;
    if (packet->data_octets == 0 || !below || keepalive)
        return;
    struct gi_causes *causes = causes_of(records, number);
    uint32_t since_us = gi_half_us(packet->time_ns) - causes->advance_us;
    if (!gi_half_after(end, down->una)) // its ACK was on its way from here when the timer ran
        count_if(&causes->timeouts, timer && !causes->repairs);
    else if (!causes->repairs)
        begin_repair(causes, down, packet->sequence, end, timer);
    else
        count_if(&causes->timeouts, timer && since_us >= TIMER_US && packet->sequence == down->una);
}

void gi_causes_ack(struct gi_records *records, gi_causes_number *number, const struct gi_half *down,
                   const struct gi_packet *packet)
{
    bool closed = packet->window == 0 && !(packet->flags & (TCP_SYN | TCP_RST));
    bool acks = packet->flags & TCP_ACK && down->started;
    bool advances = acks && gi_half_after(packet->acknowledgement, down->una);
    bool again = acks && packet->acknowledgement == down->una && packet->data_octets == 0 &&
                 gi_half_flight(down) > 0;
    if (!*number && !closed && !again)
        return;
    struct gi_causes *causes = causes_of(records, number);
    count_if(&causes->zero_windows, closed && !causes->closed);
    causes->closed = closed;
    if (again)
        causes->duplicates += causes->duplicates < UINT8_MAX;
    if (!advances)
        return;
    causes->duplicates = 0;
    causes->advance_us = gi_half_us(packet->time_ns);
    causes->repairs = causes->repairs && gi_half_after(causes->recover, packet->acknowledgement);
}

void gi_causes_silence(struct gi_records *records, gi_causes_number *number,
                       const struct gi_half *down, uint64_t silence_ns)
{
    if (gi_half_flight(down) == 0)
        return;
    struct gi_causes *causes = causes_of(records, number);
    count_if(&causes->stalls, true);
    uint64_t us = causes->stalled_us + silence_ns / 1000;
    causes->stalled_us = us < UINT32_MAX ? (uint32_t)us : UINT32_MAX;
}

// See audit_print.h.
#include "lab/captures/audit/audit_print.h"

#include "dataplane/wire/address.h"
#include "lab/captures/read/capture_ip.h"

static bool is_on_line(const struct audit_end *end)
{
    static const struct ipv6_address here = {{[15] = AUDIT_LINE_HERE}};
    static const struct ipv6_address there = {{[15] = AUDIT_LINE_THERE}};
    return address_same(&end->address, &here) || address_same(&end->address, &there);
}

static void end_text(const struct audit_end *end, bool frame_relay, char text[64])
{
    char address[INET6_ADDRSTRLEN];
    if (frame_relay && is_on_line(end)) {
        snprintf(text, 64, "%s of the line, DLCI %u",
                 end->address.octet[15] == AUDIT_LINE_HERE ? "here" : "there", end->port);
        return;
    }
    bool brackets = !frame_relay && !address_is_ipv4(&end->address);
    snprintf(text, 64, "%s%s%s%s%u", brackets ? "[" : "", capture_ip_text(&end->address, address),
             brackets ? "]" : "", frame_relay ? " DLCI " : ":", end->port);
}

const char *audit_print_pair(const struct audit_pair *pair, char text[AUDIT_NAME_OCTETS])
{
    char first[64], second[64];
    int sgsn = pair->sgsn == 1;
    end_text(&pair->end[sgsn], pair->frame_relay, first);
    end_text(&pair->end[!sgsn], pair->frame_relay, second);
    snprintf(text, AUDIT_NAME_OCTETS, "%.60s - %.60s", first, second);
    return text;
}

const char *audit_print_nse(const struct audit_nse *nse, char text[AUDIT_NAME_OCTETS])
{
    char address[INET6_ADDRSTRLEN];
    if (nse->has_nsei)
        snprintf(text, AUDIT_NAME_OCTETS, "NSEI %u", nse->nsei);
    else
        snprintf(text, AUDIT_NAME_OCTETS, "BSS %s", capture_ip_text(&nse->address, address));
    return text;
}

double audit_print_seconds(const struct audit *audit, uint64_t time_ns)
{
    return (double)(time_ns - audit->first_ns) / (double)S_IN_NS;
}

struct audit_means audit_print_means(const struct audit_bucket *bucket)
{
    double ns = bucket->covered_ns;
    if (ns <= 0)
        return (struct audit_means){0};
    return (struct audit_means){.used_of_r = bucket->offered_octets > 0
                                                 ? (double)bucket->octets / bucket->offered_octets
                                                 : 0,
                                .queue_octets = bucket->held_ns / ns,
                                .room_octets = bucket->room_ns / ns,
                                .busy = bucket->busy_ns / ns};
}

uint64_t audit_frames(const struct audit *audit)
{
    return audit->frames;
}

uint64_t audit_lasts_ns(const struct audit *audit)
{
    return audit->last_ns - audit->first_ns;
}

static void put_count(const char *help, uint64_t count, audit_put_fn *put, void *self)
{
    char text[256];
    snprintf(text, sizeof text, "%s: %llu", help, (unsigned long long)count);
    if (count)
        put(self, text);
}

void audit_print_notes(const struct audit *audit, uint32_t first_of_capture, uint32_t first_count,
                       audit_put_fn *put, void *self)
{
    for (const struct audit_note *note = audit->notes; note; note = note->next)
        put(self, note->text);
    for (uint32_t i = first_of_capture; i < CAPTURE_COUNTS; i++)
        put_count(capture_count_helps[i], audit->capture[i], put, self);
    for (uint32_t i = first_count; i < AUDIT_COUNTS; i++)
        put_count(audit_count_helps[i], audit->counts[i], put, self);
}

void audit_notes(const struct audit *audit, audit_put_fn *put, void *self)
{
    audit_print_notes(audit, CAPTURE_link_unknown, AUDIT_datagrams + 1, put, self);
}

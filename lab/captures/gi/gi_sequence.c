// See gi_sequence.h.
#include "lab/captures/gi/gi_sequence.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "dataplane/base/units.h"
#include "dataplane/wire/address.h"
#include "dataplane/wire/tcp.h"
#include "lab/captures/read/capture_ip.h"

// ---- Which connection ----

static bool read_end(struct gi_end *end, const char *text, size_t n)
{
    char one[64];
    struct in_addr ipv4;
    if (n >= sizeof one)
        return false;
    memcpy(one, text, n);
    one[n] = '\0';
    char *colon = strrchr(one, ':'), *address = one, *behind;
    if (!colon || colon[1] < '0' || colon[1] > '9')
        return false;
    unsigned long port = strtoul(colon + 1, &behind, 10);
    *colon = '\0';
    if (*behind || port == 0 || port > UINT16_MAX)
        return false;
    end->port = (uint16_t)port;
    if (inet_pton(AF_INET, one, &ipv4) == 1) {
        end->address = address_of_ipv4(ntohl(ipv4.s_addr));
        return true;
    }
    size_t octets = strlen(one);
    if (octets < 2 || one[0] != '[' || one[octets - 1] != ']')
        return false;
    one[octets - 1] = '\0';
    return inet_pton(AF_INET6, address + 1, end->address.octet) == 1;
}

bool gi_sequence_read(struct gi_sequence *sequence, const char *text)
{
    const char *comma = strchr(text, ',');
    return comma && read_end(&sequence->user, text, (size_t)(comma - text)) &&
           read_end(&sequence->host, comma + 1, strlen(comma + 1));
}

static bool is_end(const struct gi_end *a, const struct gi_end *b)
{
    return a->port == b->port && memcmp(&a->address, &b->address, sizeof a->address) == 0;
}

// ---- Its segments ----

static void add(struct gi_sequence *s, uint64_t now_ns, int64_t octets, enum gi_sequence_kind kind)
{
    if (s->count == GI_SEQUENCE_POINTS) {
        s->left_out++;
        return;
    }
    if (s->count == 0)
        s->first_ns = now_ns;
    s->point[s->count++] = (struct gi_sequence_point){now_ns - s->first_ns, octets, kind};
}

static void take_data(struct gi_sequence *s, const struct gi_packet *packet)
{
    uint32_t begin = packet->sequence + !!(packet->flags & TCP_SYN);
    uint32_t end = begin + packet->data_octets;
    if (!s->begun_data) {
        s->first = s->highest = begin;
        s->begun_data = true;
    }
    if (packet->data_octets == 0)
        return;
    bool again = (int32_t)(end - s->highest) <= 0;
    add(s, packet->time_ns, (int32_t)(end - s->first),
        again ? GI_SEQUENCE_AGAIN : GI_SEQUENCE_DATA);
    if (!again)
        s->highest = end;
}

void gi_sequence_take(struct gi_sequence *s, const struct gi_packet *packet, enum gi_side side)
{
    const struct gi_end *user = side == GI_UP ? &packet->from : &packet->to;
    const struct gi_end *host = side == GI_UP ? &packet->to : &packet->from;
    if (!is_end(user, &s->user) || !is_end(host, &s->host))
        return;
    if (side == GI_DOWN)
        take_data(s, packet);
    else if (s->begun_data && packet->flags & TCP_ACK)
        add(s, packet->time_ns, (int32_t)(packet->acknowledgement - s->first), GI_SEQUENCE_ACK);
}

// ---- JSON ----

static void put_end(struct json *json, const char *key, const struct gi_end *end)
{
    char room[INET6_ADDRSTRLEN], text[INET6_ADDRSTRLEN + 16];
    bool is_ipv4 = address_is_ipv4(&end->address);
    snprintf(text, sizeof text, is_ipv4 ? "%s:%u" : "[%s]:%u", capture_ip_text(&end->address, room),
             end->port);
    json_put_text(json, key, text);
}

void gi_sequence_put(const struct gi_sequence *s, struct json *json)
{
    static const char *const kinds[] = {"data", "again", "ack"};
    if (s->host.port == 0)
        return;
    json_put_object(json, "sequence");
    put_end(json, "user", &s->user);
    put_end(json, "host", &s->host);
    json_put(json, "left_out", s->left_out);
    json_put_array(json, "points");
    for (uint32_t i = 0; i < s->count; i++) {
        json_object(json);
        json_key(json, "after_s");
        json_real(json, (double)s->point[i].after_ns / S_IN_NS);
        json_put_text(json, "kind", kinds[s->point[i].kind]);
        json_key(json, "octets");
        json_integer(json, s->point[i].octets);
        json_close(json);
    }
    json_close(json);
    json_close(json);
}

// See gi_write.h. A name has its unit behind it where it has one: _s, _bit_per_s.
#include "lab/captures/gi/gi_write.h"

#include <arpa/inet.h>
#include <stdio.h>

static const char *unit_of(enum gi_kind kind)
{
    return kind == GI_KIND_NS ? "_s" : kind == GI_KIND_RATE ? "_bit_per_s" : "";
}

static void put_address(char text[INET6_ADDRSTRLEN], const struct ipv6_address *address)
{
    if (address_is_ipv4(address))
        inet_ntop(AF_INET, address->octet + 12, text, INET6_ADDRSTRLEN);
    else
        inet_ntop(AF_INET6, address->octet, text, INET6_ADDRSTRLEN);
}

// What is no number: as it is written, in `room` if it is an address. NULL: it is one.
static const char *text_of(const struct gi_result *result, const struct gi_field *field,
                           char room[INET6_ADDRSTRLEN])
{
    const char *at = (const char *)result + field->at, *word = NULL;
    if (field->kind == GI_KIND_WORD)
        memcpy(&word, at, sizeof word);
    if (field->kind != GI_KIND_ADDRESS)
        return word;
    put_address(room, (const struct ipv6_address *)at);
    return room;
}

static int64_t number_of(const struct gi_result *result, const struct gi_field *field)
{
    int64_t value;
    memcpy(&value, (const char *)result + field->at, sizeof value);
    return value;
}

// Times and shares are fixed point.
static uint32_t decimals_of(enum gi_kind kind)
{
    return kind == GI_KIND_NS ? 9 : kind == GI_KIND_SHARE ? 6 : 0;
}

void gi_write_head(FILE *csv)
{
    for (size_t i = 0; i < gi_fields_count; i++)
        fprintf(csv, "%s%s%s", i ? "," : "", gi_fields[i].name, unit_of(gi_fields[i].kind));
    fputc('\n', csv);
}

static void write_number(FILE *csv, int64_t value, uint32_t decimals)
{
    int64_t unit = decimals == 9 ? 1000000000 : decimals == 6 ? 1000000 : 1;
    if (value == GI_NONE)
        return;
    if (decimals)
        fprintf(csv, "%" PRId64 ".%0*" PRId64, value / unit, (int)decimals,
                value % unit < 0 ? -(value % unit) : value % unit);
    else
        fprintf(csv, "%" PRId64, value);
}

void gi_write_row(FILE *csv, const struct gi_result *result)
{
    for (size_t i = 0; i < gi_fields_count; i++) {
        const struct gi_field *field = &gi_fields[i];
        char room[INET6_ADDRSTRLEN];
        const char *text = text_of(result, field, room);
        if (i)
            fputc(',', csv);
        if (text)
            fputs(text, csv);
        else
            write_number(csv, number_of(result, field), decimals_of(field->kind));
    }
    fputc('\n', csv);
}

static void put_number(struct json *json, const struct gi_field *field, int64_t value)
{
    uint32_t decimals = decimals_of(field->kind);
    if (value == GI_NONE)
        json_null(json);
    else if (field->kind == GI_KIND_FLAG)
        json_boolean(json, value);
    else if (decimals)
        json_decimal(json, (uint64_t)(value > 0 ? value : 0), (int)decimals);
    else
        json_integer(json, value);
}

void gi_write_object(struct json *json, const struct gi_result *result)
{
    json_object(json);
    for (size_t i = 0; i < gi_fields_count; i++) {
        const struct gi_field *field = &gi_fields[i];
        char key[64], room[INET6_ADDRSTRLEN];
        const char *text = text_of(result, field, room);
        snprintf(key, sizeof key, "%s%s", field->name, unit_of(field->kind));
        json_key(json, key);
        if (text)
            json_text(json, text);
        else
            put_number(json, field, number_of(result, field));
    }
    json_close(json);
}

void gi_write_fields(FILE *out)
{
    for (size_t i = 0; i < gi_fields_count; i++)
        fprintf(out, "%s%s: %s\n", gi_fields[i].name, unit_of(gi_fields[i].kind),
                gi_fields[i].help);
}

// ---- Losses ----

static const char *const verdicts[GI_VERDICTS + 1][GI_SIDES] = {
#define VERDICT(name, up, down) {up, down},
#include "lab/captures/gi/gi_verdicts.def"
#undef VERDICT
    {"", ""}};

void gi_write_losses_head(FILE *csv)
{
    fprintf(csv, "user,user_port,host,host_port,direction,time_s,sequence,verdict,instead\n");
}

void gi_write_loss(const struct gi_records *records, const struct gi_half *half,
                   enum gi_verdict verdict, enum gi_verdict instead, uint32_t sequence)
{
    const struct gi_flow *flow = records->flow;
    FILE *csv = records->self;
    int side = half == &flow->half[GI_UP] ? GI_UP : GI_DOWN;
    for (int end = 0; end < GI_SIDES; end++) {
        char address[INET6_ADDRSTRLEN];
        put_address(address, &flow->user[end]->address);
        fprintf(csv, "%s,%u,", address, flow->port[end]);
    }
    fprintf(csv, "%s,", side == GI_UP ? "up" : "down");
    write_number(csv, (int64_t)records->now_ns, 9);
    fprintf(csv, ",%" PRIu32 ",%s,%s\n", sequence, verdicts[verdict][side],
            verdicts[instead][side]);
}

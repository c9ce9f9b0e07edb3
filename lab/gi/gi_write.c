// See gi_write.h. A name has its unit behind it where it has one: _s, _bit_per_s.
#include "lab/gi/gi_write.h"

static const char *unit_of(enum gi_kind kind)
{
    return kind == GI_KIND_NS ? "_s" : kind == GI_KIND_RATE ? "_bit_per_s" : "";
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
        if (i)
            fputc(',', csv);
        if (field->kind == GI_KIND_TEXT)
            fputs((const char *)result + field->at, csv);
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
        char key[64];
        snprintf(key, sizeof key, "%s%s", field->name, unit_of(field->kind));
        json_key(json, key);
        if (field->kind == GI_KIND_TEXT)
            json_text(json, (const char *)result + field->at);
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

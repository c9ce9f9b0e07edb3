// See rows.h. An entry that DPDK refuses (a full dictionary) is left out.
#include "control/export/rows.h"

#include <inttypes.h>
#include <rte_telemetry.h>
#include <rte_version.h>
#include <stdio.h>
#include <string.h>

// DPDK 23.03 has renamed the function.
#if RTE_VERSION >= RTE_VERSION_NUM(23, 3, 0, 0)
#define add_dict_unsigned rte_tel_data_add_dict_uint
#else
#define add_dict_unsigned rte_tel_data_add_dict_u64
#endif

#define AROUND_OCTETS 6u // quotes, colon, comma, and quotes or braces

struct row row_begin(void)
{
    struct row row = {.data = rte_tel_data_alloc(), .octets = AROUND_OCTETS};
    if (row.data)
        rte_tel_data_start_dict(row.data);
    return row;
}

static void grow(struct row *row, const char *name, uint32_t octets)
{
    row->octets += (uint32_t)strlen(name) + octets + AROUND_OCTETS;
}

void row_put(struct row *row, const char *name, uint64_t value)
{
    char text[24];
    if (row->data && add_dict_unsigned(row->data, name, value) == 0)
        grow(row, name, (uint32_t)snprintf(text, sizeof text, "%" PRIu64, value));
}

// The octets of a text in JSON: an escaped octet takes two.
static uint32_t text_octets(const char *text)
{
    uint32_t octets = 0;
    for (; *text; text++)
        octets += *text == '"' || *text == '\\' || (unsigned char)*text < 0x20 ? 2 : 1;
    return octets;
}

void row_text(struct row *row, const char *name, const char *text)
{
    char cut[RTE_TEL_MAX_STRING_LEN];
    snprintf(cut, sizeof cut, "%s", text);
    if (row->data && rte_tel_data_add_dict_string(row->data, name, cut) == 0)
        grow(row, name, text_octets(cut));
}

static void put_octets(struct row *row, const char *name, const struct octets *octets)
{
    char text[RTE_TEL_MAX_STRING_LEN];
    snprintf(text, sizeof text, "%.*s", (int)octets->n, (const char *)octets->at);
    row_text(row, name, text);
}

void row_fields(struct row *row, const struct field_record *record, const void *of)
{
    for (uint32_t i = 0; i < record->count; i++) {
        const struct field *f = &record->fields[i];
        const void *at = (const char *)of + f->offset;
        if (f->has_offset != FIELD_ALWAYS && !*((const bool *)of + f->has_offset))
            continue;
        if (f->kind == FIELD_OCTETS)
            put_octets(row, f->name, at);
        else if (f->kind == FIELD_DIGITS)
            row_text(row, f->name, ((const struct digits *)at)->text);
        else
            row_put(row, f->name, field_get(f, of));
    }
}

void row_drops(struct row *row, const uint64_t *packets, const char *const *names, uint32_t n)
{
    struct row inner = {0};
    for (uint32_t i = 0; i < n; i++) {
        if (!packets[i])
            continue;
        if (!inner.data)
            inner = row_begin();
        row_put(&inner, names[i], packets[i]);
    }
    if (inner.data)
        row_inside(row, "drops", &inner);
}

void row_inside(struct row *row, const char *name, struct row *inner)
{
    if (row->data && inner->data &&
        rte_tel_data_add_dict_container(row->data, name, inner->data, 0) == 0)
        grow(row, name, inner->octets);
    else
        row_free(inner);
    inner->data = NULL;
}

void row_free(struct row *row)
{
    if (row->data)
        rte_tel_data_free(row->data);
    row->data = NULL;
}

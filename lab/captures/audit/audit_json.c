// The report as JSON: its tables, what was read, and what was not judged.
#include "lab/base/json.h"
#include "lab/captures/audit/audit_print.h"

static void put_input(struct json *json, const struct audit *audit)
{
    json_put_object(json, "input");
    json_put(json, "frames", audit->frames);
    json_put(json, "first_ns", audit->first_ns);
    json_put(json, "lasts_ns", audit->last_ns - audit->first_ns);
    for (uint32_t i = 0; i < CAPTURE_COUNTS; i++)
        json_put(json, capture_count_names[i], audit->capture[i]);
    for (uint32_t i = 0; i < AUDIT_COUNTS; i++)
        json_put(json, audit_count_names[i], audit->counts[i]);
    json_put(json, "clock_disorder_ns", audit->disorder_ns);
    json_close(json);
}

static void put_note(void *self, const char *text)
{
    json_text(self, text);
}

void audit_json(const struct audit *audit, FILE *out)
{
    struct json json;
    json_begin(&json, out);
    json_object(&json);
    json_put(&json, "breaches", audit_breaches(audit));
    for (int i = 0; i < AUDIT_TABLES; i++)
        if (audit_tables[i]->key)
            table_json(audit_tables[i], audit, &json);
    put_input(&json, audit);
    json_put_array(&json, "notes");
    audit_notes(audit, put_note, &json);
    json_close(&json);
    json_close(&json);
    json_end(&json);
}

// The one JSON writer: the caller opens, names and closes in order; the writer indents, separates
// and escapes. Integers, but for json_real (a figure carries its unit in its name). The writer
// escapes octets that are not UTF-8 as \u00XX. Left out: reading JSON.
#ifndef SLUICE_LAB_BASE_JSON_H
#define SLUICE_LAB_BASE_JSON_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

#define JSON_DEPTH_MAX 32

struct json {
    FILE *out;
    int depth;
    bool after_key;
    struct {
        char close;
        bool empty;
    } level[JSON_DEPTH_MAX];
};

void json_begin(struct json *json, FILE *out);
void json_object(struct json *json);
void json_array(struct json *json);
void json_close(struct json *json);
void json_key(struct json *json, const char *key);
void json_text(struct json *json, const char *text);
void json_integer(struct json *json, int64_t value);
void json_boolean(struct json *json, bool value);
void json_null(struct json *json);
void json_end(struct json *json);

// "key": value in one call.
void json_put(struct json *json, const char *key, uint64_t value);
void json_put_text(struct json *json, const char *key, const char *text);
// "key": and its object or array, open.
void json_put_object(struct json *json, const char *key);
void json_put_array(struct json *json, const char *key);

// Nine digits of it, such as 0.333333333; not NAN, nor infinite.
void json_real(struct json *json, double value);

// With so many decimals, rounded as in CSV and on a page.
void json_fixed(struct json *json, double value, int decimals);
// A fixed number of decimals out of an integer: json_decimal(j, 12345, 3) writes 12.345.
void json_decimal(struct json *json, uint64_t scaled, int decimals);

#endif

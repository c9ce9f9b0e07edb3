// See json.h. Nesting deeper than JSON_DEPTH_MAX is a programming error and ends the program.
#include "lab/base/json.h"

#include <assert.h>
#include <stdlib.h>

void json_begin(struct json *json, FILE *out)
{
    *json = (struct json){.out = out};
    json->level[0].empty = true;
}

static void new_line(struct json *json)
{
    fprintf(json->out, "\n%*s", 2 * json->depth, "");
}

// Writes what precedes a value or a key: a comma unless it is the first, and the indent.
static void lead(struct json *json)
{
    if (json->after_key) {
        json->after_key = false;
        return;
    }
    if (json->depth == 0)
        return;
    if (!json->level[json->depth].empty)
        fputc(',', json->out);
    json->level[json->depth].empty = false;
    new_line(json);
}

static void open_level(struct json *json, char open, char close)
{
    lead(json);
    fputc(open, json->out);
    if (++json->depth >= JSON_DEPTH_MAX)
        abort();
    json->level[json->depth].close = close;
    json->level[json->depth].empty = true;
}

void json_object(struct json *json)
{
    open_level(json, '{', '}');
}

void json_array(struct json *json)
{
    open_level(json, '[', ']');
}

void json_close(struct json *json)
{
    assert(json->depth > 0);
    bool empty = json->level[json->depth].empty;
    char close = json->level[json->depth].close;
    json->depth--;
    if (!empty)
        new_line(json);
    fputc(close, json->out);
}

// Length of the UTF-8 sequence at s (RFC 3629), 0 if invalid: truncated, overlong, a surrogate, or
// beyond U+10FFFF.
static int utf8_length(const unsigned char *s)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    int n = s[0] < 0x80   ? 1
            : s[0] < 0xc0 ? 0
            : s[0] < 0xe0 ? 2
            : s[0] < 0xf0 ? 3
            : s[0] < 0xf8 ? 4
                          : 0;
    if (n < 2)
        return n;
    uint32_t point = s[0] & (0x7fu >> n);
    for (int i = 1; i < n; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 0;
        point = point << 6 | (s[i] & 0x3f);
    }
    bool surrogate = point >= 0xd800 && point < 0xe000;
    return point < least[n] || surrogate || point > 0x10ffff ? 0 : n;
}

// Octets from one that is escaped to the next go out at once.
static void put_string(struct json *json, const char *text)
{
    const unsigned char *from = (const unsigned char *)text, *s = from;
    fputc('"', json->out);
    while (*s) {
        int n = utf8_length(s);
        bool is_quoted = *s == '"' || *s == '\\', is_plain = !is_quoted && *s >= 0x20 && n > 0;
        if (!is_plain) {
            fwrite(from, 1, (size_t)(s - from), json->out);
            fprintf(json->out, is_quoted ? "\\%c" : "\\u%04x", *s);
            from = s + 1;
        }
        s += is_plain ? n : 1;
    }
    fwrite(from, 1, (size_t)(s - from), json->out);
    fputc('"', json->out);
}

void json_key(struct json *json, const char *key)
{
    lead(json);
    put_string(json, key);
    fputs(": ", json->out);
    json->after_key = true;
}

void json_text(struct json *json, const char *text)
{
    lead(json);
    put_string(json, text);
}

void json_integer(struct json *json, int64_t value)
{
    lead(json);
    fprintf(json->out, "%" PRId64, value);
}

void json_real(struct json *json, double value)
{
    lead(json);
    fprintf(json->out, "%.9g", value);
}

void json_fixed(struct json *json, double value, int decimals)
{
    lead(json);
    fprintf(json->out, "%.*f", decimals, value);
}

void json_boolean(struct json *json, bool value)
{
    lead(json);
    fputs(value ? "true" : "false", json->out);
}

void json_null(struct json *json)
{
    lead(json);
    fputs("null", json->out);
}

void json_decimal(struct json *json, uint64_t scaled, int decimals)
{
    uint64_t unit = 1;
    for (int i = 0; i < decimals; i++)
        unit *= 10;
    lead(json);
    fprintf(json->out, "%" PRIu64 ".%0*" PRIu64, scaled / unit, decimals, scaled % unit);
}

void json_end(struct json *json)
{
    assert(json->depth == 0);
    fputc('\n', json->out);
}

void json_put(struct json *json, const char *key, uint64_t value)
{
    json_key(json, key);
    lead(json);
    fprintf(json->out, "%" PRIu64, value);
}

void json_put_text(struct json *json, const char *key, const char *text)
{
    json_key(json, key);
    json_text(json, text);
}

void json_put_object(struct json *json, const char *key)
{
    json_key(json, key);
    json_object(json);
}

void json_put_array(struct json *json, const char *key)
{
    json_key(json, key);
    json_array(json);
}

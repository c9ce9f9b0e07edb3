// See value.h.
#include "control/client/value.h"

#include <string.h>

#include <json-c/json.h>

#define DEPTH_MAX 16
#define NAME_ROOM 48

struct json_object *value_parse(const char *text, size_t octets)
{
    struct json_tokener *tokener = octets < INT32_MAX ? json_tokener_new_ex(DEPTH_MAX) : NULL;
    if (!tokener)
        return NULL;
    json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
    struct json_object *value = json_tokener_parse_ex(tokener, text, (int)octets);
    bool whole = json_tokener_get_error(tokener) == json_tokener_success &&
                 json_tokener_get_parse_end(tokener) == octets;
    json_tokener_free(tokener);
    if (whole)
        return value;
    json_object_put(value);
    return NULL;
}

struct json_object *value_hold(struct json_object *value)
{
    return json_object_get(value);
}

void value_free(struct json_object *value)
{
    json_object_put(value);
}

static char printable(char c)
{
    return c >= ' ' && c <= '~' ? c : '?';
}

const char *value_printable(const char *from, char *text, size_t room)
{
    size_t n = 0;
    for (; *from && n + 1 < room; from++)
        text[n++] = printable(*from);
    text[n] = '\0';
    return text;
}

void value_put_text(const char *from, FILE *out)
{
    for (; *from; from++)
        fputc(*from == '\n' ? '\n' : printable(*from), out);
}

void value_print(struct json_object *value, FILE *out)
{
    int style = JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED | JSON_C_TO_STRING_NOSLASHESCAPE;
    const char *text = json_object_to_json_string_ext(value, style);
    value_put_text(text ? text : "", out);
    fputc('\n', out);
}

// ---- Objects ----

struct json_object *value_new(void)
{
    return json_object_new_object();
}

bool value_is_true(const struct json_object *value)
{
    return json_object_is_type(value, json_type_boolean) && json_object_get_boolean(value);
}

bool value_is_object(const struct json_object *value)
{
    return json_object_is_type(value, json_type_object);
}

struct json_object *value_in(const struct json_object *object, const char *name)
{
    return value_is_object(object) ? json_object_object_get(object, name) : NULL;
}

static bool is_number(const struct json_object *value)
{
    return json_object_is_type(value, json_type_int) && json_object_get_int64(value) >= 0;
}

bool value_has(const struct json_object *object, const char *name)
{
    return is_number(value_in(object, name));
}

uint64_t value_number(const struct json_object *object, const char *name)
{
    return value_has(object, name) ? json_object_get_uint64(value_in(object, name)) : 0;
}

const char *value_digits(const struct json_object *object, const char *name, char *text,
                         size_t room)
{
    struct json_object *member = value_in(object, name);
    bool is_digits =
        json_object_is_type(member, json_type_int) || json_object_is_type(member, json_type_double);
    const char *from = is_digits ? json_object_get_string(member) : "";
    return value_printable(strlen(from) < room ? from : "", text, room);
}

double value_real(const struct json_object *object, const char *name)
{
    struct json_object *member = value_in(object, name);
    double real =
        json_object_is_type(member, json_type_int) || json_object_is_type(member, json_type_double)
            ? json_object_get_double(member)
            : 0;
    return real > 0 ? real : 0;
}

const char *value_text(const struct json_object *object, const char *name, char *text, size_t room)
{
    struct json_object *member = value_in(object, name);
    const char *from =
        json_object_is_type(member, json_type_string) ? json_object_get_string(member) : "";
    return value_printable(from, text, room);
}

void value_set(struct json_object *object, const char *name, struct json_object *member)
{
    if (!value_is_object(object) || json_object_object_add(object, name, member) != 0)
        json_object_put(member);
}

void value_set_number(struct json_object *object, const char *name, uint64_t number)
{
    value_set(object, name, json_object_new_uint64(number));
}

void value_set_text(struct json_object *object, const char *name, const char *text)
{
    value_set(object, name, json_object_new_string(text));
}

void value_members(const struct json_object *object, value_member_fn *take, void *self)
{
    if (!value_is_object(object))
        return;
    json_object_object_foreach((struct json_object *)object, from, member)
    {
        char name[NAME_ROOM];
        take(self, value_printable(from, name, sizeof name), member);
    }
}

void value_numbers(const struct json_object *object, value_number_fn *take, void *self)
{
    if (!value_is_object(object))
        return;
    json_object_object_foreach((struct json_object *)object, from, member)
    {
        char name[NAME_ROOM];
        if (is_number(member))
            take(self, value_printable(from, name, sizeof name), json_object_get_uint64(member));
    }
}

// ---- Lists ----

struct json_object *value_list(void)
{
    return json_object_new_array();
}

size_t value_count(const struct json_object *list)
{
    return json_object_is_type(list, json_type_array) ? json_object_array_length(list) : 0;
}

struct json_object *value_at(const struct json_object *list, size_t i)
{
    return i < value_count(list) ? json_object_array_get_idx(list, i) : NULL;
}

const char *value_text_at(const struct json_object *list, size_t i)
{
    struct json_object *item = value_at(list, i);
    return json_object_is_type(item, json_type_string) ? json_object_get_string(item) : "";
}

void value_add(struct json_object *list, struct json_object *item)
{
    if (item && json_object_array_add(list, json_object_get(item)) != 0)
        json_object_put(item);
}

void value_cut(struct json_object *list, size_t from, size_t n)
{
    if (from < value_count(list))
        json_object_array_del_idx(list, from, n);
}

void value_sort(struct json_object *list, value_order_fn *order)
{
    if (value_count(list) > 0)
        json_object_array_sort(list, order);
}

struct json_object *value_list_of(struct json_object *object)
{
    struct json_object *list = value_list();
    if (!value_is_object(object))
        return list;
    json_object_object_foreach(object, name, member)
    {
        (void)name;
        if (value_is_object(member))
            value_add(list, member);
    }
    return list;
}

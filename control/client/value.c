// See value.h.
#include "control/client/value.h"

#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <json-c/json.h>

#define DEPTH_MAX       16
#define NAME_ROOM       48
#define FILE_OCTETS_MAX (256u << 20) // a larger file is not read

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

static struct json_object *only_object(struct json_object *value)
{
    if (value_is_object(value))
        return value;
    json_object_put(value);
    return NULL;
}

struct json_object *value_parse_object(const char *text)
{
    return only_object(json_tokener_parse(text));
}

struct json_object *value_read_object(int folder, const char *path)
{
    int fd = openat(folder, path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat is;
    if (fd < 0)
        return NULL;
    bool fits = fstat(fd, &is) == 0 && S_ISREG(is.st_mode) && is.st_size <= FILE_OCTETS_MAX;
    struct json_object *value = fits ? only_object(json_object_from_fd(fd)) : NULL;
    close(fd);
    return value;
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

// ---- One value ----

static bool is_real(const struct json_object *value)
{
    return json_object_is_type(value, json_type_int) ||
           json_object_is_type(value, json_type_double);
}

bool value_equal(struct json_object *a, struct json_object *b)
{
    return json_object_equal(a, b);
}

const char *value_string(struct json_object *value)
{
    return json_object_is_type(value, json_type_string) ? json_object_get_string(value) : NULL;
}

double value_as_real(const struct json_object *value)
{
    return is_real(value) ? json_object_get_double(value) : NAN;
}

uint64_t value_as_integer(const struct json_object *value)
{
    return json_object_get_uint64(value);
}

bool value_is_list(const struct json_object *value)
{
    return json_object_is_type(value, json_type_array);
}

size_t value_size(const struct json_object *value)
{
    return value_is_object(value) ? (size_t)json_object_object_length(value) : value_count(value);
}

// An object's items are a chain.
static struct lh_entry *entry(const struct json_object *object, size_t i)
{
    struct lh_entry *e = json_object_get_object(object)->head;
    while (e && i-- > 0)
        e = e->next;
    return e;
}

struct json_object *value_item(const struct json_object *value, size_t i)
{
    return value_is_list(value) ? value_at(value, i) : lh_entry_v(entry(value, i));
}

const char *value_key(const struct json_object *object, size_t i)
{
    return lh_entry_k(entry(object, i));
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
    const char *from = is_real(member) ? json_object_get_string(member) : "";
    return value_printable(strlen(from) < room ? from : "", text, room);
}

double value_real(const struct json_object *object, const char *name)
{
    struct json_object *member = value_in(object, name);
    double real = is_real(member) ? json_object_get_double(member) : 0;
    return real > 0 ? real : 0;
}

const char *value_text(const struct json_object *object, const char *name, char *text, size_t room)
{
    struct json_object *member = value_in(object, name);
    const char *from = value_string(member);
    return value_printable(from ? from : "", text, room);
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

void value_set_real(struct json_object *object, const char *name, double real)
{
    value_set(object, name, json_object_new_double(real));
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
    return value_is_list(list) ? json_object_array_length(list) : 0;
}

struct json_object *value_at(const struct json_object *list, size_t i)
{
    return i < value_count(list) ? json_object_array_get_idx(list, i) : NULL;
}

const char *value_text_at(const struct json_object *list, size_t i)
{
    const char *text = value_string(value_at(list, i));
    return text ? text : "";
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

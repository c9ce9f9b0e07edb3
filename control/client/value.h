// JSON of an instance or of results, parsed by JSON-C and read without trust. A missing member, or
// a member of another type, reads as 0, "" or NULL. Text for a terminal is printable ASCII: '?'
// replaces other octets. Only value.c includes JSON-C, whose names are those of our writer.
#ifndef SLUICE_CONTROL_CLIENT_VALUE_H
#define SLUICE_CONTROL_CLIENT_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct json_object; // JSON-C's; NULL: none

// Parses all octets as one value of bounded depth; else NULL.
struct json_object *value_parse(const char *text, size_t octets);
// Of our own writing, with any octets and deeper: only objects, else NULL. The path is a regular
// file's, as for openat; a link in its place is not followed.
struct json_object *value_parse_object(const char *text);
struct json_object *value_read_object(int folder, const char *path);
// Values are counted by reference; a container holds its members.
struct json_object *value_hold(struct json_object *value);
void value_free(struct json_object *value);
// Writes the value indented, with a line end.
void value_print(struct json_object *value, FILE *out);
// Text of an instance made printable: at most `room` octets, or all of it with its line ends.
const char *value_printable(const char *from, char *text, size_t room);
void value_put_text(const char *from, FILE *out);

// ---- One value ----
bool value_equal(struct json_object *a, struct json_object *b);
const char *value_string(struct json_object *value);        // unchanged; NULL: no text
double value_as_real(const struct json_object *value);      // NAN: no number
uint64_t value_as_integer(const struct json_object *value); // 0: no number
bool value_is_list(const struct json_object *value);
// Of a list or an object: how many items it has; those are few in an object. An object's item has a
// key.
size_t value_size(const struct json_object *value);
struct json_object *value_item(const struct json_object *value, size_t i);
const char *value_key(const struct json_object *object, size_t i);

// ---- Objects ----
struct json_object *value_new(void);
bool value_is_true(const struct json_object *value);
bool value_is_object(const struct json_object *value);
struct json_object *value_in(const struct json_object *object, const char *name);
bool value_has(const struct json_object *object, const char *name); // has an integer, not below 0
uint64_t value_number(const struct json_object *object, const char *name);
// A number as the text writes it, such as 12.500; "" if it is none, or is longer than the room.
const char *value_digits(const struct json_object *object, const char *name, char *text,
                         size_t room);
double value_real(const struct json_object *object, const char *name); // not below 0
const char *value_text(const struct json_object *object, const char *name, char *text, size_t room);
void value_set(struct json_object *object, const char *name, struct json_object *member); // taken
void value_set_number(struct json_object *object, const char *name, uint64_t number);
void value_set_real(struct json_object *object, const char *name, double real); // finite
void value_set_text(struct json_object *object, const char *name, const char *text);
// Calls for each member, or for each that is a number, in order; the name is printable.
typedef void value_member_fn(void *self, const char *name, struct json_object *member);
void value_members(const struct json_object *object, value_member_fn *take, void *self);
typedef void value_number_fn(void *self, const char *name, uint64_t number);
void value_numbers(const struct json_object *object, value_number_fn *take, void *self);

// ---- Lists ----
struct json_object *value_list(void);
size_t value_count(const struct json_object *list);
struct json_object *value_at(const struct json_object *list, size_t i);
const char *value_text_at(const struct json_object *list, size_t i); // unchanged, or ""
void value_add(struct json_object *list, struct json_object *item);  // held
void value_cut(struct json_object *list, size_t from, size_t n);
// Sorts; *a and *b are a struct json_object *.
typedef int value_order_fn(const void *a, const void *b);
void value_sort(struct json_object *list, value_order_fn *order);
// The members of an object that are objects, as a list.
struct json_object *value_list_of(struct json_object *object);

#endif

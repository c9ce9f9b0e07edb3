// JSON that is read: a summary of results, and what Lua says of a configuration. Only tree.c
// includes JSON-C, whose names are those of our writer. A missing member is NULL, and every
// function takes NULL.
#ifndef SLUICE_CONTROL_PROGRAM_TREE_H
#define SLUICE_CONTROL_PROGRAM_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tree;

// Each returns NULL without a JSON object. The caller frees the result.
struct tree *tree_parse(const char *text);
struct tree *tree_read(int folder, const char *path); // a regular file; folder as for openat
void tree_free(struct tree *tree);

struct tree *tree_at(const struct tree *tree, const char *key);
bool tree_equal(struct tree *a, struct tree *b);

const char *tree_text(struct tree *tree); // NULL: no text
bool tree_is_true(const struct tree *tree);
double tree_number(const struct tree *tree); // NAN: no number
uint64_t tree_integer(const struct tree *tree);

// Of a list, or an object.
bool tree_is_list(const struct tree *tree);
size_t tree_count(const struct tree *tree);
struct tree *tree_item(const struct tree *tree, size_t i);
const char *tree_key(const struct tree *tree, size_t i); // of an object's item

#endif

// See tree.h. A struct tree is JSON-C's struct json_object.
#include "control/program/tree.h"

#include <fcntl.h>
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include <json-c/json.h>

#define OCTETS_MAX (256u << 20) // a larger file is not read

static json_object *of(const struct tree *tree)
{
    return (json_object *)tree;
}

static struct tree *only_object(json_object *found)
{
    if (json_object_is_type(found, json_type_object))
        return (struct tree *)found;
    json_object_put(found);
    return NULL;
}

struct tree *tree_parse(const char *text)
{
    return only_object(json_tokener_parse(text));
}

struct tree *tree_read(int folder, const char *path)
{
    int fd = openat(folder, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat is;
    if (fd < 0)
        return NULL;
    bool fits = fstat(fd, &is) == 0 && S_ISREG(is.st_mode) && is.st_size <= OCTETS_MAX;
    struct tree *tree = fits ? only_object(json_object_from_fd(fd)) : NULL;
    close(fd);
    return tree;
}

void tree_free(struct tree *tree)
{
    json_object_put(of(tree));
}

struct tree *tree_at(const struct tree *tree, const char *key)
{
    bool holds = json_object_is_type(of(tree), json_type_object);
    return holds ? (struct tree *)json_object_object_get(of(tree), key) : NULL;
}

bool tree_equal(struct tree *a, struct tree *b)
{
    return json_object_equal(of(a), of(b));
}

const char *tree_text(struct tree *tree)
{
    bool is = json_object_is_type(of(tree), json_type_string);
    return is ? json_object_get_string(of(tree)) : NULL;
}

bool tree_is_true(const struct tree *tree)
{
    return json_object_get_boolean(of(tree));
}

double tree_number(const struct tree *tree)
{
    bool is = json_object_is_type(of(tree), json_type_int) ||
              json_object_is_type(of(tree), json_type_double);
    return is ? json_object_get_double(of(tree)) : NAN;
}

uint64_t tree_integer(const struct tree *tree)
{
    return json_object_get_uint64(of(tree));
}

bool tree_is_list(const struct tree *tree)
{
    return json_object_is_type(of(tree), json_type_array);
}

size_t tree_count(const struct tree *tree)
{
    if (tree_is_list(tree))
        return json_object_array_length(of(tree));
    return tree ? (size_t)json_object_object_length(of(tree)) : 0;
}

// An object's items are a chain, and few.
static struct lh_entry *entry(const struct tree *tree, size_t i)
{
    struct lh_entry *e = json_object_get_object(of(tree))->head;
    while (e && i-- > 0)
        e = e->next;
    return e;
}

struct tree *tree_item(const struct tree *tree, size_t i)
{
    if (tree_is_list(tree))
        return (struct tree *)json_object_array_get_idx(of(tree), i);
    return (struct tree *)lh_entry_v(entry(tree, i));
}

const char *tree_key(const struct tree *tree, size_t i)
{
    return lh_entry_k(entry(tree, i));
}

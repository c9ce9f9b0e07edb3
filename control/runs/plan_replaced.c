// See plan.h: what --set replaces of what the variants set themselves. A variant's name stands for
// what it sets, so beside another variant the name would lie.
#include "control/runs/plan.h"

#include <string.h>

#include "control/client/value.h"

// NULL: the variant does not run.
static const struct plan_group *group_of(const struct plan *plan, const char *variant)
{
    for (uint32_t g = 0; g < plan->groups; g++)
        if (plan->group[g].variant && strcmp(plan->group[g].variant, variant) == 0)
            return &plan->group[g];
    return NULL;
}

static const char *variant_at(const struct plan *plan, size_t v)
{
    return value_string(value_item(value_in(plan->names, "variants"), v));
}

// What the v-th variant's load says of a --set; NULL: nothing.
static const char *said_of(const struct plan *plan, size_t v, size_t set, const char *what)
{
    const struct plan_group *group = group_of(plan, variant_at(plan, v));
    if (!group)
        return NULL;
    return value_string(value_in(value_item(value_in(group->replaced, "sets"), set), what));
}

static bool is_key(const struct plan *plan, size_t v, size_t set, const char *key)
{
    const char *own = said_of(plan, v, set, "key");
    return own && strcmp(own, key) == 0;
}

static void refuse(const struct plan *plan, size_t first, size_t set, const char *key)
{
    fprintf(stderr, "%s: replaces %s of variant ", said_of(plan, first, set, "place"), key);
    for (size_t v = first; variant_at(plan, v); v++)
        if (is_key(plan, v, set, key))
            fprintf(stderr, "%s%s", v == first ? "" : ", ", variant_at(plan, v));
    fputs("; choose one variant with --variant, or set it in the file\n", stderr);
}

// A line for each key that one --set replaces.
static bool keeps(const struct plan *plan, size_t set)
{
    bool good = true;
    for (size_t v = 0; variant_at(plan, v); v++) {
        const char *key = said_of(plan, v, set, "key");
        bool is_first = key != NULL;
        for (size_t before = 0; before < v && is_first; before++)
            is_first = !is_key(plan, before, set, key);
        if (is_first)
            refuse(plan, v, set, key);
        good &= !key;
    }
    return good;
}

bool plan_keeps_variants(const struct plan *plan)
{
    bool good = true;
    uint32_t run = 0;
    for (size_t v = 0; variant_at(plan, v); v++)
        run += group_of(plan, variant_at(plan, v)) != NULL;
    for (size_t set = 0; set < plan->options->sets && run > 1; set++)
        good &= keeps(plan, set);
    return good;
}

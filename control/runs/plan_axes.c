// See plan.h: the axes of a plan, out of what the file says of its variants, its sweep and their
// points. A point's name has a part for each axis.
#include "control/runs/plan.h"

#include <string.h>

#include "control/client/value.h"

struct json_object *plan_list(const struct json_object *names, const char *key, const char *variant)
{
    const struct json_object *variants = value_in(names, "variants");
    const char *wanted = variant ? variant : value_string(value_in(names, "default"));
    size_t i = 0;
    while (wanted && i < value_size(variants) &&
           strcmp(value_string(value_item(variants, i)), wanted) != 0)
        i++;
    return value_item(value_in(names, key), i);
}

size_t plan_axes(const struct plan *plan)
{
    return value_size(value_in(plan->names, "axes"));
}

static struct json_object *axis_of(const struct plan *plan, size_t axis)
{
    return value_item(value_in(plan->names, "axes"), axis);
}

const char *plan_axis(const struct plan *plan, size_t axis)
{
    return value_string(value_in(axis_of(plan, axis), "name"));
}

// The part behind the next comma; NULL: there is none.
static const char *next_part(const char *part)
{
    const char *comma = strchr(part, ',');
    return comma ? comma + 1 : NULL;
}

// The value of the axis that a part names; NULL: the part is of another axis.
static const char *value_of(const struct plan *plan, size_t axis, const char *part)
{
    struct json_object *labels = value_in(axis_of(plan, axis), "labels");
    size_t n = strcspn(part, ",");
    const char *label;
    for (size_t i = 0; (label = value_string(value_item(labels, i))); i++)
        if (strlen(label) == n && strncmp(label, part, n) == 0)
            return value_string(value_item(value_in(axis_of(plan, axis), "values"), i));
    return NULL;
}

const char *plan_value(const struct plan *plan, const struct plan_group *group, size_t axis)
{
    const char *value = NULL;
    for (const char *part = group->point; part && !value; part = next_part(part))
        value = value_of(plan, axis, part);
    return value ? value : "";
}

void plan_put_axes(const struct plan *plan, const struct plan_group *group, FILE *out)
{
    struct json_object *keys = plan_list(plan->names, "keys", group->variant);
    const char *part = group->point;
    for (size_t i = 0; part && i < value_size(keys); i++, part = next_part(part)) {
        const char *value = NULL;
        for (size_t axis = 0; axis < plan_axes(plan) && !value; axis++)
            value = value_of(plan, axis, part);
        fprintf(out, "%s%s=%s", i ? ", " : ": ", value_string(value_item(keys, i)),
                value ? value : "");
    }
}

size_t plan_shared_axes(const struct plan *plan)
{
    return value_as_integer(value_in(plan->names, "shared"));
}

const char *plan_own(const struct plan *plan, const struct plan_group *group)
{
    const char *part = group->point;
    for (size_t i = plan_shared_axes(plan); part && i > 0; i--)
        part = next_part(part);
    return part ? part : "";
}

// See dataplane.h: the commands as described functions, and the description of each one's fields.
#include "dataplane/dataplane_parts.h"

#include <errno.h>
#include <string.h>

static const struct field command_net_fields[] = FIELD_TABLE(command_net, COMMAND_NET_FIELDS);
const struct field_record command_net_record = FIELD_RECORD_OF(command_net, command_net_fields);

#define COMMAND(name, LIST, help) \
    static const struct field command_##name##_fields[] = FIELD_TABLE(command_##name, LIST);
#include "dataplane/state/commands.def"
#undef COMMAND

#define COMMAND(name, LIST, help)                                  \
    static int64_t call_##name(void *target, const void *argument) \
    {                                                              \
        struct command command = {.op = COMMAND_##name};           \
        memcpy(&command.name, argument, sizeof command.name);      \
        return dp_command(target, &command);                       \
    }
#include "dataplane/state/commands.def"
#undef COMMAND

// -EAGAIN lets the task that called wait.
static int64_t call_settled(void *target, const void *argument)
{
    (void)argument;
    return dp_settled(target) ? 0 : -EAGAIN;
}

// A command's is behind `settled` at 1 + its number.
const struct field_call dp_calls[] = {
    {"settled", "waits until every worker has carried out its commands", NULL, 0, 0, call_settled},
#define COMMAND(name, LIST, help)                                        \
    {#name,                                                              \
     help,                                                               \
     command_##name##_fields,                                            \
     sizeof command_##name##_fields / sizeof command_##name##_fields[0], \
     sizeof(struct command_##name),                                      \
     call_##name},
#include "dataplane/state/commands.def"
#undef COMMAND
};
const uint32_t dp_call_count = sizeof dp_calls / sizeof dp_calls[0];

// Integers alone; of other values their readers know the range.
static int ranges_check(const struct command *c)
{
    const struct field_call *call = &dp_calls[1 + c->op];
    const void *owner = &c->nse; // the union's members all begin here
    for (const struct field *f = call->fields; f < call->fields + call->field_count; f++) {
        bool given = f->has_offset == FIELD_ALWAYS || *((const bool *)owner + f->has_offset);
        uint64_t value = field_get(f, owner);
        if (given && field_is_integer(f) && (value < f->least || value > f->most))
            return -ERANGE;
    }
    return 0;
}

int64_t dp_command(struct dp *dp, const struct command *command)
{
    registry_settle(&dp->registry);
    int fault = command->op < COMMAND_COUNT ? ranges_check(command) : -EINVAL;
    return fault ? fault : registry_command(&dp->registry, command);
}

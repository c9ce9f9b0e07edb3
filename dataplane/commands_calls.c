// The commands as described functions, and the description of each one's fields.
#include "dataplane/commands_parts.h"

#include <errno.h>
#include <string.h>

static const struct field command_net_fields[] = FIELD_TABLE(command_net, COMMAND_NET_FIELDS);
const struct field_record command_net_record = FIELD_RECORD_OF(command_net, command_net_fields);

#define COMMAND(name, LIST, help) \
    static const struct field command_##name##_fields[] = FIELD_TABLE(command_##name, LIST);
#include "dataplane/state/commands.def"
#undef COMMAND

const struct field_record commands_fields[COMMAND_COUNT] = {
#define COMMAND(name, LIST, help) \
    [COMMAND_##name] = FIELD_RECORD_OF(command_##name, command_##name##_fields),
#include "dataplane/state/commands.def"
#undef COMMAND
};

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

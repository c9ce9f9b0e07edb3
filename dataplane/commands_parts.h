// What the files of control's picture share: for commands*.c and dataplane_read.c alone.
#ifndef SLUICE_DATAPLANE_COMMANDS_PARTS_H
#define SLUICE_DATAPLANE_COMMANDS_PARTS_H

#include "dataplane/commands.h"

// commands_check.c: 0, or why not: the values alone; then what the command names.
int commands_values_check(const struct command *c);
int commands_ids_check(const struct commands *k, const struct command *c);

// commands_take.c: fills in what the caller does not, in a command that was checked. 0, or -errno:
// nothing has happened.
int commands_take_values(struct commands *k, struct command *c);

// commands_going.c: cells that control has had removed: one more; those whose worker has come past
// their removal have gone, or have been kept.
void commands_going_add(struct commands *k, uint32_t bvc);
void commands_going_settle(struct commands *k);

// commands_note.c: what an accepted command has changed.
void commands_note(struct commands *k, const struct command *c);

// commands_age.c: to be called for each command. Whether the worker that has the MS had come to a
// count of the MS's when it wrote the event.
void commands_age(struct commands *k);
bool commands_had_come_to(const struct commands *k, const struct event *e, uint32_t count);

// commands_note.c: the name of an MS or a cell ends.
void commands_unname(struct commands *k, uint32_t nse, enum state_named kind, uint32_t value,
                     uint32_t id);
// The MS or cell of that name; STATE_NONE: there is none.
uint32_t commands_find(const struct commands *k, uint32_t nse, enum state_named kind,
                       uint32_t value);
bool commands_named(const struct commands *k, uint32_t nse, enum state_named kind, uint32_t value);
uint32_t commands_nse_of_ms(const struct commands *k, uint32_t ms);
uint32_t commands_worker_of_bvc(const struct commands *k, uint32_t bvc);
uint32_t commands_worker_of_ms(const struct commands *k, uint32_t ms);

extern const struct field_record commands_fields[COMMAND_COUNT];

#endif

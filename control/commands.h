// The program's commands: each takes what stands behind its name and returns the exit status.
#ifndef SLUICE_CONTROL_COMMANDS_H
#define SLUICE_CONTROL_COMMANDS_H

#define EXIT_DONE       0
#define EXIT_RUN_FAILED 1
#define EXIT_USAGE      2

int command_run(int argc, char **argv);
int command_check(int argc, char **argv);
int command_bench(int argc, char **argv);
int command_lua(int argc, char **argv);
int command_stats(int argc, char **argv);
int command_top(int argc, char **argv);
int command_ctl(int argc, char **argv);
int command_metrics(int argc, char **argv);
int command_version(int argc, char **argv);

#endif

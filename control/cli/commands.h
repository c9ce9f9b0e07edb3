// The program's commands: each takes the arguments after the command's name and returns the exit
// status.
#ifndef SLUICE_CONTROL_CLI_COMMANDS_H
#define SLUICE_CONTROL_CLI_COMMANDS_H

#define EXIT_DONE       0
#define EXIT_RUN_FAILED 1
#define EXIT_USAGE      2

struct cli;
extern const struct cli cli_of_run, cli_of_check, cli_of_report, cli_of_bench, cli_of_stats,
    cli_of_top, cli_of_metrics, cli_of_ctl, cli_of_lua, cli_of_bts, cli_of_ggsn, cli_of_audit,
    cli_of_gi, cli_of_version;

int command_run(int argc, char **argv);
int command_check(int argc, char **argv);
int command_report(int argc, char **argv);
int command_bench(int argc, char **argv);
int command_lua(int argc, char **argv);
int command_stats(int argc, char **argv);
int command_top(int argc, char **argv);
int command_ctl(int argc, char **argv);
int command_metrics(int argc, char **argv);
int command_bts(int argc, char **argv);
int command_ggsn(int argc, char **argv);
int command_audit(int argc, char **argv);
int command_gi(int argc, char **argv);
int command_version(int argc, char **argv);

#endif

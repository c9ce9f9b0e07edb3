# gdb reads this file when it starts in this folder: `./run debug`, or gdb after
# `add-auto-load-safe-path` of this file in ~/.gdbinit. `p/r` prints a structure as it is.
set debuginfod enabled off
set print pretty on
source tests/gdb/printers.py

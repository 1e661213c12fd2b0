#!/bin/sh
# Runs a command with the libraries of HEATSCOPE_PRELOAD in it (the run time of a sanitizer): preloaded.sh COMMAND ...
[ -z "${HEATSCOPE_PRELOAD:-}" ] || export LD_PRELOAD="$HEATSCOPE_PRELOAD"
exec "$@"

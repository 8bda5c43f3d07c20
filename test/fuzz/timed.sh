#!/usr/bin/env bash
# Runs a program, and writes to the file $CPU how long it and what it started computed.
"$@" && code=0 || code=$?
times >"$CPU" # by itself, then by what it started: 0m0.004s 0m0.002s
exit "$code"

#!/usr/bin/env bash
# Runs every fuzz target of the module for some seconds each, one after the other, and says how many executions it makes
# for a minute of one core, whatever else the machine does. Ends with 1 when one fails, or makes fewer than 10,000: that is
# none that looks for anything.
#
#   test/fuzz/run.sh [SECONDS] [REGEXP OF TARGETS]
#
# What a target finds is kept by Go under testdata/fuzz of its package, and go test runs it ever after. Inputs are made
# smaller in ten steps only: Go's minute for each that is interesting would leave no time to look for others. To have one
# that fails as small as can be, run its target alone: go test ./PACKAGE -run '^$' -fuzz '^TARGET$'
set -euo pipefail
cd "$(dirname "$0")/../.."
seconds=${1:-30} only=${2:-.} least=10000 bad=0 total=0 computed=0
out=$(mktemp) && export CPU=$out.cpu && trap 'rm -f "$out" "$CPU"' EXIT
printf '%-24s %-28s %12s %8s %14s  %s\n' package target executions 'CPU s' 'a CPU minute' result
while IFS=: read -r file name; do
	[[ $name =~ $only ]] || continue
	package=./$(dirname "$file")
	result=ok
	: >"$CPU"
	go test "$package" -run '^$' -fuzz "^$name\$" -fuzztime "${seconds}s" -fuzzminimizetime 10x \
		-parallel "${FUZZ_PARALLEL:-2}" -exec "$PWD/test/fuzz/timed.sh" >"$out" 2>&1 || result=FAILED
	# "fuzz: elapsed: 31s, execs: 123456 (4115/sec), new interesting: 7 (total: 12)"
	execs=$(sed -n 's/^fuzz: elapsed: [0-9a-z]*, execs: \([0-9]*\).*/\1/p' "$out" | tail -1)
	cpu=$(tail -1 "$CPU" | awk -F '[ms ]+' '{printf "%.2f", $1 * 60 + $2 + $3 * 60 + $4}')
	rate=$(awk -v n="${execs:-0}" -v s="$cpu" 'BEGIN {printf "%d", (s > 0 ? n * 60 / s : 0)}')
	total=$((total + ${execs:-0})) computed=$(awk -v a="$computed" -v b="$cpu" 'BEGIN {print a + b}')
	[ "$result" = ok ] && [ "$rate" -lt "$least" ] && result="too few"
	[ "$result" = ok ] || bad=1
	printf '%-24s %-28s %12d %8.1f %14d  %s\n' "$package" "$name" "${execs:-0}" "$cpu" "$rate" "$result"
	[ "$result" != FAILED ] || tail -20 "$out"
done < <(grep -rn --include='*_test.go' -oE '^func Fuzz[A-Za-z0-9]+\(f \*testing\.F\)' . |
	sed -E 's/^\.\/([^:]*):[0-9]+:func (Fuzz[A-Za-z0-9]+).*/\1:\2/' | sort)
echo "$total executions in $(awk -v s="$computed" 'BEGIN {printf "%.1f", s / 60}') minutes of CPU"
exit "$bad"

#!/usr/bin/env bash
# Runs every fuzz target of the module for some seconds each, one after the other, and says how many executions a minute
# it made. Ends with 1 when one fails, or makes fewer than 10,000 a minute: that is none that looks for anything.
#
#   test/fuzz/run.sh [SECONDS] [REGEXP OF TARGETS]
#
# What a target finds is kept by Go under testdata/fuzz of its package, and go test runs it ever after.
set -euo pipefail
cd "$(dirname "$0")/../.."
seconds=${1:-30} only=${2:-.} least=10000 bad=0 total=0
out=$(mktemp) && trap 'rm -f "$out"' EXIT
printf '%-28s %-26s %12s %12s  %s\n' package target executions 'a minute' result
while IFS=: read -r file name; do
	[[ $name =~ $only ]] || continue
	package=./$(dirname "$file")
	result=ok
	go test "$package" -run '^$' -fuzz "^$name\$" -fuzztime "${seconds}s" -parallel "${FUZZ_PARALLEL:-2}" >"$out" 2>&1 || result=FAILED
	# "fuzz: elapsed: 31s, execs: 123456 (4115/sec), new interesting: 7 (total: 12)"
	read -r execs elapsed < <(sed -n 's/^fuzz: elapsed: \([0-9a-z]*\), execs: \([0-9]*\).*/\2 \1/p' "$out" | tail -1; echo "0 0s") || true
	fuzzed=$(sed -E 's/^(([0-9]+)m)?([0-9]+)s$/\2:\3/' <<<"$elapsed" | awk -F: '{print $1 * 60 + $2}')
	rate=$((fuzzed > 0 ? execs * 60 / fuzzed : 0)) total=$((total + execs))
	[ "$result" = ok ] && [ "$rate" -lt "$least" ] && result="too few"
	[ "$result" = ok ] || bad=1
	printf '%-28s %-26s %12d %12d  %s\n' "$package" "$name" "$execs" "$rate" "$result"
	[ "$result" != FAILED ] || tail -20 "$out"
done < <(grep -rn --include='*_test.go' -oE '^func Fuzz[A-Za-z0-9]+\(f \*testing\.F\)' . | sed -E 's/^\.\/([^:]*):[0-9]+:func (Fuzz[A-Za-z0-9]+).*/\1:\2/' | sort)
echo "$total executions"
exit "$bad"

#!/usr/bin/env bash
# Runs every fuzz target of the module for some seconds of processor time each, one after the other, and says how many
# executions it makes for a minute of one core, whatever else the machine does. Ends with 1 when one fails, or makes fewer
# than 10,000: that is none that looks for anything.
#
#   test/fuzz/run.sh [CPU SECONDS] [REGEXP OF PACKAGE/TARGET]
#
# A package is compiled once for all of its targets. Each begins with its seeds alone, as what earlier runs kept would take
# its time, and goes on from what it found until its time is used up; FUZZ_CORPUS names a folder for that which is kept.
#
# An input that fails is kept under testdata/fuzz of its package, and go test runs it ever after. Inputs are made smaller
# in ten steps only: Go's minute for each that is interesting would leave no time to look for others. To have one that
# fails as small as can be, run its target alone: go test ./PACKAGE -run '^$' -fuzz '^TARGET$'
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD seconds=${1:-30} only=${2:-.} least=10000 bad=0 total=0 computed=0
work=$(mktemp -d) && export CPU=$work/cpu && trap 'rm -rf "$work"' EXIT
corpus=${FUZZ_CORPUS:-$work/corpus}
# more A B says whether A is more than B.
more() { awk -v a="$1" -v b="$2" 'BEGIN {exit !(a + 0 > b + 0)}'; }

# ended FILE says whether what failed is the end of the time alone: on a busy machine Go says so of its own deadline.
ended() { grep -q 'context deadline exceeded' "$1" && ! grep -q 'Failing input' "$1"; }

# fuzz PACKAGE TARGET runs one until it has had its time and prints its line.
fuzz() {
	local result=ok execs=0 cpu=0 slice=30 n used rate
	mkdir -p "$corpus/$1"
	while [ "$result" = ok ] && more "$seconds" "$cpu"; do
		: >"$CPU"
		(cd "$1" && "$root/test/fuzz/timed.sh" "$work/test" -test.run '^$' -test.fuzz "^$2\$" -test.fuzztime "${slice}s" \
			-test.fuzzminimizetime 10x -test.parallel "${FUZZ_PARALLEL:-1}" -test.fuzzcachedir "$corpus/$1") \
			>"$work/out" 2>&1 || ended "$work/out" || result=FAILED
		# "fuzz: elapsed: 31s, execs: 123456 (4115/sec), new interesting: 7 (total: 12)"
		n=$(sed -n 's/^fuzz: elapsed: [0-9a-z]*, execs: \([0-9]*\).*/\1/p' "$work/out" | tail -1)
		used=$(tail -1 "$CPU" | awk -F '[ms ]+' '{printf "%.2f", $1 * 60 + $2 + $3 * 60 + $4}')
		execs=$((execs + ${n:-0})) cpu=$(awk -v a="$cpu" -v b="$used" 'BEGIN {printf "%.2f", a + b}')
		# as long as the rest takes where others compute too: each start costs some of it
		slice=$(awk -v left="$seconds" -v done="$cpu" -v used="$used" -v slice="$slice" 'BEGIN {
			s = slice * (left - done) / (used > 0.1 ? used : 0.1); printf "%d", (s < 5 ? 5 : s > 120 ? 120 : s)}')
	done
	rate=$(awk -v n="$execs" -v s="$cpu" 'BEGIN {printf "%d", (s > 0 ? n * 60 / s : 0)}')
	total=$((total + execs)) computed=$(awk -v a="$computed" -v b="$cpu" 'BEGIN {print a + b}')
	[ "$result" = ok ] && [ "$rate" -lt "$least" ] && result="too few"
	[ "$result" = ok ] || bad=1
	printf '%-24s %-28s %12d %8.1f %14d  %s\n' "$1" "$2" "$execs" "$cpu" "$rate" "$result"
	[ "$result" != FAILED ] || tail -20 "$work/out"
}

printf '%-24s %-28s %12s %8s %14s  %s\n' package target executions 'CPU s' 'a CPU minute' result
built=
while IFS=: read -r package name; do
	[[ $package/$name =~ $only ]] || continue
	if [ "$built" != "$package" ]; then # any target's name has the package compiled for all
		go test -c -vet=off -fuzz "$name" -o "$work/test" "./$package"
		built=$package
	fi
	fuzz "$package" "$name"
done < <(grep -rn --include='*_test.go' -oE '^func Fuzz[A-Za-z0-9]+\(f \*testing\.F\)' . |
	sed -E 's/^\.\/([^:]*)\/[^:/]*:[0-9]+:func (Fuzz[A-Za-z0-9]+).*/\1:\2/' | sort)
echo "$total executions in $(awk -v s="$computed" 'BEGIN {printf "%.1f", s / 60}') minutes of CPU"
exit "$bad"

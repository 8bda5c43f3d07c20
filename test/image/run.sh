#!/usr/bin/env bash
# Builds the image and looks at what it does: as a user without rights, on a read-only
# root file system, without capabilities.
#
#   test/image/run.sh                   with the images that the Dockerfile names
#   test/image/run.sh --local-bases     with stand-ins made by bases.sh, where no
#                                       container registry can be reached (as root)
#
# ENGINE is podman or docker, with flags if need be (ENGINE="podman --runtime runc"),
# whichever is installed unless given. It has to be this machine's own, on Linux. VERSION
# is the program's; .ci/version says it unless given. The image stays as tianti-test.
set -euo pipefail
cd "$(dirname "$0")/../.."

fail() { echo "image: $*" >&2; exit 1; }
has() { command -v "$1" >/dev/null 2>&1; }

read -ra engine <<<"${ENGINE:-$(has podman && echo podman || echo docker)}"
build=() run=()
if [[ ${engine[0]} == *podman ]]; then
	build=(--format docker) # OCI's own format has no health check
	# No systemd is needed to ask for its health by the clock, and no right to raise limits.
	run=(--health-interval disable --ulimit nofile=4096:4096 --ulimit nproc=4096:4096)
fi
bases=()
case ${1:-} in
--local-bases)
	for image in build run; do
		"${engine[@]}" image inspect "tianti-base-$image" >/dev/null 2>&1 || { test/image/bases.sh "${engine[0]}"; break; }
	done
	bases=(--build-arg BUILD_IMAGE=tianti-base-build --build-arg RUN_IMAGE=tianti-base-run)
	;;
"") ;;
*) fail "usage: test/image/run.sh [--local-bases]" ;;
esac

version=${VERSION:-$(.ci/version)}
[ "$version" != devel ] || version=0.0.0-check # what a build has that is told nothing proves nothing
DOCKER_BUILDKIT=1 "${engine[@]}" build "${build[@]}" "${bases[@]}" --build-arg VERSION="$version" -t tianti-test .

name=tianti-test-$$
folder=$(mktemp -d)
clean() {
	status=$?
	[ $status -eq 0 ] || "${engine[@]}" logs "$name" >&2 || true
	"${engine[@]}" rm -f -v "$name" >/dev/null 2>&1 || true
	"${engine[@]}" volume rm -f "$name" >/dev/null 2>&1 || true
	rm -rf "$folder"
}
trap clean EXIT

"${engine[@]}" run -d --name "$name" --read-only --cap-drop ALL --security-opt no-new-privileges \
	"${run[@]}" -p 127.0.0.1::8080 -v "$name:/data" tianti-test >/dev/null
tianti() { "${engine[@]}" exec -i "$name" /usr/bin/tianti "$@"; }
ready() {
	for _ in $(seq 100); do
		if tianti healthcheck >/dev/null 2>&1; then return; fi
		sleep 0.2
	done
	tianti healthcheck
}
address() { echo "http://$("${engine[@]}" port "$name" 8080/tcp | head -1)"; }
fetch() { curl -fsS --max-time 20 -o "$folder/$2" "$(address)$1" || fail "$1 is not answered"; }

ready || fail "it does not become ready"
echo "ready: tianti healthcheck succeeds in the container"

# The image's own health check, which docker runs by the clock.
healthy() {
	if [[ ${engine[0]} == *podman ]]; then "${engine[@]}" healthcheck run "$name"; return; fi
	for _ in $(seq 60); do
		[ "$("${engine[@]}" inspect -f '{{.State.Health.Status}}' "$name")" != healthy ] || return 0
		sleep 1
	done
	return 1
}
healthy || fail "its health check fails"
echo "healthy: so says the image's health check"

got=$(tianti version | head -1)
[[ $got == "tianti $version "* ]] || fail "it is '$got', want version $version"
echo "version: $got"

status=/proc/$("${engine[@]}" inspect -f '{{.State.Pid}}' "$name")
grep -qE '^Uid:\s+65532\s+65532\s+65532\s+65532$' "$status/status" || fail "it runs as $(grep ^Uid: "$status/status"), want 65532"
grep -qE '^CapEff:\s+0+$' "$status/status" || fail "it has capabilities: $(grep ^CapEff: "$status/status")"
grep -qE '^NoNewPrivs:\s+1$' "$status/status" || fail "it may gain privileges"
awk '$5 == "/" && $6 ~ /(^|,)ro(,|$)/ { found = 1 } END { exit !found }' "$status/mountinfo" || fail "its root file system can be written"
echo "confined: user 65532, no capabilities, read-only root"

fetch /healthz healthz
fetch /readyz readyz
fetch /cards cards.html
grep -q '</html>' "$folder/cards.html" || fail "/cards is no page"
fetch '/cards.csv?limit=1000' cards.csv
[ "$(wc -l <"$folder/cards.csv")" -gt 100 ] || fail "/cards.csv has $(wc -l <"$folder/cards.csv") lines"
picture=ladders/fp32_vector_tflops.png
fetch "/$picture" en.png
fetch "/zh/$picture" zh.png
cmp -s "$folder/en.png" "$folder/zh.png" && fail "Chinese pictures are in English: the font is missing"
echo "pages: /healthz, /readyz, /cards, $(($(wc -l <"$folder/cards.csv") - 1)) cards in /cards.csv, a picture with Chinese characters"

echo 'a password for the check only' | tianti admin create checker >/dev/null
"${engine[@]}" stop -t 20 "$name" >/dev/null
code=$("${engine[@]}" inspect -f '{{.State.ExitCode}}' "$name")
[ "$code" = 0 ] || fail "it ended with $code after SIGTERM, want 0"
"${engine[@]}" start "$name" >/dev/null
ready || fail "it does not become ready again"
tianti admin list | grep -q checker || fail "what was written is gone after a restart"
echo "volume: an account made before a restart is there afterwards; SIGTERM ends it with 0"

echo "image: passed, $("${engine[@]}" image inspect -f '{{.Size}}' tianti-test | awk '{ printf "%.1f MB", $1 / 1e6 }')"

#!/bin/sh
# Builds Tianti, serves the built-in data from a temporary database on a free
# port, and runs Lighthouse on it. Arguments are paths to measure instead of the
# usual ones. Needs Go, Node 18.16 or later, and Chromium.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
if [ -z "${CHROME_PATH:-}" ]; then
	for name in chromium chromium-browser google-chrome google-chrome-stable chromium-headless-shell; do
		if CHROME_PATH=$(command -v "$name"); then break; fi
	done
fi
: "${CHROME_PATH:?no Chromium found}"
export CHROME_PATH

work=$(mktemp -d)
server=
stop() {
	if [ -n "$server" ]; then
		kill "$server" 2>/dev/null || true
		wait "$server" 2>/dev/null || true
	fi
	rm -rf "$work"
}
trap stop EXIT
trap 'exit 130' INT TERM

if [ ! -d "$here/node_modules/lighthouse" ]; then
	npm ci --prefix "$here" --no-audit --no-fund
fi
cd "$here/../.."
go build -o "$work/tianti" ./cmd/tianti

port=$(node -e 'const s = require("node:net").createServer(); s.listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close(); })')
"$work/tianti" serve --listen "127.0.0.1:$port" --origin "http://127.0.0.1:$port" --db "$work/tianti.db" \
	--live replay:live/recording/testdata/three-cards.ndjson 2>"$work/log" &
server=$!
tries=0
until node -e "fetch('http://127.0.0.1:$port/readyz').then(r => process.exit(r.ok ? 0 : 1), () => process.exit(1))"; do
	tries=$((tries + 1))
	if [ "$tries" -gt 50 ] || ! kill -0 "$server" 2>/dev/null; then
		cat "$work/log" >&2
		echo "the server does not become ready" >&2
		exit 1
	fi
	sleep 0.2
done
node "$here/run.mjs" "http://127.0.0.1:$port" "$@"

#!/bin/sh
# Runs the official Python SDK's own live suites, and its README's "play locally" example as printed, against
# `gert arena`. A suite that is skipped as a whole exits 0, so the counts are what is checked.
#
#   GERT_BIN      the program, default target/release/gert
#   GERT_SDK_DIR  where virtual environments and sdists are kept, default a temporary folder that is removed
set -eu

gert=${GERT_BIN:-target/release/gert}
[ -x "$gert" ] || { echo "sdk-live: $gert is not there: build it, or name it with GERT_BIN" >&2; exit 2; }

scratch=$(mktemp -d)
arena=
finish() {
    [ -z "$arena" ] || kill "$arena" 2>/dev/null || true
    [ -z "$arena" ] || wait "$arena" 2>/dev/null || true
    rm -rf "$scratch"
}
trap finish EXIT
trap 'exit 130' INT TERM
. "$(dirname "$0")/sdk-env.sh"

# suite VERSION SUMMARY: the live suite must end with exactly this summary.
suite() {
    echo "sdk-live: gertlabs $1"
    report=$scratch/report-$1
    (cd "$work/$1/gertlabs-$1" && timeout 300 ../env/bin/python -m pytest -q -rs -p no:cacheprovider \
        tests/integration) >"$report" 2>&1 || { cat "$report"; echo "sdk-live: the suite failed" >&2; exit 1; }
    cat "$report"
    found=$(sed -n '$s/ in [0-9].*//p' "$report")
    [ "$found" = "$2" ] || { echo "sdk-live: expected '$2', got '$found'" >&2; exit 1; }
}

# readme VERSION: the "play locally" example, cut out of the README and run as it stands.
readme() {
    echo "sdk-live: README of gertlabs $1, play locally"
    awk '/^## Play locally/ { here = 1 } here && /^```/ { if (code) exit; code = 1; next } code' \
        "$work/$1/gertlabs-$1/README.md" >"$scratch/example.py"
    grep -q 'client.play.connect' "$scratch/example.py" || { echo "sdk-live: the example was not found" >&2; exit 1; }
    timeout 120 "$work/$1/env/bin/python" "$scratch/example.py" >"$scratch/scores"
    cat "$scratch/scores"
    grep -Eq "'p0': *-?[0-9]" "$scratch/scores" || { echo "sdk-live: the example printed no scores" >&2; exit 1; }
}

prepare 3.4.0
prepare 1.3.0

"$gert" arena --dev --port 0 --ephemeral >"$scratch/ready" 2>"$scratch/log" &
arena=$!
tries=0
until grep -q '^export GERT_API_KEY=' "$scratch/ready"; do
    tries=$((tries + 1))
    if [ "$tries" -gt 100 ] || ! kill -0 "$arena" 2>/dev/null; then
        cat "$scratch/log" >&2
        echo "sdk-live: the arena did not start" >&2
        exit 1
    fi
    sleep 0.1
done
# The lines that it prints for pasting; http_proxy would catch loopback too.
eval "$(sed -n '/^export /p' "$scratch/ready")"
export NO_PROXY=127.0.0.1 no_proxy=127.0.0.1

suite 3.4.0 '7 passed, 1 skipped'
suite 1.3.0 '7 passed'
readme 1.3.0

kill "$arena"
wait "$arena" || { cat "$scratch/log" >&2; echo "sdk-live: the arena did not end with status 0" >&2; exit 1; }
arena=
echo 'sdk-live: all as expected'

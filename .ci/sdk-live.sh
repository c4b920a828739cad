#!/bin/sh
# Runs the official Python SDK, unmodified, against `gert arena`: its own live suites, its README's "play locally"
# example as printed, and tests/sdk/live, which has the rest of the API. 3.4.0 talks to /api/v1, 1.3.0 to /sdk-1.3/api/v1
# of the same server. Tests that are skipped as a whole exit 0, so the counts are what is checked.
#
#   GERT_BIN      the program, default target/release/gert
#   GERT_SDK_DIR  where virtual environments and sdists are kept, default a temporary folder that is removed
#   GERT_SDK_ONLY a pytest expression: run only those tests of tests/sdk/live, whatever their number
set -eu

gert=${GERT_BIN:-target/release/gert}
[ -x "$gert" ] || { echo "sdk-live: $gert is not there: build it, or name it with GERT_BIN" >&2; exit 2; }
live=$(cd "$(dirname "$0")/../tests/sdk/live" && pwd)

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

# pytest_of VERSION SUMMARY ARGUMENTS: must end with exactly this summary; any that passes if it is empty.
pytest_of() {
    version=$1 summary=$2
    shift 2
    report=$scratch/report-$version
    "$work/$version/env/bin/python" -B -m pytest -q -rs -p no:cacheprovider "$@" >"$report" 2>&1 ||
        { cat "$report"; echo "sdk-live: tests of $version failed" >&2; exit 1; }
    cat "$report"
    found=$(sed -n '$s/ in [0-9].*//p' "$report")
    [ -z "$summary" ] || [ "$found" = "$summary" ] ||
        { echo "sdk-live: expected '$summary', got '$found'" >&2; exit 1; }
}

# suite VERSION SUMMARY: the SDK's own live suite.
suite() {
    echo "sdk-live: gertlabs $1"
    (cd "$work/$1/gertlabs-$1" && pytest_of "$1" "$2" tests/integration)
}

# ours VERSION SUMMARY: our tests of the rest.
ours() {
    echo "sdk-live: our tests with gertlabs $1"
    export GERT_SDK_SDIST="$work/$1/gertlabs-$1"
    if [ -n "${GERT_SDK_ONLY-}" ]; then
        pytest_of "$1" '' "$live" -k "$GERT_SDK_ONLY"
    else
        pytest_of "$1" "$2" "$live"
    fi
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

# idle VERSION: a spectator of a session that stands still; more than a minute, so it goes on beside the rest.
idle() {
    timeout 120 "$work/$1/env/bin/python" -B "$live/spectate_idle.py" >"$scratch/idle-$1" 2>&1
}

prepare 3.4.0
prepare 1.3.0
# It is large and not everywhere to be had: without it its one test is skipped.
adapter='83 passed, 2 skipped'
framework 3.4.0 || { echo 'sdk-live: no `verifiers` here' >&2; adapter='82 passed, 3 skipped'; }

# Tests register providers in the file, as a user would.
GERT_BIN=$(cd "$(dirname "$gert")" && pwd)/$(basename "$gert")
GERT_ARENA_DB=$scratch/arena.db
export GERT_BIN GERT_ARENA_DB
"$gert" arena --dev --port 0 --db "$GERT_ARENA_DB" >"$scratch/ready" 2>"$scratch/log" &
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
url=$GERT_BASE_URL
old_url=${GERT_BASE_URL%/api/v1}/sdk-1.3/api/v1

GERT_BASE_URL=$old_url idle 1.3.0 &
idle_1=$!
idle 3.4.0 &
idle_3=$!

export GERT_BASE_URL=$url
suite 3.4.0 '8 passed'
readme 3.4.0
ours 3.4.0 "$adapter"

export GERT_BASE_URL=$old_url
suite 1.3.0 '7 passed'
readme 1.3.0
ours 1.3.0 '69 passed, 16 skipped'

for version in 1.3.0 3.4.0; do
    if [ "$version" = 1.3.0 ]; then pid=$idle_1; else pid=$idle_3; fi
    wait "$pid" || { cat "$scratch/idle-$version" >&2; echo "sdk-live: the spectator of $version failed" >&2; exit 1; }
    cat "$scratch/idle-$version"
done

kill "$arena"
wait "$arena" || { cat "$scratch/log" >&2; echo "sdk-live: the arena did not end with status 0" >&2; exit 1; }
arena=
echo 'sdk-live: all as expected'

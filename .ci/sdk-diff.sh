#!/bin/sh
# Compares our algorithms and decisions with those of the official Python SDK, input by input (tests/sdk).
#
#   GERT_SDK_DIR    where the SDK is kept, default a temporary folder that is removed; shared with sdk-live.sh
#   GERT_SDK_SEED   the first seed, GERT_SDK_CASES how many inputs each comparison gets
set -eu

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM
. "$(dirname "$0")/sdk-env.sh"

prepare 3.4.0
GERT_SDK_PYTHON=$work/3.4.0/env/bin/python GERT_SDK_SDIST=$work/3.4.0/gertlabs-3.4.0 \
    cargo test --locked --test sdk

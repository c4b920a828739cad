#!/bin/sh
# Compares our algorithms with those of the official Python SDK, input by input (tests/sdk).
#
#   GERT_SDK_DIR    where virtual environments and sdists are kept, default a temporary folder that is removed; shared
#                   with sdk-live.sh
#   GERT_SDK_SEED   the first seed, GERT_SDK_CASES how many inputs each comparison gets
set -eu

python=${PYTHON:-python3}
version=3.4.0

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM
home=${GERT_SDK_DIR:-$scratch/sdk}/$version
mkdir -p "$home"
home=$(cd "$home" && pwd)

# With pytest, so that sdk-live.sh finds what it needs.
if [ ! -x "$home/env/bin/pytest" ]; then
    "$python" -m venv "$home/env"
    "$home/env/bin/pip" install --quiet --disable-pip-version-check "gertlabs==$version" pytest
fi
if [ ! -d "$home/gertlabs-$version" ]; then
    "$home/env/bin/pip" download --quiet --disable-pip-version-check --no-deps --no-binary gertlabs \
        --dest "$home" "gertlabs==$version"
    tar -xzf "$home/gertlabs-$version.tar.gz" -C "$home"
fi

GERT_SDK_PYTHON=$home/env/bin/python GERT_SDK_SDIST=$home/gertlabs-$version cargo test --locked --test sdk

# Sourced by the scripts beside it: the official Python SDK, one virtual environment and one unpacked sdist a version.
#
#   GERT_SDK_DIR  where they are kept, default a folder in $scratch, which the caller removes
#   PYTHON        which interpreter, default python3

python=${PYTHON:-python3}
work=${GERT_SDK_DIR:-$scratch/sdk}
mkdir -p "$work"
work=$(cd "$work" && pwd)

# prepare VERSION: $work/VERSION/env has the SDK and pytest, $work/VERSION/gertlabs-VERSION its sources and tests.
prepare() {
    home=$work/$1
    if [ ! -x "$home/env/bin/pytest" ]; then
        "$python" -m venv "$home/env"
        # pandas and pyarrow are what `exports.load` reads with.
        "$home/env/bin/pip" install --quiet --disable-pip-version-check "gertlabs==$1" pytest pandas pyarrow
    fi
    if [ ! -d "$home/gertlabs-$1" ]; then
        "$home/env/bin/pip" download --quiet --disable-pip-version-check --no-deps --no-binary gertlabs \
            --dest "$home" "gertlabs==$1"
        tar -xzf "$home/gertlabs-$1.tar.gz" -C "$home"
    fi
}

# framework VERSION: the `verifiers` framework that the SDK has an adapter for. Fails where it cannot be installed.
framework() {
    "$work/$1/env/bin/python" -c 'import verifiers' 2>/dev/null ||
        "$work/$1/env/bin/pip" install --quiet --disable-pip-version-check 'verifiers>=0.1.14,<0.2'
}

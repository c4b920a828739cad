#!/bin/sh
# A policy that plays at random, in POSIX shell and awk: no Python, no jq.
#
# Usage: sh random.sh
#
# It draws an entry of `_action_space` by its weight and answers `[]` if the game lists none. awk runs once a turn:
# several versions of it read a pipe in blocks, so one that runs for the whole match would answer too late.

# Reads one `observe` message, writes the action drawn. Brackets inside strings do not count, so it goes by character.
draw='
function value_end(at,    depth, quoted, c) {   # the index of the last character of the object or list at `at`
    for (; at <= length($0); at++) {
        c = substr($0, at, 1)
        if (quoted) { if (c == "\\") at++; else if (c == "\"") quoted = 0 }
        else if (c == "\"") quoted = 1
        else if (c == "{" || c == "[") depth++
        else if ((c == "}" || c == "]") && --depth == 0) return at
    }
    return 0
}
{
    at = index($0, "\"_action_space\":[")
    if (!at) exit
    at += length("\"_action_space\":[")
    while (substr($0, at, 1) == "{") {          # an entry: {"action":{...},"weight":1}, or a list in it
        end = value_end(at)
        start = at + length("{\"action\":")
        stop = value_end(start)
        if (!end || !stop || substr($0, at, start - at) != "{\"action\":") exit
        rest = substr($0, stop + 1, end - stop)
        weight = match(rest, /"weight":[0-9.eE+-]+/) ? substr(rest, RSTART + 9, RLENGTH - 9) + 0 : 1
        total += weight
        if (rand() * total < weight) chosen = substr($0, start, stop - start + 1)
        at = end + 2                            # over the comma
    }
}
BEGIN { srand(seed); rand() }                  # some generators give similar first numbers to similar seeds
END { print chosen }
'

turn=0
while IFS= read -r line; do
    case $line in
    '{"type":"hello"'*)
        echo '{"type":"ready","name":"random.sh"}'
        ;;
    '{"type":"observe"'*)
        turn=$((turn + 1))
        id=${line#*'"id":'}
        id=${id%%,*}
        action=$(printf '%s\n' "$line" | awk -v seed="$((($$ * 7919 + turn * 104729) % 2147483647))" "$draw")
        case $action in '['*) ;; *) action="[$action]" ;; esac # An entry may be several actions at once.
        printf '{"id":%s,"action":%s}\n' "$id" "$action"
        ;;
    esac
done

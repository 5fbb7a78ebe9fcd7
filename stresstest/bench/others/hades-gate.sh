#!/usr/bin/env bash
# The gate of the bash-era spec, §4.2.2 to §4.6, written out so that its cost can be
# measured. It takes jq once for each step that extracts something, not once for a field.
set -u

dir=/tmp/moirai/hades

fail() {
	printf 'Moirai (Hades) fail-closed: %s\n' "$1" >&2
	exit 2
}

# fields prints what a jq expression gives of the payload, each ended by a NUL.
fields() {
	jq -j "$1 | .[] | . + \"\\u0000\"" <<<"$payload" 2>/dev/null
}

record() {
	printf '%s START_ACK %s %s \n' "$(date +%s)" "$1" main >>"$token" || fail "cannot write $token"
}

for program in realpath jq; do
	command -v "$program" >/dev/null || fail "$program is missing"
done

# 1. Stdin.
payload=$(cat)
[ -n "$payload" ] || fail 'empty stdin'
mapfile -t -d '' common < <(fields '[.hook_event_name, .cwd, .session_id | strings]')
[ ${#common[@]} -eq 3 ] || fail 'malformed payload'
event=${common[0]} cwd=${common[1]} session=${common[2]}
case $session in '' | .* | *[!A-Za-z0-9._-]*) fail 'session_id is no file name' ;; esac

# 2. Scope.
cwd=$(realpath -m -- "$cwd") || fail 'cwd cannot be resolved'
case $cwd/ in */constellation-hades/*) ;; *) exit 0 ;; esac

# 3. Token file.
umask 077
mkdir -p "$dir" 2>/dev/null
[ -w "$dir" ] || fail "$dir is not writable"
token=$dir/session-$session

# 4. The typed start.
if [ "$event" = UserPromptSubmit ]; then
	mapfile -t -d '' prompt < <(fields '[.prompt | strings]')
	case ${prompt[0]-} in
	/start* | /war-room-start* | *'<command-name>/start</command-name>'* | *'<command-name>/war-room-start</command-name>'*)
		record UserPromptSubmit
		;;
	esac
	exit 0
fi
[ "$event" = PreToolUse ] || exit 0

# 5. The gate: what records, what is exempt, and then the markers.
mapfile -t -d '' call < <(fields '[.tool_name // "", .tool_input.file_path // "", .tool_input.skill // "" | strings]')
[ "${#call[@]} ${call[0]:+named}" = '3 named' ] || fail 'malformed payload: tool_name'
tool=${call[0]} path=${call[1]} skill=${call[2]}
case $tool in
Skill)
	case $skill in start | war-room-start) record Skill ;; esac
	exit 0
	;;
Read)
	case $path in
	CLAUDE.md | */CLAUDE.md | MEMORY.md | */MEMORY.md | */memory/*) exit 0 ;;
	*/docs/book-of-hades/COMMANDMENTS.md | */context/scope.md | */CONTEXT.md) exit 0 ;;
	esac
	;;
TaskCreate | TaskUpdate | TaskGet | TaskList | TaskStop | TaskOutput) exit 0 ;;
esac

markers=
if [ -e "$token" ]; then
	markers=$(awk 'NF < 4 || $1 !~ /^[0-9]+$/ { exit 1 } { print $2 }' "$token" | sort -u; exit "${PIPESTATUS[0]}") || fail "$token is corrupt"
fi
open=yes list=
for marker in COMMANDMENTS_ACK SCOPE_ACK CONTEXT_ACK START_ACK; do
	case $'\n'$markers$'\n' in
	*$'\n'"$marker"$'\n'*) list+="  [x] $marker"$'\n' ;;
	*) list+="  [ ] $marker"$'\n' open= ;;
	esac
done
[ -z "$open" ] || exit 0
cat >&2 <<END
BLOCKED by Moirai (Hades).

Hades sessions must complete the Minimum Session Load before any gated
tool call. This boundary is absolute — rules are hard-coded in
hooks/moirai/hades-gate.sh and cannot be weakened at runtime.

Required markers (in any order):
$list
Resolution: type /start or /war-room-start. The gate opens once the
fourth marker is recorded.

If markers 1–3 are MISSING, the SessionStart loader failed.

Blocked tool: $tool
Session token: $token
Gate source:   $(realpath "$0")
END
exit 2

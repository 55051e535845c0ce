"""The parts of a reproduction script that are the same for every finding: POSIX sh, curl, awk, sed, grep."""

from __future__ import annotations

from typing import Final

BEGINNING: Final = r"""
set -u
LC_ALL=C
export LC_ALL
stop() {
  printf 'Not tested: %s\n' "$1" >&2
  exit 2
}
for tool in curl awk sed grep mktemp; do
  command -v "$tool" >/dev/null || stop "$tool is not installed."
done
base=${1:-${BASE_URL:-$recorded_url}}
base=${base%/}
dir=$(mktemp -d) || stop 'no temporary folder can be made.'
: >"$dir/created"
"""

CALLS: Final = r"""
# One header line for curl, which reads it from a pipe: arguments would show the token to other users of this machine.
header() { printf 'header = "Authorization: %s"\n' "$(printf '%s' "$1" | sed 's/[\\"]/\\&/g')"; }

# send NAME METHOD PATH CREDENTIAL [OPTION]...: make one call, and keep its response under NAME.
send() {
  name=$1 method=$2 path=$3 who=$4
  shift 4
  printf '%s %s\n' "$method" "$path" >"$dir/$name.call"
  printf '%s\n' "$who" >"$dir/$name.who"
  : >"$dir/$name.body"
  # A call that is under way ends before an interruption counts: what it creates has to be known to be deleted.
  credential "$who" | (
    trap '' HUP INT TERM
    exec curl -q -sS --config - --globoff --path-as-is --max-time 60 -X "$method" -D "$dir/$name.head" \
      -o "$dir/$name.body" -w '%{http_code}' "$@" "$base$path" >"$dir/$name.status"
  )
}

# note NAME: note the data request that a call created.
note() {
  case $(cat "$dir/$1.call")/$(cat "$dir/$1.status") in 'POST /requests/2'*) ;; *) return 0 ;; esac
  id=$(sed -n 's/.*"requestId"[[:space:]]*:[[:space:]]*"\([^"]*\)".*/\1/p' "$dir/$1.body" | head -n 1)
  case $id in '' | . | .. | *[!0-9A-Za-z._~-]*) return 0 ;; esac
  printf '%s' "$id" >"$dir/$1.id"
  printf '%s %s\n' "$id" "$(cat "$dir/$1.who")" >>"$dir/created"
}

# seen NAME [STATUS]: note what the call created, and show the response; one with STATUS is shown like any other.
seen() {
  note "$1"
  status=$(cat "$dir/$1.status")
  printf '\n%s, %s: %s\n' "$(cat "$dir/$1.call")" "$(cat "$dir/$1.who")" "$status"
  head -c 2000 "$dir/$1.body" | tr -d '\000-\010\013-\037\177-\237' | sed 's/^/    /'
  printf '\n'
  case $status in
    000) stop 'the service did not answer.' ;;
    "${2:-none}") ;;
    429 | 503) stop 'the service asks to retry later.' ;;
  esac
}

# need NAME: stop unless the call NAME created a request, which later calls are about.
need() { [ -s "$dir/$1.id" ] || stop 'a data request that is needed could not be created. Is the account empty?'; }
id_of() { cat "$dir/$1.id"; }

# Delete every data request that the calls created.
delete_created() {
  while read -r id who; do
    for owner in "$who" user; do
      send cleaning DELETE "/requests/$id" "$owner" || :
      case "$owner $(cat "$dir/cleaning.status")" in *' 2'* | 'user 404' | 'other user 404') break ;; esac
    done
    case $(cat "$dir/cleaning.status") in
      2* | 404) ;;
      *) printf 'Left behind: /requests/%s (DELETE answered %s)\n' "$id" "$(cat "$dir/cleaning.status")" ;;
    esac
  done <"$dir/created"
  : >"$dir/created"
  rm -f "$dir"/*.id "$dir"/*.call
}
clean_up() {
  code=$?
  trap - EXIT
  trap '' HUP INT TERM
  wait
  for each in "$dir"/*.call; do
    each=${each%.call}
    [ ! -s "$each.status" ] || [ -e "$each.id" ] || note "${each##*/}"
  done
  delete_created
  rm -rf "$dir"
  exit "$code"
}
trap clean_up EXIT
trap 'exit 2' HUP INT TERM
"""

JSON: Final = r"""
# flat FILE: one line for each value of a JSON document: pointer, type and value, or "invalid" at its end.
flat() {
  awk '
    function bad() { print "invalid"; exit }
    function peek() { while (index(" \n\r\t", substr(s, at, 1)) && at <= end) at++; return substr(s, at, 1) }
    function hex(digits, n, i) {
      for (i = 1; i <= 4; i++) n = n * 16 + index("0123456789abcdef", tolower(substr(digits, i, 1))) - 1
      return n
    }
    function utf8(n) {
      if (n < 128) return sprintf("%c", n)
      if (n < 2048) return sprintf("%c%c", 192 + int(n / 64), 128 + n % 64)
      if (n < 65536) return sprintf("%c%c%c", 224 + int(n / 4096), 128 + int(n / 64) % 64, 128 + n % 64)
      return sprintf("%c%c%c%c", 240 + int(n / 262144), 128 + int(n / 4096) % 64, 128 + int(n / 64) % 64, 128 + n % 64)
    }
    function string(out, c, n, low) {
      if (peek() != "\"") bad()
      for (at++; (c = substr(s, at, 1)) != "\""; at++) {
        if (c == "" || c < " ") bad()
        if (c != "\\") {
          if (match(substr(s, at, 100), /^[^"\\\001-\037]+/)) { out = out substr(s, at, RLENGTH); at += RLENGTH - 1 }
          continue
        }
        c = substr(s, ++at, 1)
        if (c == "/") { out = out "/"; continue }
        if (c != "u") { if (!index("\"\\bfnrt", c)) bad(); out = out "\\" c; continue }
        if (substr(s, at + 1, 4) !~ /^[0-9A-Fa-f][0-9A-Fa-f][0-9A-Fa-f][0-9A-Fa-f]$/) bad()
        n = hex(substr(s, at + 1, 4))
        at += 4
        if (n >= 55296 && n < 56320 && substr(s, at + 1, 2) == "\\u") {
          low = hex(substr(s, at + 3, 4))
          if (low >= 56320 && low < 57344) { n = 65536 + (n - 55296) * 1024 + low - 56320; at += 6 }
        }
        if (n == 10) out = out "\\n"
        else if (n == 13) out = out "\\r"
        else if (n == 9) out = out "\\t"
        else if (n < 32) out = out sprintf("\\u%04x", n)
        else if (n == 34 || n == 92) out = out "\\" utf8(n)
        else out = out utf8(n)
      }
      at++
      return out
    }
    function value(path, c, key, n, start, token) {
      c = peek()
      if (c == "{" || c == "[") {
        print path " " (c == "{" ? "object" : "array") " "
        at++
        if (peek() == (c == "{" ? "}" : "]")) { at++; return }
        for (n = 0; ; n++) {
          key = n
          if (c == "{") {
            key = string()
            gsub(/ /, "%20", key)
            gsub(/~/, "~0", key)
            gsub(/\//, "~1", key)
            if (peek() != ":") bad()
            at++
          }
          value(path "/" key)
          if (peek() == ",") { at++; continue }
          if (peek() != (c == "{" ? "}" : "]")) bad()
          at++
          return
        }
      }
      if (c == "\"") { print path " string " string(); return }
      for (start = at; at <= end && !index(",]} \n\r\t", substr(s, at, 1)); at++) ;
      token = substr(s, start, at - start)
      if (token == "null") print path " null "
      else if (token == "true" || token == "false") print path " boolean " token
      else if (token !~ /^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$/) bad()
      else print path " " (token ~ /^-?[0-9]+(\.0+)?$/ ? "integer" : "number") " " token
    }
    { part = part $0 "\n" }
    NR % 200 == 0 { s = s part; part = "" }
    END { s = s part; end = length(s); at = 1; value(""); if (peek() != "") bad() }
  ' "$1"
}
"""

UTF8: Final = r"""
# is_json NAME: whether the body of a response is one JSON text, in UTF-8.
is_json() {
  flat "$dir/$1.body" >"$dir/$1.flat"
  ! grep -qx invalid "$dir/$1.flat" || return 1
  ! command -v iconv >/dev/null || iconv -f UTF-8 -t UTF-8 <"$dir/$1.body" >/dev/null 2>&1
}
"""

MOMENT: Final = r"""
# now NAME: the moment of a response, by the clock of the service, or by the one of this machine.
now() {
  sed -n 's/^[Dd][Aa][Tt][Ee]: *//p' "$dir/$1.head" | tail -n 1 | awk '{
    m = index("JanFebMarAprMayJunJulAugSepOctNovDec", $3)
    if (m) printf "%s-%02d-%02dT%sZ\n", $4, (m + 2) / 3, $2, $5
  } END { if (!m) system("date -u +%Y-%m-%dT%H:%M:%SZ") }' | seconds
}
# seconds: an RFC 3339 date-time on standard input, as seconds; nothing for anything else.
seconds() {
  awk '/^[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9][Tt ][0-9][0-9]:[0-9][0-9]:[0-9][0-9]/ {
    y = substr($0, 1, 4) + 0; m = substr($0, 6, 2) + 0; d = substr($0, 9, 2)
    if (m < 3) { y--; m += 12 }
    days = 365 * y + int(y / 4) - int(y / 100) + int(y / 400) + int((153 * (m - 3) + 2) / 5) + d
    t = days * 86400 + substr($0, 12, 2) * 3600 + substr($0, 15, 2) * 60 + substr($0, 18, 2)
    if (match($0, /[-+][0-9][0-9]:[0-9][0-9]$/)) {
      o = substr($0, RSTART + 1, 2) * 3600 + substr($0, RSTART + 4, 2) * 60
      t = substr($0, RSTART, 1) == "+" ? t - o : t + o
    }
    printf "%.0f\n", t
  }'
}
"""

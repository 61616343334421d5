#!/bin/bash
# Runs the test suite on a server of the MongoDB wire protocol that others wrote.
#   run.sh ferretdb|secantusdb [mocha's arguments]
# The engine is installed once into $MANGROVE_ENGINES (default ~/.cache/mangrove/engines), started empty on free ports for
# this run and stopped after it. Exits with mocha's code. Needs Debian as root, with Go (ferretdb) or Rust (secantusdb).
set -euo pipefail
ENGINE=${1:?ferretdb or secantusdb}; shift
HERE=$(cd "$(dirname "$0")" && pwd); ROOT=$(cd "$HERE/../../.." && pwd)
[ -x "$HERE/$ENGINE.sh" ] || { echo "no engine $ENGINE" >&2; exit 2; }
DIR=${MANGROVE_ENGINES:-$HOME/.cache/mangrove/engines}/$ENGINE
mkdir -p "$DIR"

# one run at a time on one installation: its data folder is made anew by each
exec 9>"$DIR.lock"; flock 9

# of the 3000 from here, below those that connections get, which the tests of another engine may open at any moment
free_port() {
  local port
  while :; do
    port=$(($1 + RANDOM % 3000))
    (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || { echo "$port"; return; }
  done
}
JOBS=2
# FerretDB may refuse one of two collections that are created at the same moment, in whatever databases: a server for each job
SERVERS=1; [ "$ENGINE" = ferretdb ] && SERVERS=$JOBS

"$HERE/$ENGINE.sh" install "$DIR" 9>&- >&2
trap 'for INSTANCE in $(seq $SERVERS); do INSTANCE=$INSTANCE "$HERE/$ENGINE.sh" stop "$DIR" 9>&- || true; done' EXIT
MONGODB_URIS=
for INSTANCE in $(seq $SERVERS); do
  PGPORT=$(free_port 20000); FPORT=$(free_port 23000); PORT=$(free_port 26000); export INSTANCE PGPORT FPORT PORT
  "$HERE/$ENGINE.sh" start "$DIR" 9>&- >"$DIR/uri"
  MONGODB_URIS+=" $(tail -1 "$DIR/uri")"
done
export MONGODB_URIS
cd "$ROOT"
echo "on $ENGINE:$MONGODB_URIS"
# the tests of the embedded engine run on that, whatever the server; only its random comparison is with this one
if [ $# -eq 0 ]; then
  # nor does what asks no server, or the embedded engine alone, or comes out alike whatever the server (test/unit/engines.test.ts)
  mapfile -t NOT_ASKED < <(sed 's/ # .*//; s#/$#/**#; s#^#--ignore=#' "$HERE/not-asked.txt")
  set -- "${NOT_ASKED[@]}" test packages/engine/test/differential.test.ts
fi
node node_modules/mocha/bin/mocha.js --parallel --jobs "$JOBS" --require test/support/engines/own-server.ts "$@" 9>&-

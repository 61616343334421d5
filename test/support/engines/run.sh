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

free_port() { node -e 'const s=require("net").createServer().listen(0,"127.0.0.1",()=>{console.log(s.address().port);s.close()})'; }
PGPORT=$(free_port); FPORT=$(free_port); PORT=$(free_port); export PGPORT FPORT PORT

"$HERE/$ENGINE.sh" install "$DIR" 9>&- >&2
trap '"$HERE/$ENGINE.sh" stop "$DIR" 9>&- || true' EXIT
"$HERE/$ENGINE.sh" start "$DIR" 9>&- >"$DIR/uri"
MONGODB_URI=$(tail -1 "$DIR/uri"); export MONGODB_URI
cd "$ROOT"
echo "on $ENGINE: $MONGODB_URI"
# FerretDB may refuse one of two collections that are created at the same moment, in whatever databases: a file at a time
SIDE_BY_SIDE=(--parallel --jobs 2); [ "$ENGINE" = ferretdb ] && SIDE_BY_SIDE=()
node node_modules/mocha/bin/mocha.js "${SIDE_BY_SIDE[@]}" "$@" 9>&-

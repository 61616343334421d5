#!/bin/bash
# The package as a user gets it: packed, then two new projects (JavaScript, TypeScript) created, installed, checked, tested and
# served from the tarball alone. Exits with 0 if everything works.
set -euo pipefail
ROOT=$(cd "$(dirname "$0")/../.." && pwd)
WORK=$(mktemp -d); trap 'rm -rf "$WORK"' EXIT
cd "$ROOT"
npm pack --silent --pack-destination "$WORK" >/dev/null
TARBALL=$(ls "$WORK"/mangrove-*.tgz)
# What the package must not contain: maps without their sources, the demo, tests.
if tar -tzf "$TARBALL" | grep -E '\.map$|^package/(content-types|config|scripts|test|dist/scripts)/'; then
  echo 'the package contains files that it should not' >&2; exit 1
fi

CREATE=$WORK/$(npm pack --silent --pack-destination "$WORK" ./scripts/create-mangrove)
# the commands as npx and npm create run them, from a separate installation
mkdir "$WORK/command"; cd "$WORK/command"
npm install --silent --no-audit --no-fund --omit=dev "$TARBALL" "$CREATE"
BIN=$WORK/command/node_modules/.bin

free_port() { node -e 'const s=require("net").createServer().listen(0,"127.0.0.1",()=>{console.log(s.address().port);s.close()})'; }

try() {
  local name=$1; shift
  cd "$WORK"
  "$@" --package "file:$TARBALL" >/dev/null 2>&1
  cd "$name"
  npm install --silent --no-audit --no-fund
  npm run --silent check
  npm test --silent >test.log 2>&1 || { cat test.log; exit 1; }
  if [ -f tsconfig.json ]; then
    # every type that the package exports, without skipLibCheck
    printf "import * as mangrove from 'mangrove';\nimport * as embedded from 'mangrove/embedded';\nexport default [mangrove, embedded];\n" >src/exports.ts
    node_modules/.bin/tsc --noEmit --skipLibCheck false
    rm src/exports.ts
  fi
  local port; port=$(free_port)
  # a separate process group, so that it can be sent what Ctrl-C sends
  PORT=$port setsid npm start --silent >start.log 2>&1 & local server=$!
  for _ in $(seq 480); do curl -sf "http://127.0.0.1:$port/_ready" >/dev/null && break; sleep 0.25; done
  curl -sfg "http://127.0.0.1:$port/api/articles?fields=title" | grep -q 'What lives among the roots' || { cat start.log; exit 1; }
  [ "$(curl -s -o /dev/null -w '%{http_code}' "http://127.0.0.1:$port/api/articles/latest")" = 200 ] || { cat start.log; exit 1; }
  local file
  for file in docs docs/page.js docs/page.css docs/swagger-ui-bundle.js docs/swagger-ui.css; do
    curl -sf -o /dev/null "http://127.0.0.1:$port/$file" || { echo "/$file is not served"; exit 1; }
  done
  kill -INT -- "-$server"; wait "$server" || [ $? -eq 130 ] || { echo "npm start did not end by Ctrl-C"; exit 1; }
  echo "$name: made, installed, checked, tested, served"
}
try in-javascript "$BIN/create-mangrove" in-javascript
try in-typescript "$BIN/mangrove" init in-typescript --typescript

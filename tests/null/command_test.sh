#!/bin/bash
# The command says of a target without a compiler that there is none, before it reads a shader.
set -euo pipefail

kiln=$PWD/tests/null/kiln
shader=$PWD/tests/shaders/saxpy.comp

# expect CODE PATTERN ARGUMENT...: runs kiln; its output, on either stream, matches.
expect() {
  local code=$1 pattern=$2 is=0 text
  shift 2
  text=$("$kiln" "$@" 2>&1) || is=$?
  [ "$is" = "$code" ] || { echo "kiln $*: exit code $is, not $code: $text"; exit 1; }
  grep -Eq "$pattern" <<< "$text" || { echo "kiln $*: no '$pattern' in: $text"; exit 1; }
}

expect 0 '^bare +no compiler +1 +disasm, run$' targets --local
expect 0 '^null +1 +1 +disasm, run$' targets --local
expect 1 'bare: refused \(missing_compiler\): .*no compiler yet' compile --local --target=null,bare "$shader"
expect 0 'saxpy.comp +null +compute +ok' compile --local --target=null "$shader"
# The shader is not compiled, and no job is read.
expect 1 'missing_compiler.*the target bare has tools.*--launch' run --local --target=bare "$shader"

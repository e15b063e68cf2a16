#!/bin/bash
# Every shader says first what it exercises, is accepted by glslang and is valid SPIR-V.
set -u
status=0
compute=0
fragment=0
for shader in tests/shaders/*.comp tests/shaders/*.frag; do
  case $shader in
    *.comp) compute=$((compute + 1)) ;;
    *) fragment=$((fragment + 1)) ;;
  esac
  head -n 1 "$shader" | grep -q '^// [A-Z]' ||
    { echo "$shader: the first line must be a comment that says what it exercises"; status=1; }
  glslangValidator -V --target-env vulkan1.3 -o "$TEST_TMPDIR/shader.spv" "$shader" &&
    spirv-val --target-env vulkan1.3 "$TEST_TMPDIR/shader.spv" ||
    { echo "$shader: not valid"; status=1; }
done
[ $compute -ge 25 ] && [ $fragment -ge 80 ] ||
  { echo "only $compute compute and $fragment fragment shaders found"; status=1; }
exit $status

#!/bin/bash
# Checks that every shader's first line says what it exercises, and that it is valid GLSL and
# SPIR-V.
set -u
status=0
compute=0
fragment=0
vertex=0
for shader in tests/shaders/*.comp tests/shaders/*.frag tests/shaders/*.vert; do
  case $shader in
    *.comp) compute=$((compute + 1)) ;;
    *.vert) vertex=$((vertex + 1)) ;;
    *) fragment=$((fragment + 1)) ;;
  esac
  head -n 1 "$shader" | grep -q '^// [A-Z]' ||
    { echo "$shader: the first line must be a comment that says what it exercises"; status=1; }
  glslangValidator -V --target-env vulkan1.3 -o "$TEST_TMPDIR/shader.spv" "$shader" &&
    spirv-val --target-env vulkan1.3 "$TEST_TMPDIR/shader.spv" ||
    { echo "$shader: not valid"; status=1; }
done
[ $compute -ge 25 ] && [ $fragment -ge 80 ] && [ $vertex -ge 40 ] ||
  { echo "only $compute compute, $fragment fragment and $vertex vertex shaders found"; status=1; }
exit $status

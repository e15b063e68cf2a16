// Array inputs read by constants and by a value that differs between fragments.
#version 450
layout(location = 0) in vec2 a[4];
layout(location = 4) flat in uint which;
layout(location = 0) out vec4 color;

void main() {
  vec2 chosen = a[(which + uint(gl_FragCoord.x)) & 3u];
  color = vec4(chosen * 2.0, a[0] + a[3]);
}

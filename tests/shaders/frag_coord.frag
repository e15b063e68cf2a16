// Frag coord: x, y, z and w.
#version 450
layout(location = 0) in vec2 at;
layout(location = 0) out vec4 color;

void main() {
  color = vec4(gl_FragCoord.xy * 2.0, gl_FragCoord.z * 3.0, 1.0 / gl_FragCoord.w + at.x);
}

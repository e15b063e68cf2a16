// Flat integers without sign.
#version 450
layout(location = 0) flat in uvec3 a;
layout(location = 1) flat in uint b;
layout(location = 0) out vec4 color;

void main() {
  color = vec4(a ^ (b + uvec3(gl_FragCoord.xxy)), float(b + a.x));
}

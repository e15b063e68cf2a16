// Interpolation at offsets, constant and computed: sixteenths of a pixel, which is as fine as all targets have them.
#version 450
layout(location = 0) in vec2 at;
layout(location = 1) noperspective in vec2 straight;
layout(location = 0) out vec4 color;

void main() {
  color = vec4(interpolateAtOffset(at, vec2(0.25, -0.375)) * 2.0, interpolateAtOffset(straight, fract(floor(gl_FragCoord.yx) * 0.1875) - 0.5));
}

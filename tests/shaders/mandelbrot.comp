// A divergent loop whose lanes leave by break at different iterations; the values they leave with
// must survive the remaining ones.
#version 450
layout(local_size_x = 8, local_size_y = 8) in;

layout(push_constant) uniform View {
  vec2 centre;
  float scale;
  int limit;
  uint width;
} view;

layout(std430, binding = 0) writeonly buffer Image { uint colours[]; };

void main() {
  uvec2 pixel = gl_GlobalInvocationID.xy;
  vec2 c = view.centre + (vec2(pixel) - 0.5 * float(view.width)) * view.scale;
  vec2 z = vec2(0.0);
  int n = 0;
  float escaped = 0.0;
  while (true) {
    if (n == view.limit) break;
    vec2 squares = z * z;
    escaped = squares.x + squares.y;
    if (escaped > 16.0) break;
    z = vec2(squares.x - squares.y, 2.0 * z.x * z.y) + c;
    ++n;
  }
  float shade = n == view.limit ? 0.0 : float(n) + 1.0 - log2(0.5 * log2(escaped));
  colours[pixel.y * view.width + pixel.x] =
      packUnorm4x8(vec4(fract(shade * 0.05), fract(shade * 0.02), fract(shade * 0.01), 1.0));
}

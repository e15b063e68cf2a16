// A loop that pixels leave at different times, in a picture worth looking at: the Mandelbrot set.
#version 450
layout(location = 0) in vec2 place;  // from 0 to 1
layout(location = 0) out vec4 colour;

const int kMost = 64;

void main() {
  vec2 c = vec2(3.0, 2.4) * place - vec2(2.1, 1.2);
  vec2 z = vec2(0.0);
  int n = 0;
  while (n < kMost && dot(z, z) < 4.0) {
    z = vec2(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + c;
    ++n;
  }
  float t = float(n) / float(kMost);
  colour = n == kMost ? vec4(0.0, 0.0, 0.0, 1.0)
                      : vec4(sqrt(t), t * t * (3.0 - 2.0 * t), 0.3 + 0.7 * t, 1.0);
}

// Arrays in uniform buffers, indexed by constants, by uniform values and by flat inputs; an array of buffers.
#version 450
layout(location = 0) flat in uint which;
layout(location = 1) in vec2 at;
layout(binding = 0) uniform Lights {
  int count;
  vec4 lights[8];
};
layout(binding = 1) uniform More { vec4 more; } others[2];
layout(location = 0) out vec4 color;

void main() {
  vec4 sum = lights[which & 7u] + lights[3] * 2.0 + others[1].more;
  for (int i = 0; i < min(count, 8); ++i) sum += lights[i] * at.x;
  color = sum + others[0].more * at.y;
}

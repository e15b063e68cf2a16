// Returns from inside nested loops and branches of called functions: lanes leave at many points and
// reconverge after the call.
#version 450
layout(local_size_x = 64) in;

layout(std430, binding = 0) readonly buffer Grid { int cells[]; };
layout(std430, binding = 1) readonly buffer Queries { ivec4 queries[]; };  // x, y, key, width
layout(std430, binding = 2) writeonly buffer Answers { ivec2 answers[]; };

ivec2 find_in_rings(ivec2 from, int key, int width) {
  if (width <= 0) return ivec2(-1);
  int height = cells.length() / width;
  if (from.x >= width || from.y >= height) return ivec2(-2);
  for (int radius = 0; radius < 5; ++radius) {
    for (int y = max(from.y - radius, 0); y <= min(from.y + radius, height - 1); ++y) {
      for (int x = max(from.x - radius, 0); x <= min(from.x + radius, width - 1); ++x) {
        if (max(abs(x - from.x), abs(y - from.y)) < radius) continue;
        int cell = cells[y * width + x];
        if (cell == key) return ivec2(x, y);
        if (cell < 0) {
          if (cell == -key) return ivec2(-3, radius);
          break;
        }
      }
    }
    if (radius * radius > key) return ivec2(-4, radius);
  }
  return ivec2(-5);
}

void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i >= uint(queries.length())) return;
  ivec4 q = queries[i];
  ivec2 first = find_in_rings(q.xy, q.z, q.w);
  if (first.x >= 0 && (i & 1u) != 0u) {
    answers[i] = find_in_rings(first, q.z + 1, q.w);
    return;
  }
  answers[i] = first;
}

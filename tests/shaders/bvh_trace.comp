// Ray against a bounding volume hierarchy: a traversal stack in a private array with dynamic index,
// a divergent loop with several exits, many values live across it.
#version 450
layout(local_size_x = 32) in;

struct Node {
  vec3 low;
  int left;   // < 0: leaf of triangles [-left - 1, + count)
  vec3 high;
  int right;  // or count
};

layout(std430, binding = 0) readonly buffer Nodes { Node nodes[]; };
layout(std430, binding = 1) readonly buffer Triangles { vec4 corners[]; };
layout(std430, binding = 2) readonly buffer Rays { vec4 rays[]; };
layout(std430, binding = 3) writeonly buffer Hits { vec4 hits[]; };

bool meets_box(vec3 origin, vec3 inverse_direction, vec3 low, vec3 high, float limit) {
  vec3 a = (low - origin) * inverse_direction;
  vec3 b = (high - origin) * inverse_direction;
  vec3 near = min(a, b), far = max(a, b);
  float enter = max(max(near.x, near.y), max(near.z, 0.0));
  float leave = min(min(far.x, far.y), min(far.z, limit));
  return enter <= leave;
}

// Moeller and Trumbore, 1997. Barycentric coordinates in uv.
bool meets_triangle(vec3 origin, vec3 direction, uint triangle, inout float t, inout vec2 uv) {
  vec3 corner = corners[3u * triangle].xyz;
  vec3 e1 = corners[3u * triangle + 1u].xyz - corner;
  vec3 e2 = corners[3u * triangle + 2u].xyz - corner;
  vec3 p = cross(direction, e2);
  float determinant_ = dot(e1, p);
  if (abs(determinant_) < 1e-8) return false;
  vec3 s = (origin - corner) / determinant_;
  float u = dot(s, p);
  if (u < 0.0 || u > 1.0) return false;
  vec3 q = cross(s, e1);
  float v = dot(direction, q);
  if (v < 0.0 || u + v > 1.0) return false;
  float distance_ = dot(e2, q);
  if (distance_ <= 0.0 || distance_ >= t) return false;
  t = distance_;
  uv = vec2(u, v);
  return true;
}

void main() {
  uint i = gl_GlobalInvocationID.x;
  if (2u * i + 1u >= uint(rays.length())) return;
  vec3 origin = rays[2u * i].xyz;
  vec3 direction = rays[2u * i + 1u].xyz;
  vec3 inverse_direction = 1.0 / direction;
  float t = rays[2u * i].w;
  vec2 uv = vec2(0.0);
  int triangle = -1;

  int stack[24];
  int depth = 0;
  int node = 0;
  while (true) {
    Node n = nodes[node];
    if (meets_box(origin, inverse_direction, n.low, n.high, t)) {
      if (n.left >= 0) {
        if (depth < 24) stack[depth++] = n.right;
        node = n.left;
        continue;
      }
      for (int k = 0; k < n.right; ++k) {
        int candidate = -n.left - 1 + k;
        if (meets_triangle(origin, direction, uint(candidate), t, uv)) triangle = candidate;
      }
    }
    if (depth == 0) break;
    node = stack[--depth];
  }
  hits[i] = vec4(t, uv, intBitsToFloat(triangle));
}

// Vertex skinning by four weighted bones: an array of matrices indexed by data, non-square
// matrices, quaternion rotation.
#version 450
layout(local_size_x = 64) in;

layout(std430, binding = 0) readonly buffer Bones { mat3x4 bones[]; };  // rows of an affine map
layout(std430, binding = 1) readonly buffer Quaternions { vec4 quaternions[]; };
struct Vertex {
  vec3 position;
  uint bone_indices;  // four bytes
  vec3 normal;
  uint weights;       // four normalised bytes
};
layout(std430, binding = 2) readonly buffer Input { Vertex vertices[]; };
layout(std430, binding = 3) writeonly buffer Output { vec4 skinned[]; };

vec3 rotate(vec4 q, vec3 v) { return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v); }

void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i >= uint(vertices.length())) return;
  Vertex vertex = vertices[i];
  vec4 weights = unpackUnorm4x8(vertex.weights);
  weights /= max(dot(weights, vec4(1.0)), 1e-6);
  vec4 position = vec4(vertex.position, 1.0);
  mat3x4 blend = mat3x4(0.0);
  vec4 turn = vec4(0.0);
  for (int k = 0; k < 4; ++k) {
    uint bone = (vertex.bone_indices >> (8 * k)) & 0xffu;
    if (weights[k] <= 0.0) continue;
    blend += weights[k] * bones[bone];
    vec4 q = quaternions[bone];
    turn += weights[k] * (dot(turn, q) < 0.0 ? -q : q);
  }
  vec3 moved = position * blend;
  vec3 normal = rotate(normalize(turn), vertex.normal);
  skinned[2u * i] = vec4(moved, 1.0);
  skinned[2u * i + 1u] = vec4(normal, 0.0);
}

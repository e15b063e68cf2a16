// Arrays of buffers without length: storage and uniform buffers, texel buffers of both kinds, lengths
// and atomics, chosen by constants, by uniform values and by values that differ between invocations.
#version 450
#extension GL_EXT_nonuniform_qualifier : require
layout(local_size_x = 64) in;

layout(std430, set = 0, binding = 0) buffer Mesh { uint count; uint first; uvec4 faces[]; } meshes[];
layout(std140, set = 1, binding = 0) uniform Material { vec4 tint; vec4 table[8]; } materials[];
layout(set = 2, binding = 0) uniform samplerBuffer weights[];
layout(set = 3, binding = 0, r32ui) uniform uimageBuffer histograms[];
layout(std430, set = 4, binding = 0) writeonly buffer Results { vec4 results[]; };
layout(push_constant) uniform Settings { uint mesh; uint material; };

void main() {
  uint id = gl_GlobalInvocationID.x;
  uint which = mesh & 1u, own = id & 1u, what = material & 1u;
  uint faces = uint(meshes[which].faces.length()) + uint(meshes[nonuniformEXT(own)].faces.length());
  uvec4 face = meshes[which].faces[id % 8u] ^ meshes[nonuniformEXT(own)].faces[id % 5u];
  vec4 colour = materials[what].tint * materials[what].table[face.x % 8u];
  colour += materials[nonuniformEXT(own)].table[face.y % 8u] + materials[1].table[3];
  colour += texelFetch(weights[what], int(face.z % 16u));
  colour += texelFetch(weights[nonuniformEXT(own)], int(face.w % 16u));
  atomicAdd(meshes[nonuniformEXT(own)].count, 3u);
  imageAtomicAdd(histograms[nonuniformEXT(own)], int(face.x % 4u), 1u);
  uint size = uint(imageSize(histograms[what])) + uint(textureSize(weights[nonuniformEXT(own)]));
  results[id] = colour * float(faces + size);
}

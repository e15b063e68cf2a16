// Every pack and unpack function that needs no small types: a vertex compressor that decodes again
// and records the error.
#version 450
layout(local_size_x = 64) in;

struct Vertex {
  vec4 position;
  vec4 normal;
  vec4 colour;
};

struct Packed {
  uvec2 position;  // half floats
  uint normal;     // signed normalised
  uint colour;     // unsigned normalised
  uvec2 texture;   // 16-bit normalised, signed and unsigned
};

layout(std430, binding = 0) readonly buffer Vertices { Vertex vertices[]; };
layout(std430, binding = 1) writeonly buffer Packs { Packed packs[]; };
layout(std430, binding = 2) writeonly buffer Errors { float errors[]; };

void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i >= uint(vertices.length())) return;
  Vertex v = vertices[i];
  Packed p;
  p.position = uvec2(packHalf2x16(v.position.xy), packHalf2x16(v.position.zw));
  p.normal = packSnorm4x8(v.normal);
  p.colour = packUnorm4x8(v.colour);
  p.texture = uvec2(packSnorm2x16(v.normal.xy), packUnorm2x16(v.colour.xy));
  packs[i] = p;

  vec4 position = vec4(unpackHalf2x16(p.position.x), unpackHalf2x16(p.position.y));
  float error = distance(position, v.position);
  error = max(error, distance(unpackSnorm4x8(p.normal), v.normal));
  error = max(error, distance(unpackUnorm4x8(p.colour), v.colour));
  error = max(error, distance(unpackSnorm2x16(p.texture.x), v.normal.xy));
  errors[i] = max(error, distance(unpackUnorm2x16(p.texture.y), v.colour.xy));
}

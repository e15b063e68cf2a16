// Tables in texel buffers: fetches by computed index, formats that convert, a storage texel buffer
// that is read, written and counted in, buffer sizes; an image of normalised numbers beside them.
#version 450
layout(local_size_x = 32) in;

layout(binding = 0) uniform samplerBuffer curve;
layout(binding = 1) uniform usamplerBuffer keys;
layout(binding = 2, r32ui) uniform uimageBuffer slots;
layout(binding = 3, rgba8_snorm) uniform image1D rows;
layout(std430, binding = 4) writeonly buffer Result { vec4 result[]; };

void main() {
  uint id = gl_GlobalInvocationID.x;
  int entries = textureSize(curve);
  uint key = texelFetch(keys, int(id) % textureSize(keys)).x;
  float x = float(key % 64u) * 0.3;
  int index = min(int(x), entries - 2);
  vec4 value = mix(texelFetch(curve, index), texelFetch(curve, index + 1), x - float(index));
  uint order = imageAtomicAdd(slots, int(key % uint(imageSize(slots))), 1u);
  vec4 row = imageLoad(rows, int(id));
  if (int(id) < imageSize(rows)) imageStore(rows, int(id), row.wzyx * 0.5);
  result[id] = value + row + vec4(float(min(order, 1u)));
}

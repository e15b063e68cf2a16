// Arrays of descriptors chosen by value: images, samplers and storage images whose index differs
// between invocations (nonuniformEXT) or comes from push constants, constant elements beside them.
#version 450
#extension GL_EXT_nonuniform_qualifier : require
#extension GL_EXT_samplerless_texture_functions : require
layout(local_size_x = 64) in;

layout(binding = 0) uniform texture2D layers[6];
layout(binding = 1) uniform sampler samplers[2];
layout(binding = 2) uniform sampler3D volumes[2];
layout(binding = 3, r32ui) uniform uimage2D counters[3];
layout(std430, binding = 4) readonly buffer Requests { uvec4 requests[]; };
layout(std430, binding = 5) writeonly buffer Results { vec4 results[]; };
layout(push_constant) uniform Settings { uint volume; uint counter; };

void main() {
  uint id = gl_GlobalInvocationID.x;
  if (id >= uint(requests.length())) return;
  uvec4 request = requests[id];
  uint layer = request.x % 6u, filtering = request.y % 2u;
  vec2 uv = vec2(request.zw) / 16.0;
  vec4 colour =
      textureLod(sampler2D(layers[nonuniformEXT(layer)], samplers[nonuniformEXT(filtering)]), uv, 0.0);
  colour += textureGather(sampler2D(layers[2], samplers[nonuniformEXT(filtering)]), uv, 1);
  colour += texelFetch(layers[nonuniformEXT(layer)], ivec2(request.zw % 4u), 0) * 2.0;
  colour += textureLod(volumes[volume % 2u], vec3(uv, 0.5), 0.0);
  colour.x += float(imageSize(counters[nonuniformEXT(layer % 3u)]).x);
  imageAtomicAdd(counters[counter % 3u], ivec2(layer, filtering), 1u);
  results[id] = colour;
}

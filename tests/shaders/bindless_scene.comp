// More descriptors than tables hold: 300 images and 24 samplers, arrays of images, samplers, storage
// images and combined ones without length, chosen by constants, by uniform values and by values that
// differ between invocations (nonuniformEXT).
#version 450
#extension GL_EXT_nonuniform_qualifier : require
#extension GL_EXT_samplerless_texture_functions : require
layout(local_size_x = 64) in;

layout(set = 0, binding = 0) uniform texture2D layers[300];
layout(set = 0, binding = 1) uniform sampler samplers[24];
layout(set = 1, binding = 0) uniform sampler2D decals[];
layout(set = 2, binding = 0, r32ui) uniform uimage2D counters[];
layout(set = 3, binding = 0) uniform texture3D volumes[];
layout(set = 4, binding = 0, rgba32f) uniform writeonly image2D targets[];
layout(std430, set = 0, binding = 2) readonly buffer Requests { uvec4 requests[]; };
layout(std430, set = 0, binding = 3) writeonly buffer Results { vec4 results[]; };
layout(push_constant) uniform Settings { uint layer; uint filtering; };

void main() {
  uint id = gl_GlobalInvocationID.x;
  if (id >= uint(requests.length())) return;
  uvec4 request = requests[id];
  vec2 uv = vec2(request.zw % 32u) / 16.0 + 0.013;
  uint own = request.x % 3u, filter_ = request.y % 3u, one = request.x & 1u;
  vec4 colour = textureLod(sampler2D(layers[layer % 300u], samplers[filtering % 24u]), uv, 0.0);
  colour += textureLod(
      sampler2D(layers[nonuniformEXT(own)], samplers[nonuniformEXT(filter_)]), uv, 0.0);
  colour += textureGather(sampler2D(layers[1], samplers[nonuniformEXT(filter_)]), uv, 2);
  colour += texelFetchOffset(layers[2], ivec2(request.zw % 3u), 0, ivec2(1, 0));
  colour += textureLodOffset(decals[nonuniformEXT(one)], uv, 0.0, ivec2(-1, 1));
  colour += textureLod(decals[1], uv * 0.5, 0.0);
  colour += texelFetch(volumes[one == 1u ? 1 : 1], ivec3(request.yzw % 2u), 0);
  uint before = imageAtomicAdd(counters[nonuniformEXT(one)], ivec2(own, 0), 0u);
  uint size = uint(imageSize(counters[nonuniformEXT(one)]).x) + before +
              uint(textureQueryLevels(decals[layer & 1u])) +
              uint(textureSize(decals[nonuniformEXT(one)], 0).y);
  imageStore(targets[0], ivec2(id & 3u, id >> 2 & 3u), vec4(1.0, 2.0, 3.0, 4.0));
  results[id] = colour * float(size + 1u);
}

// Bilateral blur of a layered image: texel fetches with offsets and of levels, samples at explicit
// levels with separate image and sampler, a storage image with a format, image sizes as bounds.
#version 450
layout(local_size_x = 8, local_size_y = 8) in;

layout(binding = 0) uniform texture2DArray source;
layout(binding = 1) uniform sampler smooth_sampler;
layout(binding = 2) uniform sampler2D depth;
layout(binding = 3, rgba16f) uniform writeonly image2DArray blurred;
layout(push_constant) uniform Settings { float sharpness; float level; uint layer; };

void main() {
  ivec3 size = textureSize(sampler2DArray(source, smooth_sampler), 0);
  ivec2 at = ivec2(gl_GlobalInvocationID.xy);
  if (any(greaterThanEqual(at, size.xy))) return;
  float centre = texelFetch(depth, at % textureSize(depth, 0), 0).x;
  vec4 sum = vec4(0.0);
  float weights = 0.0;
  for (int y = -1; y <= 1; ++y) {
    for (int x = -1; x <= 1; ++x) {
      vec2 uv = (vec2(at + ivec2(x, y)) + 0.5) / vec2(size.xy);
      float difference = textureLodOffset(depth, uv, 0.0, ivec2(1, -1)).x - centre;
      float weight = exp2(-sharpness * difference * difference);
      sum += weight * textureLod(sampler2DArray(source, smooth_sampler), vec3(uv, float(layer)), level);
      weights += weight;
    }
  }
  imageStore(blurred, ivec3(at, int(layer)), sum / weights);
}

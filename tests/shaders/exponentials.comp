// Powers, exponentials, logarithms and roots, scalar and vector: a tone-mapping curve.
#version 450
layout(local_size_x = 64) in;

layout(std140, binding = 0) uniform Curve {
  vec4 gain;
  float exposure;
  float gamma;
  float white;
} curve;
layout(std430, binding = 1) buffer Colours { vec4 colours[]; };

void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i >= uint(colours.length())) return;
  vec3 linear = max(colours[i].rgb * curve.gain.rgb * exp2(curve.exposure), vec3(1e-6));
  float luminance = dot(linear, vec3(0.2126, 0.7152, 0.0722));
  float mapped = luminance * (1.0 + luminance / (curve.white * curve.white)) / (1.0 + luminance);
  vec3 shaped = linear * (mapped / luminance);
  vec3 encoded = pow(shaped, vec3(1.0 / curve.gamma));
  vec3 film = 1.0 - exp(-shaped);
  float stops = log2(luminance) + log(luminance) * inversesqrt(luminance);
  colours[i] = vec4(mix(encoded, sqrt(film), 0.25), stops);
}

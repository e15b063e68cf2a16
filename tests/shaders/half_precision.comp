// Half floats: 16-bit storage, arithmetic and conversions, vectors of halfs, a dot product that is
// summed in single precision, special values kept by min and max.
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_EXT_shader_16bit_storage : require

layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer Weights { f16vec4 weights[]; };
layout(std430, binding = 1) readonly buffer Inputs { float16_t inputs[]; };
layout(std430, binding = 2) buffer Outputs { float16_t outputs[]; };
layout(std430, binding = 3) buffer Sums { float sums[]; };
layout(push_constant) uniform P { float bias; float slope; } p;

void main() {
  uint i = gl_GlobalInvocationID.x;
  f16vec4 w = weights[i & 127u];
  f16vec4 x = f16vec4(inputs[4u * (i & 127u)], inputs[4u * (i & 127u) + 1u],
                      inputs[4u * (i & 127u) + 2u], inputs[4u * (i & 127u) + 3u]);
  vec4 products = vec4(w) * vec4(x);
  float sum = products.x + products.y + products.z + products.w + p.bias;
  f16vec4 scaled = w * x + float16_t(p.bias);
  float16_t low = min(min(scaled.x, scaled.y), min(scaled.z, scaled.w));
  float16_t high = max(max(scaled.x, scaled.y), max(scaled.z, scaled.w));
  float16_t activated = sum > 0.0 ? float16_t(sum) : float16_t(sum * p.slope);
  f16vec2 pair = unpackFloat2x16(packFloat2x16(f16vec2(low, high)) ^ 0x80008000u);
  outputs[i] = activated + abs(pair.x) * 0.5hf;
  sums[i] = float(clamp(high - low, 0.0hf, 100.0hf)) + float(pair.y);
}

// Rounding, splitting and classification of floats: floor to roundEven, modf, frexp, ldexp, mod,
// step, smoothstep, isnan, isinf, sign, conversions to and from integers.
#version 450
layout(local_size_x = 32) in;

layout(std430, binding = 0) readonly buffer Values { float values[]; };
layout(std430, binding = 1) writeonly buffer Floats { vec4 floats[]; };
layout(std430, binding = 2) writeonly buffer Integers { ivec4 integers[]; };

void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i >= uint(values.length())) return;
  float x = values[i];
  float whole;
  float fraction = modf(x, whole);
  int exponent;
  float mantissa = frexp(x, exponent);
  floats[i * 4u] = vec4(floor(x), ceil(x), trunc(x), round(x));
  floats[i * 4u + 1u] = vec4(roundEven(x), fract(x), fraction, whole);
  floats[i * 4u + 2u] = vec4(mantissa, ldexp(mantissa, exponent + 1), mod(x, 1.75), sign(x));
  floats[i * 4u + 3u] = vec4(step(0.5, x), smoothstep(-1.0, 1.0, x), clamp(x, -2.0, 3.0),
                             min(abs(x), max(x, 0.25)));
  float tame = clamp(x, -1000.0, 1000.0);
  int flags = (isnan(x) ? 1 : 0) | (isinf(x) ? 2 : 0) | (x < 0.0 ? 4 : 0) | (x == 0.0 ? 8 : 0);
  integers[i] = ivec4(int(tame), int(uint(abs(tame))), floatBitsToInt(x), flags | exponent << 8);
}

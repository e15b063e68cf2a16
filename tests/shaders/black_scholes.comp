// European option prices: exp, log, sqrt, abs, a polynomial of a rational, select by sign;
// functions with out parameters.
#version 450
layout(local_size_x = 64) in;

layout(push_constant) uniform Market {
  float rate;
  float volatility;
} market;

layout(std430, binding = 0) readonly buffer Options { vec4 options[]; };  // spot, strike, years
layout(std430, binding = 1) writeonly buffer Prices { vec2 prices[]; };   // call, put

// Abramowitz and Stegun 26.2.17.
float normal_cdf(float x) {
  float k = 1.0 / (1.0 + 0.2316419 * abs(x));
  float tail = ((((1.330274429 * k - 1.821255978) * k + 1.781477937) * k - 0.356563782) * k +
                0.319381530) * k * 0.3989422804 * exp(-0.5 * x * x);
  return x < 0.0 ? tail : 1.0 - tail;
}

void price(vec3 option, out float call, out float put) {
  float spread = market.volatility * sqrt(option.z);
  float d1 = (log(option.x / option.y) +
              (market.rate + 0.5 * market.volatility * market.volatility) * option.z) / spread;
  float discounted = option.y * exp(-market.rate * option.z);
  call = option.x * normal_cdf(d1) - discounted * normal_cdf(d1 - spread);
  put = call + discounted - option.x;
}

void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i >= uint(options.length())) return;
  float call, put;
  price(options[i].xyz, call, put);
  prices[i] = vec2(call, put);
}

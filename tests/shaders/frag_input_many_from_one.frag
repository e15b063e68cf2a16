// More inputs than hardware routes, of which the first lies in the second half of a pair, beside the number of
// the primitive.
#version 450
layout(location = 1) in vec2 at[17];
layout(location = 0) out vec4 color;

void main() {
  vec2 sum = vec2(0.0);
  for (int i = 0; i < 17; ++i) sum += at[i] * float(i + 1);
  color = vec4(sum * 0.25, float(gl_PrimitiveID * 3 + 1), 1.0);
}

// Lengths of runtime arrays with different strides and head sizes, out of several buffers and an
// array of buffers; writes that reach exactly the last element.
#version 450
layout(local_size_x = 1) in;

struct Wide {
  vec3 a;
  float b;
  uvec2 c;
};

layout(std430, binding = 0) buffer Words { uint words[]; };
layout(std430, binding = 1) buffer Headed {
  uint head[3];
  vec2 pairs[];
} headed;
layout(std430, binding = 2) buffer Wides {
  vec4 first;
  Wide wides[];
};
layout(std430, set = 1, binding = 0) buffer Many { vec3 vectors[]; } many[3];
layout(std430, set = 1, binding = 5) writeonly buffer Lengths { int lengths[8]; };

void main() {
  lengths[0] = words.length();
  lengths[1] = headed.pairs.length();
  lengths[2] = wides.length();
  lengths[3] = many[0].vectors.length();
  lengths[4] = many[1].vectors.length();
  lengths[5] = many[2].vectors.length();
  lengths[6] = headed.head.length();
  words[words.length() - 1] = 0xdeadbeefu;
  headed.pairs[headed.pairs.length() - 1] = vec2(1.0, -1.0);
  wides[wides.length() - 1].c.y = 7u;
  many[2].vectors[many[2].vectors.length() - 1].z = 3.0;
}

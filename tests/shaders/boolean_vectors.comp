// Boolean vectors: relational functions, any, all, not, component-wise select, booleans carried
// through loops and as function results.
#version 450
layout(local_size_x = 32) in;

layout(std430, binding = 0) readonly buffer Boxes { vec4 boxes[]; };  // low xy, high xy
layout(std430, binding = 1) readonly buffer Limits { ivec4 limits[]; };
layout(std430, binding = 2) writeonly buffer Results { vec4 merged[]; };
layout(std430, binding = 3) writeonly buffer Flags { uint flags[]; };

bvec4 outside(vec4 a, vec4 b) {
  return bvec4(greaterThan(a.xy, b.zw), lessThan(a.zw, b.xy));
}

uint as_bits(bvec4 b) { return uint(b.x) | uint(b.y) << 1 | uint(b.z) << 2 | uint(b.w) << 3; }

void main() {
  uint i = gl_GlobalInvocationID.x;
  uint count = uint(boxes.length());
  if (i >= count) return;
  vec4 box = boxes[i];
  bvec4 ever = bvec4(false), always = bvec4(true);
  bool touched = false;
  for (uint j = 0u; j < count; ++j) {
    if (j == i) continue;
    bvec4 sides = outside(box, boxes[j]);
    ever = bvec4(ever.x || sides.x, ever.y || sides.y, ever.z || sides.z, ever.w || sides.w);
    always = equal(always, notEqual(sides, not(always)));
    touched = touched || !any(sides);
    if (all(ever) && touched) break;
  }
  vec4 grown = mix(box, vec4(min(box.xy, box.zw), max(box.xy, box.zw)), ever);
  bvec4 close = lessThanEqual(abs(grown), vec4(1.0));
  bvec4 reached = greaterThanEqual(limits[i], ivec4(grown));
  merged[i] = mix(grown, -grown, close);
  flags[i] = as_bits(ever) | as_bits(always) << 4 | as_bits(close) << 8 | as_bits(reached) << 12 |
             uint(touched ^^ any(close)) << 16;
}

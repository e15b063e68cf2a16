// Matrix operations: products in each shape, transpose, determinant, inverse, outer product,
// component-wise product, dynamic column and component index.
#version 450
layout(local_size_x = 32) in;

struct Body {
  mat4 pose;
  mat3 inertia;
  mat2 shear;
  mat4x3 bones;
};

layout(std430, binding = 0) readonly buffer Bodies { Body bodies[]; };
layout(std430, binding = 1) readonly buffer Vectors { vec4 vectors[]; };
layout(std430, binding = 2) writeonly buffer Results { vec4 results[]; };

void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i >= uint(bodies.length())) return;
  Body body = bodies[i];
  vec4 v = vectors[i];

  mat4 product = body.pose * transpose(body.pose);
  mat3 spread = inverse(body.inertia) * outerProduct(v.xyz, v.yzw);
  mat2 squared = matrixCompMult(body.shear, body.shear);
  vec3 skinned = body.bones * v;
  vec4 row = v * product;

  uint column = i & 3u;
  float picked = product[column][(i >> 2) & 3u];
  results[4u * i] = inverse(body.pose) * v;
  results[4u * i + 1u] = row + vec4(spread * skinned, determinant(body.pose));
  results[4u * i + 2u] = vec4(squared[0], squared[1]) + product[column];
  results[4u * i + 3u] = vec4(skinned, picked + determinant(body.shear) + determinant(spread));
}

// Geometric functions: a path of light through a lens. dot, cross, length, distance, normalize,
// reflect, refract, faceforward.
#version 450
layout(local_size_x = 32) in;

struct Ray {
  vec3 origin;
  vec3 direction;
};

layout(push_constant) uniform Lens {
  vec3 centre;
  float radius;
  float ratio;
} lens;

layout(std430, binding = 0) readonly buffer Rays { Ray rays[]; };
layout(std430, binding = 1) writeonly buffer Paths { vec4 paths[]; };

void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i >= uint(rays.length())) return;
  vec3 direction = normalize(rays[i].direction);
  vec3 offset = rays[i].origin - lens.centre;
  float b = dot(offset, direction);
  float discriminant = b * b - dot(offset, offset) + lens.radius * lens.radius;
  if (discriminant < 0.0) {
    paths[2u * i] = vec4(direction, -1.0);
    paths[2u * i + 1u] = vec4(0.0);
    return;
  }
  vec3 hit = rays[i].origin + direction * (-b - sqrt(discriminant));
  vec3 normal = faceforward((hit - lens.centre) / lens.radius, direction, normalize(offset));
  vec3 bent = refract(direction, normal, lens.ratio);
  bool internal = length(bent) == 0.0;
  vec3 leaving = internal ? reflect(direction, normal) : bent;
  paths[2u * i] = vec4(leaving, distance(rays[i].origin, hit));
  paths[2u * i + 1u] = vec4(cross(direction, normal), internal ? 1.0 : 0.0);
}

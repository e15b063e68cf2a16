// Nested structures and arrays in std430 and std140 layouts: strides and offsets that differ
// between the two, struct copies, boolean flags kept as integers.
#version 450
layout(local_size_x = 64) in;

struct Material {
  vec3 tint;
  float mass;
  uint flags;
};

struct Particle {
  vec3 position;
  float age;
  vec3 velocity;
  Material material;
  float history[3];
};

struct Force {
  vec3 centre;
  float strength;
};

layout(std140, binding = 0) uniform World {
  Force forces[4];
  float drag[4];
  mat3 frame;
  uint force_count;
  float dt;
} world;

layout(std430, binding = 1) buffer Particles {
  uint alive;
  Particle particles[];
};

void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i >= uint(particles.length())) return;
  Particle p = particles[i];
  if ((p.material.flags & 1u) == 0u) return;

  vec3 acceleration = vec3(0.0);
  for (uint f = 0u; f < min(world.force_count, 4u); ++f) {
    vec3 to_centre = world.forces[f].centre - p.position;
    float d2 = max(dot(to_centre, to_centre), 0.01);
    acceleration += to_centre * (world.forces[f].strength / (d2 * p.material.mass));
    acceleration -= p.velocity * world.drag[f];
  }
  p.velocity += world.frame * acceleration * world.dt;
  p.position += p.velocity * world.dt;
  p.age += world.dt;
  for (int h = 2; h > 0; --h) p.history[h] = p.history[h - 1];
  p.history[0] = length(p.velocity);
  bool expired = p.age > 10.0 || p.history[0] + p.history[1] + p.history[2] < 1e-3;
  if (expired) {
    p.material.flags &= ~1u;
    atomicAdd(alive, 0xffffffffu);
  }
  particles[i] = p;
}

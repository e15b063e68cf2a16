#version 450
layout(local_size_x = 64) in;
layout(binding = 0) buffer Particles { double mass[]; };
void main() { mass[gl_GlobalInvocationID.x] *= 0.5lf; }

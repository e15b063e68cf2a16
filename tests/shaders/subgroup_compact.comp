// Stream compaction by subgroups: ballots, their bit counts before the lane, one atomic per subgroup by the elected lane, a broadcast of its result, votes that skip empty subgroups.
#version 450
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_ballot : require
layout(local_size_x = 64) in;

layout(std430, binding = 0) readonly buffer Input { uint values[]; };
layout(std430, binding = 1) buffer Output { uint count; uint kept[]; };
layout(push_constant) uniform Push { uint threshold; };

void main() {
  uint i = gl_GlobalInvocationID.x;
  uint value = i < uint(values.length()) ? values[i] : 0u;
  bool keep = value % 64u > threshold % 64u;
  if (!subgroupAny(keep)) return;
  uvec4 ballot = subgroupBallot(keep);
  uint before = subgroupBallotExclusiveBitCount(ballot);
  uint first = 0u;
  if (subgroupElect()) first = atomicAdd(count, subgroupBallotBitCount(ballot));
  first = subgroupBroadcastFirst(first);
  uint at = first + before;
  if (keep && at < uint(kept.length())) kept[at] = value;
}

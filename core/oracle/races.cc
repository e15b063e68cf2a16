#include "core/oracle/races.h"

namespace kiln::oracle {
namespace {

using mir::InstId;

}  // namespace

void Races::BeginGroup() {
  workgroup_moment_ = ++moment_;
  ++groups_run_;
}

void Races::Barrier(bool of_workgroup) {
  ++moment_;
  if (of_workgroup) workgroup_moment_ = moment_;
}

bool Races::IsStale(const Access& a, size_t lane) const {
  const uint32_t me = InvocationOf(lane);
  return Unordered(a.stores, me) || Unordered(a.atomics, me);
}

bool Races::Note(InstId id, Access& a, size_t lane, AccessKind kind, bool same) {
  const uint32_t me = InvocationOf(lane);
  bool after_write = Unordered(kind == AccessKind::kAtomic ? a.stores : a.atomics, me);
  bool race = false;
  switch (kind) {
    case AccessKind::kRead:
      after_write |= Unordered(a.stores, me);
      Remember(me, &a.loads);
      break;
    case AccessKind::kWrite:
      if (!same) {
        after_write |= Unordered(a.stores, me) || Unordered(a.quiet_stores, me);
        race = Unordered(a.loads, me);
      }
      Remember(me, same ? &a.quiet_stores : &a.stores);
      break;
    case AccessKind::kAtomic:
      after_write |= Unordered(a.quiet_stores, me);
      race = Unordered(a.loads, me);
      Remember(me, &a.atomics);
      break;
  }
  race |= after_write;
  a.raced |= after_write && kind != AccessKind::kRead;
  if (race && e_.statistics.races++ == 0) {
    e_.statistics.first_race_spirv_id = e_.m.inst(id).spirv_id;
  }
  return after_write;
}

uint32_t Races::InvocationOf(size_t lane) const {
  return groups_run_ * e_.lanes + static_cast<uint32_t>(lane);
}

bool Races::OfOneSubgroup(uint32_t a, uint32_t b) const {
  return a / e_.lanes == b / e_.lanes &&
         a % e_.lanes / in_.subgroup_size == b % e_.lanes / in_.subgroup_size;
}

// Returns true if one of these accesses, made by another invocation, is unordered with an access
// that `me` makes now. A barrier of this group orders them, or one of the subgroup if both are in
// one subgroup. Moments never decrease, so that accesses before an ordered one of the same subgroup
// or group are ordered as well.
bool Races::Unordered(const Trace& t, uint32_t me) const {
  if (t.moment == 0) return false;
  if (t.first_group != groups_run_) return true;
  if (!OfOneSubgroup(t.who, me)) return t.moment >= workgroup_moment_;
  return t.other_moment >= workgroup_moment_ || (t.moment >= moment_ && (t.who != me || t.several));
}

void Races::Remember(uint32_t me, Trace* t) const {
  const bool first = t->moment == 0;
  const bool together = !first && OfOneSubgroup(t->who, me);
  if (first) t->first_group = groups_run_;
  if (!first && !together) t->other_moment = t->moment;
  t->several = together && t->moment == moment_ && (t->several || t->who != me);
  t->who = me;
  t->moment = moment_;
}

bool Races::ComesBefore(bool after_write) {
  return after_write && in_.shuffle_seed != 0 && e_.chance.RandomUnit() < 0;
}

}  // namespace kiln::oracle

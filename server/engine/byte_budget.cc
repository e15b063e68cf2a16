// Shares of the bytes that the daemon holds: see byte_budget.h.
#include "server/engine/byte_budget.h"

#include "absl/strings/str_cat.h"

namespace kiln::server {

uint64_t ByteBudget::RoomOf(uint64_t held, uint64_t free) {
  if (held == 0) return free;
  // Returns the largest n with held + n <= free - n.
  return free > held ? (free - held) / 2 : 0;
}

bool ByteBudget::HasRoom(const worker::Owner& owner, uint64_t bytes) const {
  uint64_t room = limit_ - used_;
  if (bytes > room || bytes <= kSmall) return bytes <= room;
  const auto group = groups_.find(owner.group);
  if (group == groups_.end()) return true;
  room = RoomOf(group->second.bytes, room);
  const auto member = group->second.members.find(owner.member);
  if (member != group->second.members.end()) room = RoomOf(member->second.bytes, room);
  return bytes <= room;
}

ByteBudget::Share ByteBudget::Take(const worker::Owner& owner, uint64_t bytes) {
  absl::MutexLock lock(&mutex_);
  if (!HasRoom(owner, bytes)) return {};
  const auto group = groups_.try_emplace(owner.group).first;
  const auto member = group->second.members.try_emplace(owner.member).first;
  for (Account* account : {static_cast<Account*>(&group->second), &member->second}) {
    account->bytes += bytes;
    ++account->shares;
  }
  used_ += bytes;
  return Share(this, {&*group, &*member}, bytes);
}

void ByteBudget::GiveBack(const Holder& holder, uint64_t bytes) {
  absl::MutexLock lock(&mutex_);
  used_ -= bytes;
  for (Account* account : {static_cast<Account*>(&holder.group->second), &holder.member->second}) {
    account->bytes -= bytes;
    --account->shares;
  }
  // Erases by iterator: erasing by name would refer to a string inside the erased entry.
  auto& members = holder.group->second.members;
  if (holder.member->second.shares == 0) members.erase(members.find(holder.member->first));
  if (holder.group->second.shares == 0) groups_.erase(groups_.find(holder.group->first));
}

uint64_t ByteBudget::used() const {
  absl::MutexLock lock(&mutex_);
  return used_;
}

size_t ByteBudget::accounts() const {
  absl::MutexLock lock(&mutex_);
  size_t accounts = groups_.size();
  for (const auto& [name, group] : groups_) accounts += group.members.size();
  return accounts;
}

absl::Status ByteBudget::Refusal(uint64_t bytes) const {
  if (bytes > limit_) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "the request has ", bytes, " bytes; all requests in flight together may have at most ",
        limit_, " (--request-bytes)"));
  }
  return absl::UnavailableError(absl::StrCat(
      "requests in flight fill the limit of ", limit_,
      " bytes (--request-bytes), or this client's share of it; send the request again later"));
}

}  // namespace kiln::server

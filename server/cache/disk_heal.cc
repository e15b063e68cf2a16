// The healing part of the disk tier: see disk_tier.h.
#include <fcntl.h>
#include <rocksdb/env.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/cache/disk_tier.h"
#include "server/cache/names.h"

namespace kiln::cache {
namespace {

constexpr size_t kTrialBytes = 256 << 10;

// A generation that still does not open after so many probe intervals counts as damaged.
constexpr int kPatienceWithOpening = 8;

// Bound on the wait between attempts to open or repair a generation, in probe intervals.
constexpr int kMaxPatience = 256;

}  // namespace

void DiskTier::Heal(bool repair) {
  if (!HoldDirectory()) return;
  CheckFiles();
  if (AnyBroken()) {
    if (!TakesWrites()) {
      if (repair) RemoveDoomed();  // for the space
      return;
    }
    CloseBroken();
  }
  OpenAbsent(repair);
  EnsureYoungest();
  PutRescued();
  DropSmallest();
  if (repair) {
    MakeRoom(/*may_rewrite=*/true);
    RemoveDoomed();
  }
  if (!absent_.empty()) return;
  absl::MutexLock lock(&mutex_);
  const bool all_take_erasures = std::none_of(
      generations_->begin(), generations_->end(),
      [](const auto& generation) { return generation->read_only() || generation->broken(); });
  // Otherwise a generation may still have forgotten keys when it is opened again.
  if (all_take_erasures && !health_.failing()) forgotten_.clear();
}

// Returns false if there is no directory to work in. Its generations are closed then: they may be
// another program's, or, if a removal has reached only the marker so far, gone in a moment. Only
// time tells which; in either case the records that they have only in memory are put again.
bool DiskTier::HoldDirectory() {
  if (lock_.IsHeld()) {
    return !absent_.empty() || !generations()->empty() || ReadDirectory();
  }
  DiskCause cause;
  absl::Status locked = lock_.Acquire(options_.directory, &cause);
  if (locked.ok()) return ReadDirectory();
  Generations list = *generations();
  for (auto& generation : list) {
    std::vector<std::string> rescued = Rescue(*generation);
    Close(std::move(generation), /*damaged=*/false, std::move(rescued));
  }
  health_.Fail(cause, std::string(locked.message()));
  return false;
}

// Notes generations that are there but not open as absent, and files that an earlier version or an
// earlier process left for removal.
bool DiskTier::ReadDirectory() {
  const auto directory = this->directory();
  auto list = generations();
  int error = 0;
  for (const std::string& name : files::Names(directory->fd(), &error)) {
    uint64_t repaired = RepairedNumber(name);
    if (repaired != 0) doomed_ = PutRepairedInPlace(*directory, repaired) || doomed_;
    uint64_t number = repaired != 0 ? repaired : GenerationNumber(name);
    doomed_ = doomed_ || IsDoomedName(name);
    if (number == 0) continue;
    next_number_ = std::max(next_number_, number + 1);
    bool open = std::any_of(list->begin(), list->end(),
                            [&](const auto& g) { return g->number() == number; });
    if (open) continue;
    // A generation that was open until now may have lost its note.
    uint64_t& held = absent_[number].held;
    held = std::max(held, NotedHeld(*directory, number));
  }
  if (error != 0) {
    health_.Fail(CauseOfErrno(error), absl::StrCat(options_.directory, ": ", strerror(error)));
    return false;
  }
  DropOldLayout(*directory);
  return true;
}

void DiskTier::DropOldLayout(const CacheDirectory& directory) {
  if (!directory.HasDatabase(kOldLayoutName)) return;
  DiskEvent event;
  event.kind = DiskEvent::Kind::kOldLayoutDropped;
  event.bytes = BytesBelow(absl::StrCat(directory.path(), "/", kOldLayoutName));
  if (!directory.PutAside(kOldLayoutName)) return;
  doomed_ = true;
  ++old_layouts_;
  health_.Tell(event);
}

// Records that are only in memory are saved first, if the generation's directory still takes them.
void DiskTier::CheckFiles() {
  Generations list = *generations();
  for (auto& generation : list) {
    // A missing note is made again when the generation is opened anew; until then writes are
    // refused.
    bool missing = generation->FilesMissing() || generation->removed();
    if (!missing && !generation->TableDamaged()) continue;
    DiskEvent event;
    event.kind = DiskEvent::Kind::kDamaged;
    event.generation = generation->number();
    // Done in both ways: its directory may be under removal, and with it all that is written there.
    std::vector<std::string> rescued;
    if (missing) rescued = Rescue(*generation);
    generation->Flush();
    Close(std::move(generation), /*damaged=*/true, std::move(rescued));
    event.detail = missing ? "files were removed or truncated while they were in use"
                           : "a table cannot be opened";
    health_.Tell(event);
  }
}

void DiskTier::Close(std::shared_ptr<Generation> generation, bool damaged,
                     std::vector<std::string> rescued) {
  if (damaged) ++damaged_;
  Absent& absent = absent_[generation->number()];
  if (auto known = unwritable_.extract(generation->number())) absent = std::move(known.mapped());
  if (damaged) absent = Absent();
  absent.held = generation->held();
  absent.damaged = damaged;
  if (!rescued.empty()) absent.rescued = std::move(rescued);
  auto closed = generation->closed();
  TakeOut(generation);
  generation.reset();
  closed->WaitForNotification();
}

bool DiskTier::NeedsReopening(const Generation& generation) {
  return generation.broken() ||
         (generation.read_only() && Clock::now() >= unwritable_[generation.number()].next_try);
}

bool DiskTier::AnyBroken() {
  if (health_.failing()) return true;
  auto list = generations();
  return std::any_of(list->begin(), list->end(),
                     [this](const auto& g) { return NeedsReopening(*g); });
}

bool DiskTier::TakesWrites() {
  const auto directory = this->directory();
  const std::string path = absl::StrCat(directory->path(), "/", kTrialName);
  trial_mutex_.Lock();
  files::Remove(directory->fd(), kTrialName);  // RocksDB would follow a link of that name
  rocksdb::Env* env = options_.env != nullptr ? options_.env : rocksdb::Env::Default();
  rocksdb::Status s =
      rocksdb::WriteStringToFile(env, rocksdb::Slice(std::string(kTrialBytes, 't')), path);
  unlinkat(directory->fd(), kTrialName, 0);
  trial_mutex_.Unlock();
  DiskCause cause = s.ok() ? DiskCause::kNone : CauseOf(s);
  // Needs room for one table and its log, or the next flush would fail. After a start it holds two
  // logs.
  struct statvfs space = {};
  if (s.ok() && statvfs(options_.directory.c_str(), &space) == 0 && space.f_blocks > 0 &&
      space.f_bavail * space.f_frsize < 3 * generation_options().write_buffer_bytes) {
    cause = DiskCause::kFull;
  }
  if (cause == DiskCause::kNone) {
    full_since_ = Clock::time_point::max();
    return true;
  }
  health_.Fail(cause, s.ok() ? "there is less free disk space than one table needs" : s.ToString());
  if (cause != DiskCause::kFull) {
    full_since_ = Clock::time_point::max();
  } else {
    Clock::time_point now = Clock::now();
    full_since_ = std::min(full_since_, now);
    if (now - full_since_ >= absl::ToChronoNanoseconds(options_.full_patience)) {
      full_since_ = now;
      DropOldest(cause);
    }
  }
  return false;
}

void DiskTier::CloseBroken() {
  Generations list = *generations();
  for (auto& generation : list) {
    if (NeedsReopening(*generation)) Close(std::move(generation), false);
  }
}

void DiskTier::PutOff(Absent* absent) {
  absent->next_try =
      Clock::now() + absl::ToChronoNanoseconds(options_.probe_interval * absent->tries);
  absent->tries = std::min(std::max(1, 2 * absent->tries), kMaxPatience);
}

void DiskTier::OpenAbsent(bool repair) {
  std::vector<uint64_t> numbers;
  for (const auto& [number, absent] : absent_) numbers.push_back(number);
  DiskCause away = DiskCause::kNone;
  std::string detail;
  for (uint64_t number : numbers) {
    Absent& absent = absent_[number];
    if (Clock::now() >= absent.next_try) {
      if (absent.damaged ? repair && RepairOne(number, &absent) : OpenOne(number, &absent)) {
        absent_.erase(number);
        continue;
      }
      if (absent.cause != DiskCause::kNone) {
        PutOff(&absent);
        absent.damaged = absent.damaged || (absent.tries > kPatienceWithOpening &&
                                            absent.cause != DiskCause::kNotOurs);
      }
    }
    away = absent.cause == DiskCause::kNone && absent.damaged ? DiskCause::kDamaged : absent.cause;
    detail = absent.detail;
  }
  auto list = generations();
  for (const auto& generation : *list) {
    if (!generation->read_only()) continue;
    away = unwritable_[generation->number()].cause;
    detail = unwritable_[generation->number()].detail;
  }
  health_.SetAway(away, std::move(detail));
}

bool DiskTier::OpenOne(uint64_t number, Absent* absent) {
  if (!files::IsDirectory(directory()->fd(), GenerationName(number))) {
    Lose(number, *absent);
    return true;
  }
  std::shared_ptr<Generation> generation;
  rocksdb::Status s =
      Generation::Open(generation_options(), number, Generation::Mode::kReadWrite, &generation);
  DiskEvent event;
  event.kind = DiskEvent::Kind::kDamaged;
  event.generation = number;
  if (IsDamage(s)) {
    absent->damaged = true;
    ++damaged_;
    event.detail = s.ToString();
    health_.Tell(event);
    return false;
  }
  if (!s.ok()) {
    absent->cause = CauseOf(s);
    absent->detail = s.ToString();
    s = Generation::Open(generation_options(), number, Generation::Mode::kReadOnly, &generation);
    if (!s.ok()) return false;
    PutOff(absent);
    unwritable_[number] = *absent;
  } else if (event.records = LostOf(generation->lost(), *absent, generation.get());
             generation->log_damaged()) {
    ++damaged_;
    lost_records_ += event.records;
    event.detail = "records in its log cannot be read";
    generation->Seal();
    health_.Tell(event);
  }
  if (Join(generation)) return true;
  // Its records must not be answered, and cannot be erased.
  generation.reset();
  Lose(number, *absent);
  return true;
}

bool DiskTier::RepairOne(uint64_t number, Absent* absent) {
  if (!files::IsDirectory(directory()->fd(), GenerationName(number))) {
    Lose(number, *absent);
    return true;
  }
  std::shared_ptr<Generation> generation;
  // The disk reads and writes other files, so the fault lies in these, which cannot be read.
  bool tolerant = absent->cause == DiskCause::kInputOutput && absent->tries > kPatienceWithOpening;
  rocksdb::Status s = Generation::Repair(generation_options(), number, tolerant);
  doomed_ = true;
  if (s.ok()) {
    s = Generation::Open(generation_options(), number, Generation::Mode::kReadWrite, &generation);
  }
  if (!s.ok() && !IsDamage(s)) {
    absent->cause = CauseOf(s);
    absent->detail = s.ToString();
    // The disk takes other files, so the fault lies in the generation, which cannot be repaired.
    bool hopeless = absent->cause == DiskCause::kInputOutput && absent->tries >= kMaxPatience;
    if (!hopeless) return false;
  }
  if (!s.ok()) {
    Lose(number, *absent);
    return true;
  }
  uint64_t found = generation->Found();
  DiskEvent event;
  event.kind = DiskEvent::Kind::kRepaired;
  event.generation = number;
  generation->SetHeld(found);
  event.records =
      LostOf(absent->held > found ? absent->held - found : 0, *absent, generation.get());
  lost_records_ += event.records;
  ++repaired_;
  generation->Seal();
  if (!Join(generation)) {
    generation.reset();
    Lose(number, *absent);
    return true;
  }
  health_.Tell(event);
  return true;
}

uint64_t DiskTier::LostOf(uint64_t missing, const Absent& absent, Generation* generation) {
  uint64_t twice = 0;
  for (const std::string& key : absent.rescued) {
    StoredRecord stored;
    twice += generation->Get(key, /*may_block=*/true, &stored).ok() ? 1 : 0;
  }
  const uint64_t held = generation->held();
  if (twice > 0) generation->SetHeld(held - std::min(held, twice));
  return missing - std::min<uint64_t>(missing, absent.rescued.size() - twice);
}

void DiskTier::Lose(uint64_t number, const Absent& absent) {
  doomed_ = directory()->PutAside(GenerationName(number)) || doomed_;
  ++lost_;
  const uint64_t lost = absent.held - std::min<uint64_t>(absent.held, absent.rescued.size());
  lost_records_ += lost;
  DiskEvent event;
  event.kind = DiskEvent::Kind::kLost;
  event.generation = number;
  event.records = lost;
  health_.Tell(event);
}

void DiskTier::EnsureYoungest() {
  auto list = generations();
  bool there = !list->empty() && list->front()->number() + 1 == next_number_ &&
               !list->front()->sealed() && !list->front()->broken() && !list->front()->read_only();
  if (!there) {
    rocksdb::Status s = BeginGeneration();
    if (!s.ok()) {
      health_.Fail(CauseOf(s), s.ToString());
      return;
    }
  }
  // Also writes out what opening has replayed from the logs of older generations.
  for (const auto& generation : *list) {
    if (generation->number() + 1 != next_number_) generation->Seal();
  }
  health_.Recover();
}

void DiskTier::RemoveDoomed() {
  if (!doomed_) return;
  doomed_ = false;
  const auto directory = this->directory();
  for (const std::string& name : files::Names(directory->fd())) {
    if (IsDoomedName(name)) files::Remove(directory->fd(), name);
  }
}

// RocksDB reports the kind of a failure for a full disk only, so the system is asked again.
DiskCause DiskTier::CauseOf(const rocksdb::Status& status) {
  if (status.IsNoSpace()) return DiskCause::kFull;
  if (IsNotOurs(status)) return DiskCause::kNotOurs;
  const auto directory = this->directory();
  absl::MutexLock one(&trial_mutex_);
  files::Remove(directory->fd(), kTrialName);
  files::Opened trial = files::OpenFile(directory->fd(), kTrialName, O_WRONLY | O_CREAT | O_EXCL);
  if (!trial.ok()) return CauseOfErrno(trial.error);
  std::string bytes(kTrialBytes, 't');
  ssize_t n = pwrite(trial.fd.get(), bytes.data(), bytes.size(), 0);
  const int error = errno;
  unlinkat(directory->fd(), kTrialName, 0);
  if (n < 0) return CauseOfErrno(error);
  return n < static_cast<ssize_t>(bytes.size()) ? DiskCause::kFull : DiskCause::kInputOutput;
}

}  // namespace kiln::cache

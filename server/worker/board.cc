// Implements the memory that a worker shares with its parent: see board.h.
#include "server/worker/board.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

#include "absl/strings/str_cat.h"

namespace kiln::worker {
namespace {

constexpr size_t kNameBytes = 48;
constexpr size_t kLevelBytes = 12;
constexpr size_t kNoteBytes = 512;

struct Current {
  char pass[kNameBytes];
  std::atomic<int32_t> target;
};

struct Pass {
  char pass[kNameBytes];
  char level[kLevelBytes];
  int32_t target;
  uint32_t changed;
  int64_t nanoseconds;
  int64_t before;
  int64_t after;
};

template <size_t N>
void CopyIn(std::string_view text, char (&field)[N]) {
  size_t n = std::min(text.size(), N);
  memcpy(field, text.data(), n);
  if (n < N) memset(field + n, 0, N - n);
}

// Bounds on a worker's numbers for a pass: more than a job may take, or hold.
constexpr int64_t kMaxNanoseconds = int64_t{1} << 50;  // 13 days
constexpr int64_t kMaxInstructions = int64_t{1} << 40;

// Copies a field in a form that is safe in a log, a label or an answer.
template <size_t N>
std::string CopyOut(const char (&field)[N]) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const char c : std::string_view(field, strnlen(field, N))) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f) {
      text.push_back(c);
    } else {
      text.append({'\\', 'x', kDigits[byte >> 4], kDigits[byte & 15]});
    }
  }
  return text;
}

int64_t Clamped(int64_t n, int64_t most) { return std::clamp<int64_t>(n, 0, most); }

}  // namespace

struct Board::Memory {
  std::atomic<bool> cancelled;
  std::atomic<bool> out_of_memory;
  // 0: no pass yet; else the running pass is in current[slot & 1]. There are two, so that a worker
  // killed while it writes one leaves the other whole.
  std::atomic<uint32_t> slot;
  Current current[2];
  std::atomic<uint32_t> pass_count;
  std::atomic<uint32_t> lost;
  std::atomic<uint32_t> has_note;
  char note[kNoteBytes];
  Pass passes[kMaxPasses];
};

absl::StatusOr<std::unique_ptr<Board>> Board::Create() {
  int fd = memfd_create("kiln-board", MFD_CLOEXEC);
  if (fd < 0) return absl::InternalError(absl::StrCat("memfd_create: ", strerror(errno)));
  if (ftruncate(fd, sizeof(Memory)) != 0) {
    close(fd);
    return absl::InternalError(absl::StrCat("ftruncate of a board: ", strerror(errno)));
  }
  void* p = mmap(nullptr, sizeof(Memory), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (p == MAP_FAILED) {
    close(fd);
    return absl::InternalError(absl::StrCat("mmap of a board: ", strerror(errno)));
  }
  return std::unique_ptr<Board>(new Board(fd, new (p) Memory()));
}

absl::StatusOr<std::unique_ptr<Board>> Board::Attach(int fd) {
  struct stat st;
  if (fstat(fd, &st) != 0 || static_cast<size_t>(st.st_size) != sizeof(Memory)) {
    return absl::FailedPreconditionError("the board has another size: parent and worker differ");
  }
  void* p = mmap(nullptr, sizeof(Memory), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (p == MAP_FAILED) {
    return absl::InternalError(absl::StrCat("mmap of a board: ", strerror(errno)));
  }
  return std::unique_ptr<Board>(new Board(-1, static_cast<Memory*>(p)));
}

Board::~Board() {
  munmap(memory_, sizeof(Memory));
  if (fd_ >= 0) close(fd_);
}

void Board::Reset() {
  memory_->cancelled.store(false, std::memory_order_relaxed);
  memory_->out_of_memory.store(false, std::memory_order_relaxed);
  memory_->slot.store(0, std::memory_order_relaxed);
  memory_->pass_count.store(0, std::memory_order_relaxed);
  memory_->lost.store(0, std::memory_order_relaxed);
  memory_->has_note.store(0, std::memory_order_release);
}

void Board::Cancel() { memory_->cancelled.store(true, std::memory_order_release); }

std::string Board::CurrentPass() const {
  uint32_t slot = memory_->slot.load(std::memory_order_acquire);
  return slot == 0 ? std::string() : CopyOut(memory_->current[slot & 1].pass);
}

int Board::CurrentTarget() const {
  uint32_t slot = memory_->slot.load(std::memory_order_acquire);
  return slot == 0 ? -1 : memory_->current[slot & 1].target.load(std::memory_order_relaxed);
}

std::vector<PassEvent> Board::Passes() const {
  uint32_t n = std::min(memory_->pass_count.load(std::memory_order_acquire), kMaxPasses);
  std::vector<PassEvent> events(n);
  for (uint32_t i = 0; i < n; ++i) {
    const Pass& p = memory_->passes[i];
    events[i].pass = CopyOut(p.pass);
    events[i].level = CopyOut(p.level);
    events[i].target = p.target;
    events[i].changed = p.changed != 0;
    events[i].nanoseconds = Clamped(p.nanoseconds, kMaxNanoseconds);
    events[i].instructions_before = Clamped(p.before, kMaxInstructions);
    events[i].instructions_after = Clamped(p.after, kMaxInstructions);
  }
  return events;
}

uint32_t Board::LostPasses() const { return memory_->lost.load(std::memory_order_relaxed); }

std::string Board::Note() const {
  if (memory_->has_note.load(std::memory_order_acquire) == 0) return "";
  return CopyOut(memory_->note);
}

bool Board::OutOfMemory() const { return memory_->out_of_memory.load(std::memory_order_acquire); }

const std::atomic<bool>* Board::cancelled() const { return &memory_->cancelled; }

void Board::BeginPass(std::string_view pass, int target) {
  uint32_t next = memory_->slot.load(std::memory_order_relaxed) + 1;
  if (next == 0) next = 2;
  Current& current = memory_->current[next & 1];
  CopyIn(pass, current.pass);
  current.target.store(target, std::memory_order_relaxed);
  memory_->slot.store(next, std::memory_order_release);
}

void Board::EndPass(const PassRecord& record, int target) {
  uint32_t n = memory_->pass_count.load(std::memory_order_relaxed);
  if (n >= kMaxPasses) {
    memory_->lost.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  Pass& p = memory_->passes[n];
  CopyIn(record.pass, p.pass);
  CopyIn(record.level, p.level);
  p.target = target;
  p.changed = record.changed ? 1 : 0;
  p.nanoseconds = record.nanoseconds;
  p.before = record.instructions_before;
  p.after = record.instructions_after;
  memory_->pass_count.store(n + 1, std::memory_order_release);
}

void Board::SetNote(std::string_view text) {
  CopyIn(text, memory_->note);
  memory_->has_note.store(1, std::memory_order_release);
}

void Board::SetOutOfMemory() { memory_->out_of_memory.store(true, std::memory_order_release); }

}  // namespace kiln::worker

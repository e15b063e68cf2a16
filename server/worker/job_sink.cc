// The core's event sink inside a worker: see job_sink.h.
#include "server/worker/job_sink.h"

#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

namespace kiln::worker {
namespace {

void SleepUntilCancelled(uint32_t milliseconds, const std::atomic<bool>* cancelled) {
  for (uint32_t t = 0; t < milliseconds; ++t) {
    if (cancelled != nullptr && cancelled->load(std::memory_order_relaxed)) return;
    timespec ms = {0, 1'000'000};
    nanosleep(&ms, nullptr);
  }
}

// Not a tail call, and nothing that a compiler may leave out.
int Recurse(int depth) {
  volatile char frame[1000];
  frame[depth % 1000] = 1;
  return depth < 0 ? 0 : Recurse(depth + 1) + frame[depth % 1000];
}

[[noreturn]] void AllocateForEver() {
  std::vector<std::unique_ptr<std::string>> hoard;
  for (;;) hoard.push_back(std::make_unique<std::string>(16 << 20, 'x'));
}

}  // namespace

void JobSink::OnPassBegin(std::string_view pass) {
  board_->BeginPass(pass, target_);
  if (fault_.kind() == Fault::NONE || injected_) return;
  if (fault_.pass().empty() || fault_.pass() == pass) Inject();
}

void JobSink::Finish() {
  if (fault_.kind() != Fault::NONE && !injected_) Inject();
}

void JobSink::Inject() {
  injected_ = true;
  switch (fault_.kind()) {
    case Fault::CRASH:
      signal(SIGSEGV, SIG_DFL);  // a sanitiser would make it an exit
      raise(SIGSEGV);
      break;
    case Fault::ABORT:
      board_->SetNote("injected: assertion failed");
      abort();
    case Fault::HANG:
      for (;;) SleepUntilCancelled(1000, nullptr);
    case Fault::SPIN:
      for (volatile uint64_t n = 0;;) n = n + 1;
    case Fault::ALLOCATE:
      AllocateForEver();
    case Fault::SYSCALL:
      if (int fd = socket(AF_INET, SOCK_STREAM, 0); fd >= 0) close(fd);
      break;
    case Fault::SLOW:
      SleepUntilCancelled(fault_.milliseconds(), cancelled());
      break;
    case Fault::RECURSE:
      Recurse(0);
      break;
    case Fault::EXIT:
      _exit(0);
    default:
      break;
  }
}

void JobSink::OnPass(const kiln::PassRecord& record) {
  board_->EndPass(record, target_);
  auto* p = (target_ < 0 ? shared_ : current_).add_passes();
  p->set_pass(std::string(record.pass));
  p->set_level(std::string(record.level));
  p->set_width(static_cast<uint32_t>(record.width));
  p->set_changed(record.changed);
  p->set_nanoseconds(record.nanoseconds);
  p->set_instructions_before(record.instructions_before);
  p->set_instructions_after(record.instructions_after);
  p->set_rewrites(record.rewrites);
  p->set_max_live(record.max_live);
}

void JobSink::OnRemark(const kiln::Remark& remark) {
  // A bound on what one hostile module can make a result hold.
  constexpr int kMaxRemarks = 4096;
  kiln::v1alpha::TargetResult& to = target_ < 0 ? shared_ : current_;
  if (to.remarks_size() >= kMaxRemarks) return;
  auto* r = to.add_remarks();
  r->set_pass(std::string(remark.pass));
  r->set_kind(std::string(remark.kind));
  r->set_spirv_id(remark.spirv_id);
  r->set_text(remark.text);
  r->set_width(static_cast<uint32_t>(remark.width));
}

void JobSink::SetTarget(int index) {
  target_ = index;
  current_.Clear();
}

void JobSink::AddTo(kiln::v1alpha::TargetResult* result) const {
  result->mutable_passes()->MergeFrom(shared_.passes());
  result->mutable_passes()->MergeFrom(current_.passes());
  result->mutable_remarks()->MergeFrom(shared_.remarks());
  result->mutable_remarks()->MergeFrom(current_.remarks());
}

}  // namespace kiln::worker

// The core's event sink inside a worker: see job_sink.h.
#include "server/worker/job_sink.h"

#include <string>
#include <utility>

namespace kiln::worker {

void JobSink::OnPassBegin(std::string_view pass) {
  board_->BeginPass(pass, target_);
  if (fault_.pass().empty() || fault_.pass() == pass) Inject();
}

void JobSink::Finish() { Inject(); }

void JobSink::Inject() {
  const FaultInjector inject = std::exchange(inject_, nullptr);
  if (inject != nullptr && fault_.kind() != Fault::NONE) inject(fault_, board_);
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
  // Bounds how much one hostile module can make a result hold.
  constexpr int kMaxRemarks = 4096;
  kiln::v1::TargetResult& to = target_ < 0 ? shared_ : current_;
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

void JobSink::AddTo(kiln::v1::TargetResult* result) const {
  result->mutable_passes()->MergeFrom(shared_.passes());
  result->mutable_passes()->MergeFrom(current_.passes());
  result->mutable_remarks()->MergeFrom(shared_.remarks());
  result->mutable_remarks()->MergeFrom(current_.remarks());
}

}  // namespace kiln::worker

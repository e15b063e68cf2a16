#include "core/intel/emit/structure.h"

#include <cassert>
#include <utility>

namespace kiln::intel {

void Structure::BeginLoop(int32_t first_inst) {
  Open loop;
  loop.loop = true;
  loop.begin = first_inst;
  open_.push_back(std::move(loop));
}

void Structure::OnIf(int32_t at) {
  Open open;
  open.begin = at;
  open_.push_back(std::move(open));
}

void Structure::EndReached(Open& open, int32_t at) {
  for (int32_t branch : open.want_jip) p_.targets[branch].jip = at;
  open.want_jip.clear();
}

void Structure::OnElse(int32_t at) {
  assert(!open_.empty() && !open_.back().loop);
  Open& open = open_.back();
  EndReached(open, at);
  open.else_at = at;
  p_.targets[open.begin].jip = at + 1;
}

void Structure::OnEndif(int32_t at) {
  assert(!open_.empty() && !open_.back().loop);
  Open open = std::move(open_.back());
  open_.pop_back();
  EndReached(open, at);
  p_.targets[open.begin].uip = at;
  if (open.else_at < 0) {
    p_.targets[open.begin].jip = at;
  } else {
    p_.targets[open.else_at] = {at, at};
  }
  if (open_.empty()) {
    p_.targets[at].jip = at + 1;
    if (!halts_.empty()) outer_endifs_.push_back(at);
  } else {
    open_.back().want_jip.push_back(at);
  }
}

void Structure::OnBreakOrContinue(int32_t at) {
  assert(!open_.empty());
  open_.back().want_jip.push_back(at);
  for (auto it = open_.rbegin(); it != open_.rend(); ++it) {
    if (!it->loop) continue;
    it->want_uip.push_back(at);
    return;
  }
  assert(false && "break outside a loop");
}

void Structure::OnWhile(int32_t at) {
  assert(!open_.empty() && open_.back().loop);
  Open open = std::move(open_.back());
  open_.pop_back();
  EndReached(open, at);
  for (int32_t branch : open.want_uip) p_.targets[branch].uip = at;
  p_.targets[at].jip = open.begin;
}

void Structure::OnHalt(int32_t at) {
  halts_.push_back(at);
  (open_.empty() ? outer_halts_ : open_.back().want_jip).push_back(at);
}

void Structure::EndHalts() {
  assert(open_.empty());
  if (halts_.empty()) return;
  isa::Instruction e;
  e.op = isa::Opcode::kHalt;
  e.exec_size = p_.insts[halts_[0]].exec_size;
  const int32_t at = p_.Append(e);
  p_.targets[at] = {at + 1, at + 1};
  for (int32_t halt : halts_) p_.targets[halt].uip = at + 1;
  for (int32_t halt : outer_halts_) p_.targets[halt].jip = at + 1;
  for (int32_t endif : outer_endifs_) p_.targets[endif].jip = at;
  halts_.clear();
  outer_halts_.clear();
  outer_endifs_.clear();
}

}  // namespace kiln::intel

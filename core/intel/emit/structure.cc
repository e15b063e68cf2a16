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

}  // namespace kiln::intel

// The base of the rooms of selection: classes that each own one construct. Holds the tools with
// which all of them make code. Internal to this folder.
#ifndef KILN_CORE_INTEL_SELECT_ROOM_H_
#define KILN_CORE_INTEL_SELECT_ROOM_H_

#include "core/intel/select/emission.h"

namespace kiln::intel {

class Room {
 public:
  Room(const Room&) = delete;

 protected:
  explicit Room(Emission& e)
      : e_(e),
        m_(e.module()),
        abi_(e.abi()),
        at_width_(e.at_width()),
        width_(e.at_width().width),
        f_(e.function()),
        b_(e.builder()) {}

  Emission& e_;
  const mir::Module& m_;
  const Abi& abi_;
  const WidthAbi& at_width_;
  const int width_;
  lir::Function& f_;
  lir::SelectionBuilder& b_;
};

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_SELECT_ROOM_H_

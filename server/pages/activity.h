// Holds the recent work of the workers for the daemon's pages. The engine reports each job here.
#ifndef KILN_SERVER_PAGES_ACTIVITY_H_
#define KILN_SERVER_PAGES_ACTIVITY_H_

#include "proto/worker.pb.h"
#include "server/pages/pass_table.h"
#include "server/pages/shader_list.h"

namespace kiln::pages {

struct Activity {
  explicit Activity(const worker::Hello& hello) : passes(hello), shaders(hello) {}
  PassTable passes;
  ShaderList shaders;
};

}  // namespace kiln::pages

#endif  // KILN_SERVER_PAGES_ACTIVITY_H_

// Helpers for tests of the generator's parts: many modules, and counts of their ops.
#ifndef KILN_CORE_ORACLE_GENERATOR_TESTING_H_
#define KILN_CORE_ORACLE_GENERATOR_TESTING_H_

#include <map>
#include <vector>

#include "core/mir/build.h"
#include "core/oracle/generate.h"

namespace kiln::oracle::random_modules {

// The modules of seeds 0 to 199.
inline std::vector<mir::Module> Modules(const GenerateOptions& options) {
  std::vector<mir::Module> modules;
  for (uint64_t seed = 0; seed < 200; ++seed) modules.push_back(GenerateModule(seed, options));
  return modules;
}

template <class F>
void ForEachInstOf(const std::vector<mir::Module>& modules, F f) {
  for (const mir::Module& m : modules) {
    mir::ForEachInst(m, m.body, [&](mir::InstId id) { f(m, id); });
  }
}

// Counts each op in the modules.
inline std::map<mir::Op, int> Ops(const std::vector<mir::Module>& modules) {
  std::map<mir::Op, int> ops;
  ForEachInstOf(modules, [&](const mir::Module& m, mir::InstId id) { ++ops[m.inst(id).op]; });
  return ops;
}

// Counts the instructions with one of these ops outside of all ifs and loops.
inline int AtTheTop(const std::vector<mir::Module>& modules, const std::vector<mir::Op>& ops) {
  int n = 0;
  for (const mir::Module& m : modules) {
    for (const mir::InstId id : m.region(m.body).insts) {
      for (const mir::Op op : ops) n += m.inst(id).op == op;
    }
  }
  return n;
}

// The op that defines a value; kUnreachable for constants and parameters.
inline mir::Op DefinedBy(const mir::Module& m, mir::ValueId v) {
  const mir::Value& value = m.value(v);
  return value.kind == mir::Value::Kind::kResult ? m.inst(mir::InstId(value.owner)).op
                                                 : mir::Op::kUnreachable;
}

}  // namespace kiln::oracle::random_modules

#endif  // KILN_CORE_ORACLE_GENERATOR_TESTING_H_

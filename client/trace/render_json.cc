// A timeline as one JSON object.
#include <nlohmann/json.hpp>

#include "client/trace/trace.h"

namespace kiln::client::trace {
namespace {

using Json = nlohmann::ordered_json;

const char* WordOf(IssueWait::For what) {
  switch (what) {
    case IssueWait::For::kRegister: return "register";
    case IssueWait::For::kCounter: return "counter";
    case IssueWait::For::kUnit: break;
  }
  return "unit";
}

Json WaitJson(const TimelineWait& wait) {
  Json json = {{"for", WordOf(wait.what)},
               {"name", wait.name},
               {"kind", std::string(wait.kind)},
               {"cycles", wait.cycles}};
  if (wait.producer >= 0) json["producer"] = wait.producer;
  return json;
}

Json InstructionJson(const Timeline& timeline, size_t index) {
  const TimelineInstruction& inst = timeline.instructions[index];
  Json json = {{"index", index}, {"offset", inst.offset}, {"text", inst.text}};
  if (!inst.label.empty()) json["label"] = inst.label;
  if (!inst.unit.empty()) json["unit"] = std::string(inst.unit);
  json["times"] = TimesOf(timeline, inst);
  json["turn"] = inst.turn;
  if (inst.ready) json["ready"] = *inst.ready;
  json["held"] = inst.held();
  json["issue"] = inst.issue;
  json["next"] = inst.next;
  json["latency"] = inst.latency();
  json["waits"] = Json::array();
  for (const TimelineWait& wait : inst.waits) json["waits"].push_back(WaitJson(wait));
  return json;
}

Json TotalJson(const TimelineTotal& total) {
  return {{"cause", total.is_unit           ? "unit"
                    : total.kind == "issue" ? "issue"
                                            : "result"},
          {"kind", std::string(total.kind)},
          {"cycles", total.once},
          {"counted", total.weighted}};
}

}  // namespace

std::string RenderJson(const Trace& trace) {
  Json json = {{"file", trace.file}, {"target", trace.target}};
  if (!trace.variant.empty()) json["variant"] = trace.variant;
  json["cycles"] = trace.timeline.span();
  json["counted_cycles"] = trace.timeline.cycles;
  json["from"] = trace.from;
  json["to"] = trace.to;
  json["causes"] = Json::array();
  for (const TimelineTotal& total : TotalsOf(trace.timeline)) {
    json["causes"].push_back(TotalJson(total));
  }
  json["instructions"] = Json::array();
  for (const size_t i : ShownOf(trace)) {
    json["instructions"].push_back(InstructionJson(trace.timeline, i));
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace kiln::client::trace

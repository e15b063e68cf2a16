// See show_vertices.h.
#include "client/run/show_vertices.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "client/run/job_data.h"
#include "client/run/vertices.h"
#include "core/base/utf8.h"

namespace kiln::client::run {
namespace {

using nlohmann::json;
using Json = nlohmann::ordered_json;
using sim::scene::VertexInputs;

absl::Status WrongType(const std::string& location, const std::string& what) {
  return absl::InvalidArgumentError(
      absl::StrCat("vertices: \"as\": \"", Quoted(location), "\": ", what));
}

// An output of all vertices.
struct Column {
  std::string builtin;  // empty: the output at `location`
  uint32_t location = 0;
  size_t components = 0;  // of each vertex
  json values;            // in the order of the draw; null: not written

  explicit Column(const json& output)
      : builtin(output.value("builtin", "")),
        location(output.value("location", 0u)),
        components(output["components"].get<size_t>()) {}
};

// Built-ins are floats, except those that choose or number something.
std::string TypeOf(const Column& c, const VertexTypes& types) {
  constexpr const char* kNumbers[] = {"layer", "viewport", "shading_rate", "primitive_id",
                                      "view_index"};
  if (!c.builtin.empty()) {
    const bool number =
        std::find(std::begin(kNumbers), std::end(kNumbers), c.builtin) != std::end(kNumbers);
    return number ? "u32" : "f32";
  }
  const auto type = types.find(c.location);
  return type == types.end() ? "f32" : type->second;
}

std::vector<Column> ColumnsOf(const VertexInputs& draw, const VertexTypes& types) {
  std::vector<Column> columns;
  for (const json& output : VertexOutputs(draw)) {
    const sim::scene::VertexOutput& place = draw.outputs[columns.size()];
    Column c(output);
    c.values = Values(TypeOf(c, types), absl::HexStringToBytes(output["hex"].get<std::string>()));
    const auto written = output["written"].get<std::string>();
    for (size_t i = 0; i < c.values.size(); ++i) {
      const bool has = written[i] == '1' && place.components[i % c.components].has_contents;
      if (!has) c.values[i] = nullptr;
    }
    columns.push_back(std::move(c));
  }
  return columns;
}

bool HasLocation(const out::VertexLaunch& launch, uint32_t location) {
  return std::any_of(launch.outputs.begin(), launch.outputs.end(),
                     [&](const out::VertexOutput& o) { return o.location == location; });
}

std::string TextOf(const json& value) {
  return value.is_null() ? "-" : value.is_string() ? value.get<std::string>() : value.dump();
}

}  // namespace

absl::StatusOr<VertexTypes> ReadVertexTypes(const json& vertices, const out::VertexLaunch& launch) {
  VertexTypes types;
  const auto as = vertices.find("as");
  if (as == vertices.end()) return types;
  for (const auto& [location, type] : as->items()) {
    uint32_t number = 0;
    if (!absl::SimpleAtoi(location, &number)) return WrongType(location, "not a location");
    if (!HasLocation(launch, number)) {
      return WrongType(location, "the program does not write this location");
    }
    if (type != "f32" && type != "u32" && type != "i32") {
      return WrongType(location, absl::StrCat(Quoted(type.dump()), " is not one of f32, i32, u32"));
    }
    types[number] = type;
  }
  return types;
}

Json VertexRows(const VertexInputs& draw, const VertexTypes& types) {
  const std::vector<Column> columns = ColumnsOf(draw, types);
  Json rows = Json::array();
  for (uint32_t run = 0; run < draw.Runs(); ++run) {
    Json outputs = Json::array();
    for (const Column& c : columns) {
      Json output;
      if (c.builtin.empty()) {
        output["location"] = c.location;
      } else {
        output["builtin"] = c.builtin;
      }
      Json& values = output["values"] = Json::array();
      for (size_t i = 0; i < c.components; ++i) {
        values.push_back(Json(c.values[run * c.components + i]));
      }
      outputs.push_back(std::move(output));
    }
    Json row = {{"instance", run / draw.count}, {"vertex", run % draw.count}};
    row["outputs"] = std::move(outputs);
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string VertexText(const VertexInputs& draw, const VertexTypes& types, size_t most) {
  const std::vector<Column> columns = ColumnsOf(draw, types);
  std::string text;
  for (uint32_t run = 0; run < std::min<uint64_t>(draw.Runs(), most); ++run) {
    absl::StrAppend(&text, "vertex ", run % draw.count);
    if (draw.instances != 1) absl::StrAppend(&text, " of instance ", run / draw.count);
    text += "\n";
    for (const Column& c : columns) {
      absl::StrAppend(&text, "  ",
                      c.builtin.empty() ? absl::StrCat("location ", c.location) : c.builtin, ":");
      for (size_t i = 0; i < c.components; ++i) {
        absl::StrAppend(&text, " ", TextOf(c.values[run * c.components + i]));
      }
      text += "\n";
    }
  }
  if (draw.Runs() > most) {
    absl::StrAppend(&text, "... (", draw.Runs(), " vertices; --json prints all)\n");
  }
  return text;
}

}  // namespace kiln::client::run

// Jobs: see job.h.
#include "client/run/job.h"

#include <algorithm>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "client/run/job_data.h"
#include "client/run/job_keys.h"
#include "client/run/job_sampler.h"
#include "client/run/job_spec.h"
#include "core/base/utf8.h"

namespace kiln::client::run {
namespace {

using json = nlohmann::json;

constexpr uint64_t kMaxBytes = uint64_t{1} << 30;  // of a resource

std::string Resource(size_t i) { return absl::StrCat("resource ", i); }

// Adds the part of the job to an error.
absl::Status In(absl::string_view part, const absl::Status& s) {
  return absl::Status(s.code(), absl::StrCat(part, ": ", s.message()));
}

constexpr uint64_t kMaxIndex = 0xffffffff;
constexpr uint64_t kMaxSize = 1 << 16, kMaxLevels = 17, kMaxSamples = 16;  // of an image

constexpr Key kJobKeys[] = {
    {"base", Form::kAny},        {"dispatch", Form::kAny},  {"draw", Form::kObject},
    {"entry", Form::kAny},       {"push", Form::kAny},      {"shader", Form::kAny},
    {"spec", Form::kAny},        {"resources", Form::kAny}, {"vertices", Form::kObject},
    {"vertex_spec", Form::kAny},
};
constexpr Key kResourceKeys[] = {
    {"set", Form::kCount, kMaxIndex},
    {"binding", Form::kCount, kMaxIndex},
    {"index", Form::kCount, kMaxIndex},
    {"name", Form::kText},
    {"data", Form::kAny},
    {"size", Form::kCount, kMaxBytes},
    {"same_as", Form::kText},
    {"offset", Form::kCount, kMaxBytes},
    {"as", Form::kText},
    {"out", Form::kText},
    {"format", Form::kText},
    {"width", Form::kCount, kMaxSize, 1},
    {"height", Form::kCount, kMaxSize, 1},
    {"depth", Form::kCount, kMaxSize, 1},
    {"layers", Form::kCount, kMaxSize, 1},
    {"levels", Form::kCount, kMaxLevels, 1},
    {"samples", Form::kCount, kMaxSamples, 1},
    {"dim", Form::kText},
    {"filter", Form::kText},
    {"min_filter", Form::kText},
    {"mipmap", Form::kText},
    {"address", Form::kAny},
    {"border", Form::kText},
    {"compare", Form::kText},
    {"min_lod", Form::kNumber},
    {"max_lod", Form::kNumber},
    {"lod_bias", Form::kNumber},
    {"unnormalized", Form::kBool},
};

absl::Status CheckCounts(const json& job, const char* key) {
  if (!job.contains(key)) return absl::OkStatus();
  const json& groups = job[key];
  bool good = groups.is_array() && groups.size() <= 3;
  for (size_t i = 0; good && i < groups.size(); ++i) {
    good =
        groups[i].is_number_unsigned() && groups[i].get<uint64_t>() <= sim::scene::kMaxWorkgroups;
  }
  if (good) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("\"", key, "\": must be up to three counts from 0 to ",
                   sim::scene::kMaxWorkgroups, ", not ", Quoted(groups.dump())));
}

// Finds a key that is given twice, which a json object does not show: the last one would count.
class Duplicates {
 public:
  // A parser's callback.
  bool operator()(int, json::parse_event_t event, json& parsed) {
    using Event = json::parse_event_t;
    if (event == Event::object_start) {
      if (open_.size() == 1 && open_[0].last == "resources") ++resources_;
      open_.emplace_back();
    } else if (event == Event::object_end) {
      open_.pop_back();
    } else if (event == Event::key) {
      open_.back().last = parsed.get<std::string>();
      if (!open_.back().keys.insert(open_.back().last).second && error_.ok()) Note();
    }
    return true;
  }
  const absl::Status& error() const { return error_; }

 private:
  struct Object {
    std::set<std::string> keys;
    std::string last;
  };
  void Note() {
    error_ = absl::InvalidArgumentError(
        absl::StrCat("\"", Quoted(open_.back().last), "\" is given twice"));
    if (open_.size() == 1) return;
    error_ = In(open_[0].last == "resources" ? Resource(resources_ - 1)
                                             : absl::StrCat("\"", Quoted(open_[0].last), "\""),
                error_);
  }

  std::vector<Object> open_;
  size_t resources_ = 0;  // begun so far
  absl::Status error_;
};

absl::StatusOr<json> Parse(const std::string& text) {
  Duplicates duplicates;
  json parsed = json::parse(text, std::ref(duplicates), /*allow_exceptions=*/false);
  if (!parsed.is_object()) return absl::InvalidArgumentError("the job is not a JSON object");
  if (!duplicates.error().ok()) return duplicates.error();
  return parsed;
}

// Refuses keys that a resource with the bytes of another one cannot have, and "offset" without it.
absl::Status CheckSharing(const json& r, const std::string& what) {
  if (!r.contains("same_as")) {
    if (!r.contains("offset")) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrCat(what, ": \"offset\" needs \"same_as\""));
  }
  for (const char* key : {"data", "name"}) {
    if (!r.contains(key)) continue;
    return absl::InvalidArgumentError(
        absl::StrCat(what, ": \"same_as\" and \"", key, "\" exclude each other"));
  }
  return absl::OkStatus();
}

// Refuses wrong keys, a binding or name given twice, and unreachable resources.
absl::Status CheckForm(const json& job) {
  if (absl::Status s = CheckKeys(job, kJobKeys, "the job"); !s.ok()) return s;
  for (const char* key : {"dispatch", "base"}) {
    if (absl::Status s = CheckCounts(job, key); !s.ok()) return s;
  }
  const json resources = job.value("resources", json::array());
  if (!resources.is_array()) return absl::InvalidArgumentError("\"resources\" is not a list");
  std::set<std::string> seen;
  for (size_t i = 0; i < resources.size(); ++i) {
    const json& r = resources[i];
    const std::string what = Resource(i);
    if (absl::Status s = CheckKeys(r, kResourceKeys, what); !s.ok()) return s;
    if (!r.contains("binding") && !r.contains("name")) {
      return absl::InvalidArgumentError(absl::StrCat(what, " has neither a binding nor a name"));
    }
    if (absl::Status s = CheckSharing(r, what); !s.ok()) return s;
    const std::string place = absl::StrCat("set ", r.value("set", 0u), " binding ",
                                           r.value("binding", 0u), " index ", r.value("index", 0u));
    if (r.contains("binding") && !seen.insert(place).second) {
      return absl::InvalidArgumentError(absl::StrCat(what, ": ", place, " is given twice"));
    }
    if (r.contains("name") && !seen.insert("name " + r.value("name", "")).second) {
      return absl::InvalidArgumentError(
          absl::StrCat(what, ": the name ", Quoted(r["name"].dump()), " is given twice"));
    }
  }
  return absl::OkStatus();
}

bool IsImage(const json& r) { return r.contains("format"); }
bool IsSampler(const json& r) { return r.contains("filter"); }
bool IsBuffer(const json& r) { return !IsImage(r) && !IsSampler(r); }

out::DescriptorRef Where(const json& r) {
  return {r.value("set", 0u), r.value("binding", 0u), r.value("index", 0u)};
}

struct Dimension {
  sim::scene::ImageDim dim = sim::scene::ImageDim::k2d;
  bool arrayed = false;
};

// Refuses sizes that the dimension of an image does not have.
absl::Status CheckSizes(const sim::scene::ClientImage& image) {
  using sim::scene::ImageDim;
  const auto wrong = [](const char* key, const char* why) {
    return absl::InvalidArgumentError(absl::StrCat("\"", key, "\" above 1: ", why));
  };
  if (image.dim != ImageDim::k3d && image.depth > 1) {
    return wrong("depth", "only an image of \"dim\": \"3d\" has it");
  }
  if (image.dim == ImageDim::k3d && image.layers > 1) {
    return wrong("layers", "an image of \"dim\": \"3d\" has no layers");
  }
  if (image.dim == ImageDim::k1d && image.height > 1) {
    return wrong("height", "an image of \"dim\": \"1d\" or \"1d_array\" has no height");
  }
  return absl::OkStatus();
}

absl::StatusOr<sim::scene::ClientImage> ReadImage(const json& r, const std::string& folder,
                                                  const Addresses& addresses) {
  using sim::scene::ImageDim;
  sim::scene::ClientImage image;
  image.where = Where(r);
  const auto format = sim::scene::TexelFormatNamed(r["format"].get<std::string>());
  if (!format) {
    return absl::InvalidArgumentError(
        absl::StrCat("\"format\": ", Quoted(r["format"].dump()), " is not a format"));
  }
  image.format = *format;
  const bool buffer = !r.contains("width");
  static const std::map<std::string, Dimension> kDims = {
      {"1d", {ImageDim::k1d}},         {"1d_array", {ImageDim::k1d, true}},
      {"2d", {ImageDim::k2d}},         {"2d_array", {ImageDim::k2d, true}},
      {"3d", {ImageDim::k3d}},         {"cube", {ImageDim::kCube}},
      {"buffer", {ImageDim::kBuffer}}, {"cube_array", {ImageDim::kCube, true}}};
  Dimension dimension;
  if (absl::Status s = Pick(r, "dim", buffer ? "buffer" : "2d", kDims, &dimension); !s.ok())
    return s;
  image.dim = dimension.dim;
  image.arrayed = dimension.arrayed;
  image.width = r.value("width", 1u);
  image.height = r.value("height", 1u);
  image.depth = r.value("depth", 1u);
  image.layers = r.value("layers", image.dim == ImageDim::kCube ? 6u : 1u);
  image.levels = r.value("levels", 1u);
  image.samples = r.value("samples", 1u);
  if (absl::Status s = CheckSizes(image); !s.ok()) return s;
  if (r.contains("data")) {
    const absl::StatusOr<std::string> bytes = DataBytes(r["data"], folder, addresses);
    if (!bytes.ok()) return bytes.status();
    image.texels.assign(bytes->begin(), bytes->end());
  }
  image.texels.resize(std::max<size_t>(image.texels.size(), r.value("size", size_t{0})));
  if (buffer) {
    image.width = static_cast<uint32_t>(image.texels.size() / TexelBytes(image.format));
  }
  if (image.Bytes() > kMaxBytes) {
    return absl::ResourceExhaustedError("an image has more than 1 GiB");
  }
  if (!buffer && image.texels.size() > image.Bytes()) {
    return absl::InvalidArgumentError(absl::StrCat(
        image.texels.size(), " bytes are given for an image with a size of ", image.Bytes()));
  }
  image.texels.resize(std::max<size_t>(image.texels.size(), image.Bytes()));
  return image;
}

absl::StatusOr<sim::scene::ClientSampler> ReadSampler(const json& r) {
  sim::scene::ClientSampler s;
  s.where = Where(r);
  if (absl::Status status = TakeSampler(r, &s); !status.ok()) return status;
  return s;
}

absl::Status ReadImages(const json& resources, const std::string& folder,
                        const Addresses& addresses, sim::scene::Dispatch& d) {
  for (size_t i = 0; i < resources.size(); ++i) {
    const json& r = resources[i];
    if (IsImage(r)) {
      absl::StatusOr<sim::scene::ClientImage> image = ReadImage(r, folder, addresses);
      if (!image.ok()) return In(Resource(i), image.status());
      d.images.push_back(*std::move(image));
    }
    if (IsSampler(r)) {
      absl::StatusOr<sim::scene::ClientSampler> sampler = ReadSampler(r);
      if (!sampler.ok()) return In(Resource(i), sampler.status());
      d.samplers.push_back(*sampler);
    }
  }
  return absl::OkStatus();
}

// Returns where the bytes of resource `r` are, which names another one. `place[i]` is the image of
// resource i.
absl::StatusOr<sim::scene::ByteWindow> WindowOf(const json& r, const json& resources,
                                                const std::vector<size_t>& place,
                                                const sim::scene::Dispatch& d) {
  const std::string name = r["same_as"].get<std::string>();
  for (size_t i = 0; i < resources.size(); ++i) {
    const json& other = resources[i];
    const bool has_bytes = IsImage(other) || IsBuffer(other);
    if (other.value("name", "") != name || !has_bytes) continue;
    sim::scene::ByteWindow w{IsImage(other), IsImage(other) ? place[i] : i, r.value("offset", 0u),
                             0};
    const size_t size = w.of_image ? d.images[w.index].texels.size() : d.buffers[i].bytes.size();
    if (w.offset <= size) {
      w.size = r.value("size", size - w.offset);
      if (w.size <= size - w.offset) return w;
    }
    return absl::InvalidArgumentError(absl::StrCat("\"offset\" and \"size\" reach beyond the ",
                                                   size, " bytes of \"", Quoted(name), "\""));
  }
  return absl::InvalidArgumentError(
      absl::StrCat("\"same_as\": no buffer or image has the name \"", Quoted(name), "\""));
}

// Lets resources with "same_as" share the bytes of another one.
absl::Status ReadWindows(const json& resources, sim::scene::Dispatch& d) {
  std::vector<size_t> place(resources.size());
  size_t images = 0;
  for (size_t i = 0; i < resources.size(); ++i) place[i] = IsImage(resources[i]) ? images++ : 0;
  for (size_t i = 0; i < resources.size(); ++i) {
    const json& r = resources[i];
    if (!r.contains("same_as")) continue;
    const absl::StatusOr<sim::scene::ByteWindow> w = WindowOf(r, resources, place, d);
    if (!w.ok()) return In(Resource(i), w.status());
    if (!IsImage(r)) {
      if (w->of_image) {
        return In(Resource(i),
                  absl::InvalidArgumentError("a buffer cannot be the same as an image"));
      }
      d.buffers[i].window = *w;
      continue;
    }
    sim::scene::ClientImage& image = d.images[place[i]];
    if (!r.contains("width")) {
      image.width =
          static_cast<uint32_t>(w->size / static_cast<uint64_t>(TexelBytes(image.format)));
    }
    if (image.Bytes() > w->size) {
      return In(Resource(i), absl::InvalidArgumentError(
                                 absl::StrCat("an image with a size of ", image.Bytes(), " in ",
                                              w->size, " bytes of another resource")));
    }
    image.window = *w;
    image.texels.clear();
  }
  return absl::OkStatus();
}

// Reads sizes first, so that addresses exist before the data that contains them.
absl::StatusOr<sim::scene::Dispatch> Read(const json& job, const std::string& folder) {
  sim::scene::Dispatch d;
  Addresses addresses;
  const json resources = job.value("resources", json::array());
  for (int pass = 0; pass < 2; ++pass) {
    for (size_t i = 0; i < resources.size(); ++i) {
      const json& r = resources[i];
      if (!IsBuffer(r)) {
        if (pass == 0) d.buffers.emplace_back().bound = false;
        continue;
      }
      Addresses known = addresses;
      if (pass == 0) {
        for (const json& other : resources) {
          if (other.contains("name")) known.emplace(other["name"].get<std::string>(), 0);
        }
        sim::scene::ClientBuffer b;
        b.bound = r.contains("binding");
        b.where = Where(r);
        d.buffers.push_back(b);
      }
      std::string bytes;
      if (r.contains("data")) {
        absl::StatusOr<std::string> read = DataBytes(r["data"], folder, known);
        if (!read.ok()) return In(Resource(i), read.status());
        bytes = *read;
      }
      bytes.resize(std::max<size_t>(bytes.size(), r.value("size", size_t{0})), '\0');
      d.buffers[i].bytes.assign(bytes.begin(), bytes.end());
    }
    if (pass == 1) break;
    sim::scene::AssignAddresses(absl::MakeSpan(d.buffers));
    for (size_t i = 0; i < resources.size(); ++i) {
      if (resources[i].contains("name")) {
        addresses[resources[i]["name"].get<std::string>()] = d.buffers[i].address;
      }
    }
  }
  if (absl::Status s = ReadImages(resources, folder, addresses, d); !s.ok()) return s;
  if (absl::Status s = ReadWindows(resources, d); !s.ok()) return s;
  if (job.contains("push")) {
    absl::StatusOr<std::string> push = DataBytes(job["push"], folder, addresses);
    if (!push.ok()) return In("\"push\"", push.status());
    d.push_constants.assign(push->begin(), push->end());
  }
  const json groups = job.value("dispatch", json::array({1, 1, 1}));
  for (size_t i = 0; i < 3 && i < groups.size(); ++i) d.groups[i] = groups[i].get<uint32_t>();
  const json base = job.value("base", json::array({0, 0, 0}));
  for (size_t i = 0; i < 3 && i < base.size(); ++i) d.base[i] = base[i].get<uint32_t>();
  return d;
}

absl::StatusOr<std::vector<Output>> ReadOutputs(const json& job) {
  std::vector<Output> outputs;
  size_t image = 0;
  const json resources = job.value("resources", json::array());
  for (size_t i = 0; i < resources.size(); ++i) {
    const json& r = resources[i];
    if (IsSampler(r) && !IsImage(r)) continue;
    Output o;
    o.is_image = IsImage(r);
    o.index = o.is_image ? image++ : i;
    o.where = Where(r);
    o.name = r.value("name", "");
    o.as = r.value("as", "");
    o.file = r.value("out", "");
    if (!o.as.empty() && o.as != "hex" && ElementBytes(o.as) == 0) {
      return absl::InvalidArgumentError(absl::StrCat(Resource(i), ": \"as\": \"", Quoted(o.as),
                                                     "\" is not a type such as f32, u32 or hex"));
    }
    outputs.push_back(o);
  }
  return outputs;
}

}  // namespace

absl::StatusOr<Job> ReadJob(const std::string& text, const std::string& folder) {
  const absl::StatusOr<json> read = Parse(text);
  if (!read.ok()) return read.status();
  const json& parsed = *read;
  // The library throws for errors that CheckForm overlooks; the exception ends here.
  try {
    if (absl::Status form = CheckForm(parsed); !form.ok()) return form;
    absl::StatusOr<sim::scene::Dispatch> dispatch = Read(parsed, folder);
    if (!dispatch.ok()) return dispatch.status();
    absl::StatusOr<std::vector<Output>> outputs = ReadOutputs(parsed);
    if (!outputs.ok()) return outputs.status();
    absl::StatusOr<std::vector<std::string>> spec = ReadSpec(parsed.value("spec", json::object()));
    if (!spec.ok()) return In("\"spec\"", spec.status());
    absl::StatusOr<std::vector<std::string>> vertex_spec =
        ReadSpec(parsed.value("vertex_spec", json::object()));
    if (!vertex_spec.ok()) return In("\"vertex_spec\"", vertex_spec.status());
    return Job{*std::move(dispatch),
               *std::move(outputs),
               *std::move(spec),
               *std::move(vertex_spec),
               parsed.contains("vertex_spec"),
               parsed.value("draw", json()),
               parsed.value("vertices", json()),
               parsed.contains("dispatch") || parsed.contains("base"),
               folder};
  } catch (const json::exception& e) {
    return absl::InvalidArgumentError(e.what());
  }
}

absl::Span<const uint8_t> BytesOf(const Output& output, const sim::scene::Dispatch& dispatch) {
  if (output.is_image) return sim::scene::BytesOf(dispatch.images[output.index], dispatch);
  return sim::scene::BytesOf(dispatch.buffers[output.index], dispatch);
}

}  // namespace kiln::client::run

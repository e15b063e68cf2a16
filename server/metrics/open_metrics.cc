// Serialises families of metrics as OpenMetrics text: see open_metrics.h.
#include "server/metrics/open_metrics.h"

#include <charconv>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "server/metrics/catalogue.h"

namespace kiln::metrics {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;

// Returns the shortest text that reads back as the value; with an exponent where Go has one.
std::string Number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  char text[32];
  const double size = std::abs(value);
  const bool fixed = value == 0 || (size >= 1e-4 && size < 1e21);
  return std::string(text,
                     std::to_chars(text, text + sizeof text, value,
                                   fixed ? std::chars_format::fixed : std::chars_format::scientific)
                         .ptr);
}

std::string Timestamp(double seconds) { return absl::StrFormat("%.3f", seconds); }

std::string Escape(std::string_view text) {
  std::string escaped;
  for (char c : text) {
    if (c == '\\' || c == '"') escaped += '\\';
    if (c == '\n') {
      escaped += "\\n";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

bool EndsWith(const std::string& text, std::string_view end) {
  return std::string_view(text).ends_with(end);
}

// Returns the family's name, without the ending that its samples have.
std::string FamilyName(const std::string& name, const char* ending) {
  const std::string_view end(ending);
  return EndsWith(name, end) ? name.substr(0, name.size() - end.size()) : name;
}

class Writer {
 public:
  Writer(const Exemplars::Map& exemplars, double created)
      : exemplars_(exemplars), created_(Timestamp(created)) {}

  void Family(const MetricFamily& family) {
    const Row& row = RowOf(family.name);
    if (IsInfo(row)) {
      Head(FamilyName(family.name, "_info"), "info", row);
      for (const ClientMetric& metric : family.metric) Line(family.name, metric, "1");
    } else if (family.type == MetricType::Counter) {
      const std::string name = FamilyName(family.name, "_total");
      Head(name, "counter", row);
      for (const ClientMetric& metric : family.metric) {
        Line(name + "_total", metric, Number(metric.counter.value));
        Line(name + "_created", metric, created_);
      }
    } else if (family.type == MetricType::Histogram) {
      Head(family.name, "histogram", row);
      for (const ClientMetric& metric : family.metric) Histogram(family.name, metric);
    } else {
      Head(family.name, "gauge", row);
      for (const ClientMetric& metric : family.metric) {
        Line(family.name, metric, Number(metric.gauge.value));
      }
    }
  }

  std::string Take() && { return std::move(out_) + "# EOF\n"; }

 private:
  void Head(const std::string& name, const char* type, const Row& row) {
    absl::StrAppend(&out_, "# TYPE ", name, " ", type, "\n");
    if (!row.unit.empty() && EndsWith(name, "_" + std::string(row.unit))) {
      absl::StrAppend(&out_, "# UNIT ", name, " ", std::string(row.unit), "\n");
    }
    absl::StrAppend(&out_, "# HELP ", name, " ", Escape(row.help), "\n");
  }

  // Writes a sample; `bound`: the value of le, if it has one.
  void Line(const std::string& name, const ClientMetric& metric, const std::string& value,
            const std::string& bound = "", const std::string& exemplar = "") {
    out_ += name;
    char before = '{';
    const auto label = [&](const std::string& key, const std::string& text) {
      absl::StrAppend(&out_, std::string(1, before), key, "=\"", Escape(text), "\"");
      before = ',';
    };
    for (const auto& [key, text] : metric.label) label(key, text);
    if (!bound.empty()) label("le", bound);
    absl::StrAppend(&out_, before == ',' ? "} " : " ", value, exemplar, "\n");
  }

  void Histogram(const std::string& name, const ClientMetric& metric) {
    const auto found = exemplars_.find(KeyOf(name, metric.label));
    size_t index = 0;
    for (const ClientMetric::Bucket& bucket : metric.histogram.bucket) {
      std::string exemplar;
      // Not yet counted: the bucket was read before the exemplar.
      if (found != exemplars_.end() && index < found->second.size() &&
          bucket.cumulative_count > 0 && !found->second[index].request_id.empty()) {
        const Exemplar& e = found->second[index];
        exemplar = absl::StrCat(" # {request_id=\"", Escape(e.request_id), "\"} ", Number(e.value),
                                " ", Timestamp(e.time));
      }
      Line(name + "_bucket", metric, std::to_string(bucket.cumulative_count),
           CanonicalNumber(bucket.upper_bound), exemplar);
      ++index;
    }
    Line(name + "_count", metric, std::to_string(metric.histogram.sample_count));
    Line(name + "_sum", metric, Number(metric.histogram.sample_sum));
    Line(name + "_created", metric, created_);
  }

  const Exemplars::Map& exemplars_;
  const std::string created_;
  std::string out_;
};

}  // namespace

std::string CanonicalNumber(double value) {
  std::string text = Number(value);
  const bool is_whole = text.find_first_of(".eIN") == std::string::npos;
  return is_whole ? text + ".0" : text;
}

std::string OpenMetrics(const std::vector<MetricFamily>& families, const Exemplars::Map& exemplars,
                        double created) {
  Writer writer(exemplars, created);
  for (const MetricFamily& family : families) writer.Family(family);
  return std::move(writer).Take();
}

}  // namespace kiln::metrics

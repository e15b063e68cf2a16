// One run of kiln batch: see batch_run.h.
#include "client/commands/batch_run.h"

#include <cstdio>
#include <optional>
#include <set>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"
#include "client/batch/batch.h"
#include "client/batch/batch_items.h"
#include "client/batch/summary.h"
#include "client/cli/line_file.h"
#include "client/cli/paths.h"
#include "client/cli/progress.h"
#include "client/cli/terminal.h"
#include "client/commands/batch_inputs.h"
#include "client/commands/command.h"
#include "client/commands/open_many.h"
#include "client/compile/compile_file.h"
#include "client/compile/compile_pair.h"
#include "client/export/result_files.h"
#include "client/output/output_files.h"
#include "client/output/result_json.h"
#include "client/output/result_text.h"
#include "client/request/request_options.h"
#include "client/request/spec_constant.h"
#include "client/service/away_notice.h"

namespace kiln::client {
namespace {

using kiln::v1::Capabilities;
using kiln::v1::TargetResult;

// Failures that are printed one by one; the rest is in the summary and in the JSON lines.
constexpr int kMaxShown = 20;

class BatchRun {
 public:
  BatchRun(const ParsedFlags& flags, const std::vector<std::string>& flag_names,
           const Environment& environment)
      : flags_(flags), flag_names_(flag_names), environment_(environment) {}

  absl::StatusOr<ExitCode> Run() {
    if (absl::Status s = ReadInputs(); !s.ok()) return s;
    if (flags_.Has("list-items")) return PrintItems(items_, flags_, settings_, environment_);
    if (absl::Status s = Prepare(); !s.ok()) return s;
    environment_.interrupt->Handle([this] { service_->Stop(); });
    absl::Time start = absl::Now();
    Progress progress(stderr, static_cast<int64_t>(items_.size()));
    progress_ = &progress;
    absl::Status status = RunBatch(
        items_.size(), {jobs_, std::max<size_t>(512, 8 * jobs_)},
        [this](size_t i) { return OrStop(Compile(i)); },
        [this](size_t, const ItemLines& lines) { return OrStop(Write(lines)); },
        [this](size_t done) { OnTick(done); });
    environment_.interrupt->Handle(nullptr);
    bool interrupted = environment_.interrupt->happened();
    SayNews();
    progress.Clear();
    OrStop(lines_.Flush()).IgnoreError();
    if (absl::MutexLock lock(&mutex_); !error_.ok()) status = error_;
    // Without an answer from the service not all results are there.
    absl::Status printed = FinishFiles(interrupted || !status.ok());
    printed.Update(Finish(absl::Now() - start, interrupted));
    if (status.ok()) status = printed;
    if (interrupted) return kExitInterrupted;
    if (absl::IsUnavailable(status)) return GivenUp(status);
    if (ReaderIsGone(status))
      Say(absl::StrCat("the reader of the results has closed the pipe; ", written_, " of ",
                       items_.size(), " files were written"));
    if (!status.ok()) return status;
    return code_;
  }

 private:
  // Reads flags and items; needs no service.
  absl::Status ReadInputs();
  absl::Status Prepare();
  // Returns the input files.
  std::vector<std::string> Inputs() const {
    std::vector<std::string> files = FilesOfItems(items_);
    files.push_back(flags_.Get("list"));
    files.push_back(flags_.Get("manifest"));
    return files;
  }
  absl::StatusOr<ItemLines> Compile(size_t i);
  absl::StatusOr<ItemLines> CompilePairItem(const BatchItem& item, const CompileSettings& settings);
  // Names of a file: in results, in messages, and of its outputs.
  struct FileNames {
    std::string name, label, output;
  };
  // Writes the outputs of a file and adds its results to `lines`. CANCELLED: the batch was stopped.
  absl::Status AddResults(const FileNames& names, const ResultIdentity& identity,
                          FileOutcome* outcome, ItemLines* lines);
  absl::Status Write(const ItemLines& lines);
  // An error ends the batch: items that are in flight, or wait for the daemon, end with it. The
  // first error is the one to report: the others are cancelled because of it.
  absl::Status OrStop(absl::Status status);
  absl::StatusOr<ItemLines> OrStop(absl::StatusOr<ItemLines> lines) {
    OrStop(lines.status()).IgnoreError();
    return lines;
  }
  void OnTick(size_t done);
  // Reports changes in the service's state.
  void SayNews();
  void Say(const std::string& text);
  absl::Status GivenUp(const absl::Status& status) const;
  absl::Status Finish(absl::Duration elapsed, bool interrupted);
  // Judges the budget and writes the files of other tools.
  absl::Status FinishFiles(bool interrupted);

  const ParsedFlags& flags_;
  const std::vector<std::string>& flag_names_;
  const Environment& environment_;
  std::vector<BatchItem> items_;
  CompileSettings settings_;
  std::string folder_;
  bool assembly_ = false;
  size_t jobs_ = 1;
  LineFile lines_{"--jsonl"};
  ResultFiles files_;
  std::string budget_text_;
  ExitCode code_ = kExitOk;  // that of a batch which ended by itself
  std::unique_ptr<Service> service_;
  Capabilities capabilities_;
  Summary summary_;
  std::optional<AwayNotice> away_notice_;
  Progress* progress_ = nullptr;
  int64_t written_ = 0;
  int shown_ = 0;
  std::set<std::string> explained_;  // causes whose why and remedy were shown
  absl::Time last_flush_ = absl::InfinitePast();
  absl::Mutex mutex_;
  absl::Status error_ ABSL_GUARDED_BY(mutex_);
};

absl::Status BatchRun::OrStop(absl::Status status) {
  if (status.ok()) return status;
  {
    absl::MutexLock lock(&mutex_);
    if (error_.ok()) error_ = status;
  }
  service_->Stop();
  return status;
}

absl::Status BatchRun::ReadInputs() {
  absl::StatusOr<CompileSettings> settings = SettingsFromFlags(flags_);
  if (!settings.ok()) return settings.status();
  settings_ = *std::move(settings);
  WarnOfMissingFolders(settings_);
  settings_.source.root = flags_.Get("root");
  summary_.Allow(AllowedCauses(flags_));
  absl::StatusOr<std::vector<BatchItem>> items = ReadBatchItems(flags_, flag_names_, settings_);
  if (!items.ok()) return items.status();
  items_ = *std::move(items);
  return absl::OkStatus();
}

absl::Status BatchRun::Prepare() {
  absl::StatusOr<size_t> jobs = JobsOf(flags_);
  if (!jobs.ok()) return jobs.status();
  jobs_ = *jobs;
  folder_ = flags_.Get("output");
  assembly_ = flags_.Has("asm");
  if (folder_ == "-" || (assembly_ && folder_.empty())) {
    return absl::InvalidArgumentError(
        "-o - is not possible, as a batch writes many files; give -o DIR");
  }
  if (!folder_.empty()) {
    if (absl::Status s = PrepareOutputFolder(folder_); !s.ok()) return s;
  }
  absl::StatusOr<ManyService> opened = OpenMany(flags_, jobs_);
  if (!opened.ok()) return opened.status();
  service_ = std::move(opened->service);
  capabilities_ = std::move(opened->capabilities);
  away_notice_.emplace(service_->Name());
  absl::Status checked = CheckSettings(capabilities_, service_->Name(), &settings_);
  if (checked.ok()) checked = CheckItems(items_, capabilities_, service_->Name(), settings_);
  if (checked.ok()) {
    const std::string jsonl = flags_.Get("jsonl");
    std::vector<std::string> outputs;
    if (!jsonl.empty() && jsonl != "-") outputs.push_back(jsonl);
    checked = files_.Open(flags_, capabilities_, Inputs(), outputs, !folder_.empty());
  }
  // Last, so that a wrong command line does not empty the file of an earlier run.
  if (checked.ok()) checked = lines_.Open(flags_.Get("jsonl"), Inputs());
  auto* mask = settings_.request.mutable_outputs();
  mask->set_binary(!folder_.empty());
  mask->set_launch_record(!folder_.empty());
  mask->set_assembly(assembly_);
  if (lines_.wanted()) AskForLine(mask);
  return checked;
}

std::vector<std::string> TextsOf(const std::vector<kiln::v1::SpecConstant>& constants) {
  std::vector<std::string> texts;
  for (const auto& constant : constants) texts.push_back(SpecConstantText(constant));
  return texts;
}

// An existing file in the way of an output is this item's error only.
TargetResult CannotWrite(const TargetResult& made, const absl::Status& why) {
  TargetResult result;
  result.set_target(made.target());
  result.set_stage(made.stage());
  result.set_entry_point(made.entry_point());
  result.set_status(TargetResult::INVALID);
  result.set_cause("cannot_write");
  result.set_message(std::string(why.message()));
  return result;
}

absl::StatusOr<ItemLines> BatchRun::Compile(size_t i) {
  const BatchItem& item = items_[i];
  CompileSettings settings = SettingsOf(settings_, item.options.get());
  settings.source.tree = item.tree;
  if (item.fragment.has_value()) return CompilePairItem(item, settings);
  if (!folder_.empty()) settings.source.output = item.output;
  absl::StatusOr<FileOutcome> outcome =
      CompileFile(service_.get(), capabilities_, settings, item.path, item.name);
  if (!outcome.ok()) return outcome.status();
  const ResultIdentity identity = IdentityOf(item.options == nullptr ? "" : item.options->name,
                                             settings.source.defines, settings.request);
  ItemLines lines;
  absl::Status added =
      AddResults({item.name, item.label, item.output}, identity, &*outcome, &lines);
  if (!added.ok()) return added;
  return lines;
}

absl::StatusOr<ItemLines> BatchRun::CompilePairItem(const BatchItem& item,
                                                    const CompileSettings& settings) {
  const BatchItem::Paired& fragment = *item.fragment;
  const auto vertex_spec = VertexSpecOf(item.options.get());
  const auto output = [this](const std::string& name) { return folder_.empty() ? "" : name; };
  absl::StatusOr<PairOutcome> outcome = CompilePairOfBatch(
      service_.get(), capabilities_, settings,
      {PairFile{item.path, item.name, "vertex", output(item.output)},
       PairFile{fragment.path, fragment.name, "fragment", output(fragment.output)}},
      vertex_spec.has_value() ? &*vertex_spec : nullptr);
  if (!outcome.ok()) return outcome.status();
  ResultIdentity identity = IdentityOf(item.options == nullptr ? "" : item.options->name,
                                       settings.source.defines, settings.request);
  ItemLines lines;
  lines.warnings = outcome->warnings;
  ResultIdentity vertex = identity;
  vertex.pair = fragment.name;
  if (vertex_spec.has_value()) vertex.spec = TextsOf(*vertex_spec);
  absl::Status added =
      AddResults({item.name, item.label, item.output}, vertex, &outcome->files[0], &lines);
  if (!added.ok()) return added;
  identity.pair = item.name;
  added = AddResults({fragment.name, fragment.label, fragment.output}, identity, &outcome->files[1],
                     &lines);
  if (!added.ok()) return added;
  return lines;
}

absl::Status BatchRun::AddResults(const FileNames& names, const ResultIdentity& identity,
                                  FileOutcome* outcome, ItemLines* lines) {
  for (TargetResult& result : outcome->results) {
    if (result.status() == TargetResult::CANCELLED) return absl::CancelledError("stopped");
    std::vector<std::string> binaries;
    if (!folder_.empty() && result.status() == TargetResult::OK) {
      auto written = WriteOutputs(folder_, names.output, names.name, result, assembly_);
      if (!written.ok() && !IsOfThisName(written.status())) return written.status();
      if (!written.ok()) {
        result = CannotWrite(result, written.status());
        written = std::vector<std::string>();
      }
      for (const std::string& file : *written) binaries.push_back(JoinPath(folder_, file));
    }
    if (lines_.wanted()) {
      lines->lines.push_back(ResultLine(names.name, result, {binaries, false, identity}));
    }
    StripOutputs(&result);
    if (files_.wanted()) {
      lines->exported.push_back(
          Exported(names.name, result, identity, outcome->glsl, outcome->read, binaries));
    }
    result.clear_variants();
    lines->results.push_back({names.label, std::move(result)});
  }
  return absl::OkStatus();
}

absl::Status BatchRun::Write(const ItemLines& lines) {
  ++written_;
  if (!flags_.Has("quiet")) {
    for (const std::string& warning : lines.warnings) Say(absl::StrCat("warning: ", warning));
  }
  for (const auto& [label, result] : lines.results) {
    summary_.Add(result);
    if (result.status() == TargetResult::OK) continue;
    // Crashes are always shown; others up to a limit.
    bool crash = ExitCodeOf(result.status()) == kExitInternal;
    if (!crash && (shown_ >= kMaxShown || flags_.Has("quiet"))) continue;
    shown_ += crash ? 0 : 1;
    progress_->Clear();
    const bool is_new = explained_.insert(result.cause()).second;
    std::string text =
        FailureText(label, result, environment_.err_colour, is_new ? Why::kTell : Why::kLeaveOut);
    if (shown_ == kMaxShown && !crash)
      text += "\nkiln: further failures are not shown; --jsonl=FILE has all";
    fprintf(stderr, "%s\n", text.c_str());
  }
  for (const ExportedResult& exported : lines.exported) files_.Add(exported);
  return lines_.Write(lines.lines);
}

void BatchRun::OnTick(size_t done) {
  SayNews();
  const std::optional<Away> away = service_->CurrentlyAway();
  progress_->Update(static_cast<int64_t>(done), summary_.failed(),
                    away.has_value() && away->since >= kWorthMentioning
                        ? WaitingText(service_->Name(), *away)
                        : "");
  absl::Time now = absl::Now();
  if (now - last_flush_ < absl::Seconds(1)) return;
  last_flush_ = now;
  // An error comes again with the next line, or at the end.
  OrStop(lines_.Flush()).IgnoreError();
}

void BatchRun::SayNews() {
  Say(service_->TakeNotice());
  Say(away_notice_->Update(service_->CurrentlyAway()));
}

void BatchRun::Say(const std::string& text) {
  if (text.empty()) return;
  progress_->Clear();
  absl::FPrintF(stderr, "kiln: %s\n", Printable(text));
}

absl::Status BatchRun::GivenUp(const absl::Status& status) const {
  return absl::UnavailableError(absl::StrCat(
      status.message(), "; finished results were written. Run it again when the daemon is back (",
      "finished files come from its cache), or wait longer with --patience=SECONDS"));
}

absl::Status BatchRun::FinishFiles(bool interrupted) {
  const auto files = files_.Finish(interrupted ? kExitInterrupted : summary_.exit_code());
  if (!files.ok()) return files.status();
  code_ = files->code;
  budget_text_ = files->text;
  if (files_.has_budget()) {
    summary_.SetBudget(static_cast<int64_t>(files->judged), static_cast<int64_t>(files->over));
  }
  return absl::OkStatus();
}

absl::Status BatchRun::Finish(absl::Duration elapsed, bool interrupted) {
  bool to_stderr = lines_.is_stdout();
  if (interrupted) {
    fprintf(stderr, "kiln: interrupted after %lld of %zu files; %s\n",
            static_cast<long long>(written_), items_.size(),
            flags_.Has("local") ? "finished results were written"
                                : "run it again: finished files come from the cache");
  }
  std::string text = environment_.json ? summary_.ToJson(written_, elapsed, interrupted) + "\n"
                                       : summary_.Table(written_, elapsed,
                                                        to_stderr ? environment_.err_colour
                                                                  : environment_.out_colour);
  if (environment_.json) {
    fputs(budget_text_.c_str(), stderr);
  } else {
    text += budget_text_;
  }
  if (!to_stderr) return Print(text);
  fputs(text.c_str(), stderr);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ExitCode> RunBatchCommand(const ParsedFlags& flags,
                                         const std::vector<std::string>& flag_names,
                                         const Environment& environment) {
  return BatchRun(flags, flag_names, environment).Run();
}

}  // namespace kiln::client

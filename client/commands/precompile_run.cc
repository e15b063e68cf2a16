// One run of `kiln precompile`: see precompile_run.h.
#include "client/commands/precompile_run.h"

#include <cstdio>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"
#include "client/batch/batch_items.h"
#include "client/batch/in_order.h"
#include "client/capture/capture.h"
#include "client/cli/progress.h"
#include "client/cli/terminal.h"
#include "client/cli/version.h"
#include "client/commands/batch_inputs.h"
#include "client/commands/open_many.h"
#include "client/database/results_database.h"
#include "client/export/result_files.h"
#include "client/output/result_json.h"
#include "client/output/result_text.h"
#include "client/precompile/capture_job.h"
#include "client/precompile/file_job.h"
#include "client/precompile/inputs.h"
#include "client/precompile/outcome_summary.h"
#include "client/precompile/pair_job.h"
#include "client/precompile/pressure.h"
#include "client/precompile/shard.h"
#include "client/precompile/stage_compiler.h"
#include "client/precompile/stored_results.h"
#include "client/request/request_options.h"
#include "client/service/away_notice.h"

namespace kiln::client {
namespace {

using kiln::v1::Capabilities;
using kiln::v1::TargetResult;

constexpr char kPressureFolder[] = "/proc/pressure";
// A transaction has so many pipelines, or those of a second.
constexpr int kBatchPipelines = 500;
constexpr char kFilesSource[] = "files";
// Flags whose values a capture has for each stage, or that make items of files.
constexpr const char* kOfFiles[] = {"stage",         "entry",         "spec",
                                    "state",         "subgroup-size", "full-subgroups",
                                    "dispatch-base", "permutations"};

struct Item {
  CaptureJob* capture = nullptr;  // null: a file
  PipelineId id;
  const BatchItem* file = nullptr;
};

class PrecompileRun {
 public:
  PrecompileRun(const ParsedFlags& flags, const std::vector<std::string>& flag_names,
                const Environment& environment)
      : flags_(flags), flag_names_(flag_names), environment_(environment) {}

  absl::StatusOr<ExitCode> Run();

 private:
  absl::Status ReadFlags();
  absl::Status ReadInputs();
  absl::StatusOr<ExitCode> PrintInputs() const;
  absl::Status Prepare();
  // Returns the files that this command reads, which no output may replace.
  std::vector<std::string> InputFiles() const;
  absl::Status OpenDatabase();
  absl::Status ListItems();
  absl::Status ListCapture(std::unique_ptr<Capture> capture, const std::string& name);

  absl::StatusOr<PipelineRow> Compile(const Item& item);
  absl::Status Write(const PipelineRow& row);
  void Count(const PipelineRow& row);
  void OnTick(size_t done);
  absl::Status CommitBatch();
  absl::Status OrStop(absl::Status status);
  // Removes pipelines that a capture no longer has.
  absl::Status Tidy();
  // Judges the budget and writes the files of other tools, of all pipelines of this run's inputs.
  absl::StatusOr<ResultFiles::Outcome> FinishFiles(ExitCode code);
  absl::StatusOr<ExitCode> Finish(absl::Status status, absl::Duration elapsed);
  void Say(const std::string& text);

  const ParsedFlags& flags_;
  const std::vector<std::string>& flag_names_;
  const Environment& environment_;
  CompileSettings settings_;
  Shard shard_;
  size_t jobs_ = 1;
  std::vector<std::pair<std::string, std::unique_ptr<Capture>>> captures_;
  std::vector<BatchItem> files_;
  std::unique_ptr<Service> service_;
  Capabilities capabilities_;
  std::optional<AwayNotice> away_notice_;
  std::unique_ptr<PressureGate> gate_;
  std::unique_ptr<ResultsDatabase> database_;
  std::unique_ptr<StageCompiler> compiler_;
  std::vector<std::unique_ptr<CaptureJob>> capture_jobs_;
  int64_t files_source_ = 0;
  std::string options_;  // digest of the options in force
  std::vector<Item> items_;
  ResultFiles result_files_;
  std::set<PipelineName> wanted_;  // by result_files_; all of this run's, finished before or not
  int64_t run_ = 0;
  RunCounts counts_;
  int64_t failed_ = 0;
  int in_batch_ = 0;
  absl::Time batch_start_;
  std::unique_ptr<Progress> progress_;
  absl::Mutex mutex_;
  absl::Status error_ ABSL_GUARDED_BY(mutex_);
};

absl::Status PrecompileRun::ReadInputs() {
  if (flags_.arguments().empty() && !NamesItems(flags_)) {
    return absl::InvalidArgumentError(
        "there is nothing to compile: give captures (*.foz), folders, files, --pair, --list or "
        "--manifest=FILE.jsonl");
  }
  const absl::StatusOr<InputPaths> paths = SplitInputs(flags_.arguments());
  if (!paths.ok()) return paths.status();
  for (const std::string& base : paths->captures) {
    for (const char* flag : kOfFiles) {
      if (!flags_.Has(flag)) continue;
      return absl::InvalidArgumentError(
          absl::StrCat("--", flag, ": a capture says this of each stage itself; leave it out"));
    }
    absl::StatusOr<std::unique_ptr<Capture>> capture = Capture::Open(base);
    if (!capture.ok()) return capture.status();
    if (!(*capture)->trouble().empty()) Say((*capture)->trouble());
    captures_.emplace_back(base, *std::move(capture));
  }
  auto files = ReadItems(flags_, paths->others, flag_names_, settings_);
  if (!files.ok()) return files.status();
  files_ = *std::move(files);
  if (!captures_.empty() || !files_.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      "there is nothing to compile: no capture and no shader is found");
}

std::vector<std::string> PrecompileRun::InputFiles() const {
  std::vector<std::string> files = {flags_.Get("list"), flags_.Get("manifest"),
                                    flags_.Get("output")};
  for (const auto& [name, capture] : captures_) files.push_back(name);
  const std::vector<std::string> read = FilesOfItems(files_);
  files.insert(files.end(), read.begin(), read.end());
  return files;
}

absl::Status PrecompileRun::OpenDatabase() {
  absl::StatusOr<std::unique_ptr<ResultsDatabase>> database =
      ResultsDatabase::Open(flags_.Get("output"));
  if (!database.ok()) return database.status();
  database_ = *std::move(database);
  if (!database_->has_log()) {
    Say(absl::StrCat(flags_.Get("output"),
                     ": this file system allows no write-ahead log; the slower rollback journal is "
                     "used"));
  }
  std::set<std::string> targets(settings_.request.targets().begin(),
                                settings_.request.targets().end());
  for (const BatchItem& file : files_) {
    if (file.options == nullptr) continue;
    targets.insert(file.options->targets.begin(), file.options->targets.end());
  }
  return database_->SetTargets(capabilities_, {targets.begin(), targets.end()});
}

absl::Status PrecompileRun::ListCapture(std::unique_ptr<Capture> capture, const std::string& name) {
  const auto source = database_->AddSource(name, "capture", capture->trouble());
  if (!source.ok()) return source.status();
  auto finished = database_->Finished(*source, options_);
  if (!finished.ok()) return finished.status();
  if (settings_.request.cache_policy() != kiln::v1::CACHE_USE) finished->clear();
  capture_jobs_.push_back(std::make_unique<CaptureJob>(std::move(capture), *source, name,
                                                       settings_.request, compiler_.get()));
  CaptureJob* job = capture_jobs_.back().get();
  for (const PipelineId& id : job->capture().pipelines()) {
    const std::string pipeline = id.Name();
    if (!shard_.Has(name, pipeline)) continue;
    ++counts_.pipelines;
    if (result_files_.wanted()) wanted_.emplace(name, pipeline);
    if (finished->count(pipeline) != 0) {
      ++counts_.kept;
    } else {
      items_.push_back({job, id, nullptr});
    }
  }
  return absl::OkStatus();
}

absl::Status PrecompileRun::ListItems() {
  auto known = database_->Results();
  if (!known.ok()) return known.status();
  if (settings_.request.cache_policy() != kiln::v1::CACHE_USE) known->clear();
  compiler_ = std::make_unique<StageCompiler>(service_.get(), capabilities_, *std::move(known));
  auto options = settings_.request;
  options.mutable_digest();  // the options alone
  options_ = cache::ToHex(UnitOf(options));
  for (auto& [name, capture] : captures_) {
    if (absl::Status s = ListCapture(std::move(capture), name); !s.ok()) return s;
  }
  if (files_.empty()) return absl::OkStatus();
  const auto source = database_->AddSource(kFilesSource, "files", "");
  if (!source.ok()) return source.status();
  files_source_ = *source;
  for (const BatchItem& file : files_) {
    if (!shard_.Has(kFilesSource, NameInDatabase(file))) continue;
    ++counts_.pipelines;
    if (result_files_.wanted()) wanted_.emplace(kFilesSource, NameInDatabase(file));
    items_.push_back({nullptr, {}, &file});
  }
  return absl::OkStatus();
}

absl::Status PrecompileRun::ReadFlags() {
  const bool lists = flags_.Has("list-items");
  if (!lists && (flags_.Get("output").empty() || flags_.Get("output") == "-")) {
    return absl::InvalidArgumentError("-o FILE is needed: the database of results");
  }
  absl::StatusOr<CompileSettings> settings = SettingsFromFlags(flags_);
  if (!settings.ok()) return settings.status();
  settings_ = *std::move(settings);
  WarnOfMissingFolders(settings_);
  settings_.source.root = flags_.Get("root");
  const absl::StatusOr<size_t> jobs = JobsOf(flags_);
  if (!jobs.ok()) return jobs.status();
  jobs_ = *jobs;
  if (flags_.Has("shard")) {
    const absl::StatusOr<Shard> shard = ParseShard(flags_.Get("shard"));
    if (!shard.ok()) {
      return absl::InvalidArgumentError(absl::StrCat("--shard: ", shard.status().message()));
    }
    shard_ = *shard;
  }
  if (flags_.Has("pause-above")) {
    auto limits = ParsePressureLimits(flags_.Get("pause-above"));
    if (!limits.ok()) {
      return absl::InvalidArgumentError(absl::StrCat("--pause-above: ", limits.status().message()));
    }
    auto gate = PressureGate::Make(*std::move(limits), kPressureFolder);
    if (!gate.ok()) return gate.status();
    gate_ = *std::move(gate);
  }
  return ReadInputs();
}

// A capture's pipelines are listed by name; only files make a manifest.
absl::StatusOr<ExitCode> PrecompileRun::PrintInputs() const {
  for (const auto& [name, capture] : captures_) {
    for (const PipelineId& id : capture->pipelines()) {
      if (environment_.json || !shard_.Has(name, id.Name())) continue;
      const absl::Status printed = Print(absl::StrCat(Printable(name), ":", id.Name(), "\n"));
      if (!printed.ok()) return printed;
    }
  }
  std::vector<BatchItem> files;
  for (const BatchItem& file : files_) {
    if (shard_.Has(kFilesSource, NameInDatabase(file))) files.push_back(file);
  }
  return PrintItems(files, flags_, settings_, environment_);
}

absl::Status PrecompileRun::Prepare() {
  absl::StatusOr<ManyService> opened = OpenMany(flags_, jobs_);
  if (!opened.ok()) return opened.status();
  service_ = std::move(opened->service);
  capabilities_ = std::move(opened->capabilities);
  away_notice_.emplace(service_->Name());
  absl::Status checked = CheckSettings(capabilities_, service_->Name(), &settings_);
  if (checked.ok()) checked = CheckItems(files_, capabilities_, service_->Name(), settings_);
  if (checked.ok()) checked = result_files_.Open(flags_, capabilities_, InputFiles(), {}, false);
  if (!checked.ok()) return checked;
  auto* outputs = settings_.request.mutable_outputs();
  outputs->set_launch_record(true);  // for what the next stage reads
  outputs->set_pass_records(true);   // for daemons that make no sums
  outputs->set_pass_sums(true);
  // Last, so that a wrong command line makes no file.
  checked = OpenDatabase();
  return checked.ok() ? ListItems() : checked;
}

absl::Status PrecompileRun::OrStop(absl::Status status) {
  if (status.ok()) return status;
  {
    absl::MutexLock lock(&mutex_);
    if (error_.ok()) error_ = status;
  }
  service_->Stop();
  if (gate_ != nullptr) gate_->Stop();
  return status;
}

absl::StatusOr<PipelineRow> PrecompileRun::Compile(const Item& item) {
  if (gate_ != nullptr) gate_->Wait();
  absl::StatusOr<PipelineRow> row =
      item.capture != nullptr ? item.capture->Compile(item.id)
      : item.file->fragment.has_value()
          ? CompilePairItem(*item.file, settings_, files_source_, compiler_.get())
          : CompileFileItem(*item.file, settings_, files_source_, compiler_.get());
  OrStop(row.status()).IgnoreError();
  return row;
}

void PrecompileRun::Count(const PipelineRow& row) {
  bool failed = false;
  if (!flags_.Has("quiet")) {
    for (const std::string& warning : row.warnings) Say(absl::StrCat("warning: ", warning));
  }
  for (const StageRow& stage : row.stages) {
    for (const OutcomeRow& outcome : stage.outcomes) {
      failed |= outcome.status != TargetResult::OK;
      if (outcome.stored != 0) {
        ++counts_.shared;
      } else if (!outcome.result->version().empty()) {
        ++(outcome.result->cache() == kiln::v1::CACHE_MISS ? counts_.compiled : counts_.cached);
      }
      if (outcome.result == nullptr || flags_.Has("quiet") ||
          ExitCodeOf(outcome.status) != kExitInternal) {
        continue;
      }
      progress_->Clear();
      absl::FPrintF(stderr, "%s\n",
                    FailureText(row.file, *outcome.result, environment_.err_colour));
    }
  }
  failed_ += failed ? 1 : 0;
}

absl::Status PrecompileRun::Write(const PipelineRow& row) {
  if (in_batch_ == 0) {
    if (absl::Status s = database_->Begin(); !s.ok()) return s;
    batch_start_ = absl::Now();
  }
  ++in_batch_;
  Count(row);
  absl::Status s = compiler_->Update([&](std::map<std::string, StoredResults>* known) {
    return database_->Write(row, options_, known);
  });
  if (!s.ok()) return s;
  return in_batch_ >= kBatchPipelines ? CommitBatch() : absl::OkStatus();
}

absl::Status PrecompileRun::CommitBatch() {
  if (in_batch_ == 0) return absl::OkStatus();
  in_batch_ = 0;
  return database_->Commit();
}

void PrecompileRun::OnTick(size_t done) {
  Say(service_->TakeNotice());
  const std::optional<Away> away = service_->CurrentlyAway();
  Say(away_notice_->Update(away));
  std::string waiting = gate_ == nullptr ? std::string() : gate_->Waiting();
  if (away.has_value() && away->since >= kWorthMentioning) {
    waiting = WaitingText(service_->Name(), *away);
  }
  const int64_t hits = counts_.cached + counts_.shared, all = hits + counts_.compiled;
  progress_->Update(static_cast<int64_t>(done), failed_, waiting,
                    all == 0 ? std::string() : absl::StrCat(hits * 100 / all, " % hits"));
  if (in_batch_ != 0 && absl::Now() - batch_start_ >= absl::Seconds(1)) {
    OrStop(CommitBatch()).IgnoreError();
  }
}

void PrecompileRun::Say(const std::string& text) {
  if (text.empty()) return;
  if (progress_ != nullptr) progress_->Clear();
  absl::FPrintF(stderr, "kiln: %s\n", Printable(text));
}

absl::Status PrecompileRun::Tidy() {
  absl::Status stored;
  for (const auto& job : capture_jobs_) {
    std::set<std::string> names;
    for (const PipelineId& id : job->capture().pipelines()) names.insert(id.Name());
    stored.Update(database_->KeepOnly(job->source(), names));
  }
  stored.Update(database_->RemoveUnused());
  return stored;
}

absl::StatusOr<ResultFiles::Outcome> PrecompileRun::FinishFiles(ExitCode code) {
  if (result_files_.wanted()) {
    auto results = StoredResultsOf(database_->sql(), wanted_);
    if (!results.ok()) return results.status();
    for (ExportedResult& result : *results) result_files_.Add(std::move(result));
  }
  return result_files_.Finish(code);
}

absl::StatusOr<ExitCode> PrecompileRun::Finish(absl::Status status, absl::Duration elapsed) {
  const bool interrupted = environment_.interrupt->happened();
  progress_->Clear();
  if (absl::MutexLock lock(&mutex_); !error_.ok()) status = error_;
  // Finished pipelines stay, also after an error.
  absl::Status stored = CommitBatch();
  if (status.ok()) stored.Update(Tidy());
  const char* outcome = interrupted ? "interrupted" : status.ok() ? "complete" : "failed";
  stored.Update(database_->EndRun(run_, outcome, counts_));
  auto outcomes = CountOutcomes(database_->sql());
  if (!outcomes.ok()) return outcomes.status();
  RunSummary summary = {flags_.Get("output"), interrupted, elapsed, counts_, *std::move(outcomes)};
  summary.allowed = AllowedCauses(flags_);
  // Without an answer from the service not all results are there.
  const bool whole = status.ok() && !interrupted;
  const auto files = FinishFiles(whole ? summary.exit_code() : kExitInterrupted);
  if (!files.ok()) stored.Update(files.status());
  stored.Update(database_->Finish());
  if (!stored.ok()) return stored;
  if (result_files_.has_budget()) summary.budget = {files->judged, files->over};
  const absl::Status printed =
      Print(environment_.json ? summary.ToJson() + "\n"
                              : summary.Text(environment_.out_colour) + files->text);
  if (environment_.json) fputs(files->text.c_str(), stderr);
  if (interrupted) {
    Say("interrupted; finished pipelines are in the database: run it again for the others");
    return kExitInterrupted;
  }
  if (absl::IsUnavailable(status)) {
    return absl::UnavailableError(
        absl::StrCat(status.message(),
                     "; finished pipelines are in the database. Run it again "
                     "when the daemon is back, or wait longer with "
                     "--patience=SECONDS"));
  }
  if (!status.ok()) return status;
  return printed.ok() ? absl::StatusOr<ExitCode>(files->code) : printed;
}

absl::StatusOr<ExitCode> PrecompileRun::Run() {
  if (absl::Status s = ReadFlags(); !s.ok()) return s;
  if (flags_.Has("list-items")) return PrintInputs();
  if (absl::Status s = Prepare(); !s.ok()) return s;
  const std::string shard = absl::StrCat(shard_.number, "/", shard_.of);
  const auto run = database_->StartRun(std::string(kVersion),
                                       absl::StrJoin(settings_.request.targets(), ","), shard);
  if (!run.ok()) return run.status();
  run_ = *run;
  environment_.interrupt->Handle([this] {
    service_->Stop();
    if (gate_ != nullptr) gate_->Stop();
  });
  const absl::Time start = absl::Now();
  progress_ = std::make_unique<Progress>(stderr, static_cast<int64_t>(items_.size()));
  const absl::Status status =
      InOrder<PipelineRow>(items_.size(), {jobs_, std::max<size_t>(256, 4 * jobs_)},
                           [this](size_t i) { return Compile(items_[i]); })
          .Run([this](size_t, const PipelineRow& row) { return OrStop(Write(row)); },
               [this](size_t done) { OnTick(done); });
  environment_.interrupt->Handle(nullptr);
  return Finish(status, absl::Now() - start);
}

}  // namespace

absl::StatusOr<ExitCode> RunPrecompile(const ParsedFlags& flags,
                                       const std::vector<std::string>& flag_names,
                                       const Environment& environment) {
  return PrecompileRun(flags, flag_names, environment).Run();
}

}  // namespace kiln::client

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
#include "client/batch/in_order.h"
#include "client/capture/capture.h"
#include "client/cli/progress.h"
#include "client/cli/terminal.h"
#include "client/cli/version.h"
#include "client/commands/batch_inputs.h"
#include "client/commands/open_many.h"
#include "client/commands/precompile_inputs.h"
#include "client/database/results_database.h"
#include "client/export/result_files.h"
#include "client/output/result_json.h"
#include "client/output/result_text.h"
#include "client/precompile/capture_job.h"
#include "client/precompile/file_job.h"
#include "client/precompile/outcome_summary.h"
#include "client/precompile/pair_job.h"
#include "client/precompile/stage_compiler.h"
#include "client/precompile/stored_results.h"
#include "client/request/request_options.h"
#include "client/service/away_notice.h"

namespace kiln::client {
namespace {

using kiln::v1::Capabilities;
using kiln::v1::TargetResult;

// A transaction has so many pipelines, or those of a second.
constexpr int kBatchPipelines = 500;
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
  absl::Status Prepare();
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
  PrecompileInputs inputs_;
  std::unique_ptr<Service> service_;
  Capabilities capabilities_;
  std::optional<AwayNotice> away_notice_;
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
  const std::set<std::string> targets = inputs_.Targets();
  return database_->SetTargets(capabilities_, {targets.begin(), targets.end()});
}

absl::Status PrecompileRun::ListCapture(std::unique_ptr<Capture> capture, const std::string& name) {
  const auto source = database_->AddSource(name, "capture", capture->trouble());
  if (!source.ok()) return source.status();
  auto finished = database_->Finished(*source, options_);
  if (!finished.ok()) return finished.status();
  if (inputs_.settings.request.cache_policy() != kiln::v1::CACHE_USE) finished->clear();
  capture_jobs_.push_back(std::make_unique<CaptureJob>(std::move(capture), *source, name,
                                                       inputs_.settings.request, compiler_.get()));
  CaptureJob* job = capture_jobs_.back().get();
  for (const PipelineId& id : job->capture().pipelines()) {
    const std::string pipeline = id.Name();
    if (!inputs_.shard.Has(name, pipeline)) continue;
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
  if (inputs_.settings.request.cache_policy() != kiln::v1::CACHE_USE) known->clear();
  compiler_ = std::make_unique<StageCompiler>(service_.get(), capabilities_, *std::move(known));
  auto options = inputs_.settings.request;
  options.mutable_digest();  // the options alone
  options_ = cache::ToHex(UnitOf(options));
  for (auto& [name, capture] : inputs_.captures) {
    if (absl::Status s = ListCapture(std::move(capture), name); !s.ok()) return s;
  }
  if (inputs_.files.empty()) return absl::OkStatus();
  const auto source = database_->AddSource(kFilesSource, "files", "");
  if (!source.ok()) return source.status();
  files_source_ = *source;
  for (const BatchItem& file : inputs_.files) {
    if (!inputs_.shard.Has(kFilesSource, NameInDatabase(file))) continue;
    ++counts_.pipelines;
    if (result_files_.wanted()) wanted_.emplace(kFilesSource, NameInDatabase(file));
    items_.push_back({nullptr, {}, &file});
  }
  return absl::OkStatus();
}

absl::Status PrecompileRun::Prepare() {
  absl::StatusOr<ManyService> opened = OpenMany(flags_, inputs_.jobs);
  if (!opened.ok()) return opened.status();
  service_ = std::move(opened->service);
  capabilities_ = std::move(opened->capabilities);
  away_notice_.emplace(service_->Name());
  absl::Status checked = CheckSettings(capabilities_, service_->Name(), &inputs_.settings);
  if (checked.ok())
    checked = CheckItems(inputs_.files, capabilities_, service_->Name(), inputs_.settings);
  if (checked.ok())
    checked = result_files_.Open(flags_, capabilities_, inputs_.FilesRead(flags_), {}, false);
  if (!checked.ok()) return checked;
  auto* outputs = inputs_.settings.request.mutable_outputs();
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
  if (inputs_.gate != nullptr) inputs_.gate->Stop();
  return status;
}

absl::StatusOr<PipelineRow> PrecompileRun::Compile(const Item& item) {
  if (inputs_.gate != nullptr) inputs_.gate->Wait();
  absl::StatusOr<PipelineRow> row =
      item.capture != nullptr ? item.capture->Compile(item.id)
      : item.file->fragment.has_value()
          ? CompilePairItem(*item.file, inputs_.settings, files_source_, compiler_.get())
          : CompileFileItem(*item.file, inputs_.settings, files_source_, compiler_.get());
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
  std::string waiting = inputs_.gate == nullptr ? std::string() : inputs_.gate->Waiting();
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
  const absl::Status read = ReadPrecompileInputs(
      flags_, flag_names_, [this](const std::string& text) { Say(text); }, &inputs_);
  if (!read.ok()) return read;
  if (flags_.Has("list-items")) return inputs_.PrintItems(flags_, environment_);
  if (absl::Status s = Prepare(); !s.ok()) return s;
  const std::string shard = absl::StrCat(inputs_.shard.number, "/", inputs_.shard.of);
  const auto run = database_->StartRun(
      std::string(kVersion), absl::StrJoin(inputs_.settings.request.targets(), ","), shard);
  if (!run.ok()) return run.status();
  run_ = *run;
  environment_.interrupt->Handle([this] {
    service_->Stop();
    if (inputs_.gate != nullptr) inputs_.gate->Stop();
  });
  const absl::Time start = absl::Now();
  progress_ = std::make_unique<Progress>(stderr, static_cast<int64_t>(items_.size()));
  const absl::Status status =
      InOrder<PipelineRow>(items_.size(), {inputs_.jobs, std::max<size_t>(256, 4 * inputs_.jobs)},
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

// kiln precompile: pipelines of captures, and shaders, into a database of results.
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <system_error>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "client/batch/batch_items.h"
#include "client/batch/in_order.h"
#include "client/capture/capture.h"
#include "client/cli/paths.h"
#include "client/cli/progress.h"
#include "client/cli/terminal.h"
#include "client/cli/version.h"
#include "client/commands/command.h"
#include "client/database/merge.h"
#include "client/database/results_database.h"
#include "client/database/schema.h"
#include "client/database/sql.h"
#include "client/output/result_json.h"
#include "client/output/result_text.h"
#include "client/precompile/capture_job.h"
#include "client/precompile/file_job.h"
#include "client/precompile/inputs.h"
#include "client/precompile/outcome_summary.h"
#include "client/precompile/pressure.h"
#include "client/precompile/shard.h"
#include "client/precompile/stage_compiler.h"
#include "client/request/request_options.h"
#include "client/service/away_notice.h"
#include "client/service/service_flags.h"

namespace kiln::client {
namespace {

using kiln::v1::Capabilities;
using kiln::v1::TargetResult;

constexpr uint64_t kMaxManifestBytes = uint64_t{1} << 30;
constexpr char kPressureFolder[] = "/proc/pressure";
// A transaction has so many pipelines, or those of a second.
constexpr int kBatchPipelines = 500;
constexpr char kFilesSource[] = "files";
// Flags whose values a capture has for each stage.
constexpr const char* kOfCaptures[] = {"stage",         "entry",          "spec",         "state",
                                       "subgroup-size", "full-subgroups", "dispatch-base"};

std::vector<Flag> PrecompileFlags() {
  return JoinFlags(
      {CompileFlags(),
       {{"output", 'o', "FILE", false, "the database of results; made if there is none"},
        {"manifest", 0, "FILE|-", false,
         "read files and options from FILE, a JSON object per line, as `kiln batch` does"},
        {"root", 0, "DIR", false,
         "folder that relative paths of files, and their names, start from"},
        {"jobs", 'j', "N", false,
         "number of pipelines in flight (default 32; with --local one per processor)"},
        {"shard", 0, "I/N", false, "take only the I-th of N parts of the inputs"},
        {"merge", 0, "", false, "INPUTs are databases, of shards: put them together into FILE"},
        {"pause-above", 0, "KIND=PERCENT[,...]", false,
         "pause while the machine is short of cpu, memory or io: in so many percent of the last 10 s "
         "some task waited for it (/proc/pressure)"},
        {"quiet", 'q', "", false, "do not print crashes one by one"}},
       ServiceFlags()});
}

struct Item {
  CaptureJob* capture = nullptr;  // null: a file
  PipelineId id;
  const BatchItem* file = nullptr;
};

class PrecompileRun {
 public:
  PrecompileRun(const ParsedFlags& flags, const Environment& environment)
      : flags_(flags), environment_(environment) {}

  absl::StatusOr<ExitCode> Run();

 private:
  absl::Status Prepare();
  absl::Status ReadInputs();
  absl::Status ReadFiles(const std::vector<std::string>& paths);
  absl::Status OpenDatabase();
  absl::Status ListItems();
  absl::Status ListCapture(std::unique_ptr<Capture> capture, const std::string& name);

  absl::StatusOr<PipelineRow> Compile(const Item& item);
  absl::Status Write(const PipelineRow& row);
  void Count(const PipelineRow& row);
  void OnTick(size_t done);
  absl::Status CommitBatch();
  absl::Status OrStop(absl::Status status);
  absl::StatusOr<ExitCode> Finish(absl::Status status, absl::Duration elapsed);
  void Say(const std::string& text);

  const ParsedFlags& flags_;
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
  int64_t run_ = 0;
  RunCounts counts_;
  int64_t failed_ = 0;
  int in_batch_ = 0;
  absl::Time batch_start_;
  std::unique_ptr<Progress> progress_;
  absl::Mutex mutex_;
  absl::Status error_ ABSL_GUARDED_BY(mutex_);
};

absl::Status PrecompileRun::ReadFiles(const std::vector<std::string>& paths) {
  std::vector<std::string> names;
  for (const Flag& flag : PrecompileFlags()) names.push_back(flag.Key());
  absl::StatusOr<BatchItems> items = BatchItems::Make(flags_.Get("root"), names);
  if (!items.ok()) return items.status();
  for (const std::string& path : paths) {
    if (absl::Status s = items->AddPath(path); !s.ok()) return s;
  }
  if (flags_.Has("manifest")) {
    const std::string file = flags_.Get("manifest");
    const absl::StatusOr<std::string> text = ReadWholeFile(file, kMaxManifestBytes);
    if (!text.ok()) {
      return absl::InvalidArgumentError(absl::StrCat("--manifest: ", text.status().message()));
    }
    if (absl::Status s = items->AddManifest(file, *text); !s.ok()) return s;
  }
  if (!items->ignored_keys().empty()) {
    Say(absl::StrCat("--manifest: keys that are unknown here are ignored: ",
                     absl::StrJoin(items->ignored_keys(), ", ")));
  }
  files_ = items->Take(settings_.request.entry_point(), settings_.request.stage());
  return absl::OkStatus();
}

absl::Status PrecompileRun::ReadInputs() {
  if (flags_.arguments().empty() && !flags_.Has("manifest")) {
    return absl::InvalidArgumentError(
        "there is nothing to compile: give captures (*.foz), folders, files or "
        "--manifest=FILE.jsonl");
  }
  const absl::StatusOr<InputPaths> paths = SplitInputs(flags_.arguments());
  if (!paths.ok()) return paths.status();
  for (const std::string& base : paths->captures) {
    for (const char* flag : kOfCaptures) {
      if (!flags_.Has(flag)) continue;
      return absl::InvalidArgumentError(
          absl::StrCat("--", flag, ": a capture says this of each stage itself; leave it out"));
    }
    absl::StatusOr<std::unique_ptr<Capture>> capture = Capture::Open(base);
    if (!capture.ok()) return capture.status();
    if (!(*capture)->trouble().empty()) Say((*capture)->trouble());
    captures_.emplace_back(base, *std::move(capture));
  }
  if (absl::Status s = ReadFiles(paths->others); !s.ok()) return s;
  if (!captures_.empty() || !files_.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      "there is nothing to compile: no capture and no shader is found");
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
    items_.push_back({nullptr, {}, &file});
  }
  return absl::OkStatus();
}

absl::Status PrecompileRun::Prepare() {
  if (flags_.Get("output").empty() || flags_.Get("output") == "-") {
    return absl::InvalidArgumentError("-o FILE is needed: the database of results");
  }
  absl::StatusOr<CompileSettings> settings = SettingsFromFlags(flags_);
  if (!settings.ok()) return settings.status();
  settings_ = *std::move(settings);
  WarnOfMissingFolders(settings_);
  settings_.source.root = flags_.Get("root");
  const int64_t processors = std::max<int64_t>(1, std::thread::hardware_concurrency());
  const absl::StatusOr<int64_t> jobs =
      flags_.Number("jobs", flags_.Has("local") ? processors : 32, 1, 1024);
  if (!jobs.ok()) return jobs.status();
  jobs_ = static_cast<size_t>(*jobs);
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
  if (absl::Status s = ReadInputs(); !s.ok()) return s;
  absl::StatusOr<std::unique_ptr<Service>> service = OpenService(
      flags_, static_cast<int>(std::min<int64_t>(*jobs, 2 * processors)), Calls::kStream);
  if (!service.ok()) return service.status();
  service_ = *std::move(service);
  away_notice_.emplace(service_->Name());
  auto capabilities = service_->GetCapabilities();
  if (!capabilities.ok()) return capabilities.status();
  capabilities_ = *std::move(capabilities);
  absl::Status checked = CheckSettings(capabilities_, service_->Name(), &settings_);
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
      item.capture != nullptr
          ? item.capture->Compile(item.id)
          : CompileFileItem(*item.file, settings_, files_source_, compiler_.get());
  OrStop(row.status()).IgnoreError();
  return row;
}

void PrecompileRun::Count(const PipelineRow& row) {
  bool failed = false;
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

absl::StatusOr<ExitCode> PrecompileRun::Finish(absl::Status status, absl::Duration elapsed) {
  const bool interrupted = environment_.interrupt->happened();
  progress_->Clear();
  if (absl::MutexLock lock(&mutex_); !error_.ok()) status = error_;
  // Finished pipelines stay, also after an error.
  absl::Status stored = CommitBatch();
  if (status.ok()) {
    for (const auto& job : capture_jobs_) {
      std::set<std::string> names;
      for (const PipelineId& id : job->capture().pipelines()) names.insert(id.Name());
      stored.Update(database_->KeepOnly(job->source(), names));
    }
    stored.Update(database_->RemoveUnused());
  }
  const char* outcome = interrupted ? "interrupted" : status.ok() ? "complete" : "failed";
  stored.Update(database_->EndRun(run_, outcome, counts_));
  auto outcomes = CountOutcomes(database_->sql());
  if (!outcomes.ok()) return outcomes.status();
  stored.Update(database_->Finish());
  if (!stored.ok()) return stored;
  const RunSummary summary = {flags_.Get("output"), interrupted, elapsed, counts_,
                              *std::move(outcomes)};
  const absl::Status printed =
      Print(environment_.json ? summary.ToJson() + "\n" : summary.Text(environment_.out_colour));
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
  return printed.ok() ? absl::StatusOr<ExitCode>(summary.exit_code()) : printed;
}

absl::StatusOr<ExitCode> PrecompileRun::Run() {
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

// InvalidArgument: a database that cannot be put into another one, or is that one.
absl::Status CheckPart(const std::string& part, const std::string& whole) {
  std::error_code error;
  if (std::filesystem::equivalent(part, whole, error)) {
    return absl::InvalidArgumentError(
        absl::StrCat(part, ": is FILE itself, whose rows stay there anyway; leave it out"));
  }
  const auto db = SqlDatabase::Open(part, SqlDatabase::Mode::kRead);
  return db.ok() ? CheckSchema(db->get()) : db.status();
}

// Puts databases together.
absl::StatusOr<ExitCode> Merge(const ParsedFlags& flags, const Environment& environment) {
  if (flags.Get("output").empty() || flags.arguments().empty()) {
    return absl::InvalidArgumentError("--merge needs -o FILE and the databases to put into it");
  }
  const absl::Time start = absl::Now();
  // First, so that a wrong command line makes no file.
  for (const std::string& part : flags.arguments()) {
    if (absl::Status s = CheckPart(part, flags.Get("output")); !s.ok()) return s;
  }
  auto database = ResultsDatabase::Open(flags.Get("output"));
  if (!database.ok()) return database.status();
  for (const std::string& part : flags.arguments()) {
    if (absl::Status s = MergeInto(database->get(), part); !s.ok()) return s;
  }
  auto outcomes = CountOutcomes((*database)->sql());
  if (!outcomes.ok()) return outcomes.status();
  const auto pipelines = (*database)->sql()->IntOf("SELECT count(*) FROM pipeline");
  if (!pipelines.ok()) return pipelines.status();
  absl::Status done = (*database)->RemoveUnused();
  done.Update((*database)->Finish());
  if (!done.ok()) return done;
  const RunSummary summary = {flags.Get("output"),
                              false,
                              absl::Now() - start,
                              {.pipelines = *pipelines, .kept = *pipelines},
                              *std::move(outcomes)};
  const absl::Status printed =
      Print(environment.json ? summary.ToJson() + "\n" : summary.Text(environment.out_colour));
  return printed.ok() ? absl::StatusOr<ExitCode>(summary.exit_code()) : printed;
}

ExitCode RunOrFail(const ParsedFlags& flags, const Environment& environment) {
  const absl::StatusOr<ExitCode> code =
      flags.Has("merge") ? Merge(flags, environment) : PrecompileRun(flags, environment).Run();
  return code.ok() ? *code : Fail(code.status(), environment);
}

}  // namespace

Command PrecompileCommand() {
  return {
      "precompile",
      "INPUT...",
      "compile the pipelines of captures into a database",
      "INPUTs are captures of Fossilize (*.foz), folders with captures and shaders, and\n"
      "shaders; --manifest names more. base.foz and base.1.foz, base.2.foz, ... beside it are\n"
      "one capture, whichever of them is named. Each stage of each pipeline is compiled with its\n"
      "entry point, specialisation, subgroup size and the state that its code depends on, and\n"
      "gets a row for each target: its figures, or the cause why it is not compiled. Damage in a\n"
      "capture, libraries, missing modules, state that is left to be set when drawing: each has\n"
      "a cause of its own, and none ends the command.\n"
      "\n"
      "FILE is a database of SQLite, whose tables client/database/SCHEMA.md describes. It has\n"
      "views for the usual questions: spilling, worst_by_cycles, refused_by_cause, changed and\n"
      "changed_status (since an earlier version of the compiler), stage_result, stage_statistic.\n"
      "\n"
      "However the command ends (Ctrl-C, kill -9, the daemon gone), FILE has the pipelines that\n"
      "were finished; run again, it compiles only the others: pipelines that are new, whose code\n"
      "another version of the compiler made, or for which the compiler gave no answer. Pipelines\n"
      "that a capture no longer has are removed; rows of files stay.\n"
      "\n"
      "--shard=I/N compiles one of N parts, the same part on every machine; --merge puts the\n"
      "databases of the parts together.\n"
      "\n"
      "--pause-above stops taking work while the pressure of one kind is above its limit:\n"
      "cpu=60 leaves an interactive machine usable, memory=10 and io=40 avoid swapping and long\n"
      "waits for the disk. Without it there are no limits.\n",
      "  kiln precompile --target=tgl -o results.sqlite client/examples/capture.foz\n"
      "  kiln precompile --target=tgl --shard=1/2 -o part1.sqlite client/examples/capture.foz\n"
      "  kiln precompile --target=tgl --shard=2/2 -o part2.sqlite client/examples/capture.foz\n"
      "  kiln precompile --merge -o merged.sqlite part1.sqlite part2.sqlite\n"
      "  kiln precompile --local --target=tgl -o shaders.sqlite tests/shaders\n",
      PrecompileFlags(),
      RunOrFail};
}

}  // namespace kiln::client

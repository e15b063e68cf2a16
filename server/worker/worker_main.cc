// The loop of the worker process: reads jobs, does them, answers. See worker_main.h.
#include "server/worker/worker_main.h"

#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/step.h"
#include "server/worker/board.h"
#include "server/worker/cpu_limit.h"
#include "server/worker/escape_text.h"
#include "server/worker/frame.h"
#include "server/worker/job_sink.h"
#include "server/worker/own_time.h"
#include "server/worker/sandbox.h"
#include "server/worker/scheduling.h"
#include "server/worker/stack.h"

namespace kiln::worker {
namespace {

// The board, for the handlers below, which get no argument. Set once, before the first job.
Board* g_board = nullptr;

void OnOutOfMemory() {
  if (g_board != nullptr) g_board->SetOutOfMemory();
  _exit(kExitOutOfMemory);
}

// Notes which exception was not caught, before abort().
void OnTerminate() {
  if (std::exception_ptr e = std::current_exception(); e != nullptr && g_board != nullptr) {
    try {
      std::rethrow_exception(e);
    } catch (const std::exception& known) {
      g_board->SetNote(std::string("exception: ") + known.what());
    } catch (...) {
      g_board->SetNote("exception of an unknown type");
    }
  }
  abort();
}

struct Arguments {
  SandboxOptions sandbox;
  int64_t cpu_milliseconds = 60'000;
  int niceness = 0;
  FaultInjector inject = nullptr;  // null: no test build
};

bool TakeNumber(std::string_view arg, std::string_view name, uint64_t* value) {
  if (arg.substr(0, name.size()) != name) return false;
  std::from_chars(arg.data() + name.size(), arg.data() + arg.size(), *value);
  return true;
}

bool ParseArguments(int argc, char** argv, FaultInjector inject, Arguments* out) {
  for (int i = 1; i < argc; ++i) {
    std::string_view arg = argv[i];
    uint64_t n = 0;
    if (TakeNumber(arg, "--address-space-bytes=", &n)) {
      out->sandbox.address_space_bytes = n;
    } else if (TakeNumber(arg, "--uid=", &n)) {
      out->sandbox.uid = static_cast<uint32_t>(n);
    } else if (TakeNumber(arg, "--gid=", &n)) {
      out->sandbox.gid = static_cast<uint32_t>(n);
    } else if (TakeNumber(arg, "--cpu-milliseconds=", &n)) {
      out->cpu_milliseconds = static_cast<int64_t>(n);
    } else if (TakeNumber(arg, "--niceness=", &n)) {
      out->niceness = static_cast<int>(n);
    } else if (arg == "--no-seccomp" && inject != nullptr) {
      out->sandbox.seccomp = false;
    } else if (arg == "--enable-fault-injection") {
      out->inject = inject;
    } else {
      return false;
    }
  }
  return true;
}

absl::Status DoCompile(const Job& job, Backend* backend, JobSink* sink, OwnTime* own) {
  absl::Status sent;
  int last = job.compile().targets_size() - 1;
  backend->Compile(job.compile(), sink, [&](int index, kiln::v1::TargetResult result) {
    if (index == last) sink->Finish();
    own->Lap();
    result.set_target(job.compile().targets(index));
    sink->AddTo(&result);
    JobResult frame;
    frame.set_id(job.id());
    frame.set_target_index(static_cast<uint32_t>(index));
    *frame.mutable_result() = std::move(result);
    frame.set_last(index == last);
    EscapeText(&frame);
    if (sent.ok()) sent = WriteFrame(kSocketFd, frame);
    own->Sent();
  });
  return sent;
}

absl::Status DoTranslate(const Job& job, Backend* backend, JobSink* sink, OwnTime* own) {
  JobResult frame;
  frame.set_id(job.id());
  frame.set_last(true);
  backend->Translate(job.translate(), sink, frame.mutable_translation());
  sink->Finish();
  own->Lap();
  EscapeText(&frame);
  absl::Status sent = WriteFrame(kSocketFd, frame);
  own->Sent();
  return sent;
}

absl::Status AnswerPing(const Job& job) {
  JobResult frame;
  frame.set_id(job.id());
  frame.set_last(true);
  return WriteFrame(kSocketFd, frame);
}

// Does one job. Returns the worker's exit code if it is to leave.
std::optional<int> DoJob(const Arguments& arguments, const CpuLimit& limit, Backend* backend,
                         Board* board, OwnTime* own) {
  const absl::StatusOr<size_t> bytes = ReadFrameLength(kSocketFd);
  // The parent has closed the socket: this worker is retired.
  if (absl::IsOutOfRange(bytes.status())) return 0;
  if (!bytes.ok()) return kExitProtocol;
  // Before the job is read: reading is part of its work, and must not use the previous job's
  // allowance.
  if (!limit.Allow(arguments.cpu_milliseconds)) return kExitProtocol;
  board->BeginPass(kReadJobStep, -1);
  std::string body;
  if (!ReadFrameBody(kSocketFd, *bytes, &body).ok()) return kExitProtocol;
  const int64_t received = own->Lap();
  const int64_t began = own->mark();
  board->BeginPass(kReadRequestStep, -1);
  Job job;
  if (!job.ParseFromString(body)) return kExitProtocol;
  if (job.has_ping()) return AnswerPing(job).ok() ? std::nullopt : std::optional(kExitProtocol);
  own->Tell(board);
  own->Received(received);
  JobSink sink(board, job.fault(), began, arguments.inject);
  kiln::PassRecord record;
  record.pass = kReadRequestStep;
  record.level = "front";
  record.nanoseconds = ThreadNanoseconds() - began;
  sink.OnPass(record);
  absl::Status done = job.has_translate() ? DoTranslate(job, backend, &sink, own)
                                          : DoCompile(job, backend, &sink, own);
  return done.ok() ? std::nullopt : std::optional(kExitProtocol);
}

int Loop(const Arguments& arguments, const CpuLimit& limit, Backend* backend, Board* board) {
  OwnTime own;
  for (;;) {
    if (std::optional<int> code = DoJob(arguments, limit, backend, board, &own)) return *code;
    own.Ended();
  }
}

// An eighth of the address space, which heap and stack share; at most what the deepest input needs
// that the front end accepts (core/front/check/bounds.h).
size_t StackBytes(const SandboxOptions& sandbox) {
  constexpr uint64_t kMax = uint64_t{256} << 20;
  const uint64_t limit = sandbox.address_space_bytes;
  return static_cast<size_t>(limit == 0 ? kMax : std::min(kMax, limit / 8));
}

int Serve(const Arguments& arguments, Backend* backend, Board* board) {
  Hello hello;
  // Not done by the parent: without CAP_SYS_NICE it may not change a process that has become
  // another user.
  RunInBackground(arguments.niceness);
  LeaveRoot(arguments.sandbox, hello.mutable_sandbox());
  DetachFromParent(kSocketFd, hello.mutable_sandbox());
  backend->Describe(&hello);
  for (const char* step : OwnTime::kNames) hello.add_steps(step);
  const std::optional<CpuLimit> limit = CpuLimit::Create();
  if (!limit.has_value()) return kExitProtocol;
  EnterSandbox(arguments.sandbox, hello.mutable_sandbox());
  hello.set_fault_injection(arguments.inject != nullptr);
  if (!WriteFrame(kSocketFd, hello).ok()) return kExitProtocol;
  return Loop(arguments, *limit, backend, board);
}

}  // namespace

int WorkerMain(int argc, char** argv, Backend* backend, FaultInjector inject) {
  Arguments arguments;
  if (!ParseArguments(argc, argv, inject, &arguments)) {
    static const char kUsage[] =
        "kiln_worker is started by kilnd and by kiln --local; it does nothing by itself.\n";
    return write(2, kUsage, sizeof kUsage - 1) < 0 ? 3 : 2;
  }
  auto board = Board::Attach(kBoardFd);
  if (!board.ok()) {
    fprintf(stderr, "kiln_worker: not started by kilnd or kiln (%s)\n",
            std::string(board.status().message()).c_str());
    return 2;
  }
  close(kBoardFd);
  g_board = board->get();
  std::set_new_handler(OnOutOfMemory);
  std::set_terminate(OnTerminate);
  signal(SIGPIPE, SIG_IGN);
  // Started by descriptor, it would be listed under that number among the processes.
  prctl(PR_SET_NAME, "kiln_worker");
  int exit_code = 0;
  RunOnLargeStack(StackBytes(arguments.sandbox), g_board,
                  [&] { exit_code = Serve(arguments, backend, g_board); });
  return exit_code;
}

}  // namespace kiln::worker

// glibc's own function would write to standard error, which is /dev/null here; this one tells the
// parent. The text is from our source (or a library's), never from the shader.
extern "C" [[noreturn]] void __assert_fail(const char* assertion, const char* file,
                                           unsigned int line, const char* function) noexcept {
  char text[400];
  snprintf(text, sizeof text, "%s:%u: %s: assertion failed: %s", file, line,
           function == nullptr ? "" : function, assertion);
  if (kiln::worker::g_board != nullptr) kiln::worker::g_board->SetNote(text);
  abort();
}

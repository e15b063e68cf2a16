// A worker that a shader has taken over: it breaks the protocol on demand.
//
// The `attempt` of a job's fault names what it does; without one it answers as a worker should. It
// has no sandbox but claims to have one.
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>
#include <string>
#include <string_view>

#include "proto/worker.pb.h"
#include "server/worker/board.h"
#include "server/worker/frame.h"
#include "server/worker/worker_main.h"

namespace kiln::worker {
namespace {

using kiln::v1::TargetResult;

void Nap(long milliseconds) {
  timespec time = {milliseconds / 1000, milliseconds % 1000 * 1'000'000};
  nanosleep(&time, nullptr);
}

void Send(const std::string& bytes) {
  for (size_t at = 0; at < bytes.size();) {
    const ssize_t n = send(kSocketFd, bytes.data() + at, bytes.size() - at, MSG_NOSIGNAL);
    if (n <= 0) exit(0);
    at += static_cast<size_t>(n);
  }
}

std::string Frame(const google::protobuf::MessageLite& message) {
  std::string bytes;
  if (!AppendFrame(message, &bytes).ok()) abort();
  return bytes;
}

// Reads a few bytes at a time, and never all.
[[noreturn]] void ReadSlowly() {
  for (char bytes[4096]; read(kSocketFd, bytes, sizeof bytes) > 0;) Nap(20);
  exit(0);
}

JobResult AnswerFor(uint64_t id, const std::string& target, uint32_t index, bool last,
                    const char* code) {
  JobResult frame;
  frame.set_id(id);
  frame.set_target_index(index);
  frame.set_last(last);
  TargetResult* result = frame.mutable_result();
  result->set_target(target);
  result->set_status(TargetResult::OK);
  result->set_cause("ok");
  auto* variant = result->add_variants();
  variant->set_name("SIMD16");
  variant->set_code(code);
  return frame;
}

// Returns the bytes that answer a job.
std::string Answers(const Job& job, std::string_view attempt) {
  std::string bytes;
  const auto& targets = job.compile().targets();
  for (int i = 0; i < targets.size(); ++i) {
    const bool last = i == targets.size() - 1;
    JobResult frame = AnswerFor(job.id(), targets[i], static_cast<uint32_t>(i), last, "right");
    if (attempt == "other_target") frame.mutable_result()->set_target("hsw");
    if (attempt == "other_status") frame.mutable_result()->set_status(TargetResult::NOT_CACHED);
    if (attempt == "other_id") frame.set_id(job.id() + 1);
    if (attempt == "twice") frame.set_target_index(0);
    if (attempt == "incomplete") frame.set_last(true);
    if (attempt == "never_last") frame.set_last(false);
    bytes += Frame(frame);
  }
  if (attempt == "ahead") {
    for (uint64_t id : {job.id(), job.id() + 1, uint64_t{2}}) {
      bytes += Frame(AnswerFor(id, "tgl", 0, true, "wrong"));
    }
  }
  return bytes;
}

[[noreturn]] void Serve(Board* board) {
  for (;;) {
    Job job;
    if (!ReadFrame(kSocketFd, &job).ok()) exit(0);
    const std::string attempt = job.fault().attempt();
    if (job.has_ping()) {
      JobResult pong;
      pong.set_id(job.id());
      Send(Frame(pong));
      continue;
    }
    board->BeginPass("read_request", -1);
    if (attempt == "soil_board") board->SetOutOfMemory();
    if (attempt == "announce_much") {
      std::string much("\xff\xff\xff\x0f", 4);
      Send(much.append(64 << 20, 'x'));
      Nap(100'000);
    }
    if (attempt == "hang_up") {
      close(kSocketFd);
      Nap(100'000);
    }
    Send(Answers(job, attempt));
    if (attempt == "slow_reader") ReadSlowly();
    if (attempt == "soil_board") {
      Nap(100);
      exit(0);
    }
  }
}

// Claims layers of the sandbox: all, unless the address space asks for fewer.
void Greet(std::string_view memory) {
  Hello hello;
  for (const char* name : {"tgl", "skl"}) hello.add_targets()->set_name(name);
  hello.mutable_sandbox()->set_seccomp(memory != "--address-space-bytes=1");
  hello.mutable_sandbox()->set_address_space_limit(memory != "--address-space-bytes=2");
  hello.mutable_sandbox()->set_resource_limits(memory != "--address-space-bytes=3");
  hello.set_fault_injection(true);
  Send(Frame(hello));
}

}  // namespace
}  // namespace kiln::worker

int main(int argc, char** argv) {
  auto board = kiln::worker::Board::Attach(kiln::worker::kBoardFd);
  if (!board.ok()) return 2;
  kiln::worker::Greet(argc > 1 ? argv[1] : "");
  kiln::worker::Serve(board->get());
}

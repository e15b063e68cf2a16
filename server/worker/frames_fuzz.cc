// Fuzz target: bytes on the socket between the daemon and a worker, in both directions.
//
// Byte 0: bit 7 chooses the side. For the daemon, which reads answers: bits 0 and 1 are the number
// of targets less one, bit 2 says that the job is a translation instead, bit 3 that it was
// cancelled, bits 4 to 6 in how many pieces the bytes come. The rest is what the other side writes.
// Properties of the daemon's side:
//   bytes taken for the answers to a job are the answers to it: judged a second time here, by
//     splitting the bytes and looking at each frame;
//   answers taken from one reading of all bytes are also taken from a reading in pieces, with
//     equal results;
//   a reader keeps no more memory than what it was given, and little when the job is done.
// Property of the worker's side: ReadFrame finds the frames that are there and then the right kind
// of end; a job that was read is read again, equal, from AppendFrame's output.
#include <google/protobuf/stubs/logging.h>
#include <google/protobuf/util/message_differencer.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "proto/wire_mutator.h"
#include "proto/worker.pb.h"
#include "server/worker/answer.h"
#include "server/worker/frame.h"

namespace {

using google::protobuf::util::MessageDifferencer;
using kiln::v1::TargetResult;
using namespace kiln::worker;  // NOLINT: a fuzz driver, no header

constexpr uint64_t kId = 0x1122334455667788;
constexpr const char* kTargets[] = {"tgl", "skl", "hsw", "gfx1030"};
constexpr size_t kPrefix = 4;
// Frames that announce more bytes than they have are read as one of this length; larger ones are
// left out, since allocating the announced size would take all the time.
constexpr size_t kMaxAnnounced = size_t{1} << 20;

[[noreturn]] void Fail(const char* what) {
  std::fprintf(stderr, "property: %s\n", what);
  std::abort();
}

void Demand(bool holds, const char* what) {
  if (!holds) Fail(what);
}

struct Socket {
  Socket() { Demand(socketpair(AF_UNIX, SOCK_STREAM, 0, fd) == 0, "there is a socket pair"); }
  ~Socket() {
    close(fd[0]);
    if (fd[1] >= 0) close(fd[1]);
  }
  void Send(std::string_view bytes) {
    Demand(send(fd[1], bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()),
           "the socket takes all");
  }
  void HangUp() {
    close(fd[1]);
    fd[1] = -1;
  }
  int fd[2];
};

size_t Announced(std::string_view bytes) {
  uint32_t n = 0;
  for (size_t i = 0; i < kPrefix; ++i) n |= uint32_t{static_cast<unsigned char>(bytes[i])} << 8 * i;
  return n;
}

// Returns the bodies of complete frames; leaves the rest in `bytes`.
std::vector<std::string_view> SplitFrames(std::string_view* bytes) {
  std::vector<std::string_view> frames;
  while (bytes->size() >= kPrefix && Announced(*bytes) <= bytes->size() - kPrefix) {
    const size_t length = Announced(*bytes);
    frames.push_back(bytes->substr(kPrefix, length));
    bytes->remove_prefix(kPrefix + length);
  }
  return frames;
}

const Hello& TheHello() {
  static const Hello* const hello = [] {
    auto* h = new Hello;
    for (const char* target : kTargets) {
      auto* info = h->add_targets();
      info->set_name(target);
      for (const char* name : {"instructions", "spills"}) info->add_statistics()->set_name(name);
    }
    return h;
  }();
  return *hello;
}

Job TheJob(uint8_t kind) {
  Job job;
  job.set_id(kId);
  if ((kind & 4) != 0) {
    job.mutable_translate()->mutable_glsl()->set_text("void main() {}");
    return job;
  }
  for (int i = 0; i <= (kind & 3); ++i) job.mutable_compile()->add_targets(kTargets[i]);
  return job;
}

JobOutcome Nothing(const Job& job) {
  JobOutcome outcome;
  outcome.results.resize(static_cast<size_t>(job.compile().targets_size()));
  return outcome;
}

bool MaySay(TargetResult::Status status, bool cancelled) {
  return status == TargetResult::OK || status == TargetResult::REFUSED ||
         status == TargetResult::INVALID || status == TargetResult::CRASHED ||
         (cancelled && status == TargetResult::CANCELLED);
}

// Fails unless these bytes are the answers to the job and nothing else.
void DemandAnswers(const Job& job, bool cancelled, std::string_view bytes,
                   const JobOutcome& outcome) {
  const std::vector<std::string_view> frames = SplitFrames(&bytes);
  Demand(bytes.empty(), "nothing comes after the answers");
  const size_t targets = outcome.results.size();
  Demand(frames.size() == std::max<size_t>(targets, 1), "each target is answered once");
  for (size_t i = 0; i < frames.size(); ++i) {
    JobResult frame;
    Demand(frame.ParseFromArray(frames[i].data(), static_cast<int>(frames[i].size())), "it parses");
    Demand(frame.id() == kId, "it answers this job");
    Demand(frame.last() == (i + 1 == frames.size()), "the last says so, and no other");
    Demand(frame.has_translation() == job.has_translate(), "it answers what was asked");
    if (frame.has_translation()) {
      Demand(outcome.translation.has_value() &&
                 MessageDifferencer::Equals(*outcome.translation, frame.translation()) &&
                 MaySay(frame.translation().status(), cancelled),
             "the translation is that of the frame");
      continue;
    }
    Demand(frame.target_index() < targets, "it answers for a target");
    const auto& taken = outcome.results[frame.target_index()];
    Demand(taken.has_value() && taken->target() == kTargets[frame.target_index()] &&
               MessageDifferencer::Equals(*taken, frame.result()) &&
               MaySay(taken->status(), cancelled) &&
               (taken->status() == TargetResult::OK) == !taken->variants().empty(),
           "the result is that of the frame");
  }
}

enum class Read { kDone, kGarbage, kMore };

struct Reading {
  Read how = Read::kMore;
  size_t bytes = 0;  // sent until then
  JobOutcome outcome;
};

Reading ReadAnswers(const Job& job, bool cancelled, std::string_view bytes, size_t pieces) {
  Socket socket;
  FrameReader reader;
  Reading reading;
  reading.outcome = Nothing(job);
  // No piece is larger than a socket takes at once.
  const size_t piece = std::min<size_t>(bytes.size() / pieces + 1, size_t{64} << 10);
  while (reading.how == Read::kMore && reading.bytes < bytes.size()) {
    const std::string_view part = bytes.substr(reading.bytes, piece);
    socket.Send(part);
    reading.bytes += part.size();
    Demand(reader.Fill(socket.fd[0]).ok(), "an open socket is read");
    bool last = false;
    const auto code =
        TakeAnswers(TheHello(), job, job.id(), cancelled, &reader, &reading.outcome, &last);
    if (last || code != absl::StatusCode::kOk) reading.how = last ? Read::kDone : Read::kGarbage;
    if (code != absl::StatusCode::kOk) reading.how = Read::kGarbage;
    Demand(reader.held() <= 2 * reading.bytes + (size_t{1} << 20), "it keeps what it was given");
  }
  Demand(reading.how != Read::kDone || reader.empty(), "nothing is left of a job that is done");
  return reading;
}

void ReadAsDaemon(uint8_t kind, std::string_view bytes) {
  const Job job = TheJob(kind);
  const bool cancelled = (kind & 8) != 0;
  const size_t pieces = 1 + (kind >> 4 & 7) * 3;
  const Reading in_pieces = ReadAnswers(job, cancelled, bytes, pieces);
  if (in_pieces.how == Read::kDone) {
    DemandAnswers(job, cancelled, bytes.substr(0, in_pieces.bytes), in_pieces.outcome);
  }
  if (bytes.size() > (size_t{64} << 10)) return;
  const Reading at_once = ReadAnswers(job, cancelled, bytes, 1);
  if (at_once.how == Read::kDone) {
    DemandAnswers(job, cancelled, bytes, at_once.outcome);
    Demand(in_pieces.how == Read::kDone, "in pieces it is the same");
  }
  if (in_pieces.how == Read::kGarbage) Demand(at_once.how == Read::kGarbage, "garbage is garbage");
}

void DemandRoundTrip(const Job& job) {
  std::string frame;
  Demand(AppendFrame(job, &frame).ok(), "a job that was read can be sent");
  Job again;
  Demand(again.ParseFromArray(frame.data() + kPrefix, static_cast<int>(frame.size() - kPrefix)) &&
             again.ByteSizeLong() == job.ByteSizeLong() &&
             again.SerializeAsString().size() == frame.size() - kPrefix,
         "and read again");
  MessageDifferencer differencer;
  differencer.set_message_field_comparison(MessageDifferencer::EQUIVALENT);
  Demand(differencer.Compare(job, again), "as the same");
}

void ReadAsWorker(std::string_view bytes) {
  if (bytes.size() > (size_t{64} << 10)) return;
  std::string_view rest = bytes;
  const std::vector<std::string_view> frames = SplitFrames(&rest);
  const size_t announced = rest.size() < kPrefix ? 0 : Announced(rest);
  if (announced > kMaxAnnounced && announced <= kMaxFrameBytes) return;
  Socket socket;
  if (!bytes.empty()) socket.Send(bytes);
  socket.HangUp();
  for (const std::string_view frame : frames) {
    Job job, expected;
    const bool parses = expected.ParseFromArray(frame.data(), static_cast<int>(frame.size()));
    const absl::Status status = ReadFrame(socket.fd[0], &job);
    Demand(status.ok() == parses, "a frame is read if it parses");
    if (!parses) return Demand(absl::IsDataLoss(status), "and is garbage if not");
    DemandRoundTrip(job);
  }
  Job job;
  const absl::Status status = ReadFrame(socket.fd[0], &job);
  if (rest.empty()) return Demand(absl::IsOutOfRange(status), "the end is between frames");
  Demand(announced > kMaxFrameBytes ? absl::IsDataLoss(status) : absl::IsUnavailable(status),
         "the end is inside of a frame");
}

std::string Framed(std::string_view body) {
  std::string frame(kPrefix, '\0');
  for (size_t i = 0; i < kPrefix; ++i) frame[i] = static_cast<char>(body.size() >> 8 * i);
  return frame.append(body);
}

std::string MutateFrames(std::string_view bytes, uint64_t seed) {
  kiln::proto::MutationRandom random(seed);
  std::string_view rest = bytes;
  std::vector<std::string> frames;
  for (std::string_view frame : SplitFrames(&rest)) frames.push_back(Framed(frame));
  if (frames.empty()) frames.emplace_back(Framed(""));
  const size_t at = random.Below(frames.size());
  const size_t other = random.Below(frames.size());
  switch (random.Below(8)) {
    case 0: frames.insert(frames.begin() + static_cast<std::ptrdiff_t>(at), frames[other]); break;
    case 1: frames.erase(frames.begin() + static_cast<std::ptrdiff_t>(at)); break;
    case 2: std::swap(frames[at], frames[other]); break;
    case 3:  // a length that differs from the body's
      frames[at][random.Below(kPrefix)] = static_cast<char>(random.Next());
      break;
    default:
      frames[at] = Framed(
          kiln::proto::MutateWire(std::string_view(frames[at]).substr(kPrefix), random.Next()));
  }
  std::string all;
  for (const std::string& frame : frames) all += frame;
  all.append(rest);
  if (random.Below(16) == 0) all.resize(random.Below(all.size() + 1));
  return all;
}

}  // namespace

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size)
    __attribute__((weak));

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned seed) {
  if (size < 2 || seed % 8 == 0) return LLVMFuzzerMutate(data, size, max_size);
  const std::string mutated =
      MutateFrames(std::string_view(reinterpret_cast<const char*>(data) + 1, size - 1), seed);
  if (seed % 32 == 1) data[0] = static_cast<uint8_t>(seed >> 8);
  const size_t bytes = std::min(mutated.size(), max_size - 1);
  std::memcpy(data + 1, mutated.data(), bytes);
  return bytes + 1;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // Protobuf would write a line for each text that is not UTF-8.
  static const auto* const kSilence = new google::protobuf::LogSilencer;
  (void)kSilence;
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  if ((data[0] & 0x80) != 0) {
    ReadAsWorker(bytes);
  } else {
    ReadAsDaemon(data[0], bytes);
  }
  return 0;
}

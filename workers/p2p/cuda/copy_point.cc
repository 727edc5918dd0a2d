#include "workers/p2p/cuda/copy_point.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "workers/kit/console.h"
#include "workers/p2p/pattern.h"

namespace benchwire::p2p::cuda {
namespace {

// Long queues are safe: nothing in them waits for the host.
constexpr std::int64_t kMaxRepeats = 4096;
constexpr std::int64_t kCopiesPerCheck = 64;
constexpr std::size_t kMaxStagingBytes = std::size_t{16} << 20;
constexpr std::int64_t kReserveBytes = std::int64_t{256} << 20;
constexpr std::chrono::microseconds kPollEvery(20);
constexpr std::chrono::milliseconds kDrainEvery(1);

Refusal CallRefusal(const std::string& what, Code code) {
  const kit::Error error = CallError(what, code);
  return {kit::RowStatus::kError, error.code, error.message};
}

}  // namespace

CopyPoint::CopyPoint(const Driver& driver, CopyPlan plan, std::set<Device>* quarantine, std::chrono::milliseconds drain)
    : driver_(driver), plan_(std::move(plan)), quarantine_(quarantine), drain_(drain) {}

CopyPoint::~CopyPoint() {
  if (hung_) {
    if (plan_.access != nullptr) plan_.access->Abandon();
    return;
  }
  {
    const ContextGuard current(driver_, plan_.initiator->context);
    if (start_ != nullptr) driver_.destroy_event(start_);
    if (stop_ != nullptr) driver_.destroy_event(stop_);
    if (copy_stream_ != nullptr) driver_.destroy_stream(copy_stream_);
    if (staging_ != nullptr) driver_.free_host(staging_);
  }
  for (const auto& [gpu, address, stream] :
       {std::tuple(plan_.src, from_, src_stream_), {plan_.dst, to_, dst_stream_}}) {
    const ContextGuard current(driver_, gpu->context);
    if (address != 0) driver_.free(address);
    if (stream != nullptr) driver_.destroy_stream(stream);
  }
}

std::int64_t CopyPoint::max_repeats() const { return kMaxRepeats; }

std::size_t CopyPoint::StagingBytes() const {
  return std::min(kMaxStagingBytes, static_cast<std::size_t>(plan_.request.bytes));
}

std::optional<Refusal> CopyPoint::Open() {
  const bool local = plan_.src == plan_.dst;
  if (auto refusal = CheckMemory(*plan_.src, (local ? 2 : 1) * plan_.request.bytes)) return refusal;
  if (!local) {
    if (auto refusal = CheckMemory(*plan_.dst, plan_.request.bytes)) return refusal;
  }
  if (auto refusal = Allocate(*plan_.src, &from_, &src_stream_)) return refusal;
  if (auto refusal = Allocate(*plan_.dst, &to_, &dst_stream_)) return refusal;
  const ContextGuard current(driver_, plan_.initiator->context);
  if (current.code() != kSuccess) return CallRefusal("cuCtxPushCurrent", current.code());
  for (Event* event : {&start_, &stop_}) {
    if (const Code code = driver_.create_event(event, 0); code != kSuccess) return CallRefusal("cuEventCreate", code);
  }
  if (const Code code = driver_.create_stream(&copy_stream_, kStreamNonBlocking); code != kSuccess) {
    return CallRefusal("cuStreamCreate", code);
  }
  if (const Code code = driver_.allocate_host(&staging_, StagingBytes()); code != kSuccess) {
    return CallRefusal("cuMemAllocHost", code);
  }
  return std::nullopt;
}

std::optional<Refusal> CopyPoint::CheckMemory(const Gpu& gpu, std::int64_t needed) {
  const ContextGuard current(driver_, gpu.context);
  if (current.code() != kSuccess) return CallRefusal("cuCtxPushCurrent", current.code());
  std::size_t free = 0;
  std::size_t total = 0;
  if (const Code code = driver_.memory_info(&free, &total); code != kSuccess) return CallRefusal("cuMemGetInfo", code);
  if (needed <= static_cast<std::int64_t>(free) - kReserveBytes) return std::nullopt;
  return Refusal{kit::RowStatus::kWaived, "INSUFFICIENT_MEMORY",
                 "needs " + kit::Readable(static_cast<double>(needed), "B") + " and " +
                     kit::Readable(static_cast<double>(kReserveBytes), "B") + " in reserve, " + gpu.endpoint.id +
                     " has " + kit::Readable(static_cast<double>(free), "B")};
}

std::optional<Refusal> CopyPoint::Allocate(const Gpu& gpu, Address* address, Stream* stream) {
  const ContextGuard current(driver_, gpu.context);
  if (current.code() != kSuccess) return CallRefusal("cuCtxPushCurrent", current.code());
  const auto bytes = static_cast<std::size_t>(plan_.request.bytes);
  if (const Code code = driver_.allocate(address, bytes); code != kSuccess) {
    const kit::RowStatus status = code == kOutOfMemory ? kit::RowStatus::kWaived : kit::RowStatus::kError;
    return Refusal{status, ReasonOf(code), CallError("cuMemAlloc on " + gpu.endpoint.id, code).message};
  }
  if (const Code code = driver_.create_stream(stream, kStreamNonBlocking); code != kSuccess) {
    return CallRefusal("cuStreamCreate", code);
  }
  // A buffer that is not where it should be would make a number about something else.
  unsigned type = 0;
  int ordinal = -1;
  if (const Code code = driver_.pointer_attribute(&type, kPointerMemoryType, *address); code != kSuccess) {
    return CallRefusal("cuPointerGetAttribute", code);
  }
  if (const Code code = driver_.pointer_attribute(&ordinal, kPointerDeviceOrdinal, *address); code != kSuccess) {
    return CallRefusal("cuPointerGetAttribute", code);
  }
  if (type == kMemoryTypeDevice && ordinal == gpu.device) return std::nullopt;
  return Refusal{kit::RowStatus::kError, "WRONG_MEMORY",
                 "memory asked for on " + gpu.endpoint.id + " lies on device " + std::to_string(ordinal) + ", type " +
                     std::to_string(type)};
}

std::optional<Refusal> CopyPoint::Enqueue(std::int64_t repeats, const StopCheck& stop) {
  const auto bytes = static_cast<std::size_t>(plan_.request.bytes);
  for (std::int64_t i = 0; i < repeats; ++i) {
    const bool staged = plan_.src != plan_.dst && !plan_.access;
    const Code code = staged
                          ? driver_.copy_peer(to_, plan_.dst->context, from_, plan_.src->context, bytes, copy_stream_)
                          : driver_.copy(to_, from_, bytes, copy_stream_);
    if (code != kSuccess) return CallRefusal(staged ? "cuMemcpyPeerAsync" : "cuMemcpyAsync", code);
    if (i % kCopiesPerCheck == kCopiesPerCheck - 1 && stop() != Stop::kNone) break;  // Await says so.
  }
  return std::nullopt;
}

std::optional<Refusal> CopyPoint::Copy(std::int64_t repeats, const StopCheck& stop, double* milliseconds) {
  const ContextGuard current(driver_, plan_.initiator->context);
  if (current.code() != kSuccess) return CallRefusal("cuCtxPushCurrent", current.code());
  if (const Code code = driver_.record_event(start_, copy_stream_); code != kSuccess)
    return CallRefusal("cuEventRecord", code);
  if (auto refusal = Enqueue(repeats, stop)) {
    // What was queued before the failing call still uses the buffers.
    if (auto waited = Await(copy_stream_, stop)) return waited;
    return refusal;
  }
  if (const Code code = driver_.record_event(stop_, copy_stream_); code != kSuccess)
    return CallRefusal("cuEventRecord", code);
  if (auto refusal = Await(copy_stream_, stop)) return refusal;
  if (const Code code = driver_.query_event(stop_); code != kSuccess) return CallRefusal("cuEventQuery", code);
  float elapsed = 0;
  if (const Code code = driver_.elapsed_time(&elapsed, start_, stop_); code != kSuccess) {
    return CallRefusal("cuEventElapsedTime", code);
  }
  *milliseconds = static_cast<double>(elapsed);
  return std::nullopt;
}

kit::Result<double, Refusal> CopyPoint::Rehearse(std::int64_t repeats, const StopCheck& stop) {
  double milliseconds = 0;
  if (auto refusal = Copy(repeats, stop, &milliseconds)) return *refusal;
  return milliseconds / 1e3;
}

kit::Result<Sample, Refusal> CopyPoint::Take(std::int64_t index, std::int64_t repeats, const StopCheck& stop) {
  const std::uint64_t key = PatternKey(plan_.request.seed, index, 0);
  if (plan_.request.verify) {
    if (auto refusal = Fill(key, stop)) return *refusal;
  }
  double milliseconds = 0;
  if (auto refusal = Copy(repeats, stop, &milliseconds)) return *refusal;
  Sample sample;
  sample.rows.resize(1);
  if (milliseconds > 0) {
    sample.rows[0].value =
        static_cast<double>(plan_.request.bytes) * static_cast<double>(repeats) / (milliseconds / 1e3);
  } else {
    sample.rejected = "the events are 0 ms apart";
  }
  if (plan_.request.verify) {
    if (auto refusal = Compare(key, stop, &sample)) return *refusal;
  }
  return sample;
}

std::optional<Refusal> CopyPoint::Fill(std::uint64_t key, const StopCheck& stop) {
  const auto bytes = static_cast<std::size_t>(plan_.request.bytes);
  {
    const ContextGuard current(driver_, plan_.dst->context);
    if (const Code code = driver_.set_bytes(to_, kPoison, bytes, dst_stream_); code != kSuccess) {
      return CallRefusal("cuMemsetD8Async", code);
    }
    if (auto refusal = Await(dst_stream_, stop)) return refusal;
  }
  const ContextGuard current(driver_, plan_.src->context);
  for (std::size_t at = 0; at < bytes; at += StagingBytes()) {
    const std::size_t size = std::min(StagingBytes(), bytes - at);
    FillPattern(key, static_cast<std::int64_t>(at), {static_cast<std::byte*>(staging_), size});
    if (const Code code = driver_.copy_to_device(from_ + at, staging_, size, src_stream_); code != kSuccess) {
      return CallRefusal("cuMemcpyHtoDAsync", code);
    }
    if (auto refusal = Await(src_stream_, stop)) return refusal;
  }
  return std::nullopt;
}

std::optional<Refusal> CopyPoint::Compare(std::uint64_t key, const StopCheck& stop, Sample* sample) {
  const auto bytes = static_cast<std::size_t>(plan_.request.bytes);
  const ContextGuard current(driver_, plan_.dst->context);
  Difference difference;
  for (std::size_t at = 0; at < bytes; at += StagingBytes()) {
    const std::size_t size = std::min(StagingBytes(), bytes - at);
    if (const Code code = driver_.copy_to_host(staging_, to_ + at, size, dst_stream_); code != kSuccess) {
      return CallRefusal("cuMemcpyDtoHAsync", code);
    }
    if (auto refusal = Await(dst_stream_, stop)) return refusal;
    difference.Add(ComparePattern(key, static_cast<std::int64_t>(at), {static_cast<std::byte*>(staging_), size}));
  }
  sample->rows[0].verified_bytes = plan_.request.bytes;
  sample->rows[0].mismatched_bytes = difference.mismatched;
  sample->first_bad = difference.first;
  return std::nullopt;
}

std::optional<Refusal> CopyPoint::Await(Stream stream, const StopCheck& stop) {
  Code code = driver_.query_stream(stream);
  while (code == kNotReady) {
    if (const Stop why = stop(); why != Stop::kNone) {
      // Slow work may end a little later; work that does not has hung.
      const auto until = std::chrono::steady_clock::now() + drain_;
      while (code == kNotReady && std::chrono::steady_clock::now() < until) {
        std::this_thread::sleep_for(kDrainEvery);
        code = driver_.query_stream(stream);
      }
      hung_ = code == kNotReady;
      if (hung_) quarantine_->insert({plan_.src->device, plan_.dst->device});
      return StopRefusal(why);
    }
    std::this_thread::sleep_for(kPollEvery);
    code = driver_.query_stream(stream);
  }
  if (code != kSuccess) return CallRefusal("cuStreamQuery", code);
  return std::nullopt;
}

}  // namespace benchwire::p2p::cuda

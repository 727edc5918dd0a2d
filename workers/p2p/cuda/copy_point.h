// A copy between the memories of two GPUs, or within one, by the copy engine. Bytes are compared by the owner of the
// destination: a reading by the writer would not see a private mirror of the peer's memory.
#ifndef BENCHWIRE_WORKERS_P2P_CUDA_COPY_POINT_H_
#define BENCHWIRE_WORKERS_P2P_CUDA_COPY_POINT_H_

#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "workers/p2p/backend.h"
#include "workers/p2p/cuda/devices.h"
#include "workers/p2p/cuda/driver.h"

namespace benchwire::p2p::cuda {

struct CopyPlan {
  PointRequest request;
  const Gpu* src = nullptr;
  const Gpu* dst = nullptr;
  const Gpu* initiator = nullptr;      // Whose stream copies.
  std::unique_ptr<PeerAccess> access;  // Held while the point lives; null for local and staged copies.
  kit::Labels labels;
};

class CopyPoint final : public Point {
 public:
  // `quarantine`: devices whose work did not end. A point that hangs adds its devices, and then frees nothing: every
  // further call could block for ever. `drain`: how long after a stop the work may still take to end.
  CopyPoint(const Driver& driver, CopyPlan plan, std::set<Device>* quarantine, std::chrono::milliseconds drain);
  ~CopyPoint() override;

  // Allocates. WAIVED where the size does not fit, ERROR where a call fails.
  std::optional<Refusal> Open();

  std::vector<kit::Labels> rows() const override { return {plan_.labels}; }
  std::int64_t max_repeats() const override;
  kit::Result<double, Refusal> Rehearse(std::int64_t repeats, const StopCheck& stop) override;
  kit::Result<Sample, Refusal> Take(std::int64_t index, std::int64_t repeats, const StopCheck& stop) override;

 private:
  std::optional<Refusal> CheckMemory(const Gpu& gpu, std::int64_t needed);
  std::optional<Refusal> Allocate(const Gpu& gpu, Address* address, Stream* stream);
  std::optional<Refusal> Copy(std::int64_t repeats, const StopCheck& stop, double* milliseconds);
  std::optional<Refusal> Enqueue(std::int64_t repeats, const StopCheck& stop);
  std::optional<Refusal> Fill(std::uint64_t key, const StopCheck& stop);
  std::optional<Refusal> Compare(std::uint64_t key, const StopCheck& stop, Sample* sample);
  // Waits for all work of a stream by asking, never by blocking.
  std::optional<Refusal> Await(Stream stream, const StopCheck& stop);
  std::size_t StagingBytes() const;

  const Driver& driver_;
  CopyPlan plan_;
  std::set<Device>* quarantine_;
  std::chrono::milliseconds drain_;
  bool hung_ = false;
  Address from_ = 0;
  Address to_ = 0;
  Stream src_stream_ = nullptr;   // Fills the source.
  Stream dst_stream_ = nullptr;   // Poisons and reads the destination.
  Stream copy_stream_ = nullptr;  // The initiator's.
  Event start_ = nullptr;
  Event stop_ = nullptr;
  void* staging_ = nullptr;  // Pinned host memory.
};

}  // namespace benchwire::p2p::cuda

#endif  // BENCHWIRE_WORKERS_P2P_CUDA_COPY_POINT_H_

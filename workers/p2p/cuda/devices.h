// Finding the GPUs and what the driver claims about pairs of them.
#ifndef BENCHWIRE_WORKERS_P2P_CUDA_DEVICES_H_
#define BENCHWIRE_WORKERS_P2P_CUDA_DEVICES_H_

#include <string>
#include <vector>

#include "workers/p2p/backend.h"
#include "workers/p2p/cuda/driver.h"

namespace benchwire::p2p::cuda {

struct Gpu {
  Endpoint endpoint;
  Device device = 0;
  Context context = nullptr;  // The primary one, retained for the life of the backend.
  bool mig = false;           // A slice of a GPU, which has no peers.
};

// Initialises the driver and counts the GPUs, at least 1. Touches none of them. The error is the reason why no GPU can
// be used: STUB_DRIVER, DRIVER_TOO_OLD, NO_DEVICE, FABRIC_NOT_READY, … A count is never read after an error.
kit::Result<int> CountGpus(const Driver& driver);

// Retains a context on every GPU, or only on those that `granted` names as `gpu:UUID` where it is not empty. The errors
// of CountGpus and of the calls. `root` stands before /sys; empty in use.
kit::Result<std::vector<Gpu>> FindGpus(const Driver& driver, const std::vector<std::string>& granted,
                                       const std::string& root);

// Every ordered pair, itself included: what the driver claims, and whether enabling the access worked. Access is
// switched off again, but where it was on before (704). "Can access" is one-way: src may map memory of dst.
std::vector<Link> ProbeLinks(const Driver& driver, const std::vector<Gpu>& gpus);

// Access of one context to the memory of another while it lives.
class PeerAccess {
 public:
  PeerAccess(const Driver& driver, const Gpu& from, const Gpu& peer);
  ~PeerAccess();
  PeerAccess(const PeerAccess&) = delete;
  PeerAccess& operator=(const PeerAccess&) = delete;
  // kSuccess, or why there is no access.
  Code code() const { return code_; }
  // It was on before, by someone else, and stays on.
  bool was_on() const { return was_on_; }
  // Leaves access as it is when this goes: switching it off on a device that hangs could block.
  void Abandon() { abandoned_ = true; }

 private:
  const Driver& driver_;
  Context from_;
  Context peer_;
  Code code_;
  bool was_on_ = false;
  bool abandoned_ = false;
};

}  // namespace benchwire::p2p::cuda

#endif  // BENCHWIRE_WORKERS_P2P_CUDA_DEVICES_H_

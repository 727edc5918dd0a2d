// GPUs, through the CUDA driver API. Copies by the copy engine, with peer access on (path `direct`) and off (path
// `staged`), and within a GPU (path `local`).
#ifndef BENCHWIRE_WORKERS_P2P_CUDA_CUDA_BACKEND_H_
#define BENCHWIRE_WORKERS_P2P_CUDA_CUDA_BACKEND_H_

#include <chrono>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "workers/p2p/backend.h"
#include "workers/p2p/cuda/copy_point.h"
#include "workers/p2p/cuda/devices.h"
#include "workers/p2p/cuda/driver.h"

namespace benchwire::p2p::cuda {

std::vector<Case> CudaCases();

class CudaBackend final : public Backend {
 public:
  struct Options {
    std::vector<std::string> granted;       // See FindGpus.
    std::string root;                       // Before /sys; empty in use.
    std::chrono::milliseconds drain{2000};  // See CopyPoint.
  };

  // The errors of FindGpus.
  static kit::Result<std::unique_ptr<Backend>> Open(Driver driver, Options options);
  // Releases the contexts, but where work has hung.
  ~CudaBackend() override;

  std::string name() const override { return "cuda"; }
  const std::vector<Endpoint>& endpoints() const override { return endpoints_; }
  std::vector<Link> Links() override { return links_; }
  std::vector<Case> cases() const override { return CudaCases(); }
  Refusal NoPairs() const override;
  std::vector<std::string> Variants(const Case& test, const Pair& pair) const override;
  kit::Labels VariantLabels(const std::string& variant) const override;
  kit::Result<std::unique_ptr<Point>, Refusal> Prepare(const PointRequest& request, const StopCheck& stop) override;
  // Copies that hold do not show that kernels on two GPUs see each other's writes.
  std::optional<Refusal> Unchecked(const Pair& pair) const override;
  double unstable_above() const override { return 0.05; }
  std::map<std::string, std::string> facts() const override;

 private:
  CudaBackend(Driver driver, Options options, std::vector<Gpu> gpus);
  const Link& LinkOf(const Pair& pair) const { return links_[pair.src * gpus_.size() + pair.dst]; }
  // Switches access on, or finds it off, as the variant says.
  std::optional<Refusal> SetAccess(const PointRequest& request, CopyPlan* plan) const;

  Driver driver_;
  Options options_;
  std::vector<Gpu> gpus_;
  std::vector<Endpoint> endpoints_;
  std::vector<Link> links_;
  std::set<Device> quarantine_;
};

}  // namespace benchwire::p2p::cuda

#endif  // BENCHWIRE_WORKERS_P2P_CUDA_CUDA_BACKEND_H_

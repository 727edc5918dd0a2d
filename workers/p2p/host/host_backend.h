// Host memory: between NUMA nodes, or between the cores of one node. Rows of this backend are never rows of a GPU.
#ifndef BENCHWIRE_WORKERS_P2P_HOST_HOST_BACKEND_H_
#define BENCHWIRE_WORKERS_P2P_HOST_HOST_BACKEND_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "workers/p2p/backend.h"
#include "workers/p2p/host/points.h"

namespace benchwire::p2p::host {

// The cases of the host backend on a machine with one node or with more.
std::vector<Case> HostCases(bool single_node);

class HostBackend final : public Backend {
 public:
  explicit HostBackend(PointContext context) : context_(std::move(context)) {}

  std::string name() const override { return "host"; }
  const std::vector<Endpoint>& endpoints() const override { return context_.topology.endpoints; }
  std::vector<Link> Links() override;
  std::vector<Case> cases() const override { return HostCases(context_.topology.single_node); }
  Refusal NoPairs() const override;
  std::vector<std::string> Variants(const Case&, const Pair&) const override { return {""}; }
  kit::Labels VariantLabels(const std::string&) const override { return {}; }
  kit::Result<std::unique_ptr<Point>, Refusal> Prepare(const PointRequest& request, const StopCheck& stop) override;
  // The comparison of all bytes by their owner is all that host memory needs.
  std::optional<Refusal> Unchecked(const Pair&) const override { return std::nullopt; }
  double unstable_above() const override { return 0.2; }
  std::map<std::string, std::string> facts() const override;

 private:
  PointContext context_;
};

}  // namespace benchwire::p2p::host

#endif  // BENCHWIRE_WORKERS_P2P_HOST_HOST_BACKEND_H_

#include "workers/p2p/cuda/cuda_backend.h"

#include <algorithm>
#include <utility>

namespace benchwire::p2p::cuda {
namespace {

constexpr char kWrite[] = "bw.unidir.write";
constexpr char kRead[] = "bw.unidir.read";
constexpr char kLocal[] = "bw.local";
constexpr char kAccessOn[] = "on";
constexpr char kAccessOff[] = "off";

Case BandwidthCase(const std::string& id, PairShape shape, const std::string& summary) {
  return {id, "bandwidth", "B/s", kit::Direction::kHigher, shape, true, summary};
}

}  // namespace

std::vector<Case> CudaCases() {
  return {BandwidthCase(kWrite, PairShape::kOrdered, "src copies to memory of dst, with peer access on and off"),
          BandwidthCase(kRead, PairShape::kOrdered, "dst copies from memory of src, with peer access on and off"),
          BandwidthCase(kLocal, PairShape::kLocal, "a GPU copies within its own memory")};
}

kit::Result<std::unique_ptr<Backend>> CudaBackend::Open(Driver driver, Options options) {
  kit::Result<std::vector<Gpu>> gpus = FindGpus(driver, options.granted, options.root);
  if (!gpus.ok()) return gpus.error();
  return std::unique_ptr<Backend>(new CudaBackend(std::move(driver), std::move(options), std::move(*gpus)));
}

CudaBackend::CudaBackend(Driver driver, Options options, std::vector<Gpu> gpus)
    : driver_(std::move(driver)),
      options_(std::move(options)),
      gpus_(std::move(gpus)),
      links_(ProbeLinks(driver_, gpus_)) {
  for (const Gpu& gpu : gpus_) endpoints_.push_back(gpu.endpoint);
}

CudaBackend::~CudaBackend() {
  if (!quarantine_.empty()) return;
  for (const Gpu& gpu : gpus_) driver_.release_context(gpu.device);
}

Refusal CudaBackend::NoPairs() const {
  return {
      kit::RowStatus::kWaived, gpus_[0].mig ? "MIG" : "SINGLE_GPU",
      gpus_[0].mig ? "a MIG instance has no peers" : "needs two GPUs; this process may use only " + endpoints_[0].id};
}

std::vector<std::string> CudaBackend::Variants(const Case&, const Pair& pair) const {
  if (pair.src == pair.dst) return {""};
  return {kAccessOn, kAccessOff};
}

kit::Labels CudaBackend::VariantLabels(const std::string& variant) const {
  if (variant.empty()) return {{"path", "local"}};
  return {{"p2p", variant}, {"path", variant == kAccessOn ? "direct" : "staged"}};
}

kit::Result<std::unique_ptr<Point>, Refusal> CudaBackend::Prepare(const PointRequest& request, const StopCheck&) {
  CopyPlan plan;
  plan.request = request;
  plan.src = &gpus_[request.pair.src];
  plan.dst = &gpus_[request.pair.dst];
  plan.initiator = request.case_id == kRead ? plan.dst : plan.src;
  for (const Gpu* gpu : {plan.src, plan.dst}) {
    if (quarantine_.count(gpu->device) > 0) {
      return Refusal{kit::RowStatus::kInconclusive, "DEVICE_QUARANTINED",
                     "earlier work on " + gpu->endpoint.id + " did not end; it is not used again"};
    }
  }
  plan.labels = VariantLabels(request.variant);
  plan.labels.insert({{"src", plan.src->endpoint.id},
                      {"dst", plan.dst->endpoint.id},
                      {"initiator", plan.initiator->endpoint.id},
                      {"direction", "uni"},
                      {"aggregate", "flow"},
                      {"engine", "ce"},
                      {"counting", "copied"}});
  if (auto refusal = SetAccess(request, &plan)) return *refusal;
  auto point = std::make_unique<CopyPoint>(driver_, std::move(plan), &quarantine_, options_.drain);
  if (auto refusal = point->Open()) return *refusal;
  return std::unique_ptr<Point>(std::move(point));
}

std::optional<Refusal> CudaBackend::SetAccess(const PointRequest& request, CopyPlan* plan) const {
  if (request.variant.empty()) return std::nullopt;
  // The initiator maps the other one's memory.
  const bool read = plan->initiator == plan->dst;
  const Gpu& from = read ? *plan->dst : *plan->src;
  const Gpu& peer = read ? *plan->src : *plan->dst;
  const Link& link = LinkOf(read ? Pair{request.pair.dst, request.pair.src} : request.pair);
  if (request.variant == kAccessOn) {
    if (!link.enabled) return Refusal{kit::RowStatus::kWaived, link.reason_code, link.reason};
    plan->access = std::make_unique<PeerAccess>(driver_, from, peer);
    if (plan->access->code() == kSuccess) return std::nullopt;
    const kit::Error error = CallError("cuCtxEnablePeerAccess", plan->access->code());
    return Refusal{kit::RowStatus::kWaived, error.code, error.message};
  }
  // Access must be off in both directions, or the driver may use either.
  for (const auto& [one, other] : {std::pair(&from, &peer), {&peer, &from}}) {
    if (PeerAccess(driver_, *one, *other).was_on()) {
      return Refusal{kit::RowStatus::kWaived, "PEER_ACCESS_ALREADY_ENABLED",
                     "peer access was enabled outside this program, so a copy without it cannot be measured"};
    }
  }
  return std::nullopt;
}

std::optional<Refusal> CudaBackend::Unchecked(const Pair& pair) const {
  if (pair.src == pair.dst || !LinkOf(pair).enabled) return std::nullopt;
  return Refusal{kit::RowStatus::kInconclusive, "NO_KERNEL_CHECKS",
                 "copy-engine copies held; whether kernels see each other's writes was not checked"};
}

std::map<std::string, std::string> CudaBackend::facts() const {
  std::map<std::string, std::string> facts = {{"cuda_library", driver_.library},
                                              {"gpu_count", std::to_string(gpus_.size())},
                                              {"gpu_model", endpoints_[0].model},
                                              {"simulated", driver_.simulated ? "true" : "false"}};
  int version = 0;
  if (driver_.driver_version(&version) == kSuccess) {
    facts["cuda_driver_version"] = std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
  }
  return facts;
}

}  // namespace benchwire::p2p::cuda

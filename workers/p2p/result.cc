#include "workers/p2p/result.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace benchwire::p2p {
namespace {

using Json = nlohmann::ordered_json;

Json EndpointJson(const Endpoint& endpoint) {
  Json json = {{"id", endpoint.id}, {"kind", endpoint.kind}, {"model", endpoint.model}};
  if (!endpoint.uuid.empty()) json["uuid"] = endpoint.uuid;
  if (!endpoint.pci_address.empty()) json["pci_address"] = endpoint.pci_address;
  json["numa_node"] = endpoint.numa_node;
  json["memory_bytes"] = std::to_string(endpoint.memory_bytes);
  json["simulated"] = endpoint.simulated;
  return json;
}

Json LinkJson(const JudgedLink& judged, const std::vector<Endpoint>& endpoints) {
  const Link& link = judged.link;
  Json json = {{"src", endpoints[link.pair.src].id}, {"dst", endpoints[link.pair.dst].id}};
  if (link.can_access) json["can_access"] = *link.can_access;
  json["enabled"] = link.enabled;
  if (link.performance_rank) json["performance_rank"] = *link.performance_rank;
  if (link.native_atomics) json["native_atomics"] = *link.native_atomics;
  json["hop"] = link.hop;
  json["verdict"] = "P2P_VERDICT_" + VerdictName(judged.verdict);
  if (!judged.reason_code.empty()) json["reason_code"] = judged.reason_code;
  if (!judged.reason.empty()) json["reason"] = judged.reason;
  return json;
}

}  // namespace

std::string VerdictName(Verdict verdict) {
  switch (verdict) {
    case Verdict::kPass:
      return "PASS";
    case Verdict::kFail:
      return "FAIL";
    case Verdict::kInconclusive:
      return "INCONCLUSIVE";
    case Verdict::kWaived:
      return "WAIVED";
  }
  return "UNSPECIFIED";
}

JudgedLink Judge(const Link& link, const Evidence& evidence, const std::optional<Refusal>& unchecked) {
  const auto because = [&](Verdict verdict, const Refusal& refusal) {
    return JudgedLink{link, verdict, refusal.code, refusal.reason};
  };
  if (evidence.mismatched_bytes > 0) {
    return {link, Verdict::kFail, "BYTES_DIFFER",
            std::to_string(evidence.mismatched_bytes) + " of " + std::to_string(evidence.verified_bytes) +
                " bytes differ from what was sent"};
  }
  if (evidence.incomplete) return because(Verdict::kInconclusive, *evidence.incomplete);
  if (evidence.verified_bytes > 0) {
    return unchecked ? because(Verdict::kInconclusive, *unchecked) : JudgedLink{link, Verdict::kPass, "", ""};
  }
  if (evidence.measured) return {link, Verdict::kInconclusive, "VERIFICATION_OFF", "no byte was compared"};
  if (evidence.waived) return because(Verdict::kWaived, *evidence.waived);
  return {link, Verdict::kWaived, link.reason_code.empty() ? "NOT_MEASURED" : link.reason_code,
          link.reason.empty() ? "no case ran on this pair" : link.reason};
}

Verdict Worst(const std::vector<JudgedLink>& links) {
  for (Verdict verdict : {Verdict::kFail, Verdict::kInconclusive, Verdict::kPass}) {
    if (std::any_of(links.begin(), links.end(), [&](const JudgedLink& link) { return link.verdict == verdict; })) {
      return verdict;
    }
  }
  return Verdict::kWaived;
}

std::string ResultJson(const RunResult& result) {
  Json json = {{"backend", result.backend == "cuda" ? "P2P_BACKEND_CUDA" : "P2P_BACKEND_HOST"}};
  json["endpoints"] = Json::array();
  for (const Endpoint& endpoint : result.endpoints) json["endpoints"].push_back(EndpointJson(endpoint));
  json["links"] = Json::array();
  for (const JudgedLink& link : result.links) json["links"].push_back(LinkJson(link, result.endpoints));
  json["verdict"] = "P2P_VERDICT_" + VerdictName(result.verdict);
  json["verified_bytes"] = std::to_string(result.verified_bytes);
  json["mismatched_bytes"] = std::to_string(result.mismatched_bytes);
  if (result.drift) json["drift"] = *result.drift;
  json["simulated"] = result.simulated;
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace benchwire::p2p

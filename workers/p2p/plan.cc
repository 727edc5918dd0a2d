#include "workers/p2p/plan.h"

#include <fnmatch.h>

#include <algorithm>
#include <random>

namespace benchwire::p2p {
namespace {

bool Matches(const std::string& pattern, const std::string& id) { return fnmatch(pattern.c_str(), id.c_str(), 0) == 0; }

bool AnyMatches(const std::vector<std::string>& patterns, const std::string& id) {
  return std::any_of(patterns.begin(), patterns.end(), [&](const auto& pattern) { return Matches(pattern, id); });
}

bool AnyIs(const std::vector<Case>& cases, const std::string& pattern) {
  return std::any_of(cases.begin(), cases.end(), [&](const Case& test) { return Matches(pattern, test.id); });
}

kit::Error NoSuchCase(std::size_t index, const std::string& pattern, const std::vector<Case>& here,
                      const std::vector<Case>& elsewhere) {
  std::vector<std::string> ids;
  for (const auto& cases : {here, elsewhere}) {
    for (const Case& test : cases) ids.push_back(test.id);
  }
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  std::string known;
  for (const std::string& id : ids) known += " " + id;
  return {"BAD_SPEC", "cases[" + std::to_string(index) + "]: \"" + pattern + "\" matches no case; there are" + known};
}

kit::Result<std::vector<Pair>> NamedPairs(const std::vector<PairName>& names, const std::vector<Endpoint>& endpoints) {
  std::string known;
  for (const Endpoint& endpoint : endpoints) known += " " + endpoint.id;
  const auto find = [&](const std::string& id) {
    return static_cast<std::size_t>(
        std::find_if(endpoints.begin(), endpoints.end(), [&](const Endpoint& e) { return e.id == id; }) -
        endpoints.begin());
  };
  std::vector<Pair> pairs;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const Pair pair{find(names[i].src), find(names[i].dst)};
    for (const auto& [end, field, id] : {std::tuple(pair.src, "src", names[i].src), {pair.dst, "dst", names[i].dst}}) {
      if (end < endpoints.size()) continue;
      return kit::Error{"BAD_SPEC", "pairs[" + std::to_string(i) + "]." + field + ": \"" + id +
                                        "\" is no endpoint here; there are" + known};
    }
    pairs.push_back(pair);
  }
  return pairs;
}

std::vector<Pair> EveryPair(std::size_t endpoints) {
  std::vector<Pair> pairs;
  for (std::size_t src = 0; src < endpoints; ++src) {
    for (std::size_t dst = 0; dst < endpoints; ++dst) pairs.push_back({src, dst});
  }
  return pairs;
}

std::vector<Pair> PairsOf(PairShape shape, const std::vector<Pair>& all) {
  std::vector<Pair> pairs;
  for (const Pair& pair : all) {
    const bool local = pair.src == pair.dst;
    const bool seen = std::find(pairs.begin(), pairs.end(), Pair{pair.dst, pair.src}) != pairs.end();
    const bool wanted = shape == PairShape::kAny || (shape == PairShape::kLocal && local) ||
                        (shape == PairShape::kOrdered && !local) || (shape == PairShape::kUnordered && !local && !seen);
    if (wanted) pairs.push_back(pair);
  }
  return pairs;
}

// Fisher and Yates with a generator and a reduction that are the same on every machine.
void Shuffle(std::mt19937_64* random, std::vector<Pair>* pairs) {
  for (std::size_t i = pairs->size(); i > 1; --i) {
    std::swap((*pairs)[i - 1], (*pairs)[(((*random)() >> 32) * i) >> 32]);
  }
}

}  // namespace

kit::Result<Plan> MakePlan(const Spec& spec, const Backend& backend, const std::vector<Case>& elsewhere,
                           std::uint64_t seed) {
  const std::vector<Case> cases = backend.cases();
  for (std::size_t i = 0; i < spec.cases.size(); ++i) {
    if (!AnyIs(cases, spec.cases[i]) && !AnyIs(elsewhere, spec.cases[i])) {
      return NoSuchCase(i, spec.cases[i], cases, elsewhere);
    }
  }
  kit::Result<std::vector<Pair>> named = NamedPairs(spec.pairs, backend.endpoints());
  if (!named.ok()) return named.error();
  const std::vector<Pair> all = spec.pairs.empty() ? EveryPair(backend.endpoints().size()) : *named;
  Plan plan;
  std::mt19937_64 random(seed);
  for (const Case& test : cases) {
    if (!AnyMatches(spec.cases, test.id)) continue;
    std::vector<Pair> pairs = PairsOf(test.shape, all);
    if (pairs.empty()) {
      plan.waived.push_back({test, spec.pairs.empty() ? backend.NoPairs()
                                                      : Refusal{kit::RowStatus::kWaived, "NO_MATCHING_PAIR",
                                                                "no pair of the spec suits this case"}});
    }
    Shuffle(&random, &pairs);
    for (const Pair& pair : pairs) {
      for (const std::string& variant : backend.Variants(test, pair)) {
        plan.blocks.push_back({test, pair, variant, test.sized ? spec.sizes_bytes : std::vector<std::int64_t>{0}});
      }
    }
  }
  for (const Case& test : elsewhere) {
    const bool here = std::any_of(cases.begin(), cases.end(), [&](const Case& other) { return other.id == test.id; });
    // `*` means the cases of the backend; a narrower pattern asks for this one.
    const bool asked = std::any_of(spec.cases.begin(), spec.cases.end(), [&](const std::string& pattern) {
      return Matches(pattern, test.id) && !AnyIs(cases, pattern);
    });
    if (here || !asked) continue;
    plan.waived.push_back(
        {test,
         {kit::RowStatus::kWaived, "CASE_NOT_IN_BACKEND", "the backend " + backend.name() + " has no such case"}});
  }
  return plan;
}

}  // namespace benchwire::p2p

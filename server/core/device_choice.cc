#include "server/core/device_choice.h"

#include <algorithm>
#include <bit>
#include <cctype>
#include <map>
#include <string_view>
#include <tuple>

namespace benchwire::core {
namespace {

constexpr size_t kMaxDevices = 64;
constexpr int kMaxSteps = 4096;

uint64_t Bit(size_t device) { return uint64_t{1} << device; }

// So far apart that no number of weaker links outweighs a stronger one.
int64_t WeightOf(v1::LinkClass link_class) {
  switch (link_class) {
    case v1::LINK_CLASS_NVLINK:
      return int64_t{1} << 40;
    case v1::LINK_CLASS_SAME_SWITCH:
      return int64_t{1} << 20;
    case v1::LINK_CLASS_SAME_SOCKET:
      return 1;
    default:
      return 0;
  }
}

class Search {
 public:
  Search(const v1::Inventory& inventory, const std::vector<const v1::Device*>& free, int count,
         v1::LinkClass link_class)
      : count_(count), memory_(std::min(free.size(), kMaxDevices)), all_(memory_.size()) {
    std::map<std::string_view, size_t> index;
    for (size_t i = 0; i < memory_.size(); ++i) {
      memory_[i] = free[i]->memory_bytes();
      index[free[i]->id()] = i;
    }
    const bool any = link_class == v1::LINK_CLASS_UNSPECIFIED;
    close_.assign(memory_.size(), any ? ~uint64_t{0} : 0);
    weight_.assign(memory_.size(), std::vector<int64_t>(memory_.size(), 0));
    for (const v1::DeviceLink& link : inventory.device_links()) {
      const auto first = index.find(link.first());
      const auto second = index.find(link.second());
      if (first == index.end() || second == index.end() || first == second) continue;
      const size_t a = first->second, b = second->second;
      weight_[a][b] = weight_[b][a] = WeightOf(link.link_class());
      if (any || link.link_class() == v1::LINK_CLASS_UNSPECIFIED || link.link_class() > link_class) continue;
      close_[a] |= Bit(b);
      close_[b] |= Bit(a);
    }
    for (size_t i = 0; i < memory_.size(); ++i) Sum(i);
  }

  // The devices of the best set found, none where there is none.
  uint64_t Best() {
    uint64_t best = 0;
    std::tuple<int64_t, int64_t> best_cost;
    for (size_t first = 0; first < memory_.size(); ++first) {
      const uint64_t set = Grow(Bit(first), close_[first] & Everything() & ~Bit(first));
      if (set == 0) continue;
      const std::tuple<int64_t, int64_t> cost = Cost(set);
      if (best == 0 || cost < best_cost) best = set, best_cost = cost;
    }
    return best;
  }

 private:
  uint64_t Everything() const { return memory_.size() == 64 ? ~uint64_t{0} : Bit(memory_.size()) - 1; }
  void Sum(size_t device) {
    for (int64_t weight : weight_[device]) all_[device] += weight;
  }

  // Links that the devices left free lose, and memory taken.
  std::tuple<int64_t, int64_t> Cost(uint64_t set) const {
    int64_t lost = 0, memory = 0;
    uint64_t counted = 0;
    for (size_t i = 0; i < memory_.size(); ++i) {
      if ((set & Bit(i)) == 0) continue;
      memory += memory_[i];
      lost += all_[i] - LinksInto(i, counted);
      counted |= Bit(i);
    }
    return {lost, memory};
  }
  int64_t LinksInto(size_t device, uint64_t set) const {
    int64_t sum = 0;
    for (uint64_t rest = set; rest != 0; rest &= rest - 1) {
      sum += weight_[device][static_cast<size_t>(std::countr_zero(rest))];
    }
    return sum;
  }

  // Grows a set by its candidates, all close to each of its devices, to the full count; 0 where that cannot be.
  uint64_t Grow(uint64_t set, uint64_t candidates) {
    const int missing = count_ - std::popcount(set);
    if (missing == 0) return set;
    if (std::popcount(candidates) < missing || ++steps_ > kMaxSteps) return 0;
    // What more is lost by it, memory, place.
    std::vector<std::tuple<int64_t, int64_t, size_t>> order;
    for (uint64_t rest = candidates; rest != 0; rest &= rest - 1) {
      const auto i = static_cast<size_t>(std::countr_zero(rest));
      order.emplace_back(all_[i] - LinksInto(i, set), memory_[i], i);
    }
    std::sort(order.begin(), order.end());
    for (const auto& [lost, memory, i] : order) {
      if (std::popcount(candidates) < missing) return 0;
      const uint64_t full = Grow(set | Bit(i), candidates & close_[i] & ~Bit(i));
      if (full != 0) return full;
      candidates &= ~Bit(i);
    }
    return 0;
  }

  const int count_;
  std::vector<int64_t> memory_;
  std::vector<int64_t> all_;     // Weights of all links of a device.
  std::vector<uint64_t> close_;  // Devices that may be given together with it.
  std::vector<std::vector<int64_t>> weight_;
  int steps_ = 0;
};

char Lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

}  // namespace

std::optional<std::vector<std::string>> ChooseDevices(const v1::Inventory& inventory,
                                                      const std::vector<const v1::Device*>& free, int count,
                                                      v1::LinkClass link_class) {
  std::vector<std::string> out;
  if (count <= 0) return out;
  if (free.size() < static_cast<size_t>(count)) return std::nullopt;
  const uint64_t best = Search(inventory, free, count, link_class).Best();
  if (best == 0) return std::nullopt;
  for (uint64_t rest = best; rest != 0; rest &= rest - 1) {
    out.push_back(free[static_cast<size_t>(std::countr_zero(rest))]->id());
  }
  return out;
}

bool ModelFits(const std::string& model, const std::string& wanted) {
  if (wanted.size() > model.size()) return false;
  const bool starts =
      std::equal(wanted.begin(), wanted.end(), model.begin(), [](char a, char b) { return Lower(a) == Lower(b); });
  const bool whole_words = wanted.empty() || wanted.size() == model.size() ||
                           std::isalnum(static_cast<unsigned char>(model[wanted.size()])) == 0;
  return starts && whole_words;
}

}  // namespace benchwire::core

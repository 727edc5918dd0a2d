// Which of a worker's free devices a job is given. Pure.
//
// The choice keeps linked groups whole: of all sets it finds, it takes the one that leaves the most and strongest links
// among the devices left free (NVLINK before switch before socket), then the one with the least device memory, then the
// first in inventory order. Such a set is grown from each device in turn, always by the device that takes the fewest
// links away; finding the very best set is NP-hard (densest subgraph of a given size), this finds it on machines whose
// links form groups, as real ones do.
#ifndef BENCHWIRE_SERVER_CORE_DEVICE_CHOICE_H_
#define BENCHWIRE_SERVER_CORE_DEVICE_CHOICE_H_

#include <benchwire/v1/worker.pb.h>

#include <optional>
#include <string>
#include <vector>

namespace benchwire::core {

// `count` of the `free` devices, each two of them at least as close as `link_class` (UNSPECIFIED: not checked), in
// inventory order; nothing where there are no such. At most the first 64 free devices are looked at, in at most 4096
// steps of the search.
std::optional<std::vector<std::string>> ChooseDevices(const v1::Inventory& inventory,
                                                      const std::vector<const v1::Device*>& free, int count,
                                                      v1::LinkClass link_class);

// Whether a model is the wanted one: its whole name or its first words, in any case. Empty wanted: any.
bool ModelFits(const std::string& model, const std::string& wanted);

}  // namespace benchwire::core

#endif  // BENCHWIRE_SERVER_CORE_DEVICE_CHOICE_H_

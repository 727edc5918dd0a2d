// A CUDA driver without GPUs: devices are host memory, time is virtual, and faults are scripted. One core for two
// forms: a table in the test's own process, and a library that stands in for libcuda.so.1 (library.cc). It keeps the
// driver's rules where ours could break them: a current context per call, access that is one-way, no memory used after
// free. One thread.
#ifndef BENCHWIRE_TESTS_UNIT_P2P_FAKE_CUDA_FAKE_DRIVER_H_
#define BENCHWIRE_TESTS_UNIT_P2P_FAKE_CUDA_FAKE_DRIVER_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "workers/p2p/cuda/driver.h"

namespace benchwire::p2p::cuda {

using DevicePair = std::pair<Device, Device>;

// Pairs are (from, to) for copies and (accessor, peer) for access.
struct FakeFaults {
  Code init = kSuccess;
  Code count = kSuccess;
  Code retain = kSuccess;
  std::set<DevicePair> no_access;
  std::map<DevicePair, Code> enable;
  std::map<DevicePair, Code> copy;
  std::set<DevicePair> drop;               // Copies that succeed and write nothing.
  std::map<DevicePair, std::size_t> flip;  // One bit of the byte at this offset arrives wrong.
  std::set<DevicePair> hang;               // Copies that never end.
  std::set<DevicePair> enabled_by_others;  // Access that is on before we come.
  bool zero_time = false;                  // All events have the same time.
  std::optional<Device> wrong_ordinal;     // What every pointer attribute says.
  std::size_t free_bytes = std::size_t{1} << 33;
};

// Faults written as text, such as `init=802 devices=4 enable(0,1)=205 drop(1,0) flip(0,1)=123 hang(0,1) zero_time`.
struct FakeScriptText {
  int devices = 2;
  FakeFaults faults;
};
std::optional<FakeScriptText> ParseFakeScript(const std::string& text);

class FakeDriver {
 public:
  FakeDriver(int devices, FakeFaults faults);
  ~FakeDriver();

  // The table; must not be used after the driver is gone.
  Driver Table();

  // How the calls went.
  std::map<std::string, int> calls;  // Copies by `direct`, `staged`, `local`.
  int allocations() const { return static_cast<int>(memory_.size()); }
  int streams() const { return static_cast<int>(streams_.size()); }
  int contexts_retained() const { return retained_; }
  std::size_t accesses_enabled() const { return enabled_.size(); }
  bool context_stack_empty() const { return stack_.empty(); }

 private:
  struct Block {
    std::unique_ptr<std::byte[]> bytes;
    std::size_t size = 0;
    Device device = -1;  // -1: pinned host memory.
  };

  void BindDevices(Driver* driver);
  void BindContexts(Driver* driver);
  void BindMemory(Driver* driver);
  void BindCopies(Driver* driver);
  void BindStreams(Driver* driver);
  std::optional<Device> Current() const;
  Device DeviceOf(Context context) const;
  // The block that holds [address, address + size), or null.
  const Block* Find(Address address, std::size_t size) const;
  Code CopyBetween(Address dst, Address src, std::size_t size, Stream stream, bool peer_call);
  bool Known(Stream stream) const { return streams_.count(stream) > 0; }
  Code Allocate(std::size_t size, Device device, Address* address);

  const int devices_;
  const FakeFaults faults_;
  bool initialised_ = false;
  int retained_ = 0;
  std::vector<int> context_tokens_;  // Their addresses are the contexts.
  std::vector<Context> stack_;
  std::set<DevicePair> enabled_;
  std::map<Address, Block> memory_;
  std::map<Stream, bool> streams_;  // Whether it hangs.
  std::map<Event, double> events_;  // Virtual milliseconds.
  std::uintptr_t next_handle_ = 0x1000;
  double now_ms_ = 0;
};

}  // namespace benchwire::p2p::cuda

#endif  // BENCHWIRE_TESTS_UNIT_P2P_FAKE_CUDA_FAKE_DRIVER_H_

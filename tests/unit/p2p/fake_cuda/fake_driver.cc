#include "tests/unit/p2p/fake_cuda/fake_driver.h"

#include <cstdio>
#include <cstring>
#include <sstream>

namespace benchwire::p2p::cuda {
namespace {

constexpr Code kInvalidValue = 1;
constexpr Code kNotInitialised = 3;
constexpr Code kInvalidDevice = 101;
constexpr Code kInvalidContext = 201;
constexpr Code kInvalidHandle = 400;
constexpr double kDirectBytesPerMs = 1e6;  // 1 GB/s: slow, so that few copies fill a least sample time.
constexpr double kStagedBytesPerMs = 0.2e6;

}  // namespace

std::optional<FakeScriptText> ParseFakeScript(const std::string& text) {
  FakeScriptText script;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    char name[32] = "";
    int a = 0;
    int b = 0;
    long value = 0;
    const int fields = std::sscanf(word.c_str(), "%31[a-z_](%d,%d)=%ld", name, &a, &b, &value);
    const std::string fault = name;
    if (fields == 1 && std::sscanf(word.c_str(), "%31[a-z_]=%ld", name, &value) == 2) {
      if (fault == "devices") {
        script.devices = static_cast<int>(value);
      } else if (fault == "init") {
        script.faults.init = static_cast<Code>(value);
      } else if (fault == "count") {
        script.faults.count = static_cast<Code>(value);
      } else {
        return std::nullopt;
      }
    } else if (fields == 1 && fault == "zero_time") {
      script.faults.zero_time = true;
    } else if (fields == 3 && fault == "drop") {
      script.faults.drop.insert({a, b});
    } else if (fields == 3 && fault == "hang") {
      script.faults.hang.insert({a, b});
    } else if (fields == 3 && fault == "no_access") {
      script.faults.no_access.insert({a, b});
    } else if (fields == 4 && fault == "enable") {
      script.faults.enable[{a, b}] = static_cast<Code>(value);
    } else if (fields == 4 && fault == "flip") {
      script.faults.flip[{a, b}] = static_cast<std::size_t>(value);
    } else {
      return std::nullopt;
    }
  }
  return script;
}

FakeDriver::FakeDriver(int devices, FakeFaults faults)
    : devices_(devices), faults_(std::move(faults)), context_tokens_(static_cast<std::size_t>(devices)) {
  enabled_ = faults_.enabled_by_others;
}

FakeDriver::~FakeDriver() = default;

Driver FakeDriver::Table() {
  Driver driver;
  driver.simulated = true;
  driver.library = "fake";
  BindDevices(&driver);
  BindContexts(&driver);
  BindMemory(&driver);
  BindCopies(&driver);
  BindStreams(&driver);
  return driver;
}

void FakeDriver::BindDevices(Driver* driver) {
  const auto known = [this](Device device) { return device >= 0 && device < devices_; };
  driver->init = [this](unsigned) {
    initialised_ = faults_.init == kSuccess;
    return faults_.init;
  };
  driver->driver_version = [](int* version) {
    *version = 13000;
    return kSuccess;
  };
  driver->device_count = [this](int* count) {
    // After an error the count is left as it was, as the real one does.
    if (!initialised_) return kNotInitialised;
    if (faults_.count == kSuccess) *count = devices_;
    return faults_.count;
  };
  driver->device_get = [known](Device* device, int ordinal) {
    if (!known(ordinal)) return kInvalidDevice;
    *device = ordinal;
    return kSuccess;
  };
  driver->device_name = [known](char* name, int size, Device device) {
    if (!known(device)) return kInvalidDevice;
    std::snprintf(name, static_cast<std::size_t>(size), "Simulated GPU");
    return kSuccess;
  };
  driver->device_uuid = [known](Uuid* uuid, Device device) {
    if (!known(device)) return kInvalidDevice;
    uuid->fill(0);
    (*uuid)[15] = static_cast<unsigned char>(device + 1);
    return kSuccess;
  };
  driver->device_total_memory = [this, known](std::size_t* bytes, Device device) {
    *bytes = faults_.free_bytes;
    return known(device) ? kSuccess : kInvalidDevice;
  };
  driver->device_pci_address = [known](char* address, int size, Device device) {
    std::snprintf(address, static_cast<std::size_t>(size), "0000:%02X:00.0", device + 1);
    return known(device) ? kSuccess : kInvalidDevice;
  };
  driver->device_attribute = [known](int* value, int attribute, Device device) {
    if (!known(device) || attribute != kAttributeHostNumaId) return kInvalidValue;
    *value = 0;
    return kSuccess;
  };
  driver->can_access_peer = [this, known](int* can, Device from, Device peer) {
    if (!known(from) || !known(peer)) return kInvalidDevice;
    *can = from != peer && faults_.no_access.count({from, peer}) == 0 ? 1 : 0;
    return kSuccess;
  };
  driver->p2p_attribute = [](int* value, int attribute, Device from, Device peer) {
    if (from == peer) return kInvalidDevice;
    *value = attribute == kP2pNativeAtomics ? 1 : 0;
    return kSuccess;
  };
}

std::optional<Device> FakeDriver::Current() const {
  if (stack_.empty()) return std::nullopt;
  return DeviceOf(stack_.back());
}

Device FakeDriver::DeviceOf(Context context) const {
  const auto* token = reinterpret_cast<const int*>(context);
  const auto device = token - context_tokens_.data();
  return device >= 0 && device < devices_ ? static_cast<Device>(device) : -1;
}

void FakeDriver::BindContexts(Driver* driver) {
  driver->retain_context = [this](Context* context, Device device) {
    if (faults_.retain != kSuccess) return faults_.retain;
    *context = reinterpret_cast<Context>(&context_tokens_[static_cast<std::size_t>(device)]);
    ++retained_;
    return kSuccess;
  };
  driver->release_context = [this](Device) {
    --retained_;
    return kSuccess;
  };
  driver->push_context = [this](Context context) {
    if (DeviceOf(context) < 0) return kInvalidContext;
    stack_.push_back(context);
    return kSuccess;
  };
  driver->pop_context = [this](Context* context) {
    if (stack_.empty()) return kInvalidContext;
    *context = stack_.back();
    stack_.pop_back();
    return kSuccess;
  };
  driver->enable_peer_access = [this](Context peer, unsigned) {
    const std::optional<Device> from = Current();
    if (!from) return kInvalidContext;
    const DevicePair pair{*from, DeviceOf(peer)};
    if (pair.first == pair.second || faults_.no_access.count(pair) > 0) return kPeerAccessUnsupported;
    if (enabled_.count(pair) > 0) return kPeerAlreadyEnabled;
    if (const auto fault = faults_.enable.find(pair); fault != faults_.enable.end()) return fault->second;
    enabled_.insert(pair);
    return kSuccess;
  };
  driver->disable_peer_access = [this](Context peer) {
    const std::optional<Device> from = Current();
    if (!from) return kInvalidContext;
    return enabled_.erase({*from, DeviceOf(peer)}) > 0 ? kSuccess : kPeerNotEnabled;
  };
}

Code FakeDriver::Allocate(std::size_t size, Device device, Address* address) {
  Block block{std::make_unique<std::byte[]>(size), size, device};
  *address = reinterpret_cast<Address>(block.bytes.get());
  memory_[*address] = std::move(block);
  return kSuccess;
}

const FakeDriver::Block* FakeDriver::Find(Address address, std::size_t size) const {
  auto after = memory_.upper_bound(address);
  if (after == memory_.begin()) return nullptr;
  const auto& [start, block] = *std::prev(after);
  return address + size <= start + block.size ? &block : nullptr;
}

void FakeDriver::BindMemory(Driver* driver) {
  driver->memory_info = [this](std::size_t* free, std::size_t* total) {
    *free = *total = faults_.free_bytes;
    return Current() ? kSuccess : kInvalidContext;
  };
  driver->allocate = [this](Address* address, std::size_t bytes) {
    const std::optional<Device> device = Current();
    return device ? Allocate(bytes, *device, address) : kInvalidContext;
  };
  driver->free = [this](Address address) { return memory_.erase(address) > 0 ? kSuccess : kInvalidValue; };
  driver->allocate_host = [this](void** address, std::size_t bytes) {
    if (!Current()) return kInvalidContext;
    Address where = 0;
    const Code code = Allocate(bytes, -1, &where);
    *address = reinterpret_cast<void*>(where);
    return code;
  };
  driver->free_host = [this](void* address) {
    return memory_.erase(reinterpret_cast<Address>(address)) > 0 ? kSuccess : kInvalidValue;
  };
  driver->pointer_attribute = [this](void* value, int attribute, Address address) {
    const Block* block = Find(address, 1);
    if (block == nullptr) return kInvalidValue;
    if (attribute == kPointerMemoryType) {
      *static_cast<unsigned*>(value) = block->device >= 0 ? kMemoryTypeDevice : 1;
    } else if (attribute == kPointerDeviceOrdinal) {
      *static_cast<int*>(value) = faults_.wrong_ordinal.value_or(block->device);
    } else {
      return kInvalidValue;
    }
    return kSuccess;
  };
}

Code FakeDriver::CopyBetween(Address dst, Address src, std::size_t size, Stream stream, bool peer_call) {
  const Block* to = Find(dst, size);
  const Block* from = Find(src, size);
  if (to == nullptr || from == nullptr) return kInvalidValue;
  if (!Known(stream)) return kInvalidHandle;
  const DevicePair pair{from->device, to->device};
  if (const auto fault = faults_.copy.find(pair); fault != faults_.copy.end()) return fault->second;
  if (faults_.hang.count(pair) > 0) streams_[stream] = true;
  const bool access = enabled_.count(pair) > 0 || enabled_.count({pair.second, pair.first}) > 0;
  const bool local = pair.first == pair.second;
  ++calls[local ? "local" : access ? "direct" : "staged"];
  if (peer_call) ++calls["peer_call"];
  now_ms_ += static_cast<double>(size) / (local || access ? kDirectBytesPerMs : kStagedBytesPerMs);
  if (faults_.drop.count(pair) > 0) return kSuccess;
  auto* bytes = reinterpret_cast<std::byte*>(dst);
  std::memcpy(bytes, reinterpret_cast<const std::byte*>(src), size);
  const auto flip = faults_.flip.find(pair);
  if (flip != faults_.flip.end() && flip->second < size) bytes[flip->second] ^= std::byte{0x01};
  return kSuccess;
}

void FakeDriver::BindCopies(Driver* driver) {
  driver->copy = [this](Address dst, Address src, std::size_t size, Stream stream) {
    return Current() ? CopyBetween(dst, src, size, stream, false) : kInvalidContext;
  };
  driver->copy_peer = [this](Address dst, Context dst_context, Address src, Context src_context, std::size_t size,
                             Stream stream) {
    const Block* to = Find(dst, size);
    const Block* from = Find(src, size);
    if (to == nullptr || from == nullptr) return kInvalidValue;
    if (to->device != DeviceOf(dst_context) || from->device != DeviceOf(src_context)) return kInvalidContext;
    return Current() ? CopyBetween(dst, src, size, stream, true) : kInvalidContext;
  };
  driver->copy_to_device = [this](Address dst, const void* src, std::size_t size, Stream stream) {
    if (Find(dst, size) == nullptr || !Known(stream)) return kInvalidValue;
    std::memcpy(reinterpret_cast<void*>(dst), src, size);
    return kSuccess;
  };
  driver->copy_to_host = [this](void* dst, Address src, std::size_t size, Stream stream) {
    if (Find(src, size) == nullptr || !Known(stream)) return kInvalidValue;
    std::memcpy(dst, reinterpret_cast<const void*>(src), size);
    return kSuccess;
  };
  driver->set_bytes = [this](Address dst, unsigned char value, std::size_t size, Stream stream) {
    if (Find(dst, size) == nullptr || !Known(stream)) return kInvalidValue;
    std::memset(reinterpret_cast<void*>(dst), value, size);
    return kSuccess;
  };
}

void FakeDriver::BindStreams(Driver* driver) {
  driver->create_stream = [this](Stream* stream, unsigned) {
    if (!Current()) return kInvalidContext;
    *stream = reinterpret_cast<Stream>(next_handle_++);
    streams_[*stream] = false;
    return kSuccess;
  };
  driver->destroy_stream = [this](Stream stream) { return streams_.erase(stream) > 0 ? kSuccess : kInvalidHandle; };
  driver->query_stream = [this](Stream stream) {
    if (!Known(stream)) return kInvalidHandle;
    return streams_[stream] ? kNotReady : kSuccess;
  };
  driver->create_event = [this](Event* event, unsigned) {
    *event = reinterpret_cast<Event>(next_handle_++);
    events_[*event] = 0;
    return kSuccess;
  };
  driver->destroy_event = [this](Event event) { return events_.erase(event) > 0 ? kSuccess : kInvalidHandle; };
  driver->record_event = [this](Event event, Stream stream) {
    if (!Known(stream) || events_.count(event) == 0) return kInvalidHandle;
    events_[event] = now_ms_;
    return kSuccess;
  };
  driver->query_event = [this](Event event) { return events_.count(event) > 0 ? kSuccess : kInvalidHandle; };
  driver->elapsed_time = [this](float* milliseconds, Event start, Event stop) {
    if (events_.count(start) == 0 || events_.count(stop) == 0) return kInvalidHandle;
    *milliseconds = faults_.zero_time ? 0 : static_cast<float>(events_[stop] - events_[start]);
    return kSuccess;
  };
}

}  // namespace benchwire::p2p::cuda

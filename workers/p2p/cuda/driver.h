// The part of the CUDA driver API that is used, as one table of functions: filled from libcuda at run time, or by a
// test's fake. Our own declarations: no CUDA header is needed to build. Functions of a filled table may be called from
// any thread; context state is per thread, as in CUDA.
#ifndef BENCHWIRE_WORKERS_P2P_CUDA_DRIVER_H_
#define BENCHWIRE_WORKERS_P2P_CUDA_DRIVER_H_

#include <array>
#include <cstddef>
#include <functional>
#include <string>

#include "workers/kit/result.h"

namespace benchwire::p2p::cuda {

using Code = int;  // CUresult.
using Device = int;
using Address = unsigned long long;  // CUdeviceptr.
using Context = struct ContextTag*;
using Stream = struct StreamTag*;
using Event = struct EventTag*;
using Uuid = std::array<unsigned char, 16>;

// Results that are treated specially. Their numbers are part of the driver's ABI.
inline constexpr Code kSuccess = 0;
inline constexpr Code kOutOfMemory = 2;
inline constexpr Code kStubLibrary = 34;
inline constexpr Code kInsufficientDriver = 35;
inline constexpr Code kNoDevice = 100;
inline constexpr Code kMapFailed = 205;
inline constexpr Code kPeerAccessUnsupported = 217;
inline constexpr Code kNotReady = 600;
inline constexpr Code kPeerAlreadyEnabled = 704;
inline constexpr Code kPeerNotEnabled = 705;
inline constexpr Code kTooManyPeers = 711;

inline constexpr int kAttributeHostNumaId = 134;
inline constexpr int kP2pPerformanceRank = 1;
inline constexpr int kP2pNativeAtomics = 3;
inline constexpr int kPointerMemoryType = 2;
inline constexpr int kPointerDeviceOrdinal = 9;
inline constexpr unsigned kMemoryTypeDevice = 2;
inline constexpr unsigned kStreamNonBlocking = 1;

struct Driver {
  bool simulated = false;  // The library says that it simulates devices.
  std::string library;     // What was loaded.

  std::function<Code(unsigned flags)> init;
  std::function<Code(int* version)> driver_version;
  std::function<Code(int* count)> device_count;
  std::function<Code(Device* device, int ordinal)> device_get;
  std::function<Code(char* name, int size, Device)> device_name;
  std::function<Code(Uuid* uuid, Device)> device_uuid;
  std::function<Code(std::size_t* bytes, Device)> device_total_memory;
  std::function<Code(char* address, int size, Device)> device_pci_address;
  std::function<Code(int* value, int attribute, Device)> device_attribute;
  std::function<Code(int* can, Device from, Device peer)> can_access_peer;
  std::function<Code(int* value, int attribute, Device from, Device peer)> p2p_attribute;
  std::function<Code(Context* context, Device)> retain_context;
  std::function<Code(Device)> release_context;
  std::function<Code(Context)> push_context;
  std::function<Code(Context*)> pop_context;
  std::function<Code(Context peer, unsigned flags)> enable_peer_access;
  std::function<Code(Context peer)> disable_peer_access;
  std::function<Code(std::size_t* free, std::size_t* total)> memory_info;
  std::function<Code(Address* address, std::size_t bytes)> allocate;
  std::function<Code(Address)> free;
  std::function<Code(void** address, std::size_t bytes)> allocate_host;
  std::function<Code(void*)> free_host;
  std::function<Code(void* value, int attribute, Address)> pointer_attribute;
  std::function<Code(Address dst, Address src, std::size_t bytes, Stream)> copy;
  std::function<Code(Address dst, Context dst_context, Address src, Context src_context, std::size_t bytes, Stream)>
      copy_peer;
  std::function<Code(Address dst, const void* src, std::size_t bytes, Stream)> copy_to_device;
  std::function<Code(void* dst, Address src, std::size_t bytes, Stream)> copy_to_host;
  std::function<Code(Address dst, unsigned char value, std::size_t bytes, Stream)> set_bytes;
  std::function<Code(Stream*, unsigned flags)> create_stream;
  std::function<Code(Stream)> destroy_stream;
  std::function<Code(Stream)> query_stream;
  std::function<Code(Event*, unsigned flags)> create_event;
  std::function<Code(Event)> destroy_event;
  std::function<Code(Event, Stream)> record_event;
  std::function<Code(Event)> query_event;
  std::function<Code(float* milliseconds, Event start, Event stop)> elapsed_time;
};

// Opens `path` and fills the table. The library stays open for the life of the process: the driver does not survive
// unloading. NO_DRIVER_LIBRARY with the loader's reason; MISSING_FUNCTION with the name of what the library lacks.
kit::Result<Driver> LoadDriver(const std::string& path);

// The UPPER_SNAKE_CASE reason of a result, such as 802 FABRIC_NOT_READY; `CUDA_ERROR_N` for those without their own.
std::string ReasonOf(Code code);

// `what: 802 FABRIC_NOT_READY`, with the reason as code.
kit::Error CallError(const std::string& what, Code code);

// Makes a context current while it lives. Calls on another thread do not see it.
class ContextGuard {
 public:
  ContextGuard(const Driver& driver, Context context) : driver_(driver), code_(driver.push_context(context)) {}
  ~ContextGuard() {
    Context popped = nullptr;
    if (code_ == kSuccess) driver_.pop_context(&popped);
  }
  ContextGuard(const ContextGuard&) = delete;
  ContextGuard& operator=(const ContextGuard&) = delete;
  Code code() const { return code_; }

 private:
  const Driver& driver_;
  Code code_;
};

}  // namespace benchwire::p2p::cuda

#endif  // BENCHWIRE_WORKERS_P2P_CUDA_DRIVER_H_

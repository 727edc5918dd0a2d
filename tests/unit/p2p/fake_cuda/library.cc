// The fake driver as a library that a program opens in the place of libcuda.so.1. BENCHWIRE_FAKE_CUDA holds the script
// (ParseFakeScript). It exports benchwireSimulatedDriver, so that whatever it measures is marked as simulated. Built
// twice: the second form, FAKE_CUDA_INCOMPLETE, lacks one function.
#include <cstdio>
#include <cstdlib>

#include "tests/unit/p2p/fake_cuda/fake_driver.h"

namespace {

using namespace benchwire::p2p::cuda;  // NOLINT(google-build-using-namespace): the signatures below are long enough.

FakeDriver MakeFake() {
  const char* text = std::getenv("BENCHWIRE_FAKE_CUDA");
  const std::optional<FakeScriptText> script = ParseFakeScript(text == nullptr ? "" : text);
  if (!script) {
    std::fprintf(stderr, "BENCHWIRE_FAKE_CUDA: cannot be read: %s\n", text);
    std::abort();
  }
  return FakeDriver(script->devices, script->faults);
}

// A C interface has no place for an object: the one global of the tests.
const Driver& Table() {
  static FakeDriver fake = MakeFake();
  static const Driver table = fake.Table();
  return table;
}

}  // namespace

extern "C" {

extern const int benchwireSimulatedDriver;
const int benchwireSimulatedDriver = 1;

Code cuInit(unsigned a) { return Table().init(a); }
Code cuDriverGetVersion(int* a) { return Table().driver_version(a); }
Code cuDeviceGetCount(int* a) { return Table().device_count(a); }
Code cuDeviceGet(Device* a, int b) { return Table().device_get(a, b); }
Code cuDeviceGetName(char* a, int b, Device c) { return Table().device_name(a, b, c); }
Code cuDeviceGetUuid_v2(Uuid* a, Device b) { return Table().device_uuid(a, b); }
Code cuDeviceTotalMem_v2(std::size_t* a, Device b) { return Table().device_total_memory(a, b); }
Code cuDeviceGetPCIBusId(char* a, int b, Device c) { return Table().device_pci_address(a, b, c); }
Code cuDeviceGetAttribute(int* a, int b, Device c) { return Table().device_attribute(a, b, c); }
Code cuDeviceCanAccessPeer(int* a, Device b, Device c) { return Table().can_access_peer(a, b, c); }
Code cuDeviceGetP2PAttribute(int* a, int b, Device c, Device d) { return Table().p2p_attribute(a, b, c, d); }
Code cuDevicePrimaryCtxRetain(Context* a, Device b) { return Table().retain_context(a, b); }
Code cuDevicePrimaryCtxRelease_v2(Device a) { return Table().release_context(a); }
Code cuCtxPushCurrent_v2(Context a) { return Table().push_context(a); }
Code cuCtxPopCurrent_v2(Context* a) { return Table().pop_context(a); }
Code cuCtxEnablePeerAccess(Context a, unsigned b) { return Table().enable_peer_access(a, b); }
Code cuCtxDisablePeerAccess(Context a) { return Table().disable_peer_access(a); }
Code cuMemGetInfo_v2(std::size_t* a, std::size_t* b) { return Table().memory_info(a, b); }
Code cuMemAlloc_v2(Address* a, std::size_t b) { return Table().allocate(a, b); }
Code cuMemFree_v2(Address a) { return Table().free(a); }
Code cuMemAllocHost_v2(void** a, std::size_t b) { return Table().allocate_host(a, b); }
Code cuMemFreeHost(void* a) { return Table().free_host(a); }
Code cuPointerGetAttribute(void* a, int b, Address c) { return Table().pointer_attribute(a, b, c); }
Code cuMemcpyAsync(Address a, Address b, std::size_t c, Stream d) { return Table().copy(a, b, c, d); }
#ifndef FAKE_CUDA_INCOMPLETE
Code cuMemcpyPeerAsync(Address a, Context b, Address c, Context d, std::size_t e, Stream f) {
  return Table().copy_peer(a, b, c, d, e, f);
}
#endif
Code cuMemcpyHtoDAsync_v2(Address a, const void* b, std::size_t c, Stream d) {
  return Table().copy_to_device(a, b, c, d);
}
Code cuMemcpyDtoHAsync_v2(void* a, Address b, std::size_t c, Stream d) { return Table().copy_to_host(a, b, c, d); }
Code cuMemsetD8Async(Address a, unsigned char b, std::size_t c, Stream d) { return Table().set_bytes(a, b, c, d); }
Code cuStreamCreate(Stream* a, unsigned b) { return Table().create_stream(a, b); }
Code cuStreamDestroy_v2(Stream a) { return Table().destroy_stream(a); }
Code cuStreamQuery(Stream a) { return Table().query_stream(a); }
Code cuEventCreate(Event* a, unsigned b) { return Table().create_event(a, b); }
Code cuEventDestroy_v2(Event a) { return Table().destroy_event(a); }
Code cuEventRecord(Event a, Stream b) { return Table().record_event(a, b); }
Code cuEventQuery(Event a) { return Table().query_event(a); }
Code cuEventElapsedTime(float* a, Event b, Event c) { return Table().elapsed_time(a, b, c); }

}  // extern "C"

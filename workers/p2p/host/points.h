// The points of the host backend: copies between the memories of one or two pinned threads, loads of one thread, and a
// ping-pong of two. Each owns its threads and its memory.
#ifndef BENCHWIRE_WORKERS_P2P_HOST_POINTS_H_
#define BENCHWIRE_WORKERS_P2P_HOST_POINTS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "workers/p2p/backend.h"
#include "workers/p2p/host/topology.h"

namespace benchwire::p2p::host {

// memcpy, or a test's faulty stand-in.
using Copier = std::function<void(std::byte* to, const std::byte* from, std::size_t size)>;

// What all points of a backend share. Must outlive them.
struct PointContext {
  std::string root;  // Before /proc and /sys; empty in use.
  Topology topology;
  Copier copier;
  Warn warn;
};

using PointResult = kit::Result<std::unique_ptr<Point>, Refusal>;
using MakePoint = std::function<PointResult(const PointContext&, const PointRequest&, const StopCheck&)>;

// A thread on the source pushes / a thread on the destination pulls / both push at once / one thread copies its own
// memory.
PointResult MakeWrite(const PointContext& context, const PointRequest& request, const StopCheck& stop);
PointResult MakeRead(const PointContext& context, const PointRequest& request, const StopCheck& stop);
PointResult MakeBidir(const PointContext& context, const PointRequest& request, const StopCheck& stop);
PointResult MakeLocal(const PointContext& context, const PointRequest& request, const StopCheck& stop);

// A thread on dst follows a random cycle through the cache lines of memory on src: every load waits for the one before.
PointResult MakeLoadLatency(const PointContext& context, const PointRequest& request, const StopCheck& stop);

// Threads on src and dst answer each other through two cache lines in dst's memory; the value is a round trip.
PointResult MakePingPong(const PointContext& context, const PointRequest& request, const StopCheck& stop);

// The error of making a thread or memory, as a refusal of the point.
Refusal PinRefusal(const PointContext& context, std::size_t endpoint, int error);
// Labels that every host row has: src, dst, topology and, where `bytes` is under four times the last cache,
// cache_resident.
kit::Labels HostLabels(const PointContext& context, const Pair& pair, std::int64_t bytes);
// Warns where a tenth or more of the memory lies on another node than it was asked for.
void CheckPlacement(const PointContext& context, std::size_t endpoint, std::optional<double> share_elsewhere);

}  // namespace benchwire::p2p::host

#endif  // BENCHWIRE_WORKERS_P2P_HOST_POINTS_H_

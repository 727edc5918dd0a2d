// The seam between what is measured and how a run is organised. A backend knows memories (endpoints), what is claimed
// about pairs of them (links), which cases it can run, and how to run one case on one pair with one size (a point).
// Choosing pairs, order, repeats, deadlines, statistics and rows is the campaign's and sees only this. Called by one
// thread; a backend may have threads of its own, and calls the StopCheck from them.
#ifndef BENCHWIRE_WORKERS_P2P_BACKEND_H_
#define BENCHWIRE_WORKERS_P2P_BACKEND_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "workers/kit/events.h"
#include "workers/kit/result.h"

namespace benchwire::p2p {

struct Endpoint {
  std::string id;    // `gpu:0`, `numa:0`, `core:3`.
  std::string kind;  // `gpu`, `host_node` or `core`.
  std::string model;
  std::string uuid;
  std::string pci_address;
  int numa_node = -1;
  std::int64_t memory_bytes = 0;  // 0 where unknown.
  bool simulated = false;
};

// Indices into the endpoints: where the bytes come from and where they go to.
struct Pair {
  std::size_t src = 0;
  std::size_t dst = 0;
  friend bool operator==(const Pair&, const Pair&) = default;
};

// What is claimed about an ordered pair before anything is copied.
struct Link {
  Pair pair;
  std::optional<bool> can_access;
  bool enabled = false;
  std::optional<int> performance_rank;
  std::optional<bool> native_atomics;
  std::string hop = "UNKNOWN";
  std::string reason_code;  // Why it is not enabled, where it is not.
  std::string reason;
};

// Which pairs a case runs on.
enum class PairShape {
  kOrdered,    // Every (a, b) with a != b.
  kUnordered,  // Every {a, b} once: both directions are one point.
  kLocal,      // Every (a, a).
  kAny,        // kOrdered and kLocal.
};

struct Case {
  std::string id;
  std::string metric;  // `bandwidth` or `latency`.
  std::string unit;
  kit::Direction direction = kit::Direction::kNone;
  PairShape shape = PairShape::kOrdered;
  bool sized = true;    // Whether it runs once per size of the spec.
  std::string summary;  // One line for people.
};

// Why a point has no number. `status` is never kOk.
struct Refusal {
  kit::RowStatus status = kit::RowStatus::kError;
  std::string code;
  std::string reason;
};

enum class Stop { kNone, kDeadline, kCancelled };

// Asked between copies and within long ones; any thread. After anything but kNone the callee ends soon with
// StopRefusal.
using StopCheck = std::function<Stop()>;

Refusal StopRefusal(Stop stop);

// What one sample gave for one row.
struct RowSample {
  double value = 0;  // In the case's unit.
  std::int64_t verified_bytes = 0;
  std::int64_t mismatched_bytes = 0;
};

struct Sample {
  std::vector<RowSample> rows;            // In the order of Point::rows().
  std::optional<std::int64_t> first_bad;  // Offset of the first byte that differed.
  std::optional<double> overlap;          // Of concurrent flows: shared time over the longer one's time.
  std::string rejected;                   // Why the sample must not count; empty where it counts.
};

// One case on one pair with one size, ready to run: memory allocated, threads or streams made.
class Point {
 public:
  virtual ~Point() = default;
  // The labels of each row a sample gives, beyond those that the campaign adds (backend, bytes, verified).
  virtual std::vector<kit::Labels> rows() const = 0;
  // The most repeats that one sample may have.
  virtual std::int64_t max_repeats() const = 0;
  // Runs `repeats` operations without checking them and returns their seconds: warm-up and calibration.
  virtual kit::Result<double, Refusal> Rehearse(std::int64_t repeats, const StopCheck& stop) = 0;
  // One sample: poison the destination, fill the source from (seed, index), run `repeats` operations, compare every
  // byte.
  virtual kit::Result<Sample, Refusal> Take(std::int64_t index, std::int64_t repeats, const StopCheck& stop) = 0;
};

struct PointRequest {
  std::string case_id;
  Pair pair;
  std::string variant;     // One of Backend::Variants.
  std::int64_t bytes = 0;  // 0 where the case is not sized.
  std::uint64_t seed = 0;
  bool verify = true;
};

// Reports something the reader of the result should know: code and message.
using Warn = std::function<void(const std::string&, const std::string&)>;

class Backend {
 public:
  virtual ~Backend() = default;
  virtual std::string name() const = 0;  // `host`, `cuda`.
  virtual const std::vector<Endpoint>& endpoints() const = 0;
  // Every ordered pair, itself included.
  virtual std::vector<Link> Links() = 0;
  virtual std::vector<Case> cases() const = 0;
  // Why a case that needs two endpoints can run on none here.
  virtual Refusal NoPairs() const = 0;
  // The ways to run the case on the pair, such as with and without peer access; at least one.
  virtual std::vector<std::string> Variants(const Case& test, const Pair& pair) const = 0;
  // The labels that name a variant, for rows without a point.
  virtual kit::Labels VariantLabels(const std::string& variant) const = 0;
  virtual kit::Result<std::unique_ptr<Point>, Refusal> Prepare(const PointRequest& request, const StopCheck& stop) = 0;
  // A functional check this backend cannot make on the pair, so that bytes that held do not yet make it a PASS.
  virtual std::optional<Refusal> Unchecked(const Pair& pair) const = 0;
  // The coefficient of variation above which samples are called unstable.
  virtual double unstable_above() const = 0;
  // Facts for the environment, by lower_snake_case key.
  virtual std::map<std::string, std::string> facts() const = 0;
};

}  // namespace benchwire::p2p

#endif  // BENCHWIRE_WORKERS_P2P_BACKEND_H_

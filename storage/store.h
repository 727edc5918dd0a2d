// The main store: job state, digests, measurements, workers and events, changed in transactions. One Store belongs to
// one process. Any thread may call it; a transaction function runs on one thread, must be quick and must not call the
// store again.
#ifndef BENCHWIRE_STORAGE_STORE_H_
#define BENCHWIRE_STORAGE_STORE_H_

#include <functional>

#include "absl/status/status.h"
#include "storage/digest_store.h"
#include "storage/event_store.h"
#include "storage/job_store.h"
#include "storage/worker_store.h"

namespace benchwire::storage {

// A consistent state of the store.
class View {
 public:
  virtual ~View() = default;
  virtual const JobStore& jobs() const = 0;
  virtual const WorkerStore& workers() const = 0;
  virtual const DigestStore& digests() const = 0;
  virtual const EventStore& events() const = 0;
  virtual const RequestStore& requests() const = 0;
};

// A state that is being changed. It sees its own changes.
class Transaction {
 public:
  virtual ~Transaction() = default;
  virtual JobStore& jobs() = 0;
  virtual WorkerStore& workers() = 0;
  virtual DigestStore& digests() = 0;
  virtual EventStore& events() = 0;
  virtual RequestStore& requests() = 0;
};

using ReadFunction = std::function<absl::Status(const View&)>;
using WriteFunction = std::function<absl::Status(Transaction&)>;
// Receives the outcome of a write, on the store's own thread; must not block.
using WriteCallback = std::function<void(const absl::Status&)>;

class Store {
 public:
  virtual ~Store() = default;

  // Runs the function on a consistent state and returns its status.
  virtual absl::Status Read(const ReadFunction& function) const = 0;

  // Runs the function in a transaction. Where it returns an error, nothing of it is kept and `done` gets the error.
  // Otherwise `done` is called once its changes are on disk, or with the error that kept them from it:
  // RESOURCE_EXHAUSTED/DISK_FULL, RESOURCE_EXHAUSTED/QUEUE_FULL, UNAVAILABLE/STOPPING, INTERNAL.
  virtual void WriteAsync(WriteFunction function, WriteCallback done) = 0;

  // WriteAsync, waited for.
  absl::Status Write(WriteFunction function);
};

}  // namespace benchwire::storage

#endif  // BENCHWIRE_STORAGE_STORE_H_

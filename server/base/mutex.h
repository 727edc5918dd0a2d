// std::mutex with the annotations that let clang prove what it guards (-Wthread-safety in the tidy preset).
#ifndef BENCHWIRE_SERVER_BASE_MUTEX_H_
#define BENCHWIRE_SERVER_BASE_MUTEX_H_

#include <condition_variable>
#include <mutex>

// absl/base/thread_annotations.h, which absl's own headers bring in, defines GUARDED_BY; the other names are ours.
#include "absl/base/thread_annotations.h"

#if defined(__clang__)
#define BENCHWIRE_ANNOTATION(x) __attribute__((x))
#else
#define BENCHWIRE_ANNOTATION(x)
#endif
#define CAPABILITY(x) BENCHWIRE_ANNOTATION(capability(x))
#define SCOPED_CAPABILITY BENCHWIRE_ANNOTATION(scoped_lockable)
#define REQUIRES(...) BENCHWIRE_ANNOTATION(requires_capability(__VA_ARGS__))
#define EXCLUDES(...) BENCHWIRE_ANNOTATION(locks_excluded(__VA_ARGS__))
#define ACQUIRE(...) BENCHWIRE_ANNOTATION(acquire_capability(__VA_ARGS__))
#define RELEASE(...) BENCHWIRE_ANNOTATION(release_capability(__VA_ARGS__))

namespace benchwire {

class CAPABILITY("mutex") Mutex {
 public:
  void lock() ACQUIRE() { mutex_.lock(); }      // NOLINT(readability-identifier-naming): BasicLockable
  void unlock() RELEASE() { mutex_.unlock(); }  // NOLINT(readability-identifier-naming): BasicLockable

 private:
  std::mutex mutex_;
};

class SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) ACQUIRE(mutex) : mutex_(mutex) { mutex_.lock(); }
  ~MutexLock() RELEASE() { mutex_.unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mutex_;
};

// Waits on a Mutex that the caller holds. Wait in a loop over the condition: a predicate lambda would hide the guarded
// reads from the analysis.
using CondVar = std::condition_variable_any;

}  // namespace benchwire

#endif  // BENCHWIRE_SERVER_BASE_MUTEX_H_

// Requests that wait for something to appear in a store: watches of events and logs. Each is a poll that looks once and says
// whether it is done; it is run when it is added, and again when its topic is notified. Polls run one at a time on the list's own
// thread and may read the stores.
#ifndef BENCHWIRE_SERVER_CORE_WAIT_LIST_H_
#define BENCHWIRE_SERVER_CORE_WAIT_LIST_H_

#include <functional>
#include <map>
#include <set>
#include <string>
#include <thread>

#include "server/base/mutex.h"

namespace benchwire::core {

class WaitList {
 public:
  // Looks once; true where it has delivered and is to be dropped. `stopping`: deliver now whatever there is; it is the last time.
  using Poll = std::function<bool(bool stopping)>;
  using Id = int64_t;

  WaitList();
  ~WaitList();
  WaitList(const WaitList&) = delete;
  WaitList& operator=(const WaitList&) = delete;

  // Any thread. After Stop the poll runs once, as the last time, on the caller's thread.
  Id Add(const std::string& topic, Poll poll);
  // Drops a poll. It may be running when this returns, so it must own what it uses.
  void Remove(Id id);
  // Something new on a topic. Any thread, does not block.
  void Notify(const std::string& topic);
  // Runs every poll for the last time and joins the thread.
  void Stop();

 private:
  struct Wait {
    std::string topic;
    Poll poll;
  };
  void Run();
  std::map<Id, Wait> TakeDue();
  void PutBack(std::map<Id, Wait> waits);

  Mutex mutex_;
  CondVar wake_;
  Id next_id_ GUARDED_BY(mutex_) = 1;
  std::map<Id, Wait> idle_ GUARDED_BY(mutex_);     // Polled, waiting for their topic.
  std::map<Id, Wait> due_ GUARDED_BY(mutex_);      // To be polled.
  std::set<Id> removed_ GUARDED_BY(mutex_);        // Removed while being polled.
  std::set<Id> polling_ GUARDED_BY(mutex_);
  std::set<std::string> notified_ GUARDED_BY(mutex_);
  bool stopping_ GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace benchwire::core

#endif  // BENCHWIRE_SERVER_CORE_WAIT_LIST_H_

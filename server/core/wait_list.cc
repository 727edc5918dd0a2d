#include "server/core/wait_list.h"

#include <utility>

namespace benchwire::core {

WaitList::WaitList() : thread_([this] { Run(); }) {}

WaitList::~WaitList() { Stop(); }

WaitList::Id WaitList::Add(const std::string& topic, Poll poll) {
  {
    MutexLock lock(mutex_);
    if (!stopping_) {
      const Id id = next_id_++;
      due_[id] = {topic, std::move(poll)};
      wake_.notify_one();
      return id;
    }
  }
  poll(/*stopping=*/true);
  return 0;
}

void WaitList::Remove(Id id) {
  MutexLock lock(mutex_);
  idle_.erase(id);
  due_.erase(id);
  if (polling_.contains(id)) removed_.insert(id);
}

void WaitList::Notify(const std::string& topic) {
  MutexLock lock(mutex_);
  notified_.insert(topic);
  wake_.notify_one();
}

void WaitList::Stop() {
  {
    MutexLock lock(mutex_);
    stopping_ = true;
    wake_.notify_one();
  }
  if (thread_.joinable()) thread_.join();
}

// Waits until something is due and takes it. A topic that is notified while its polls run is seen in the next round.
std::map<WaitList::Id, WaitList::Wait> WaitList::TakeDue() {
  MutexLock lock(mutex_);
  while (due_.empty() && notified_.empty() && !stopping_) wake_.wait(mutex_);
  for (auto it = idle_.begin(); it != idle_.end();) {
    if (stopping_ || notified_.contains(it->second.topic)) {
      due_.insert(idle_.extract(it++));
    } else {
      ++it;
    }
  }
  notified_.clear();
  for (const auto& [id, wait] : due_) polling_.insert(id);
  return std::exchange(due_, {});
}

void WaitList::PutBack(std::map<Id, Wait> waits) {
  MutexLock lock(mutex_);
  for (Id id : removed_) waits.erase(id);
  removed_.clear();
  polling_.clear();
  idle_.merge(waits);
}

void WaitList::Run() {
  bool stopping = false;
  while (!stopping) {
    std::map<Id, Wait> due = TakeDue();
    {
      MutexLock lock(mutex_);
      stopping = stopping_;
    }
    std::erase_if(due, [stopping](auto& item) { return item.second.poll(stopping); });
    PutBack(std::move(due));
  }
  // What came in during the last round ends as well.
  MutexLock lock(mutex_);
  for (auto& [id, wait] : due_) wait.poll(true);
  for (auto& [id, wait] : idle_) wait.poll(true);
  due_.clear();
  idle_.clear();
}

}  // namespace benchwire::core

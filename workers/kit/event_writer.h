// Events as JSON Lines on a descriptor. Owned by main, used by one thread at a time. Every line is written whole before
// Write returns, so that a kill loses none that was reported.
#ifndef BENCHWIRE_WORKERS_KIT_EVENT_WRITER_H_
#define BENCHWIRE_WORKERS_KIT_EVENT_WRITER_H_

#include "workers/kit/events.h"

namespace benchwire::kit {

class EventWriter final : public EventSink {
 public:
  // Does not own `fd`. SIGPIPE must be ignored by the process (Cancellation does so).
  explicit EventWriter(int fd) : fd_(fd) {}

  // The errors of EventLine; SECOND_RESULT for a result after a result; READER_GONE where the other end is
  // closed, else WRITE_FAILED with the system's reason; and WRITE_FAILED for every event after: a stream with a hole
  // would be worse than a short one.
  Status Write(const Event& event) override;

 private:
  int fd_;
  bool result_written_ = false;
  bool broken_ = false;
};

}  // namespace benchwire::kit

#endif  // BENCHWIRE_WORKERS_KIT_EVENT_WRITER_H_

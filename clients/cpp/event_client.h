// EventService, typed. Any thread.
#ifndef BENCHWIRE_CLIENTS_CPP_EVENT_CLIENT_H_
#define BENCHWIRE_CLIENTS_CPP_EVENT_CLIENT_H_

#include <benchwire/v1/event_service.pb.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "clients/cpp/connection.h"

namespace benchwire::client {

class EventClient {
 public:
  explicit EventClient(Connection& connection);
  ~EventClient();

  // Gives `take` every event after a revision (absent: only new ones) of resources whose name starts with `prefix`, in
  // order and each once, over any number of lost streams, until it returns false. Where `after_revision` is absent,
  // events written between a stream that broke before its first event and the next one are not seen. CANCELLED with the
  // token. OUT_OF_RANGE/REVISION_UNKNOWN: this is not the database the revision came from.
  absl::Status Watch(std::optional<int64_t> after_revision, const std::string& prefix,
                     const std::function<bool(const v1::Event&)>& take);

 private:
  struct Stub;
  Connection& connection_;
  const std::unique_ptr<Stub> stub_;
};

}  // namespace benchwire::client

#endif  // BENCHWIRE_CLIENTS_CPP_EVENT_CLIENT_H_

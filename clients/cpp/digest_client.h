// DigestService, typed. Every call has a deadline; reads and creates are tried again after transient errors, updates
// and deletes are not: after a lost answer their etag would no longer fit. Any thread.
#ifndef BENCHWIRE_CLIENTS_CPP_DIGEST_CLIENT_H_
#define BENCHWIRE_CLIENTS_CPP_DIGEST_CLIENT_H_

#include <benchwire/v1/digest.pb.h>
#include <benchwire/v1/digest_service.pb.h>

#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "clients/cpp/connection.h"

namespace benchwire::client {

class DigestClient {
 public:
  explicit DigestClient(Connection& connection);
  ~DigestClient();

  // These three draw a request_id where the request has none.
  absl::StatusOr<v1::Digest> Create(v1::CreateDigestRequest request);
  absl::StatusOr<v1::Edition> Publish(v1::PublishDigestRequest request);
  absl::StatusOr<v1::Entry> CreateEntry(v1::CreateEntryRequest request);

  absl::StatusOr<v1::Digest> Get(const std::string& name, v1::DigestView view);
  absl::StatusOr<v1::Edition> GetEdition(const std::string& name);
  absl::StatusOr<v1::Entry> GetEntry(const std::string& name);
  absl::StatusOr<v1::Entry> UpdateEntry(const v1::UpdateEntryRequest& request);
  // Empty etag: not checked.
  absl::Status DeleteEntry(const std::string& name, const std::string& etag);

  // Each calls `take` with the items in the server's order until it returns false.
  absl::Status List(const std::function<bool(const v1::Digest&)>& take);
  absl::Status ListEditions(const std::string& digest, const std::function<bool(const v1::Edition&)>& take);
  absl::Status ListEntries(const std::string& digest, const std::function<bool(const v1::Entry&)>& take);

 private:
  struct Stub;
  Connection& connection_;
  const std::unique_ptr<Stub> stub_;
};

}  // namespace benchwire::client

#endif  // BENCHWIRE_CLIENTS_CPP_DIGEST_CLIENT_H_

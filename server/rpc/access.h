// Who may call what. One table; what is not in it is denied. Pure.
#ifndef BENCHWIRE_SERVER_RPC_ACCESS_H_
#define BENCHWIRE_SERVER_RPC_ACCESS_H_

#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"

namespace benchwire::rpc {

enum class Role { kReader, kSubmitter, kEditor, kWorker, kAdmin };

// Who calls.
struct Principal {
  std::string name;
  std::set<Role> roles;
};

// Every caller where no access is configured; the server then listens on loopback addresses only.
const Principal& LocalPrincipal();

struct AccessRule {
  const char* method;  // `/benchwire.v1.JobService/CreateJob`
  Role role;
};
const std::vector<AccessRule>& AccessRules();

// PERMISSION_DENIED/NO_ROLE naming the role that is missing.
absl::Status CheckAccess(const std::string& method, const Principal& principal);

}  // namespace benchwire::rpc

#endif  // BENCHWIRE_SERVER_RPC_ACCESS_H_

// Messages as JSON, and files. Errors of bad text are INVALID_ARGUMENT naming where it came from.
#ifndef BENCHWIRE_CLIENTS_CLI_JSON_H_
#define BENCHWIRE_CLIENTS_CLI_JSON_H_

#include <google/protobuf/message.h>

#include <string>

#include "absl/status/statusor.h"

namespace benchwire::cli {

// protobuf's JSON on one line: lowerCamelCase names, int64 as strings, fields at their default left out.
absl::StatusOr<std::string> ToJson(const google::protobuf::Message& message);
// The same over several lines.
absl::StatusOr<std::string> ToPrettyJson(const google::protobuf::Message& message);

enum class UnknownFields { kRefuse, kIgnore };
// `from` names the text in errors: a file, `standard input` or an option.
absl::Status FromJson(const std::string& from, const std::string& text, UnknownFields unknown,
                      google::protobuf::Message& message);

// A whole file, `-` for standard input; at most 16 MiB. NOT_FOUND, RESOURCE_EXHAUSTED or UNKNOWN with the reason.
absl::StatusOr<std::string> ReadFile(const std::string& path);
// Text as editors write it: a byte order mark dropped, CRLF and lone CR as LF.
std::string Normalised(const std::string& text);
// "standard input" for `-`.
std::string FileTitle(const std::string& path);

}  // namespace benchwire::cli

#endif  // BENCHWIRE_CLIENTS_CLI_JSON_H_

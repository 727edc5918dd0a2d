// What an entry must look like, and how an update changes one. Pure.
#ifndef BENCHWIRE_SERVER_CORE_ENTRY_TEXT_H_
#define BENCHWIRE_SERVER_CORE_ENTRY_TEXT_H_

#include <benchwire/v1/digest.pb.h>
#include <google/protobuf/field_mask.pb.h>

#include "absl/status/status.h"

namespace benchwire::core {

// Checks what the author wrote and fills in defaults. INVALID_ARGUMENT.
absl::Status ResolveEntry(v1::Entry& entry);

// Checks a title. INVALID_ARGUMENT.
absl::Status CheckTitle(const std::string& field, const v1::LocalizedText& title);

// Takes the fields in the mask from `update`; those it does not set are cleared. Empty or `*`: every field a caller may
// set. Fields that are output only stay as they are, so that what was read can be sent back. INVALID_ARGUMENT: a path
// that is no field.
absl::Status ApplyEntryUpdate(const v1::Entry& update, const google::protobuf::FieldMask& mask, v1::Entry& entry);

}  // namespace benchwire::core

#endif  // BENCHWIRE_SERVER_CORE_ENTRY_TEXT_H_

// The typed parameters of a command: what the definition allows, and the values that a job gives. Pure; any thread.
#ifndef BENCHWIRE_WORKERS_COMMAND_PARAMETER_H_
#define BENCHWIRE_WORKERS_COMMAND_PARAMETER_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "workers/command/template.h"
#include "workers/kit/result.h"
#include "workers/kit/spec_reader.h"

namespace re2 {
class RE2;
}  // namespace re2

namespace benchwire::command {

enum class ParameterType { kInteger, kNumber, kString, kEnum };

struct Parameter {
  ParameterType type = ParameterType::kString;
  std::string description;
  std::optional<std::string> fallback;  // Its default. Without one a job must give a value.
  std::int64_t least_integer = std::numeric_limits<std::int64_t>::min();
  std::int64_t largest_integer = std::numeric_limits<std::int64_t>::max();
  double least_number = std::numeric_limits<double>::lowest();
  double largest_number = std::numeric_limits<double>::max();
  std::vector<std::string> choices;         // Of an enum.
  std::shared_ptr<const re2::RE2> pattern;  // The whole of a string matches it. Null: no pattern.
  std::size_t max_bytes = 1024;             // Of a string.
  // A string may begin with `-`, which most programs would take for an option.
  bool allow_dash = false;
};

using Parameters = std::map<std::string, Parameter>;

// One member of a definition's `parameters`. Errors go into `reader`.
Parameter ReadParameter(kit::SpecReader& reader);

// What a value must be, in words.
std::string WantOf(const Parameter& parameter);

// BAD_SPEC naming the parameter, its value and what is right.
kit::Status CheckValue(const std::string& name, const Parameter& parameter, const std::string& value);

// The values given and the defaults of the others. BAD_SPEC: an unknown parameter, one without value, or a bad value.
kit::Result<Values> ResolveParameters(const Parameters& parameters, const Values& given);

// A pattern of RE2 (github.com/google/re2/wiki/Syntax; linear time), or why it is none.
kit::Result<std::shared_ptr<const re2::RE2>> CompilePattern(const std::string& pattern);

}  // namespace benchwire::command

#endif  // BENCHWIRE_WORKERS_COMMAND_PARAMETER_H_

// Reads a spec, or a configuration: one JSON object in protobuf's JSON form with the original field names. Strict,
// because a spec that is half understood measures something else than was asked: unknown fields, wrong types and values
// out of range are refused by a message that names field, value and what is right. Lenient where protobuf's JSON is:
// fields may be missing or null, and integers may be numbers or strings. The first error is kept; Finish() returns it.
// One thread.
#ifndef BENCHWIRE_WORKERS_KIT_SPEC_READER_H_
#define BENCHWIRE_WORKERS_KIT_SPEC_READER_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "workers/kit/result.h"

namespace benchwire::kit {

class SpecReader {
 public:
  // BAD_SPEC for text that is not one JSON object, repeats a key, or nests deeper than 16. `what` names the text.
  static Result<SpecReader> Parse(const std::string& text, const std::string& what = "spec");

  SpecReader(SpecReader&&) noexcept;
  SpecReader& operator=(SpecReader&&) noexcept;
  ~SpecReader();

  // Whether the field is there and not null.
  bool Has(std::string_view field) const;
  // Each sets `*out` where the field is present and good, and leaves it alone where it is absent.
  void Integer(std::string_view field, std::int64_t min, std::int64_t max, std::int64_t* out);
  void Integers(std::string_view field, std::size_t max_count, std::int64_t min, std::int64_t max,
                std::vector<std::int64_t>* out);
  void Number(std::string_view field, double min, double max, double* out);
  void Numbers(std::string_view field, std::size_t max_count, double min, double max, std::vector<double>* out);
  void Text(std::string_view field, std::size_t max_bytes, std::string* out);
  void Texts(std::string_view field, std::size_t max_count, std::size_t max_bytes, std::vector<std::string>* out);
  void Boolean(std::string_view field, bool* out);
  // As Text, but it may be empty and hold anything but U+0000.
  void AnyText(std::string_view field, std::size_t max_bytes, std::string* out);
  // A map from name to AnyText.
  void TextMap(std::string_view field, std::size_t max_count, std::size_t max_bytes,
               std::map<std::string, std::string>* out);
  // A number as its JSON text, or AnyText.
  void Scalar(std::string_view field, std::size_t max_bytes, std::string* out);
  // Protobuf's JSON form of a Duration: `0.020s`.
  void Duration(std::string_view field, std::chrono::nanoseconds min, std::chrono::nanoseconds max,
                std::chrono::nanoseconds* out);
  // The value of the enum name found in `names`.
  void Enum(std::string_view field, const std::vector<std::pair<std::string, int>>& names, int* out);
  // Calls `read` with a reader for each object of a list, whose fields are then named `field[i].name`.
  void Objects(std::string_view field, std::size_t max_count, const std::function<void(SpecReader&)>& read);
  // Calls `read` with a reader for the object `field`, whose fields are then named `field.name`. False where it is
  // absent.
  bool Object(std::string_view field, const std::function<void(SpecReader&)>& read);
  // Calls `read` with each key of the object `field` and a reader for the object it leads to.
  void Members(std::string_view field, std::size_t max_count,
               const std::function<void(const std::string&, SpecReader&)>& read);
  // Records that `field` is wrong for a reason only the caller knows.
  void Refuse(std::string_view field, const std::string& value, const std::string& want);

  // The first error, unknown fields included.
  Status Finish();

 private:
  SpecReader(std::unique_ptr<nlohmann::json> object, std::string prefix);
  // The field's value, or null where it is absent.
  const nlohmann::json* Find(std::string_view field);
  // The elements of a list, or null where it is absent or wrong.
  const nlohmann::json* FindList(std::string_view field, std::size_t max_count);
  std::optional<std::int64_t> ToInteger(std::string_view field, const nlohmann::json& value, std::int64_t min,
                                        std::int64_t max);
  std::optional<std::string> ToAnyText(std::string_view field, const nlohmann::json& value, std::size_t max_bytes);
  // Reads the object `value`, which the caller found at `field`.
  void ReadObject(const std::string& field, const nlohmann::json& value, const std::function<void(SpecReader&)>& read);
  // The object of at most `max_count` members, or null where it is absent or wrong.
  const nlohmann::json* FindObject(std::string_view field, std::size_t max_count);
  std::optional<double> ToNumber(std::string_view field, const nlohmann::json& value, double min, double max);
  std::optional<std::string> ToText(std::string_view field, const nlohmann::json& value, std::size_t max_bytes);

  std::unique_ptr<nlohmann::json> object_;
  std::string prefix_;
  std::vector<std::string> known_;
  std::optional<Error> error_;
};

// `12`, `0.020s`, `20ms`, `1m` and so on as a duration, for command lines: a number with ns, us, ms, s, m or h.
std::optional<std::chrono::nanoseconds> ParseDuration(std::string_view text);

// `4096`, `64MiB`, `1GiB`, `2KB` as bytes, for command lines: a whole number with KiB, MiB, GiB, TiB, KB, MB, GB, TB or
// none.
std::optional<std::int64_t> ParseBytes(std::string_view text);

}  // namespace benchwire::kit

#endif  // BENCHWIRE_WORKERS_KIT_SPEC_READER_H_

#include "workers/kit/spec_reader.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "workers/kit/parse_number.h"
#include "workers/kit/text.h"

namespace benchwire::kit {
namespace {

using Json = nlohmann::json;

constexpr int kMaxDepth = 16;

std::string Shown(const Json& value) {
  std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  const std::string shown = CleanText(text, 80, '?');
  return shown.size() < text.size() ? shown + "…" : shown;
}

std::string Element(std::string_view field, std::size_t index) {
  return std::string(field) + "[" + std::to_string(index) + "]";
}

// A decimal number such as `0.02`, without exponent, sign or words.
std::optional<double> ParseDecimal(std::string_view text) {
  if (text.empty() || text.find_first_not_of("0123456789.") != std::string_view::npos) return std::nullopt;
  return ParseWhole<double>(text);
}

// The number before a unit of `units`, times the unit. The empty unit may stand last.
template <typename Number>
std::optional<std::pair<Number, std::int64_t>> SplitUnit(
    std::string_view text, const std::vector<std::pair<std::string_view, std::int64_t>>& units,
    std::optional<Number> (*parse)(std::string_view)) {
  for (const auto& [unit, factor] : units) {
    if (!text.ends_with(unit)) continue;
    const std::optional<Number> number = parse(text.substr(0, text.size() - unit.size()));
    if (!number) return std::nullopt;
    return std::pair(*number, factor);
  }
  return std::nullopt;
}

std::string DurationText(std::chrono::nanoseconds duration) {
  std::string text = Json(std::chrono::duration<double>(duration).count()).dump();
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text + "s";
}

}  // namespace

SpecReader::SpecReader(std::unique_ptr<Json> object, std::string prefix)
    : object_(std::move(object)), prefix_(std::move(prefix)) {}
SpecReader::SpecReader(SpecReader&&) noexcept = default;
SpecReader& SpecReader::operator=(SpecReader&&) noexcept = default;
SpecReader::~SpecReader() = default;

Result<SpecReader> SpecReader::Parse(const std::string& text, const std::string& what) {
  std::vector<std::set<std::string>> keys;
  std::string fault;
  const auto watch = [&](int depth, Json::parse_event_t event, Json& parsed) {
    if (depth > kMaxDepth && fault.empty()) fault = "nested deeper than 16";
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end) keys.pop_back();
    if (event == Json::parse_event_t::key && !keys.back().insert(parsed.get<std::string>()).second && fault.empty()) {
      fault = "the key " + Shown(parsed) + " stands twice";
    }
    return true;
  };
  try {
    auto object = std::make_unique<Json>(Json::parse(text, watch));
    if (!fault.empty()) return Error{"BAD_SPEC", what + ": " + fault};
    if (!object->is_object()) return Error{"BAD_SPEC", what + ": " + Shown(*object) + "; want a JSON object"};
    return SpecReader(std::move(object), "");
  } catch (const Json::exception& error) {
    return Error{"BAD_SPEC", what + ": not JSON: " + error.what()};
  }
}

void SpecReader::Refuse(std::string_view field, const std::string& value, const std::string& want) {
  if (!error_) error_ = Error{"BAD_SPEC", prefix_ + std::string(field) + ": " + value + "; want " + want};
}

bool SpecReader::Has(std::string_view field) const {
  const auto found = object_->find(std::string(field));
  return found != object_->end() && !found->is_null();
}

const Json* SpecReader::Find(std::string_view field) {
  known_.emplace_back(field);
  const auto found = object_->find(std::string(field));
  return found == object_->end() || found->is_null() ? nullptr : &*found;
}

const Json* SpecReader::FindList(std::string_view field, std::size_t max_count) {
  const Json* list = Find(field);
  if (list == nullptr) return nullptr;
  if (!list->is_array() || list->size() > max_count) {
    const std::string shown = list->is_array() ? std::to_string(list->size()) + " elements" : Shown(*list);
    Refuse(field, shown, "a list of at most " + std::to_string(max_count));
    return nullptr;
  }
  return list;
}

std::optional<std::int64_t> SpecReader::ToInteger(std::string_view field, const Json& value, std::int64_t min,
                                                  std::int64_t max) {
  std::optional<std::int64_t> number;
  if (value.is_number_unsigned()) {
    const auto raw = value.get<std::uint64_t>();
    if (raw <= static_cast<std::uint64_t>(INT64_MAX)) number = static_cast<std::int64_t>(raw);
  } else if (value.is_number_integer()) {
    number = value.get<std::int64_t>();
  } else if (value.is_number_float()) {
    const auto raw = value.get<double>();
    if (std::trunc(raw) == raw && std::fabs(raw) < 0x1p53) number = static_cast<std::int64_t>(raw);
  } else if (value.is_string()) {
    number = ParseWhole<std::int64_t>(value.get_ref<const std::string&>());
  }
  if (number && *number >= min && *number <= max) return number;
  Refuse(field, Shown(value), "an integer from " + std::to_string(min) + " to " + std::to_string(max));
  return std::nullopt;
}

std::optional<std::string> SpecReader::ToText(std::string_view field, const Json& value, std::size_t max_bytes) {
  if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    const bool control = std::any_of(text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7F; });
    if (!text.empty() && text.size() <= max_bytes && !control) return text;
  }
  Refuse(field, Shown(value), "a text of 1 to " + std::to_string(max_bytes) + " bytes without control characters");
  return std::nullopt;
}

void SpecReader::Integer(std::string_view field, std::int64_t min, std::int64_t max, std::int64_t* out) {
  const Json* value = Find(field);
  if (value == nullptr) return;
  if (const auto number = ToInteger(field, *value, min, max)) *out = *number;
}

void SpecReader::Integers(std::string_view field, std::size_t max_count, std::int64_t min, std::int64_t max,
                          std::vector<std::int64_t>* out) {
  const Json* list = FindList(field, max_count);
  if (list == nullptr) return;
  out->clear();
  for (std::size_t i = 0; i < list->size(); ++i) {
    if (const auto number = ToInteger(Element(field, i), (*list)[i], min, max)) out->push_back(*number);
  }
}

std::optional<double> SpecReader::ToNumber(std::string_view field, const Json& value, double min, double max) {
  std::optional<double> number;
  if (value.is_number()) number = value.get<double>();
  if (value.is_string()) number = ParseWhole<double>(value.get_ref<const std::string&>());
  if (number && *number >= min && *number <= max) return number;
  Refuse(field, Shown(value), "a number from " + Json(min).dump() + " to " + Json(max).dump());
  return std::nullopt;
}

void SpecReader::Number(std::string_view field, double min, double max, double* out) {
  const Json* value = Find(field);
  if (value == nullptr) return;
  if (const auto number = ToNumber(field, *value, min, max)) *out = *number;
}

void SpecReader::Numbers(std::string_view field, std::size_t max_count, double min, double max,
                         std::vector<double>* out) {
  const Json* list = FindList(field, max_count);
  if (list == nullptr) return;
  out->clear();
  for (std::size_t i = 0; i < list->size(); ++i) {
    if (const auto number = ToNumber(Element(field, i), (*list)[i], min, max)) out->push_back(*number);
  }
}

void SpecReader::Text(std::string_view field, std::size_t max_bytes, std::string* out) {
  const Json* value = Find(field);
  if (value == nullptr) return;
  if (auto text = ToText(field, *value, max_bytes)) *out = std::move(*text);
}

void SpecReader::Texts(std::string_view field, std::size_t max_count, std::size_t max_bytes,
                       std::vector<std::string>* out) {
  const Json* list = FindList(field, max_count);
  if (list == nullptr) return;
  out->clear();
  for (std::size_t i = 0; i < list->size(); ++i) {
    if (auto text = ToText(Element(field, i), (*list)[i], max_bytes)) out->push_back(std::move(*text));
  }
}

void SpecReader::Duration(std::string_view field, std::chrono::nanoseconds min, std::chrono::nanoseconds max,
                          std::chrono::nanoseconds* out) {
  const Json* value = Find(field);
  if (value == nullptr) return;
  std::optional<std::chrono::nanoseconds> duration;
  if (value->is_string() && value->get_ref<const std::string&>().ends_with('s')) {
    const auto& text = value->get_ref<const std::string&>();
    const bool seconds = text.size() > 1 && (std::isdigit(static_cast<unsigned char>(text[text.size() - 2])) != 0);
    if (seconds) duration = ParseDuration(text);
  }
  if (duration && *duration >= min && *duration <= max) {
    *out = *duration;
  } else {
    Refuse(field, Shown(*value), "seconds such as \"0.020s\", from " + DurationText(min) + " to " + DurationText(max));
  }
}

void SpecReader::Enum(std::string_view field, const std::vector<std::pair<std::string, int>>& names, int* out) {
  const Json* value = Find(field);
  if (value == nullptr) return;
  std::string want = "one of";
  for (const auto& [name, number] : names) {
    if (value->is_string() && value->get_ref<const std::string&>() == name) {
      *out = number;
      return;
    }
    want += " " + name;
  }
  Refuse(field, Shown(*value), want);
}

void SpecReader::Objects(std::string_view field, std::size_t max_count, const std::function<void(SpecReader&)>& read) {
  const Json* list = FindList(field, max_count);
  if (list == nullptr) return;
  for (std::size_t i = 0; i < list->size(); ++i) {
    const Json& item = (*list)[i];
    ReadObject(Element(field, i), item, read);
  }
}

void SpecReader::ReadObject(const std::string& field, const Json& value, const std::function<void(SpecReader&)>& read) {
  if (!value.is_object()) {
    Refuse(field, Shown(value), "an object");
    return;
  }
  SpecReader reader(std::make_unique<Json>(value), prefix_ + field + ".");
  read(reader);
  if (Status status = reader.Finish(); !status.ok() && !error_) error_ = status.error();
}

bool SpecReader::Object(std::string_view field, const std::function<void(SpecReader&)>& read) {
  const Json* value = Find(field);
  if (value == nullptr) return false;
  ReadObject(std::string(field), *value, read);
  return true;
}

const Json* SpecReader::FindObject(std::string_view field, std::size_t max_count) {
  const Json* value = Find(field);
  if (value == nullptr || (value->is_object() && value->size() <= max_count)) return value;
  const std::string shown = value->is_object() ? std::to_string(value->size()) + " members" : Shown(*value);
  Refuse(field, shown, "an object of at most " + std::to_string(max_count) + " members");
  return nullptr;
}

void SpecReader::Members(std::string_view field, std::size_t max_count,
                         const std::function<void(const std::string&, SpecReader&)>& read) {
  const Json* object = FindObject(field, max_count);
  if (object == nullptr) return;
  for (const auto& [name, value] : object->items()) {
    ReadObject(std::string(field) + "." + name, value, [&read, &key = name](SpecReader& reader) { read(key, reader); });
  }
}

void SpecReader::TextMap(std::string_view field, std::size_t max_count, std::size_t max_bytes,
                         std::map<std::string, std::string>* out) {
  const Json* object = FindObject(field, max_count);
  if (object == nullptr) return;
  out->clear();
  for (const auto& [name, value] : object->items()) {
    if (auto text = ToAnyText(std::string(field) + "." + name, value, max_bytes)) (*out)[name] = std::move(*text);
  }
}

std::optional<std::string> SpecReader::ToAnyText(std::string_view field, const Json& value, std::size_t max_bytes) {
  if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    if (text.size() <= max_bytes && text.find('\0') == std::string::npos) return text;
  }
  Refuse(field, Shown(value), "a text of at most " + std::to_string(max_bytes) + " bytes without U+0000");
  return std::nullopt;
}

void SpecReader::AnyText(std::string_view field, std::size_t max_bytes, std::string* out) {
  const Json* value = Find(field);
  if (value == nullptr) return;
  if (auto text = ToAnyText(field, *value, max_bytes)) *out = std::move(*text);
}

void SpecReader::Scalar(std::string_view field, std::size_t max_bytes, std::string* out) {
  const Json* value = Find(field);
  if (value == nullptr) return;
  if (value->is_number()) {
    *out = value->dump();
  } else if (auto text = ToAnyText(field, *value, max_bytes)) {
    *out = std::move(*text);
  }
}

void SpecReader::Boolean(std::string_view field, bool* out) {
  const Json* value = Find(field);
  if (value == nullptr) return;
  if (value->is_boolean()) {
    *out = value->get<bool>();
  } else {
    Refuse(field, Shown(*value), "true or false");
  }
}

Status SpecReader::Finish() {
  for (const auto& [key, value] : object_->items()) {
    if (std::find(known_.begin(), known_.end(), key) != known_.end()) continue;
    std::string want = "no such field; there are";
    for (const std::string& name : known_) want += " " + name;
    Refuse(Shown(Json(key)), Shown(value), want);
  }
  return error_ ? Status(*error_) : Status();
}

std::optional<std::chrono::nanoseconds> ParseDuration(std::string_view text) {
  const auto split = SplitUnit<double>(text,
                                       {{"ns", 1},
                                        {"us", 1'000},
                                        {"ms", 1'000'000},
                                        {"s", 1'000'000'000},
                                        {"m", 60'000'000'000},
                                        {"h", 3'600'000'000'000}},
                                       ParseDecimal);
  if (!split) return std::nullopt;
  const double nanoseconds = split->first * static_cast<double>(split->second);
  if (!(nanoseconds < 0x1p62)) return std::nullopt;
  return std::chrono::nanoseconds(std::llround(nanoseconds));
}

std::optional<std::int64_t> ParseBytes(std::string_view text) {
  const auto split = SplitUnit<std::int64_t>(text,
                                             {{"KiB", std::int64_t{1} << 10},
                                              {"MiB", std::int64_t{1} << 20},
                                              {"GiB", std::int64_t{1} << 30},
                                              {"TiB", std::int64_t{1} << 40},
                                              {"KB", 1'000},
                                              {"MB", 1'000'000},
                                              {"GB", 1'000'000'000},
                                              {"TB", 1'000'000'000'000},
                                              {"", 1}},
                                             ParseWhole<std::int64_t>);
  if (!split || split->first < 0 || split->first > INT64_MAX / split->second) return std::nullopt;
  return split->first * split->second;
}

}  // namespace benchwire::kit

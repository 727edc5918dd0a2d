#include "workers/agent/json_check.h"

#include <nlohmann/json.hpp>
#include <set>
#include <utility>
#include <vector>

#include "server/base/status.h"
#include "workers/agent/safe_text.h"

namespace benchwire::agent {
namespace {

class Checker final : public nlohmann::json_sax<nlohmann::json> {
 public:
  // NOLINTBEGIN(readability-identifier-naming): names of nlohmann's interface
  bool null() override { return Scalar(); }
  bool boolean(bool) override { return Scalar(); }
  bool number_integer(number_integer_t) override { return Scalar(); }
  bool number_unsigned(number_unsigned_t) override { return Scalar(); }
  bool number_float(number_float_t, const string_t&) override { return Scalar(); }
  bool string(string_t&) override { return Scalar(); }
  bool binary(binary_t&) override { return Scalar(); }
  bool start_object(std::size_t) override { return Open(); }
  bool key(string_t& name) override {
    key_ = name;
    if (!keys_.back().insert(name).second)
      return Fail(BadField(Path(), SafeText(name, 64), "each key once in an object"));
    if (keys_.size() == 1 && keys_.back().size() > 1) {
      return Fail(BadField("event", SafeText(name, 64), "an object with exactly one key, the kind of event"));
    }
    return true;
  }
  bool end_object() override { return Close(); }
  bool start_array(std::size_t) override {
    if (keys_.empty()) return Scalar();
    return Open();
  }
  bool end_array() override { return Close(); }
  bool parse_error(std::size_t position, const std::string& token, const nlohmann::detail::exception& error) override {
    std::string why = error.what();
    // "[json.exception.parse_error.101] parse error at …": the part for people.
    if (const size_t end = why.find("] "); end != std::string::npos) why = why.substr(end + 2);
    return Fail(BadField("event", SafeText(token, 100),
                         "a JSON object (byte " + std::to_string(position) + ": " + SafeText(why, 300) + ")"));
  }
  // NOLINTEND(readability-identifier-naming)

  const absl::Status& status() const { return status_; }
  bool empty() const { return fields_ == 0; }

 private:
  std::string Path() const { return key_.empty() ? "event" : SafeText(key_, 64); }
  bool Scalar() {
    if (keys_.empty()) return Fail(BadField("event", "", "a JSON object"));
    return true;
  }
  bool Open() {
    if (static_cast<int>(keys_.size()) >= kMaxJsonDepth) {
      return Fail(BadField(Path(), "", "at most " + std::to_string(kMaxJsonDepth) + " levels of nesting"));
    }
    keys_.emplace_back();
    return true;
  }
  bool Close() {
    if (keys_.size() == 1) fields_ = keys_.back().size();
    keys_.pop_back();
    return true;
  }
  bool Fail(absl::Status status) {
    status_ = std::move(status);
    return false;
  }

  std::vector<std::set<std::string>> keys_;
  std::string key_;
  size_t fields_ = 0;
  absl::Status status_;
};

}  // namespace

absl::Status CheckEventJson(const std::string& text) {
  Checker checker;
  const bool parsed = nlohmann::json::sax_parse(text, &checker);
  RETURN_IF_ERROR(checker.status());
  if (!parsed || checker.empty()) return BadField("event", "", "a JSON object with exactly one key, the kind of event");
  return absl::OkStatus();
}

}  // namespace benchwire::agent

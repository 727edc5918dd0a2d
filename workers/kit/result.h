// Errors as values for runners, which must not depend on Abseil. An error is a code for programs and a message for
// people.
#ifndef BENCHWIRE_WORKERS_KIT_RESULT_H_
#define BENCHWIRE_WORKERS_KIT_RESULT_H_

#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace benchwire::kit {

struct Error {
  std::string code;     // UPPER_SNAKE_CASE, such as `NO_DEVICE`.
  std::string message;  // In words: what was wrong, with which value, and what would be right.
};

// A value or an error. value() may be called only where ok(), error() only where not.
template <typename T, typename E = Error>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}  // Implicit, for `return value;`.
  Result(E error) : state_(std::in_place_index<1>, std::move(error)) {}  // Implicit, for `return Error{…};`.

  bool ok() const { return state_.index() == 0; }
  T& value() & { return std::get<0>(state_); }
  const T& value() const& { return std::get<0>(state_); }
  T&& value() && { return std::get<0>(std::move(state_)); }
  const E& error() const { return std::get<1>(state_); }
  T& operator*() { return value(); }
  const T& operator*() const { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

 private:
  std::variant<T, E> state_;
};

// Nothing or an error.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Error error) : error_(std::move(error)) {}  // Implicit, for `return Error{…};`.

  bool ok() const { return !error_.has_value(); }
  const Error& error() const { return *error_; }

 private:
  std::optional<Error> error_;
};

}  // namespace benchwire::kit

#endif  // BENCHWIRE_WORKERS_KIT_RESULT_H_

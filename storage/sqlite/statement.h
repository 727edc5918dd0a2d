// SQL statements prepared once per connection, with typed parameters and columns. They belong to the connection's
// thread. SOCI's exceptions end here: every error comes back as a status, see ToStatus in errors.h.
#ifndef BENCHWIRE_STORAGE_SQLITE_STATEMENT_H_
#define BENCHWIRE_STORAGE_SQLITE_STATEMENT_H_

#include <soci/soci.h>

#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <utility>

#include "absl/status/statusor.h"
#include "storage/sqlite/errors.h"

namespace benchwire::storage {

// Bytes of a BLOB parameter or column, also none.
struct Bytes {
  std::string value;
};

// The storage SOCI binds to for one parameter or column.
template <typename T>
class Slot;

template <>
class Slot<int64_t> {
 public:
  explicit Slot(soci::session&) {}
  void Set(int64_t value) { value_ = value; }
  int64_t Get() { return value_; }
  long long& bound() { return value_; }

 private:
  long long value_ = 0;
};

template <>
class Slot<std::string> {
 public:
  explicit Slot(soci::session&) {}
  void Set(const std::string& value) { value_ = value; }
  std::string Get() { return value_; }
  std::string& bound() { return value_; }

 private:
  std::string value_;
};

template <>
class Slot<Bytes> {
 public:
  explicit Slot(soci::session& session) : blob_(session) {}
  void Set(const Bytes& bytes) {
    blob_.trim(0);  // Also makes a buffer: without one SOCI would bind NULL for no bytes.
    blob_.write(0, bytes.value.data(), bytes.value.size());
  }
  Bytes Get() {
    Bytes out{std::string(blob_.get_len(), '\0')};
    if (!out.value.empty()) blob_.read(0, out.value.data(), out.value.size());
    return out;
  }
  soci::blob& bound() { return blob_; }

 private:
  soci::blob blob_;
};

// A statement without result rows. Parameters are `:p1, :p2, …` in the order of P.
template <typename... P>
class Command {
 public:
  Command(soci::session& session, const std::string& sql) : parameters_(SlotFor<P>(session)...), statement_(session) {
    std::apply([this](auto&... slot) { (statement_.exchange(soci::use(slot->bound())), ...); }, parameters_);
    statement_.alloc();
    statement_.prepare(sql);
    statement_.define_and_bind();
  }

  // Rows affected.
  absl::StatusOr<int64_t> Execute(const P&... values) {
    try {
      std::apply([&](auto&... slot) { (slot->Set(values), ...); }, parameters_);
      statement_.execute(true);
      return static_cast<int64_t>(statement_.get_affected_rows());
    } catch (const soci::soci_error& error) {
      return ToStatus(error);
    }
  }

 private:
  template <typename T>
  static std::unique_ptr<Slot<T>> SlotFor(soci::session& session) {
    return std::make_unique<Slot<T>>(session);
  }
  std::tuple<std::unique_ptr<Slot<P>>...> parameters_;
  soci::statement statement_;
};

template <typename Row, typename... P>
class Query;

// A statement whose rows are tuples of R.
template <typename... R, typename... P>
class Query<std::tuple<R...>, P...> {
 public:
  Query(soci::session& session, const std::string& sql)
      : parameters_(std::make_unique<Slot<P>>(session)...),
        columns_(std::make_unique<Slot<R>>(session)...),
        statement_(session) {
    std::apply([this](auto&... slot) { (statement_.exchange(soci::use(slot->bound())), ...); }, parameters_);
    std::apply([this](auto&... slot) { (statement_.exchange(soci::into(slot->bound())), ...); }, columns_);
    statement_.alloc();
    statement_.prepare(sql);
    statement_.define_and_bind();
  }

  // Calls visit(R…) for each row; an error of visit ends it.
  template <typename Visit>
  absl::Status ForEach(const P&... values, const Visit& visit) {
    try {
      std::apply([&](auto&... slot) { (slot->Set(values), ...); }, parameters_);
      statement_.execute(false);
      absl::Status status;
      // Fetched to the end also after an error: an unfinished statement would hold its read transaction open.
      while (statement_.fetch()) {
        if (status.ok()) status = std::apply([&](auto&... slot) { return visit(slot->Get()...); }, columns_);
      }
      return status;
    } catch (const soci::soci_error& error) {
      return ToStatus(error);
    }
  }

 private:
  std::tuple<std::unique_ptr<Slot<P>>...> parameters_;
  std::tuple<std::unique_ptr<Slot<R>>...> columns_;
  soci::statement statement_;
};

}  // namespace benchwire::storage

#endif  // BENCHWIRE_STORAGE_SQLITE_STATEMENT_H_

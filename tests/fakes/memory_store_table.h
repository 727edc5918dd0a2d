// A table in memory whose copies share their rows until one of them changes: a copy is a snapshot. Not for several
// threads, but different copies may be used by different threads.
#ifndef BENCHWIRE_TESTS_FAKES_MEMORY_STORE_TABLE_H_
#define BENCHWIRE_TESTS_FAKES_MEMORY_STORE_TABLE_H_

#include <map>
#include <memory>
#include <utility>

namespace benchwire::storage {

template <typename Key, typename Value>
class MemoryTable {
 public:
  using Rows = std::map<Key, std::shared_ptr<const Value>>;

  MemoryTable() : rows_(std::make_shared<Rows>()) {}
  MemoryTable(const MemoryTable& other) : rows_(other.rows_) {}
  MemoryTable& operator=(const MemoryTable&) = delete;

  const Rows& rows() const { return *rows_; }
  // Null where there is none.
  const Value* Find(const Key& key) const {
    const auto found = rows_->find(key);
    return found == rows_->end() ? nullptr : found->second.get();
  }
  void Put(const Key& key, Value value) {
    Own();
    (*rows_)[key] = std::make_shared<const Value>(std::move(value));
  }
  void Erase(const Key& key) {
    Own();
    rows_->erase(key);
  }

 private:
  void Own() {
    if (!owned_) rows_ = std::make_shared<Rows>(*rows_);
    owned_ = true;
  }

  std::shared_ptr<Rows> rows_;
  bool owned_ = false;  // No other table shares the rows.
};

}  // namespace benchwire::storage

#endif  // BENCHWIRE_TESTS_FAKES_MEMORY_STORE_TABLE_H_

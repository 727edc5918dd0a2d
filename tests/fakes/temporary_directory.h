// A directory of its own for a test, removed with all in it at the end.
#ifndef BENCHWIRE_TESTS_FAKES_TEMPORARY_DIRECTORY_H_
#define BENCHWIRE_TESTS_FAKES_TEMPORARY_DIRECTORY_H_

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace benchwire {

class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string path = (std::filesystem::temp_directory_path() / "benchwire-XXXXXX").string();
    if (mkdtemp(path.data()) == nullptr) throw std::runtime_error("no temporary directory: " + path);
    path_ = path;
  }
  ~TemporaryDirectory() {
    std::error_code ignored;  // A file left in /tmp fails no test.
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace benchwire

#endif  // BENCHWIRE_TESTS_FAKES_TEMPORARY_DIRECTORY_H_

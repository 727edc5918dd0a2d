#include "workers/kit/console.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace benchwire::kit {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// A FILE that collects into a string.
class Collected {
 public:
  Collected() : file_(open_memstream(&text_, &size_)) {}
  ~Collected() {
    std::fclose(file_);
    std::free(text_);
  }
  std::FILE* file() { return file_; }
  std::string text() {
    std::fflush(file_);
    return std::string(text_, size_);
  }

 private:
  char* text_ = nullptr;
  std::size_t size_ = 0;
  std::FILE* file_;
};

std::string CountRows(const std::vector<Measurement>& rows) { return std::to_string(rows.size()) + " rows\n"; }

TEST(ConsoleTest, DrawsABarOnlyOnATerminal) {
  Collected table;
  Collected terminal;
  Collected pipe;
  const Progress progress{0.5, "copying", std::chrono::milliseconds(3500)};
  ASSERT_TRUE(Console(table.file(), terminal.file(), true, CountRows).Write(progress).ok());
  ASSERT_TRUE(Console(table.file(), pipe.file(), false, CountRows).Write(progress).ok());
  EXPECT_THAT(terminal.text(), HasSubstr("50 % copying, 3 s left"));
  EXPECT_EQ(pipe.text(), "");
}

TEST(ConsoleTest, PrintsTheTableWithTheResultAndMessagesAtOnce) {
  Collected table;
  Collected messages;
  Console console(table.file(), messages.file(), false, CountRows);
  ASSERT_TRUE(console.Write(Measurement()).ok());
  ASSERT_TRUE(console.Write(Warning{"SLOW", "why"}).ok());
  EXPECT_EQ(table.text(), "");
  EXPECT_EQ(messages.text(), "warning: SLOW: why\n");
  ASSERT_TRUE(console.Write(TypedResult{"p2p", "{}"}).ok());
  EXPECT_EQ(table.text(), "1 rows\n");
}

TEST(ConsoleTest, AFullDeviceIsAnError) {
  std::FILE* full = std::fopen("/dev/full", "w");
  ASSERT_NE(full, nullptr);
  Collected messages;
  Console console(full, messages.file(), false, CountRows);
  const Status status = console.Write(TypedResult{"p2p", "{}"});
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, "WRITE_FAILED");
  EXPECT_THAT(status.error().message, HasSubstr("No space left"));
  std::fclose(full);
}

TEST(ConsoleTest, ScalesUnits) {
  EXPECT_EQ(Readable(5.123e9, "B/s"), "5.123 GB/s");
  EXPECT_EQ(Readable(1900, "ns"), "1.9 us");
  EXPECT_EQ(Readable(0.5, "%"), "0.5 %");
  EXPECT_EQ(ReadableBytes(64 << 20), "64 MiB");
  EXPECT_EQ(ReadableBytes(1000), "1000 B");
}

TEST(ConsoleTest, AlignsByCharactersNotBytes) {
  EXPECT_EQ(AlignColumns({{"a", "b"}, {"→→→", "c"}}), "a    b\n→→→  c\n");
}

}  // namespace
}  // namespace benchwire::kit

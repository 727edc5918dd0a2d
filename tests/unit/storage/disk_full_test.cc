// A full disk refuses writes, loses nothing, and needs no restart once there is room. Each case runs in a child that
// limits itself: once by the largest file it may write, once on a small file system of its own.
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "storage/sqlite/store.h"
#include "tests/fakes/temporary_directory.h"
#include "tests/unit/storage/child_process.h"
#include "tests/unit/storage/test_jobs.h"

namespace benchwire::storage {
namespace {

constexpr size_t kSpecBytes = 64 << 10;

// Writes until the disk is full, then makes room. `ok`, or what is wrong.
std::string FillAndRecover(const std::string& directory, const std::function<void()>& make_room) {
  const std::string path = directory + "/main.db";
  std::vector<std::string> acknowledged;
  {
    const auto store = SqliteStore::Open(path, [] {});
    if (!store.ok()) return "open: " + store.status().ToString();
    absl::Status status;
    while (status.ok()) {
      if (acknowledged.size() == 1'000) return "the disk does not fill";
      const std::string id = "j" + std::to_string(acknowledged.size());
      status = WriteJob(**store, id, kSpecBytes);
      if (status.ok()) acknowledged.push_back(id);
    }
    if (ErrorReason(status) != "DISK_FULL") return "write: " + status.ToString();
    status = WriteJob(**store, "large", 100 * kSpecBytes);
    if (ErrorReason(status) != "DISK_FULL") return "larger write: " + status.ToString();
    status = CheckJobs(**store, acknowledged);
    if (!status.ok()) return "read: " + status.ToString();
    make_room();
    for (const char* id : {"later1", "later2"}) {
      status = WriteJob(**store, id, 100 * kSpecBytes);
      if (!status.ok()) return "later write: " + status.ToString();
      acknowledged.push_back(id);
    }
  }
  const auto store = SqliteStore::Open(path, [] {});
  if (!store.ok()) return "open again: " + store.status().ToString();
  const absl::Status status = CheckJobs(**store, acknowledged);
  return status.ok() ? IntegrityCheck(path) : "read again: " + status.ToString();
}

TEST(DiskFullTest, AFileThatMayNotGrow) {
  const TemporaryDirectory directory;
  ChildProcess child([&](const ChildProcess::Say& say) {
    signal(SIGXFSZ, SIG_IGN);
    rlimit limit{};
    getrlimit(RLIMIT_FSIZE, &limit);
    const rlim_t before = limit.rlim_cur;
    limit.rlim_cur = 3 << 20;
    setrlimit(RLIMIT_FSIZE, &limit);
    say(FillAndRecover(directory.path(), [&] {
      limit.rlim_cur = before;
      setrlimit(RLIMIT_FSIZE, &limit);
    }));
  });
  EXPECT_EQ(child.ReadLine(), "ok");
}

// Mounts a file system of that size, in a mount namespace of this process's own. False where the machine forbids it.
bool MountSmall(const std::string& directory, const char* options) {
  const uid_t user = geteuid();
  const gid_t group = getegid();
  if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
  std::ofstream("/proc/self/setgroups") << "deny";
  std::ofstream("/proc/self/uid_map") << "0 " << user << " 1";
  std::ofstream("/proc/self/gid_map") << "0 " << group << " 1";
  return mount("benchwire", directory.c_str(), "tmpfs", 0, options) == 0;
}

TEST(DiskFullTest, AFileSystemWithoutSpace) {
  const TemporaryDirectory directory;
  ChildProcess child([&](const ChildProcess::Say& say) {
    if (!MountSmall(directory.path(), "size=6m")) return say("no namespaces");
    say(FillAndRecover(directory.path(),
                       [&] { mount("benchwire", directory.path().c_str(), "tmpfs", MS_REMOUNT, "size=64m"); }));
  });
  const auto outcome = child.ReadLine();
  if (outcome == "no namespaces") GTEST_SKIP() << "this machine lets no process mount a file system of its own";
  EXPECT_EQ(outcome, "ok");
}

}  // namespace
}  // namespace benchwire::storage

#include "tests/faults/power_loss/vfs.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

namespace benchwire::faults {
namespace {

constexpr int64_t kSector = 512;
constexpr char kName[] = "benchwire-power-loss";

// What SQLite holds for an open file: this, and after it the real layer's own part.
struct LayerFile {
  sqlite3_file base;
  PowerLossVfs* layer;
  const std::string* path;  // Null: a temporary file, which does not count.

  sqlite3_file* real() { return reinterpret_cast<sqlite3_file*>(this + 1); }
};

LayerFile* Of(sqlite3_file* file) { return reinterpret_cast<LayerFile*>(file); }
sqlite3_file* Real(sqlite3_file* file) { return Of(file)->real(); }
sqlite3_vfs* Real(sqlite3_vfs* vfs) { return static_cast<PowerLossVfs*>(vfs->pAppData)->real(); }

int Close(sqlite3_file* file) {
  const int result = Real(file)->pMethods->xClose(Real(file));
  delete Of(file)->path;
  return result;
}
int Read(sqlite3_file* file, void* buffer, int size, sqlite3_int64 offset) {
  return Real(file)->pMethods->xRead(Real(file), buffer, size, offset);
}
int Write(sqlite3_file* file, const void* bytes, int size, sqlite3_int64 offset) {
  const LayerFile& own = *Of(file);
  if (own.path != nullptr) {
    own.layer->OnWrite(*own.path, offset, std::string(static_cast<const char*>(bytes), static_cast<size_t>(size)));
  }
  return Real(file)->pMethods->xWrite(Real(file), bytes, size, offset);
}
int Truncate(sqlite3_file* file, sqlite3_int64 size) {
  if (Of(file)->path != nullptr) Of(file)->layer->OnTruncate(*Of(file)->path, size);
  return Real(file)->pMethods->xTruncate(Real(file), size);
}
int Sync(sqlite3_file* file, int) {
  return Of(file)->path == nullptr ? SQLITE_OK : Of(file)->layer->OnSync(*Of(file)->path);
}
int FileSize(sqlite3_file* file, sqlite3_int64* size) { return Real(file)->pMethods->xFileSize(Real(file), size); }
int Lock(sqlite3_file* file, int kind) { return Real(file)->pMethods->xLock(Real(file), kind); }
int Unlock(sqlite3_file* file, int kind) { return Real(file)->pMethods->xUnlock(Real(file), kind); }
int CheckReservedLock(sqlite3_file* file, int* out) {
  return Real(file)->pMethods->xCheckReservedLock(Real(file), out);
}
int FileControl(sqlite3_file* file, int operation, void* argument) {
  return Real(file)->pMethods->xFileControl(Real(file), operation, argument);
}
int SectorSize(sqlite3_file* file) { return Real(file)->pMethods->xSectorSize(Real(file)); }
int Characteristics(sqlite3_file* file) { return Real(file)->pMethods->xDeviceCharacteristics(Real(file)); }
int ShmMap(sqlite3_file* file, int page, int size, int extend, void volatile** out) {
  return Real(file)->pMethods->xShmMap(Real(file), page, size, extend, out);
}
int ShmLock(sqlite3_file* file, int offset, int count, int flags) {
  return Real(file)->pMethods->xShmLock(Real(file), offset, count, flags);
}
void ShmBarrier(sqlite3_file* file) { Real(file)->pMethods->xShmBarrier(Real(file)); }
int ShmUnmap(sqlite3_file* file, int remove) { return Real(file)->pMethods->xShmUnmap(Real(file), remove); }

// Version 2: no memory mapping of the database, whose writes could not be seen.
constexpr sqlite3_io_methods kMethods = {2,
                                         Close,
                                         Read,
                                         Write,
                                         Truncate,
                                         Sync,
                                         FileSize,
                                         Lock,
                                         Unlock,
                                         CheckReservedLock,
                                         FileControl,
                                         SectorSize,
                                         Characteristics,
                                         ShmMap,
                                         ShmLock,
                                         ShmBarrier,
                                         ShmUnmap,
                                         nullptr,
                                         nullptr};

int Open(sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags, int* out_flags) {
  LayerFile* own = new (file) LayerFile{};
  own->layer = static_cast<PowerLossVfs*>(vfs->pAppData);
  const int result = Real(vfs)->xOpen(Real(vfs), name, own->real(), flags, out_flags);
  if (own->real()->pMethods == nullptr) return result;
  own->path = name == nullptr ? nullptr : new std::string(name);
  own->base.pMethods = &kMethods;
  return result;
}
int Delete(sqlite3_vfs* vfs, const char* name, int sync_directory) {
  static_cast<PowerLossVfs*>(vfs->pAppData)->OnDelete(name, sync_directory != 0);
  return Real(vfs)->xDelete(Real(vfs), name, 0);
}

}  // namespace

PowerLossVfs::PowerLossVfs() : real_(sqlite3_vfs_find(nullptr)) {
  // What is not replaced does not look at the layer it is called on.
  layer_ = *real_;
  layer_.zName = kName;
  layer_.szOsFile = static_cast<int>(sizeof(LayerFile)) + real_->szOsFile;
  layer_.pNext = nullptr;
  layer_.pAppData = this;
  layer_.xOpen = Open;
  layer_.xDelete = Delete;
  layer_.xAccess = [](sqlite3_vfs* vfs, const char* name, int flags, int* out) {
    return Real(vfs)->xAccess(Real(vfs), name, flags, out);
  };
  layer_.xFullPathname = [](sqlite3_vfs* vfs, const char* name, int size, char* out) {
    return Real(vfs)->xFullPathname(Real(vfs), name, size, out);
  };
  sqlite3_vfs_register(&layer_, 1);
}

PowerLossVfs::~PowerLossVfs() {
  sqlite3_vfs_register(real_, 1);
  sqlite3_vfs_unregister(&layer_);
}

void PowerLossVfs::FailAt(int64_t operation, uint64_t seed, std::function<void()> at_failure) {
  MutexLock lock(mutex_);
  files_.clear();
  left_ = operation;
  seed_ = seed;
  at_failure_ = std::move(at_failure);
  image_.reset();
}

std::optional<DiskImage> PowerLossVfs::image() const {
  MutexLock lock(mutex_);
  return image_;
}

void PowerLossVfs::OnWrite(const std::string& path, int64_t offset, std::string bytes) {
  MutexLock lock(mutex_);
  File& file = files_[path];
  if (file.removed) file = {};  // Another file of that name.
  file.since.push_back({offset, std::move(bytes), false});
  Count();
}

void PowerLossVfs::OnTruncate(const std::string& path, int64_t size) {
  MutexLock lock(mutex_);
  files_[path].since.push_back({size, "", true});
  Count();
}

namespace {

void Put(std::string& content, int64_t offset, const char* bytes, size_t size) {
  const auto at = static_cast<size_t>(offset);
  if (content.size() < at + size) content.resize(at + size, '\0');
  std::memcpy(content.data() + at, bytes, size);
}

}  // namespace

void PowerLossVfs::FailSyncs() {
  MutexLock lock(mutex_);
  syncs_fail_ = true;
}

int PowerLossVfs::OnSync(const std::string& path) {
  MutexLock lock(mutex_);
  if (syncs_fail_) return SQLITE_IOERR_FSYNC;
  Count();
  File& file = files_[path];
  for (const Change& change : file.since) {
    if (change.truncate) {
      file.synced.resize(static_cast<size_t>(change.offset), '\0');
    } else {
      Put(file.synced, change.offset, change.bytes.data(), change.bytes.size());
    }
  }
  file.since.clear();
  // SQLite's real layer syncs the directory too at the first sync of a new journal or log.
  file.removed = false;
  if (!file.created && (path.ends_with("-journal") || path.ends_with("-wal"))) SyncDirectory();
  file.created = true;
  return SQLITE_OK;
}

void PowerLossVfs::SyncDirectory() {
  std::erase_if(files_, [](const auto& entry) { return entry.second.removed; });
}

void PowerLossVfs::OnDelete(const std::string& path, bool synced) {
  MutexLock lock(mutex_);
  Count();
  if (synced) {
    files_.erase(path);
  } else if (const auto file = files_.find(path); file != files_.end()) {
    file->second.removed = true;
  }
}

void PowerLossVfs::Count() {
  if (left_ < 0 || left_-- > 0) return;
  std::mt19937_64 random(seed_);
  image_.emplace();
  for (const auto& [path, file] : files_) {
    const bool there = (file.created && !file.removed) || random() % 2 == 0;
    std::string content = Survivor(file, random);
    if (there) (*image_)[path] = std::move(content);
  }
  at_failure_();
}

std::string PowerLossVfs::Survivor(const File& file, std::mt19937_64& random) const {
  // Of all that was not synced: nothing, a little, half, nearly all.
  static constexpr uint64_t kShares[] = {0, 10, 50, 95};
  const uint64_t share = kShares[random() % 4];
  std::string content = file.synced;
  for (const Change& change : file.since) {
    if (change.truncate) {
      if (random() % 100 < share) content.resize(static_cast<size_t>(change.offset), '\0');
      continue;
    }
    const auto end = static_cast<int64_t>(change.bytes.size());
    for (int64_t begin = 0; begin < end;) {
      const int64_t next = std::min(end, ((change.offset + begin) / kSector + 1) * kSector - change.offset);
      int64_t kept = random() % 100 < share ? next - begin : 0;
      if (random() % 20 == 0) kept = static_cast<int64_t>(random() % static_cast<uint64_t>(next - begin + 1));
      if (kept > 0) Put(content, change.offset + begin, change.bytes.data() + begin, static_cast<size_t>(kept));
      begin = next;
    }
  }
  return content;
}

}  // namespace benchwire::faults

// Repairs a generation: see generation.h.
//
// Problem: RocksDB's repair begins with an empty MANIFEST, fills it at the end, and returns Ok
// whatever happens between. If it is killed, the next opening finds an empty database and deletes
// all tables; if the disk is full or fails for a moment, the log or table in question is put aside
// as if it were damaged.
//
// So the repair works on links in a directory of its own, whose name marks it for removal if
// anything goes wrong. The generation is exchanged for it only if it opens and no operation on its
// files failed:
//   doomed-*                        the links, under repair
//   generation-NUMBER.repaired      complete; generation-NUMBER is of no more use
//   generation-NUMBER               the repaired one
// A crash at any point leaves the old one or, from the second line on, the new one, for which
// PutRepairedInPlace does the rest.
//
// Limits: does not cover a loss of power. A file system without links needs space for a copy.
#include <fcntl.h>
#include <rocksdb/env.h>
#include <rocksdb/file_system.h>
#include <stdio.h>
#include <sys/statvfs.h>

#include <cerrno>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "absl/synchronization/mutex.h"
#include "server/cache/generation.h"
#include "server/cache/names.h"

namespace kiln::cache {
namespace {

namespace fs = std::filesystem;

// A file system that records its first failure that says nothing about the files' contents.
class Witness : public rocksdb::FileSystemWrapper {
 public:
  using rocksdb::FileSystemWrapper::FileSystemWrapper;
  const char* Name() const override { return "Witness"; }

  rocksdb::IOStatus failure() {
    absl::MutexLock lock(&mutex_);
    return failure_;
  }
  rocksdb::IOStatus Note(rocksdb::IOStatus s) {
    if (s.ok() || s.IsCorruption() || s.IsNotSupported()) return s;
    absl::MutexLock lock(&mutex_);
    if (failure_.ok()) failure_ = s;
    return s;
  }

  rocksdb::IOStatus NewWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* file,
                                    rocksdb::IODebugContext* context) override {
    rocksdb::IOStatus s = Note(target()->NewWritableFile(name, options, file, context));
    if (s.ok()) *file = std::make_unique<Writable>(this, std::move(*file));
    return s;
  }
  rocksdb::IOStatus NewRandomAccessFile(const std::string& name,
                                        const rocksdb::FileOptions& options,
                                        std::unique_ptr<rocksdb::FSRandomAccessFile>* file,
                                        rocksdb::IODebugContext* context) override {
    rocksdb::IOStatus s = Note(target()->NewRandomAccessFile(name, options, file, context));
    if (s.ok()) *file = std::make_unique<RandomAccess>(this, std::move(*file));
    return s;
  }
  rocksdb::IOStatus NewSequentialFile(const std::string& name, const rocksdb::FileOptions& options,
                                      std::unique_ptr<rocksdb::FSSequentialFile>* file,
                                      rocksdb::IODebugContext* context) override {
    rocksdb::IOStatus s = Note(target()->NewSequentialFile(name, options, file, context));
    if (s.ok()) *file = std::make_unique<Sequential>(this, std::move(*file));
    return s;
  }

 private:
  class Writable : public rocksdb::FSWritableFileOwnerWrapper {
   public:
    Writable(Witness* witness, std::unique_ptr<rocksdb::FSWritableFile> file)
        : FSWritableFileOwnerWrapper(std::move(file)), witness_(witness) {}
    using FSWritableFileOwnerWrapper::Append;
    rocksdb::IOStatus Append(const rocksdb::Slice& data, const rocksdb::IOOptions& options,
                             rocksdb::IODebugContext* context) override {
      return witness_->Note(target()->Append(data, options, context));
    }
    rocksdb::IOStatus Sync(const rocksdb::IOOptions& options,
                           rocksdb::IODebugContext* context) override {
      return witness_->Note(target()->Sync(options, context));
    }
    rocksdb::IOStatus Close(const rocksdb::IOOptions& options,
                            rocksdb::IODebugContext* context) override {
      return witness_->Note(target()->Close(options, context));
    }

   private:
    Witness* witness_;
  };
  class RandomAccess : public rocksdb::FSRandomAccessFileOwnerWrapper {
   public:
    RandomAccess(Witness* witness, std::unique_ptr<rocksdb::FSRandomAccessFile> file)
        : FSRandomAccessFileOwnerWrapper(std::move(file)), witness_(witness) {}
    rocksdb::IOStatus Read(uint64_t offset, size_t n, const rocksdb::IOOptions& options,
                           rocksdb::Slice* result, char* scratch,
                           rocksdb::IODebugContext* context) const override {
      return witness_->Note(target()->Read(offset, n, options, result, scratch, context));
    }

   private:
    Witness* witness_;
  };
  class Sequential : public rocksdb::FSSequentialFileOwnerWrapper {
   public:
    Sequential(Witness* witness, std::unique_ptr<rocksdb::FSSequentialFile> file)
        : FSSequentialFileOwnerWrapper(std::move(file)), witness_(witness) {}
    rocksdb::IOStatus Read(size_t n, const rocksdb::IOOptions& options, rocksdb::Slice* result,
                           char* scratch, rocksdb::IODebugContext* context) override {
      return witness_->Note(target()->Read(n, options, result, scratch, context));
    }

   private:
    Witness* witness_;
  };

  absl::Mutex mutex_;
  rocksdb::IOStatus failure_ ABSL_GUARDED_BY(mutex_);
};

rocksdb::Status Failure(const std::string& path, const std::error_code& error) {
  if (error == std::errc::no_space_on_device) {
    return rocksdb::Status::NoSpace(path, error.message());
  }
  return rocksdb::Status::IOError(path, error.message());
}

// Links tables and logs, all that a repair reads; `log_bytes`: the logs' size.
rocksdb::Status LinkFiles(const std::string& from, const std::string& to, uint64_t* log_bytes) {
  std::error_code error;
  fs::create_directory(to, error);
  fs::directory_iterator it(from, error), end;
  for (; !error && it != end; it.increment(error)) {
    std::error_code gone;
    std::string extension = it->path().extension();
    bool wanted = extension == ".sst" || extension == ".log";
    if (!wanted || it->symlink_status(gone).type() != fs::file_type::regular) continue;
    fs::path link = fs::path(to) / it->path().filename();
    fs::create_hard_link(it->path(), link, gone);
    if (gone) fs::copy_file(it->path(), link, error);
    if (error) break;
    if (extension == ".log") *log_bytes += it->file_size(gone);
  }
  return error ? Failure(from, error) : rocksdb::Status::OK();
}

// Each log becomes a table of its size.
bool HasSpace(const std::string& path, uint64_t bytes) {
  struct statvfs space = {};
  return statvfs(path.c_str(), &space) != 0 || space.f_blocks == 0 ||
         space.f_bavail * space.f_frsize >= bytes;
}

// The folder where RocksDB's repair puts the tables that it could not read, and all logs.
std::string LostPath(const std::string& path) { return path + "/lost"; }

// Salvages the records that RocksDB's repair did not find there.
rocksdb::Status SalvageLost(const GenerationOptions& options, const std::string& path, Salt salt) {
  rocksdb::DB* opened = nullptr;
  rocksdb::Status s = rocksdb::DB::Open(DatabaseOptions(options), path, &opened);
  std::unique_ptr<rocksdb::DB> db(opened);
  uint64_t found = 0;
  if (s.ok()) s = Salvage(DataFiles(LostPath(path), /*logs_only=*/false), salt, db.get(), &found);
  if (s.ok() && found > 0) s = db->Flush(rocksdb::FlushOptions());
  return s;
}

// Ok: `path` opens, and only damaged files (or, if `tolerant`, unreadable ones) were lost.
rocksdb::Status RepairFiles(const GenerationOptions& options, const std::string& path, Salt salt,
                            bool tolerant) {
  rocksdb::Env* env = options.env != nullptr ? options.env : rocksdb::Env::Default();
  auto witness = std::make_shared<Witness>(env->GetFileSystem());
  std::unique_ptr<rocksdb::Env> watched = rocksdb::NewCompositeEnv(witness);
  GenerationOptions under_watch = options;
  under_watch.env = watched.get();
  rocksdb::Status s = rocksdb::RepairDB(path, DatabaseOptions(under_watch));
  rocksdb::Status failure = witness->failure();
  if (!failure.ok() && !(s.ok() && tolerant && !failure.IsNoSpace())) return failure;
  return s.ok() ? SalvageLost(options, path, salt) : s;
}

// Gives the repaired generation its note: how its records are found, and how much it may still
// take.
rocksdb::Status CopyNote(const Note& from, const std::string& to) {
  files::Opened folder = files::OpenDirectory(AT_FDCWD, to);
  files::Opened file = files::OpenFile(folder.fd.get(), kNoteName, O_WRONLY | O_CREAT);
  Note note = from;
  note.written = note.gone = note.not_erased = 0;  // its records are numbered anew
  errno = 0;
  return file.ok() && WriteNote(file.fd.get(), note)
             ? rocksdb::Status::OK()
             : Failure(to, std::error_code(errno, std::generic_category()));
}

}  // namespace

bool PutRepairedInPlace(const CacheDirectory& directory, uint64_t number) {
  const std::string repaired = RepairedName(number);
  if (!files::IsDirectory(directory.fd(), repaired)) return false;
  directory.PutAside(GenerationName(number));  // fails if the old one is doomed already
  return renameat(directory.fd(), repaired.c_str(), directory.fd(),
                  GenerationName(number).c_str()) == 0;
}

rocksdb::Status Generation::Repair(const GenerationOptions& options, uint64_t number,
                                   bool tolerant) {
  const CacheDirectory& directory = *options.directory;
  if (PutRepairedInPlace(directory, number)) return rocksdb::Status::OK();
  const std::string path = GenerationPath(directory, number);
  const std::string name = NewDoomedName();
  const std::string work = directory.path() + "/" + name;
  uint64_t log_bytes = 0;
  rocksdb::Status s = MakeFit(directory, number, /*change=*/true, /*make=*/false);
  if (s.ok()) s = LinkFiles(path, work, &log_bytes);
  if (s.ok() && !HasSpace(work, log_bytes + options.write_buffer_bytes)) {
    s = rocksdb::Status::NoSpace("there is less free disk space than a repair of its logs needs");
  }
  const Note note = NoteOf(directory, number);
  if (s.ok()) s = RepairFiles(options, work, note.salt, tolerant);
  if (s.ok()) s = CopyNote(note, work);
  if (s.ok()) {
    std::error_code error;
    fs::remove_all(LostPath(work), error);
    if (renameat(directory.fd(), name.c_str(), directory.fd(), RepairedName(number).c_str()) != 0) {
      s = Failure(path, std::error_code(errno, std::generic_category()));
    }
  }
  if (s.ok() && !PutRepairedInPlace(directory, number)) {
    s = rocksdb::Status::IOError(path, "cannot be replaced by the repaired one");
  }
  if (!s.ok()) files::Remove(directory.fd(), name);
  return s;
}

}  // namespace kiln::cache

// Fills in PhysFS's tables of functions. Calls go to an Archive or a File, and errors become
// PhysFS's codes. No exception leaves these functions.
#include "runtime/adapters/physfs/seekless_physfs.h"

#include <array>
#include <cstring>
#include <new>

#include "runtime/adapters/physfs/archive.h"
#include "runtime/include/seekless_stream.hpp"

using seekless::physfs::Archive;
using seekless::physfs::FoundFile;
using File = skl::AssetReader;

namespace {

constexpr std::array<unsigned char, 8> kMagic = {0x89, 'S', 'K', 'L', '\r', '\n', 0x1a, '\n'};

thread_local skl_error last_error = {sizeof(skl_error), SKL_OK, 0, 0, ""};

skl_error* fresh_error() {
  last_error = {sizeof(skl_error), SKL_OK, 0, 0, ""};
  return &last_error;
}

PHYSFS_ErrorCode code_of(skl_result result) {
  switch (result) {
    case SKL_DAMAGED:
      return PHYSFS_ERR_CORRUPT;
    case SKL_UNSUPPORTED:
      return PHYSFS_ERR_UNSUPPORTED;
    case SKL_NOT_FOUND:
      return PHYSFS_ERR_NOT_FOUND;
    case SKL_OUT_OF_MEMORY:
      return PHYSFS_ERR_OUT_OF_MEMORY;
    default:
      return PHYSFS_ERR_IO;
  }
}

// Runs `work`. If it throws, or returns `failed` and has set the last error, sets PhysFS's error.
template <typename Answer, typename Work>
Answer guarded(Answer failed, Work work) noexcept {
  fresh_error();
  try {
    const Answer answer = work();
    if (last_error.result < 0) PHYSFS_setErrorCode(code_of(last_error.result));
    return answer;
  } catch (const std::bad_alloc&) {
    PHYSFS_setErrorCode(PHYSFS_ERR_OUT_OF_MEMORY);
  } catch (...) {
    PHYSFS_setErrorCode(PHYSFS_ERR_OTHER_ERROR);
  }
  return failed;
}

// ---- Files ------------------------------------------------------------------------------------

File& file_of(PHYSFS_Io* io) {
  return *static_cast<File*>(io->opaque);
}

PHYSFS_Io* make_io(const File& like);

PHYSFS_sint64 file_read(PHYSFS_Io* io, void* into, PHYSFS_uint64 length) {
  return guarded<PHYSFS_sint64>(-1, [&] { return file_of(io).read(into, length, &last_error); });
}

PHYSFS_sint64 file_write(PHYSFS_Io*, const void*, PHYSFS_uint64) {
  PHYSFS_setErrorCode(PHYSFS_ERR_READ_ONLY);
  return -1;
}

int file_seek(PHYSFS_Io* io, PHYSFS_uint64 position) {
  if (file_of(io).seek(position)) return 1;
  PHYSFS_setErrorCode(PHYSFS_ERR_PAST_EOF);
  return 0;
}

PHYSFS_sint64 file_tell(PHYSFS_Io* io) {
  return static_cast<PHYSFS_sint64>(file_of(io).position());
}

PHYSFS_sint64 file_length(PHYSFS_Io* io) {
  return static_cast<PHYSFS_sint64>(file_of(io).size_bytes());
}

PHYSFS_Io* file_duplicate(PHYSFS_Io* io) {
  return guarded<PHYSFS_Io*>(nullptr, [&] { return make_io(file_of(io)); });
}

int file_flush(PHYSFS_Io*) {
  return 1;
}

void file_destroy(PHYSFS_Io* io) {
  delete static_cast<File*>(io->opaque);
  delete io;
}

PHYSFS_Io* make_io(const File& like) {
  auto file = std::make_unique<File>(like);
  auto* io = new PHYSFS_Io{.version = 0,
                           .opaque = file.get(),
                           .read = file_read,
                           .write = file_write,
                           .seek = file_seek,
                           .tell = file_tell,
                           .length = file_length,
                           .duplicate = file_duplicate,
                           .flush = file_flush,
                           .destroy = file_destroy};
  file.release();
  return io;
}

// ---- Archives ---------------------------------------------------------------------------------

struct Mounted {
  std::unique_ptr<Archive> archive;
  PHYSFS_Io* io;  // PhysFS's stream, which this archiver must destroy
};

const Archive& archive_of(void* opaque) {
  return *static_cast<Mounted*>(opaque)->archive;
}

bool begins_as_pack(PHYSFS_Io* io) {
  std::array<unsigned char, kMagic.size()> found = {};
  return io->read(io, found.data(), found.size()) == static_cast<PHYSFS_sint64>(found.size()) &&
         found == kMagic;
}

void* archive_open(PHYSFS_Io* io, const char* name, int for_write, int* claimed) {
  if (io == nullptr || !begins_as_pack(io)) return nullptr;
  *claimed = 1;
  if (for_write != 0) {
    PHYSFS_setErrorCode(PHYSFS_ERR_READ_ONLY);
    return nullptr;
  }
  return guarded<void*>(nullptr, [&]() -> void* {
    auto archive = Archive::open(name, &last_error);
    // No file has this name: the archive is in memory or inside another archive.
    if (archive == nullptr && last_error.result == SKL_NOT_FOUND)
      last_error.result = SKL_UNSUPPORTED;
    return archive != nullptr ? new Mounted{std::move(archive), io} : nullptr;
  });
}

void archive_close(void* opaque) {
  auto* mounted = static_cast<Mounted*>(opaque);
  mounted->io->destroy(mounted->io);
  delete mounted;
}

PHYSFS_EnumerateCallbackResult archive_enumerate(void* opaque, const char* folder,
                                                 PHYSFS_EnumerateCallback callback,
                                                 const char* shown, void* data) {
  return guarded(PHYSFS_ENUM_ERROR, [&] {
    PHYSFS_EnumerateCallbackResult answer = PHYSFS_ENUM_OK;
    archive_of(opaque).visit_folder(folder, [&](const char* name) {
      answer = callback(data, shown, name);
      return answer == PHYSFS_ENUM_OK;
    });
    if (answer == PHYSFS_ENUM_ERROR) PHYSFS_setErrorCode(PHYSFS_ERR_APP_CALLBACK);
    return answer;
  });
}

PHYSFS_Io* archive_open_read(void* opaque, const char* path) {
  return guarded<PHYSFS_Io*>(nullptr, [&]() -> PHYSFS_Io* {
    FoundFile found;
    if (archive_of(opaque).find(path, found))
      return make_io(File(archive_of(opaque).context(), found.asset, found.size_bytes));
    PHYSFS_setErrorCode(archive_of(opaque).has_folder(path) ? PHYSFS_ERR_NOT_A_FILE
                                                            : PHYSFS_ERR_NOT_FOUND);
    return nullptr;
  });
}

PHYSFS_Io* archive_open_write(void*, const char*) {
  PHYSFS_setErrorCode(PHYSFS_ERR_READ_ONLY);
  return nullptr;
}

int archive_change(void*, const char*) {
  PHYSFS_setErrorCode(PHYSFS_ERR_READ_ONLY);
  return 0;
}

int archive_stat(void* opaque, const char* path, PHYSFS_Stat* stat) {
  return guarded(0, [&] {
    FoundFile found;
    *stat = {.filesize = 0,
             .modtime = -1,
             .createtime = -1,
             .accesstime = -1,
             .filetype = PHYSFS_FILETYPE_DIRECTORY,
             .readonly = 1};
    if (archive_of(opaque).find(path, found)) {
      stat->filesize = static_cast<PHYSFS_sint64>(found.size_bytes);
      stat->filetype = PHYSFS_FILETYPE_REGULAR;
      return 1;
    }
    if (archive_of(opaque).has_folder(path)) return 1;
    PHYSFS_setErrorCode(PHYSFS_ERR_NOT_FOUND);
    return 0;
  });
}

constexpr PHYSFS_Archiver kArchiver = {.version = 0,
                                       .info = {.extension = "SKL",
                                                .description = "seekless packs",
                                                .author = "seekless",
                                                .url = "",
                                                .supportsSymlinks = 0},
                                       .openArchive = archive_open,
                                       .enumerate = archive_enumerate,
                                       .openRead = archive_open_read,
                                       .openWrite = archive_open_write,
                                       .openAppend = archive_open_write,
                                       .remove = archive_change,
                                       .mkdir = archive_change,
                                       .stat = archive_stat,
                                       .closeArchive = archive_close};

}  // namespace

const PHYSFS_Archiver* skl_physfs_archiver(void) {
  return &kArchiver;
}

const skl_error* skl_physfs_last_error(void) {
  return &last_error;
}

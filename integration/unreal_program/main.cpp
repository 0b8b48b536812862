// Starts the plugin's module as the engine does, over the system's own files, and prints what can
// be seen of the game's content. Usage: unreal_program, where ../../../Game is the project.
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <vector>

#include "HAL/PlatformFileManager.h"
#include "Modules/ModuleManager.h"

IModuleInterface& module_of_game();

namespace {

namespace fs = std::filesystem;

std::string text_of(const TCHAR* text) {
  return FTCHARToUTF8(text).Get();
}

class SystemHandle : public IFileHandle {
 public:
  explicit SystemHandle(const fs::path& path)
      : file_(path, std::ios::binary), size_(static_cast<int64>(fs::file_size(path))) {}
  int64 Tell() override { return static_cast<int64>(file_.tellg()); }
  bool Seek(int64 place) override { return static_cast<bool>(file_.seekg(place)); }
  bool SeekFromEnd(int64 by) override { return Seek(size_ + by); }
  bool Read(uint8* into, int64 count) override {
    return static_cast<bool>(file_.read(reinterpret_cast<char*>(into), count));
  }
  bool ReadAt(uint8* into, int64 count, int64 place) override {
    return Seek(place) && Read(into, count);
  }
  bool Write(const uint8*, int64) override { return false; }
  bool Flush(const bool) override { return true; }
  bool Truncate(int64) override { return false; }
  int64 Size() override { return size_; }

 private:
  std::ifstream file_;
  int64 size_;
};

// The lowest layer, read-only.
class SystemFiles : public IPlatformFile {
 public:
  bool Initialize(IPlatformFile*, const TCHAR*) override { return true; }
  IPlatformFile* GetLowerLevel() override { return nullptr; }
  void SetLowerLevel(IPlatformFile*) override {}
  const TCHAR* GetName() const override { return u"PhysicalFile"; }
  bool FileExists(const TCHAR* path) override { return fs::is_regular_file(text_of(path)); }
  int64 FileSize(const TCHAR* path) override {
    return FileExists(path) ? static_cast<int64>(fs::file_size(text_of(path))) : -1;
  }
  bool DeleteFile(const TCHAR* path) override { return fs::remove(text_of(path)); }
  bool IsReadOnly(const TCHAR*) override { return false; }
  bool MoveFile(const TCHAR*, const TCHAR*) override { return false; }
  bool SetReadOnly(const TCHAR*, bool) override { return false; }
  FDateTime GetTimeStamp(const TCHAR* path) override {
    std::error_code ignored;
    return FDateTime(fs::last_write_time(text_of(path), ignored).time_since_epoch().count());
  }
  void SetTimeStamp(const TCHAR*, FDateTime) override {}
  FDateTime GetAccessTimeStamp(const TCHAR* path) override { return GetTimeStamp(path); }
  FString GetFilenameOnDisk(const TCHAR* path) override { return FString(path); }
  IFileHandle* OpenRead(const TCHAR* path, bool) override {
    return FileExists(path) ? new SystemHandle(text_of(path)) : nullptr;
  }
  IFileHandle* OpenWrite(const TCHAR*, bool, bool) override { return nullptr; }
  bool DirectoryExists(const TCHAR* path) override { return fs::is_directory(text_of(path)); }
  bool CreateDirectory(const TCHAR*) override { return false; }
  bool DeleteDirectory(const TCHAR*) override { return false; }
  FFileStatData GetStatData(const TCHAR* path) override {
    if (!fs::exists(text_of(path))) return {};
    const FDateTime time = GetTimeStamp(path);
    return {time, time, time, FileSize(path), DirectoryExists(path), false};
  }
  bool IterateDirectory(const TCHAR* path, FDirectoryVisitor& visitor) override {
    if (!DirectoryExists(path)) return false;
    for (const auto& entry : fs::directory_iterator(text_of(path)))
      if (!visitor.Visit(*FString(UTF8_TO_TCHAR(entry.path().c_str())), entry.is_directory()))
        return false;
    return true;
  }
  bool IterateDirectoryStat(const TCHAR*, FDirectoryStatVisitor&) override { return false; }
};

unsigned long long fnv(const std::vector<uint8>& bytes) {
  unsigned long long hash = 14695981039346656037ull;
  for (const uint8 byte : bytes) hash = (hash ^ byte) * 1099511628211ull;
  return hash;
}

int failed(const std::string& what) {
  std::cerr << "unreal_program: " << what << "\n";
  std::exit(1);
}

// Reads it twice: by pieces from the middle on and around, and at once.
std::vector<uint8> read(IPlatformFile& files, const TCHAR* path) {
  const std::unique_ptr<IFileHandle> handle(files.OpenRead(path));
  if (!handle) failed(text_of(path) + ": can't be opened");
  const int64 size = handle->Size();
  std::vector<uint8> once(static_cast<size_t>(size)), pieces(once.size());
  if (!handle->ReadAt(once.data(), size, 0)) failed(text_of(path) + ": can't be read");
  const int64 middle = size / 2;
  if (!handle->Seek(middle) || !handle->Read(pieces.data() + middle, size - middle) ||
      handle->Tell() != size || !handle->SeekFromEnd(-size) ||
      !handle->Read(pieces.data(), middle) || pieces != once)
    failed(text_of(path) + ": differs, piece by piece");
  if (size > 0 && handle->Read(pieces.data(), size - middle + 1))
    failed(text_of(path) + ": reads past its end");
  return once;
}

struct Printer : IPlatformFile::FDirectoryStatVisitor {
  explicit Printer(IPlatformFile& all) : files(all) {}
  bool Visit(const TCHAR* path, const FFileStatData& stat) override {
    if (stat.bIsDirectory) return files.IterateDirectoryStat(path, *this);
    const std::vector<uint8> bytes = read(files, path);
    if (!files.FileExists(path) || files.FileSize(path) != stat.FileSize ||
        stat.FileSize != static_cast<int64>(bytes.size()) ||
        files.GetTimeStamp(path).GetTicks() != stat.ModificationTime.GetTicks())
      failed(text_of(path) + ": stands otherwise in its folder");
    std::cout << text_of(path) << ' ' << bytes.size() << ' ' << std::hex << fnv(bytes) << std::dec
              << "\n";
    return true;
  }
  IPlatformFile& files;
};

}  // namespace

int main() {
  SystemFiles system;
  FPlatformFileManager& manager = FPlatformFileManager::Get();
  manager.SetPlatformFile(system);
  module_of_game().StartupModule();
  IPlatformFile& top = manager.GetPlatformFile();
  std::cout << "layer: " << text_of(top.GetName()) << "\n";
  Printer printer(top);
  top.IterateDirectoryStat(u"../../../Game/Content", printer);
  const auto is = [&](const TCHAR* path) { return top.FileExists(path) ? "is" : "isn't"; };
  std::cout << "word " << is(u"..\\..\\..\\Game\\Content\\word") << ", none "
            << is(u"../../../Game/Content/none") << ", outside "
            << is(u"../../../Game/Packs/catalog.skl") << "\n";
  std::cout << "deep " << (top.DirectoryExists(u"../../../Game/Content/deep/") ? "is" : "isn't")
            << " a folder\n";
  std::cout << "word " << (top.DeleteFile(u"../../../Game/Content/word") ? "was" : "wasn't")
            << " deleted, "
            << (top.OpenWrite(u"../../../Game/Content/word") != nullptr ? "opens" : "doesn't open")
            << " for writing\n";
  module_of_game().ShutdownModule();
  std::cout << "layer: " << text_of(manager.GetPlatformFile().GetName()) << "\n";
}

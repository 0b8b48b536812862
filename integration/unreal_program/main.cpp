// Starts the plugin's module as the engine does, over the system's own files, and prints the game's
// visible content. Usage: unreal_program, where ../../../Game is the project.
#include <iostream>
#include <memory>
#include <vector>

#include "HAL/PlatformFileManager.h"
#include "Modules/ModuleManager.h"
#include "system_files.h"

namespace {

unsigned long long fnv(const std::vector<uint8>& bytes) {
  unsigned long long hash = 14695981039346656037ull;
  for (const uint8 byte : bytes) hash = (hash ^ byte) * 1099511628211ull;
  return hash;
}

int failed(const std::string& what) {
  std::cerr << "unreal_program: " << what << "\n";
  std::exit(1);
}

// Reads the file twice: in pieces, from the middle to the end and then from the start; and in one
// read.
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

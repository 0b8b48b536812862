#include "SeeklessPlatformFile.h"

#include <array>
#include <set>

#include <seekless_stream.hpp>

// Holds the names in a folder that come from packs; the layer below skips them.
struct FSeeklessPlatformFile::FListed {
  std::set<std::string> Names;
};

namespace {

constexpr size_t kPageEntries = 64;

std::string ToUtf8(const TCHAR* Text) {
  const FTCHARToUTF8 Converted(Text);
  std::string Path(Converted.Get(), static_cast<size_t>(Converted.Length()));
  for (char& Character : Path)
    if (Character == '\\') Character = '/';
  return Path;
}

FString ToUnreal(const std::string& Text) {
  return FString(UTF8_TO_TCHAR(Text.c_str()));
}

// The engine's paths ignore case.
bool StartsWith(const std::string& Path, const std::string& Start) {
  const auto Lowered = [](char C) { return C >= 'A' && C <= 'Z' ? static_cast<char>(C + 32) : C; };
  if (Path.size() < Start.size()) return false;
  for (size_t I = 0; I < Start.size(); ++I)
    if (Lowered(Path[I]) != Lowered(Start[I])) return false;
  return true;
}

// One thread at a time may use it, as usual for engine handles; any number may call ReadAt.
class FPackedHandle : public IFileHandle {
 public:
  FPackedHandle(skl_context* InContext, skl_asset InAsset, uint64_t Bytes)
      : Context(InContext), Asset(InAsset), Reader(InContext, InAsset, Bytes) {}

  int64 Tell() override { return static_cast<int64>(Reader.position()); }
  bool Seek(int64 Position) override {
    return Position >= 0 && Reader.seek(static_cast<uint64_t>(Position));
  }
  bool SeekFromEnd(int64 Relative = 0) override { return Seek(Size() + Relative); }
  bool Read(uint8* Destination, int64 Wanted) override {
    return Wanted >= 0 && Reader.read(Destination, static_cast<size_t>(Wanted), nullptr) == Wanted;
  }
  bool ReadAt(uint8* Destination, int64 Wanted, int64 Offset) override {
    size_t Got = 0;
    return Wanted >= 0 && Offset >= 0 &&
           skl_read(Context, Asset, static_cast<uint64_t>(Offset), Destination,
                    static_cast<size_t>(Wanted), &Got, nullptr) == SKL_OK &&
           Got == static_cast<size_t>(Wanted);
  }
  int64 Size() override { return static_cast<int64>(Reader.size_bytes()); }
  bool Write(const uint8*, int64) override { return false; }
  bool Flush(const bool = false) override { return true; }
  bool Truncate(int64) override { return false; }

 private:
  skl_context* Context;
  skl_asset Asset;
  skl::AssetReader Reader;
};

}  // namespace

FSeeklessPlatformFile::~FSeeklessPlatformFile() {
  skl_directory_destroy(Folders);
  skl_context_destroy(Context);
}

bool FSeeklessPlatformFile::Mount(const TCHAR* PacksPath, const TCHAR* Folder) {
  const std::string Packs = ToUtf8(PacksPath);
  if (Context == nullptr && skl_context_create(nullptr, &Context, &Error) < 0) return false;
  if (skl_mount(Context, Packs.c_str(), nullptr, nullptr, &Error) < 0) return false;
  skl_directory* Listed = nullptr;
  if (skl_directory_create(Context, &Listed, &Error) < 0) return false;
  skl_directory_destroy(Folders);
  Folders = Listed;
  Root = ToUtf8(Folder);
  if (!Root.empty() && Root.back() != '/') Root += '/';
  if (Lower != nullptr) Time = Lower->GetTimeStamp(PacksPath);
  return true;
}

bool FSeeklessPlatformFile::Prefetch(const TCHAR* Scenario) {
  return Context != nullptr &&
         skl_prefetch(Context, ToUtf8(Scenario).c_str(), nullptr, nullptr) == SKL_OK;
}

bool FSeeklessPlatformFile::Initialize(IPlatformFile* Inner, const TCHAR*) {
  Lower = Inner;
  return Lower != nullptr;
}

bool FSeeklessPlatformFile::Below(const TCHAR* Path, std::string& Asset) const {
  if (Context == nullptr) return false;
  Asset = ToUtf8(Path);
  // This path is the root itself.
  if (StartsWith(Asset + '/', Root) && Asset.size() < Root.size()) Asset += '/';
  if (!StartsWith(Asset, Root)) return false;
  Asset.erase(0, Root.size());
  while (!Asset.empty() && Asset.back() == '/') Asset.pop_back();
  return true;
}

FSeeklessPlatformFile::FFound FSeeklessPlatformFile::Find(const TCHAR* Filename) const {
  FFound Found;
  std::string Path;
  if (Below(Filename, Path))
    skl_find_bytes(Context, Path.data(), Path.size(), &Found.Asset, &Found.Bytes);
  return Found;
}

bool FSeeklessPlatformFile::FileExists(const TCHAR* Filename) {
  return Find(Filename) || Lower->FileExists(Filename);
}

int64 FSeeklessPlatformFile::FileSize(const TCHAR* Filename) {
  const FFound Found = Find(Filename);
  return Found ? static_cast<int64>(Found.Bytes) : Lower->FileSize(Filename);
}

bool FSeeklessPlatformFile::IsReadOnly(const TCHAR* Filename) {
  return Find(Filename) || Lower->IsReadOnly(Filename);
}

FDateTime FSeeklessPlatformFile::GetTimeStamp(const TCHAR* Filename) {
  return Find(Filename) ? Time : Lower->GetTimeStamp(Filename);
}

FDateTime FSeeklessPlatformFile::GetAccessTimeStamp(const TCHAR* Filename) {
  return Find(Filename) ? Time : Lower->GetAccessTimeStamp(Filename);
}

FString FSeeklessPlatformFile::GetFilenameOnDisk(const TCHAR* Filename) {
  return Find(Filename) ? FString(Filename) : Lower->GetFilenameOnDisk(Filename);
}

IFileHandle* FSeeklessPlatformFile::OpenRead(const TCHAR* Filename, bool bAllowWrite) {
  if (const FFound Found = Find(Filename))
    return new FPackedHandle(Context, Found.Asset, Found.Bytes);
  return Lower->OpenRead(Filename, bAllowWrite);
}

bool FSeeklessPlatformFile::DirectoryExists(const TCHAR* Directory) {
  std::string Path;
  uint64_t Cursor = 0;
  size_t Count = 0;
  skl_entry Entry;
  return (Below(Directory, Path) &&
          skl_directory_children(Folders, Path.c_str(), &Cursor, &Entry, 1, &Count) == SKL_OK) ||
         Lower->DirectoryExists(Directory);
}

FFileStatData FSeeklessPlatformFile::GetStatData(const TCHAR* Path) {
  if (const FFound Found = Find(Path))
    return FFileStatData(Time, Time, Time, static_cast<int64>(Found.Bytes), false, true);
  const FFileStatData Stat = Lower->GetStatData(Path);
  if (Stat.bIsValid || !DirectoryExists(Path)) return Stat;
  return FFileStatData(Time, Time, Time, -1, true, true);
}

// Calls Visit(name, entry) for each entry. Returns false as soon as Visit does.
template <typename TVisit>
bool FSeeklessPlatformFile::VisitPacked(const TCHAR* Directory, FListed& Seen, TVisit Visit) const {
  std::string Path;
  if (!Below(Directory, Path)) return true;
  std::string Front = ToUtf8(Directory);
  if (!Front.empty() && Front.back() != '/') Front += '/';
  std::array<skl_entry, kPageEntries> Page;
  uint64_t Cursor = 0;
  size_t Count = 0;
  while (skl_directory_children(Folders, Path.c_str(), &Cursor, Page.data(), Page.size(), &Count) ==
         SKL_OK)
    for (size_t I = 0; I < Count; ++I) {
      const std::string Whole(Page[I].path, Page[I].length_bytes);
      const std::string Name = Whole.substr(Path.empty() ? 0 : Path.size() + 1);
      Seen.Names.insert(Name);
      if (!Visit(ToUnreal(Front + Name), Page[I])) return false;
    }
  return true;
}

// Visits the folders and files of both layers. If both have the same name, visits only the packs'
// entry.
bool FSeeklessPlatformFile::IterateDirectory(const TCHAR* Directory, FDirectoryVisitor& Visitor) {
  struct FOthers : FDirectoryVisitor {
    FOthers(FDirectoryVisitor& InVisitor, const FListed& InSeen)
        : Visitor(InVisitor), Seen(InSeen) {}
    bool Visit(const TCHAR* Path, bool bIsDirectory) override {
      const std::string Whole = ToUtf8(Path);
      if (Seen.Names.count(Whole.substr(Whole.rfind('/') + 1)) != 0) return true;
      return Visitor.Visit(Path, bIsDirectory);
    }
    FDirectoryVisitor& Visitor;
    const FListed& Seen;
  };
  FListed Seen;
  const bool bGoesOn =
      VisitPacked(Directory, Seen, [&](const FString& Path, const skl_entry& Entry) {
        return Visitor.Visit(*Path, Entry.asset == 0);
      });
  if (!bGoesOn) return false;
  FOthers Others(Visitor, Seen);
  return Lower->IterateDirectory(Directory, Others) || !Seen.Names.empty();
}

bool FSeeklessPlatformFile::IterateDirectoryStat(const TCHAR* Directory,
                                                 FDirectoryStatVisitor& Visitor) {
  struct FNames : FDirectoryVisitor {
    FNames(FSeeklessPlatformFile& InFiles, FDirectoryStatVisitor& InVisitor)
        : Files(InFiles), Visitor(InVisitor) {}
    bool Visit(const TCHAR* Path, bool) override {
      return Visitor.Visit(Path, Files.GetStatData(Path));
    }
    FSeeklessPlatformFile& Files;
    FDirectoryStatVisitor& Visitor;
  };
  FNames Names(*this, Visitor);
  return IterateDirectory(Directory, Names);
}

bool FSeeklessPlatformFile::DeleteFile(const TCHAR* Filename) {
  return !Find(Filename) && Lower->DeleteFile(Filename);
}

bool FSeeklessPlatformFile::MoveFile(const TCHAR* To, const TCHAR* From) {
  return !Find(To) && !Find(From) && Lower->MoveFile(To, From);
}

bool FSeeklessPlatformFile::SetReadOnly(const TCHAR* Filename, bool bNewReadOnlyValue) {
  return !Find(Filename) && Lower->SetReadOnly(Filename, bNewReadOnlyValue);
}

void FSeeklessPlatformFile::SetTimeStamp(const TCHAR* Filename, FDateTime DateTime) {
  if (!Find(Filename)) Lower->SetTimeStamp(Filename, DateTime);
}

IFileHandle* FSeeklessPlatformFile::OpenWrite(const TCHAR* Filename, bool bAppend,
                                              bool bAllowRead) {
  return Find(Filename) ? nullptr : Lower->OpenWrite(Filename, bAppend, bAllowRead);
}

bool FSeeklessPlatformFile::CreateDirectory(const TCHAR* Directory) {
  return Lower->CreateDirectory(Directory);
}

bool FSeeklessPlatformFile::DeleteDirectory(const TCHAR* Directory) {
  return Lower->DeleteDirectory(Directory);
}

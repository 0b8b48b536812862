// IPlatformFile and IFileHandle, with the functions that the public API reference says to override.
#pragma once

#include "CoreMinimal.h"

class IFileHandle {
 public:
  virtual ~IFileHandle() = default;
  virtual int64 Tell() = 0;
  virtual bool Seek(int64 NewPosition) = 0;
  virtual bool SeekFromEnd(int64 NewPositionRelativeToEnd = 0) = 0;
  virtual bool Read(uint8* Destination, int64 BytesToRead) = 0;
  virtual bool ReadAt(uint8* Destination, int64 BytesToRead, int64 Offset) = 0;
  virtual bool Write(const uint8* Source, int64 BytesToWrite) = 0;
  virtual bool Flush(const bool bFullFlush = false) = 0;
  virtual bool Truncate(int64 NewSize) = 0;
  virtual int64 Size() = 0;
};

struct FFileStatData {
  FFileStatData() = default;
  FFileStatData(FDateTime InCreationTime, FDateTime InAccessTime, FDateTime InModificationTime,
                const int64 InFileSize, const bool InIsDirectory, const bool InIsReadOnly)
      : CreationTime(InCreationTime),
        AccessTime(InAccessTime),
        ModificationTime(InModificationTime),
        FileSize(InFileSize),
        bIsDirectory(InIsDirectory),
        bIsReadOnly(InIsReadOnly),
        bIsValid(true) {}
  FDateTime CreationTime, AccessTime, ModificationTime;
  int64 FileSize = -1;
  bool bIsDirectory = false, bIsReadOnly = false, bIsValid = false;
};

class IPlatformFile {
 public:
  class FDirectoryVisitor {
   public:
    virtual ~FDirectoryVisitor() = default;
    virtual bool Visit(const TCHAR* FilenameOrDirectory, bool bIsDirectory) = 0;
  };
  class FDirectoryStatVisitor {
   public:
    virtual ~FDirectoryStatVisitor() = default;
    virtual bool Visit(const TCHAR* FilenameOrDirectory, const FFileStatData& StatData) = 0;
  };

  virtual ~IPlatformFile() = default;
  virtual bool Initialize(IPlatformFile* Inner, const TCHAR* CmdLine) = 0;
  virtual IPlatformFile* GetLowerLevel() = 0;
  virtual void SetLowerLevel(IPlatformFile* NewLowerLevel) = 0;
  virtual const TCHAR* GetName() const = 0;
  virtual bool FileExists(const TCHAR* Filename) = 0;
  virtual int64 FileSize(const TCHAR* Filename) = 0;
  virtual bool DeleteFile(const TCHAR* Filename) = 0;
  virtual bool IsReadOnly(const TCHAR* Filename) = 0;
  virtual bool MoveFile(const TCHAR* To, const TCHAR* From) = 0;
  virtual bool SetReadOnly(const TCHAR* Filename, bool bNewReadOnlyValue) = 0;
  virtual FDateTime GetTimeStamp(const TCHAR* Filename) = 0;
  virtual void SetTimeStamp(const TCHAR* Filename, FDateTime DateTime) = 0;
  virtual FDateTime GetAccessTimeStamp(const TCHAR* Filename) = 0;
  virtual FString GetFilenameOnDisk(const TCHAR* Filename) = 0;
  virtual IFileHandle* OpenRead(const TCHAR* Filename, bool bAllowWrite = false) = 0;
  virtual IFileHandle* OpenWrite(const TCHAR* Filename, bool bAppend = false,
                                 bool bAllowRead = false) = 0;
  virtual bool DirectoryExists(const TCHAR* Directory) = 0;
  virtual bool CreateDirectory(const TCHAR* Directory) = 0;
  virtual bool DeleteDirectory(const TCHAR* Directory) = 0;
  virtual FFileStatData GetStatData(const TCHAR* FilenameOrDirectory) = 0;
  virtual bool IterateDirectory(const TCHAR* Directory, FDirectoryVisitor& Visitor) = 0;
  virtual bool IterateDirectoryStat(const TCHAR* Directory, FDirectoryStatVisitor& Visitor) = 0;
};

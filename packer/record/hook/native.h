// Declares the calls of ntdll that the hooks replace or make, and their types, as far as the
// compiler's headers lack them.
#pragma once

#include <cstdint>

#include <windows.h>
#include <winternl.h>

namespace seekless::hook {

inline constexpr NTSTATUS kPending = 0x103;
inline constexpr NTSTATUS kEndOfFile = static_cast<NTSTATUS>(0xc0000011);

inline HANDLE this_process() {
  return reinterpret_cast<HANDLE>(static_cast<intptr_t>(-1));
}

// These are information classes.
inline constexpr int kFileStandard = 5, kFilePosition = 14, kFileMode = 16, kVolumeDevice = 4;
inline constexpr int kObjectName = 1;
inline constexpr ULONG kInherits = 0x2;  // flag of an object's attributes, and of a new handle
inline constexpr ULONG kHandsHandlesOn = 0x4;  // flag of a new process
inline constexpr ULONG kSameAttributes = 0x4;  // flag of duplicating a handle
inline constexpr int kThreadBasic = 0;

struct VolumeDevice {
  ULONG type;
  ULONG characteristics;
};

struct ThreadBasic {
  NTSTATUS exit_status;
  PVOID block;
  CLIENT_ID id;
  ULONG_PTR affinity;
  LONG priority;
  LONG base_priority;
};

struct FileStandard {
  LARGE_INTEGER allocated;
  LARGE_INTEGER end_of_file;
  ULONG links;
  BOOLEAN is_being_deleted;
  BOOLEAN is_folder;
};

using NtCreateFileCall = NTSTATUS(NTAPI*)(HANDLE*, ACCESS_MASK, OBJECT_ATTRIBUTES*,
                                          IO_STATUS_BLOCK*, LARGE_INTEGER*, ULONG, ULONG, ULONG,
                                          ULONG, void*, ULONG);
using NtOpenFileCall = NTSTATUS(NTAPI*)(HANDLE*, ACCESS_MASK, OBJECT_ATTRIBUTES*, IO_STATUS_BLOCK*,
                                        ULONG, ULONG);
// The type of NtReadFile, NtWriteFile, and the calls that scatter and gather.
using NtTransferCall = NTSTATUS(NTAPI*)(HANDLE, HANDLE, PIO_APC_ROUTINE, void*, IO_STATUS_BLOCK*,
                                        void*, ULONG, LARGE_INTEGER*, ULONG*);
using NtSetInformationFileCall = NTSTATUS(NTAPI*)(HANDLE, IO_STATUS_BLOCK*, void*, ULONG, int);
using NtCreateSectionCall = NTSTATUS(NTAPI*)(HANDLE*, ACCESS_MASK, OBJECT_ATTRIBUTES*,
                                             LARGE_INTEGER*, ULONG, ULONG, HANDLE);
using NtMapViewOfSectionCall = NTSTATUS(NTAPI*)(HANDLE, HANDLE, void**, ULONG_PTR, SIZE_T,
                                                LARGE_INTEGER*, SIZE_T*, int, ULONG, ULONG);
using NtDuplicateObjectCall = NTSTATUS(NTAPI*)(HANDLE, HANDLE, HANDLE, HANDLE*, ACCESS_MASK, ULONG,
                                               ULONG);
using NtCloseCall = NTSTATUS(NTAPI*)(HANDLE);
using NtWaitForSingleObjectCall = NTSTATUS(NTAPI*)(HANDLE, BOOLEAN, LARGE_INTEGER*);
using NtWaitForMultipleObjectsCall = NTSTATUS(NTAPI*)(ULONG, const HANDLE*, int, BOOLEAN,
                                                      LARGE_INTEGER*);
using NtRemoveIoCompletionCall = NTSTATUS(NTAPI*)(HANDLE, void**, void**, IO_STATUS_BLOCK*,
                                                  LARGE_INTEGER*);
struct CompletedIo {
  void* key;
  void* context;
  IO_STATUS_BLOCK done;
};
using NtRemoveIoCompletionExCall = NTSTATUS(NTAPI*)(HANDLE, CompletedIo*, ULONG, ULONG*,
                                                    LARGE_INTEGER*, BOOLEAN);
using NtCreateUserProcessCall = NTSTATUS(NTAPI*)(HANDLE*, HANDLE*, ACCESS_MASK, ACCESS_MASK,
                                                 OBJECT_ATTRIBUTES*, OBJECT_ATTRIBUTES*, ULONG,
                                                 ULONG, void*, void*, void*);
using NtResumeThreadCall = NTSTATUS(NTAPI*)(HANDLE, ULONG*);

}  // namespace seekless::hook

// These are called, but not hooked.
extern "C" {
NTSYSAPI NTSTATUS NTAPI NtQueryObject(HANDLE, OBJECT_INFORMATION_CLASS, PVOID, ULONG, PULONG);
NTSYSAPI NTSTATUS NTAPI NtQueryInformationFile(HANDLE, PIO_STATUS_BLOCK, PVOID, ULONG,
                                               FILE_INFORMATION_CLASS);
NTSYSAPI NTSTATUS NTAPI NtQueryVolumeInformationFile(HANDLE, PIO_STATUS_BLOCK, PVOID, ULONG,
                                                     FS_INFORMATION_CLASS);
NTSYSAPI NTSTATUS NTAPI NtQueryInformationThread(HANDLE, THREADINFOCLASS, PVOID, ULONG, PULONG);
NTSYSAPI NTSTATUS NTAPI NtQueryInformationProcess(HANDLE, PROCESSINFOCLASS, PVOID, ULONG, PULONG);
NTSYSAPI NTSTATUS NTAPI NtReadVirtualMemory(HANDLE, const void*, void*, SIZE_T, SIZE_T*);
NTSYSAPI NTSTATUS NTAPI NtSetEvent(HANDLE, LONG*);
NTSYSAPI NTSTATUS NTAPI NtAllocateVirtualMemory(HANDLE, PVOID*, ULONG_PTR, SIZE_T*, ULONG, ULONG);
NTSYSAPI NTSTATUS NTAPI NtFreeVirtualMemory(HANDLE, PVOID*, SIZE_T*, ULONG);
}

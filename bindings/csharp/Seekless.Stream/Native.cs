// Declares the functions of seekless.h that the classes call. The .NET runtime loads libseekless.so.0, or maps that
// name to seekless.dll.
using System;
using System.Runtime.ExceptionServices;
using System.Runtime.InteropServices;
using System.Text;
using System.Threading;

namespace Seekless
{
    [StructLayout(LayoutKind.Sequential)]
    internal struct NativeError
    {
        public uint StructBytes;
        public int Result;
        public int OsError;
        public ulong OffsetBytes;
        [MarshalAs(UnmanagedType.ByValArray, SizeConst = 512)]
        public byte[] Message;

        public static NativeError Make()
        {
            return new NativeError
            {
                StructBytes = (uint)Marshal.SizeOf(typeof(NativeError)),
                Message = new byte[512]
            };
        }
    }

    [StructLayout(LayoutKind.Sequential)]
    internal struct NativeContextOptions
    {
        public uint StructBytes;
        public ulong MemoryBudgetBytes;
        public IntPtr Allocator;
        public int Media;
        public int Backend;
        public uint Threads;
        public uint BypassesPerSecond;
        public uint SlowReadMs;
        public IntPtr OnCanary;
        public IntPtr CanaryUser;
        public IntPtr Inflate;
        public IntPtr InflateUser;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal struct NativeRecorderOptions
    {
        public uint StructBytes;
        public ulong RingBytes;
        public IntPtr Scenario;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal struct NativeMountOptions
    {
        public uint StructBytes;
        public IntPtr At;
        public int Priority;
        public uint FoldCase;
        public IntPtr Deletions;
        public UIntPtr DeletionCount;
        public IntPtr Io;
        public NativeChanged OnChange;
        public IntPtr ChangeUser;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal struct NativeChange
    {
        public uint StructBytes;
        public int Kind;
        public uint Mount;
        public ulong Asset;
        public ulong SizeBytes;
        public IntPtr Path;
        public IntPtr Error;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal struct NativeQueueOptions
    {
        public uint StructBytes;
        public uint Capacity;
        public NativeCompleted OnCompletion;
        public IntPtr CompletionUser;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal struct NativeRequest
    {
        public uint StructBytes;
        public ulong Asset;
        public ulong OffsetBytes;
        public ulong LengthBytes;
        public IntPtr Destination;
        public int Priority;
        public uint DeadlineUs;
        public ulong Tag;
        public IntPtr User;
        public IntPtr Error;
        public uint DestinationAlignmentBytes;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal struct NativeCompletion
    {
        public uint StructBytes;
        public int Result;
        public uint MissedDeadline;
        public ulong Asset;
        public ulong OffsetBytes;
        public ulong ReadBytes;
        public ulong Tag;
        public IntPtr User;
        public NativeLease Lease;
        public ulong LatencyUs;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal struct NativeStreamOptions
    {
        public uint StructBytes;
        public uint BytesPerSecond;
        public ulong OffsetBytes;
        public ulong LengthBytes;
        public ulong AheadBytes;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal struct NativeStreamInfo
    {
        public uint StructBytes;
        public uint Stalls;
        public ulong SizeBytes;
        public ulong PositionBytes;
        public ulong AheadBytes;
        public ulong StalledUs;
        public ulong LongestStallUs;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal struct NativeLease
    {
        public ulong Asset;
        public ulong AssetBytes;
        public ulong OffsetBytes;
        public IntPtr Data;
        public UIntPtr SizeBytes;
        public IntPtr Block;
    }

    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    internal delegate int NativeVisit(IntPtr user, IntPtr path, ulong asset, ulong sizeBytes);

    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    internal delegate void NativeChanged(IntPtr user, IntPtr change);

    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    internal delegate void NativeCompleted(IntPtr user, IntPtr completion);

    /// <summary>Marks functions that native code calls. Unity's IL2CPP looks for an attribute of this name.</summary>
    [AttributeUsage(AttributeTargets.Method)]
    internal sealed class MonoPInvokeCallbackAttribute : Attribute
    {
        public MonoPInvokeCallbackAttribute(Type type)
        {
        }
    }

    internal static class Native
    {
        public const int End = 1;
        public const int WouldBlock = 2;
        public const int NotFound = -1;
        public const int Cancelled = -7;
        public const int BackendPump = 4;

        public static string Text(IntPtr text)
        {
            var length = 0;
            while (Marshal.ReadByte(text, length) != 0) ++length;
            var bytes = new byte[length];
            Marshal.Copy(text, bytes, 0, length);
            return Encoding.UTF8.GetString(bytes);
        }

        /// <summary>Throws on a separate thread, because an exception can't pass through native code. It ends the
        /// program, like any uncaught exception.</summary>
        public static void ThrowElsewhere(Exception e)
        {
            var caught = ExceptionDispatchInfo.Capture(e);
            new Thread(caught.Throw).Start();
        }

#if SEEKLESS_WINDOWS || UNITY_STANDALONE_WIN || UNITY_EDITOR_WIN
        private const string Library = "seekless";
#else
        private const string Library = "libseekless.so.0";
#endif
        private const CallingConvention C = CallingConvention.Cdecl;

        [DllImport(Library, CallingConvention = C)]
        public static extern int skl_context_create(ref NativeContextOptions options, out IntPtr context, ref NativeError error);
        [DllImport(Library, CallingConvention = C)]
        public static extern void skl_context_destroy(IntPtr context);
        [DllImport(Library, CallingConvention = C)]
        public static extern int skl_mount(IntPtr context, byte[] path, ref NativeMountOptions options, out uint mount,
                                           ref NativeError error);
        [DllImport(Library, CallingConvention = C)]
        public static extern int skl_unmount(IntPtr context, uint mount, ref NativeError error);
        [DllImport(Library, CallingConvention = C)]
        public static extern int skl_list(IntPtr context, NativeVisit visit, IntPtr user, ref NativeError error);
        [DllImport(Library, CallingConvention = C)]
        public static extern int skl_find(IntPtr context, byte[] path, out ulong asset, out ulong sizeBytes);
        [DllImport(Library, CallingConvention = C)]
        public static extern int skl_hash_path(IntPtr context, byte[] path, UIntPtr lengthBytes, out PathHash hash);
        [DllImport(Library, CallingConvention = C)]
        public static extern int skl_find_hashed(IntPtr context, ref PathHash hash, out ulong asset, out ulong sizeBytes);
        [DllImport(Library, CallingConvention = C)]
        public static extern int skl_pump(IntPtr context, ulong budgetUs);
        [DllImport(Library, CallingConvention = C)]
        public static extern int skl_recorder_start(IntPtr context, byte[] path, ref NativeRecorderOptions options,
                                                    ref NativeError error);
        [DllImport(Library, CallingConvention = C)]
        public static extern int skl_recorder_mark(IntPtr context, byte[] scenario);
        [DllImport(Library, CallingConvention = C)]
        public static extern int skl_recorder_stop(IntPtr context, out ulong lostEvents, ref NativeError error);
        [DllImport(Library, CallingConvention = C)]
        public static extern int skl_asset_path(IntPtr context, ulong asset, byte[] path, UIntPtr capacityBytes,
                                                out UIntPtr lengthBytes, ref NativeError error);
        [DllImport(Library, CallingConvention = C)]
        public static extern int skl_read(IntPtr context, ulong asset, ulong offsetBytes, IntPtr destination,
                                          UIntPtr lengthBytes, out UIntPtr readBytes, ref NativeError error);
        [DllImport(Library, CallingConvention = C)]
        public static extern int skl_sweep_open(IntPtr context, byte[] scenario, out IntPtr sweep, ref NativeError error);
        [DllImport(Library, CallingConvention = C)]
        public static extern int skl_sweep_wait(IntPtr sweep, uint timeoutMs, out NativeLease lease, ref NativeError error);
        [DllImport(Library, CallingConvention = C)]
        public static extern void skl_sweep_close(IntPtr sweep);
        [DllImport(Library, CallingConvention = C)]
        public static extern void skl_lease_release(ref NativeLease lease);
        [DllImport(Library, CallingConvention = C)]
        public static extern int skl_mount_watched(IntPtr context, uint mount, ref NativeError error);
        [DllImport(Library, CallingConvention = C)]
        public static extern int skl_queue_create(IntPtr context, ref NativeQueueOptions options, out IntPtr queue,
                                                  ref NativeError error);
        [DllImport(Library, CallingConvention = C)]
        public static extern int skl_queue_submit(IntPtr queue, NativeRequest[] requests, UIntPtr count, out UIntPtr accepted,
                                                  ref NativeError error);
        [DllImport(Library, CallingConvention = C)]
        public static extern UIntPtr skl_queue_cancel(IntPtr queue, ulong tag, ulong mask);
        [DllImport(Library, CallingConvention = C)]
        public static extern UIntPtr skl_queue_reschedule(IntPtr queue, ulong tag, ulong mask, int priority, uint deadlineUs);
        [DllImport(Library, CallingConvention = C)]
        public static extern void skl_queue_destroy(IntPtr queue);
        [DllImport(Library, CallingConvention = C)]
        public static extern int skl_stream_open(IntPtr context, ulong asset, ref NativeStreamOptions options, out IntPtr stream,
                                                 ref NativeError error);
        [DllImport(Library, CallingConvention = C)]
        public static extern int skl_stream_read(IntPtr stream, IntPtr destination, UIntPtr lengthBytes, out UIntPtr readBytes,
                                                 ref NativeError error);
        [DllImport(Library, CallingConvention = C)]
        public static extern int skl_stream_wait(IntPtr stream, uint timeoutMs, IntPtr destination, UIntPtr lengthBytes,
                                                 out UIntPtr readBytes, ref NativeError error);
        [DllImport(Library, CallingConvention = C)]
        public static extern int skl_stream_seek(IntPtr stream, ulong positionBytes);
        [DllImport(Library, CallingConvention = C)]
        public static extern void skl_stream_about(IntPtr stream, ref NativeStreamInfo info);
        [DllImport(Library, CallingConvention = C)]
        public static extern void skl_stream_close(IntPtr stream);
    }
}

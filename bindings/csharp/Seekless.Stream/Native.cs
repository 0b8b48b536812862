// The functions of seekless.h that the classes here call. No native code of its own: the runtime finds
// libseekless.so.0, or seekless.dll by a mapping of that name.
using System;
using System.Runtime.InteropServices;

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
    internal struct NativeMountOptions
    {
        public uint StructBytes;
        public IntPtr At;
        public int Priority;
        public uint FoldCase;
        public IntPtr Deletions;
        public UIntPtr DeletionCount;
        public IntPtr Io;
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

    internal static class Native
    {
#if SEEKLESS_WINDOWS || UNITY_STANDALONE_WIN || UNITY_EDITOR_WIN
        private const string Library = "seekless";
#else
        private const string Library = "libseekless.so.0";
#endif
        private const CallingConvention C = CallingConvention.Cdecl;

        [DllImport(Library, CallingConvention = C)]
        public static extern int skl_context_create(IntPtr options, out IntPtr context, ref NativeError error);
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
    }
}

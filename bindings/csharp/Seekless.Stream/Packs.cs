// Mounted packs: assets by path as streams, and sweeps of scenarios.
using System;
using System.Collections.Generic;
using System.IO;
using System.Runtime.InteropServices;
using System.Text;

namespace Seekless
{
    /// <summary>What went wrong: file, place, expected, found, what to do.</summary>
    public class SeeklessException : IOException
    {
        /// <summary>A skl_result, such as -3 for damaged bytes.</summary>
        public int Result { get; private set; }

        internal SeeklessException(int result, string message) : base(message)
        {
            Result = result;
        }

        internal static void ThrowIfFailed(int result, ref NativeError error)
        {
            if (result >= 0) return;
            var end = Array.IndexOf(error.Message, (byte)0);
            throw new SeeklessException(result, Encoding.UTF8.GetString(error.Message, 0, end < 0 ? 512 : end));
        }
    }

    /// <summary>A piece of an asset that a sweep has brought. Small assets come whole.</summary>
    public struct SweptPiece
    {
        /// <summary>Names the asset; see <see cref="Packs.PathOf"/>.</summary>
        public ulong Asset;
        /// <summary>The size of the whole asset.</summary>
        public long AssetBytes;
        /// <summary>Where in the asset the piece begins.</summary>
        public long OffsetBytes;
        /// <summary>The piece's bytes, copied.</summary>
        public byte[] Bytes;
    }

    /// <summary>
    /// Pack sets, packs, zips and folders in one name space. All methods but Dispose may be called from any thread, at any
    /// time; reading takes no lock. Streams keep it alive; after Dispose, they throw.
    /// </summary>
    public sealed class Packs : IDisposable
    {
        private readonly PacksHandle handle;

        /// <summary>Mounts what lies at the path, such as a folder of packs.</summary>
        public Packs(string path)
        {
            var error = NativeError.Make();
            IntPtr context;
            SeeklessException.ThrowIfFailed(Native.skl_context_create(IntPtr.Zero, out context, ref error), ref error);
            handle = new PacksHandle(context);
            try
            {
                Mount(path, 0);
            }
            catch
            {
                handle.Dispose();
                throw;
            }
        }

        /// <summary>Mounts one more: a patch, a mod. Of equal paths, that of the higher priority, or the later one, is found.
        /// </summary>
        public uint Mount(string path, int priority)
        {
            var error = NativeError.Make();
            var options = new NativeMountOptions
            {
                StructBytes = (uint)Marshal.SizeOf(typeof(NativeMountOptions)),
                Priority = priority
            };
            uint mount;
            using (var use = new PacksHandle.Use(handle))
                SeeklessException.ThrowIfFailed(
                    Native.skl_mount(use.Context, Utf8(path), ref options, out mount, ref error), ref error);
            return mount;
        }

        /// <summary>Takes a mount away again; streams of its assets then throw.</summary>
        public void Unmount(uint mount)
        {
            var error = NativeError.Make();
            using (var use = new PacksHandle.Use(handle))
                SeeklessException.ThrowIfFailed(Native.skl_unmount(use.Context, mount, ref error), ref error);
        }

        /// <summary>Whether there is such an asset; about a microsecond, without I/O.</summary>
        public bool Exists(string path)
        {
            ulong asset, size;
            return Find(path, out asset, out size);
        }

        /// <summary>A seekable, read-only stream; FileNotFoundException if there is no such path.</summary>
        public AssetStream Open(string path)
        {
            ulong asset, size;
            if (!Find(path, out asset, out size))
                throw new FileNotFoundException(path + ": expected an asset of the mounted packs, found none", path);
            return new AssetStream(handle, asset, (long)size);
        }

        /// <summary>All of an asset, checked against its hash.</summary>
        public byte[] ReadAllBytes(string path)
        {
            using (var stream = Open(path))
            {
                var bytes = new byte[stream.Length];
                stream.Read(bytes, 0, bytes.Length);
                return bytes;
            }
        }

        /// <summary>Every path that can be opened. Opens all packs for their names.</summary>
        public IList<string> List()
        {
            var paths = new List<string>();
            NativeVisit visit = (user, path, asset, size) =>
            {
                paths.Add(Text(path));
                return 0;
            };
            var error = NativeError.Make();
            using (var use = new PacksHandle.Use(handle))
                SeeklessException.ThrowIfFailed(Native.skl_list(use.Context, visit, IntPtr.Zero, ref error), ref error);
            GC.KeepAlive(visit);
            return paths;
        }

        /// <summary>The path of an asset that a sweep has brought.</summary>
        public string PathOf(ulong asset)
        {
            var error = NativeError.Make();
            UIntPtr length;
            using (var use = new PacksHandle.Use(handle))
            {
                Native.skl_asset_path(use.Context, asset, null, UIntPtr.Zero, out length, ref error);
                var bytes = new byte[(int)length + 1];
                SeeklessException.ThrowIfFailed(
                    Native.skl_asset_path(use.Context, asset, bytes, (UIntPtr)bytes.Length, out length, ref error),
                    ref error);
                return Encoding.UTF8.GetString(bytes, 0, (int)length);
            }
        }

        /// <summary>What a scenario needs, in the order in which it lies on the disk. Waits for the disk: call it on a
        /// loading thread.</summary>
        public IEnumerable<SweptPiece> Sweep(string scenario)
        {
            using (var use = new PacksHandle.Use(handle))
            {
                var sweep = OpenSweep(use.Context, scenario);
                try
                {
                    SweptPiece piece;
                    while (Next(sweep, out piece)) yield return piece;
                }
                finally
                {
                    Native.skl_sweep_close(sweep);
                }
            }
        }

        /// <summary>Ends it; open streams throw from now on.</summary>
        public void Dispose()
        {
            handle.Dispose();
        }

        private bool Find(string path, out ulong asset, out ulong size)
        {
            using (var use = new PacksHandle.Use(handle))
                return Native.skl_find(use.Context, Utf8(path), out asset, out size) == 0;
        }

        private static IntPtr OpenSweep(IntPtr context, string scenario)
        {
            var error = NativeError.Make();
            IntPtr sweep;
            SeeklessException.ThrowIfFailed(Native.skl_sweep_open(context, Utf8(scenario), out sweep, ref error), ref error);
            return sweep;
        }

        private static bool Next(IntPtr sweep, out SweptPiece piece)
        {
            var error = NativeError.Make();
            NativeLease lease;
            piece = new SweptPiece();
            var result = Native.skl_sweep_wait(sweep, uint.MaxValue, out lease, ref error);
            SeeklessException.ThrowIfFailed(result, ref error);
            if (result != 0) return false;
            piece.Asset = lease.Asset;
            piece.AssetBytes = (long)lease.AssetBytes;
            piece.OffsetBytes = (long)lease.OffsetBytes;
            piece.Bytes = new byte[(int)lease.SizeBytes];
            if (piece.Bytes.Length > 0) Marshal.Copy(lease.Data, piece.Bytes, 0, piece.Bytes.Length);
            Native.skl_lease_release(ref lease);
            return true;
        }

        private static byte[] Utf8(string text)
        {
            return Encoding.UTF8.GetBytes(text + "\0");
        }

        private static string Text(IntPtr text)
        {
            var length = 0;
            while (Marshal.ReadByte(text, length) != 0) ++length;
            var bytes = new byte[length];
            Marshal.Copy(text, bytes, 0, length);
            return Encoding.UTF8.GetString(bytes);
        }
    }

    /// <summary>The native context. It isn't destroyed while a call uses it.</summary>
    internal sealed class PacksHandle : SafeHandle
    {
        public PacksHandle(IntPtr context) : base(IntPtr.Zero, true)
        {
            SetHandle(context);
        }

        public override bool IsInvalid
        {
            get { return handle == IntPtr.Zero; }
        }

        protected override bool ReleaseHandle()
        {
            Native.skl_context_destroy(handle);
            return true;
        }

        /// <summary>Throws ObjectDisposedException if it is gone.</summary>
        public struct Use : IDisposable
        {
            private readonly PacksHandle of;

            public Use(PacksHandle of)
            {
                var ignored = false;
                of.DangerousAddRef(ref ignored);
                this.of = of;
            }

            public IntPtr Context
            {
                get { return of.DangerousGetHandle(); }
            }

            public void Dispose()
            {
                of.DangerousRelease();
            }
        }
    }
}

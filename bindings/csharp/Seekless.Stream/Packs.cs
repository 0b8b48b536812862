// Mounted packs: assets as streams, by path, and sweeps of scenarios.
using System;
using System.Collections.Generic;
using System.IO;
using System.Runtime.InteropServices;
using System.Text;

namespace Seekless
{
    /// <summary>An error of the library. Its message gives file, place, expected, found, what to do.</summary>
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
            if (result < 0) throw Of(result, ref error);
        }

        // For functions that return no error details.
        internal static void ThrowIfFailed(int result, string what)
        {
            if (result < 0) throw new SeeklessException(result, what);
        }

        internal static SeeklessException Of(int result, ref NativeError error)
        {
            var end = Array.IndexOf(error.Message, (byte)0);
            return new SeeklessException(result, Encoding.UTF8.GetString(error.Message, 0, end < 0 ? 512 : end));
        }
    }

    /// <summary>A path's hash, made by <see cref="Packs.HashOf"/>. It may be stored in a file.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public struct PathHash
    {
        /// <summary>The seed of the hash; mounting may change it.</summary>
        public ulong Seed;
        /// <summary>The hash for packs that distinguish case.</summary>
        public ulong Exact;
        /// <summary>The hash for packs that ignore case.</summary>
        public ulong Folded;
    }

    /// <summary>Tells whether work is left after <see cref="Packs.Pump"/>.</summary>
    public enum Pumped
    {
        /// <summary>Work is still outstanding.</summary>
        Outstanding = 0,
        /// <summary>No work is outstanding.</summary>
        Done = 1,
        /// <summary>Another thread is already pumping.</summary>
        Elsewhere = 2
    }

    internal struct FoundAsset
    {
        public ulong Asset;
        public long SizeBytes;
    }

    /// <summary>A piece of an asset that a sweep has read. Small assets come in one piece.</summary>
    public struct SweptPiece
    {
        /// <summary>The asset's number; see <see cref="Packs.PathOf"/>.</summary>
        public ulong Asset;
        /// <summary>The size of the whole asset.</summary>
        public long AssetBytes;
        /// <summary>Where the piece begins in the asset.</summary>
        public long OffsetBytes;
        /// <summary>A copy of the piece's bytes.</summary>
        public byte[] Bytes;
    }

    /// <summary>
    /// Pack sets, packs, zips and folders in one name space. All methods but Dispose may be called from any thread, at
    /// any time; reading takes no lock. Streams keep it alive; after Dispose, they throw.
    /// </summary>
    public sealed class Packs : IDisposable
    {
        private readonly PacksHandle handle;

        /// <summary>Mounts a pack set, a pack, a zip or a folder.</summary>
        public Packs(string path) : this(path, 0)
        {
        }

        /// <summary>Like Open, but the library starts no thread. Queues, sweeps, streams and watched folders proceed
        /// only in <see cref="Pump"/>, and in calls that wait for them. (A recording still has its own
        /// thread.)</summary>
        public static Packs OpenPumped(string path)
        {
            return new Packs(path, Native.BackendPump);
        }

        private Packs(string path, int backend)
        {
            var error = NativeError.Make();
            var options = new NativeContextOptions
            {
                StructBytes = (uint)Marshal.SizeOf(typeof(NativeContextOptions)),
                Backend = backend
            };
            IntPtr context;
            SeeklessException.ThrowIfFailed(Native.skl_context_create(ref options, out context, ref error), ref error);
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

        /// <summary>Adds a mount, such as a patch or a mod. If two mounts have the same path, the one with the higher
        /// priority is found; at equal priority, the later one.</summary>
        public uint Mount(string path, int priority)
        {
            return Mount(path, new NativeMountOptions { Priority = priority });
        }

        /// <summary>Mounts a folder of loose files, in development. The function is called within 100 ms of a change,
        /// on a thread of the library, when reading already shows the change. It may read and mount, but not unmount
        /// this mount.</summary>
        public uint Watch(string folder, int priority, Action<AssetChange> onChange)
        {
            if (onChange == null) throw new ArgumentNullException("onChange");
            return Mount(folder, new NativeMountOptions
            {
                Priority = priority,
                OnChange = AssetChange.OnChange,
                ChangeUser = handle.Keep(onChange)
            });
        }

        /// <summary>Throws, with the reason, if the mount's folder isn't being watched.</summary>
        public void ExpectWatched(uint mount)
        {
            var error = NativeError.Make();
            using (var use = new PacksHandle.Use(handle))
                SeeklessException.ThrowIfFailed(Native.skl_mount_watched(use.Pointer, mount, ref error), ref error);
        }

        private uint Mount(string path, NativeMountOptions options)
        {
            var error = NativeError.Make();
            options.StructBytes = (uint)Marshal.SizeOf(typeof(NativeMountOptions));
            uint mount;
            using (var use = new PacksHandle.Use(handle))
                SeeklessException.ThrowIfFailed(
                    Native.skl_mount(use.Pointer, Utf8(path), ref options, out mount, ref error), ref error);
            return mount;
        }

        /// <summary>Removes a mount; streams of its assets then throw.</summary>
        public void Unmount(uint mount)
        {
            var error = NativeError.Make();
            using (var use = new PacksHandle.Use(handle))
                SeeklessException.ThrowIfFailed(Native.skl_unmount(use.Pointer, mount, ref error), ref error);
        }

        /// <summary>Returns true if there is such an asset. Takes about a microsecond and does no I/O.</summary>
        public bool Exists(string path)
        {
            ulong asset, size;
            return Find(path, out asset, out size);
        }

        /// <summary>Opens a seekable, read-only stream. Throws FileNotFoundException if there is no such
        /// path.</summary>
        public AssetStream Open(string path)
        {
            var found = Expect(path);
            return new AssetStream(handle, found.Asset, found.SizeBytes);
        }

        /// <summary>Hashes a path for the methods that take a hash. The path needn't exist.</summary>
        public PathHash HashOf(string path)
        {
            var bytes = Encoding.UTF8.GetBytes(path);
            PathHash hash;
            using (var use = new PacksHandle.Use(handle))
                Native.skl_hash_path(use.Pointer, bytes, (UIntPtr)bytes.Length, out hash);
            return hash;
        }

        /// <summary>Like Exists with a path, but without hashing or converting it. Throws with the Result -8 if
        /// mounting has changed how paths are hashed; then hash it again.</summary>
        public bool Exists(PathHash hash)
        {
            FoundAsset found;
            return Find(hash, out found);
        }

        /// <summary>Like Open with a path.</summary>
        public AssetStream Open(PathHash hash)
        {
            FoundAsset found;
            if (!Find(hash, out found))
                throw new FileNotFoundException("expected an asset of the mounted packs, found no path with this hash");
            return new AssetStream(handle, found.Asset, found.SizeBytes);
        }

        /// <summary>For packs opened by OpenPumped. Reads, decodes and delivers on this thread until nothing more can
        /// be done now, or the time is up. Does at least one step.</summary>
        public Pumped Pump(TimeSpan budget)
        {
            int result;
            using (var use = new PacksHandle.Use(handle))
                result = Native.skl_pump(use.Pointer, (ulong)Math.Max(0, budget.Ticks / 10));
            SeeklessException.ThrowIfFailed(result, "pump: expected packs that OpenPumped opened, found others");
            return (Pumped)result;
        }

        /// <summary>Records everything found and read from now on to a file, as a trace for `seekless plan`. `scenario`
        /// is the one being loaded until the first mark. Only one recording may run at a time.</summary>
        public Recording Record(string path, string scenario = null)
        {
            return new Recording(handle, Utf8(path), scenario == null ? null : Utf8(scenario));
        }

        /// <summary>Opens a stream that reads ahead, for content that is read from front to back: music, speech,
        /// films.</summary>
        public ReadAheadStream OpenAhead(string path, ReadAheadOptions options = default(ReadAheadOptions))
        {
            return new ReadAheadStream(handle, Expect(path).Asset, options);
        }

        /// <summary>Makes a queue of background requests, at most `capacity` at a time (0: 1024).</summary>
        public RequestQueue MakeQueue(int capacity = 0)
        {
            return new RequestQueue(this, handle, capacity);
        }

        /// <summary>Reads a whole asset, checked against its hash.</summary>
        public byte[] ReadAllBytes(string path)
        {
            using (var stream = Open(path))
            {
                var bytes = new byte[stream.Length];
                stream.Read(bytes, 0, bytes.Length);
                return bytes;
            }
        }

        /// <summary>Returns every path that can be opened. Opens all packs for their names.</summary>
        public IList<string> List()
        {
            var paths = new List<string>();
            NativeVisit visit = (user, path, asset, size) =>
            {
                paths.Add(Native.Text(path));
                return 0;
            };
            var error = NativeError.Make();
            using (var use = new PacksHandle.Use(handle))
                SeeklessException.ThrowIfFailed(Native.skl_list(use.Pointer, visit, IntPtr.Zero, ref error), ref error);
            GC.KeepAlive(visit);
            return paths;
        }

        /// <summary>Returns the path of an asset that a sweep has read.</summary>
        public string PathOf(ulong asset)
        {
            var error = NativeError.Make();
            UIntPtr length;
            using (var use = new PacksHandle.Use(handle))
            {
                Native.skl_asset_path(use.Pointer, asset, null, UIntPtr.Zero, out length, ref error);
                var bytes = new byte[(int)length + 1];
                SeeklessException.ThrowIfFailed(
                    Native.skl_asset_path(use.Pointer, asset, bytes, (UIntPtr)bytes.Length, out length, ref error),
                    ref error);
                return Encoding.UTF8.GetString(bytes, 0, (int)length);
            }
        }

        /// <summary>Reads a scenario's assets in the order of the disk. Waits for the disk, so call it on a loading
        /// thread.</summary>
        public IEnumerable<SweptPiece> Sweep(string scenario)
        {
            using (var use = new PacksHandle.Use(handle))
            {
                var sweep = OpenSweep(use.Pointer, scenario);
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

        /// <summary>Closes the packs; open streams throw from now on.</summary>
        public void Dispose()
        {
            handle.Dispose();
        }

        internal FoundAsset Expect(string path)
        {
            ulong asset, size;
            if (!Find(path, out asset, out size))
                throw new FileNotFoundException(path + ": expected an asset of the mounted packs, found none", path);
            return new FoundAsset { Asset = asset, SizeBytes = (long)size };
        }

        private bool Find(string path, out ulong asset, out ulong size)
        {
            using (var use = new PacksHandle.Use(handle))
                return Native.skl_find(use.Pointer, Utf8(path), out asset, out size) == 0;
        }

        private bool Find(PathHash hash, out FoundAsset found)
        {
            ulong asset, size;
            int result;
            using (var use = new PacksHandle.Use(handle))
                result = Native.skl_find_hashed(use.Pointer, ref hash, out asset, out size);
            found = new FoundAsset { Asset = asset, SizeBytes = (long)size };
            if (result != Native.NotFound)
                SeeklessException.ThrowIfFailed(result, "hash: expected one of the mounted packs' seed, found another; hash the path again");
            return result == 0;
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

        internal static byte[] Utf8(string text)
        {
            return Encoding.UTF8.GetBytes(text + "\0");
        }
    }
}

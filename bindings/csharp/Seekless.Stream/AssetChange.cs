// Changes in a folder of loose files while it is mounted.
using System;
using System.Runtime.InteropServices;

namespace Seekless
{
    /// <summary>The kind of a change to a file.</summary>
    public enum ChangeKind
    {
        /// <summary>The file was added.</summary>
        Added = 1,
        /// <summary>Its size, time or inode has changed.</summary>
        Changed = 2,
        /// <summary>The file was removed: its streams throw.</summary>
        Removed = 3,
        /// <summary>Changes are no longer reported; Error says why.</summary>
        Unwatched = 4
    }

    /// <summary>A change in a folder that <see cref="Packs.Watch"/> has mounted.</summary>
    public sealed class AssetChange
    {
        /// <summary>The kind of the change.</summary>
        public ChangeKind Kind { get; private set; }
        /// <summary>The path that opens the file; for Unwatched, the folder.</summary>
        public string Path { get; private set; }
        /// <summary>Its size now.</summary>
        public long SizeBytes { get; private set; }
        /// <summary>The reason, for Unwatched; otherwise null.</summary>
        public SeeklessException Error { get; private set; }

        internal static readonly NativeChanged OnChange = Tell;

        [MonoPInvokeCallback(typeof(NativeChanged))]
        private static void Tell(IntPtr user, IntPtr native)
        {
            try
            {
                var change = (NativeChange)Marshal.PtrToStructure(native, typeof(NativeChange));
                var told = new AssetChange
                {
                    Kind = (ChangeKind)change.Kind,
                    Path = Native.Text(change.Path),
                    SizeBytes = (long)change.SizeBytes
                };
                if (change.Error != IntPtr.Zero)
                {
                    var error = (NativeError)Marshal.PtrToStructure(change.Error, typeof(NativeError));
                    told.Error = SeeklessException.Of(error.Result, ref error);
                }
                ((Action<AssetChange>)GCHandle.FromIntPtr(user).Target)(told);
            }
            catch (Exception e)
            {
                Native.ThrowElsewhere(e);
            }
        }
    }
}

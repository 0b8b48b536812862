// What changes in a folder of loose files while it is mounted.
using System;
using System.Runtime.InteropServices;

namespace Seekless
{
    /// <summary>What has happened to a file.</summary>
    public enum ChangeKind
    {
        /// <summary>It is there now.</summary>
        Added = 1,
        /// <summary>Its size, time or identity is another.</summary>
        Changed = 2,
        /// <summary>It is gone: streams of it throw.</summary>
        Removed = 3,
        /// <summary>Nothing more will be told; Error says why.</summary>
        Unwatched = 4
    }

    /// <summary>A change in a folder that <see cref="Packs.Watch"/> has mounted.</summary>
    public sealed class AssetChange
    {
        /// <summary>What has happened.</summary>
        public ChangeKind Kind { get; private set; }
        /// <summary>What it is opened by; of Unwatched, the folder.</summary>
        public string Path { get; private set; }
        /// <summary>Its size now.</summary>
        public long SizeBytes { get; private set; }
        /// <summary>Of Unwatched; else null.</summary>
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

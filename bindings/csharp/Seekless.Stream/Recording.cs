// The running game writes a trace of what it reads.
using System;
using System.Runtime.InteropServices;

namespace Seekless
{
    /// <summary>A recording under way, made by <see cref="Packs.Record"/>. Until it is stopped or disposed, the packs stay open.
    /// </summary>
    public sealed class Recording : IDisposable
    {
        private readonly PartHandle handle; // of the context itself
        private volatile bool isStopped;

        internal Recording(PacksHandle packs, byte[] path, byte[] scenario)
        {
            var error = NativeError.Make();
            var name = scenario == null ? default(GCHandle) : GCHandle.Alloc(scenario, GCHandleType.Pinned);
            var options = new NativeRecorderOptions
            {
                StructBytes = (uint)Marshal.SizeOf(typeof(NativeRecorderOptions)),
                Scenario = scenario == null ? IntPtr.Zero : name.AddrOfPinnedObject()
            };
            try
            {
                using (var use = new PacksHandle.Use(packs))
                {
                    SeeklessException.ThrowIfFailed(Native.skl_recorder_start(use.Pointer, path, ref options, ref error), ref error);
                    handle = new PartHandle(packs, use.Pointer, End);
                }
            }
            finally
            {
                if (scenario != null) name.Free();
            }
        }

        /// <summary>Call it where a scenario begins, and with null where it ends.</summary>
        public void Mark(string scenario)
        {
            using (var use = new NativeHandle.Use(handle))
                SeeklessException.ThrowIfFailed(
                    Native.skl_recorder_mark(use.Pointer, scenario == null ? null : Packs.Utf8(scenario)),
                    "scenario: expected a name without control characters, found another");
        }

        /// <summary>Writes what is left, and tells how many events were lost.</summary>
        public long Stop()
        {
            var error = NativeError.Make();
            ulong lost;
            int result;
            using (var use = new NativeHandle.Use(handle)) result = Native.skl_recorder_stop(use.Pointer, out lost, ref error);
            isStopped = true;
            handle.Dispose();
            SeeklessException.ThrowIfFailed(result, ref error);
            return (long)lost;
        }

        /// <summary>As Stop, without telling what went wrong.</summary>
        public void Dispose()
        {
            handle.Dispose();
        }

        private void End(IntPtr context)
        {
            var error = NativeError.Make();
            ulong lost;
            if (!isStopped) Native.skl_recorder_stop(context, out lost, ref error);
        }
    }
}

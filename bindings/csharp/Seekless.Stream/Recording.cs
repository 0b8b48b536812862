// Records what the running game reads, as a trace.
using System;
using System.Runtime.InteropServices;

namespace Seekless
{
    /// <summary>A running recording, made by <see cref="Packs.Record"/>. Until it is stopped or disposed, the packs
    /// stay open.</summary>
    public sealed class Recording : IDisposable
    {
        private readonly PartHandle handle; // the context's own handle
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

        /// <summary>Call this when a scenario begins, and with null when it ends.</summary>
        public void Mark(string scenario)
        {
            using (var use = new NativeHandle.Use(handle))
                SeeklessException.ThrowIfFailed(
                    Native.skl_recorder_mark(use.Pointer, scenario == null ? null : Packs.Utf8(scenario)),
                    "scenario: expected a name without control characters, found another");
        }

        /// <summary>Writes the remaining events, and returns how many events were lost.</summary>
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

        /// <summary>Like Stop, but doesn't report errors.</summary>
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

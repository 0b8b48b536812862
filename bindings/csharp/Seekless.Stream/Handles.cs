// Handles of the library's objects. Each is released once, and never during a call that uses it.
using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;

namespace Seekless
{
    internal abstract class NativeHandle : SafeHandle
    {
        protected NativeHandle() : base(IntPtr.Zero, true)
        {
        }

        public override bool IsInvalid
        {
            get { return handle == IntPtr.Zero; }
        }

        /// <summary>Throws ObjectDisposedException if the handle is closed.</summary>
        public struct Use : IDisposable
        {
            private readonly NativeHandle of;

            public Use(NativeHandle of)
            {
                var ignored = false;
                of.DangerousAddRef(ref ignored);
                this.of = of;
            }

            public IntPtr Pointer
            {
                get { return of.DangerousGetHandle(); }
            }

            public void Dispose()
            {
                of.DangerousRelease();
            }
        }
    }

    internal sealed class PacksHandle : NativeHandle
    {
        private readonly List<GCHandle> kept = new List<GCHandle>();

        public PacksHandle(IntPtr context)
        {
            SetHandle(context);
        }

        /// <summary>Keeps the function alive until the context that calls it is destroyed.</summary>
        public IntPtr Keep(object function)
        {
            var one = GCHandle.Alloc(function);
            lock (kept) kept.Add(one);
            return GCHandle.ToIntPtr(one);
        }

        protected override bool ReleaseHandle()
        {
            Native.skl_context_destroy(handle);
            foreach (var one in kept) one.Free();
            return true;
        }
    }

    /// <summary>A handle of an object that belongs to a context, which it keeps alive.</summary>
    internal sealed class PartHandle : NativeHandle
    {
        private readonly PacksHandle packs;
        private readonly Action<IntPtr> release;

        public PartHandle(PacksHandle packs, IntPtr part, Action<IntPtr> release)
        {
            var ignored = false;
            packs.DangerousAddRef(ref ignored);
            this.packs = packs;
            this.release = release;
            SetHandle(part);
        }

        protected override bool ReleaseHandle()
        {
            release(handle);
            packs.DangerousRelease();
            return true;
        }
    }
}

// Requests in the background, as tasks.
using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;
using System.Threading.Tasks;

namespace Seekless
{
    /// <summary>Options of a request. By default it reads a whole asset in its turn.</summary>
    public struct RequestOptions
    {
        /// <summary>For assets that the frame waits for.</summary>
        public const int Urgent = 100;
        /// <summary>For music and far textures.</summary>
        public const int Stream = -50;
        /// <summary>For assets that may be needed later.</summary>
        public const int Prefetch = -100;

        /// <summary>There are four groups: 100 and more, 0 to 99, -99 to -1, -100 and less.</summary>
        public int Priority;
        /// <summary>Time from now; zero means no deadline. The request becomes urgent shortly before its
        /// deadline.</summary>
        public TimeSpan Deadline;
        /// <summary>Used by Cancel and Reschedule.</summary>
        public ulong Tag;
        /// <summary>Where the request begins in the asset.</summary>
        public long OffsetBytes;
        /// <summary>The request's length; zero means up to the asset's end.</summary>
        public long LengthBytes;
    }

    /// <summary> A queue of requests. They are put into the order of the disk, together with all others for the same
    /// packs. Every method but Dispose may be called from any thread at any time. Dispose cancels unfinished requests.
    /// </summary>
    public sealed class RequestQueue : IDisposable
    {
        private readonly Packs packs;
        private readonly PartHandle handle;

        internal RequestQueue(Packs packs, PacksHandle context, int capacity)
        {
            this.packs = packs;
            var options = new NativeQueueOptions
            {
                StructBytes = (uint)Marshal.SizeOf(typeof(NativeQueueOptions)),
                Capacity = checked((uint)capacity),
                OnCompletion = OnCompletion
            };
            var error = NativeError.Make();
            IntPtr queue;
            using (var use = new PacksHandle.Use(context))
            {
                SeeklessException.ThrowIfFailed(Native.skl_queue_create(use.Pointer, ref options, out queue, ref error), ref error);
                handle = new PartHandle(context, queue, Native.skl_queue_destroy);
            }
        }

        /// <summary>Reads an asset's bytes. The task may throw SeeklessException, or be cancelled.</summary>
        public Task<byte[]> ReadAsync(string path, RequestOptions options = default(RequestOptions))
        {
            return ReadAsync(new[] { path }, options)[0];
        }

        /// <summary>Reads many assets in the order of the disk. Pass as many as you can at once.</summary>
        public Task<byte[]>[] ReadAsync(IList<string> paths, RequestOptions options = default(RequestOptions))
        {
            var assets = new FoundAsset[paths.Count];
            for (var i = 0; i < assets.Length; ++i) assets[i] = packs.Expect(paths[i]);
            var tasks = new Task<byte[]>[assets.Length];
            var requests = new NativeRequest[assets.Length];
            for (var i = 0; i < assets.Length; ++i)
            {
                var pending = new Pending(assets[i], options);
                requests[i] = pending.Request(assets[i], options);
                tasks[i] = pending.Task;
            }
            var error = NativeError.Make();
            UIntPtr accepted;
            int result;
            try
            {
                using (var use = new NativeHandle.Use(handle))
                    result = Native.skl_queue_submit(use.Pointer, requests, (UIntPtr)requests.Length, out accepted, ref error);
            }
            catch
            {
                foreach (var request in requests) Pending.Take(request.User);
                throw;
            }
            for (var i = (int)accepted; i < requests.Length; ++i)
                Pending.Take(requests[i].User).Fail(
                    result < 0 ? SeeklessException.Of(result, ref error)
                               : new SeeklessException(result, paths[i] + ": expected room in the queue, found none; wait for others"));
            return tasks;
        }

        /// <summary>Cancels unfinished requests with (request.Tag &amp; mask) == (tag &amp; mask). A request that is
        /// being read is cancelled after that read. Doesn't wait. Returns the number of cancelled requests.</summary>
        public long Cancel(ulong tag, ulong mask = ulong.MaxValue)
        {
            using (var use = new NativeHandle.Use(handle))
                return (long)Native.skl_queue_cancel(use.Pointer, tag, mask);
        }

        /// <summary>Changes the priority and deadline of requests selected as in Cancel; the deadline counts from
        /// now.</summary>
        public long Reschedule(ulong tag, ulong mask, int priority, TimeSpan deadline = default(TimeSpan))
        {
            using (var use = new NativeHandle.Use(handle))
                return (long)Native.skl_queue_reschedule(use.Pointer, tag, mask, priority, Microseconds(deadline));
        }

        /// <summary>Cancels unfinished requests, and waits for those being read.</summary>
        public void Dispose()
        {
            handle.Dispose();
        }

        private static uint Microseconds(TimeSpan time)
        {
            return time == TimeSpan.Zero ? 0 : (uint)Math.Min(uint.MaxValue, Math.Max(1, time.TotalMilliseconds * 1000));
        }

        private static readonly NativeCompleted OnCompletion = Tell;

        [MonoPInvokeCallback(typeof(NativeCompleted))]
        private static void Tell(IntPtr user, IntPtr native)
        {
            try
            {
                var completion = (NativeCompletion)Marshal.PtrToStructure(native, typeof(NativeCompletion));
                Pending.Take(completion.User).Complete(ref completion);
            }
            catch (Exception e)
            {
                Native.ThrowElsewhere(e);
            }
        }

        /// <summary>Pinned memory that the library writes: the bytes, and an error.</summary>
        private sealed class Pending
        {
            private readonly TaskCompletionSource<byte[]> source =
                new TaskCompletionSource<byte[]>(TaskCreationOptions.RunContinuationsAsynchronously);
            private byte[] bytes;
            private GCHandle pinned;
            private readonly IntPtr error;

            public Pending(FoundAsset found, RequestOptions options)
            {
                var length = Math.Max(0, found.SizeBytes - options.OffsetBytes);
                if (options.LengthBytes > 0) length = Math.Min(length, options.LengthBytes);
                bytes = new byte[length];
                pinned = GCHandle.Alloc(bytes, GCHandleType.Pinned);
                error = Marshal.AllocHGlobal(Marshal.SizeOf(typeof(NativeError)));
                Marshal.StructureToPtr(NativeError.Make(), error, false);
            }

            public Task<byte[]> Task
            {
                get { return source.Task; }
            }

            public NativeRequest Request(FoundAsset found, RequestOptions options)
            {
                return new NativeRequest
                {
                    StructBytes = (uint)Marshal.SizeOf(typeof(NativeRequest)),
                    Asset = found.Asset,
                    OffsetBytes = (ulong)options.OffsetBytes,
                    LengthBytes = (ulong)bytes.Length,
                    Destination = pinned.AddrOfPinnedObject(),
                    Priority = options.Priority,
                    DeadlineUs = Microseconds(options.Deadline),
                    Tag = options.Tag,
                    User = GCHandle.ToIntPtr(GCHandle.Alloc(this)),
                    Error = error
                };
            }

            /// <summary>Call this once, after the library has stopped using the memory.</summary>
            public static Pending Take(IntPtr user)
            {
                var self = GCHandle.FromIntPtr(user);
                var pending = (Pending)self.Target;
                self.Free();
                pending.pinned.Free();
                return pending;
            }

            public void Complete(ref NativeCompletion completion)
            {
                var failure = (NativeError)Marshal.PtrToStructure(error, typeof(NativeError));
                Marshal.FreeHGlobal(error);
                if (completion.Result == Native.Cancelled)
                {
                    source.TrySetCanceled();
                }
                else if (completion.Result < 0)
                {
                    source.TrySetException(SeeklessException.Of(completion.Result, ref failure));
                }
                else
                {
                    if ((int)completion.ReadBytes != bytes.Length) Array.Resize(ref bytes, (int)completion.ReadBytes);
                    source.TrySetResult(bytes);
                }
            }

            public void Fail(Exception why)
            {
                Marshal.FreeHGlobal(error);
                source.TrySetException(why);
            }
        }
    }
}

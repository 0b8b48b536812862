// An asset that is read from front to back, and read ahead in the background.
using System;
using System.IO;
using System.Runtime.InteropServices;

namespace Seekless
{
    /// <summary>Options of a stream. By default it is a whole asset, and its rate is measured.</summary>
    public struct ReadAheadOptions
    {
        /// <summary>The rate at which the bytes are consumed; 0 means that it is measured.</summary>
        public int BytesPerSecond;
        /// <summary>Where the stream begins in the asset.</summary>
        public long OffsetBytes;
        /// <summary>The stream's length; 0 means up to the asset's end.</summary>
        public long LengthBytes;
        /// <summary>Memory to read ahead into, 64 KiB to 1 GiB; 0 means 1 MiB.</summary>
        public long AheadBytes;
    }

    /// <summary> A seekable, read-only stream, made by <see cref="Packs.OpenAhead"/>. Parts are read ahead with
    /// deadlines, so they arrive in time even during sweeps and urgent requests. One thread at a time may use it. Read
    /// waits until it has filled the buffer; <see cref="ReadNow"/> never waits for the disk, so call it in audio mixing
    /// code. </summary>
    public sealed class ReadAheadStream : Stream
    {
        private readonly PartHandle handle;
        private readonly long length;

        internal ReadAheadStream(PacksHandle packs, ulong asset, ReadAheadOptions options)
        {
            var native = new NativeStreamOptions
            {
                StructBytes = (uint)Marshal.SizeOf(typeof(NativeStreamOptions)),
                BytesPerSecond = checked((uint)options.BytesPerSecond),
                OffsetBytes = checked((ulong)options.OffsetBytes),
                LengthBytes = checked((ulong)options.LengthBytes),
                AheadBytes = checked((ulong)options.AheadBytes)
            };
            var error = NativeError.Make();
            IntPtr stream;
            using (var use = new PacksHandle.Use(packs))
            {
                SeeklessException.ThrowIfFailed(
                    Native.skl_stream_open(use.Pointer, asset, ref native, out stream, ref error), ref error);
                handle = new PartHandle(packs, stream, Native.skl_stream_close);
            }
            length = (long)About().SizeBytes;
        }

        /// <summary>The number of reads that returned less than requested, because the rest hadn't arrived
        /// (stalls).</summary>
        public int Stalls
        {
            get { return (int)About().Stalls; }
        }

        /// <summary>The longest time from a stall to the next read that returned bytes.</summary>
        public TimeSpan LongestStall
        {
            get { return TimeSpan.FromTicks((long)About().LongestStallUs * 10); }
        }

        /// <inheritdoc/>
        public override bool CanRead { get { return !handle.IsClosed; } }
        /// <inheritdoc/>
        public override bool CanSeek { get { return !handle.IsClosed; } }
        /// <inheritdoc/>
        public override bool CanWrite { get { return false; } }
        /// <inheritdoc/>
        public override long Length { get { return length; } }

        /// <inheritdoc/>
        public override long Position
        {
            get { return (long)About().PositionBytes; }
            set { Seek(value, SeekOrigin.Begin); }
        }

        /// <inheritdoc/>
        public override int Read(byte[] buffer, int offset, int count)
        {
            int got;
            Read(buffer, offset, count, true, out got);
            return got;
        }

        /// <summary>Reads the bytes that have arrived. Returns the number of bytes; 0 at the end; -1 if nothing has
        /// arrived yet.</summary>
        public int ReadNow(byte[] buffer, int offset, int count)
        {
            int got;
            return Read(buffer, offset, count, false, out got) == Native.WouldBlock ? -1 : got;
        }

        /// <inheritdoc/>
        public override long Seek(long offset, SeekOrigin origin)
        {
            var from = origin == SeekOrigin.Begin ? 0 : origin == SeekOrigin.Current ? Position : length;
            var place = checked(from + offset);
            if (place < 0 || place > length) throw new IOException("expected a place in the stream, found one outside of it");
            using (var use = new NativeHandle.Use(handle)) Native.skl_stream_seek(use.Pointer, (ulong)place);
            return place;
        }

        /// <inheritdoc/>
        public override void Flush()
        {
        }

        /// <inheritdoc/>
        public override void SetLength(long value)
        {
            throw new NotSupportedException("assets of packs can't be written");
        }

        /// <inheritdoc/>
        public override void Write(byte[] buffer, int offset, int count)
        {
            throw new NotSupportedException("assets of packs can't be written");
        }

        /// <inheritdoc/>
        protected override void Dispose(bool disposing)
        {
            if (disposing) handle.Dispose();
            base.Dispose(disposing);
        }

        private unsafe int Read(byte[] buffer, int offset, int count, bool waits, out int got)
        {
            if (buffer == null) throw new ArgumentNullException("buffer");
            if (offset < 0 || count < 0 || count > buffer.Length - offset) throw new ArgumentOutOfRangeException("count");
            got = 0;
            if (count == 0) return 0;
            var error = NativeError.Make();
            UIntPtr read;
            int result;
            fixed (byte* into = &buffer[offset])
            using (var use = new NativeHandle.Use(handle))
                result = waits ? Native.skl_stream_wait(use.Pointer, uint.MaxValue, (IntPtr)into, (UIntPtr)count, out read, ref error)
                               : Native.skl_stream_read(use.Pointer, (IntPtr)into, (UIntPtr)count, out read, ref error);
            SeeklessException.ThrowIfFailed(result, ref error);
            got = (int)read;
            return result;
        }

        private NativeStreamInfo About()
        {
            var info = new NativeStreamInfo { StructBytes = (uint)Marshal.SizeOf(typeof(NativeStreamInfo)) };
            using (var use = new NativeHandle.Use(handle)) Native.skl_stream_about(use.Pointer, ref info);
            return info;
        }
    }
}

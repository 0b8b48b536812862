// One asset as a System.IO.Stream, for code that takes a stream: Unity's AssetBundle.LoadFromStream, or decoders of
// images, archives and JSON.
using System;
using System.IO;

namespace Seekless
{
    /// <summary> A seekable, read-only stream over an asset, made by <see cref="Packs.Open(string)"/>. One thread at a
    /// time may use it; different streams are independent. It has no buffer: each Read is one library call that reads
    /// into the caller's array. So read 32 KiB or more at a time. An asset that is read in one call is also checked
    /// against its hash. </summary>
    public sealed class AssetStream : Stream
    {
        private PacksHandle packs;
        private readonly ulong asset;
        private readonly long length;
        private long position;

        internal AssetStream(PacksHandle packs, ulong asset, long length)
        {
            this.packs = packs;
            this.asset = asset;
            this.length = length;
        }

        /// <inheritdoc/>
        public override bool CanRead { get { return packs != null; } }
        /// <inheritdoc/>
        public override bool CanSeek { get { return packs != null; } }
        /// <inheritdoc/>
        public override bool CanWrite { get { return false; } }
        /// <inheritdoc/>
        public override long Length { get { return length; } }

        /// <inheritdoc/>
        public override long Position
        {
            get { return position; }
            set { Seek(value, SeekOrigin.Begin); }
        }

        /// <inheritdoc/>
        public override unsafe int Read(byte[] buffer, int offset, int count)
        {
            if (buffer == null) throw new ArgumentNullException("buffer");
            if (offset < 0 || count < 0 || count > buffer.Length - offset) throw new ArgumentOutOfRangeException("count");
            if (packs == null) throw new ObjectDisposedException("AssetStream");
            var wanted = (int)Math.Min(count, Math.Max(0, length - position));
            if (wanted == 0) return 0;
            var error = NativeError.Make();
            UIntPtr got;
            fixed (byte* into = &buffer[offset])
            using (var use = new PacksHandle.Use(packs))
                SeeklessException.ThrowIfFailed(
                    Native.skl_read(use.Pointer, asset, (ulong)position, (IntPtr)into, (UIntPtr)wanted, out got, ref error),
                    ref error);
            position += (int)got;
            return (int)got;
        }

        /// <inheritdoc/>
        public override long Seek(long offset, SeekOrigin origin)
        {
            var from = origin == SeekOrigin.Begin ? 0 : origin == SeekOrigin.Current ? position : length;
            var place = checked(from + offset);
            if (place < 0) throw new IOException("expected a place in the asset, found one before it");
            return position = place;
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
            packs = null;
            base.Dispose(disposing);
        }
    }
}

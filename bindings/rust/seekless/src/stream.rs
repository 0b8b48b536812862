//! Streams that read ahead.
use crate::error::{done, fresh};
use crate::{Asset, Packs, Result};
use seekless_sys as sys;
use std::io::{self, Read, Seek, SeekFrom};
use std::marker::PhantomData;
use std::ptr::null_mut;
use std::time::Duration;

/// Options of a stream. `Default` is a whole asset whose rate is measured.
#[derive(Clone, Copy, Debug, Default)]
pub struct StreamOptions {
    /// The rate at which the bytes are consumed; 0 means that it is measured.
    pub bytes_per_second: u32,
    /// The stream's first byte in the asset.
    pub offset_bytes: u64,
    /// The stream's length; 0 means up to the asset's end.
    pub length_bytes: u64,
    /// Memory to read ahead into, outside the memory budget, 64 KiB to 1 GiB; 0: 1 MiB.
    pub ahead_bytes: u64,
}

/// The state of a stream.
#[derive(Clone, Copy, Debug)]
pub struct StreamInfo {
    /// The number of reads that returned less than requested because the rest hadn't arrived yet
    /// (stalls).
    pub stalls: u32,
    /// The size of the stream.
    pub size_bytes: u64,
    /// The position of the next byte.
    pub position_bytes: u64,
    /// Bytes that have arrived, from the position on.
    pub ahead_bytes: u64,
    /// Total time from stalls to the next reads that returned bytes.
    pub stalled: Duration,
    /// The longest time from a stall to the next read that returned bytes.
    pub longest_stall: Duration,
}

/// An asset, or a part of it, that is read from front to back. Parts are read ahead with deadlines,
/// so they arrive in time even during sweeps and urgent requests. `Read` waits until it has filled
/// the buffer; [`Stream::read_now`] never waits for the disk, so call it in audio mixing code.
#[derive(Debug)]
pub struct Stream<'a> {
    raw: *mut sys::skl_stream,
    packs: PhantomData<&'a Packs>,
}

// `&mut self` ensures that one thread at a time calls it; `info` may be called at any time.
unsafe impl Send for Stream<'_> {}
unsafe impl Sync for Stream<'_> {}

impl<'a> Stream<'a> {
    pub(crate) fn new(packs: &'a Packs, asset: Asset, options: StreamOptions) -> Result<Self> {
        let options = sys::skl_stream_options {
            struct_bytes: std::mem::size_of::<sys::skl_stream_options>() as u32,
            bytes_per_second: options.bytes_per_second,
            offset_bytes: options.offset_bytes,
            length_bytes: options.length_bytes,
            ahead_bytes: options.ahead_bytes,
        };
        let mut raw = null_mut();
        let mut error = fresh();
        done(unsafe { sys::skl_stream_open(packs.raw, asset.0, &options, &mut raw, &mut error) }, &error)?;
        Ok(Self { raw, packs: PhantomData })
    }

    /// Reads the bytes that have arrived. Returns `Some(0)` at the end, and `None` if nothing has
    /// arrived yet. After an error the next call tries the same part again.
    pub fn read_now(&mut self, into: &mut [u8]) -> Result<Option<usize>> {
        let mut got = 0;
        let mut error = fresh();
        let to = into.as_mut_ptr().cast();
        let result = unsafe { sys::skl_stream_read(self.raw, to, into.len(), &mut got, &mut error) };
        done(result, &error)?;
        Ok((result != sys::SKL_WOULD_BLOCK).then_some(got))
    }

    /// Returns the state of the stream.
    pub fn info(&self) -> StreamInfo {
        let mut info = sys::skl_stream_info {
            struct_bytes: std::mem::size_of::<sys::skl_stream_info>() as u32,
            stalls: 0,
            size_bytes: 0,
            position_bytes: 0,
            ahead_bytes: 0,
            stalled_us: 0,
            longest_stall_us: 0,
        };
        unsafe { sys::skl_stream_about(self.raw, &mut info) };
        StreamInfo {
            stalls: info.stalls,
            size_bytes: info.size_bytes,
            position_bytes: info.position_bytes,
            ahead_bytes: info.ahead_bytes,
            stalled: Duration::from_micros(info.stalled_us),
            longest_stall: Duration::from_micros(info.longest_stall_us),
        }
    }
}

impl Drop for Stream<'_> {
    fn drop(&mut self) {
        unsafe { sys::skl_stream_close(self.raw) }
    }
}

impl Read for Stream<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let mut got = 0;
        let mut error = fresh();
        let to = into.as_mut_ptr().cast();
        let result = unsafe { sys::skl_stream_wait(self.raw, u32::MAX, to, into.len(), &mut got, &mut error) };
        done(result, &error)?;
        Ok(got)
    }
}

impl Seek for Stream<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let info = self.info();
        let place = match to {
            SeekFrom::Start(place) => i128::from(place),
            SeekFrom::End(place) => i128::from(info.size_bytes) + i128::from(place),
            SeekFrom::Current(place) => i128::from(info.position_bytes) + i128::from(place),
        };
        let past_it = || io::Error::new(io::ErrorKind::InvalidInput, "expected a place in the stream, found one outside");
        let place = u64::try_from(place).map_err(|_| past_it())?;
        match unsafe { sys::skl_stream_seek(self.raw, place) } {
            sys::SKL_OK => Ok(place),
            _ => Err(past_it()),
        }
    }
}

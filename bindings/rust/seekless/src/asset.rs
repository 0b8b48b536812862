//! An asset as a stream.
use crate::{Found, Packs};
use std::io::{self, Read, Seek, SeekFrom};

/// An asset with a position. It has no buffer: each read is one library call that reads into the
/// caller's memory. So wrap it in a `BufReader` to read a few bytes at a time.
#[derive(Clone, Debug)]
pub struct AssetReader<'a> {
    packs: &'a Packs,
    found: Found,
    position: u64,
}

impl<'a> AssetReader<'a> {
    pub(crate) fn new(packs: &'a Packs, found: Found) -> Self {
        Self { packs, found, position: 0 }
    }
    /// The size of the whole asset.
    pub fn size_bytes(&self) -> u64 {
        self.found.size_bytes
    }
}

impl Read for AssetReader<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.position >= self.found.size_bytes {
            return Ok(0);
        }
        let got = self.packs.read_at(self.found.asset, self.position, into)?;
        self.position += got as u64;
        Ok(got)
    }
}

impl Seek for AssetReader<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let (from, by) = match to {
            SeekFrom::Start(place) => (place, 0),
            SeekFrom::Current(by) => (self.position, by),
            SeekFrom::End(by) => (self.found.size_bytes, by),
        };
        let place = u64::try_from(i128::from(from) + i128::from(by));
        self.position = place.map_err(|_| io::Error::from(io::ErrorKind::InvalidInput))?;
        Ok(self.position)
    }
}

//! Records what the running game reads, as a trace or for a fleet.
use crate::error::{done, fresh};
use crate::{c_string, Error, Mount, Packs, Result};
use seekless_sys as sys;
use std::path::Path;
use std::ptr::null;

/// Options of a recording. `Default` has no scenario.
#[derive(Clone, Copy, Debug, Default)]
pub struct RecorderOptions<'a> {
    /// The scenario that is being loaded, until the first mark.
    pub scenario: Option<&'a str>,
    /// Size of the buffer between the game's threads and the writing thread. Events that don't fit
    /// are lost. 0: 1 MiB.
    pub ring_bytes: u64,
}

/// Options of an upload to a fleet.
#[derive(Clone, Copy, Debug)]
pub struct UploadOptions {
    /// Random bytes, created once per installation; not all 0.
    pub client: [u8; 16],
    /// Maximum size of the file, such as the rest of a day's allowance. 0 means 64 KiB.
    pub most_bytes: u64,
    /// Days since 1970-01-01; 0: today, in UTC.
    pub day: u32,
}

/// A running recording. `seekless plan` reads its trace, and `seekless fleet collect` its upload.
/// It ends with [`Recorder::stop`], or when it is dropped.
#[derive(Debug)]
pub struct Recorder<'a> {
    packs: &'a Packs,
}

impl Packs {
    /// Records to a file everything that is found, read and delivered from now on. Only one
    /// recording may run at a time.
    pub fn record(&self, path: impl AsRef<Path>, options: RecorderOptions) -> Result<Recorder<'_>> {
        let path = path.as_ref();
        let path = path.to_str().ok_or_else(|| Error::invalid(format!("{}: expected UTF-8", path.display())))?;
        let path = c_string(path)?;
        let scenario = options.scenario.map(c_string).transpose()?;
        let options = sys::skl_recorder_options {
            struct_bytes: std::mem::size_of::<sys::skl_recorder_options>() as u32,
            ring_bytes: options.ring_bytes,
            scenario: scenario.as_ref().map_or(null(), |name| name.as_ptr()),
        };
        let mut error = fresh();
        done(unsafe { sys::skl_recorder_start(self.raw, path.as_ptr(), &options, &mut error) }, &error)?;
        Ok(Recorder { packs: self })
    }

    /// Writes the numbers of the assets that a mounted pack set's scenarios read to a file, which
    /// contains no path, no name and no time of day. Nothing is sent: sending, and asking the
    /// player, is up to the game.
    pub fn record_uploads(&self, set: Mount, path: impl AsRef<Path>, options: UploadOptions) -> Result<Recorder<'_>> {
        let path = path.as_ref();
        let path = path.to_str().ok_or_else(|| Error::invalid(format!("{}: expected UTF-8", path.display())))?;
        let path = c_string(path)?;
        let options = sys::skl_upload_options {
            struct_bytes: std::mem::size_of::<sys::skl_upload_options>() as u32,
            day: options.day,
            most_bytes: options.most_bytes,
            ring_bytes: 0,
            scenario: null(),
            client: options.client,
        };
        let mut error = fresh();
        let result = unsafe { sys::skl_recorder_start_uploads(self.raw, set.0, path.as_ptr(), &options, &mut error) };
        done(result, &error)?;
        Ok(Recorder { packs: self })
    }
}

impl Recorder<'_> {
    /// Call this when a scenario begins, and with `None` when it ends.
    pub fn mark(&self, scenario: Option<&str>) -> Result<()> {
        let scenario = scenario.map(c_string).transpose()?;
        let name = scenario.as_ref().map_or(null(), |name| name.as_ptr());
        done(unsafe { sys::skl_recorder_mark(self.packs.raw, name) }, &fresh())
    }

    /// Writes the remaining events, and returns how many events were lost.
    pub fn stop(self) -> Result<u64> {
        let recorder = std::mem::ManuallyDrop::new(self);
        let mut lost_events = 0;
        let mut error = fresh();
        done(unsafe { sys::skl_recorder_stop(recorder.packs.raw, &mut lost_events, &mut error) }, &error)?;
        Ok(lost_events)
    }
}

impl Drop for Recorder<'_> {
    fn drop(&mut self) {
        unsafe { sys::skl_recorder_stop(self.packs.raw, std::ptr::null_mut(), std::ptr::null_mut()) };
    }
}

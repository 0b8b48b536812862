//! The running game writes a trace of what it reads.
use crate::error::{done, fresh};
use crate::{c_string, Error, Packs, Result};
use seekless_sys as sys;
use std::path::Path;
use std::ptr::null;

/// How a recording is made. `Default` names no scenario.
#[derive(Clone, Copy, Debug, Default)]
pub struct RecorderOptions<'a> {
    /// What is being loaded, until the first mark.
    pub scenario: Option<&'a str>,
    /// Between the game's threads and the one that writes; what doesn't fit is lost. 0: 1 MiB.
    pub ring_bytes: u64,
}

/// A recording under way, which `seekless plan` reads. It ends with [`Recorder::stop`], or when this is dropped.
#[derive(Debug)]
pub struct Recorder<'a> {
    packs: &'a Packs,
}

impl Packs {
    /// Writes to a file what is found, read and handed out from now on. One at a time.
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
}

impl Recorder<'_> {
    /// Where a scenario begins; `None` where it ends.
    pub fn mark(&self, scenario: Option<&str>) -> Result<()> {
        let scenario = scenario.map(c_string).transpose()?;
        let name = scenario.as_ref().map_or(null(), |name| name.as_ptr());
        done(unsafe { sys::skl_recorder_mark(self.packs.raw, name) }, &fresh())
    }

    /// Writes what is left, and says how many events were lost.
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

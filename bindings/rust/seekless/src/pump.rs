//! Reading without the library's threads.
use crate::error::{done, fresh};
use crate::{Packs, Result};
use seekless_sys as sys;
use std::path::Path;
use std::ptr::{null, null_mut};
use std::time::Duration;

/// Tells whether work is left after [`Packs::pump`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pumped {
    /// Work is still outstanding.
    Outstanding,
    /// No work is outstanding.
    Done,
    /// Another thread is already pumping.
    Elsewhere,
}

impl Packs {
    /// Like [`Packs::open`], but the library starts no thread. Queues, sweeps, streams and watched
    /// folders proceed only in [`Packs::pump`], and in calls that wait for them. (A recorder still
    /// has its own thread.)
    pub fn open_pumped(path: impl AsRef<Path>) -> Result<Self> {
        let options = sys::skl_context_options {
            struct_bytes: std::mem::size_of::<sys::skl_context_options>() as u32,
            memory_budget_bytes: 0,
            allocator: null(),
            media: 0,
            backend: sys::SKL_BACKEND_PUMP,
            threads: 0,
            bypasses_per_second: 0,
            slow_read_ms: 0,
            on_canary: null(),
            canary_user: null_mut(),
            inflate: null(),
            inflate_user: null_mut(),
        };
        let packs = Self::made(&options)?;
        packs.mount(path, 0)?;
        Ok(packs)
    }

    /// Reads, checks, decodes and hands out on this thread, until nothing more can be done now or the time is up. Does
    /// at least one step. Fails with [`Kind::Invalid`](crate::Kind) if the library has threads.
    pub fn pump(&self, budget: Duration) -> Result<Pumped> {
        let budget_us = u64::try_from(budget.as_micros()).unwrap_or(u64::MAX);
        match unsafe { sys::skl_pump(self.raw, budget_us) } {
            sys::SKL_END => Ok(Pumped::Done),
            sys::SKL_WOULD_BLOCK => Ok(Pumped::Elsewhere),
            result => done(result, &fresh()).map(|()| Pumped::Outstanding),
        }
    }
}

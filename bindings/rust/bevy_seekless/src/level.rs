//! A level that is being loaded. A thread runs one sweep and stores its assets in the room, where
//! Bevy's tasks find them.
use crate::Shared;
use bevy_ecs::resource::Resource;
use seekless::{Asset, Error, Kind, Lease};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Keep it, as a resource or a component, while the level loads. When it is dropped, the sweep
/// ends, and its unrequested assets are dropped, too.
// In Bevy, a resource is a component, too.
#[derive(Resource, Debug)]
pub struct Level {
    shared: Arc<Shared>,
    number: u64,
    status: Arc<Status>,
}

#[derive(Debug, Default)]
struct Status {
    is_dropped: AtomicBool,
    is_over: AtomicBool,
    brought: AtomicUsize,
    expected: AtomicUsize,
    error: Mutex<Option<Error>>,
}

impl Level {
    pub(crate) fn start(shared: Arc<Shared>, scenario: String) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let level = Self { shared, number: NEXT.fetch_add(1, Ordering::Relaxed), status: Arc::default() };
        level.shared.room.begin();
        let sweeping =
            Sweeping { shared: level.shared.clone(), number: level.number, status: level.status.clone(), has_expected: false };
        // If no thread can be started, the sweep is dropped, which announces that it brings
        // nothing; then every asset is read on demand.
        if let Err(error) = std::thread::Builder::new().name("level sweep".into()).spawn(move || sweeping.run(&scenario)) {
            level.status.fail(error.into());
        }
        level
    }

    /// Returns true if the sweep has ended.
    pub fn is_over(&self) -> bool {
        self.status.is_over.load(Ordering::Acquire)
    }

    /// Returns the numbers of assets that have arrived and of all assets; both are 0 until known.
    pub fn progress(&self) -> (usize, usize) {
        (self.status.brought.load(Ordering::Relaxed), self.status.expected.load(Ordering::Relaxed))
    }

    /// Returns the first error, such as an unknown scenario or a damaged block. Assets that the
    /// sweep doesn't bring are read on demand, so an error only costs time. If an asset can't be
    /// read then, it fails in the asset server.
    pub fn error(&self) -> Option<Error> {
        self.status.error.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for Level {
    fn drop(&mut self) {
        self.status.is_dropped.store(true, Ordering::Relaxed);
        self.shared.room.end(self.number, true);
    }
}

impl Status {
    fn fail(&self, error: Error) {
        self.error.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
    }
}

struct Sweeping {
    shared: Arc<Shared>,
    number: u64,
    status: Arc<Status>,
    has_expected: bool,
}

impl Sweeping {
    fn run(mut self, scenario: &str) {
        if let Err(error) = self.sweep(scenario) {
            self.status.fail(error);
        }
    }

    fn sweep(&mut self, scenario: &str) -> seekless::Result<()> {
        let packs = &self.shared.packs;
        let listed = packs.list_scenario(scenario)?;
        self.status.expected.store(listed.len(), Ordering::Relaxed);
        self.shared.room.expect(self.number, listed.into_iter().map(|(_, found)| found.asset));
        self.has_expected = true;
        let mut parts = HashMap::new();
        for piece in packs.sweep(scenario)? {
            if self.status.is_dropped.load(Ordering::Relaxed) {
                break;
            }
            match piece {
                Ok(piece) => self.add(&mut parts, piece),
                // The sweep skips the assets in that block and continues.
                Err(error) if error.kind() == Kind::Damaged => self.status.fail(error),
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn add(&self, parts: &mut HashMap<Asset, Vec<u8>>, piece: Lease) {
        let asset = piece.asset();
        let bytes = parts.entry(asset).or_insert_with(|| Vec::with_capacity(piece.asset_bytes() as usize));
        if bytes.len() as u64 == piece.offset_bytes() {
            bytes.extend_from_slice(&piece);
        }
        if !piece.is_last() {
            return;
        }
        let is_whole = bytes.len() as u64 == piece.asset_bytes();
        // The sweep's memory is released before the thread waits for room.
        drop(piece);
        let bytes = parts.remove(&asset).unwrap_or_default();
        if is_whole {
            self.status.brought.fetch_add(1, Ordering::Relaxed);
            self.shared.room.bring(self.number, asset, bytes);
        }
    }
}

// Runs in any case when the sweep ends, so that no task waits for assets that won't arrive.
impl Drop for Sweeping {
    fn drop(&mut self) {
        if !self.has_expected {
            self.shared.room.expect(self.number, std::iter::empty());
        }
        self.shared.room.end(self.number, false);
        self.status.is_over.store(true, Ordering::Release);
    }
}

//! Reads packs (`.skl`), which store assets in the order in which a game loads them, so that a hard
//! disk needs few seeks.
//!
//! ```no_run
//! # fn main() -> seekless::Result<()> {
//! let packs = seekless::Packs::open("packs")?;
//! for piece in packs.sweep("map/lakeville")? {
//!     let piece = piece?;
//!     println!("{}: {} bytes", packs.path(piece.asset())?, piece.len());
//! }
//! let sky = packs.read("textures/sky.png")?;
//! # Ok(())
//! # }
//! ```
//!
//! [`Packs`] is `Send` and `Sync`: every method may be called from any thread, and finding and
//! reading take no lock. A [`Sweep`] is `Send`; one thread at a time may use it. A [`Lease`], a
//! reference-counted view without a copy, is `Send` and `Sync`.
#![deny(missing_docs, unsafe_op_in_unsafe_fn)]

mod asset;
mod directory;
mod error;
mod pump;
mod queue;
mod recorder;
mod stream;
mod sweep;
mod watch;

pub use asset::AssetReader;
pub use directory::{Directory, Entry};
pub use error::{Error, Kind, Result};
pub use pump::Pumped;
pub use queue::{priority, Completion, Content, Queue, Request};
pub use recorder::{Recorder, RecorderOptions, UploadOptions};
pub use stream::{Stream, StreamInfo, StreamOptions};
pub use sweep::{Lease, Sweep};
pub use watch::Change;

use error::{done, fresh, text};
use seekless_sys as sys;
use std::ffi::CString;
use std::os::raw::{c_char, c_int, c_void};
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};
use std::path::Path;
use std::ptr::{null, null_mut};
use std::sync::{Mutex, PoisonError};
use watch::Watcher;

/// Identifies an asset of one [`Packs`], until its mount is unmounted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Asset(pub(crate) u64);

/// Identifies a mount of one [`Packs`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Mount(u32);

/// An asset that was found, and its size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// The number that identifies it.
    pub asset: Asset,
    /// The size of its content.
    pub size_bytes: u64,
}

/// A hash of a path, made by [`Packs::hash`]. It may be stored in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PathHash {
    seed: u64,
    exact: u64,
    folded: u64,
}

/// Pack sets, packs, zips and folders in one name space: a `skl_context`.
#[derive(Debug)]
pub struct Packs {
    pub(crate) raw: *mut sys::skl_context,
    watchers: Mutex<Vec<Watcher>>, // dropped after the context, which calls them
}

// Every function of the library used here may be called from any thread at any time.
unsafe impl Send for Packs {}
unsafe impl Sync for Packs {}

impl Drop for Packs {
    fn drop(&mut self) {
        unsafe { sys::skl_context_destroy(self.raw) }
    }
}

impl Packs {
    /// Makes an empty name space.
    pub fn new() -> Result<Self> {
        Self::made(null())
    }

    fn made(options: *const sys::skl_context_options) -> Result<Self> {
        let mut raw = null_mut();
        let mut error = fresh();
        done(unsafe { sys::skl_context_create(options, &mut raw, &mut error) }, &error)?;
        Ok(Self { raw, watchers: Mutex::new(Vec::new()) })
    }

    /// Mounts a pack set, a pack, a zip or a folder.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let packs = Self::new()?;
        packs.mount(path, 0)?;
        Ok(packs)
    }

    /// Adds a mount, such as a patch or a mod. If two mounts have the same path, the one with the
    /// higher priority is found; at equal priority, the later one is.
    pub fn mount(&self, path: impl AsRef<Path>, priority: i32) -> Result<Mount> {
        self.mount_calling(path.as_ref(), priority, None, null_mut())
    }

    /// Mounts a folder of loose files, in development. `on_change` is called within 100 ms of a
    /// change, on a thread of the library, when finding and reading already show the change. It may
    /// read and mount, but not unmount this mount.
    pub fn watch(
        &self,
        folder: impl AsRef<Path>,
        priority: i32,
        on_change: impl Fn(Change) + Send + Sync + 'static,
    ) -> Result<Mount> {
        let watcher = Watcher::new(on_change);
        let user = watcher.user();
        self.watchers.lock().unwrap_or_else(PoisonError::into_inner).push(watcher);
        self.mount_calling(folder.as_ref(), priority, Some(watch::tell), user)
    }

    /// Succeeds if the mount's folder is being watched; otherwise the error says why not.
    pub fn watched(&self, mount: Mount) -> Result<()> {
        let mut error = fresh();
        done(unsafe { sys::skl_mount_watched(self.raw, mount.0, &mut error) }, &error)
    }

    fn mount_calling(
        &self,
        path: &Path,
        priority: i32,
        on_change: Option<sys::skl_change_function>,
        change_user: *mut c_void,
    ) -> Result<Mount> {
        let path = path.to_str().ok_or_else(|| Error::invalid(format!("{}: expected UTF-8", path.display())))?;
        let path = c_string(path)?;
        let options = sys::skl_mount_options {
            struct_bytes: std::mem::size_of::<sys::skl_mount_options>() as u32,
            at: null(),
            priority,
            fold_case: 0,
            deletions: null(),
            deletion_count: 0,
            io: null(),
            on_change,
            change_user,
        };
        let mut mount = 0;
        let mut error = fresh();
        done(unsafe { sys::skl_mount(self.raw, path.as_ptr(), &options, &mut mount, &mut error) }, &error)?;
        Ok(Mount(mount))
    }

    /// Removes a mount. Its assets become stale, but running reads continue.
    pub fn unmount(&self, mount: Mount) -> Result<()> {
        let mut error = fresh();
        done(unsafe { sys::skl_unmount(self.raw, mount.0, &mut error) }, &error)
    }

    /// Finds a path, without a lock or I/O. A miss costs no more than a hit.
    pub fn find(&self, path: &str) -> Option<Found> {
        let (mut asset, mut size_bytes) = (0, 0);
        let result =
            unsafe { sys::skl_find_bytes(self.raw, path.as_ptr().cast(), path.len(), &mut asset, &mut size_bytes) };
        (result == sys::SKL_OK).then_some(Found { asset: Asset(asset), size_bytes })
    }

    /// Hashes a path for `find_hashed`; the path needn't exist.
    pub fn hash(&self, path: &str) -> PathHash {
        let mut hash = sys::skl_path_hash::default();
        unsafe { sys::skl_hash_path(self.raw, path.as_ptr().cast(), path.len(), &mut hash) };
        PathHash { seed: hash.seed, exact: hash.exact, folded: hash.folded }
    }

    /// Finds a hashed path. Fails with [`Kind::Stale`] if mounting has changed how paths are hashed; then hash it
    /// again.
    pub fn find_hashed(&self, path: &PathHash) -> Result<Option<Found>> {
        let hash = sys::skl_path_hash { seed: path.seed, exact: path.exact, folded: path.folded };
        let (mut asset, mut size_bytes) = (0, 0);
        match unsafe { sys::skl_find_hashed(self.raw, &hash, &mut asset, &mut size_bytes) } {
            sys::SKL_OK => Ok(Some(Found { asset: Asset(asset), size_bytes })),
            sys::SKL_NOT_FOUND => Ok(None),
            result => done(result, &fresh()).map(|()| None),
        }
    }

    /// Reads a whole asset, checked against its hash.
    pub fn read(&self, path: &str) -> Result<Vec<u8>> {
        let found = self.expect(path)?;
        let mut bytes = vec![0; usize::try_from(found.size_bytes).map_err(|_| Error::invalid(format!("{path}: too large")))?];
        let got = self.read_at(found.asset, 0, &mut bytes)?;
        bytes.truncate(got);
        Ok(bytes)
    }

    /// Reads at an offset of the asset. If the asset ends earlier, fills only the front of `into`.
    pub fn read_at(&self, asset: Asset, offset_bytes: u64, into: &mut [u8]) -> Result<usize> {
        let mut got = 0;
        let mut error = fresh();
        let destination = into.as_mut_ptr().cast::<c_void>();
        let result =
            unsafe { sys::skl_read(self.raw, asset.0, offset_bytes, destination, into.len(), &mut got, &mut error) };
        done(result, &error)?;
        Ok(got)
    }

    /// Opens an asset as a stream: `std::io::Read` and `Seek`.
    pub fn reader(&self, path: &str) -> Result<AssetReader<'_>> {
        Ok(AssetReader::new(self, self.expect(path)?))
    }

    /// Returns the path that finds the asset.
    pub fn path(&self, asset: Asset) -> Result<String> {
        let mut length = 0;
        let mut error = fresh();
        unsafe { sys::skl_asset_path(self.raw, asset.0, null_mut(), 0, &mut length, &mut error) };
        let mut bytes = vec![0_u8; length + 1];
        let path = bytes.as_mut_ptr().cast::<c_char>();
        done(unsafe { sys::skl_asset_path(self.raw, asset.0, path, bytes.len(), null_mut(), &mut error) }, &error)?;
        bytes.truncate(length);
        String::from_utf8(bytes).map_err(|_| Error::invalid("expected a path in UTF-8".into()))
    }

    /// Returns every path that can be found. Opens all packs for their names.
    pub fn list(&self) -> Result<Vec<(String, Found)>> {
        self.listed(|visit, user, error| unsafe { sys::skl_list(self.raw, visit, user, error) })
    }

    /// Returns all paths, sorted, to look into folders. Opens all packs for their names.
    pub fn directory(&self) -> Result<Directory> {
        Directory::new(self)
    }

    /// Returns the assets that a sweep of the scenario brings, in that order.
    pub fn list_scenario(&self, scenario: &str) -> Result<Vec<(String, Found)>> {
        let name = c_string(scenario)?;
        self.listed(|visit, user, error| unsafe {
            sys::skl_list_scenario(self.raw, name.as_ptr(), visit, user, error)
        })
    }

    /// Reads a scenario's assets in the order in which they lie on the disk.
    pub fn sweep(&self, scenario: &str) -> Result<Sweep<'_>> {
        let name = c_string(scenario)?;
        let mut raw = null_mut();
        let mut error = fresh();
        done(unsafe { sys::skl_sweep_open(self.raw, name.as_ptr(), &mut raw, &mut error) }, &error)?;
        Ok(Sweep::new(raw))
    }

    /// Opens a stream that reads ahead in the background, for content that is read from front to
    /// back, such as music and films.
    pub fn stream(&self, path: &str, options: StreamOptions) -> Result<Stream<'_>> {
        Stream::new(self, self.expect(path)?.asset, options)
    }

    /// Makes a queue of background requests, with at most `capacity` of them between `submit` and
    /// `poll` (0: 1024).
    pub fn queue<T: Send>(&self, capacity: u32) -> Result<Queue<'_, T>> {
        Queue::new(self, capacity)
    }

    /// Makes a queue that passes each completion to a function, on the library's threads and on
    /// threads that call the library. The function must return quickly, because reading stops
    /// meanwhile. When the queue has been dropped, it has been called for all requests.
    pub fn queue_calling<T: Send + 'static>(
        &self,
        capacity: u32,
        on_completion: impl Fn(Completion<T>) + Send + Sync + 'static,
    ) -> Result<Queue<'_, T>> {
        Queue::calling(self, capacity, on_completion)
    }

    fn expect(&self, path: &str) -> Result<Found> {
        self.find(path).ok_or_else(|| Error::not_found(format!("{path}: expected an asset, found none")))
    }

    fn listed(
        &self,
        call: impl FnOnce(sys::skl_visit, *mut c_void, *mut sys::skl_error) -> sys::skl_result,
    ) -> Result<Vec<(String, Found)>> {
        let mut taken = Taken { paths: Vec::new(), panic: None };
        let mut error = fresh();
        let result = call(take, (&mut taken as *mut Taken).cast(), &mut error);
        if let Some(panic) = taken.panic {
            resume_unwind(panic);
        }
        done(result, &error)?;
        Ok(taken.paths)
    }
}

struct Taken {
    paths: Vec<(String, Found)>,
    panic: Option<Box<dyn std::any::Any + Send>>,
}

// No panic may escape from a function that C calls.
unsafe extern "C" fn take(user: *mut c_void, path: *const c_char, asset: u64, size_bytes: u64) -> c_int {
    let taken = unsafe { &mut *user.cast::<Taken>() };
    let push = || taken.paths.push((unsafe { text(path) }, Found { asset: Asset(asset), size_bytes }));
    match catch_unwind(AssertUnwindSafe(push)) {
        Ok(()) => 0,
        Err(panic) => {
            taken.panic = Some(panic);
            1
        }
    }
}

fn c_string(of: &str) -> Result<CString> {
    CString::new(of).map_err(|_| Error::invalid(format!("{of:?}: expected no zero byte")))
}

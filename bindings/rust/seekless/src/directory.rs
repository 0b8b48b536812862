//! A sorted snapshot of all paths.
use crate::error::{done, fresh};
use crate::{c_string, Asset, Found, Packs, Result};
use seekless_sys as sys;
use std::os::raw::c_char;
use std::ptr::null_mut;

/// Holds all paths that could be found when it was made, sorted by their bytes. It doesn't change,
/// so make another one after mounting.
#[derive(Debug)]
pub struct Directory {
    raw: *mut sys::skl_directory,
}

// The directory is immutable, and the library lets any number of threads read it.
unsafe impl Send for Directory {}
unsafe impl Sync for Directory {}

/// A file, or a folder, which has no asset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The whole path.
    pub path: String,
    /// `None` for a folder.
    pub found: Option<Found>,
}

type List = unsafe extern "C" fn(
    *const sys::skl_directory,
    *const c_char,
    *mut u64,
    *mut sys::skl_entry,
    usize,
    *mut usize,
) -> sys::skl_result;

const PAGE: usize = 64;

impl Directory {
    pub(crate) fn new(packs: &Packs) -> Result<Self> {
        let mut raw = null_mut();
        let mut error = fresh();
        done(unsafe { sys::skl_directory_create(packs.raw, &mut raw, &mut error) }, &error)?;
        Ok(Self { raw })
    }

    /// Returns the files whose paths begin with `prefix`; "" means all.
    pub fn list(&self, prefix: &str) -> Result<Vec<Entry>> {
        self.all(sys::skl_directory_list, prefix)
    }

    /// Returns the content of one folder: its files, and each folder in it once. Empty if there is
    /// no such folder; "" is the root.
    pub fn children(&self, folder: &str) -> Result<Vec<Entry>> {
        self.all(sys::skl_directory_children, folder)
    }

    fn all(&self, list: List, below: &str) -> Result<Vec<Entry>> {
        let below = c_string(below)?;
        let mut page =
            [sys::skl_entry { path: std::ptr::null(), length_bytes: 0, asset: 0, size_bytes: 0 }; PAGE];
        let mut entries = Vec::new();
        let (mut cursor, mut count) = (0, 0);
        loop {
            let result =
                unsafe { list(self.raw, below.as_ptr(), &mut cursor, page.as_mut_ptr(), PAGE, &mut count) };
            done(result, &fresh())?;
            if result == sys::SKL_END {
                return Ok(entries);
            }
            entries.extend(page[..count].iter().map(|entry| unsafe { copied(entry) }));
        }
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        unsafe { sys::skl_directory_destroy(self.raw) }
    }
}

/// # Safety
/// The entry's directory must still exist.
unsafe fn copied(entry: &sys::skl_entry) -> Entry {
    let path = unsafe { std::slice::from_raw_parts(entry.path.cast(), entry.length_bytes) };
    Entry {
        path: String::from_utf8_lossy(path).into_owned(),
        found: (entry.asset != 0).then_some(Found { asset: Asset(entry.asset), size_bytes: entry.size_bytes }),
    }
}

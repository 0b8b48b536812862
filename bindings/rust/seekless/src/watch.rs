//! Changes in a folder while it is mounted.
use crate::error::{done, text};
use crate::{Asset, Error, Found};
use seekless_sys as sys;
use std::fmt;
use std::os::raw::c_void;

/// A change to a file of a watched folder. Its path is the one that finds the file.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Change {
    /// The file was added.
    Added(String, Found),
    /// Its size, time or inode has changed; its asset is the same.
    Changed(String, Found),
    /// The file was removed. Its asset is stale, until the path exists again.
    Removed(String, Asset),
    /// Changes are no longer reported. The mount stays as it is; mount the folder again to see
    /// later changes.
    Unwatched(Error),
}

type OnChange = Box<dyn Fn(Change) + Send + Sync>;

// Boxed, because C stores its address.
pub(crate) struct Watcher(Box<OnChange>);

impl Watcher {
    pub(crate) fn new(on_change: impl Fn(Change) + Send + Sync + 'static) -> Self {
        Self(Box::new(Box::new(on_change)))
    }
    pub(crate) fn user(&self) -> *mut c_void {
        &*self.0 as *const OnChange as *mut c_void
    }
}

impl fmt::Debug for Watcher {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("Watcher")
    }
}

pub(crate) unsafe extern "C" fn tell(user: *mut c_void, change: *const sys::skl_change) {
    let (on_change, change) = unsafe { (&*user.cast::<OnChange>(), &*change) };
    let path = unsafe { text(change.path) };
    let found = Found { asset: Asset(change.asset), size_bytes: change.size_bytes };
    crate::queue::or_abort(|| {
        on_change(match change.kind {
            sys::SKL_CHANGE_ADDED => Change::Added(path, found),
            sys::SKL_CHANGE_REMOVED => Change::Removed(path, found.asset),
            sys::SKL_CHANGE_UNWATCHED => {
                let error = unsafe { &*change.error };
                Change::Unwatched(done(error.result, error).expect_err("an error"))
            }
            _ => Change::Changed(path, found),
        })
    });
}

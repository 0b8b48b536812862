//! Sweeps, and the leases that they hand out.
use crate::error::{done, fresh};
use crate::{Asset, Packs, Result};
use seekless_sys as sys;
use std::marker::PhantomData;
use std::ops::Deref;

/// Delivers a scenario's assets in the order of the disk, and reads ahead. It waits for the disk,
/// so iterate on a loading thread. After a `Damaged` or `Io` error it can continue without that
/// block's assets.
#[derive(Debug)]
pub struct Sweep<'a> {
    raw: *mut sys::skl_sweep,
    is_over: bool,
    packs: PhantomData<&'a Packs>,
}

// `&mut self` ensures that one thread at a time calls it.
unsafe impl Send for Sweep<'_> {}

impl Sweep<'_> {
    pub(crate) fn new(raw: *mut sys::skl_sweep) -> Self {
        Self { raw, is_over: false, packs: PhantomData }
    }
}

impl Drop for Sweep<'_> {
    fn drop(&mut self) {
        unsafe { sys::skl_sweep_close(self.raw) }
    }
}

impl Iterator for Sweep<'_> {
    type Item = Result<Lease>;

    fn next(&mut self) -> Option<Result<Lease>> {
        if self.is_over {
            return None;
        }
        let mut lease = sys::skl_lease {
            asset: 0,
            asset_bytes: 0,
            offset_bytes: 0,
            data: std::ptr::null(),
            size_bytes: 0,
            block: std::ptr::null_mut(),
        };
        let mut error = fresh();
        let result = unsafe { sys::skl_sweep_wait(self.raw, u32::MAX, &mut lease, &mut error) };
        if let Err(failed) = done(result, &error) {
            self.is_over = failed.kind() == crate::Kind::Cancelled;
            return Some(Err(failed));
        }
        self.is_over = result == sys::SKL_END;
        (!self.is_over).then_some(Ok(Lease::of(lease)))
    }
}

/// A view of an asset, or of a part of one that is larger than a block, without a copy. It counts in the reader's
/// memory budget (16 MiB) until it is dropped. So don't collect leases: decode or copy the bytes, and drop the lease.
/// It may outlive the packs.
#[derive(Debug)]
pub struct Lease {
    raw: sys::skl_lease,
}

// The bytes are immutable, and the reference count is atomic.
unsafe impl Send for Lease {}
unsafe impl Sync for Lease {}

impl Lease {
    pub(crate) fn of(raw: sys::skl_lease) -> Self {
        Self { raw }
    }
    /// The asset of these bytes.
    pub fn asset(&self) -> Asset {
        Asset(self.raw.asset)
    }
    /// The size of the whole asset.
    pub fn asset_bytes(&self) -> u64 {
        self.raw.asset_bytes
    }
    /// This part's first byte in the asset.
    pub fn offset_bytes(&self) -> u64 {
        self.raw.offset_bytes
    }
    /// Returns true if the asset ends with this part.
    pub fn is_last(&self) -> bool {
        self.raw.offset_bytes + self.raw.size_bytes as u64 == self.raw.asset_bytes
    }
}

impl Deref for Lease {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        if self.raw.size_bytes == 0 {
            return &[];
        }
        unsafe { std::slice::from_raw_parts(self.raw.data.cast(), self.raw.size_bytes) }
    }
}

impl Clone for Lease {
    fn clone(&self) -> Self {
        unsafe { sys::skl_lease_retain(&self.raw) };
        let sys::skl_lease { asset, asset_bytes, offset_bytes, data, size_bytes, block } = self.raw;
        Self { raw: sys::skl_lease { asset, asset_bytes, offset_bytes, data, size_bytes, block } }
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        unsafe { sys::skl_lease_release(&self.raw) }
    }
}

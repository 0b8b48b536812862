//! The functions and structs of `seekless.h` that the crate `seekless` calls, as they are in C. The header says
//! what each does, may be called from, and fails with.
#![allow(non_camel_case_types)]

use std::os::raw::{c_char, c_int, c_void};

pub type skl_result = c_int;
pub const SKL_OK: skl_result = 0;
pub const SKL_END: skl_result = 1;
pub const SKL_WOULD_BLOCK: skl_result = 2;
pub const SKL_NOT_FOUND: skl_result = -1;
pub const SKL_INVALID: skl_result = -2;
pub const SKL_DAMAGED: skl_result = -3;
pub const SKL_UNSUPPORTED: skl_result = -4;
pub const SKL_IO: skl_result = -5;
pub const SKL_OUT_OF_MEMORY: skl_result = -6;
pub const SKL_CANCELLED: skl_result = -7;
pub const SKL_STALE: skl_result = -8;

pub type skl_asset = u64;
pub type skl_mount_id = u32;

#[repr(C)]
pub struct skl_context {
    _private: [u8; 0],
}
#[repr(C)]
pub struct skl_sweep {
    _private: [u8; 0],
}

#[repr(C)]
pub struct skl_directory {
    _private: [u8; 0],
}

#[repr(C)]
pub struct skl_error {
    pub struct_bytes: u32,
    pub result: skl_result,
    pub os_error: i32,
    pub offset_bytes: u64,
    pub message: [c_char; 512],
}

#[repr(C)]
pub struct skl_mount_options {
    pub struct_bytes: u32,
    pub at: *const c_char,
    pub priority: i32,
    pub fold_case: u32,
    pub deletions: *const *const c_char,
    pub deletion_count: usize,
    pub io: *const c_void,
}

#[repr(C)]
#[derive(Debug)]
pub struct skl_lease {
    pub asset: skl_asset,
    pub asset_bytes: u64,
    pub offset_bytes: u64,
    pub data: *const c_void,
    pub size_bytes: usize,
    pub block: *mut c_void,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct skl_entry {
    pub path: *const c_char,
    pub length_bytes: usize,
    pub asset: skl_asset,
    pub size_bytes: u64,
}

pub type skl_visit =
    unsafe extern "C" fn(user: *mut c_void, path: *const c_char, asset: skl_asset, size_bytes: u64) -> c_int;

extern "C" {
    pub fn skl_result_name(result: skl_result) -> *const c_char;
    pub fn skl_version() -> *const c_char;
    pub fn skl_context_create(options: *const c_void, out: *mut *mut skl_context, error: *mut skl_error) -> skl_result;
    pub fn skl_context_destroy(context: *mut skl_context);
    pub fn skl_mount(
        context: *mut skl_context,
        path: *const c_char,
        options: *const skl_mount_options,
        mount: *mut skl_mount_id,
        error: *mut skl_error,
    ) -> skl_result;
    pub fn skl_unmount(context: *mut skl_context, mount: skl_mount_id, error: *mut skl_error) -> skl_result;
    pub fn skl_list(context: *mut skl_context, visit: skl_visit, user: *mut c_void, error: *mut skl_error) -> skl_result;
    pub fn skl_list_scenario(
        context: *mut skl_context,
        scenario: *const c_char,
        visit: skl_visit,
        user: *mut c_void,
        error: *mut skl_error,
    ) -> skl_result;
    pub fn skl_directory_create(
        context: *mut skl_context,
        out: *mut *mut skl_directory,
        error: *mut skl_error,
    ) -> skl_result;
    pub fn skl_directory_list(
        directory: *const skl_directory,
        prefix: *const c_char,
        cursor: *mut u64,
        out: *mut skl_entry,
        capacity: usize,
        count: *mut usize,
    ) -> skl_result;
    pub fn skl_directory_children(
        directory: *const skl_directory,
        folder: *const c_char,
        cursor: *mut u64,
        out: *mut skl_entry,
        capacity: usize,
        count: *mut usize,
    ) -> skl_result;
    pub fn skl_directory_destroy(directory: *mut skl_directory);
    pub fn skl_find_bytes(
        context: *mut skl_context,
        path: *const c_char,
        length_bytes: usize,
        asset: *mut skl_asset,
        size_bytes: *mut u64,
    ) -> skl_result;
    pub fn skl_asset_path(
        context: *mut skl_context,
        asset: skl_asset,
        path: *mut c_char,
        capacity_bytes: usize,
        length_bytes: *mut usize,
        error: *mut skl_error,
    ) -> skl_result;
    pub fn skl_read(
        context: *mut skl_context,
        asset: skl_asset,
        offset_bytes: u64,
        destination: *mut c_void,
        length_bytes: usize,
        read_bytes: *mut usize,
        error: *mut skl_error,
    ) -> skl_result;
    pub fn skl_sweep_open(
        context: *mut skl_context,
        scenario: *const c_char,
        out: *mut *mut skl_sweep,
        error: *mut skl_error,
    ) -> skl_result;
    pub fn skl_sweep_wait(
        sweep: *mut skl_sweep,
        timeout_ms: u32,
        lease: *mut skl_lease,
        error: *mut skl_error,
    ) -> skl_result;
    pub fn skl_sweep_close(sweep: *mut skl_sweep);
    pub fn skl_lease_retain(lease: *const skl_lease);
    pub fn skl_lease_release(lease: *const skl_lease);
}

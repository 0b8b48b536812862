//! Declares the functions and structs of `seekless.h` that the crate `seekless` uses, as in C. The
//! header says what each does, which threads may call it, and how it fails.
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
pub struct skl_queue {
    _private: [u8; 0],
}

#[repr(C)]
pub struct skl_stream {
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

pub type skl_backend = c_int;
pub const SKL_BACKEND_DETECT: skl_backend = 0;
pub const SKL_BACKEND_PUMP: skl_backend = 4;

#[repr(C)]
pub struct skl_context_options {
    pub struct_bytes: u32,
    pub memory_budget_bytes: u64,
    pub allocator: *const c_void,
    pub media: c_int,
    pub backend: skl_backend,
    pub threads: u32,
    pub bypasses_per_second: u32,
    pub slow_read_ms: u32,
    pub on_canary: *const c_void,
    pub canary_user: *mut c_void,
    pub inflate: *const c_void,
    pub inflate_user: *mut c_void,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct skl_path_hash {
    pub seed: u64,
    pub exact: u64,
    pub folded: u64,
}

#[repr(C)]
pub struct skl_upload_options {
    pub struct_bytes: u32,
    pub day: u32,
    pub most_bytes: u64,
    pub ring_bytes: u64,
    pub scenario: *const c_char,
    pub client: [u8; 16],
}

#[repr(C)]
pub struct skl_recorder_options {
    pub struct_bytes: u32,
    pub ring_bytes: u64,
    pub scenario: *const c_char,
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
    pub on_change: Option<skl_change_function>,
    pub change_user: *mut c_void,
}

pub type skl_change_kind = c_int;
pub const SKL_CHANGE_ADDED: skl_change_kind = 1;
pub const SKL_CHANGE_CHANGED: skl_change_kind = 2;
pub const SKL_CHANGE_REMOVED: skl_change_kind = 3;
pub const SKL_CHANGE_UNWATCHED: skl_change_kind = 4;

#[repr(C)]
pub struct skl_change {
    pub struct_bytes: u32,
    pub kind: skl_change_kind,
    pub mount: skl_mount_id,
    pub asset: skl_asset,
    pub size_bytes: u64,
    pub path: *const c_char,
    pub error: *const skl_error,
}

pub type skl_change_function = unsafe extern "C" fn(user: *mut c_void, change: *const skl_change);

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

pub const SKL_PRIORITY_PREFETCH: i32 = -100;
pub const SKL_PRIORITY_STREAM: i32 = -50;
pub const SKL_PRIORITY_NORMAL: i32 = 0;
pub const SKL_PRIORITY_URGENT: i32 = 100;
pub const SKL_TO_THE_END: u64 = u64::MAX;

pub type skl_completion_function = unsafe extern "C" fn(user: *mut c_void, completion: *const skl_completion);

#[repr(C)]
pub struct skl_queue_options {
    pub struct_bytes: u32,
    pub capacity: u32,
    pub on_completion: Option<skl_completion_function>,
    pub completion_user: *mut c_void,
}

#[repr(C)]
pub struct skl_request {
    pub struct_bytes: u32,
    pub asset: skl_asset,
    pub offset_bytes: u64,
    pub length_bytes: u64,
    pub destination: *mut c_void,
    pub priority: i32,
    pub deadline_us: u32,
    pub tag: u64,
    pub user: *mut c_void,
    pub error: *mut skl_error,
    pub destination_alignment_bytes: u32,
}

#[repr(C)]
pub struct skl_completion {
    pub struct_bytes: u32,
    pub result: skl_result,
    pub missed_deadline: u32,
    pub asset: skl_asset,
    pub offset_bytes: u64,
    pub read_bytes: u64,
    pub tag: u64,
    pub user: *mut c_void,
    pub lease: skl_lease,
    pub latency_us: u64,
}

#[repr(C)]
pub struct skl_stream_options {
    pub struct_bytes: u32,
    pub bytes_per_second: u32,
    pub offset_bytes: u64,
    pub length_bytes: u64,
    pub ahead_bytes: u64,
}

#[repr(C)]
pub struct skl_stream_info {
    pub struct_bytes: u32,
    pub stalls: u32,
    pub size_bytes: u64,
    pub position_bytes: u64,
    pub ahead_bytes: u64,
    pub stalled_us: u64,
    pub longest_stall_us: u64,
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
    pub fn skl_context_create(
        options: *const skl_context_options,
        out: *mut *mut skl_context,
        error: *mut skl_error,
    ) -> skl_result;
    pub fn skl_context_destroy(context: *mut skl_context);
    pub fn skl_mount(
        context: *mut skl_context,
        path: *const c_char,
        options: *const skl_mount_options,
        mount: *mut skl_mount_id,
        error: *mut skl_error,
    ) -> skl_result;
    pub fn skl_unmount(context: *mut skl_context, mount: skl_mount_id, error: *mut skl_error) -> skl_result;
    pub fn skl_mount_watched(context: *mut skl_context, mount: skl_mount_id, error: *mut skl_error) -> skl_result;
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
    pub fn skl_hash_path(
        context: *mut skl_context,
        path: *const c_char,
        length_bytes: usize,
        hash: *mut skl_path_hash,
    ) -> skl_result;
    pub fn skl_find_hashed(
        context: *mut skl_context,
        hash: *const skl_path_hash,
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
    pub fn skl_map(
        context: *mut skl_context,
        asset: skl_asset,
        lease: *mut skl_lease,
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
    pub fn skl_queue_create(
        context: *mut skl_context,
        options: *const skl_queue_options,
        out: *mut *mut skl_queue,
        error: *mut skl_error,
    ) -> skl_result;
    pub fn skl_queue_submit(
        queue: *mut skl_queue,
        requests: *const skl_request,
        count: usize,
        accepted: *mut usize,
        error: *mut skl_error,
    ) -> skl_result;
    pub fn skl_queue_poll(
        queue: *mut skl_queue,
        out: *mut skl_completion,
        capacity: usize,
        count: *mut usize,
    ) -> skl_result;
    pub fn skl_queue_wait(
        queue: *mut skl_queue,
        timeout_ms: u32,
        out: *mut skl_completion,
        capacity: usize,
        count: *mut usize,
    ) -> skl_result;
    pub fn skl_queue_cancel(queue: *mut skl_queue, tag: u64, mask: u64) -> usize;
    pub fn skl_queue_reschedule(
        queue: *mut skl_queue,
        tag: u64,
        mask: u64,
        priority: i32,
        deadline_us: u32,
    ) -> usize;
    pub fn skl_queue_event(queue: *mut skl_queue, handle: *mut isize, error: *mut skl_error) -> skl_result;
    pub fn skl_queue_destroy(queue: *mut skl_queue);
    pub fn skl_stream_open(
        context: *mut skl_context,
        asset: skl_asset,
        options: *const skl_stream_options,
        out: *mut *mut skl_stream,
        error: *mut skl_error,
    ) -> skl_result;
    pub fn skl_stream_read(
        stream: *mut skl_stream,
        destination: *mut c_void,
        length_bytes: usize,
        read_bytes: *mut usize,
        error: *mut skl_error,
    ) -> skl_result;
    pub fn skl_stream_wait(
        stream: *mut skl_stream,
        timeout_ms: u32,
        destination: *mut c_void,
        length_bytes: usize,
        read_bytes: *mut usize,
        error: *mut skl_error,
    ) -> skl_result;
    pub fn skl_stream_seek(stream: *mut skl_stream, position_bytes: u64) -> skl_result;
    pub fn skl_stream_about(stream: *const skl_stream, info: *mut skl_stream_info);
    pub fn skl_stream_close(stream: *mut skl_stream);
    pub fn skl_pump(context: *mut skl_context, budget_us: u64) -> skl_result;
    pub fn skl_recorder_start(
        context: *mut skl_context,
        path: *const c_char,
        options: *const skl_recorder_options,
        error: *mut skl_error,
    ) -> skl_result;
    pub fn skl_recorder_start_uploads(
        context: *mut skl_context,
        mount: skl_mount_id,
        path: *const c_char,
        options: *const skl_upload_options,
        error: *mut skl_error,
    ) -> skl_result;
    pub fn skl_recorder_mark(context: *mut skl_context, scenario: *const c_char) -> skl_result;
    pub fn skl_recorder_stop(context: *mut skl_context, lost_events: *mut u64, error: *mut skl_error) -> skl_result;
    pub fn skl_lease_retain(lease: *const skl_lease);
    pub fn skl_lease_release(lease: *const skl_lease);
}

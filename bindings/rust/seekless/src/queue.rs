//! Requests in the background.
use crate::error::{done, fresh};
use crate::sweep::Lease;
use crate::{Asset, Packs, Result};
use seekless_sys as sys;
use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;
use std::os::raw::c_void;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::ptr::null_mut;
use std::time::Duration;

/// Priorities of requests. There are four groups: 100 and more, 0 to 99, -99 to -1, -100 and less.
pub mod priority {
    use seekless_sys as sys;

    /// For assets that may be needed later.
    pub const PREFETCH: i32 = sys::SKL_PRIORITY_PREFETCH;
    /// For music and far textures.
    pub const STREAM: i32 = sys::SKL_PRIORITY_STREAM;
    /// For everything else.
    pub const NORMAL: i32 = sys::SKL_PRIORITY_NORMAL;
    /// Read next, even if that costs a seek.
    pub const URGENT: i32 = sys::SKL_PRIORITY_URGENT;
}

/// A request. Its bytes come as a [`Lease`] of at most a block (2 MiB), or in `buffer`.
#[derive(Clone, Debug)]
pub struct Request<T = ()> {
    /// The asset to read.
    pub asset: Asset,
    /// The offset at which reading begins.
    pub offset_bytes: u64,
    /// `None` reads to the asset's end, or as much as `buffer` holds.
    pub length_bytes: Option<u64>,
    /// Filled, and returned with the completion. An asset of any size can be read whole into a
    /// buffer.
    pub buffer: Option<Vec<u8>>,
    /// See [`priority`].
    pub priority: i32,
    /// Time from submission. The request becomes urgent shortly before its deadline.
    pub deadline: Option<Duration>,
    /// Used for cancelling and rescheduling.
    pub tag: u64,
    /// A value that is returned with the completion.
    pub user: T,
}

impl<T> Request<T> {
    /// Requests a whole asset as a lease.
    pub fn new(asset: Asset, user: T) -> Self {
        Self {
            asset,
            offset_bytes: 0,
            length_bytes: None,
            buffer: None,
            priority: priority::NORMAL,
            deadline: None,
            tag: 0,
            user,
        }
    }
    /// Requests a whole asset into a buffer of its size.
    pub fn whole(found: crate::Found, user: T) -> Self {
        Self { buffer: Some(vec![0; found.size_bytes as usize]), ..Self::new(found.asset, user) }
    }
}

/// The bytes that were read.
#[derive(Debug)]
pub enum Content {
    /// A view of the bytes without a copy.
    Lease(Lease),
    /// The request's own buffer, cut to the bytes that were read.
    Buffer(Vec<u8>),
}

impl Deref for Content {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Content::Lease(lease) => lease,
            Content::Buffer(bytes) => bytes,
        }
    }
}

/// A request's answer.
#[derive(Debug)]
#[non_exhaustive]
pub struct Completion<T = ()> {
    /// The asset that was requested.
    pub asset: Asset,
    /// The request's offset in the asset.
    pub offset_bytes: u64,
    /// The request's tag.
    pub tag: u64,
    /// The request's own value.
    pub user: T,
    /// The bytes, or the error; [`Kind::Cancelled`](crate::Kind) if the request was cancelled.
    pub content: Result<Content>,
    /// True if it took longer than its deadline.
    pub missed_deadline: bool,
    /// Time from submission until the bytes were read and checked.
    pub latency: Duration,
}

// A request's memory, which stays at its address until the completion is taken.
struct Pending<T> {
    buffer: Option<Vec<u8>>,
    error: sys::skl_error,
    user: T,
}

type OnCompletion<T> = Box<dyn Fn(Completion<T>) + Send + Sync>;

/// A queue of requests. They are put into the order of the disk, together with all others for the same packs. Every
/// method may be called from any thread at any time.
pub struct Queue<'a, T: Send = ()> {
    raw: *mut sys::skl_queue,
    on_completion: Option<Box<OnCompletion<T>>>,
    packs: PhantomData<&'a Packs>,
}

unsafe impl<T: Send> Send for Queue<'_, T> {}
unsafe impl<T: Send> Sync for Queue<'_, T> {}

impl<T: Send> fmt::Debug for Queue<'_, T> {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.debug_struct("Queue").field("raw", &self.raw).finish_non_exhaustive()
    }
}

impl<'a, T: Send> Queue<'a, T> {
    pub(crate) fn new(packs: &'a Packs, capacity: u32) -> Result<Self> {
        Self::make(packs, capacity, None)
    }

    pub(crate) fn calling(
        packs: &'a Packs,
        capacity: u32,
        on_completion: impl Fn(Completion<T>) + Send + Sync + 'static,
    ) -> Result<Self> {
        Self::make(packs, capacity, Some(Box::new(Box::new(on_completion))))
    }

    fn make(packs: &'a Packs, capacity: u32, on_completion: Option<Box<OnCompletion<T>>>) -> Result<Self> {
        let user = match &on_completion {
            Some(function) => &**function as *const OnCompletion<T> as *mut c_void,
            None => null_mut(),
        };
        let options = sys::skl_queue_options {
            struct_bytes: std::mem::size_of::<sys::skl_queue_options>() as u32,
            capacity,
            on_completion: on_completion.as_ref().map(|_| take::<T> as sys::skl_completion_function),
            completion_user: user,
        };
        let mut raw = null_mut();
        let mut error = fresh();
        done(unsafe { sys::skl_queue_create(packs.raw, &options, &mut raw, &mut error) }, &error)?;
        Ok(Self { raw, on_completion, packs: PhantomData })
    }

    /// Accepts requests from the front, as many as the queue has room for, and returns their
    /// number. Submit many at a time: they are read in the order of the disk.
    pub fn submit(&self, requests: &mut Vec<Request<T>>) -> Result<usize> {
        let asked: Vec<sys::skl_request> = requests.drain(..).map(to_c).collect();
        let mut accepted = 0;
        let mut error = fresh();
        let result =
            unsafe { sys::skl_queue_submit(self.raw, asked.as_ptr(), asked.len(), &mut accepted, &mut error) };
        requests.extend(asked[accepted..].iter().map(|request| unsafe { from_c(request) }));
        done(result, &error)?;
        Ok(accepted)
    }

    /// Returns finished requests; nothing for a queue that calls a function.
    pub fn poll(&self) -> Vec<Completion<T>> {
        self.take_some(|out, capacity, count| unsafe { sys::skl_queue_poll(self.raw, out, capacity, count) }).1
    }

    /// Waits until a request is finished. Returns `None` if none is outstanding, and an empty list
    /// if the time is up.
    pub fn wait(&self, timeout: Duration) -> Option<Vec<Completion<T>>> {
        let timeout_ms = u32::try_from(timeout.as_millis()).unwrap_or(u32::MAX);
        let (result, taken) =
            self.take_some(|out, capacity, count| unsafe { sys::skl_queue_wait(self.raw, timeout_ms, out, capacity, count) });
        (result != sys::SKL_END).then_some(taken)
    }

    /// Cancels unfinished requests with `request.tag & mask == tag & mask`, and returns their
    /// number. They complete as `Cancelled`; a request that is being read completes after its read.
    /// Doesn't wait.
    pub fn cancel(&self, tag: u64, mask: u64) -> usize {
        unsafe { sys::skl_queue_cancel(self.raw, tag, mask) }
    }

    /// Changes the priority and deadline of requests selected as in `cancel`; the deadline counts
    /// from now.
    pub fn reschedule(&self, tag: u64, mask: u64, priority: i32, deadline: Option<Duration>) -> usize {
        unsafe { sys::skl_queue_reschedule(self.raw, tag, mask, priority, microseconds(deadline)) }
    }

    /// Returns a handle to wait for together with others: an `eventfd` on Linux, the handle of an event on Windows. The
    /// queue owns it, so don't read or close it. It is signalled until the next `poll`.
    pub fn event(&self) -> Result<isize> {
        let mut handle = 0;
        let mut error = fresh();
        done(unsafe { sys::skl_queue_event(self.raw, &mut handle, &mut error) }, &error)?;
        Ok(handle)
    }

    fn take_some(
        &self,
        call: impl FnOnce(*mut sys::skl_completion, usize, *mut usize) -> sys::skl_result,
    ) -> (sys::skl_result, Vec<Completion<T>>) {
        const AT_ONCE: usize = 64;
        let mut taken: Vec<sys::skl_completion> = Vec::with_capacity(AT_ONCE);
        let mut count = 0;
        // The first completion's size applies to all.
        unsafe { taken.as_mut_ptr().cast::<u32>().write(std::mem::size_of::<sys::skl_completion>() as u32) };
        let result = call(taken.as_mut_ptr(), AT_ONCE, &mut count);
        unsafe { taken.set_len(count) };
        (result, taken.into_iter().map(|one| unsafe { completed(one) }).collect())
    }
}

impl<T: Send> Drop for Queue<'_, T> {
    fn drop(&mut self) {
        if self.on_completion.is_none() {
            self.cancel(0, 0);
            while self.wait(Duration::MAX).is_some() {}  // drops what the completions own
        }
        unsafe { sys::skl_queue_destroy(self.raw) }
    }
}

fn microseconds(deadline: Option<Duration>) -> u32 {
    deadline.map_or(0, |time| u32::try_from(time.as_micros()).unwrap_or(u32::MAX).max(1))
}

fn to_c<T>(request: Request<T>) -> sys::skl_request {
    let room = request.buffer.as_ref().map(|buffer| buffer.len() as u64);
    let length = request.length_bytes.unwrap_or(sys::SKL_TO_THE_END);
    let pending_at = Box::into_raw(Box::new(Pending { buffer: request.buffer, error: fresh(), user: request.user }));
    // Both addresses are taken through the one pointer that outlives this call.
    let (destination, error) = unsafe {
        let buffer = &mut (*pending_at).buffer;
        (buffer.as_mut().map_or(null_mut(), |bytes| bytes.as_mut_ptr().cast()), std::ptr::addr_of_mut!((*pending_at).error))
    };
    sys::skl_request {
        struct_bytes: std::mem::size_of::<sys::skl_request>() as u32,
        asset: request.asset.0,
        offset_bytes: request.offset_bytes,
        length_bytes: room.map_or(length, |room| length.min(room)),
        destination,
        priority: request.priority,
        deadline_us: microseconds(request.deadline),
        tag: request.tag,
        user: pending_at.cast(),
        error,
        destination_alignment_bytes: 0,
    }
}

// Rebuilds a request that wasn't accepted.
unsafe fn from_c<T>(request: &sys::skl_request) -> Request<T> {
    let pending = unsafe { Box::from_raw(request.user.cast::<Pending<T>>()) };
    Request {
        asset: Asset(request.asset),
        offset_bytes: request.offset_bytes,
        length_bytes: (request.length_bytes != sys::SKL_TO_THE_END).then_some(request.length_bytes),
        buffer: pending.buffer,
        priority: request.priority,
        deadline: (request.deadline_us != 0).then(|| Duration::from_micros(request.deadline_us.into())),
        tag: request.tag,
        user: pending.user,
    }
}

unsafe fn completed<T>(one: sys::skl_completion) -> Completion<T> {
    let Pending { buffer, error, user } = *unsafe { Box::from_raw(one.user.cast::<Pending<T>>()) };
    let lease = Lease::of(one.lease); // released in any case
    let content = done(one.result, &error).map(|()| match buffer {
        Some(mut bytes) => {
            bytes.truncate(one.read_bytes as usize);
            Content::Buffer(bytes)
        }
        None => Content::Lease(lease),
    });
    Completion {
        asset: Asset(one.asset),
        offset_bytes: one.offset_bytes,
        tag: one.tag,
        user,
        content,
        missed_deadline: one.missed_deadline != 0,
        latency: Duration::from_micros(one.latency_us),
    }
}

unsafe extern "C" fn take<T>(user: *mut c_void, completion: *const sys::skl_completion) {
    let function = unsafe { &*user.cast::<OnCompletion<T>>() };
    or_abort(|| function(unsafe { completed(completion.read()) }));
}

// No panic may escape from a function that C calls.
pub(crate) fn or_abort(call: impl FnOnce()) {
    if catch_unwind(AssertUnwindSafe(call)).is_err() {
        std::process::abort();
    }
}

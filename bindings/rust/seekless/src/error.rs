//! The library's errors.
use seekless_sys as sys;
use std::ffi::CStr;
use std::fmt;
use std::os::raw::c_char;

/// The result of most functions.
pub type Result<T> = std::result::Result<T, Error>;

/// The kind of a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// There is no such path, scenario or file.
    NotFound,
    /// A parameter is out of its range.
    Invalid,
    /// Bytes don't match their checksum, or a table is invalid.
    Damaged,
    /// The file has a newer format version, or is of a kind that can't be read.
    Unsupported,
    /// The operating system failed.
    Io,
    /// There is no memory.
    OutOfMemory,
    /// The request was cancelled.
    Cancelled,
    /// The asset's mount is gone, or its loose file has changed since.
    Stale,
    /// A kind of failure that only a newer library knows.
    Other,
}

/// An error of the library. Its message is one line: file, place, expected, found, what to do.
#[derive(Clone, Debug)]
pub struct Error {
    kind: Kind,
    os_error: i32,
    message: String,
}

impl Error {
    /// The kind of failure.
    pub fn kind(&self) -> Kind {
        self.kind
    }
    /// errno or GetLastError(); 0 if there is none.
    pub fn os_error(&self) -> i32 {
        self.os_error
    }
    pub(crate) fn invalid(message: String) -> Self {
        Self { kind: Kind::Invalid, os_error: 0, message }
    }
    pub(crate) fn not_found(message: String) -> Self {
        Self { kind: Kind::NotFound, os_error: 0, message }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Self {
        Self { kind: Kind::Io, os_error: error.raw_os_error().unwrap_or(0), message: error.to_string() }
    }
}

impl From<Error> for std::io::Error {
    fn from(error: Error) -> Self {
        use std::io::ErrorKind;
        let kind = match error.kind {
            Kind::NotFound => ErrorKind::NotFound,
            Kind::Invalid => ErrorKind::InvalidInput,
            Kind::Damaged => ErrorKind::InvalidData,
            Kind::Unsupported => ErrorKind::Unsupported,
            Kind::OutOfMemory => ErrorKind::OutOfMemory,
            _ => ErrorKind::Other,
        };
        std::io::Error::new(kind, error)
    }
}

pub(crate) fn fresh() -> sys::skl_error {
    sys::skl_error {
        struct_bytes: std::mem::size_of::<sys::skl_error>() as u32,
        result: sys::SKL_OK,
        os_error: 0,
        offset_bytes: u64::MAX,
        message: [0; 512],
    }
}

pub(crate) fn done(result: sys::skl_result, error: &sys::skl_error) -> Result<()> {
    if result >= 0 {
        return Ok(());
    }
    let kind = match result {
        sys::SKL_NOT_FOUND => Kind::NotFound,
        sys::SKL_INVALID => Kind::Invalid,
        sys::SKL_DAMAGED => Kind::Damaged,
        sys::SKL_UNSUPPORTED => Kind::Unsupported,
        sys::SKL_IO => Kind::Io,
        sys::SKL_OUT_OF_MEMORY => Kind::OutOfMemory,
        sys::SKL_CANCELLED => Kind::Cancelled,
        sys::SKL_STALE => Kind::Stale,
        _ => Kind::Other,
    };
    let mut message = unsafe { text(error.message.as_ptr()) };
    if message.is_empty() {
        message = unsafe { text(sys::skl_result_name(result)) };
    }
    Err(Error { kind, os_error: error.os_error, message })
}

/// # Safety
/// `of` must end with a zero byte.
pub(crate) unsafe fn text(of: *const c_char) -> String {
    unsafe { CStr::from_ptr(of) }.to_string_lossy().into_owned()
}

//! Finds the library in SEEKLESS_LIB_DIR, with pkg-config, or in the system's default folders.
use std::{env, process::Command};

fn folder() -> Option<String> {
    if let Ok(folder) = env::var("SEEKLESS_LIB_DIR") {
        return Some(folder);
    }
    let told = Command::new("pkg-config").args(["--variable=libdir", "seekless"]).output().ok()?;
    let folder = String::from_utf8(told.stdout).ok()?.trim().to_string();
    (told.status.success() && !folder.is_empty()).then_some(folder)
}

fn main() {
    println!("cargo:rerun-if-env-changed=SEEKLESS_LIB_DIR");
    if let Some(folder) = folder() {
        println!("cargo:rustc-link-search=native={folder}");
    }
    println!("cargo:rustc-link-lib=dylib=seekless");
}

//! The source that Bevy's asset server reads from. It looks for a path first among the swept assets
//! in the room, then in the packs.
use crate::Shared;
use bevy_asset::io::{AssetReader, AssetReaderError, PathStream, Reader, VecReader};
use seekless::{Entry, Kind};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub(crate) struct PackReader {
    shared: Arc<Shared>,
}

impl PackReader {
    pub(crate) fn new(shared: Arc<Shared>) -> Self {
        Self { shared }
    }

    async fn bytes(&self, path: &Path) -> Result<VecReader, AssetReaderError> {
        let name = name_of(path).ok_or_else(|| not_found(path))?;
        // Sweeps announce later which assets they bring, and identify assets by number.
        self.shared.room.settled().await;
        let found = self.shared.packs.find(&name).ok_or_else(|| not_found(path))?;
        let brought = self.shared.room.take(found.asset).await;
        self.shared.count(brought.is_some());
        match brought {
            Some(bytes) => Ok(VecReader::new(bytes)),
            None => self.shared.packs.read(&name).map(VecReader::new).map_err(|error| failed(path, error)),
        }
    }

    fn children(&self, path: &Path) -> Result<Vec<Entry>, AssetReaderError> {
        let name = name_of(path).ok_or_else(|| not_found(path))?;
        let directory = self.shared.directory().map_err(|error| failed(path, error))?;
        directory.children(&name).map_err(|error| failed(path, error))
    }
}

impl AssetReader for PackReader {
    async fn read<'a>(&'a self, path: &'a Path) -> Result<impl Reader + 'a, AssetReaderError> {
        self.bytes(path).await
    }

    async fn read_meta<'a>(&'a self, path: &'a Path) -> Result<impl Reader + 'a, AssetReaderError> {
        self.bytes(&meta_path(path)).await
    }

    async fn read_directory<'a>(&'a self, path: &'a Path) -> Result<Box<PathStream>, AssetReaderError> {
        let children = self.children(path)?;
        if children.is_empty() {
            return Err(not_found(path));
        }
        // Bevy requests a description (.meta file) together with its asset.
        let is_listed = |entry: &Entry| entry.found.is_none() || !entry.path.ends_with(".meta");
        let paths = children.into_iter().filter(is_listed).map(|entry| PathBuf::from(entry.path));
        Ok(Box::new(futures_lite::stream::iter(paths.collect::<Vec<_>>())))
    }

    async fn is_directory<'a>(&'a self, path: &'a Path) -> Result<bool, AssetReaderError> {
        Ok(!self.children(path)?.is_empty())
    }
}

/// Returns the path in the form that packs use, or none if no asset can have that name.
fn name_of(path: &Path) -> Option<String> {
    let mut name = String::new();
    for part in path.components() {
        match part {
            std::path::Component::Normal(part) => {
                if !name.is_empty() {
                    name.push('/');
                }
                name.push_str(part.to_str()?);
            }
            std::path::Component::CurDir => {}
            _ => return None,
        }
    }
    Some(name)
}

/// Returns the path of the description, as Bevy's own readers do: "a.png" is described by "a.png.meta".
fn meta_path(path: &Path) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(".meta");
    PathBuf::from(name)
}

fn not_found(path: &Path) -> AssetReaderError {
    AssetReaderError::NotFound(path.to_path_buf())
}

fn failed(path: &Path, error: seekless::Error) -> AssetReaderError {
    match error.kind() {
        Kind::NotFound => not_found(path),
        _ => AssetReaderError::from(std::io::Error::from(error)),
    }
}

//! Reads Bevy's assets from packs (`.skl`), in which they lie in the order that a game loads them.
//!
//! ```no_run
//! use bevy_app::prelude::*;
//! use bevy_asset::{AssetPlugin, AssetServer};
//! use bevy_ecs::prelude::*;
//! use bevy_seekless::{GamePacks, PacksPlugin};
//! use bevy_world_serialization::DynamicWorldRoot;
//!
//! fn enter(mut commands: Commands, packs: Res<GamePacks>, assets: Res<AssetServer>) {
//!     commands.insert_resource(packs.start("map/lakeville")); // the disk begins to read
//!     commands.spawn(DynamicWorldRoot(assets.load("maps/lakeville.scn.ron"))); // and this takes what it brings
//! }
//!
//! fn main() -> bevy_seekless::Result<()> {
//!     App::new()
//!         .add_plugins(PacksPlugin::open("packs")?) // before AssetPlugin, or DefaultPlugins
//!         .add_plugins(AssetPlugin::default())
//!         .add_systems(Startup, enter);
//!     Ok(())
//! }
//! ```
//!
//! Every asset of Bevy's default source is then read from packs. Assets that a [`Level`] sweeps are
//! handed out as the disk reads them; all others are read on demand.
#![deny(missing_docs, unsafe_code)]

mod level;
mod room;
mod source;

pub use level::Level;
pub use seekless::{Error, Result};

use bevy_app::{App, Plugin};
use bevy_asset::io::{AssetSourceBuilder, AssetSourceId};
use bevy_asset::AssetApp;
use bevy_ecs::resource::Resource;
use room::Room;
use seekless::{Asset, Directory, Mount, Packs};
use source::PackReader;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Maximum number of bytes that levels may hold until they are requested.
const ROOM_BYTES: usize = 256 << 20;

/// The packs of a game, as a resource. A clone shares the same packs.
#[derive(Resource, Clone, Debug)]
pub struct GamePacks {
    shared: Arc<Shared>,
}

#[derive(Debug)]
pub(crate) struct Shared {
    pub packs: Packs,
    pub room: Room<Asset>,
    folders: Mutex<Option<Arc<Directory>>>,
    swept: AtomicU64,
    read: AtomicU64,
}

/// The number of assets that Bevy has received since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Served {
    /// Assets that the sweep of a level brought.
    pub swept: u64,
    /// Assets that were read one by one, on demand.
    pub read: u64,
}

impl GamePacks {
    /// Mounts packs, or a folder of loose files as long as there are no packs.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Ok(Self::new(Packs::open(path)?))
    }

    /// Uses packs that are already mounted.
    pub fn new(packs: Packs) -> Self {
        Self {
            shared: Arc::new(Shared {
                packs,
                room: Room::new(ROOM_BYTES),
                folders: Mutex::default(),
                swept: AtomicU64::default(),
                read: AtomicU64::default(),
            }),
        }
    }

    /// Adds a mount, such as a patch or a mod. If two mounts have the same path, the one with the
    /// higher priority is loaded from now on; at equal priority, the later one is.
    pub fn mount(&self, path: impl AsRef<Path>, priority: i32) -> Result<Mount> {
        let mount = self.shared.packs.mount(path, priority);
        *self.shared.folders() = None;
        mount
    }

    /// Removes a mount. Assets that were loaded from it stay loaded.
    pub fn unmount(&self, mount: Mount) -> Result<()> {
        let unmounted = self.shared.packs.unmount(mount);
        *self.shared.folders() = None;
        unmounted
    }

    /// Starts reading a scenario's assets in the order of the disk, on a separate thread. Call this
    /// right before loading the assets: the loads then wait for the sweep instead of causing seeks.
    /// Keep the level until they are done. This never fails; see [`Level::error`].
    pub fn start(&self, scenario: impl Into<String>) -> Level {
        Level::start(self.shared.clone(), scenario.into())
    }

    /// Tells whether a level's sweep contains the assets that the level loads.
    pub fn served(&self) -> Served {
        Served { swept: self.shared.swept.load(Ordering::Relaxed), read: self.shared.read.load(Ordering::Relaxed) }
    }
}

impl Shared {
    fn folders(&self) -> std::sync::MutexGuard<'_, Option<Arc<Directory>>> {
        self.folders.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns all paths; the directory is made when it is first needed.
    pub fn directory(&self) -> Result<Arc<Directory>> {
        let mut folders = self.folders();
        if let Some(known) = &*folders {
            return Ok(known.clone());
        }
        Ok(folders.insert(Arc::new(self.packs.directory()?)).clone())
    }

    pub fn count(&self, was_swept: bool) {
        let counter = if was_swept { &self.swept } else { &self.read };
        counter.fetch_add(1, Ordering::Relaxed);
    }
}

/// Makes packs the default source of assets. Add it before `AssetPlugin`, which `DefaultPlugins` has.
#[derive(Debug)]
pub struct PacksPlugin {
    packs: GamePacks,
}

impl PacksPlugin {
    /// Opens packs like [`GamePacks::open`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Ok(Self { packs: GamePacks::open(path)? })
    }
    /// Uses packs that are already mounted.
    pub fn new(packs: GamePacks) -> Self {
        Self { packs }
    }
}

impl Plugin for PacksPlugin {
    fn build(&self, app: &mut App) {
        let packs = self.packs.clone();
        app.insert_resource(self.packs.clone()).register_asset_source(
            AssetSourceId::Default,
            AssetSourceBuilder::new(move || Box::new(PackReader::new(packs.shared.clone()))),
        );
    }
}

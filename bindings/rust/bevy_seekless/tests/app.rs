//! Tests in an app without a window, on the packs that SEEKLESS_TEST_PACKS names, which integration/test_adapters.py
//! makes.
use bevy_app::{App, TaskPoolPlugin};
use bevy_asset::io::Reader;
use bevy_asset::{
    Asset, AssetApp, AssetLoader, AssetPlugin, AssetServer, Assets, Handle, LoadContext, LoadState, LoadedFolder,
};
use bevy_reflect::TypePath;
use bevy_seekless::{GamePacks, Level, PacksPlugin, Served};
use std::path::PathBuf;
use std::time::{Duration, Instant};

#[derive(Asset, TypePath)]
struct Blob(Vec<u8>);

#[derive(TypePath)]
struct BlobLoader;

impl AssetLoader for BlobLoader {
    type Asset = Blob;
    type Settings = ();
    type Error = std::io::Error;
    async fn load(&self, reader: &mut dyn Reader, _: &(), _: &mut LoadContext<'_>) -> Result<Blob, Self::Error> {
        let mut bytes = Vec::new();
        reader.read_to_end(&mut bytes).await?;
        Ok(Blob(bytes))
    }
    fn extensions(&self) -> &[&str] {
        &["bin"]
    }
}

struct Game {
    app: App,
    packs: GamePacks,
    assets: AssetServer,
}

fn packs_path() -> PathBuf {
    std::env::var_os("SEEKLESS_TEST_PACKS").expect("SEEKLESS_TEST_PACKS").into()
}

fn game() -> Game {
    let packs = GamePacks::open(packs_path()).unwrap();
    let mut app = App::new();
    app.add_plugins(PacksPlugin::new(packs.clone()))
        .add_plugins((TaskPoolPlugin::default(), AssetPlugin::default()))
        .init_asset::<Blob>()
        .register_asset_loader(BlobLoader);
    let assets = app.world().resource::<AssetServer>().clone();
    Game { app, packs, assets }
}

impl Game {
    fn run_until(&mut self, mut is_so: impl FnMut(&AssetServer) -> bool) {
        let until = Instant::now() + Duration::from_secs(60);
        while !is_so(&self.assets) {
            assert!(Instant::now() < until, "it takes too long");
            self.app.update();
            std::thread::sleep(Duration::from_millis(1));
        }
    }
    fn load(&mut self, path: &str) -> Handle<Blob> {
        let handle = self.assets.load(path.to_string());
        let id = handle.id();
        self.run_until(|assets| !matches!(assets.load_state(id), LoadState::NotLoaded | LoadState::Loading));
        handle
    }
    fn bytes(&self, handle: &Handle<Blob>) -> Option<Vec<u8>> {
        self.app.world().resource::<Assets<Blob>>().get(handle).map(|blob| blob.0.clone())
    }
}

fn models_of(scenario: &str) -> Vec<String> {
    let packs = seekless::Packs::open(packs_path()).unwrap();
    let listed = packs.list_scenario(scenario).unwrap();
    listed.into_iter().map(|(path, _)| path).filter(|path| path.ends_with(".bin")).collect()
}

#[test]
fn what_is_loaded_is_what_was_packed() {
    let mut game = game();
    let packs = seekless::Packs::open(packs_path()).unwrap();
    let handle = game.load("models/0.bin");
    assert!(game.bytes(&handle).unwrap() == packs.read("models/0.bin").unwrap());
    assert_eq!(game.packs.served(), Served { swept: 0, read: 1 });
}

#[test]
fn a_level_comes_by_its_sweep_whatever_order_it_is_asked_for() {
    let mut game = game();
    let mut models = models_of("map/one");
    models.reverse();
    let level = game.packs.start("map/one");
    let handles: Vec<Handle<Blob>> = models.iter().map(|path| game.assets.load(path.clone())).collect();
    game.run_until(|assets| handles.iter().all(|handle| assets.is_loaded(handle)));
    game.run_until(|_| level.is_over());
    assert!(level.error().is_none());
    let (brought, expected) = level.progress();
    assert!(brought == expected && brought >= models.len());
    assert_eq!(game.packs.served(), Served { swept: models.len() as u64, read: 0 });
}

#[test]
fn an_unknown_scenario_is_told_and_costs_no_asset() {
    let mut game = game();
    let level = game.packs.start("map/nowhere");
    let handle = game.load("models/1.bin");
    assert!(game.bytes(&handle).is_some());
    game.run_until(|_| level.is_over());
    assert!(level.error().unwrap().to_string().contains("map/nowhere"));
    assert_eq!(game.packs.served(), Served { swept: 0, read: 1 });
}

#[test]
fn a_level_that_is_dropped_at_once_leaves_nobody_waiting() {
    let mut game = game();
    for path in models_of("map/one") {
        drop(game.packs.start("map/one"));
        let handle = game.load(&path);
        assert!(game.bytes(&handle).is_some());
    }
}

#[test]
fn two_levels_at_once_bring_what_both_have_once() {
    let mut game = game();
    let levels = [game.packs.start("map/one"), game.packs.start("map/two")];
    let mut models = models_of("map/one");
    models.extend(models_of("map/two"));
    let handles: Vec<Handle<Blob>> = models.iter().map(|path| game.assets.load(path.clone())).collect();
    game.run_until(|assets| handles.iter().all(|handle| assets.is_loaded(handle)));
    game.run_until(|_| levels.iter().all(Level::is_over));
    assert_eq!(game.packs.served().read, 0);
}

#[test]
fn what_is_not_there_fails_in_the_asset_server() {
    let mut game = game();
    for path in ["models/none.bin", "models"] {
        let handle = game.assets.load::<Blob>(path.to_string());
        game.run_until(|assets| assets.load_state(&handle).is_failed());
    }
}

#[test]
fn a_folder_is_loaded() {
    let mut game = game();
    let folder = game.assets.load_folder("models");
    game.run_until(|assets| assets.is_loaded_with_dependencies(&folder));
    let folders = game.app.world().resource::<Assets<LoadedFolder>>();
    let packs = seekless::Packs::open(packs_path()).unwrap();
    assert_eq!(folders.get(&folder).unwrap().handles.len(), packs.directory().unwrap().list("models/").unwrap().len());
}

#[test]
fn a_mod_that_is_mounted_later_wins_and_goes_again() {
    let mut game = game();
    let patch = std::env::temp_dir().join(format!("bevy_seekless.{}", std::process::id()));
    std::fs::create_dir_all(patch.join("models")).unwrap();
    std::fs::write(patch.join("models/0.bin"), b"patched").unwrap();
    let mount = game.packs.mount(&patch, 1).unwrap();
    let handle = game.load("models/0.bin");
    assert_eq!(game.bytes(&handle).unwrap(), b"patched");
    drop(handle);
    game.packs.unmount(mount).unwrap();
    std::fs::remove_dir_all(&patch).unwrap();
    game.app.update();
    let handle = game.load("models/0.bin");
    assert_ne!(game.bytes(&handle).unwrap(), b"patched");
}

#[test]
fn what_may_go_to_other_threads_may() {
    fn is_send_and_sync<T: Send + Sync + 'static>() {}
    is_send_and_sync::<GamePacks>();
    is_send_and_sync::<Level>();
    is_send_and_sync::<PacksPlugin>();
}

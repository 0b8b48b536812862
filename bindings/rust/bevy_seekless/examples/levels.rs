//! Loads levels of a game one after the other, without a window. Each level is a scene with the assets that its
//! entities refer to, loaded by one sweep. Prints what it has loaded, and how many assets came from the sweep. Usage: levels PACKS LEVEL...
use bevy_app::{App, TaskPoolPlugin};
use bevy_asset::io::Reader;
use bevy_asset::{Asset, AssetApp, AssetLoader, AssetPlugin, AssetServer, Assets, Handle, LoadContext};
use bevy_ecs::prelude::*;
use bevy_ecs::reflect::ReflectComponent;
use bevy_reflect::{Reflect, TypePath};
use bevy_seekless::{GamePacks, PacksPlugin};
use bevy_world_serialization::{DynamicWorld, DynamicWorldRoot, WorldSerializationPlugin};
use std::error::Error;
use std::thread::sleep;
use std::time::Duration;

/// A file's bytes, unparsed because this example has no renderer.
#[derive(Asset, Reflect)]
struct Blob(Vec<u8>);

#[derive(Default, TypePath)]
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

/// The component of the scenes' entities.
#[derive(Component, Reflect)]
#[reflect(Component)]
struct Model(Handle<Blob>);

fn app(packs: GamePacks) -> App {
    let mut app = App::new();
    app.add_plugins(PacksPlugin::new(packs))
        .add_plugins((TaskPoolPlugin::default(), AssetPlugin::default(), WorldSerializationPlugin))
        .init_asset::<Blob>()
        .register_asset_loader(BlobLoader)
        .register_asset_reflect::<Blob>()
        .register_type::<Model>();
    app.finish();
    app.cleanup();
    app
}

fn load(app: &mut App, packs: &GamePacks, name: &str) -> Result<(), Box<dyn Error>> {
    let assets = app.world().resource::<AssetServer>().clone();
    let before = packs.served();
    let level = packs.start(name);
    let scene: Handle<DynamicWorld> = assets.load(format!("{name}.scn.ron"));
    while !assets.is_loaded_with_dependencies(&scene) {
        app.update();
        if let bevy_asset::RecursiveDependencyLoadState::Failed(error) = assets.recursive_dependency_load_state(&scene) {
            return Err(error.to_string().into());
        }
        sleep(Duration::from_millis(1));
    }
    if let Some(error) = level.error() {
        eprintln!("levels: {name}: {error}");
    }
    drop(level);
    let root = app.world_mut().spawn(DynamicWorldRoot(scene)).id();
    app.update();
    for line in models(app) {
        println!("{line}");
    }
    app.world_mut().entity_mut(root).despawn();
    let served = packs.served();
    println!("{name}: {} swept, {} read", served.swept - before.swept, served.read - before.read);
    Ok(())
}

fn models(app: &mut App) -> Vec<String> {
    let mut query = app.world_mut().query::<&Model>();
    let blobs = app.world().resource::<Assets<Blob>>();
    let line = |model: &Model| {
        let bytes = &blobs.get(&model.0).expect("loaded").0;
        format!("{} {} {:016x}", model.0.path().expect("a path"), bytes.len(), fnv(bytes))
    };
    let mut lines: Vec<String> = query.iter(app.world()).map(line).collect();
    lines.sort();
    lines
}

fn fnv(bytes: &[u8]) -> u64 {
    bytes.iter().fold(14695981039346656037, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(1099511628211))
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let packs = GamePacks::open(arguments.next().ok_or("usage: levels PACKS LEVEL...")?)?;
    let mut app = app(packs.clone());
    for name in arguments {
        load(&mut app, &packs, &name)?;
    }
    Ok(())
}

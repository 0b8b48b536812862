//! Tests on the packs that SEEKLESS_TEST_PACKS names, which integration/test_adapters.py makes.
use seekless::{Kind, Lease, Packs, Sweep, UploadOptions};
use std::collections::HashMap;
use std::io::{Read, Seek, SeekFrom};

fn packs() -> Packs {
    Packs::open(std::env::var("SEEKLESS_TEST_PACKS").expect("SEEKLESS_TEST_PACKS")).expect("packs")
}

#[test]
fn a_reader_gives_what_was_packed_at_any_place() {
    let packs = packs();
    let whole = packs.read("deep/er/noise").unwrap();
    let mut reader = packs.reader("deep/er/noise").unwrap();
    let mut all = Vec::new();
    reader.read_to_end(&mut all).unwrap();
    assert!(all == whole && whole.len() == 1_000_003);
    for place in [999_999, 0, 70_000] {
        reader.seek(SeekFrom::Start(place)).unwrap();
        let mut piece = [0; 3];
        reader.read_exact(&mut piece).unwrap();
        assert_eq!(piece[..], whole[place as usize..][..3]);
    }
    assert_eq!(reader.seek(SeekFrom::End(0)).unwrap(), 1_000_003);
    assert!(reader.seek(SeekFrom::Current(-2_000_000)).is_err());
    assert_eq!(packs.read("empty").unwrap(), b"");
}

#[test]
fn a_sweep_brings_a_scenario_and_leases_go_to_other_threads() {
    let packs = packs();
    let mut parts: HashMap<String, Vec<u8>> = HashMap::new();
    for piece in packs.sweep("menu").unwrap() {
        let piece = piece.unwrap();
        let kept = piece.clone();
        let copied = std::thread::spawn(move || kept.to_vec()).join().unwrap();
        assert_eq!(copied[..], piece[..]);
        parts.entry(packs.path(piece.asset()).unwrap()).or_default().extend(copied);
    }
    let listed: Vec<String> = packs.list_scenario("menu").unwrap().into_iter().map(|(path, _)| path).collect();
    assert_eq!(listed.len(), parts.len());
    for path in listed {
        assert!(parts[&path] == packs.read(&path).unwrap(), "{path}");
    }
}

#[test]
fn a_lease_outlives_its_packs() {
    let lease: Lease = {
        let packs = packs();
        let mut sweep = packs.sweep("menu").unwrap();
        sweep.next().unwrap().unwrap()
    };
    assert!(!lease.is_empty());
}

#[test]
fn failures_say_what_they_are() {
    let packs = packs();
    assert!(packs.find("none").is_none());
    assert_eq!(packs.read("none").unwrap_err().kind(), Kind::NotFound);
    assert_eq!(packs.sweep("none").unwrap_err().kind(), Kind::NotFound);
    assert_eq!(packs.read("a\0b").unwrap_err().kind(), Kind::NotFound);
    let error = Packs::open("/no/such/packs").unwrap_err();
    assert_eq!(error.kind(), Kind::NotFound);
    assert!(error.to_string().contains("/no/such/packs"));
    let more = packs.mount(std::env::var("SEEKLESS_TEST_PACKS").unwrap(), 1).unwrap();
    let found = packs.find("word").unwrap();
    packs.unmount(more).unwrap();
    assert_eq!(packs.read_at(found.asset, 0, &mut [0; 6]).unwrap_err().kind(), Kind::Stale);
}

#[test]
fn a_directory_shows_folders_and_prefixes() {
    let directory = packs().directory().unwrap();
    let names = |entries: Vec<seekless::Entry>| -> Vec<String> { entries.into_iter().map(|entry| entry.path).collect() };
    assert_eq!(names(directory.children("").unwrap()), ["deep", "empty", "music.wav", "shot.wav", "sky.bmp", "sky.png", "word"]);
    assert_eq!(names(directory.children("deep").unwrap()), ["deep/er"]);
    assert!(directory.children("deep").unwrap()[0].found.is_none());
    let inside = directory.children("deep/er").unwrap();
    assert_eq!((inside.len(), inside[0].found.unwrap().size_bytes), (1, 1_000_003));
    assert_eq!(names(directory.list("s").unwrap()), ["shot.wav", "sky.bmp", "sky.png"]);
    assert!(directory.children("none").unwrap().is_empty() && directory.list("z").unwrap().is_empty());
    assert!(directory.list("a\0b").is_err());
}

#[test]
fn many_threads_read_at_once() {
    let packs = packs();
    let whole = packs.read("deep/er/noise").unwrap();
    std::thread::scope(|threads| {
        for _ in 0..8 {
            threads.spawn(|| (0..20).for_each(|_| assert!(packs.read("deep/er/noise").unwrap() == whole)));
        }
    });
}

#[test]
fn what_may_go_to_other_threads_may() {
    fn is_send<T: Send>() {}
    fn is_sync<T: Sync>() {}
    is_send::<Packs>();
    is_sync::<Packs>();
    is_send::<Sweep>();
    is_send::<seekless::Directory>();
    is_sync::<seekless::Directory>();
    is_send::<seekless::AssetReader>();
    is_send::<Lease>();
    is_sync::<Lease>();
}

#[test]
fn an_upload_holds_numbers_of_what_was_read() {
    let packs = Packs::new().unwrap();
    let mount = packs.mount(std::env::var("SEEKLESS_TEST_PACKS").expect("SEEKLESS_TEST_PACKS"), 0).unwrap();
    let path = std::env::temp_dir().join(format!("seekless-{}.up", std::process::id()));
    let nobody = UploadOptions { client: [0; 16], most_bytes: 0, day: 20_000 };
    assert_eq!(packs.record_uploads(mount, &path, nobody).unwrap_err().kind(), Kind::Invalid);
    let recorder = packs.record_uploads(mount, &path, UploadOptions { client: [7; 16], ..nobody }).unwrap();
    recorder.mark(Some("menu")).unwrap();
    for (name, _) in packs.list_scenario("menu").unwrap() {
        packs.read(&name).unwrap();
    }
    recorder.mark(None).unwrap();
    assert_eq!(recorder.stop().unwrap(), 0);
    let upload = std::fs::read(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    assert_eq!(upload[..8], *b"SKLFLEET");
    assert_eq!(upload[32..48], [7; 16]);
    assert!(upload.len() > 64 + 12);
}

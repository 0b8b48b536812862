//! Tests queues, streams and watched folders, on folders of loose files that each test makes.
use seekless::{
    priority, Change, Completion, Content, Kind, Packs, Pumped, Queue, Recorder, RecorderOptions, Request, Stream, StreamOptions,
};
use std::collections::HashMap;
use std::fs;
use std::io::{Read, Seek, SeekFrom};
use std::path::PathBuf;
use std::sync::{mpsc, Mutex};
use std::time::{Duration, Instant};

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("seekless-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(path.join("deep")).unwrap();
        for i in 0..40 {
            fs::write(path.join(format!("deep/{i}")), noise(i, 9_000 + i)).unwrap();
        }
        fs::write(path.join("music"), noise(99, 3_000_017)).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn noise(seed: usize, bytes: usize) -> Vec<u8> {
    let mut state = seed as u64 + 1;
    let mut next = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 56) as u8
    };
    (0..bytes).map(|_| next()).collect()
}

#[test]
fn a_queue_brings_leases_and_fills_buffers() {
    let folder = Folder::new("queue");
    let packs = Packs::open(&folder.0).unwrap();
    let queue = packs.queue(0).unwrap();
    let mut requests: Vec<Request<usize>> = (0..40)
        .map(|i| {
            let found = packs.find(&format!("deep/{i}")).unwrap();
            let request = if i % 2 == 0 { Request::new(found.asset, i) } else { Request::whole(found, i) };
            Request { tag: 7, deadline: Some(Duration::from_secs(9)), ..request }
        })
        .collect();
    assert_eq!(queue.submit(&mut requests).unwrap(), 40);
    assert!(requests.is_empty());
    let mut seen = HashMap::new();
    while let Some(taken) = queue.wait(Duration::MAX) {
        for one in taken {
            assert!(one.tag == 7 && !one.missed_deadline);
            let content = one.content.unwrap();
            assert!(matches!(content, Content::Buffer(_)) == (one.user % 2 == 1));
            assert_eq!(content[..], noise(one.user, 9_000 + one.user)[..]);
            seen.insert(one.user, ());
        }
    }
    assert_eq!(seen.len(), 40);
    assert!(queue.poll().is_empty());
}

#[test]
fn a_part_goes_into_a_buffer_of_its_length_and_what_is_too_large_for_a_lease_is_refused() {
    let folder = Folder::new("part");
    let packs = Packs::open(&folder.0).unwrap();
    let music = packs.find("music").unwrap();
    let queue = packs.queue(0).unwrap();
    let part = Request { offset_bytes: 2_999_990, buffer: Some(vec![0; 100]), ..Request::new(music.asset, "part") };
    let mut requests = vec![part, Request::new(music.asset, "lease"), Request::whole(music, "whole")];
    queue.submit(&mut requests).unwrap();
    let mut by_name = HashMap::new();
    while let Some(taken) = queue.wait(Duration::MAX) {
        by_name.extend(taken.into_iter().map(|one| (one.user, one.content)));
    }
    let whole = noise(99, 3_000_017);
    assert_eq!(by_name["part"].as_ref().unwrap()[..], whole[2_999_990..]);
    assert_eq!(by_name["lease"].as_ref().unwrap_err().kind(), Kind::Invalid);
    assert!(by_name["whole"].as_ref().unwrap()[..] == whole[..]);
}

#[test]
fn a_full_queue_leaves_the_rest_as_it_was() {
    let folder = Folder::new("full");
    let packs = Packs::open(&folder.0).unwrap();
    let queue: Queue<String> = packs.queue(2).unwrap();
    let found = packs.find("deep/3").unwrap();
    let mut requests: Vec<_> =
        (0..5).map(|i| Request { tag: i, deadline: Some(Duration::from_secs(i)), ..Request::whole(found, i.to_string()) }).collect();
    assert_eq!(queue.submit(&mut requests).unwrap(), 2);
    let left: Vec<_> = requests.iter().map(|one| (one.tag, one.user.clone(), one.deadline)).collect();
    assert_eq!(left, (2..5).map(|i| (i, i.to_string(), Some(Duration::from_secs(i)))).collect::<Vec<_>>());
    assert!(requests.iter().all(|one| one.buffer.as_ref().unwrap().len() == 9_003));
}

#[test]
fn what_is_cancelled_completes_as_cancelled_and_all_else_comes() {
    let folder = Folder::new("cancel");
    let packs = Packs::open(&folder.0).unwrap();
    let queue = packs.queue(4096).unwrap();
    let mut requests: Vec<_> = (0..4000_u64)
        .map(|i| Request { tag: i % 2, ..Request::whole(packs.find(&format!("deep/{}", i % 40)).unwrap(), ()) })
        .collect();
    queue.submit(&mut requests).unwrap();
    assert!(queue.reschedule(0, 1, priority::STREAM, None) <= 2000);
    let cancelled = queue.cancel(1, 1);
    let mut counts = [0, 0];
    while let Some(taken) = queue.wait(Duration::MAX) {
        for one in taken {
            match one.content {
                Ok(_) => counts[0] += 1,
                Err(error) => {
                    assert!(error.kind() == Kind::Cancelled && one.tag == 1);
                    counts[1] += 1;
                }
            }
        }
    }
    assert_eq!(counts, [4000 - cancelled, cancelled]);
}

#[test]
fn a_queue_that_is_dropped_gives_back_what_its_requests_own() {
    let folder = Folder::new("dropped");
    let packs = Packs::open(&folder.0).unwrap();
    let owned = std::sync::Arc::new(());
    let queue = packs.queue(0).unwrap();
    let found = packs.find("deep/1").unwrap();
    queue.submit(&mut (0..100).map(|_| Request::whole(found, owned.clone())).collect()).unwrap();
    drop(queue);
    assert_eq!(std::sync::Arc::strong_count(&owned), 1);
}

#[test]
fn a_function_is_called_for_each_request_before_the_queue_is_gone() {
    let folder = Folder::new("calls");
    let packs = Packs::open(&folder.0).unwrap();
    let (sender, receiver) = mpsc::channel();
    let sender = Mutex::new(sender);
    let on_completion = move |one: Completion<usize>| sender.lock().unwrap().send((one.user, one.content.is_ok())).unwrap();
    let queue = packs.queue_calling(0, on_completion).unwrap();
    let mut requests =
        (0..40).map(|i| Request::new(packs.find(&format!("deep/{i}")).unwrap().asset, i)).collect();
    queue.submit(&mut requests).unwrap();
    let first = receiver.recv().unwrap();
    assert!(first.1);
    drop(queue);
    let mut seen: Vec<usize> = receiver.iter().map(|one| one.0).chain([first.0]).collect();
    seen.sort_unstable();
    assert_eq!(seen, (0..40).collect::<Vec<_>>());
}

#[cfg(unix)]
#[test]
fn an_event_is_the_same_each_time() {
    let folder = Folder::new("event");
    let packs = Packs::open(&folder.0).unwrap();
    let queue: Queue = packs.queue(0).unwrap();
    assert!(queue.event().unwrap() > 0);
    assert_eq!(queue.event().unwrap(), queue.event().unwrap());
}

#[test]
fn a_stream_reads_on_from_any_place() {
    let folder = Folder::new("stream");
    let packs = Packs::open(&folder.0).unwrap();
    let whole = noise(99, 3_000_017);
    let mut stream = packs.stream("music", StreamOptions { bytes_per_second: 1 << 20, ..Default::default() }).unwrap();
    let mut all = Vec::new();
    stream.read_to_end(&mut all).unwrap();
    assert!(all == whole);
    let mut piece = [0; 5];
    for (to, place) in
        [(SeekFrom::Start(7), 7), (SeekFrom::End(-9), 3_000_008), (SeekFrom::Current(-3_000_000), 13)]
    {
        assert_eq!(stream.seek(to).unwrap(), place);
        stream.read_exact(&mut piece).unwrap();
        assert_eq!(piece[..], whole[place as usize..][..5]);
    }
    assert!(stream.seek(SeekFrom::Start(3_000_018)).is_err() && stream.seek(SeekFrom::Current(-99)).is_err());
    assert_eq!(stream.info().size_bytes, 3_000_017);
    let mut part = packs.stream("music", StreamOptions { offset_bytes: 10, length_bytes: 20, ..Default::default() }).unwrap();
    let (mut got, mut now) = (Vec::new(), [0; 7]);
    loop {
        match part.read_now(&mut now).unwrap() {
            Some(0) => break,
            Some(count) => got.extend_from_slice(&now[..count]),
            None => std::thread::yield_now(),
        }
    }
    assert_eq!(got, whole[10..30]);
    assert_eq!(packs.stream("none", StreamOptions::default()).unwrap_err().kind(), Kind::NotFound);
    assert_eq!(packs.stream("music", StreamOptions { ahead_bytes: 1, ..Default::default() }).unwrap_err().kind(), Kind::Invalid);
}

#[test]
fn a_watched_folder_tells_what_changes_in_it() {
    let folder = Folder::new("watched");
    let packs = Packs::new().unwrap();
    let (sender, receiver) = mpsc::channel();
    let sender = Mutex::new(sender);
    let mount = packs.watch(&folder.0, 0, move |change| sender.lock().unwrap().send(change).unwrap()).unwrap();
    if let Err(error) = packs.watched(mount) {
        assert_eq!(error.kind(), Kind::Unsupported); // on systems other than Linux and Windows
        return;
    }
    let next = || receiver.recv_timeout(Duration::from_secs(20)).unwrap();
    let began = Instant::now();
    fs::write(folder.0.join("new"), "one").unwrap();
    let added = loop {
        match next() {
            Change::Added(path, found) if path == "new" => break found,
            other => panic!("{other:?}"),
        }
    };
    println!("told after {:?}", began.elapsed());
    assert_eq!(packs.find("new").unwrap().asset, added.asset);
    fs::write(folder.0.join("deep/1"), "another").unwrap();
    while packs.read("deep/1").map_or(true, |bytes| bytes != b"another") {
        assert!(matches!(next(), Change::Changed(path, _) if path == "deep/1" || path == "new"));
    }
    fs::remove_file(folder.0.join("deep/2")).unwrap();
    while !matches!(next(), Change::Removed(path, _) if path == "deep/2") {}
    assert!(packs.find("deep/2").is_none());
    fs::remove_dir_all(&folder.0).unwrap();
    while !matches!(next(), Change::Unwatched(error) if error.kind() == Kind::NotFound) {}
    assert_eq!(packs.watched(mount).unwrap_err().kind(), Kind::NotFound);
}

#[test]
fn without_threads_what_is_asked_for_comes_by_pumping() {
    let folder = Folder::new("pumped");
    let packs = Packs::open_pumped(&folder.0).unwrap();
    assert_eq!(packs.pump(Duration::ZERO).unwrap(), Pumped::Done);
    let queue = packs.queue(0).unwrap();
    let mut requests =
        (0..40).map(|i| Request::whole(packs.find(&format!("deep/{i}")).unwrap(), i)).collect();
    queue.submit(&mut requests).unwrap();
    std::thread::sleep(Duration::from_millis(20));
    assert!(queue.poll().is_empty());
    while packs.pump(Duration::from_micros(200)).unwrap() == Pumped::Outstanding {}
    let mut done = queue.poll();
    assert_eq!(done.len(), 40);
    done.sort_by_key(|one| one.user);
    assert!(done.iter().all(|one| one.content.as_ref().unwrap()[..] == noise(one.user, 9_000 + one.user)[..]));
    queue.submit(&mut vec![Request::whole(packs.find("music").unwrap(), 0)]).unwrap();
    drop(queue); // without pumping
    assert_eq!(Packs::open(&folder.0).unwrap().pump(Duration::MAX).unwrap_err().kind(), Kind::Invalid);
}

#[test]
fn a_recording_has_what_was_read_of_each_scenario() {
    let folder = Folder::new("recorded");
    // integration/test_adapters.py names a file, and reads that file afterwards.
    let kept = std::env::var_os("SEEKLESS_TEST_TRACE").map(PathBuf::from);
    let trace = kept.clone().unwrap_or_else(|| folder.0.with_extension("trace"));
    let packs = Packs::open(&folder.0).unwrap();
    let recorder = packs.record(&trace, RecorderOptions { scenario: Some("menu"), ..Default::default() }).unwrap();
    assert_eq!(packs.record(&trace, RecorderOptions::default()).unwrap_err().kind(), Kind::Invalid);
    packs.read("deep/7").unwrap();
    recorder.mark(Some("map/one")).unwrap();
    packs.read("deep/8").unwrap();
    assert_eq!(recorder.mark(Some("")).unwrap_err().kind(), Kind::Invalid);
    recorder.mark(None).unwrap();
    assert_eq!(recorder.stop().unwrap(), 0);
    assert!(fs::metadata(&trace).unwrap().len() > 0);
    let trace = folder.0.join("again");
    drop(packs.record(&trace, RecorderOptions::default()).unwrap());
    packs.record(&trace, RecorderOptions::default()).unwrap().stop().unwrap();
    let nowhere = packs.record(folder.0.join("no/trace"), RecorderOptions::default());
    assert_eq!(nowhere.unwrap_err().kind(), Kind::NotFound);
    if kept.is_none() {
        fs::remove_file(folder.0.with_extension("trace")).unwrap();
    }
}

#[test]
fn a_path_is_found_by_a_hash_that_was_made_before() {
    let folder = Folder::new("hashed");
    let packs = Packs::open(&folder.0).unwrap();
    let (there, none) = (packs.hash("deep/1"), packs.hash("deep/none"));
    assert_eq!(packs.find_hashed(&there).unwrap(), packs.find("deep/1"));
    assert_eq!(packs.find_hashed(&none).unwrap(), None);
}

#[test]
fn what_may_go_to_other_threads_may() {
    fn is_send<T: Send>() {}
    fn is_sync<T: Sync>() {}
    is_send::<Queue<String>>();
    is_sync::<Queue<String>>();
    is_send::<Stream>();
    is_sync::<Stream>();
    is_send::<Completion<String>>();
    is_send::<Recorder>();
    is_sync::<Recorder>();
    is_send::<Change>();
    is_sync::<Change>();
}

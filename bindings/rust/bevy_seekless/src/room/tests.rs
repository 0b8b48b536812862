use super::Room;
use futures_lite::future::{block_on, poll_once};
use std::pin::pin;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

fn room(assets: std::ops::Range<u32>) -> Arc<Room<u32>> {
    let room = Room::new(100);
    room.begin();
    room.expect(1, assets);
    Arc::new(room)
}

#[test]
fn what_was_brought_is_taken_once() {
    let room = room(0..2);
    room.bring(1, 0, vec![7; 10]);
    assert_eq!(block_on(room.take(0)), Some(vec![7; 10]));
    assert_eq!(block_on(room.take(0)), None);
    assert_eq!(block_on(room.take(9)), None);
}

#[test]
fn who_waits_gets_what_comes_and_nothing_of_what_does_not() {
    let room = room(0..2);
    let (first, second) = (room.clone(), room.clone());
    let first = thread::spawn(move || block_on(first.take(0)));
    let second = thread::spawn(move || block_on(second.take(1)));
    thread::sleep(Duration::from_millis(20));
    room.bring(1, 0, vec![1]);
    room.end(1, false);
    assert_eq!((first.join().unwrap(), second.join().unwrap()), (Some(vec![1]), None));
}

#[test]
fn nobody_is_answered_before_a_level_has_said_what_it_brings() {
    let room = room(0..0);
    room.begin();
    let mut settled = pin!(room.settled());
    assert!(block_on(poll_once(&mut settled)).is_none());
    room.expect(2, 5..6);
    assert!(block_on(poll_once(&mut settled)).is_some());
    assert!(block_on(poll_once(pin!(room.take(5)))).is_none());
}

#[test]
fn a_full_room_waits_until_something_is_taken() {
    let room = room(0..2);
    room.bring(1, 0, vec![0; 90]);
    let other = room.clone();
    let bringing = thread::spawn(move || other.bring(1, 1, vec![1; 90]));
    thread::sleep(Duration::from_millis(20));
    assert!(!bringing.is_finished());
    assert!(block_on(room.take(0)).is_some());
    bringing.join().unwrap();
    assert_eq!(block_on(room.take(1)), Some(vec![1; 90]));
}

#[test]
fn a_full_room_does_not_keep_whoever_waits_for_what_comes_later() {
    let room = room(0..3);
    room.bring(1, 0, vec![0; 90]);
    let other = room.clone();
    let waiting = thread::spawn(move || block_on(other.take(2)));
    thread::sleep(Duration::from_millis(20));
    room.bring(1, 1, vec![1; 90]); // not kept, and not waited for
    room.bring(1, 2, vec![2; 90]);
    assert_eq!(waiting.join().unwrap(), Some(vec![2; 90]));
    assert_eq!(block_on(room.take(1)), None);
    assert_eq!(block_on(room.take(0)), Some(vec![0; 90]));
}

#[test]
fn more_than_the_room_holds_comes_alone() {
    let room = room(0..1);
    room.bring(1, 0, vec![0; 1000]);
    assert!(block_on(room.take(0)).is_some());
}

#[test]
fn the_end_of_a_level_ends_its_waiting_and_forgets_what_it_brought() {
    let room = room(0..3);
    room.bring(1, 0, vec![0; 90]);
    let other = room.clone();
    let bringing = thread::spawn(move || other.bring(1, 1, vec![1; 90]));
    thread::sleep(Duration::from_millis(20));
    room.end(1, true);
    bringing.join().unwrap();
    assert_eq!((block_on(room.take(0)), block_on(room.take(1))), (None, None));
    assert_eq!(room.lock().held_bytes, 0);
}

#[test]
fn another_level_keeps_what_it_brings() {
    let room = room(0..2);
    room.begin();
    room.expect(2, 1..3);
    room.bring(2, 1, vec![9]); // ignored: level 1 brings asset 1
    room.bring(2, 2, vec![2]);
    room.end(1, true);
    assert_eq!((block_on(room.take(1)), block_on(room.take(2))), (None, Some(vec![2])));
}

//! Holds assets from sweeps until they are requested, and tasks that wait for assets. Sweeps add
//! assets from their threads; Bevy's tasks remove them.
use std::collections::HashMap;
use std::future::poll_fn;
use std::hash::Hash;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

// `Key` identifies an asset.
#[derive(Debug)]
pub(crate) struct Room<Key> {
    limit_bytes: usize,
    state: Mutex<State<Key>>,
    changed: Condvar, // wakes sweeps that wait for room
}

#[derive(Debug)]
struct State<Key> {
    places: HashMap<Key, Place>,
    held_bytes: usize,
    waiting: usize, // expected assets that a task waits for
    unsettled: usize,  // levels that haven't yet announced which assets they will bring
    unsettled_wakers: Vec<Waker>,
}

#[derive(Debug)]
struct Place {
    level: u64,
    content: Content,
}

#[derive(Debug)]
enum Content {
    Coming(Vec<Waker>),
    Here(Vec<u8>),
}

impl<Key: Copy + Eq + Hash> Room<Key> {
    pub fn new(limit_bytes: usize) -> Self {
        let state =
            State { places: HashMap::new(), held_bytes: 0, waiting: 0, unsettled: 0, unsettled_wakers: Vec::new() };
        Self { limit_bytes, state: Mutex::new(state), changed: Condvar::new() }
    }

    // ---- called by Bevy's tasks

    /// Waits until every level has announced which assets it will bring.
    pub async fn settled(&self) {
        poll_fn(|context| {
            let mut state = self.lock();
            if state.unsettled == 0 {
                return Poll::Ready(());
            }
            keep(&mut state.unsettled_wakers, context);
            Poll::Pending
        })
        .await
    }

    /// Returns the bytes once they have arrived, or none if no sweep brings them.
    pub async fn take(&self, asset: Key) -> Option<Vec<u8>> {
        poll_fn(|context| {
            let mut guard = self.lock();
            let state = &mut *guard;
            let Some(place) = state.places.get_mut(&asset) else { return Poll::Ready(None) };
            if let Content::Coming(wakers) = &mut place.content {
                let is_first = wakers.is_empty();
                keep(wakers, context);
                if is_first {
                    state.waiting += 1;
                    self.changed.notify_all();
                }
                return Poll::Pending;
            }
            let bytes = state.remove(asset);
            self.changed.notify_all();
            Poll::Ready(bytes)
        })
        .await
    }

    // ---- called by levels

    pub fn begin(&self) {
        self.lock().unsettled += 1;
    }

    /// Announces the level's assets; call this once after `begin`. Assets that another level
    /// already brings aren't expected twice.
    pub fn expect(&self, level: u64, assets: impl Iterator<Item = Key>) {
        let mut state = self.lock();
        for asset in assets {
            state.places.entry(asset).or_insert_with(|| Place { level, content: Content::Coming(Vec::new()) });
        }
        state.unsettled -= 1;
        if state.unsettled == 0 {
            let wakers = std::mem::take(&mut state.unsettled_wakers);
            wake(wakers, state);
        }
    }

    /// Adds an asset. If there is no room, waits until an asset is removed. But if a task waits for
    /// a later asset, an asset that no task waits for is dropped, and read again on demand.
    pub fn bring(&self, level: u64, asset: Key, bytes: Vec<u8>) {
        let mut state = self.lock();
        loop {
            let has_room = state.held_bytes == 0 || state.held_bytes + bytes.len() <= self.limit_bytes;
            let is_awaited = match state.places.get(&asset) {
                Some(Place { level: of, content: Content::Coming(wakers) }) if *of == level => !wakers.is_empty(),
                _ => return,
            };
            if has_room || is_awaited {
                state.held_bytes += bytes.len();
                state.waiting -= usize::from(is_awaited);
                let before = state.places.insert(asset, Place { level, content: Content::Here(bytes) });
                return match before {
                    Some(Place { content: Content::Coming(wakers), .. }) => wake(wakers, state),
                    _ => unreachable!("it was coming"),
                };
            }
            if state.waiting > 0 {
                state.places.remove(&asset);
                return;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Announces that the level brings nothing more; waiting tasks then read by themselves. If
    /// `all` is true, its stored assets are dropped, too.
    pub fn end(&self, level: u64, all: bool) {
        let mut state = self.lock();
        let mut woken = Vec::new();
        let (mut freed, mut answered) = (0, 0);
        state.places.retain(|_, place| {
            if place.level != level {
                return true;
            }
            match &mut place.content {
                Content::Coming(wakers) => {
                    answered += usize::from(!wakers.is_empty());
                    woken.append(wakers);
                    false
                }
                Content::Here(bytes) if all => {
                    freed += bytes.len();
                    false
                }
                Content::Here(_) => true,
            }
        });
        state.held_bytes -= freed;
        state.waiting -= answered;
        self.changed.notify_all();
        wake(woken, state);
    }

    fn lock(&self) -> MutexGuard<'_, State<Key>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<Key: Copy + Eq + Hash> State<Key> {
    fn remove(&mut self, asset: Key) -> Option<Vec<u8>> {
        match self.places.remove(&asset)?.content {
            Content::Here(bytes) => {
                self.held_bytes -= bytes.len();
                Some(bytes)
            }
            Content::Coming(_) => None,
        }
    }
}

fn keep(wakers: &mut Vec<Waker>, context: &Context<'_>) {
    if !wakers.iter().any(|known| known.will_wake(context.waker())) {
        wakers.push(context.waker().clone());
    }
}

// Releases the lock first, because a woken task may need it.
fn wake<Key>(wakers: Vec<Waker>, state: MutexGuard<'_, State<Key>>) {
    drop(state);
    wakers.into_iter().for_each(Waker::wake);
}

#[cfg(test)]
mod tests;

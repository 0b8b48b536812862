// Shows the games, and asks the server for what a person clicks. Names come from files, so they are
// only ever set as text.
'use strict';

const cards = new Map();  // game's id -> its card
const MOST_CARDS = 500;  // more would take the browser seconds
let games = [];
let jobs = {};
let seen = '';
let isOver = false;

const one = (selector, inside = document) => inside.querySelector(selector);
const say = text => { one('#live').textContent = text; };

async function ask(path) {
  const answer = await fetch(path);
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json();
}

async function tell(path) {
  const answer = await fetch(path, {method: 'POST'});
  const {error} = await answer.json();
  if (error) throw new Error(error);
}

const many = (count, what) => `${count} ${what}${count === 1 ? '' : 's'}`;

const STATES = {
  none: game => `Nothing to gain: ${game.why}.`,
  play: game => `May load faster: ${game.why}.`,
  'lay-out': () => 'Its loads are known. Laying them out makes them faster still.',
  playing: game => `Switched on: ${game.why}.`,
};

function stateOf(game) {
  const parts = [STATES[game.way](game)];
  if (game.needs_program)
    parts.push('Which program starts it isn\'t known here: put it in place of GAME in the command.');
  if (game.is_on) parts.push('Its entry is in your menu.');
  if (game.recordings) parts.push(`${many(game.recordings, 'recorded start')}.`);
  if (game.first_waited_s >= 0.1)
    parts.push(`Its loads waited for the disk for ${game.first_waited_s.toFixed(1)} s at first, ` +
               `${game.last_waited_s.toFixed(1)} s last.`);
  return parts.join(' ');
}

function show(card, game) {
  one('h2', card).textContent = game.name;
  one('.facts', card).textContent =
      [game.from, game.disk, game.size, game.content].join(' · ');
  one('.state', card).textContent = stateOf(game);
  one('.state', card).classList.toggle('good', game.is_on || game.way === 'playing');
  const canGain = game.way !== 'none';
  const button = what => one(`[data-do="${what}"]`, card);
  button('record').hidden = !game.can_start;
  button('pictures').hidden = game.recordings === 0;
  button('switch-on').hidden = !canGain || game.is_on;
  button('switch-on').textContent = !game.can_switch_on && (game.can_start || game.needs_program) ? 'Show the command' : 'Switch on';
  button('lay-out').hidden = game.way !== 'lay-out';
  button('undo').hidden = !game.is_on && !game.kept;
  button('free').hidden = !game.kept;
  button('free').textContent = `Free ${game.kept}`;
  const link = one('a', card);
  link.hidden = !game.has_pictures;
  link.href = `pictures?game=${encodeURIComponent(game.id)}`;
  one('.copy p', card).textContent = `Copy this, and paste it ${game.where}:`;
  one('.copy input', card).value = game.command;
  for (const element of card.querySelectorAll('button, a'))
    element.setAttribute('aria-label', `${element.textContent}: ${game.name}`);
}

function showJob(card, job) {
  const isRunning = job?.state === 'running';
  one('.progress', card).hidden = !isRunning;
  one('.result', card).hidden = !job || isRunning || !job.line;
  for (const button of card.querySelectorAll('.buttons button')) button.disabled = isRunning;
  if (!job) return;
  const what = {record: 'Recording; play until the game has loaded, and quit it',
                pictures: 'Drawing', 'lay-out': 'Laying out', undo: 'Undoing', free: 'Freeing'}[job.what];
  // The last line that a command printed matters while it works, and if it failed.
  const done = {record: 'Recorded.', pictures: 'Drawn.', 'lay-out': 'Laid out.', free: 'Freed.'}[job.what];
  let line = isRunning ? `${what ?? job.what} (${job.seconds} s) ${job.line}` : job.line;
  if (job.state === 'done') line = done ?? job.line;
  one('.line', card).textContent = line;
  one('.result', card).textContent = line;
  one('.result', card).className = `result ${job.state}`;
}

function cardOf(game) {
  if (!cards.has(game.id)) {
    const card = one('#card').content.firstElementChild.cloneNode(true);
    card.dataset.game = game.id;
    cards.set(game.id, card);
  }
  return cards.get(game.id);
}

function draw() {
  const wanted = one('#find').value.toLowerCase();
  const shown = games.filter(game => game.name.toLowerCase().includes(wanted));
  const list = shown.slice(0, MOST_CARDS).map(game => {
    const card = cardOf(game);
    show(card, game);
    showJob(card, jobs[game.id]);
    return card;
  });
  one('#more').hidden = shown.length <= MOST_CARDS;
  one('#more').textContent = `And ${many(shown.length - MOST_CARDS, 'more game')}: type a part of the name above.`;
  // Cards that stay where they are keep the keyboard's place.
  const before = one('#games').children;
  if (list.length === before.length && list.every((card, place) => card === before[place])) return;
  const held = document.activeElement;
  one('#games').replaceChildren(...list);
  if (held?.isConnected) held.focus({preventScroll: true});
}

function verdict(answer) {
  if (answer.is_looking && !games.length) return 'Looking for your games…';
  if (!games.length)
    return 'No games found: there are no files of Steam, Heroic, Lutris, Bottles or GOG here. For a game that lies ' +
           'elsewhere, type in a terminal: seekless play FOLDER -- GAME';
  const gaining = games.filter(game => !['none', 'playing'].includes(game.way)).length;
  return gaining ? `${gaining} of ${many(games.length, 'game')} may load faster.`
                 : `Nothing to do for ${many(games.length, 'game')}.`;
}

async function showGames() {
  const answer = await ask('games');
  games = answer.games;
  one('#verdict').textContent = verdict(answer);
  one('#find').parentElement.hidden = !games.length;
  one('#faults').hidden = !answer.faults.length;
  one('#faults summary').textContent = `${many(answer.faults.length, 'file')} of launchers couldn't be read`;
  one('#faults ul').replaceChildren(...answer.faults.map(text => {
    const item = document.createElement('li');
    item.textContent = text;
    return item;
  }));
  draw();
}

// Asks every second which jobs run, and for the list of games whenever something changed.
async function keepUp() {
  if (isOver) return;
  try {
    const answer = await ask('jobs');
    jobs = answer.jobs;
    const state = `${answer.changes} ${answer.ended} ${answer.is_looking}`;
    if (state !== seen) {
      await showGames();
      seen = state;
    }
    for (const game of games) if (cards.has(game.id)) showJob(cards.get(game.id), jobs[game.id]);
  } catch (error) {
    if (error instanceof TypeError) return over('seekless has ended. To open this page again: seekless ui');
    one('#verdict').textContent = error.message;
  }
  setTimeout(keepUp, 1000);
}

function over(text) {
  isOver = true;
  one('#verdict').textContent = text;
  for (const element of document.querySelectorAll('button, input')) element.disabled = true;
}

function copy(card) {
  const field = one('.copy input', card);
  field.select();
  if (navigator.clipboard) navigator.clipboard.writeText(field.value).catch(() => {});
  say('Copied.');
}

async function act(button) {
  const card = button.closest('.card');
  const game = games.find(each => each.id === card.dataset.game);
  const what = button.dataset.do;
  if (what === 'copy') return copy(card);
  if (what === 'switch-on' && !game.can_switch_on) {
    one('.copy', card).hidden = false;
    one('.copy input', card).focus();
    return copy(card);
  }
  await tell(`do?game=${encodeURIComponent(game.id)}&what=${what}`);
  seen = '';
  jobs = (await ask('jobs')).jobs;
  showJob(card, jobs[game.id]);
}

document.addEventListener('click', async event => {
  const button = event.target.closest('button');
  if (!button) return;
  try {
    if (button.dataset.do) await act(button);
    if (button.id === 'look') await tell('look');
    if (button.id === 'end') {
      await tell('end');
      over('seekless has ended. You can close this page.');
    }
  } catch (error) {
    const result = button.closest('.card') ? one('.result', button.closest('.card')) : one('#verdict');
    result.hidden = false;
    result.classList.add('failed');
    result.textContent = error.message;
    say(error.message);
  }
});
one('#find').addEventListener('input', draw);
keepUp();

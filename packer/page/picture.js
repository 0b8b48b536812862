// The moving parts of the page: unpacks the reads (picture_packs.h has the format), draws them, and
// reacts to mouse, touch and keys. Dots are painted pixel by pixel, which bounds the time of a
// frame by the number of reads, whatever the zoom; axes and labels are SVG.
"use strict";
(() => {
const LEFT = 76, RIGHT = 10, TOP = 20, BOTTOM = 40;  // room around the plot, in pixels
const SMALL = 3, MEDIUM = 5, LARGE = 7;              // sides of dots
const REACH = 12;            // how near to a dot the pointer must be, in pixels
// Least heights of bands with ticks and with names, in pixels.
const LEAST_TICKED = 28, LEAST_NAMED = 8;
const LEAST_SPAN_US = 20;  // the shortest time that can be shown
const LEAST_PLACES = 64;  // the shortest range of places that can be shown, in bytes
const SVG = "http://www.w3.org/2000/svg";

const data = JSON.parse(document.getElementById("data").textContent);
const end = Math.max(data.end * 1.01, LEAST_SPAN_US);  // a dot at the very end shows, too
const hidden = new Uint8Array(8);  // true for each colour that is hidden
const time = {from: 0, to: end};
const views = data.scales.map(() => ({from: 0, to: 1, height: 1}));
let slice = null;    // {from, to} in microseconds
let current = null;  // {panel, index} of the read that is pointed at
let moves = false;
let showsWay = true;
let axis = "disk";  // "disk" if places on the disk are known; otherwise, or when asked for, "files"

// ---- reads ----

function unpack(picture, scale) {
  const text = atob(picture.reads);
  const count = picture.count;
  const reads = {count, start: new Float64Array(count), took: new Float64Array(count),
    offset: new Float64Array(count), length: new Float64Array(count), place: new Float64Array(count),
    file: new Uint32Array(count), thread: new Uint32Array(count), longest: 0};
  const ends = new Float64Array(data.files.length);
  let at = 0, start = 0, file = 0, thread = 0, length = 0;
  const number = () => {
    let value = 0, unit = 1, byte;
    do {
      byte = text.charCodeAt(at++);
      value += (byte & 127) * unit;
      unit *= 128;
    } while (byte > 127);
    return value;
  };
  for (let i = 0; i < count; ++i) {
    const flags = text.charCodeAt(at++);
    start += number();
    if (flags & 1) file = number();
    if (flags & 2) thread = number();
    const jump = flags & 4 ? number() : 0;
    if (flags & 16) length = number();
    const took = flags & 32 ? number() : -1;
    const offset = flags & 8 ? ends[file] - jump : ends[file] + jump;
    ends[file] = offset + length;
    reads.start[i] = start;
    reads.took[i] = took;
    reads.offset[i] = offset;
    reads.length[i] = length;
    reads.file[i] = file;
    reads.thread[i] = thread;
    if (took > reads.longest) reads.longest = took;
  }
  return reads;
}

const isOnDisk = (scale) => axis === "disk" && Boolean(scale.disk);
const bandsOf = (scale) => isOnDisk(scale) ? scale.disk.bands : scale.bands;
const heightOf = (scale) => isOnDisk(scale) ? scale.disk.height : scale.height;

// Puts the reads on the axis that is shown.
function putReads({reads, scale}) {
  const placeOf = scale.drive ? drivePlace(scale.bands) : isOnDisk(scale) ? diskPlace(scale) : filePlace(scale);
  for (let i = 0; i < reads.count; ++i) reads.place[i] = placeOf(reads.file[i], reads.offset[i]);
}

function filePlace(scale) {
  const bases = new Float64Array(data.files.length);
  for (const [, , base, file] of scale.bands) bases[file] = base;
  return (file, offset) => bases[file] + offset;
}

// Returns the last of `count` that begins at `offset` or before.
function lastFrom(count, beginOf, offset) {
  let low = 0, high = count - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (beginOf(middle) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}

function drivePlace(bands) {
  return (file, offset) => {
    const band = bands[lastFrom(bands.length, (i) => bands[i][0], offset)];
    return band[2] + offset - band[0];
  };
}

// Returns the place on the disk of a byte of a file.
function placeOnDisk(file, offset) {
  const pieces = data.files[file][2] || [];
  if (!pieces.length) return 0;
  const at = 3 * lastFrom(pieces.length / 3, (i) => pieces[3 * i], offset);
  return pieces[at + 1] + Math.max(0, Math.min(offset - pieces[at], pieces[at + 2] - 1));
}

function diskPlace(scale) {
  const place = drivePlace(scale.disk.bands);
  return (file, offset) => place(file, placeOnDisk(file, offset));
}

// Returns the archive's entry at an offset; "" if none is known.
function assetAt(file, offset) {
  const assets = data.files[file][3] || [];
  if (!assets.length) return "";
  const [begin, length, name] = assets[lastFrom(assets.length, (i) => assets[i][0], offset)];
  return offset >= begin && offset < begin + Math.max(1, length) ? name : "";
}

const isShown = (file) => !hidden[data.files[file][1]];

// Returns the first read that starts at `from` or later.
function firstFrom(reads, from) {
  let low = 0, high = reads.count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (reads.start[middle] < from) low = middle + 1;
    else high = middle;
  }
  return low;
}

function figuresOf(panel, from, to) {
  const {reads, scale} = panel;
  const seen = new Uint8Array(data.files.length);
  const lengths = [];
  const figures = {reads: 0, bytes: 0, files: 0, jumps: 0, backwards: 0, median: 0};
  let before = -1;
  for (let i = firstFrom(reads, from); i < reads.count && reads.start[i] < to; ++i) {
    const file = reads.file[i];
    if (!isShown(file)) continue;
    ++figures.reads;
    figures.bytes += reads.length[i];
    lengths.push(reads.length[i]);
    if (!seen[file]) ++figures.files;
    seen[file] = 1;
    if (before >= 0) {
      const stop = reads.offset[before] + reads.length[before];
      const comparable = scale.drive || reads.file[before] === file;
      if (!comparable || reads.offset[i] !== stop) ++figures.jumps;
      if (comparable && reads.offset[i] < stop) ++figures.backwards;
    }
    before = i;
  }
  if (lengths.length) figures.median = Float64Array.from(lengths).sort()[(lengths.length - 1) >> 1];
  return figures;
}

// ---- words ----

const grouped = (number) => String(number).replace(/\B(?=(\d{3})+(?!\d))/g, ",");

function timeUnit(us) {
  return us >= 2e6 ? ["s", 1e6] : us >= 2e3 ? ["ms", 1e3] : ["\u00b5s", 1];
}

function byteUnit(bytes) {
  const units = [["PB", 1e15], ["TB", 1e12], ["GB", 1e9], ["MB", 1e6], ["kB", 1e3]];
  return units.find(([, size]) => bytes >= size) || ["B", 1];
}

// Returns as many decimals as steps of this length need.
const decimals = (step) => Math.min(9, Math.max(0, -Math.floor(Math.log10(step) + 1e-9)));

function fixed(value, digits) {
  const [whole, rest] = value.toFixed(digits).split(".");
  return grouped(whole) + (rest ? "." + rest : "");
}

const bytesText = (bytes) => {
  const [unit, size] = byteUnit(bytes);
  return size === 1 ? bytes + " B" : `${(bytes / size).toPrecision(3)} ${unit} (${grouped(bytes)} B)`;
};
const timeText = (us) => `${fixed(us / 1e6, 6)} s`;

function tookText(us) {
  if (us < 0) return "unknown";
  const [unit, size] = timeUnit(us);
  return `${fixed(us / size, size === 1 ? 0 : 3)} ${unit}`;
}

function describe({panel, index}) {
  const {reads} = panel;
  const file = reads.file[index], offset = reads.offset[index];
  const asset = assetAt(file, offset);
  const place = isOnDisk(panel.scale) ? `\non the disk at ${bytesText(placeOnDisk(file, offset))}` : "";
  return `${asset ? asset + "\nin " : ""}${data.files[file][0]}\noffset ${bytesText(offset)}${place}\n` +
    `length ${bytesText(reads.length[index])}\nat ${timeText(reads.start[index])}, ` +
    `took ${tookText(reads.took[index])}\nthread ${reads.thread[index]}, ` +
    `read ${grouped(index + 1)} of ${grouped(reads.count)}`;
}

// Shortens a text that is too long and keeps its end, where names differ.
function cut(text, most) {
  const characters = Array.from(text);
  return characters.length <= most ? text : "\u2026" + characters.slice(-most).join("");
}

const lastPart = (name) => name.slice(name.search(/[^/\\]*[/\\]?$/));

// Returns 1, 2 or 5 times a power of ten.
function stepFor(least) {
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map((times) => times * power).find((step) => step >= least * 0.999) || 10 * power;
}

// Steps are counted, because adding a small step to a great number may not change it.
function ticks(from, to, step) {
  const all = [];
  for (let i = Math.ceil(from / step); all.length < 100 && i * step <= to; ++i) all.push(i * step);
  return all;
}

// ---- drawing ----

function element(parent, name, attributes, text) {
  const made = document.createElementNS(SVG, name);
  for (const key in attributes) made.setAttribute(key, attributes[key]);
  if (text !== undefined) made.textContent = text;
  parent.append(made);
  return made;
}

// Words and the room that they have, until fitWords() handles them.
const words = [];
function write(parent, attributes, text, room) {
  words.push([element(parent, "text", attributes, text), room]);
}

// Draws wide fonts narrower if there isn't enough room.
function fitWords() {
  // All at once, because each change lays out anew.
  const lengths = words.map(([made]) => made.getComputedTextLength());
  words.forEach(([made, room], i) => {
    if (lengths[i] <= room) return;
    made.setAttribute("textLength", Math.max(1, room));
    made.setAttribute("lengthAdjust", "spacingAndGlyphs");
  });
  words.length = 0;
}

function makePanel(frame) {
  const picture = data.pictures[frame.dataset.picture];
  const scale = data.scales[picture.scale];
  const panel = {frame, picture, scale, view: views[picture.scale], reads: unpack(picture, scale),
    below: document.createElementNS(SVG, "svg"), canvas: document.createElement("canvas"),
    above: document.createElementNS(SVG, "svg"), tip: document.createElement("div")};
  panel.first = new Map();  // the first read of each file
  for (let i = panel.reads.count - 1; i >= 0; --i) panel.first.set(panel.reads.file[i], i);
  putReads(panel);
  panel.below.setAttribute("aria-hidden", "true");
  panel.above.setAttribute("aria-hidden", "true");
  panel.tip.className = "tip";
  panel.tip.hidden = true;
  panel.canvas.style.left = LEFT + "px";
  panel.canvas.style.top = TOP + "px";
  // The processor makes the pixels, so the canvas belongs in its memory.
  panel.context = panel.canvas.getContext("2d", {willReadFrequently: true});
  frame.append(panel.below, panel.canvas, panel.above, panel.tip);
  frame.hidden = false;
  return panel;
}

function measure(panel) {
  panel.width = Math.max(40, panel.frame.clientWidth - LEFT - RIGHT);
  panel.height = Math.max(40, panel.frame.clientHeight - TOP - BOTTOM);
  panel.density = Math.min(3, window.devicePixelRatio || 1);
  const width = Math.round(panel.width * panel.density);
  const height = Math.round(panel.height * panel.density);
  if (panel.canvas.width !== width || panel.canvas.height !== height || !panel.image) {
    panel.canvas.width = width;
    panel.canvas.height = height;
    panel.canvas.style.width = panel.width + "px";
    panel.canvas.style.height = panel.height + "px";
    panel.image = panel.context.createImageData(width, height);
    panel.pixels = new Uint32Array(panel.image.data.buffer);
  }
}

const xOf = (panel, us) => (us - time.from) / (time.to - time.from) * panel.width;
const yOf = (panel, place) =>
  panel.height - (place - panel.view.from) / (panel.view.to - panel.view.from) * panel.height;
const timeAt = (panel, x) => time.from + x / panel.width * (time.to - time.from);
const placeAt = (panel, y) =>
  panel.view.from + (panel.height - y) / panel.height * (panel.view.to - panel.view.from);

function palette() {
  const style = getComputedStyle(document.documentElement);
  const colours = [];
  for (let i = 0; i < 8; ++i) {
    const value = parseInt(style.getPropertyValue(`--dot-${i}`).trim().slice(1), 16);
    colours.push((0xff000000 | (value & 255) << 16 | value & 0xff00 | value >> 16) >>> 0);
  }
  return {colours, way: style.getPropertyValue("--way").trim()};
}

// Computes the rectangle of each visible read, in pixels of `density` to the page's, and calls
// `use` for it.
function eachDot(panel, density, use) {
  const {reads, view} = panel;
  const width = panel.width * density, height = panel.height * density;
  const perUs = width / (time.to - time.from), perByte = height / (view.to - view.from);
  const margin = LARGE * density;
  const first = firstFrom(reads, time.from - reads.longest - margin / perUs);
  for (let i = first; i < reads.count; ++i) {
    const x = (reads.start[i] - time.from) * perUs;
    if (x > width) break;
    const file = reads.file[i];
    if (!isShown(file)) continue;
    const length = reads.length[i];
    const side = density * (length < 65536 ? SMALL : length < 1048576 ? MEDIUM : LARGE);
    const wide = Math.max(side, reads.took[i] * perUs);
    if (x + wide < 0) continue;
    const drawn = length * perByte;
    const bottom = height - (reads.place[i] - view.from) * perByte;
    const high = Math.max(side, drawn);
    const top = bottom - (drawn + high) / 2;
    if (top > height || top + high < 0) continue;
    use(i, x, top, wide, high, file);
  }
}

function drawDots(panel, colours) {
  const {pixels, canvas} = panel;
  const columns = canvas.width, rows = canvas.height;
  pixels.fill(0);
  let lastLeft = -1, lastTop = -1, lastRight = -1, lastBottom = -1, lastColour = 0;
  eachDot(panel, panel.density, (i, x, y, wide, high, file) => {
    const left = Math.max(0, Math.round(x)), right = Math.min(columns, Math.round(x + wide));
    const top = Math.max(0, Math.round(y)), bottom = Math.min(rows, Math.round(y + high));
    const colour = colours[data.files[file][1]];
    if (left === lastLeft && top === lastTop && right === lastRight && bottom === lastBottom &&
        colour === lastColour) return;
    for (let row = top * columns; row < bottom * columns; row += columns)
      for (let at = row + left; at < row + right; ++at) pixels[at] = colour;
    lastLeft = left; lastTop = top; lastRight = right; lastBottom = bottom; lastColour = colour;
  });
  panel.context.putImageData(panel.image, 0, 0);
}

// Draws lines from the end of each read to the start of the next. Time only grows, so at most one
// line leads from a column to a later one. All other lines of a column become one upright line.
function drawWay(panel, colour) {
  const {reads, context} = panel;
  const density = panel.density, columns = panel.canvas.width;
  const first = Math.max(0, firstFrom(reads, time.from) - 1);
  const last = Math.min(reads.count, firstFrom(reads, time.to) + 1);
  context.globalCompositeOperation = "destination-over";
  context.strokeStyle = colour;
  context.lineWidth = Math.max(1, density * 0.75);
  context.beginPath();
  let lastX = 0, lastY = 0, low = 0, high = 0, any = false;
  const flush = () => {
    if (any && high - low > 1) { context.moveTo(lastX, low); context.lineTo(lastX, high); }
  };
  const limit = (y) => Math.min(2 * panel.canvas.height, Math.max(-panel.canvas.height, y));
  for (let i = first; i < last; ++i) {
    if (!isShown(reads.file[i])) continue;
    const x = Math.min(columns + 9, Math.max(-9, Math.round(xOf(panel, reads.start[i]) * density))) + 0.5;
    const y = limit(yOf(panel, reads.place[i]) * density);
    if (!any || x !== lastX) {
      flush();
      if (any) { context.moveTo(lastX, lastY); context.lineTo(x, y); }
      low = high = y;
    }
    const stop = limit(yOf(panel, reads.place[i] + reads.length[i]) * density);
    low = Math.min(low, y, stop);
    high = Math.max(high, y, stop);
    lastX = x; lastY = stop; any = true;
  }
  flush();
  context.stroke();
  context.globalCompositeOperation = "source-over";
}

function drawTimes(panel) {
  const {below, width, height} = panel;
  const step = stepFor((time.to - time.from) / Math.max(2, width / 80));
  const [unit, size] = timeUnit(time.to);
  const digits = decimals(step / size);
  for (const at of ticks(time.from, time.to, step)) {
    const x = LEFT + xOf(panel, at);
    element(below, "path", {class: "grid", d: `M${x} ${TOP}v${height}`});
    const edge = Math.min(x, panel.frame.clientWidth - x);
    write(below, {x, y: TOP + height + 16, "text-anchor": "middle"}, fixed(at / size, digits), Math.min(70, 2 * edge));
  }
  const name = {s: "seconds", ms: "milliseconds"}[unit] || "microseconds";
  element(below, "text", {x: LEFT + width, y: TOP + height + 33, "text-anchor": "end"}, name);
}

// Writes a text at the left of the plot.
function writeBeside(panel, y, text) {
  write(panel.below, {x: LEFT - 6, y, "text-anchor": "end"}, text, LEFT - 8);
}

// Writes where a band begins on the disk, if the band is too low for ticks.
function drawBandPlace(panel, place, y, taken) {
  taken.y = y;
  const [unit, size] = byteUnit(place);
  writeBeside(panel, y + 4, `${fixed(place / size, size === 1 ? 0 : 3)} ${unit}`);
}

// Draws ticks within a band: offsets in its file, or places of the drive.
function drawBandTicks(panel, band, from, to, taken) {
  const [first, , base] = band;
  const perPixel = (panel.view.to - panel.view.from) / panel.height;
  const step = stepFor(Math.max(1, 44 * perPixel));
  const [unit, size] = byteUnit(Math.max(step, first + to - base));
  const digits = decimals(step / size);
  for (const at of ticks(first + from - base, first + to - base, step)) {
    const y = TOP + yOf(panel, base + at - first);
    if (Math.abs(y - taken.y) < 14) continue;
    taken.y = y;
    element(panel.below, "path", {class: "grid", d: `M${LEFT} ${y}h${panel.width}`});
    writeBeside(panel, y + 4, at === 0 ? "0" : `${fixed(at / size, digits)} ${unit}`);
  }
}

// Draws a name at a height, on its own background.
function drawName(panel, y, file) {
  write(panel.above, {class: "name", x: LEFT + 5, y: Math.max(y, TOP + 12)},
    cut(lastPart(data.files[file][0]), Math.max(8, Math.floor(panel.width / 9))), panel.width - 10);
}

// Draws the names of files with their own colour at their places on the disk.
function drawNamesOnDisk(panel) {
  const heights = [], owners = new Uint32Array(8);
  for (const [, colour] of data.files) ++owners[colour];
  data.files.forEach(([, colour, pieces], file) => {
    if (colour >= 7 || owners[colour] > 1 || hidden[colour] || !pieces || !panel.first.has(file)) return;
    const place = panel.reads.place[panel.first.get(file)];
    if (place >= panel.view.from && place <= panel.view.to) heights.push([TOP + yOf(panel, place), file]);
  });
  let last = Infinity;
  for (const [y, file] of heights.sort((a, b) => b[0] - a[0])) {
    if (last - y < 15) continue;
    last = y;
    drawName(panel, y - 3, file);
  }
}

function drawAxisName(panel) {
  const name = panel.scale.drive || isOnDisk(panel.scale) ? "on the disk" : "in the file";
  writeBeside(panel, TOP - 7, name);
}

function drawBands(panel) {
  const {scale, view, width} = panel;
  const bands = bandsOf(scale), isDisk = scale.drive || isOnDisk(scale);
  const taken = {y: Infinity}, named = {y: Infinity};
  let low = 0, high = bands.length;  // the first band that reaches into the view
  while (low < high) {
    const middle = (low + high) >> 1;
    if (bands[middle][2] + bands[middle][1] < view.from) low = middle + 1;
    else high = middle;
  }
  let lastBottom = Infinity;
  for (let i = low; i < bands.length && bands[i][2] <= view.to; ++i) {
    const band = bands[i];
    const from = Math.max(view.from, band[2]), to = Math.min(view.to, band[2] + band[1]);
    const top = TOP + yOf(panel, to), bottom = TOP + yOf(panel, from);
    // Skips thousands of bands in one pixel.
    if (lastBottom - top < 0.5 && bottom - top < 0.5) continue;
    lastBottom = top;
    element(panel.below, "rect", {class: "band", x: LEFT, y: top, width, height: Math.max(0.5, bottom - top)});
    if (bottom - top >= LEAST_TICKED) drawBandTicks(panel, band, from, to, taken);
    else if (isDisk && Math.abs(bottom - taken.y) > 18) drawBandPlace(panel, band[0], bottom, taken);
    if (isDisk || named.y - top < 15) continue;
    // If there are hundreds of files, only those with their own colour show their names.
    if (bottom - top < LEAST_NAMED && data.files[band[3]][1] >= 7) continue;
    named.y = top;
    drawName(panel, top - 3, band[3]);
  }
  if (isOnDisk(scale)) drawNamesOnDisk(panel);
  drawAxisName(panel);
}

function drawMarks(panel) {
  let last = -Infinity;
  for (const [at, name, begins] of panel.picture.marks) {
    const x = LEFT + xOf(panel, at);
    if (x < LEFT || x > LEFT + panel.width) continue;
    element(panel.above, "path", {class: "mark", d: `M${x} ${TOP - 4}v${panel.height + 4}`});
    if (x - last < 60) continue;
    last = x;
    const is_right = x > LEFT + panel.width * 0.8;
    element(panel.above, "text", {x: x + (is_right ? -3 : 3), y: TOP - 7, "text-anchor": is_right ? "end" : "start"},
      (begins ? "\u25b6 " : "\u25a0 ") + cut(name, 30));
  }
}

function drawAbove(panel) {
  const {above, width, height} = panel;
  if (slice) {
    const from = Math.max(0, xOf(panel, slice.from)), to = Math.min(width, xOf(panel, slice.to));
    if (to >= from) element(above, "rect", {class: "slice", x: LEFT + from, y: TOP, width: Math.max(1, to - from), height});
  }
  panel.tip.hidden = !current || current.panel !== panel;
  if (panel.tip.hidden) return;
  const {reads} = panel, i = current.index;
  const x = LEFT + xOf(panel, reads.start[i]), y = TOP + yOf(panel, reads.place[i] + reads.length[i] / 2);
  if (x < LEFT - 1 || x > LEFT + width + 1 || y < TOP - 1 || y > TOP + height + 1) {
    panel.tip.hidden = true;
    return;
  }
  element(above, "circle", {class: "ring", cx: x, cy: y, r: 7});
  panel.tip.textContent = describe(current);
  const box = panel.tip;
  box.style.left = x + 14 + box.offsetWidth > LEFT + width ? Math.max(0, x - 14 - box.offsetWidth) + "px" : x + 14 + "px";
  box.style.top = Math.min(y + 12, Math.max(0, TOP + height - box.offsetHeight)) + "px";
}

function drawAll() {
  const {colours, way} = palette();
  for (const panel of panels) {
    measure(panel);
    panel.below.replaceChildren();
    panel.above.replaceChildren();
    drawBands(panel);
    drawTimes(panel);
    element(panel.below, "rect", {class: "plot", x: LEFT, y: TOP, width: panel.width, height: panel.height});
    drawDots(panel, colours);
    if (showsWay) drawWay(panel, way);
    drawMarks(panel);
    drawAbove(panel);
  }
  fitWords();
}

// Changes only the parts above the dots.
function drawPointed() {
  for (const panel of panels) {
    for (const old of panel.above.querySelectorAll(".slice,.ring")) old.remove();
    drawAbove(panel);
  }
}

let waiting = 0;  // 0: nothing to draw, 1: the parts above the dots, 2: everything
function request(what) {
  if (!waiting) requestAnimationFrame(() => {
    const todo = waiting;
    waiting = 0;
    if (todo === 2) drawAll(); else drawPointed();
    if (sliceChanged) showFigures();
  });
  waiting = Math.max(waiting, what);
}

let sliceChanged = false;
function showFigures() {
  sliceChanged = false;
  const title = document.getElementById("slice-title");
  title.textContent = slice ? `Slice from ${timeText(slice.from)} to ${timeText(slice.to)}` : "All of it";
  const rows = document.querySelectorAll("#slice tbody tr");
  panels.forEach((panel, i) => {
    const figures = figuresOf(panel, slice ? slice.from : 0, slice ? slice.to : Infinity);
    const seconds = (slice ? slice.to - slice.from : panel.picture.end) / 1e6;
    const rate = seconds > 0 ? fixed(figures.bytes / 1e6 / seconds, 2) : "";
    [figures.reads, figures.bytes, figures.files, figures.jumps, figures.backwards, rate, figures.median]
      .forEach((value, column) => {
        rows[i].cells[column + 1].textContent = typeof value === "number" ? grouped(value) : value;
      });
  });
}

// ---- looking around ----

function limitRange(range, from, to, least, most) {
  const span = Math.min(most, Math.max(least, to - from));
  const middle = (from + to) / 2;
  range.from = Math.min(most - span, Math.max(0, middle - span / 2));
  range.to = range.from + span;
}

function zoomTime(factor, at) {
  const from = at - (at - time.from) * factor, to = at + (time.to - at) * factor;
  if (factor < 1 && to - from < LEAST_SPAN_US) return;
  limitRange(time, from, to, LEAST_SPAN_US, end);
  request(2);
}

function zoomPlaces(view, factor, at) {
  const from = at - (at - view.from) * factor, to = at + (view.to - at) * factor;
  if (factor < 1 && to - from < LEAST_PLACES) return;
  limitRange(view, from, to, LEAST_PLACES, Math.max(view.height, LEAST_PLACES));
  request(2);
}

function pan(panel, dx, dy) {
  const us = dx / panel.width * (time.to - time.from);
  const bytes = dy / panel.height * (panel.view.to - panel.view.from);
  limitRange(time, time.from + us, time.to + us, LEAST_SPAN_US, end);
  limitRange(panel.view, panel.view.from + bytes, panel.view.to + bytes, 0, Math.max(panel.view.height, LEAST_PLACES));
  request(2);
}

function showAllPlaces() {
  views.forEach((view, i) => {
    view.height = heightOf(data.scales[i]);
    view.from = 0;
    view.to = view.height;
  });
}

function showAxis(name) {
  axis = name;
  panels.forEach(putReads);
  showAllPlaces();
  request(2);
}

function showAll() {
  limitRange(time, 0, end, LEAST_SPAN_US, end);
  for (const view of views) limitRange(view, 0, view.height, 0, view.height);
  request(2);
}

function setSlice(from, to) {
  slice = to > from ? {from: Math.max(0, Math.round(from)), to: Math.min(Math.round(to), Math.ceil(end))} : null;
  sliceChanged = true;
  request(1);
}

function zoomToSlice() {
  if (!slice) return;
  limitRange(time, slice.from, slice.to, LEAST_SPAN_US, end);
  request(2);
}

function point(found) {
  if (found === current || found && current && found.panel === current.panel && found.index === current.index) return;
  current = found;
  request(1);
}

function nearest(panel, x, y) {
  let best = -1, least = REACH;
  eachDot(panel, 1, (i, left, top, wide, high) => {
    const dx = Math.max(left - x, 0, x - left - wide), dy = Math.max(top - y, 0, y - top - high);
    if (dx + dy < least || dx + dy === least && best >= 0) { least = dx + dy; best = i; }
  });
  return best < 0 ? null : {panel, index: best};
}

// Goes to the next visible read, for keys, and brings it into view.
function stepRead(panel, by) {
  const {reads, view} = panel;
  let i = current && current.panel === panel ? current.index + by : firstFrom(reads, time.from);
  while (i >= 0 && i < reads.count && !isShown(reads.file[i])) i += by;
  if (i < 0 || i >= reads.count) return;
  point({panel, index: i});
  const at = reads.start[i], place = reads.place[i] + reads.length[i] / 2;
  const span = time.to - time.from, places = view.to - view.from;
  if (at < time.from || at > time.to) limitRange(time, at - span / 2, at + span / 2, LEAST_SPAN_US, end);
  if (place < view.from || place > view.to) limitRange(view, place - places / 2, place + places / 2, 0, view.height);
  request(2);
  document.getElementById("read").textContent = describe(current);
}

function listen(panel) {
  const {frame} = panel;
  const pointers = new Map();
  let drag = null;
  const local = (event) => {
    const box = frame.getBoundingClientRect();
    return {x: event.clientX - box.left - LEFT, y: event.clientY - box.top - TOP};
  };
  frame.addEventListener("wheel", (event) => {
    const {x, y} = local(event);
    const factor = Math.exp(Math.max(-200, Math.min(200, event.deltaY || event.deltaX)) * (event.deltaMode ? 0.05 : 0.002));
    const isWhole = time.from <= 0 && time.to >= end;
    if (event.shiftKey) zoomPlaces(panel.view, factor, placeAt(panel, y));
    else if (factor > 1 && isWhole) return;  // nothing to zoom out of, so the page may scroll
    else zoomTime(factor, timeAt(panel, x));
    event.preventDefault();
  }, {passive: false});
  frame.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    const at = local(event);
    pointers.set(event.pointerId, at);
    frame.setPointerCapture(event.pointerId);
    drag = {start: at, at, from: timeAt(panel, Math.max(0, at.x)), moves: moves || event.shiftKey, far: false};
  });
  frame.addEventListener("pointermove", (event) => {
    const at = local(event);
    if (!pointers.has(event.pointerId)) {
      if (event.pointerType !== "touch") point(nearest(panel, at.x, at.y));
      return;
    }
    if (pointers.size === 2) {
      const spread = () => {
        const [a, b] = [...pointers.values()];
        return {x: (a.x + b.x) / 2, d: Math.max(8, Math.hypot(a.x - b.x, a.y - b.y))};
      };
      const before = spread();
      pointers.set(event.pointerId, at);
      const after = spread();
      zoomTime(before.d / after.d, timeAt(panel, after.x));
      pan(panel, before.x - after.x, 0);
      drag = null;
      return;
    }
    pointers.set(event.pointerId, at);
    if (!drag) return;
    drag.far = drag.far || Math.abs(at.x - drag.start.x) + Math.abs(at.y - drag.start.y) > 4;
    if (drag.moves) pan(panel, drag.at.x - at.x, at.y - drag.at.y);
    else if (drag.far) {
      const to = timeAt(panel, Math.min(panel.width, Math.max(0, at.x)));
      setSlice(Math.min(drag.from, to), Math.max(drag.from, to));
      point(null);
    }
    drag.at = at;
  });
  const release = (event) => {
    if (event.type === "pointerup" && drag && !drag.far) {
      const found = nearest(panel, drag.at.x, drag.at.y);
      point(found);
      if (!found) setSlice(0, 0);
    }
    pointers.delete(event.pointerId);
    drag = null;
  };
  frame.addEventListener("pointerup", release);
  frame.addEventListener("pointercancel", release);
  frame.addEventListener("pointerleave", () => point(null));
  frame.addEventListener("dblclick", showAll);
  frame.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const middle = (time.from + time.to) / 2;
    const pointed = current && current.panel === panel ? panel.reads.start[current.index] : null;
    const height = pointed === null ? (panel.view.from + panel.view.to) / 2
      : panel.reads.place[current.index] + panel.reads.length[current.index] / 2;
    const actions = {
      ArrowLeft: () => pan(panel, -panel.width / 8, 0), ArrowRight: () => pan(panel, panel.width / 8, 0),
      ArrowUp: () => pan(panel, 0, panel.height / 8), ArrowDown: () => pan(panel, 0, -panel.height / 8),
      "+": () => zoomTime(0.5, pointed ?? middle), "=": () => zoomTime(0.5, pointed ?? middle),
      "-": () => zoomTime(2, pointed ?? middle),
      PageUp: () => zoomPlaces(panel.view, 0.5, height), PageDown: () => zoomPlaces(panel.view, 2, height),
      0: showAll, Home: showAll, n: () => stepRead(panel, 1), p: () => stepRead(panel, -1),
      "[": () => pointed !== null && setSlice(pointed, slice && slice.to > pointed ? slice.to : end),
      "]": () => pointed !== null && setSlice(slice && slice.from <= pointed ? slice.from : 0, pointed + 1),
      Enter: zoomToSlice, Escape: () => { setSlice(0, 0); point(null); },
    };
    const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!action) return;
    action();
    event.preventDefault();
  });
}

function listenToControls() {
  const middle = () => (time.from + time.to) / 2;
  const zoomAll = (factor) => views.forEach((view) => zoomPlaces(view, factor, (view.from + view.to) / 2));
  const actions = {in: () => zoomTime(0.5, middle()), out: () => zoomTime(2, middle()),
    taller: () => zoomAll(0.5), lower: () => zoomAll(2), slice: zoomToSlice,
    clear: () => setSlice(0, 0), all: showAll};
  for (const button of document.querySelectorAll("button[data-do]"))
    button.addEventListener("click", actions[button.dataset.do]);
  for (const box of document.querySelectorAll("input[data-colour]")) {
    box.addEventListener("change", () => {
      hidden[box.dataset.colour] = box.checked ? 0 : 1;
      current = null;
      sliceChanged = true;
      request(2);
    });
  }
  document.getElementById("way").addEventListener("change", (event) => {
    showsWay = event.target.checked;
    request(2);
  });
  const places = document.getElementById("places");
  if (places) {
    places.value = axis;  // a reload would keep another value
    places.addEventListener("change", () => showAxis(places.value));
  }
  document.getElementById("moves").addEventListener("change", (event) => {
    moves = event.target.checked;
    for (const panel of panels) panel.frame.classList.toggle("moves", moves);
  });
}

// Prepares the picture for paper: light colours, and the width of an A4 page without its margins.
// It is drawn before the browser applies the style of paper, so its size can't come from there.
function listenToPrinter() {
  const asPaper = (isPaper) => {
    document.documentElement.classList.toggle("printing", isPaper);
    for (const {frame} of panels) {
      frame.style.width = isPaper ? "680px" : "";
      frame.style.height = isPaper ? (panels.length > 1 ? "290px" : "400px") : "";
    }
    drawAll();
  };
  window.addEventListener("beforeprint", () => asPaper(true));
  window.addEventListener("afterprint", () => asPaper(false));
}

// A reload would keep the ticks of the boxes, but not their effect.
for (const box of document.querySelectorAll("input[type=checkbox]")) box.checked = box.defaultChecked;
for (const part of document.querySelectorAll(".controls,.keys,#read")) part.hidden = false;
const panels = Array.from(document.querySelectorAll(".frame"), makePanel);
showAllPlaces();
panels.forEach(listen);
listenToControls();
listenToPrinter();
const redraw = () => request(2);
window.addEventListener("resize", redraw);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
drawAll();
performance.mark("drawn");
})();

'use strict';
(() => {
const data = JSON.parse(document.getElementById('data').textContent);
const root = document.documentElement;

// element makes an element; text is never markup.
function element(tag, className, text) {
  const e = document.createElement(tag);
  if (className) e.className = className;
  if (text !== undefined) e.textContent = text;
  return e;
}

const css = name => getComputedStyle(root).getPropertyValue(name).trim();

// Colours from nothing to most, on light and on dark ground; each step is darker (lighter) than the one before.
const ramps = [
  [[247, 247, 245], [255, 228, 168], [253, 174, 97], [227, 74, 51], [153, 0, 13], [69, 0, 27]],
  [[29, 32, 38], [74, 20, 90], [156, 30, 96], [224, 77, 54], [250, 163, 38], [252, 250, 190]],
];

function heatColour(x, ramp) {
  const at = Math.min(Math.max(x, 0), 1) * (ramp.length - 1), i = Math.min(Math.floor(at), ramp.length - 2), f = at - i;
  return 'rgb(' + ramp[i].map((c, k) => Math.round(c + (ramp[i + 1][k] - c) * f)).join(',') + ')';
}

// An amount is a number, [low, high], or null: not known. Those over 2^53 are strings.
const low = v => v === null ? 0 : Number(Array.isArray(v) ? v[0] : v);
const high = v => v === null ? 0 : Number(Array.isArray(v) ? v[1] : v);

const grouped = digits => digits.replace(/\B(?=(\d{3})+$)/g, ',');

function digits(v, milli) {
  if (!milli) return grouped(String(v));
  const n = BigInt(v), part = String(n % 1000n).padStart(3, '0').replace(/0+$/, '');
  return grouped(String(n / 1000n)) + (part && '.' + part);
}

function amount(v, m) {
  if (v === null) return 'not known';
  if (!Array.isArray(v)) return digits(v, m.milli) + ' ' + m.unit;
  if (low(v) === 0) return 'at most ' + digits(v[1], m.milli) + ' ' + m.unit;
  return digits(v[0], m.milli) + '–' + digits(v[1], m.milli) + ' ' + m.unit;
}

function short(n) {
  for (const [size, unit] of [[1e15, ' P'], [1e12, ' T'], [1e9, ' G'], [1e6, ' M'], [1e4, ' k']]) {
    if (n >= size) return (n / (unit === ' k' ? 1e3 : size)).toFixed(1) + unit;
  }
  return n < 100 && n % 1 ? n.toFixed(1) : grouped(String(Math.round(n)));
}

const stamp = s => new Date(s * 1000).toISOString();
const days = data.panes.length && stamp(data.panes[0][0]).slice(0, 10) !== stamp(data.panes[data.panes.length - 1][1] - 1).slice(0, 10);
const clock = s => days ? stamp(s).slice(5, 16).replace('T', ' ') : stamp(s).slice(11, 16);
const paneText = i => clock(data.panes[i][0]) + ' → ' + clock(data.panes[i][1]);

// Steps of the time axis, in seconds.
const steps = [60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 604800];

const maps = [];

class HeatMap {
  constructor(figure, map) {
    this.map = map;
    this.figure = figure;
    this.canvas = figure.querySelector('canvas');
    this.tip = figure.querySelector('.tip');
    this.status = figure.querySelector('.status');
    this.reset = figure.querySelector('.reset');
    this.range = [0, data.panes.length];
    this.measure = map.measures[0];
    this.gamma = 0.5;
    this.mark = null;
    this.cursor = null;
    this.buttons = [...figure.querySelectorAll('[data-measure]')];
    for (const b of this.buttons) b.addEventListener('click', () => this.show(b.dataset.measure));
    figure.querySelector('input').addEventListener('input', e => { this.gamma = 2 ** ((50 - e.target.value) / 20 - 1); this.draw(); });
    this.reset.addEventListener('click', () => this.zoom(0, data.panes.length));
    this.cells = figure.querySelector('.cells');
    this.cells.addEventListener('toggle', () => this.fillCells());
    this.listen();
    this.show(this.measure.name);
  }

  listen() {
    const c = this.canvas;
    c.addEventListener('pointerdown', e => { this.drag = { from: e.offsetX, to: e.offsetX }; c.setPointerCapture(e.pointerId); });
    c.addEventListener('pointermove', e => {
      if (this.drag) { this.drag.to = e.offsetX; this.draw(); }
      this.point(this.cellAt(e.offsetX, e.offsetY), e.offsetX, e.offsetY);
    });
    c.addEventListener('pointerup', e => this.release(e));
    c.addEventListener('pointercancel', () => { this.drag = null; this.draw(); });
    c.addEventListener('pointerleave', () => { if (!this.drag) { this.tip.hidden = true; this.cursor = null; this.draw(); } });
    c.addEventListener('dblclick', () => this.zoom(0, data.panes.length));
    c.addEventListener('keydown', e => this.key(e));
    c.addEventListener('blur', () => { this.tip.hidden = true; this.cursor = null; this.draw(); });
  }

  show(name) {
    this.measure = this.map.measures.find(m => m.name === name);
    for (const b of this.buttons) b.setAttribute('aria-pressed', String(b.dataset.measure === name));
    // The hottest colour is the busiest cell, but at least a tenth of the table: equal keys are not all hot.
    this.most = Math.max(1, ...this.measure.rows.map(r => r ? Math.max(...r.map(low)) : 0), ...this.measure.total.map(t => Number(t) / 10));
    this.draw();
    this.fillCells();
  }

  zoom(from, to) {
    this.range = to - from < 1 ? [0, data.panes.length] : [from, to];
    this.reset.disabled = this.range[0] === 0 && this.range[1] === data.panes.length;
    this.tip.hidden = true;
    this.draw();
  }

  // layout gives the places of all parts in CSS pixels.
  layout() {
    const width = Math.max(240, this.canvas.clientWidth), narrow = width < 560;
    const label = Math.min(250, Math.max(96, width * (narrow ? 0.3 : 0.24))), right = narrow ? 58 : 120;
    const l = { width, narrow, label, right, top: 46, row: 20, gap: 8, rest: 34, axis: 24 };
    l.plot = width - label - right;
    l.rowsAt = l.top + l.gap;
    l.restAt = l.rowsAt + this.map.keys.length * l.row + l.gap;
    l.height = l.restAt + l.rest + l.axis;
    l.pane = l.plot / (this.range[1] - this.range[0]);
    return l;
  }

  cellAt(x, y) {
    const l = this.layout(), rows = this.map.keys.length;
    let row = Math.floor((y - l.rowsAt) / l.row);
    if (y < l.rowsAt) row = -1;
    else if (y >= l.restAt) row = rows;
    else if (row >= rows) row = rows - 1;
    const at = x < l.label || x > l.label + l.plot ? -1 : Math.min(this.range[1] - 1, this.range[0] + Math.floor((x - l.label) / l.pane));
    return { row, at };
  }

  // name gives what a row is of: -1 is all keys, the last the other ones.
  name(row) {
    if (row < 0) return 'all keys';
    return row < this.map.keys.length ? this.map.keys[row].name : 'other keys';
  }

  series(row) {
    if (row < 0) return this.measure.total;
    return row < this.map.keys.length ? this.measure.rows[row] : this.measure.rest;
  }

  point(cell, x, y) {
    this.cursor = cell;
    const lines = this.tell(cell);
    this.tip.replaceChildren(...lines.map((t, i) => element('p', i ? '' : 'name', t)));
    this.tip.hidden = false;
    const l = this.layout(), w = this.tip.offsetWidth, h = this.tip.offsetHeight;
    this.tip.style.left = Math.max(0, Math.min(x + 14, l.width - w)) + 'px';
    this.tip.style.top = (y + 18 + h > l.height ? Math.max(0, y - h - 10) : y + 18) + 'px';
    if (!this.drag) this.draw();
  }

  tell(cell) {
    const s = this.series(cell.row);
    if (cell.at < 0) {
      const total = s ? s.slice(...this.range) : [];
      const sum = f => total.reduce((a, v) => a + f(v), 0) / (this.measure.milli ? 1000 : 1);
      const text = !s ? 'not known' : sum(low) === sum(high) ? short(sum(low)) : short(sum(low)) + '–' + short(sum(high));
      return [this.name(cell.row), text + (s ? ' ' + this.measure.unit : '') + ' in all'];
    }
    const v = s ? s[cell.at] : null, lines = [this.name(cell.row), paneText(cell.at), amount(v, this.measure)];
    const whole = Number(this.measure.total[cell.at]);
    if (cell.row >= 0 && v !== null && whole > 0) {
      const share = n => (n / whole * 100).toFixed(1);
      lines.push((low(v) === high(v) ? share(low(v)) : share(low(v)) + '–' + share(high(v))) + ' % of the table');
    }
    return lines;
  }

  release(e) {
    const d = this.drag;
    this.drag = null;
    if (!d) return;
    const l = this.layout(), from = Math.min(d.from, e.offsetX), to = Math.max(d.from, e.offsetX);
    if (to - from > 6) {
      const pane = x => Math.min(Math.max((x - l.label) / l.pane, 0), this.range[1] - this.range[0]);
      this.zoom(this.range[0] + Math.floor(pane(from)), this.range[0] + Math.ceil(pane(to)));
      return;
    }
    this.choose(this.cellAt(e.offsetX, e.offsetY).row);
  }

  // choose copies the key of a row, and lists its findings.
  choose(row) {
    const key = this.map.keys[row];
    if (!key) return;
    copy(key.name).then(done => {
      this.status.replaceChildren(element('span', '', (done ? 'copied: ' : 'key: ') + key.name));
      for (const f of key.findings) {
        const a = element('a', '', data.findings[f].text);
        a.href = '#f' + f;
        a.addEventListener('click', () => flash(f));
        this.status.append(' · ', a);
      }
    });
  }

  key(e) {
    const last = this.map.keys.length, c = this.cursor || { row: 0, at: this.range[0] };
    const moves = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
    if (moves[e.key]) {
      const [dr, da] = this.cursor ? moves[e.key] : [0, 0];
      const row = Math.min(Math.max(c.row + dr, -1), last), at = Math.min(Math.max(c.at + da, this.range[0]), this.range[1] - 1);
      const l = this.layout();
      this.point({ row, at }, l.label + (at - this.range[0]) * l.pane, row < 0 ? 10 : row < last ? l.rowsAt + row * l.row : l.restAt);
      this.status.textContent = this.tell({ row, at }).join(', ');
    } else if (e.key === 'Enter') this.choose(c.row);
    else if (e.key === 'Escape') this.zoom(0, data.panes.length);
    else if (e.key === '+' || e.key === '-') {
      const width = (this.range[1] - this.range[0]) * (e.key === '+' ? 0.5 : 2), mid = Math.max(c.at, this.range[0]);
      this.zoom(Math.max(0, Math.floor(mid - width / 2)), Math.min(data.panes.length, Math.max(Math.ceil(mid + width / 2), Math.floor(mid) + 1)));
    } else return;
    e.preventDefault();
  }

  // markFinding frames the row and the span of a finding, and shows it.
  markFinding(f) {
    const inside = data.panes.map((p, i) => i).filter(i => f.span && data.panes[i][1] > f.span[0] && data.panes[i][0] < f.span[1]);
    this.mark = { row: f.row, from: inside.length ? inside[0] : 0, to: inside.length ? inside[inside.length - 1] + 1 : data.panes.length };
    this.zoom(0, data.panes.length);
    this.status.textContent = 'framed: ' + f.text;
    const folded = this.figure.closest('details');
    if (folded) folded.open = true;
    this.figure.scrollIntoView({ block: 'center' });
    this.canvas.focus({ preventScroll: true });
  }

  draw() {
    const l = this.layout(), scale = window.devicePixelRatio || 1, c = this.canvas;
    c.style.height = l.height + 'px';
    if (c.width !== Math.round(l.width * scale) || c.height !== Math.round(l.height * scale)) {
      c.width = Math.round(l.width * scale);
      c.height = Math.round(l.height * scale);
    }
    const g = c.getContext('2d');
    g.setTransform(scale, 0, 0, scale, 0, 0);
    g.clearRect(0, 0, l.width, l.height);
    const p = { g, l, text: css('--text'), dim: css('--dim'), line: css('--line'), bars: css('--bars'), mark: css('--mark'), ramp: ramps[Number(css('--cool'))] };
    g.font = '12px system-ui, "Noto Sans", sans-serif';
    g.textBaseline = 'middle';
    this.columns(p, this.measure.total, 0, l.top, 'all keys');
    this.map.keys.forEach((k, row) => this.row(p, k, row));
    this.columns(p, this.measure.rest, l.restAt, l.rest, 'other keys');
    this.axis(p);
    this.frames(p);
  }

  heat(v, p) { return heatColour(v <= 0 ? 0 : 0.08 + 0.92 * (v / this.most) ** this.gamma, p.ramp); }

  row(p, key, row) {
    const { g, l } = p, y = l.rowsAt + row * l.row, s = this.measure.rows[row];
    g.fillStyle = p.text;
    g.textAlign = 'right';
    g.fillText(cut(g, key.name, l.label - 12), l.label - 8, y + l.row / 2);
    if (!s) {
      g.fillStyle = p.dim;
      g.textAlign = 'left';
      g.fillText('not known', l.label + 6, y + l.row / 2);
      return;
    }
    g.fillStyle = heatColour(0, p.ramp);
    g.fillRect(l.label, y, l.plot, l.row - 1);
    for (let i = this.range[0]; i < this.range[1]; i++) {
      const sure = low(s[i]), most = high(s[i]), x = l.label + (i - this.range[0]) * l.pane, w = Math.max(l.pane - (l.pane > 6 ? 1 : 0), 0.8);
      if (sure > 0) {
        g.fillStyle = this.heat(sure, p);
        g.fillRect(x, y, w, l.row - 1);
      }
      if (most > sure * 1.05 && most > this.most / 100 && w > 3) {
        g.strokeStyle = this.heat(most, p);
        g.lineWidth = 1;
        g.strokeRect(x + 0.5, y + 0.5, w - 1, l.row - 2);
      }
    }
    this.edge(p, s, y + l.row / 2, Math.max(1, ...this.measure.rows.map(r => this.sum(r, low))));
  }

  sum(s, bound) { return s ? s.slice(...this.range).reduce((a, v) => a + bound(v), 0) : 0; }

  // edge draws the total of a row at the right edge; most is the longest bar.
  edge(p, s, y, most) {
    const { g, l } = p, n = this.sum(s, low), text = (n < this.sum(s, high) ? '≥ ' : '') + short(n / (this.measure.milli ? 1000 : 1));
    const x = l.label + l.plot + 6;
    g.fillStyle = p.bars;
    g.globalAlpha = 0.45;
    g.fillRect(x, y - 7, (l.right - 8) * n / most, 14);
    g.globalAlpha = 1;
    g.fillStyle = p.text;
    g.textAlign = 'left';
    g.fillText(text, x + 3, y);
  }

  // columns draws amounts as heights, for what is too large for the colours of single keys.
  columns(p, s, y, height, label) {
    const { g, l } = p, shown = s.slice(...this.range), most = Math.max(1, ...shown.map(high));
    g.fillStyle = p.dim;
    g.textAlign = 'right';
    g.fillText(cut(g, label, l.label - 12), l.label - 8, y + height / 2);
    shown.forEach((v, i) => {
      const x = l.label + i * l.pane, w = Math.max(l.pane - (l.pane > 4 ? 1 : 0), 0.8), sure = (height - 4) * low(v) / most, may = (height - 4) * high(v) / most;
      g.fillStyle = p.bars;
      g.globalAlpha = 0.35;
      g.fillRect(x, y + height - may, w, may);
      g.globalAlpha = 1;
      g.fillRect(x, y + height - sure, w, sure);
    });
    g.fillStyle = p.line;
    g.fillRect(l.label, y + height, l.plot, 1);
    this.edge(p, s, y + height / 2, Infinity);
  }

  axis(p) {
    const { g, l } = p, y = l.restAt + l.rest + 13;
    const room = Math.max(2, Math.floor(l.plot / (days ? 100 : 60)));
    const starts = data.panes.slice(...this.range).map(d => d[0]);
    const step = steps.find(s => starts.filter(t => t % s === 0).length <= room) || steps[steps.length - 1];
    g.fillStyle = p.dim;
    g.textAlign = 'left';
    for (let i = this.range[0]; i < this.range[1]; i++) {
      const x = l.label + (i - this.range[0]) * l.pane;
      if (i > this.range[0] && data.panes[i][0] !== data.panes[i - 1][1]) { // time without traffic is left out
        g.fillStyle = p.dim;
        g.fillRect(x - 0.5, l.rowsAt, 1, l.restAt - l.rowsAt - l.gap);
      }
      if (data.panes[i][0] % step === 0 && x + (days ? 76 : 36) < l.label + l.plot + 30) {
        g.fillStyle = p.dim;
        g.fillRect(x, l.restAt + l.rest, 1, 4);
        g.fillText(clock(data.panes[i][0]), x + 2, y);
      }
    }
    const bar = Math.min(60, l.label - 70);
    for (let i = 0; i < bar; i++) {
      g.fillStyle = heatColour((i / bar) ** this.gamma, p.ramp);
      g.fillRect(8 + i, y - 5, 1.5, 9);
    }
    g.strokeStyle = p.line;
    g.strokeRect(8, y - 5.5, bar, 10);
    g.fillStyle = p.dim;
    g.fillText(cut(g, short(this.most / (this.measure.milli ? 1000 : 1)) + ' / ' + data.pane, l.label - bar - 18), 12 + bar, y);
  }

  frames(p) {
    const { g, l } = p, x = at => l.label + (Math.min(Math.max(at, this.range[0]), this.range[1]) - this.range[0]) * l.pane;
    if (this.mark) {
      const { row, from, to } = this.mark;
      g.strokeStyle = p.mark;
      g.lineWidth = 2.5;
      const y = row < 0 ? l.rowsAt : l.rowsAt + row * l.row;
      g.strokeRect(x(from) - 1, y - 2, x(to) - x(from) + 2, (row < 0 ? this.map.keys.length * l.row : l.row) + 3);
    }
    if (this.drag && Math.abs(this.drag.to - this.drag.from) > 6) {
      g.fillStyle = p.mark;
      g.globalAlpha = 0.25;
      g.fillRect(Math.min(this.drag.from, this.drag.to), 0, Math.abs(this.drag.to - this.drag.from), l.height - l.axis);
      g.globalAlpha = 1;
    }
    const c = this.cursor;
    if (c && c.at >= 0 && c.row >= 0 && c.row < this.map.keys.length) {
      g.strokeStyle = p.text;
      g.lineWidth = 1.5;
      g.strokeRect(x(c.at), l.rowsAt + c.row * l.row, Math.max(l.pane, 2), l.row - 1);
    }
  }

  // fillCells writes every cell as a table when it is open.
  fillCells() {
    if (!this.cells.open) return;
    const table = element('table'), head = table.createTHead().insertRow();
    const scope = (cell, of) => { cell.scope = of; return cell; };
    head.append(scope(element('th', '', this.measure.unit), 'col'), ...data.panes.map((p, i) => scope(element('th', 'n', clock(data.panes[i][0])), 'col')));
    const body = table.createTBody();
    for (let row = -1; row <= this.map.keys.length; row++) {
      const tr = body.insertRow(), s = this.series(row);
      tr.append(scope(element('th', '', this.name(row)), 'row'));
      data.panes.forEach((p, i) => {
        const v = s ? s[i] : null;
        tr.append(element('td', 'n', v === null ? '?' : Array.isArray(v) ? v.map(n => digits(n, this.measure.milli)).join('–') : digits(v, this.measure.milli)));
      });
    }
    this.cells.querySelector('.scroll').replaceChildren(table);
  }
}

// cut shortens a name in its middle to so many pixels: keys differ at both ends.
function cut(g, text, width) {
  if (g.measureText(text).width <= width) return text;
  const runes = [...text];
  let n = runes.length;
  const form = n => runes.slice(0, Math.ceil(n * 2 / 3)).join('') + '…' + runes.slice(runes.length - Math.floor(n / 3)).join('');
  n = Math.min(n, 200);
  while (n > 1 && g.measureText(form(n)).width > width) n--;
  return form(n);
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false; // the key stands in the status line, to be selected
  }
}

function flash(number) {
  const card = document.getElementById('f' + number);
  if (!card) return;
  card.open = true;
  card.classList.add('flash');
  setTimeout(() => card.classList.remove('flash'), 2000);
}

data.maps.forEach((m, i) => maps.push(new HeatMap(document.getElementById('m' + i), m)));
for (const b of document.querySelectorAll('.locate')) {
  b.addEventListener('click', () => {
    const f = data.findings[Number(b.dataset.finding)];
    maps[f.map].markFinding(f);
  });
}
const redraw = () => maps.forEach(m => m.draw());
const resized = new ResizeObserver(entries => entries.forEach(e => maps.find(m => m.canvas === e.target).draw()));
for (const m of maps) resized.observe(m.canvas);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw);

// On paper all is open and on light ground, but for what the pictures show already.
let opened = [];
addEventListener('beforeprint', () => {
  opened = [...document.querySelectorAll('details:not([open]):not(.cells, .numbers, .more)')];
  for (const d of opened) d.open = true;
  root.classList.add('print');
  redraw();
});
addEventListener('afterprint', () => {
  for (const d of opened) d.open = false;
  root.classList.remove('print');
  redraw();
});
})();

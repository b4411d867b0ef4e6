// The playground: the component in this page, over an engine in this page, and every call of the bridge as it happens.

import { createTools, hasJspi, toWhere } from '../src/index.js';
import { Memory } from '../src/memory/index.js';
import { TABLES, TRIES } from './data.js';
import { make, sayAnswer, showAnswer, showCall, showQuestion } from './show.js';

const $ = (id) => document.getElementById(id);
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const PACE = 220;

let memory = new Memory(TABLES);
/** The records of the call that was seen last, for the table. */
let seen = { matched: new Set(), gone: new Map(), refused: new Set() };

const user = () => document.querySelector('input[name=user]:checked').value;

/** The engine's bridge for a user, which shows each call. With JSPI it takes its time, so that one can watch. */
function watched(own) {
  const wrap = ([name, work]) => {
    const begin = (args) => {
      light('way-bridge', 'way-engine');
      return showCall($('trace'), name, args);
    };
    const end = (say, args, answer) => {
      learn(name, args, answer);
      say(sayAnswer(name, answer), name === 'remove' ? 'good' : '');
      if (args[1]?.tag === 'filter') say(JSON.stringify(toWhere(args[1].val)));
    };
    const fail = (say, [, id], error) => {
      if (name === 'remove') seen.refused.add(id[0].val);
      say(error.payload?.val?.code ?? 'failed', 'warn');
      draw();
      throw error;
    };
    if (!hasJspi()) {
      return (...args) => {
        const say = begin(args);
        try {
          const answer = work(...args);
          end(say, args, answer);
          return answer;
        } catch (error) {
          return fail(say, args, error);
        }
      };
    }
    return async (...args) => {
      const say = begin(args);
      if ($('slow').checked) await pause(PACE);
      try {
        const answer = work(...args);
        end(say, args, answer);
        light('way-component');
        return answer;
      } catch (error) {
        return fail(say, args, error);
      }
    };
  };
  return Object.fromEntries(Object.entries(own).map(([name, work]) => [name, wrap([name, work])]));
}

function learn(name, args, answer) {
  if (name === 'query') for (const { id } of answer.rows) seen.matched.add(id[0].val);
  if (name === 'remove' && answer.tag === 'removed') seen.gone.set(args[1][0].val, before.get(args[1][0].val));
  draw();
}

let before = new Map();

async function call(confirm) {
  const text = `{"objectName": "task", "where": ${$('where').value.trim() || '{}'}${confirm ? ', "confirm": true' : ''}}`;
  $('trace').append(make('li', { class: 'start' }, `${user()}: delete_records ${confirm ? 'with confirm: true' : 'preview'}`));
  await run((tools) => tools.callTool({ name: 'delete_records', arguments: text }));
}

async function run(work) {
  busy(true);
  before = new Map(memory.rows('task').map((row) => [row.id, row]));
  seen = { matched: new Set(), gone: new Map(), refused: new Set() };
  light('way-agent', 'way-component');
  try {
    const tools = await createTools({
      bridge: watched(memory.bridge({ actor: user() })),
      settings: { target: { name: 'this page' }, defaultRule: { consent: $('consent').value } },
    });
    const reply = await work(tools);
    if (reply.outcome === 'asks') ask(reply);
    else show(...showAnswer(reply));
  } finally {
    busy(false);
    light();
    draw();
  }
}

function ask({ question, asked }) {
  const answered = (answer) => {
    $('trace').append(make('li', { class: 'start' }, `a person: ${answer.action}`));
    run((tools) => tools.resume(asked, answer));
  };
  show(showQuestion(question, answered));
  (document.getElementById('typed') ?? $('outcome').querySelector('button')).focus();
}

function show(...parts) {
  $('outcome').replaceChildren(...parts);
}

function busy(is) {
  for (const id of ['preview', 'delete', 'reset']) $(id).disabled = is;
  if (is) for (const button of $('outcome').querySelectorAll('button')) button.disabled = true;
}

function light(...live) {
  for (const stop of document.querySelectorAll('.way li')) stop.classList.toggle('live', live.includes(stop.id));
}

/** The table: what is there, what the last call matched, and what it took. */
function draw() {
  const mine = new Set(memory.bridge({ actor: user() }).query('task', { tag: 'every' }, undefined, 1000).rows.map(({ id }) => id[0].val));
  const rows = [...memory.rows('task'), ...seen.gone.values()].sort((one, other) => (one.id < other.id ? -1 : 1));
  $('rows').replaceChildren(...rows.map((row) => line(row, mine)));
}

function line(row, mine) {
  const gone = seen.gone.has(row.id);
  const classes = [!mine.has(row.id) && !gone && 'unseen', seen.matched.has(row.id) && 'matched', seen.refused.has(row.id) && 'refused', gone && 'gone'];
  const lock = make('input', { type: 'checkbox', 'aria-label': `lock ${row.id}`, ...(row.locked && { checked: '' }), ...(gone && { disabled: '' }) });
  lock.addEventListener('change', () => memory.apply({ update: { object: 'task', key: { id: row.id }, set: { locked: lock.checked } } }));
  const owner = row.shared ? `${row.owner}, shared` : row.owner;
  const cells = [row.id, row.title, owner, row.status, lock].map((cell) => make('td', {}, cell));
  return make('tr', { class: classes.filter(Boolean).join(' ') }, ...cells);
}

function forget() {
  seen = { matched: new Set(), gone: new Map(), refused: new Set() };
  show();
  draw();
}

for (const [name, filter] of TRIES) {
  const button = make('button', { type: 'button' }, name);
  button.addEventListener('click', () => {
    $('where').value = filter;
    $('form').requestSubmit();
  });
  $('tries').append(button);
}
$('where').value = TRIES[0][1];
$('form').addEventListener('submit', (event) => {
  event.preventDefault();
  call(false);
});
$('delete').addEventListener('click', () => call(true));
$('reset').addEventListener('click', () => {
  memory = new Memory(TABLES);
  $('trace').replaceChildren();
  forget();
});
for (const radio of document.querySelectorAll('input[name=user]')) radio.addEventListener('change', forget);
$('mode').textContent = hasJspi()
  ? 'There is no other way out: these four functions are all that the component can call.'
  : 'There is no other way out. This browser has no JSPI, so a call runs at once and can not be slowed down.';
if (!hasJspi()) $('slow').closest('label').hidden = true;
draw();

// What the page shows of a reply and of the bridge. Everything is text, and never markup: labels and reasons are
// an engine's words.

/** An element with attributes and children. */
export function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) element.setAttribute(attribute, value);
  element.append(...children);
  return element;
}

const plural = (count, noun) => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** A reply that is an answer. */
export function showAnswer({ failed, answer, json }) {
  const parts = [];
  if (answer.preview) parts.push(...preview(answer));
  else if (failed) parts.push(make('h3', { class: 'bad' }, 'Nothing goes'), error(answer.error), progress(answer.progress));
  else parts.push(...done(answer));
  parts.push(make('details', {}, make('summary', {}, 'The whole answer, as the agent gets it'), make('pre', { tabindex: '0' }, JSON.stringify(JSON.parse(json), null, 2))));
  return parts;
}

function preview({ error: why, preview: what }) {
  const { matched, sampleRecords, dependents = [] } = what;
  const items = sampleRecords.map(({ id, label }) => make('li', {}, make('code', {}, id), ` ${label ?? ''}`));
  const also = dependents.map(({ object, count, effect }) => make('p', { class: 'warn' }, `${plural(count, object)} ${effect === 'cascade' ? 'would go too' : effect}.`));
  return [
    make('h3', {}, `Preview: ${plural(matched, 'record')} match${matched === 1 ? 'es' : ''}. Nothing was deleted.`),
    make('ul', {}, ...items),
    ...also,
    make('p', { class: 'hint' }, `${why.code}: rules judge each record only when it is deleted.`),
  ];
}

function done({ deleted, refused, refusals, remaining }) {
  const groups = refusals.map(({ code, reason, count, recordIds = [] }) =>
    make('li', {}, make('span', { class: 'tag warn' }, code), ` ${reason} (${count}: ${recordIds.join(', ')})`),
  );
  return [
    make('h3', { class: deleted > 0 ? 'good' : 'warn' }, `Deleted ${plural(deleted, 'record')}.`),
    ...(refused > 0 ? [make('p', {}, `${refused} refused by the engine's own rules:`), make('ul', {}, ...groups)] : []),
    make('p', { class: 'hint' }, `${remaining} remain of those that matched.`),
  ];
}

function error({ code, message }) {
  return make('p', {}, make('span', { class: 'tag' }, code), ` ${message}`);
}

function progress(told) {
  return told ? make('p', { class: 'hint' }, `${plural(told.deleted, 'record')} had gone before.`) : '';
}

/** The question to a person; `answer` takes what they do. */
export function showQuestion({ message, typed }, answer) {
  const field = typed && make('input', { type: 'text', id: 'typed', autocomplete: 'off', spellcheck: 'false' });
  const yes = make('button', { type: 'submit', class: 'danger' }, 'Yes, delete');
  const no = make('button', { type: 'button', class: 'quiet' }, 'No');
  const form = make(
    'form',
    { class: 'question', 'aria-label': 'A question to you' },
    make('h3', {}, 'You are asked'),
    make('p', { class: 'said' }, message),
    ...(typed ? [make('label', { for: 'typed' }, typed.description), field] : []),
    make('div', { class: 'buttons' }, yes, no),
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    answer({ action: 'accept', typed: field?.value });
  });
  no.addEventListener('click', () => answer({ action: 'decline' }));
  return form;
}

/** A call of the bridge, as a line; gives what adds its answer. */
export function showCall(list, name, args) {
  const line = make('li', {}, make('b', {}, name), `(${args.map(short).join(', ')})`);
  list.append(line);
  list.scrollTop = list.scrollHeight;
  return (text, kind = '') => {
    line.append(make('span', { class: kind }, `→ ${text}`));
    list.scrollTop = list.scrollHeight;
  };
}

/** What a function answered, in a few words. */
export function sayAnswer(name, answer) {
  switch (name) {
    case 'resolvePrincipal':
      return `${answer.identity.val?.id ?? answer.identity.tag}, ${answer.access ? 'may list and remove' : 'no such object'}`;
    case 'query':
      return `${plural(answer.rows.length, 'row')}${answer.more ? ', and more' : ''}`;
    case 'aggregate':
      return [answer.count.val, ...(answer.dependents ?? []).map(({ object, count }) => `${plural(count, object)} with them`)].join(', ');
    default:
      return answer.tag;
  }
}

function short(value) {
  if (value === undefined) return 'none';
  if (Array.isArray(value)) return value.map(({ val }) => String(val)).join(' ');
  if (typeof value !== 'object') return String(value).length > 28 ? 'revision' : String(value);
  return value.tag === 'ids' ? `${value.val.length} ids` : value.tag;
}

// The arguments as the component takes them: their own text, or parsed values written down exactly.

/** The most bytes that the component takes (contract 2). */
const BYTES = 256 * 1024;
const DEPTH = 64;

/** Why arguments can't be taken, as a sentence for the caller. */
export class Unusable extends Error {}

/**
 * The text of the arguments.
 *
 * @throws {Unusable} where they have already lost what they said: an integer that a parser has rounded.
 */
export function textOf(given) {
  const text = typeof given === 'string' ? given : written(given ?? {}, '', 0);
  const bytes = text.length > BYTES ? text.length : new TextEncoder().encode(text).length;
  if (bytes > BYTES) {
    const exactly = new TextEncoder().encode(text).length;
    throw new Unusable(`The arguments have ${exactly} bytes; at most ${BYTES} are taken. Split the call.`);
  }
  return text;
}

function written(value, at, depth) {
  if (depth > DEPTH) throw new Unusable('The arguments are nested too deep.');
  const place = at || 'the arguments';
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return JSON.stringify(value);
    case 'bigint':
      return String(value);
    case 'number':
      if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
        throw new Unusable(`${place} is an integer beyond ±(2^53 - 1) that came as a number, and may have been rounded on its way. Send it as a string.`);
      }
      if (!Number.isFinite(value)) throw new Unusable(`${place} is no number that JSON has.`);
      return JSON.stringify(value);
    case 'object':
      if (value === null) return 'null';
      if (Array.isArray(value)) return `[${value.map((item, n) => written(item, `${at}[${n}]`, depth + 1)).join(',')}]`;
      if (![Object.prototype, null].includes(Object.getPrototypeOf(value))) break;
      return `{${Object.keys(value)
        .filter((name) => value[name] !== undefined)
        .map((name) => `${JSON.stringify(name)}:${written(value[name], at ? `${at}.${name}` : name, depth + 1)}`)
        .join(',')}}`;
  }
  throw new Unusable(`${place} is nothing that JSON has.`);
}

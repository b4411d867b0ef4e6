// JSON read as it is written: the order of keys, every digit of a number, and a key that comes twice.
//
// `JSON.parse` keeps the last of two equal keys, rounds numbers beyond 2^53, and puts keys that look like
// numbers first. Each of these turns one call into another.

/** A number that is no 64-bit integer, in the digits it was written with. */
export class Digits {
  constructor(text) {
    this.text = text;
  }
}

const DEPTH = 128;
const SPACE = /[ \t\n\r]*/y;
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const WORDS = [['true', true], ['false', false], ['null', null]];

/**
 * Reads a text. Objects become maps, integers bigints, other numbers {@link Digits}.
 *
 * @throws {SyntaxError} where the text is not JSON, has a key twice, or is nested too deep.
 */
export function read(text) {
  let at = 0;
  const take = (pattern) => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    at += found?.length ?? 0;
    return found;
  };
  const fail = (what) => {
    throw new SyntaxError(`${what} at character ${at}`);
  };
  const symbol = (one) => {
    take(SPACE);
    if (text[at] !== one) return false;
    at += 1;
    return true;
  };
  const key = () => {
    take(SPACE);
    return JSON.parse(take(STRING) ?? fail('a key is missing'));
  };
  const value = (depth) => {
    if (depth > DEPTH) fail('the text is nested too deep');
    take(SPACE);
    if (symbol('{')) {
      const members = new Map();
      if (symbol('}')) return members;
      do {
        const name = key();
        if (members.has(name)) fail(`the key ${JSON.stringify(name)} comes twice`);
        if (!symbol(':')) fail('a colon is missing');
        members.set(name, value(depth + 1));
      } while (symbol(','));
      return symbol('}') ? members : fail('an object does not end');
    }
    if (symbol('[')) {
      const items = [];
      if (symbol(']')) return items;
      do items.push(value(depth + 1));
      while (symbol(','));
      return symbol(']') ? items : fail('a list does not end');
    }
    const string = take(STRING);
    if (string !== undefined) return JSON.parse(string);
    const number = take(NUMBER);
    if (number) return /^-?[0-9]+$/.test(number) && number !== '-0' ? BigInt(number) : new Digits(number);
    for (const [word, meant] of WORDS) {
      if (text.startsWith(word, at)) {
        at += word.length;
        return meant;
      }
    }
    return fail('a value is missing');
  };
  const whole = value(0);
  take(SPACE);
  return at === text.length ? whole : fail('the text goes on');
}

/** Writes what {@link read} gives, or plain values, as compact JSON. */
export function write(value) {
  if (value instanceof Map) return `{${[...value].map(([name, inner]) => `${JSON.stringify(name)}:${write(inner)}`).join(',')}}`;
  if (Array.isArray(value)) return `[${value.map(write).join(',')}]`;
  if (value instanceof Digits) return value.text;
  if (typeof value === 'bigint') return String(value);
  if (value !== null && typeof value === 'object') return write(new Map(Object.entries(value)));
  return JSON.stringify(value);
}

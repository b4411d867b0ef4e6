// Texts: their order, and what people are shown of them. The rules are those of the component itself.

/** The order of UTF-8 bytes, which is that of code points, and not JavaScript's own. */
export function byBytes(one, other) {
  const length = Math.min(one.length, other.length);
  for (let i = 0; i < length; i += 1) {
    const [a, b] = [one.charCodeAt(i), other.charCodeAt(i)];
    if (a !== b) {
      // A surrogate stands for a code point above all that are written without one.
      const [high, low] = [isSurrogate(a), isSurrogate(b)];
      return high === low ? a - b : high ? 1 : -1;
    }
  }
  return one.length - other.length;
}

function isSurrogate(unit) {
  return unit >= 0xd800 && unit <= 0xdfff;
}

/** Control, bidirectional, zero-width and tag characters: what a person does not see as it is. */
export const HIDDEN =
  /[\p{Cc}\u{ad}\u{61c}\u{180e}\u{200b}-\u{200f}\u{2028}-\u{202e}\u{2060}-\u{206f}\u{feff}\u{fff9}-\u{fffb}\u{e0000}-\u{e007f}]/u;

const EACH_HIDDEN = new RegExp(HIDDEN.source, 'gu');

/** A text in double quotes, cut at `limit` characters, in which nothing can end the quotes or turn the line. */
export function quote(text, limit) {
  return `"${show(text, limit, /["\\]/g)}"`;
}

/** A text as people may be shown it: cut, and with nothing hidden in it. */
export function show(text, limit, escaped) {
  const characters = [...text];
  const cut = characters.length > limit ? `${characters.slice(0, limit - 1).join('')}…` : text;
  const marked = escaped ? cut.replace(escaped, (c) => `\\${c}`) : cut;
  return marked.replace(EACH_HIDDEN, (c) => `\\u{${c.codePointAt(0).toString(16)}}`);
}

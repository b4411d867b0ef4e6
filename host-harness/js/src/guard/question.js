// Whether a question is true of the records that were read, before a person sees it (contract 7 and 11).
//
// A person decides by this one line. The guard does not write it: it checks how it begins, where it says the
// records are, how many, and that nothing in it is hidden.

import { HIDDEN, quote, show } from '../text.js';

/** Characters of a question: a dozen names with escapes, and the sentence around them. */
const LIMIT = 16_000;
const NAME = 100;
const LABEL = 80;
const PLAIN = /^[\x20-\x7e]{1,64}$/;
/** What a person can type: a name or an id of 64 characters, and a count. */
const TYPEABLE = /^[\x20-\x7e]{1,100}$/;

/** What a person has to type for many records of an object: its name and the count. */
export function expectedFor(object, count) {
  return `${PLAIN.test(object) ? object : 'records'} ${count}`;
}

/** What is wrong with the question; undefined where it may be shown. */
export function faultOf(question, { object, target, count, typed }) {
  const { message } = question;
  if (message.length > LIMIT || HIDDEN.test(message) || HIDDEN.test(question.typed?.description ?? '')) {
    return 'asked a person with hidden characters or more than a line';
  }
  const opening = target.production ? `PRODUCTION [${show(target.environment, LABEL)}]: delete ` : 'Delete ';
  const rest = message.startsWith(opening) ? message.slice(opening.length) : '';
  const name = quote(object, NAME);
  if (!rest.includes(name) || !rest.includes(`on ${quote(target.name, NAME)}`)) {
    return 'asked a person without naming what and where';
  }
  // The number that comes first, before any name in quotes, is how many go.
  if (/\d+/.exec(rest.slice(0, rest.indexOf('"')))?.[0] !== String(count)) return 'asked a person about another number of records';
  if (typed !== (question.typed !== undefined)) return 'asked a person for another answer than the rule wants';
  if (typed && !TYPEABLE.test(question.typed.expected)) return 'asked a person to type what can not be typed';
  return undefined;
}

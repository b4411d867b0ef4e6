// Days and instants in the forms of section 9 of the contract, read strictly.

const DAY = /^(\d{4})-(\d{2})-(\d{2})$/;
const INSTANT = /^(\d{4}-\d{2}-\d{2})T(\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?(?:Z|([+-])(\d{2}):(\d{2}))$/;

/** Whether the text is a day that exists, as `YYYY-MM-DD` from year 0001. */
export function isDate(text) {
  return days(text) !== undefined;
}

/** Reads `YYYY-MM-DDThh:mm:ss[.fraction](Z|±hh:mm)`; undefined where the text is no instant. */
export function parseInstant(text) {
  const [, day, hour, minute, second, fraction = '', sign, hours = '0', minutes = '0'] = INSTANT.exec(text) ?? [];
  const before = day && days(day);
  if (before === undefined || before === '' || hour > 23 || minute > 59 || second > 59 || hours > 23 || minutes > 59) return undefined;
  const offset = (Number(hours) * 3600 + Number(minutes) * 60) * (sign === '-' ? -1 : 1);
  const seconds = before * 86_400 + Number(hour) * 3600 + Number(minute) * 60 + Number(second) - offset;
  return { seconds: BigInt(seconds), nanoseconds: Number(fraction.padEnd(9, '0')) };
}

/** Less than, equal to, or more than zero, as one instant is before, equal to, or behind another. */
export function compare(one, other) {
  if (one.seconds !== other.seconds) return one.seconds < other.seconds ? -1 : 1;
  return one.nanoseconds - other.nanoseconds;
}

/** The instant in UTC, as RFC 3339. */
export function show({ seconds, nanoseconds }) {
  const date = new Date(Number(seconds) * 1000);
  if (Number.isNaN(date.getTime())) return `${seconds}.${String(nanoseconds).padStart(9, '0')}`;
  const fraction = nanoseconds === 0 ? '' : `.${String(nanoseconds).padStart(9, '0').replace(/0+$/, '')}`;
  return date.toISOString().replace('.000Z', `${fraction}Z`);
}

/** Days since 1970-01-01 of a day that exists. */
function days(text) {
  const [, year, month, day] = DAY.exec(text) ?? [];
  if (year === undefined || year === '0000') return undefined;
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  const same = date.getUTCFullYear() === Number(year) && date.getUTCMonth() === month - 1 && date.getUTCDate() === Number(day);
  return same ? date.getTime() / 86_400_000 : undefined;
}

// Decimal numbers of any length, compared by their digits: `0.d1d2d3… × 10^point`.

const FORM = /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]{1,18}))?$/;

/** The number that a text of digits stands for; undefined where it stands for none. */
export function parse(text) {
  const [, sign, whole, fraction = '', exponent = '0'] = FORM.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const all = whole + fraction;
  const leading = /^0*/.exec(all)[0].length;
  const digits = all.slice(leading).replace(/0+$/, '');
  if (digits === '') return { negative: false, point: 0, digits };
  return { negative: sign === '-', point: Number(exponent) + whole.length - leading, digits };
}

/** The number that an operand of the bridge is; undefined where it is none. */
export function ofScalar({ tag, val }) {
  return tag === 'integer' || tag === 'decimal' || tag === 'text' ? parse(String(val)) : undefined;
}

/** Less than, equal to, or more than zero, as one number is before, equal to, or behind another. */
export function compare(one, other) {
  const [sign, against] = [signOf(one), signOf(other)];
  if (sign !== against) return sign - against;
  const size = one.point - other.point || (one.digits < other.digits ? -1 : one.digits > other.digits ? 1 : 0);
  return sign < 0 ? -size : size;
}

/** The number in plain digits, without an exponent. */
export function show({ negative, point, digits }) {
  if (digits === '') return '0';
  const sign = negative ? '-' : '';
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  if (point >= digits.length) return sign + digits + '0'.repeat(point - digits.length);
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
}

/** The largest double at or below a number, and the smallest at or above it. */
export function neighbours(exact) {
  // Everything beyond the largest double lies alike, and everything between zero and the smallest.
  const near = { ...exact, point: Math.max(-330, Math.min(330, exact.point)) };
  const nearest = Number(show(near));
  if (!Number.isFinite(nearest)) return nearest > 0 ? [Number.MAX_VALUE, Infinity] : [-Infinity, -Number.MAX_VALUE];
  const order = compare(ofDouble(nearest), near);
  if (order === 0) return [nearest, nearest];
  return order < 0 ? [nearest, next(nearest, 1n)] : [next(nearest, -1n), nearest];
}

/** The very number that a finite double stands for. */
function ofDouble(value) {
  const bits = bitsOf(Math.abs(value));
  const exponent = Number(bits >> 52n);
  const fraction = bits & ((1n << 52n) - 1n);
  const mantissa = exponent === 0 ? fraction : fraction | (1n << 52n);
  const power = Math.max(exponent, 1) - 1075;
  // m × 2^-p is m × 5^p × 10^-p.
  const digits = power >= 0 ? mantissa << BigInt(power) : mantissa * 5n ** BigInt(-power);
  return parse(`${value < 0 ? '-' : ''}${digits}e${Math.min(power, 0)}`);
}

/** The double next to this one, upwards or downwards. */
function next(value, step) {
  if (value === 0) return Number(step) * Number.MIN_VALUE;
  const away = value > 0 === step > 0n ? 1n : -1n;
  const size = new Float64Array(new BigUint64Array([bitsOf(Math.abs(value)) + away]).buffer)[0];
  return value < 0 ? -size : size;
}

function bitsOf(value) {
  return new BigUint64Array(new Float64Array([value]).buffer)[0];
}

function signOf({ negative, digits }) {
  return digits === '' ? 0 : negative ? -1 : 1;
}

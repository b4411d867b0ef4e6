// `remove`, lowered by hand: jco's own hook for a host that reads and writes the component's memory itself.
//
// jco's glue keeps the books of an asynchronous task for each call of a function, which for the one that is called for
// each record costs far more than the call. This is the same reading and writing (the canonical ABI of the four
// types, as 32-bit layouts) without the books; the other three functions go through the glue as ever. The
// conformance suite runs through here, so it would notice a contract in which one of the types is another.

const LOWER = Symbol.for('cabiLower');
const SCALAR_BYTES = 24;
const REMOVALS = ['removed', 'removed-with-warning', 'absent', 'kept', 'changed'];
const FAILURES = ['refused', 'faulted', 'cancelled', 'deadline-exceeded', 'unsupported'];

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();

/** The function with the hook beside it; what it throws has a `payload`, or ends the call. */
export function lowered(remove, later) {
  return Object.assign((...args) => remove(...args), {
    [LOWER]({ memory, realloc }) {
      const here = new Memory(memory, realloc);
      if (!later) {
        return (...flat) => {
          const place = flat[7];
          let removal;
          try {
            removal = remove(...here.read(flat));
          } catch (thrown) {
            here.writeFailure(place, thrown);
            return;
          }
          here.writeRemoval(place, removal);
        };
      }
      return new WebAssembly.Suspending(async (...flat) => {
        const place = flat[7];
        let removal;
        try {
          removal = await remove(...here.read(flat));
        } catch (thrown) {
          here.writeFailure(place, thrown);
          return;
        }
        here.writeRemoval(place, removal);
      });
    },
  });
}

class Memory {
  #memory;
  #realloc;
  #view;
  #bytes;

  constructor(memory, realloc) {
    this.#memory = memory;
    this.#realloc = realloc;
  }

  /** `remove(object: string, id: list<scalar>, revision: option<string>)` */
  read([object, objectBytes, id, parts, hasRevision, revision, revisionBytes]) {
    this.#look();
    const scalars = Array.from({ length: parts }, (_, at) => this.#scalar(id + at * SCALAR_BYTES));
    return [this.#text(object, objectBytes), scalars, hasRevision ? this.#text(revision, revisionBytes) : undefined];
  }

  /** `ok(removal)` */
  writeRemoval(place, { tag, val }) {
    const text = val === undefined ? undefined : this.#store(val);
    this.#look();
    this.#view.setUint8(place, 0);
    this.#view.setUint8(place + 4, REMOVALS.indexOf(tag));
    if (text) this.#point(place + 8, text);
  }

  /** `err(failure)` */
  writeFailure(place, thrown) {
    if (thrown?.payload === undefined) throw thrown;
    const { tag, val } = thrown.payload;
    const texts = tag === 'refused' ? [val.code, val.reason] : tag === 'faulted' ? [val] : [];
    const stored = texts.map((text) => this.#store(text));
    this.#look();
    this.#view.setUint8(place, 1);
    this.#view.setUint8(place + 4, FAILURES.indexOf(tag));
    if (stored[0]) this.#point(place + 8, stored[0]);
    if (tag !== 'refused') return;
    this.#view.setUint16(place + 16, val.status, true);
    this.#point(place + 20, stored[1]);
    this.#view.setUint8(place + 28, Number(val.retryable));
  }

  #scalar(at) {
    const view = this.#view;
    switch (view.getUint8(at)) {
      case 0:
        return { tag: 'null' };
      case 1:
        return { tag: 'boolean', val: view.getUint8(at + 8) === 1 };
      case 2:
        return { tag: 'integer', val: view.getBigInt64(at + 8, true) };
      case 3:
        return { tag: 'decimal', val: this.#text(view.getUint32(at + 8, true), view.getUint32(at + 12, true)) };
      case 4:
        return { tag: 'text', val: this.#text(view.getUint32(at + 8, true), view.getUint32(at + 12, true)) };
      case 5:
        return { tag: 'instant', val: { seconds: view.getBigInt64(at + 8, true), nanoseconds: view.getUint32(at + 16, true) } };
      default:
        throw new TypeError('the component handed over a scalar of no kind');
    }
  }

  #text(at, length) {
    const bytes = this.#bytes.subarray(at >>> 0, (at >>> 0) + (length >>> 0));
    // Most texts here are short and plain, for which the decoder's own start costs more than the text.
    if (length <= 32) {
      let text = '';
      for (let i = 0; i < bytes.length; i += 1) {
        if (bytes[i] > 0x7f) return decoder.decode(bytes);
        text += String.fromCharCode(bytes[i]);
      }
      return text;
    }
    return decoder.decode(bytes);
  }

  #store(text) {
    const bytes = encoder.encode(text);
    const at = bytes.length === 0 ? 1 : this.#realloc(0, 0, 1, bytes.length) >>> 0;
    this.#look();
    this.#bytes.set(bytes, bytes.length === 0 ? 0 : at);
    return [at, bytes.length];
  }

  #point(place, [at, length]) {
    this.#view.setUint32(place, at, true);
    this.#view.setUint32(place + 4, length, true);
  }

  /** The memory moves when it grows. */
  #look() {
    if (this.#view?.buffer === this.#memory.buffer) return;
    this.#view = new DataView(this.#memory.buffer);
    this.#bytes = new Uint8Array(this.#memory.buffer);
  }
}

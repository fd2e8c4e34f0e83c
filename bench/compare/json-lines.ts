import type { Readable } from 'node:stream';

/** Cuts text that comes in pieces into whole lines. */
export class LineCutter {
  #rest = '';

  push(piece: string): string[] {
    const lines = `${this.#rest}${piece}`.split('\n');
    this.#rest = lines.pop() ?? '';
    return lines.filter((line) => line.trim() !== '');
  }
}

/** Calls `onValue` with each line of the stream as JSON; a line that is none is a defect of the sender. */
export function readJsonLines<Value>(stream: Readable, onValue: (value: Value) => void): void {
  const cutter = new LineCutter();
  stream.setEncoding('utf8').on('data', (piece: string) => {
    for (const line of cutter.push(piece)) onValue(JSON.parse(line) as Value);
  });
}

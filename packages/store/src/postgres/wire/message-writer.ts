import { ValueWriter } from './value-writer.ts';

/** Codes of the messages, and of the things that a message can be about. */
const CLOSE = 67;
const DESCRIBE = 68;
const PARSE = 80;
const BIND = 66;
const EXECUTE = 69;
const SYNC = 83;
const STATEMENT = 83;
const PORTAL = 80;

/**
 * Writes the messages of one round trip into one buffer.
 *
 * A writer belongs to one connection and is used for one round trip at a time. It must not outlive
 * its connection: bytes that the socket still holds would change under it, and a half-sent commit
 * would become another commit.
 */
export class MessageWriter extends ValueWriter {
  private messageAt = 0;

  /** Ends a round trip; the bytes stay valid until the next `reset`. */
  finish(): Buffer {
    this.begin(SYNC);
    this.end();
    return this.bytes.subarray(0, this.at);
  }

  /**
   * Prepares a statement, after closing a statement of that name: a refused round trip keeps the statements
   * that it prepared before the error, and preparing one again would fail.
   */
  parse(name: string, text: string): void {
    if (name !== '') this.about(CLOSE, STATEMENT, name);
    this.begin(PARSE);
    this.zeroEnded(name);
    this.zeroEnded(text);
    this.reserve(2);
    this.int16(0);
    this.end();
  }

  /** Begins the parameters of a statement, all in binary form. */
  bind(name: string, parameterCount: number): void {
    this.begin(BIND);
    this.zeroEnded('');
    this.zeroEnded(name);
    this.reserve(6);
    this.int16(1);
    this.int16(1);
    this.int16(parameterCount);
  }

  /** Ends the parameters and runs the statement; rows come back as text, described if requested. */
  execute(isDescribed: boolean): void {
    this.reserve(4);
    this.int16(1);
    this.int16(0);
    this.end();
    if (isDescribed) this.about(DESCRIBE, PORTAL, '');
    this.begin(EXECUTE);
    this.zeroEnded('');
    this.reserve(4);
    this.int32(0);
    this.end();
  }

  private about(code: number, kind: number, name: string): void {
    this.begin(code);
    this.reserve(1);
    this.bytes[this.at++] = kind;
    this.zeroEnded(name);
    this.end();
  }

  private begin(code: number): void {
    this.reserve(5);
    this.bytes[this.at] = code;
    this.messageAt = this.at + 1;
    this.at += 5;
  }

  private end(): void {
    this.bytes.writeInt32BE(this.at - this.messageAt, this.messageAt);
  }

  private zeroEnded(value: string): void {
    this.reserve(value.length * 3 + 1);
    this.at += this.bytes.write(value, this.at);
    this.bytes[this.at++] = 0;
  }
}

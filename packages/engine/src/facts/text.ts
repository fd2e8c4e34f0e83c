/** UTF-8 both ways. Pure, but not part of the language's own library, hence the declarations. */
interface Encoder {
  encodeInto(text: string, into: Uint8Array): { read: number; written: number };
}
interface Decoder {
  decode(bytes: Uint8Array): string;
}
declare const TextEncoder: new () => Encoder;
declare const TextDecoder: new (label: string, options: { fatal: boolean }) => Decoder;

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true });

/** Encodes at an offset; the caller has left three bytes for each code unit. */
export function encodeTextInto(text: string, into: Uint8Array): number {
  return encoder.encodeInto(text, into).written;
}

export function encodeText(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length * 3);
  return bytes.slice(0, encodeTextInto(text, bytes));
}

export function decodeText(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

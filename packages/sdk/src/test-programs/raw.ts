/** Returns the text as bytes; without one, bytes that are no text. */
export function raw(text: string | null): Uint8Array {
  return text === null ? new Uint8Array([255, 0]) : new TextEncoder().encode(text);
}

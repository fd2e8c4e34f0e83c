import type { RunView } from '@signalbox/protocol';

export function hasEnded(run: RunView): boolean {
  return ['SUCCEEDED', 'PARTIAL', 'FAILED', 'CANCELLED'].includes(run.state);
}

/** JSON where it is JSON, else text, else the bytes; nothing where there is nothing. */
export function outputOf(bytes: Uint8Array): unknown {
  if (bytes.length === 0) return undefined;
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return bytes;
  }
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

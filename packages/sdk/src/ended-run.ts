import type { RunView } from '@signalbox/protocol';
import { RunFailedError } from './errors.ts';

type ReadOutput = () => Promise<Uint8Array>;

/** The stored output of an ended run. Throws where the run did not succeed, or is PARTIAL without an output. */
export async function bytesOf(run: RunView, read: ReadOutput): Promise<Uint8Array> {
  if (!isCompleted(run)) throw new RunFailedError(run);
  const output = await read();
  // Nothing at all, typed as what the handler returns, would hide that its task did not run.
  if (run.state === 'PARTIAL' && output.length === 0) throw new RunFailedError(run);
  return output;
}

/** The output of an ended run as a value; read only where the view does not contain it. */
export async function resultOf(run: RunView, read: ReadOutput): Promise<unknown> {
  if (run.output !== undefined && isCompleted(run)) return run.output;
  return outputOf(await bytesOf(run, read));
}

function isCompleted({ state }: RunView): boolean {
  return state === 'SUCCEEDED' || state === 'PARTIAL';
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

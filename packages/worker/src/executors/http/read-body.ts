import type { Readable, Transform } from 'node:stream';
import {
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createZstdDecompress,
} from 'node:zlib';

/** As much of an answer as is kept, in UTF-16 units. */
export const BODY_CHARACTERS_MAX = 1_000;
/** Reading stops here; counted behind the decompression, so a bomb is cut like any other. */
export const BODY_BYTES_MAX = 10_485_760;
const KEPT_BYTES_MAX = BODY_CHARACTERS_MAX * 4;

export interface Body {
  readonly text: string;
  readonly bytes: number;
  /** There was more than was read. */
  readonly isCut: boolean;
}

type Decoder = Transform & { readonly bytesWritten: number };

const DECODERS: ReadonlyMap<string, () => Decoder> = new Map<string, () => Decoder>([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
  ['zstd', createZstdDecompress],
]);

export async function readBody(source: Readable, encoding: string | undefined): Promise<Body> {
  const decoder = DECODERS.get(encoding?.trim().toLowerCase() ?? '')?.();
  const stream = decoder === undefined ? source : decoded(source, decoder);
  const kept: Uint8Array[] = [];
  let keptBytes = 0;
  let bytes = 0;
  let isCut = false;
  for await (const chunk of stream as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (keptBytes < KEPT_BYTES_MAX) {
      const part = chunk.slice(0, KEPT_BYTES_MAX - keptBytes);
      kept.push(part);
      keptBytes += part.length;
    }
    if (bytes > BODY_BYTES_MAX) {
      isCut = true;
      break;
    }
  }
  discard(source);
  const text = new TextDecoder().decode(Buffer.concat(kept), { stream: bytes > keptBytes });
  return { text: firstCharacters(text), bytes, isCut };
}

/** For an answer whose body is of no use. */
export function discard(source: Readable): void {
  source.on('error', () => {});
  source.destroy();
}

async function* decoded(source: Readable, decoder: Decoder): AsyncGenerator<Uint8Array> {
  source.on('error', (error) => decoder.destroy(error));
  try {
    yield* source.pipe(decoder);
  } catch (error) {
    // The answer to a HEAD names an encoding and has nothing that is encoded.
    const isEmpty =
      decoder.bytesWritten === 0 && (error as { code?: string }).code === 'Z_BUF_ERROR';
    if (!isEmpty) throw error;
  }
}

function firstCharacters(text: string): string {
  const cut = text.slice(0, BODY_CHARACTERS_MAX);
  return cut.isWellFormed() ? cut : cut.slice(0, -1);
}

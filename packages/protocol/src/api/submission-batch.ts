import type { Static } from 'typebox';
import { Type } from '../type.ts';
import { Submission } from './runs.ts';

/** The content type of a batch whose inputs travel as bytes, so that no node has to read them. */
export const BATCH_TYPE = 'application/vnd.signalbox.batch';
export const BATCH_MAX = 1_000;

/** Everything of a submission but its input. */
export const SubmissionHead = Type.Partial(Type.Omit(Submission, ['input', 'inputBase64']), {
  additionalProperties: false,
});

/**
 * The header of a batch. `inputs` has one entry for each submission: the length of its input, or null if it has
 * none. Fields of an item override those of `shared`.
 */
export const BatchHeader = Type.Object(
  {
    shared: Type.Optional(SubmissionHead),
    items: Type.Optional(Type.Array(SubmissionHead, { minItems: 1, maxItems: BATCH_MAX })),
    inputs: Type.Array(Type.Union([Type.Integer({ minimum: 0 }), Type.Null()]), {
      minItems: 1,
      maxItems: BATCH_MAX,
    }),
  },
  { additionalProperties: false },
);

export type SubmissionHead = Static<typeof SubmissionHead>;
export type BatchHeader = Static<typeof BatchHeader>;

const HEADER_AT = 4;

/** Four bytes with the length of the header, the header as JSON, the inputs one after the other. */
export function encodeBatch(header: BatchHeader, inputs: Uint8Array): Uint8Array {
  const text = new TextEncoder().encode(JSON.stringify(header));
  const bytes = new Uint8Array(HEADER_AT + text.length + inputs.length);
  new DataView(bytes.buffer).setUint32(0, text.length);
  bytes.set(text, HEADER_AT);
  bytes.set(inputs, HEADER_AT + text.length);
  return bytes;
}

/** The two parts of a batch; null if the declared length of the header exceeds the body. */
export function splitBatch(bytes: Uint8Array): { header: Uint8Array; inputs: Uint8Array } | null {
  if (bytes.length < HEADER_AT) return null;
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0);
  const inputsAt = HEADER_AT + length;
  if (inputsAt > bytes.length) return null;
  return { header: bytes.subarray(HEADER_AT, inputsAt), inputs: bytes.subarray(inputsAt) };
}

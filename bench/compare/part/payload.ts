const TENANTS = 200;
const PADDING =
  'The quick brown fox jumps over the lazy dog, again and again, until the input is full.';

/** What a task carries: about 200 bytes of JSON, as varied as that of 200 customers. */
export interface Payload {
  readonly id: number;
  readonly customer: string;
  readonly action: string;
  readonly url: string;
  readonly note: string;
  /** When its submission was called, where its delay is measured. */
  readonly t0?: number;
}

export function payload(id: number): Payload {
  return {
    id,
    customer: `customer-${id % TENANTS}`,
    action: 'thumbnail.render',
    url: `https://example.invalid/objects/${id}`,
    note: PADDING,
  };
}

export function payloads(from: number, count: number): Payload[] {
  return Array.from({ length: count }, (_, index) => payload(from + index));
}

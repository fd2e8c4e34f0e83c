import { describe, expect, it } from 'vitest';
import { PayloadPages } from './payload-pages.ts';

describe('pages of payloads', () => {
  it('keep what was placed, text and bytes, whatever comes after it', () => {
    const pages = new PayloadPages();
    const texts = Array.from({ length: 500 }, (_, i) => `"é${i}"`.repeat((i % 40) + 1));
    const places = texts.map((text, i) =>
      i % 2 === 0 ? pages.encode(text) : pages.copy(new TextEncoder().encode(text)),
    );
    expect(places.map((place) => new TextDecoder().decode(place))).toEqual(texts);
  });

  it('keep little alive for one that is left of many, and nothing more for one alone', () => {
    const pages = new PayloadPages();
    const alone = pages.copy(new Uint8Array(150));
    expect(alone.buffer.byteLength).toBe(150);
    for (let i = 0; i < 500; i++) {
      expect(pages.copy(new Uint8Array(150)).buffer.byteLength).toBeLessThanOrEqual(4_096);
    }
    expect(pages.copy(new Uint8Array(100_000)).buffer.byteLength).toBe(100_000);
  });
});

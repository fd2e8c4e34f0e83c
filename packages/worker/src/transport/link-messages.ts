/** What the main thread tells the link thread. Bytes are whole messages of the wire. */
export type ToLinkThread =
  | {
      readonly kind: 'open';
      readonly id: number;
      readonly url: string;
      readonly key: string;
      /** One number, shared: bytes that were handed over and are not yet with the network. */
      readonly buffered: Int32Array;
      /** The longest message that is read. */
      readonly bytesMax: number;
    }
  | { readonly kind: 'send'; readonly id: number; readonly bytes: Uint8Array }
  | {
      readonly kind: 'beat';
      readonly id: number;
      readonly everyMs: number;
      readonly bytes: Uint8Array;
    }
  | { readonly kind: 'close'; readonly id: number; readonly code: number }
  | { readonly kind: 'end' };

export type FromLinkThread =
  | { readonly kind: 'opened'; readonly id: number }
  | { readonly kind: 'received'; readonly id: number; readonly bytes: Uint8Array }
  /** Also where it never opened. */
  | {
      readonly kind: 'closed';
      readonly id: number;
      readonly code: number;
      readonly reason: string;
    };

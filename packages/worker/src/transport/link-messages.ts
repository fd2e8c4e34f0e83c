/** From the main thread to the link thread. `bytes` is a whole message of the protocol. */
export type ToLinkThread =
  | {
      readonly kind: 'open';
      readonly id: number;
      readonly url: string;
      readonly key: string;
      /** One shared number: bytes that are posted to the thread but not yet written to the network. */
      readonly buffered: Int32Array;
      /** Maximum size of a received message. */
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
  /** Also if the socket never opened. */
  | {
      readonly kind: 'closed';
      readonly id: number;
      readonly code: number;
      readonly reason: string;
    };

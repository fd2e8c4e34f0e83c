import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';

/** A secret at rest: which key sealed it, and what only that key opens. */
export interface Sealed {
  readonly key: string;
  readonly nonce: string;
  readonly text: string;
}

/**
 * Keeps secrets that must be read again, unlike keys of the API, of which a digest is enough: who
 * checks a signature needs the secret itself. Sealed under a key derived from the node's own key, and
 * bound to the trigger: what is copied into another row does not open there.
 */
export class SecretBox {
  readonly #key: Buffer;
  readonly id: string;
  /** Opens nowhere, and takes as long: for where there is nothing to open. */
  readonly decoy: Sealed;

  constructor(rootKey: string) {
    this.#key = Buffer.from(hkdfSync('sha256', rootKey, '', 'signalbox secrets 1', 32));
    this.id = createHash('sha256').update(this.#key).digest('hex').slice(0, 12);
    this.decoy = this.seal(randomBytes(32).toString('base64'), '');
  }

  seal(secret: string, of: string): Sealed {
    const nonce = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce).setAAD(Buffer.from(of));
    const text = Buffer.concat([
      cipher.update(secret, 'utf8'),
      cipher.final(),
      cipher.getAuthTag(),
    ]);
    return { key: this.id, nonce: nonce.toString('base64'), text: text.toString('base64') };
  }

  /** Null where another key sealed it, or it belongs elsewhere. */
  open({ key, nonce, text }: Sealed, of: string): string | null {
    if (key !== this.id) return null;
    const bytes = Buffer.from(text, 'base64');
    const cipher = createDecipheriv('aes-256-gcm', this.#key, Buffer.from(nonce, 'base64'));
    cipher.setAAD(Buffer.from(of)).setAuthTag(bytes.subarray(-16));
    try {
      return Buffer.concat([cipher.update(bytes.subarray(0, -16)), cipher.final()]).toString();
    } catch {
      return null;
    }
  }
}

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** The engine has no Buffer; bytes in a checkpoint are rare. */
export function toBase64(bytes: Uint8Array): string {
  let text = '';
  for (let i = 0; i < bytes.length; i += 3) {
    const [a, b, c] = [bytes[i] as number, bytes[i + 1], bytes[i + 2]];
    const bits = (a << 16) | ((b ?? 0) << 8) | (c ?? 0);
    text += `${BASE64[bits >> 18]}${BASE64[(bits >> 12) & 63]}`;
    text += b === undefined ? '=' : BASE64[(bits >> 6) & 63];
    text += c === undefined ? '=' : BASE64[bits & 63];
  }
  return text;
}

export function fromBase64(text: string): Uint8Array {
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  const bytes = new Uint8Array((text.length / 4) * 3 - padding);
  for (let i = 0, at = 0; i < text.length; i += 4) {
    let bits = 0;
    for (let k = 0; k < 4; k++)
      bits = (bits << 6) | Math.max(0, BASE64.indexOf(text[i + k] as string));
    for (let shift = 16; shift >= 0 && at < bytes.length; shift -= 8)
      bytes[at++] = (bits >> shift) & 255;
  }
  return bytes;
}

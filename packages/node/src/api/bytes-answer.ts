import type { FastifyReply } from 'fastify';

/** Bytes of a tenant's making: never shown as a page by a browser, whatever they hold. */
export function answerBytes(reply: FastifyReply, bytes: Uint8Array): Buffer {
  reply.type('application/octet-stream').header('content-disposition', 'attachment');
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

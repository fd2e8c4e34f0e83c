import { Type } from '@signalbox/protocol/type';
import { getBlob, putBlob } from '../../operations/index.ts';
import { answerBytes } from '../bytes-answer.ts';
import { type Route, route } from '../route.ts';

const Blob = Type.Object({
  name: Type.String(),
  bytes: Type.Integer(),
  sha256: Type.String(),
});

export const blobsRoutes: readonly Route[] = [
  route({
    method: 'PUT',
    url: '/blobs',
    role: 'submitter',
    alsoWorker: true,
    submits: true,
    summary: 'Stores a payload that is too large for the journal, up to 64 MiB',
    bytes: true,
    response: { 201: Blob },
    handler: async ({ context, caller, bytes, reply }) => {
      const blob = await putBlob(context, caller, { bytes });
      reply.code(201);
      return blob;
    },
  }),
  route({
    method: 'GET',
    url: '/blobs/:name',
    role: 'viewer',
    alsoWorker: true,
    summary: 'Returns the bytes of a payload; `Range` is ignored',
    params: Type.Object({ name: Type.String({ pattern: '^[A-Za-z0-9._-]{1,200}$' }) }),
    response: { 200: null },
    contentType: 'application/octet-stream',
    errors: ['not_found'],
    handler: async ({ context, caller, params, reply }) =>
      answerBytes(reply, await getBlob(context, caller, params)),
  }),
];

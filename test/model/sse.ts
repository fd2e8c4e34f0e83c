import http from 'node:http';

export interface StreamEvent {
  readonly id: string | undefined;
  readonly event: string | undefined;
  readonly data: string;
}

export interface StreamTarget {
  readonly port: number;
  readonly path: string;
  readonly rootKey: string;
  readonly tenant: string;
  readonly lastEventId: string | null;
}

/** One connection of server-sent events. */
export interface Connection {
  /** Resolves when it has ended, from either side, with the status of its answer, if there was one. */
  readonly ended: Promise<number | null>;
  cut(): void;
}

export function openStream(target: StreamTarget, take: (event: StreamEvent) => void): Connection {
  const { port, path, rootKey, tenant, lastEventId } = target;
  const request = http.get({
    host: '127.0.0.1',
    port,
    path: `/api/v1${path}`,
    agent: false,
    headers: {
      authorization: `Bearer ${rootKey}`,
      'signalbox-tenant': tenant,
      ...(lastEventId === null ? {} : { 'last-event-id': lastEventId }),
    },
  });
  let status: number | null = null;
  request.on('response', (response) => {
    status = response.statusCode ?? null;
    let rest = '';
    response.setEncoding('utf8');
    response.on('data', (text: string) => {
      if (status !== 200) return;
      const blocks = (rest + text).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) take(read(block));
    });
    response.on('error', () => {});
    response.on('close', () => request.destroy());
  });
  request.on('error', () => {});
  const ended = new Promise<number | null>((resolve) => {
    request.on('close', () => resolve(status));
  });
  return { ended, cut: () => void request.destroy() };
}

function read(block: string): StreamEvent {
  const fields = new Map<string, string>();
  for (const line of block.split('\n')) {
    const colon = line.indexOf(': ');
    if (colon > 0) fields.set(line.slice(0, colon), line.slice(colon + 2));
  }
  return { id: fields.get('id'), event: fields.get('event'), data: fields.get('data') ?? '{}' };
}

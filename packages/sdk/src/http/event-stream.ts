/** One message of a server-sent stream. */
export interface ServerSentEvent {
  readonly id: string;
  readonly event: string;
  readonly data: string;
}

/** A line that never ends must not fill the memory. */
const BUFFER_MAX = 4_194_304;

/** Reads `text/event-stream`; comments (heartbeats) come to nothing. */
export async function* readEventStream(
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<ServerSentEvent> {
  const decoder = new TextDecoder();
  let text = '';
  let id = '';
  let event = '';
  let data: string[] = [];
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > BUFFER_MAX)
      throw new RangeError('a line of the event stream exceeds the size limit');
    // A carriage return at the end may be half of a line break.
    const end = text.endsWith('\r') ? text.length - 1 : text.length;
    const lines = text.slice(0, end).split(/\r\n|\n|\r/);
    text = (lines.pop() as string) + text.slice(end);
    for (const line of lines) {
      if (line === '') {
        if (data.length > 0) yield { id, event, data: data.join('\n') };
        event = '';
        data = [];
        continue;
      }
      const colon = line.indexOf(':');
      const field = colon < 0 ? line : line.slice(0, colon);
      const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
      if (field === 'id') id = value;
      else if (field === 'event') event = value;
      else if (field === 'data') data.push(value);
    }
  }
}

import { type Answer, type Command, DONE } from '../commands.ts';
import type { Core } from '../core/core.ts';
import { notificationDone } from '../facts/graph-facts.ts';

/** Somebody outside has been told, or will not be. Said again, it changes nothing. */
export function notified(core: Core, command: Command & { kind: 'notified' }): Answer {
  const { partition, id, delivered } = command;
  const book = core.books.get(partition);
  const open = book?.notifications.get(id);
  if (book === undefined || open === undefined) return DONE;
  const { seq } = open;
  core.emit(book, notificationDone({ partition, seq, at: core.now, id, delivered }), null);
  return DONE;
}

import { type Answer, type Command, DONE } from '../commands.ts';
import type { Core } from '../core/core.ts';
import { notificationDone } from '../facts/graph-facts.ts';

/** Somebody outside has been told, or will not be. Said again, it changes nothing. */
export function notified(core: Core, command: Command & { kind: 'notified' }): Answer {
  const { partition, id, delivered } = command;
  const book = core.books.get(partition);
  const open = book?.notifications.get(id);
  if (book === undefined || open === undefined) return DONE;
  const { seq, tenant } = open;
  const at = core.now;
  core.emit(book, notificationDone({ partition, seq, at, id, delivered, tenant }), null);
  return DONE;
}

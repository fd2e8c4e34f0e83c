import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Handler, type HandlerModule, PermanentError } from '@signalbox/worker';

/**
 * A handler in a file of its own, called in this process: a thread or process has a clock of its own, and time would
 * not stand still for it. Loaded before anything runs, because loading takes longer than a handler is waited for.
 */
export async function loadedHandler(params: HandlerModule): Promise<Handler> {
  const { module, export: name = 'default' } = params;
  const text = String(module);
  const url = text.startsWith('file:') ? text : pathToFileURL(resolve(text)).href;
  try {
    const loaded = (await import(url)) as Record<string, unknown>;
    const handler = loaded[name];
    if (typeof handler === 'function') return handler as Handler;
    return () => {
      throw new PermanentError(`the module does not export a function ${name}`);
    };
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

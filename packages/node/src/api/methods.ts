import { API_BASE } from './base.ts';
import type { Route } from './route.ts';

/** Methods that some route takes at this address; none where there is nothing at all. */
export function allowedMethods(routes: readonly Route[], url: string): string[] {
  const [path = ''] = url.split('?', 1);
  const methods = routes.filter((route) => matches(route, path)).map((route) => route.method);
  return [...new Set(methods)];
}

function matches(route: Route, path: string): boolean {
  const wanted = `${API_BASE}${route.url}`.split('/');
  const parts = path.split('/');
  if (wanted.length !== parts.length) return false;
  return wanted.every((part, i) => (part.startsWith(':') ? parts[i] !== '' : part === parts[i]));
}

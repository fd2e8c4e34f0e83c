export function schedulePath(name: string | undefined): string {
  return `/schedules/${encodeURIComponent(name ?? '')}`;
}

/** Into the primary key, mostly behind the last line of its attempt; a repeat changes nothing. */
export function insertLogs(segment: number): string {
  return `
INSERT INTO logs_${segment} (run, task, attempt, number, at_ms, tenant, stream, text)
VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`;
}

/** A search by primary key. */
export function readEndTenant(segment: number): string {
  return `SELECT tenant FROM ends_${segment} WHERE id = ?`;
}

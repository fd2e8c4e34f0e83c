/**
 * Maximum length of a lease and of a registry entry. A longer one was written before the store's clock was set
 * back and counts as expired: the partitions of a node that died meanwhile would otherwise have no owner
 * for as long as the step. Its owner loses nothing: it renews every beat, and
 * the fence excludes a second owner independently of the clock (I9).
 */
export const LEASE_MS_MAX = 900_000;

/** Whether a lease or registry entry with this expiry is in force. */
export function isInForce(
  expiresAtMs: number,
  nowMs: number,
  leaseMsMax: number = LEASE_MS_MAX,
): boolean {
  return expiresAtMs > nowMs && expiresAtMs <= nowMs + leaseMsMax;
}

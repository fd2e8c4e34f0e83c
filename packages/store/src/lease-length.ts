/**
 * No lease and no entry of the registry lasts longer. One that seems to was written before the store's
 * clock was set back, and counts as run out: the partitions of a node that died meanwhile would
 * otherwise stand still for as long as the step was. Its owner loses nothing: it renews every beat, and
 * the fence keeps two owners apart whatever the clock says (I9).
 */
export const LEASE_MS_MAX = 900_000;

/** Whether something that was written with a time of expiry counts at the time. */
export function isInForce(
  expiresAtMs: number,
  nowMs: number,
  leaseMsMax: number = LEASE_MS_MAX,
): boolean {
  return expiresAtMs > nowMs && expiresAtMs <= nowMs + leaseMsMax;
}

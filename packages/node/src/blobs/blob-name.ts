import { createHash } from 'node:crypto';

export const DAY_MS = 86_400_000;

/** A digest, and the day on which the blob was put; names from before days were written have none. */
const NAME = /^[0-9a-f]{64}(?:-(\d{1,9}))?$/;
const DAY_FOLDER = /^day-(\d{1,9})$/;

/** Anything else never reaches a path (h35). */
export function isBlobName(name: string): boolean {
  return NAME.test(name);
}

/**
 * The same bytes of one day are one blob, so a repeated put is harmless. Of another day they are
 * another: what is collected is never what somebody is just putting again.
 */
export function blobName(sha256: string, nowMs: number): string {
  return `${sha256}-${Math.floor(nowMs / DAY_MS)}`;
}

/** The digest that a name begins with. */
export function digestIn(name: string): string {
  return name.slice(0, 64);
}

/** When the day of a blob was over; null where its name does not tell. */
export function dayEndOf(name: string): number | null {
  const day = NAME.exec(name)?.[1];
  return day === undefined ? null : (Number(day) + 1) * DAY_MS;
}

/** The folder of a blob within its tenant's: a day can be collected without a look at the others. */
export function dayFolderOf(name: string): string {
  const day = NAME.exec(name)?.[1];
  return day === undefined ? name.slice(0, 2) : `day-${day}`;
}

/** Whether all blobs of a folder were put before the time. */
export function isFolderBefore(folder: string, beforeMs: number): boolean {
  const day = DAY_FOLDER.exec(folder)?.[1];
  return day !== undefined && (Number(day) + 1) * DAY_MS <= beforeMs;
}

/** Of a tenant. A digest, because the name of a tenant is a caller's text, and paths fold case on some disks. */
export function folderOf(tenant: string): string {
  return createHash('sha256').update(tenant).digest('hex').slice(0, 32);
}

/** When a segment was sealed; null for those that were sealed before, which may be dropped at once. */
export const sealedAt = (s: string): string => `
alter table ${s}.segments add column sealed_at_ms bigint;
`;

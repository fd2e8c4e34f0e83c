/**
 * A row may stand for many runs, or many ends: those from `id` to `last`, `count` of them, whose
 * own contents are in `body`. All three are null in a row for one, as every row from before is.
 * What a body holds is inputs and outputs of others' making: trying to compress them in the way of
 * a commit costs more than it saves.
 */
export const packs = (s: string): string => `
alter table ${s}.runs add column last uuid, add column count int, add column body bytea;
alter table ${s}.runs alter column body set storage external;
alter table ${s}.ends add column last uuid, add column count int, add column body bytea;
alter table ${s}.ends alter column body set storage external;
`;
